//! Many strings in two arrays: their bytes one after the other, and where each ends.

use super::{Get, Put};
use crate::error::{Code, Result};

impl Put<'_> {
    /// Keeps strings as `part/bytes` and `part/ends`.
    pub(super) fn strings<'s>(&mut self, part: &str, strings: impl Iterator<Item = &'s str>) -> Result<()> {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for s in strings {
            bytes.extend_from_slice(s.as_bytes());
            ends.push(bytes.len() as u64);
        }
        self.array(&format!("{part}/bytes"), bytes)?;
        self.array(&format!("{part}/ends"), ends)
    }
}

impl<'c> Get<'c> {
    /// The strings kept as `part/bytes` and `part/ends`.
    pub(super) fn strings(&self, part: &str) -> Result<Vec<&'c str>> {
        let name = self.name(&format!("{part}/bytes"));
        let bytes = self.container.u8s(&name)?;
        let ends = self.container.u64s(&self.name(&format!("{part}/ends")))?;
        let text = std::str::from_utf8(bytes)
            .map_err(|e| self.container.fault(Code::ModelSyntax, format!("'{name}': {e}")))?;
        let mut out = Vec::with_capacity(ends.len());
        let mut start = 0;
        for &end in ends {
            let own = usize::try_from(end).ok().and_then(|end| Some((end, text.get(start..end)?)));
            let Some((end, own)) = own else {
                let reason = format!("'{name}': no string ends at byte {end}");
                return Err(self.container.fault(Code::ModelSyntax, reason));
            };
            out.push(own);
            start = end;
        }
        if start != text.len() {
            let reason = format!("'{name}': {} bytes of no string", text.len() - start);
            return Err(self.container.fault(Code::ModelCount, reason));
        }
        Ok(out)
    }
}
