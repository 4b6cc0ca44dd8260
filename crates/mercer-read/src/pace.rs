//! How often the readers of text look at the budget.

use crate::budget;
use crate::error::Result;

/// The bytes of text between two looks: about a millisecond of parsing.
const STEP: usize = 64 << 10;

/// The place in a text where the budget was last looked at.
pub(crate) struct Pace(usize);

impl Pace {
    /// A reader that starts at this offset.
    pub(crate) fn from(offset: usize) -> Self {
        Pace(offset)
    }

    /// Looks at the budget once the reader has come far enough.
    #[inline]
    pub(crate) fn at(&mut self, offset: usize) -> Result<()> {
        if offset.wrapping_sub(self.0) < STEP {
            return Ok(());
        }
        self.0 = offset;
        budget::check()
    }
}
