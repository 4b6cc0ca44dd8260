//! Checks the pages of a Parquet column before they are decompressed or decoded.
//!
//! Decoders allocate what a page header declares. Here the declared numbers are compared with the available bytes: the
//! decompressed size, the entries of a dictionary, the lengths of strings.

use std::sync::Arc;

use bytes::{Buf, Bytes};
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length, SerializedPageReader};

use super::footer::varint;

/// Decompressed sizes below this are harmless, whatever the ratio.
pub(super) const JUDGED_FROM: u64 = 16 << 20;

/// The file's bytes; page headers are checked when they are read.
pub(super) struct Watched {
    pub(super) bytes: Bytes,
    pub(super) ratio: u64,
}

impl Length for Watched {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }
}

impl ChunkReader for Watched {
    type T = bytes::buf::Reader<Bytes>;

    /// The page reader requests a stream exactly where a page header begins.
    fn get_read(&self, start: u64) -> Result<Self::T> {
        let at = usize::try_from(start).ok().filter(|at| *at <= self.bytes.len());
        let bytes = self.bytes.slice(at.ok_or_else(|| bad("a page after the end of the file"))?..);
        let (unpacked, packed) = sizes(&bytes).ok_or_else(|| bad("invalid page header"))?;
        if unpacked > JUDGED_FROM.max(packed.saturating_mul(self.ratio)) {
            return Err(bad(format!("a page that decompresses from {packed} to {unpacked} bytes")));
        }
        Ok(bytes.reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let at = usize::try_from(start).ok();
        let end = at.and_then(|at| at.checked_add(length)).filter(|end| *end <= self.bytes.len());
        match (at, end) {
            (Some(at), Some(end)) => Ok(self.bytes.slice(at..end)),
            _ => Err(bad("a page after the end of the file")),
        }
    }
}

/// The uncompressed and compressed size in a page header: Thrift's fields 2 and 3, after the page's type.
fn sizes(bytes: &[u8]) -> Option<(u64, u64)> {
    let mut at = 0;
    let mut values = [0u64; 3];
    for value in &mut values {
        // The next field, a 32-bit number.
        if *bytes.get(at)? != 0x15 {
            return None;
        }
        let (n, length) = varint(bytes.get(at + 1..)?)?;
        // Zigzag: odd numbers are negative.
        if n & 1 == 1 {
            return None;
        }
        *value = n >> 1;
        at += 1 + length;
    }
    Some((values[1], values[2]))
}

fn bad(reason: impl Into<String>) -> ParquetError {
    ParquetError::General(reason.into())
}

/// The pages of one column chunk of a flat column.
pub(super) struct Checked {
    inner: SerializedPageReader<Watched>,
    rows: u64,
    kind: Type,
    nullable: bool,
}

impl Checked {
    pub(super) fn new(file: &Arc<Watched>, chunk: &ColumnChunkMetaData, rows: u64) -> Result<Self> {
        let inner = SerializedPageReader::new(Arc::clone(file), chunk, usize::try_from(rows)?, None)?;
        let nullable = chunk.column_descr().max_def_level() > 0;
        Ok(Checked { inner, rows, kind: chunk.column_type(), nullable })
    }

    fn check(&self, page: &Page) -> Result<()> {
        let count = u64::from(page.num_values());
        if page.is_dictionary_page() {
            // Every entry of a dictionary takes at least one byte.
            if count > page.buffer().len() as u64 {
                return Err(bad(format!("a dictionary of {count} values in {} bytes", page.buffer().len())));
            }
            return Ok(());
        }
        if count > self.rows {
            return Err(bad(format!("a page of {count} values in a group of {} rows", self.rows)));
        }
        if self.kind != Type::BYTE_ARRAY {
            return Ok(());
        }
        let lists = match page.encoding() {
            Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
            Encoding::DELTA_BYTE_ARRAY => 2,
            _ => return Ok(()),
        };
        let mut data = self.values(page).ok_or_else(|| bad("a page shorter than its levels"))?;
        for _ in 0..lists {
            let end = lengths(data, count).ok_or_else(|| bad("a page with invalid lengths"))?;
            data = data.get(end..).unwrap_or_default();
        }
        Ok(())
    }

    /// The encoded values after the levels.
    fn values<'a>(&self, page: &'a Page) -> Option<&'a [u8]> {
        match page {
            Page::DataPage { buf, .. } if self.nullable => {
                let length: [u8; 4] = buf.get(..4)?.try_into().ok()?;
                buf.get((u32::from_le_bytes(length) as usize).checked_add(4)?..)
            }
            Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
                buf.get(def_levels_byte_len.checked_add(*rep_levels_byte_len)? as usize..)
            }
            page => Some(page.buffer()),
        }
    }
}

/// The end of a list of delta-encoded lengths, if it has at most `most` entries.
fn lengths(data: &[u8], most: u64) -> Option<usize> {
    let mut at = 0;
    let next = |at: &mut usize| {
        let (n, length) = varint(data.get(*at..)?)?;
        *at += length;
        Some(n)
    };
    let (block, minis, count) = (next(&mut at)?, next(&mut at)?, next(&mut at)?);
    let _first = next(&mut at)?;
    if count > most || minis == 0 || block == 0 || block % minis != 0 {
        return None;
    }
    let each = block / minis;
    let mut left = count.saturating_sub(1);
    while left > 0 {
        let _smallest = next(&mut at)?;
        let widths = data.get(at..at.checked_add(usize::try_from(minis).ok()?)?)?;
        at += widths.len();
        for &width in widths {
            if left == 0 {
                break;
            }
            let bits = each.checked_mul(u64::from(width))?;
            at = at.checked_add(usize::try_from(bits / 8).ok()?)?;
            left = left.saturating_sub(each);
        }
    }
    Some(at)
}

impl Iterator for Checked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.inner.get_next_page()?;
        if let Some(page) = &page {
            self.check(page)?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.inner.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.inner.skip_next_page()
    }
}
