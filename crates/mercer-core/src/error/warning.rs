//! Warnings: messages that do not stop the computation.

use std::fmt;

#[cfg(feature = "serde")]
use serde::{Serialize, Serializer};

/// A message that does not stop the computation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// A stable name, such as `W_CONSTANT`.
    pub code: &'static str,
    /// The message.
    pub message: String,
}

impl Warning {
    /// A warning with its code and message.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Warning { code, message: message.into() }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code, self.message)
    }
}

/// As text, like its display.
#[cfg(feature = "serde")]
impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}
