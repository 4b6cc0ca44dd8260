//! Zip archives of NumPy arrays, as `numpy.savez` writes them.

use super::archive::{self, Archive, Growth};
use super::assemble::{self, Role};
use super::guard;
use super::npy::Array;
use super::{Options, source::Source};
use crate::data::{Column, Dataset};
use crate::error::{Code, Result};

/// Names of the array of objects, in order of preference; it becomes the column `x`.
const OBJECTS: [&str; 4] = ["x", "X", "data", "arr_0"];
/// Names of the Gram matrix, in order of preference; it becomes the column `k`.
const GRAMS: [&str; 4] = ["k", "K", "gram", "Gram"];

/// Reads the arrays of an archive as the columns of one data set.
pub(crate) fn read(source: &Source, options: &Options) -> Result<Dataset> {
    if source.bytes.is_empty() {
        return Err(source.fault(Code::Empty, "the file is empty"));
    }
    guard::caught(|| columns(source, options))
        .unwrap_or_else(|| Err(source.fault(Code::Compressed, "the archive is damaged")))
}

fn columns(source: &Source, options: &Options) -> Result<Dataset> {
    let mut archive = archive::open(source)?;
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

    let mut growth = Growth::new(source, options.limits.ratio);
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
        let content = archive::content(source, &mut archive, i, &mut growth)?;
        let member = Source { name: &source.name.join(&members[i]), bytes: &content };
        let array = Array::parse(&member)
            .map_err(|e| e.with_hint(format!("leave the member out with `ignore={name}`")))?;
        let (name, values) = if gram == Some(i) {
            ("k", array.gram(&member)?)
        } else {
            let name = if objects == Some(i) { "x" } else { name };
            (name, array.values(&member, "the array", role)?)
        };
        table.push((role, Column::new(name, values)));
    }
    assemble::assemble(source, table, options)
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

#[cfg(test)]
#[path = "npz/tests.rs"]
mod tests;
