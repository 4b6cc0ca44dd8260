//! Zip archives: opening them, and the content of their members within limits.

use std::io::{self, Cursor, Read};

use zip::result::ZipError;

use super::source::Source;
use crate::budget;
use crate::error::{Code, Error, Result, bytes};

/// The decompression ratio is checked once the output exceeds this size: small archives of zeros are harmless.
const JUDGED_FROM: u64 = 16 << 20;

pub(crate) type Archive<'a> = zip::ZipArchive<Cursor<&'a [u8]>>;

/// Opens an archive that has members.
pub(crate) fn open<'a>(source: &Source<'a>) -> Result<Archive<'a>> {
    let archive = zip::ZipArchive::new(Cursor::new(source.bytes)).map_err(|e| {
        // The end record is written last: without it the file is truncated.
        let ended = source.bytes.windows(4).rev().any(|w| w == b"PK\x05\x06");
        if source.bytes.starts_with(b"PK") && !ended {
            source
                .fault(Code::Truncated, "the archive ends before its directory")
                .with_hint("the file was not copied or downloaded completely: get it again")
        } else {
            fault(source, "the archive", &e)
        }
    })?;
    if archive.is_empty() {
        return Err(source.fault(Code::Empty, "the archive has no members"));
    }
    Ok(archive)
}

/// The number of bytes decompressed so far. Members may share compressed bytes, so their sum is checked too.
pub(crate) struct Growth {
    out: u64,
    limit: u64,
    file: u64,
}

impl Growth {
    /// Nothing decompressed yet; the whole may be at most `ratio` times the size of the file.
    pub(crate) fn new(source: &Source, ratio: u64) -> Self {
        Growth { out: 0, limit: ratio, file: source.bytes.len() as u64 }
    }
}

/// Decompresses one member. Its declared size is not trusted: memory grows with the actual data.
pub(crate) fn content(
    source: &Source,
    archive: &mut Archive,
    i: usize,
    growth: &mut Growth,
) -> Result<Vec<u8>> {
    let mut file = archive.by_index(i).map_err(|e| fault(source, "a member", &e))?;
    let name = file.name().map(|n| n.into_owned()).unwrap_or_default();
    let packed = file.compressed_size().min(growth.file);
    let mut out = Vec::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let n = file
            .read(&mut buffer)
            .map_err(|e| fault(source, &format!("member '{name}'"), &ZipError::Io(e)))?;
        if n == 0 {
            return Ok(out);
        }
        budget::check()?;
        if out.capacity() - out.len() < n {
            budget::ask(&format!("decompressing member '{name}'"), 2 * out.len() as u64)?;
        }
        out.extend_from_slice(&buffer[..n]);
        growth.out += n as u64;
        let own = out.len() as u64 > packed.saturating_mul(growth.limit);
        let all = growth.out > growth.file.saturating_mul(growth.limit);
        if growth.out > JUDGED_FROM && (own && out.len() as u64 > JUDGED_FROM || all) {
            return Err(source
                .fault(
                    Code::Ratio,
                    format!(
                        "member '{name}' decompresses to more than {} times its {}",
                        growth.limit,
                        bytes(if own { packed } else { growth.file })
                    ),
                )
                .with_hint("if you trust the file, raise the limit with `max-ratio`"));
        }
    }
}

fn fault(source: &Source, what: &str, error: &ZipError) -> Error {
    match error {
        ZipError::Io(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
            source.fault(Code::Truncated, format!("{what} ends too early"))
        }
        ZipError::CompressionMethodNotSupported(method) => source.fault(
            Code::Compressed,
            format!("{what} is compressed by method {method}, expected stored or deflated"),
        ),
        other => source.fault(Code::Compressed, format!("{what} cannot be read: {other}")),
    }
}
