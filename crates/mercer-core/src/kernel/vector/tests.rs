//! Worked examples from the sources, and agreement of dense and sparse vectors.
