//! The search against plain loops over the same cells.
