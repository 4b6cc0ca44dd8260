//! Zip archives of NumPy arrays, as `numpy.savez` writes them.

use std::io::{self, Cursor, Read};

use zip::result::ZipError;

use super::assemble::{self, Role};
use super::guard;
use super::npy::Array;
use super::{Options, source::Source};
use crate::budget;
use crate::data::{Column, Dataset};
use crate::error::{Code, Error, Result, bytes};

/// Names of the array of objects, in order of preference; it becomes the column `x`.
const OBJECTS: [&str; 4] = ["x", "X", "data", "arr_0"];
/// Names of the Gram matrix, in order of preference; it becomes the column `k`.
const GRAMS: [&str; 4] = ["k", "K", "gram", "Gram"];
/// The decompression ratio is checked once the output exceeds this size: small archives of zeros are harmless.
const JUDGED_FROM: u64 = 16 << 20;

/// Reads the arrays of an archive as the columns of one data set.
pub(crate) fn read(source: &Source, options: &Options) -> Result<Dataset> {
    if source.bytes.is_empty() {
        return Err(source.fault(Code::Empty, "the file is empty"));
    }
    guard::caught(|| columns(source, options))
        .unwrap_or_else(|| Err(source.fault(Code::Compressed, "the archive is damaged")))
}

fn columns(source: &Source, options: &Options) -> Result<Dataset> {
    let mut archive = open(source)?;
    let members = members(source, &archive)?;
    let names: Vec<&str> = members.iter().map(|m| m.strip_suffix(".npy").unwrap_or(m)).collect();
    let roles = assemble::roles(source, &names, options)?;
    let free = |candidates: &[&str]| {
        let at = |c: &&str| names.iter().zip(&roles).position(|(n, r)| n == c && *r == Role::Feature);
        candidates.iter().find_map(at)
    };
    let gram = if options.precomputed { free(&GRAMS).or_else(|| free(&OBJECTS)) } else { None };
    if options.precomputed && gram.is_none() {
        return Err(source
            .fault(Code::Column, "no member 'K' or 'gram' for the kernel matrix")
            .with_hint(format!("the members are {}", names.join(", "))));
    }
    let objects = if gram.is_some_and(|g| OBJECTS.contains(&names[g])) { None } else { free(&OBJECTS) };

    let mut growth = Growth { out: 0, limit: options.limits.ratio, file: source.bytes.len() as u64 };
    let mut table = Vec::new();
    for (i, (&name, &role)) in names.iter().zip(&roles).enumerate() {
        if role == Role::Ignore {
            continue;
        }
        if !members[i].ends_with(".npy") {
            return Err(source
                .fault(Code::Syntax, format!("member '{name}' is not an npy array"))
                .with_hint(format!("leave it out with `ignore={name}`")));
        }
        let content = content(source, &mut archive, i, &mut growth)?;
        let member = Source { name: &source.name.join(&members[i]), bytes: &content };
        let array = Array::parse(&member)
            .map_err(|e| e.with_hint(format!("leave the member out with `ignore={name}`")))?;
        let (name, values) = if gram == Some(i) {
            ("k", array.gram(&member)?)
        } else {
            let name = if objects == Some(i) { "x" } else { name };
            (name, array.numbers(&member, "the array", role)?)
        };
        table.push((role, Column::new(name, values)));
    }
    assemble::assemble(source, table, options)
}

type Archive<'a> = zip::ZipArchive<Cursor<&'a [u8]>>;

fn open<'a>(source: &Source<'a>) -> Result<Archive<'a>> {
    let archive = zip::ZipArchive::new(Cursor::new(source.bytes)).map_err(|e| {
        // The end record is written last: without it the file is truncated.
        let ended = source.bytes.windows(4).rev().any(|w| w == b"PK\x05\x06");
        if source.bytes.starts_with(b"PK") && !ended {
            source.fault(Code::Truncated, "the archive ends before its directory")
        } else {
            fault(source, "the archive", &e)
        }
    })?;
    if archive.is_empty() {
        return Err(source.fault(Code::Empty, "the archive has no members"));
    }
    Ok(archive)
}

/// The names of the members, which must be safe and unique.
fn members(source: &Source, archive: &Archive) -> Result<Vec<String>> {
    if archive.has_duplicate_names() {
        return Err(source.fault(Code::ZipName, "two members have the same name"));
    }
    let mut names: Vec<String> = Vec::new();
    for name in archive.file_names_raw() {
        let name = std::str::from_utf8(name)
            .map_err(|_| source.fault(Code::ZipName, "a member's name is not UTF-8 text"))?;
        let drive = name.as_bytes().get(1) == Some(&b':');
        if name.is_empty() || name.starts_with('/') || name.contains(['\\', '\0']) || drive {
            return Err(source.fault(Code::ZipName, format!("member name {name:?}, expected a plain name")));
        }
        if name.split('/').any(|part| part == "..") {
            return Err(source.fault(Code::ZipName, format!("member name {name:?} is outside the archive")));
        }
        names.push(name.to_owned());
    }
    Ok(names)
}

/// The number of bytes decompressed so far. Members may share compressed bytes, so their sum is checked too.
struct Growth {
    out: u64,
    limit: u64,
    file: u64,
}

/// Decompresses one member. Its declared size is not trusted: memory grows with the actual data.
fn content(source: &Source, archive: &mut Archive, i: usize, growth: &mut Growth) -> Result<Vec<u8>> {
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

#[cfg(test)]
#[path = "npz/tests.rs"]
mod tests;
