//! Evaluations against plain loops, and what must not leak.
