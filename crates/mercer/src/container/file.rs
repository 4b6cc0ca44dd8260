//! The model file: named arrays and one JSON document, under one checksum.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use xxhash_rust::xxh3::Xxh3;

use super::array::{Array, Numbers};
use super::field::Field;
use super::header::{self, Header, METADATA};
use super::json::{self, Budget};
use crate::data::Dense;
use crate::error::shown;
use crate::error::{Code, Error, Place, Result};
use crate::files::write_whole;
use crate::read::open::open;

/// The bytes that follow the eight-byte header length in every model file.
///
/// All versions keep this beginning and the checksum, so that a damaged file can be told from one of another version.
const BEGINNING: &[u8] = b"{\"__metadata__\":{\"checksum\":\"";
const DIGITS: usize = 32;
const DIGITS_AT: usize = 8 + BEGINNING.len();
const FORMAT: &str = "mercer-model";
const MAJOR: u64 = 1;
const VERSION: &str = "1.0";
const PROGRAM: &str = env!("CARGO_PKG_VERSION");
/// The maximum header length, in bytes.
const MAX_HEADER: usize = 64 << 20;
/// Memory that even the smallest file may use.
const FLOOR: usize = 16 << 20;
/// Maximum nesting depth of a document; the parser allows 127.
const MAX_DEPTH: usize = 100;

/// A model file in memory: named arrays and a JSON document that describes them.
///
/// The layout is that of safetensors: the header length in eight bytes, the header in JSON, the arrays as
/// little-endian bytes. The strings in its `__metadata__` are `format` (`mercer-model`), `version`, `program`
/// (the version of this library that wrote it), `document`, and `checksum`: the 128-bit XXH3 of the whole file
/// with the checksum's own digits replaced by zeros, which detects any changed byte.
///
/// Loading needs at most four times the memory of the file, and 16 MiB.
///
/// ```
/// use mercer::model::{Array, Container};
/// let mut container = Container::new(serde_json::json!({"learner": "svm", "c": 1.5}));
/// container.insert("alpha", Array::list(vec![0.5, -0.5]))?;
/// let again = Container::from_bytes("m.mercer", &container.to_bytes()?)?;
/// assert_eq!(again.finite("alpha")?, [0.5, -0.5]);
/// assert_eq!(again.root().get("c")?.number()?, 1.5);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Container {
    /// The description of the arrays.
    pub document: Value,
    /// The arrays by name.
    pub arrays: BTreeMap<String, Array>,
    /// The file it was read from, for error messages.
    name: PathBuf,
}

impl Container {
    /// A container without arrays.
    pub fn new(document: Value) -> Self {
        Container { document, arrays: BTreeMap::new(), name: PathBuf::from("model") }
    }

    /// Adds an array, whose name must be new.
    pub fn insert(&mut self, name: impl Into<String>, array: Array) -> Result<()> {
        let name = name.into();
        if name == METADATA || self.arrays.contains_key(&name) {
            return Err(Error::usage(format!("the array name {} is already used", shown(&name))));
        }
        self.arrays.insert(name, array);
        Ok(())
    }

    /// The file's bytes. Fails where [`Container::from_bytes`] would refuse them: a document nested more than
    /// 100 levels deep, a header larger than 64 MiB.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        if !json::is_shallow(&self.document, MAX_DEPTH) {
            return Err(Error::usage(format!("the document is nested more than {MAX_DEPTH} levels deep")));
        }
        // Larger number types first keep every array aligned.
        let mut arrays: Vec<_> = self.arrays.iter().collect();
        arrays.sort_by_key(|(_, array)| array.numbers().dtype());
        let mut text = format!(
            "\",\"document\":{},\"format\":\"{FORMAT}\",\"program\":\"{PROGRAM}\",\"version\":\"{VERSION}\"}}",
            Value::from(self.document.to_string())
        );
        let mut len = 0;
        for (name, array) in &arrays {
            if *name == METADATA {
                return Err(Error::usage(format!("no array can be named {METADATA}")));
            }
            len = header::write_entry(&mut text, name, array, len);
        }
        text.push('}');
        let header = BEGINNING.len() + DIGITS + text.len();
        let padding = header.next_multiple_of(8) - header;

        let mut bytes = Vec::with_capacity(8 + header + padding + len);
        bytes.extend_from_slice(&((header + padding) as u64).to_le_bytes());
        bytes.extend_from_slice(BEGINNING);
        bytes.extend_from_slice(&[b'0'; DIGITS]);
        bytes.extend_from_slice(text.as_bytes());
        bytes.resize(bytes.len() + padding, b' ');
        for (_, array) in &arrays {
            array.numbers().encode(&mut bytes);
        }
        let sum = checksum(&bytes);
        if let Some(digits) = bytes.get_mut(DIGITS_AT..DIGITS_AT + DIGITS) {
            digits.copy_from_slice(sum.as_bytes());
        }
        // Check that the written bytes can be read again.
        interpret(&bytes)
            .map_err(|(_, reason)| Error::usage(format!("the model cannot be saved: {reason}")))?;
        Ok(bytes)
    }

    /// Writes the file atomically: completely or not at all, even if the computer crashes.
    pub fn write(&self, path: &Path) -> Result<()> {
        let bytes = self.to_bytes()?;
        write_whole(path, |out| out.write_all(&bytes))
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self> {
        Container::from_bytes(path, &open(path)?)
    }

    /// Reads the bytes of a file of that name.
    pub fn from_bytes(name: impl AsRef<Path>, bytes: &[u8]) -> Result<Self> {
        let name = name.as_ref();
        let fault = |(code, reason): Flaw| {
            let error = Error::parse(Place::file(name), code, reason);
            match code {
                Code::ModelChecksum => error.with_hint("copy the file again from where it was made"),
                Code::ModelVersion => error.with_hint("update this program"),
                _ => error,
            }
        };
        check_sum(bytes).map_err(fault)?;
        let (header, document, data) = interpret(bytes).map_err(fault)?;
        let mut arrays = BTreeMap::new();
        for (array, entry) in header.entries {
            // The layout was checked, so the length matches the shape.
            let own = data.get(entry.start..entry.end).unwrap_or_default();
            let numbers = Numbers::decode(entry.dtype, own);
            arrays.insert(array, Array::new(&entry.shape, numbers)?);
        }
        Ok(Container { document, arrays, name: name.to_owned() })
    }

    /// The document, for reading with errors that give the position.
    pub fn root(&self) -> Field<'_> {
        Field::root(&self.name, &self.document)
    }

    /// A part of the document, or a separate document, for reading with errors that name this file.
    pub fn field<'a>(&'a self, value: &'a Value) -> Field<'a> {
        Field::root(&self.name, value)
    }

    /// The array of that name.
    pub fn array(&self, name: &str) -> Result<&Array> {
        self.arrays
            .get(name)
            .ok_or_else(|| self.fault(Code::ModelSyntax, format!("there is no array {}", shown(name))))
    }

    /// Doubles, finite or not.
    pub fn f64s(&self, name: &str) -> Result<&[f64]> {
        match self.array(name)?.numbers() {
            Numbers::F64(v) => Ok(v),
            other => Err(self.other_type(name, "F64", other)),
        }
    }

    /// Single-precision numbers, finite or not.
    pub fn f32s(&self, name: &str) -> Result<&[f32]> {
        match self.array(name)?.numbers() {
            Numbers::F32(v) => Ok(v),
            other => Err(self.other_type(name, "F32", other)),
        }
    }

    /// Counts and offsets.
    pub fn u64s(&self, name: &str) -> Result<&[u64]> {
        match self.array(name)?.numbers() {
            Numbers::U64(v) => Ok(v),
            other => Err(self.other_type(name, "U64", other)),
        }
    }

    /// Indices and codes.
    pub fn u32s(&self, name: &str) -> Result<&[u32]> {
        match self.array(name)?.numbers() {
            Numbers::U32(v) => Ok(v),
            other => Err(self.other_type(name, "U32", other)),
        }
    }

    /// Bytes.
    pub fn u8s(&self, name: &str) -> Result<&[u8]> {
        match self.array(name)?.numbers() {
            Numbers::U8(v) => Ok(v),
            other => Err(self.other_type(name, "U8", other)),
        }
    }

    /// Doubles, all of them finite.
    pub fn finite(&self, name: &str) -> Result<&[f64]> {
        let values = self.f64s(name)?;
        match values.iter().position(|v| !v.is_finite()) {
            None => Ok(values),
            Some(at) => Err(self.non_finite(name, at, values)),
        }
    }

    /// Doubles, all of them finite and `len` in number.
    pub fn finite_of(&self, name: &str, len: usize) -> Result<&[f64]> {
        let values = self.finite(name)?;
        self.check_len(name, values.len(), len)?;
        Ok(values)
    }

    /// A matrix of finite doubles.
    pub fn matrix(&self, name: &str) -> Result<Dense> {
        let values = self.finite(name)?;
        match self.array(name)?.shape() {
            &[rows, cols] => Dense::new(rows, cols, values.to_vec()),
            shape => {
                Err(self
                    .fault(Code::ModelSyntax, format!("{} of shape {shape:?} is not a matrix", shown(name))))
            }
        }
    }

    /// An error in this model file.
    pub fn fault(&self, code: Code, reason: impl Into<String>) -> Error {
        Error::parse(Place::file(&self.name), code, reason)
    }

    pub(crate) fn check_len(&self, name: &str, found: usize, expected: usize) -> Result<()> {
        if found == expected {
            return Ok(());
        }
        let reason = format!("{} has {found} values, expected {expected}", shown(name));
        Err(self.fault(Code::ModelCount, reason))
    }

    pub(crate) fn non_finite(&self, name: &str, at: usize, values: &[f64]) -> Error {
        let value = values.get(at).copied().unwrap_or(f64::NAN);
        self.fault(Code::ModelNonFinite, format!("value {} of {} is {value}", at + 1, shown(name)))
    }

    fn other_type(&self, name: &str, expected: &str, found: &Numbers) -> Error {
        let reason = format!("{} holds {}, not {expected}", shown(name), found.dtype().name());
        self.fault(Code::ModelSyntax, reason)
    }
}

/// What is wrong with a file.
type Flaw = (Code, String);

/// The checksum of the bytes in hexadecimal, ignoring the digits stored in them.
fn checksum(bytes: &[u8]) -> String {
    let mut hash = Xxh3::new();
    hash.update(bytes.get(..DIGITS_AT).unwrap_or(bytes));
    hash.update(&[b'0'; DIGITS]);
    hash.update(bytes.get(DIGITS_AT + DIGITS..).unwrap_or_default());
    format!("{:032x}", hash.digest128())
}

/// The number of bytes that differ from the fixed beginning of a model file.
fn wrong_bytes(bytes: &[u8]) -> usize {
    let begins = bytes.get(8..).unwrap_or_default();
    begins.iter().zip(BEGINNING).filter(|(a, b)| a != b).count()
}

/// Whether bytes begin like a model file, with at most one damaged byte.
pub(crate) fn looks_like_model(bytes: &[u8]) -> bool {
    bytes.len() >= DIGITS_AT && wrong_bytes(bytes) <= 1
}

/// Distinguishes an intact file from a damaged one and from a file of another format.
fn check_sum(bytes: &[u8]) -> Result<(), Flaw> {
    let wrong = wrong_bytes(bytes);
    // One wrong byte is damage; more mean another file format.
    if wrong > 1 {
        return Err((Code::ModelSyntax, "not a model of this program".into()));
    }
    let Some(digits) = bytes.get(DIGITS_AT..DIGITS_AT + DIGITS) else {
        return Err((
            Code::ModelChecksum,
            format!("truncated: {} bytes are not a complete model", bytes.len()),
        ));
    };
    if wrong > 0 || checksum(bytes).as_bytes() != digits {
        let reason = "damaged: the checksum does not match the content".to_owned();
        return Err((Code::ModelChecksum, reason));
    }
    Ok(())
}

/// The header, the document and the bytes of the arrays, checked except for the checksum.
fn interpret(bytes: &[u8]) -> Result<(Header, Value, &[u8]), Flaw> {
    let syntax = |reason: String| (Code::ModelSyntax, reason);
    let (len, rest) = bytes.split_first_chunk::<8>().ok_or_else(|| syntax("no header".into()))?;
    let len = u64::from_le_bytes(*len);
    if len > MAX_HEADER as u64 {
        return Err(syntax(format!("a header of {len} bytes, above the limit of {MAX_HEADER}")));
    }
    let Some((text, data)) = rest.split_at_checked(len as usize) else {
        return Err(syntax(format!("a header of {len} bytes in a file of {}", bytes.len())));
    };
    let text = std::str::from_utf8(text).map_err(|e| syntax(format!("header: {e}")))?;
    let budget = Budget::new(bytes.len().saturating_mul(2).saturating_add(FLOOR));
    let bad = |what: &str, e: serde_json::Error| {
        let reason: String = e.to_string().chars().filter(|c| !c.is_control()).take(200).collect();
        syntax(format!("{what}: {reason}"))
    };
    let header = header::parse(text, &budget).map_err(|e| bad("header", e))?;
    check_version(&header)?;
    header::check_layout(&header, data.len()).map_err(syntax)?;
    let document = json::parse(entry(&header, "document")?, &budget).map_err(|e| bad("document", e))?;
    Ok((header, document, data))
}

fn entry<'h>(header: &'h Header, name: &str) -> Result<&'h str, Flaw> {
    let missing = || (Code::ModelSyntax, format!("the header has no entry {name}"));
    header.metadata.get(name).map(String::as_str).ok_or_else(missing)
}

fn check_version(header: &Header) -> Result<(), Flaw> {
    let format = entry(header, "format")?;
    if format != FORMAT {
        return Err((Code::ModelSyntax, format!("a file of format {}, not '{FORMAT}'", shown(format))));
    }
    let version = entry(header, "version")?;
    let number = |s: &str| s.bytes().all(|b| b.is_ascii_digit()).then(|| s.parse::<u64>().ok()).flatten();
    let parts = version.split_once('.').and_then(|(major, minor)| Some((number(major)?, number(minor)?)));
    match parts {
        Some((MAJOR, _)) => Ok(()),
        Some((major, _)) if major > MAJOR => {
            let by = header.metadata.get("program").map_or("an unnamed release", String::as_str);
            Err((
                Code::ModelVersion,
                format!(
                    "a model of version {} written by mercer {}; mercer {PROGRAM} reads versions up to {MAJOR}",
                    shown(version),
                    shown(by)
                ),
            ))
        }
        _ => Err((Code::ModelSyntax, format!("{} is not a model version", shown(version)))),
    }
}

#[cfg(test)]
mod tests;
