//! Worked values of the sources, and agreement of dense and sparse.
