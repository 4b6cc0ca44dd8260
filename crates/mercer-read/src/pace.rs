//! How often text readers check the budget.

use crate::budget;
use crate::error::Result;

/// Bytes of text between two checks: about a millisecond of parsing.
const STEP: usize = 64 << 10;

/// The offset of the last budget check.
pub(crate) struct Pace(usize);

impl Pace {
    /// Starts at this offset.
    pub(crate) fn from(offset: usize) -> Self {
        Pace(offset)
    }

    /// Checks the budget if the reader has advanced far enough since the last check.
    #[inline]
    pub(crate) fn at(&mut self, offset: usize) -> Result<()> {
        if offset.wrapping_sub(self.0) < STEP {
            return Ok(());
        }
        self.0 = offset;
        budget::check()
    }
}
