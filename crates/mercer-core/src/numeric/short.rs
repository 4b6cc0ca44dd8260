//! Numbers in the shortest form that reads back to the same double.

use std::fmt;

/// A number in the shortest form that reads back to the same double.
#[doc(hidden)]
pub struct Short(pub f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if size == 0.0 || (1e-5..1e16).contains(&size) {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:e}", self.0)
        }
    }
}

/// The shortest text that reads back to the same double.
#[doc(hidden)]
pub fn shortest(value: f64) -> String {
    Short(value).to_string()
}
