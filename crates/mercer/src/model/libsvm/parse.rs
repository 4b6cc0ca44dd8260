//! Reads LIBSVM's text format. Counts in the header are checked against the lines and never used to allocate memory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

use super::{KernelType, LibsvmModel, Support, SvmType, pairs};
use crate::data::Sparse;
use crate::error::{Code, Error, Place, Result, shown};
use crate::read::Limits;
use crate::read::number::{self, Number};
use crate::read::text::{Fault, Text};

const KEYS: [&str; 14] = [
    "svm_type",
    "kernel_type",
    "degree",
    "gamma",
    "coef0",
    "nr_class",
    "total_sv",
    "rho",
    "label",
    "probA",
    "probB",
    "prob_density_marks",
    "nr_sv",
    "SV",
];
/// The number of density marks LIBSVM writes.
const MARKS: usize = 10;

pub(super) fn model(name: &Path, bytes: &[u8]) -> Result<LibsvmModel> {
    let limits = Limits { line: usize::MAX, ..Limits::default() };
    let text = Text::new(name, Cow::Borrowed(bytes), &limits)?;
    let all = text.as_str();
    if !all.ends_with('\n') {
        // A truncated number is a number too: only the line end shows that it is complete.
        let reason = "the file ends in the middle of a line";
        let error = Error::parse(text.place(all.len()), Code::Truncated, reason);
        return Err(error.with_hint("if the file is complete, add a line end"));
    }
    let (header, rest) = Header::read(all).map_err(|f| place(&text, name, f))?;
    header.model(all, rest).map_err(|f| place(&text, name, f))
}

/// The offset of faults that concern the whole file.
const NOWHERE: usize = usize::MAX;

fn place(text: &Text<'_>, name: &Path, fault: Fault) -> Error {
    if fault.offset == NOWHERE {
        return Error::parse(Place::file(name), fault.code, fault.reason);
    }
    text.error(fault)
}

/// A word and its offset in the file.
#[derive(Clone, Copy)]
struct Word<'t> {
    at: usize,
    text: &'t str,
}

impl Word<'_> {
    fn fault(&self, code: Code, reason: impl Into<String>) -> Fault {
        Fault::new(self.at, code, reason)
    }

    fn number(&self, text: &str) -> Result<f64, Fault> {
        let word = shown(self.text);
        match number::parse(text) {
            Number::Value(v) => Ok(v),
            Number::NonFinite => {
                Err(self.fault(Code::ModelNonFinite, format!("{word}: values must be finite")))
            }
            Number::Overflow => {
                Err(self.fault(Code::ModelNonFinite, format!("{word} is too large for a double")))
            }
            Number::Bad(why) => {
                Err(self.fault(Code::ModelSyntax, format!("{word} is not a plain number: {why}")))
            }
            Number::Text => Err(self.fault(Code::ModelSyntax, format!("{word} is not a number"))),
        }
    }

    fn whole<T: FromStr>(&self, what: &str) -> Result<T, Fault> {
        self.text
            .parse()
            .map_err(|_| self.fault(Code::ModelSyntax, format!("{} is not a valid {what}", shown(self.text))))
    }
}

/// The words of a line that starts at byte `start`.
fn words(line: &str, start: usize) -> impl Iterator<Item = Word<'_>> {
    line.split_ascii_whitespace().map(move |text| {
        // Words are slices of the line, so pointer differences give their offsets.
        Word { at: start + (text.as_ptr() as usize - line.as_ptr() as usize), text }
    })
}

/// The lines before the support vectors: the start of each, and its words after the first.
struct Header<'t> {
    lines: BTreeMap<&'t str, (usize, &'t str)>,
}

impl<'t> Header<'t> {
    /// The header, and the offset of the support vectors.
    fn read(all: &'t str) -> Result<(Self, usize), Fault> {
        let mut lines = BTreeMap::new();
        let mut at = 0;
        for line in all.split_inclusive('\n') {
            let start = at;
            at += line.len();
            let Some(key) = words(line, start).next() else { continue };
            if !KEYS.contains(&key.text) {
                return Err(key.fault(Code::ModelSyntax, format!("unknown entry {}", shown(key.text))));
            }
            let rest = key.at - start + key.text.len();
            if lines.insert(key.text, (start + rest, line.get(rest..).unwrap_or(""))).is_some() {
                return Err(key.fault(Code::ModelSyntax, format!("duplicate entry {}", key.text)));
            }
            if key.text == "SV" {
                let header = Header { lines };
                return if header.words("SV")?.is_empty() {
                    Ok((header, at))
                } else {
                    Err(key.fault(Code::ModelSyntax, "SV must be alone on its line"))
                };
            }
        }
        Err(missing("SV"))
    }

    fn has(&self, key: &str) -> bool {
        self.lines.contains_key(key)
    }

    fn words(&self, key: &str) -> Result<Vec<Word<'t>>, Fault> {
        let (start, line) = self.lines.get(key).ok_or_else(|| missing(key))?;
        Ok(words(line, *start).collect())
    }

    fn fault(&self, key: &str, code: Code, reason: impl Into<String>) -> Fault {
        // Report the end of the key, where the values are missing.
        Fault::new(self.lines.get(key).map_or(NOWHERE, |(start, _)| *start), code, reason)
    }

    fn one(&self, key: &str) -> Result<Word<'t>, Fault> {
        match self.words(key)?.as_slice() {
            [word] => Ok(*word),
            [] => Err(self.fault(key, Code::ModelSyntax, format!("no value after {key}"))),
            [_, more, ..] => Err(more.fault(Code::ModelSyntax, format!("more than one value after {key}"))),
        }
    }

    fn named<T: Copy>(&self, key: &str, all: &[T], name: fn(T) -> &'static str) -> Result<T, Fault> {
        let word = self.one(key)?;
        all.iter().copied().find(|v| name(*v) == word.text).ok_or_else(|| {
            let known: Vec<_> = all.iter().map(|v| name(*v)).collect();
            word.fault(Code::ModelSyntax, format!("{key} {}: none of {}", shown(word.text), known.join(", ")))
        })
    }

    fn many<T>(
        &self,
        key: &str,
        count: Option<usize>,
        read: impl Fn(Word<'t>) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let words = self.words(key)?;
        if count != Some(words.len()) {
            let needed = count.map_or("too many".to_owned(), |n| n.to_string());
            let reason = format!("{} values after {key}, expected {needed}", words.len());
            return Err(self.fault(key, Code::ModelCount, reason));
        }
        words.into_iter().map(read).collect()
    }

    fn maybe<T>(
        &self,
        key: &str,
        needed: bool,
        read: impl Fn(&Self) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        if needed || self.has(key) { read(self).map(Some) } else { Ok(None) }
    }

    fn model(&self, all: &str, vectors_at: usize) -> Result<LibsvmModel, Fault> {
        let svm_type = self.named("svm_type", SvmType::ALL, SvmType::name)?;
        let kernel_type = self.named("kernel_type", KernelType::ALL, KernelType::name)?;
        let classes = svm_type.is_classifier();
        let polynomial = kernel_type == KernelType::Polynomial;
        let has_constant = polynomial || kernel_type == KernelType::Sigmoid;
        let number = |key: &'static str| {
            move |h: &Self| {
                let word = h.one(key)?;
                word.number(word.text)
            }
        };
        let degree = self.maybe("degree", polynomial, |h| h.one("degree")?.whole("degree"))?;
        let gamma = self.maybe("gamma", has_constant || kernel_type == KernelType::Rbf, number("gamma"))?;
        let coef0 = self.maybe("coef0", has_constant, number("coef0"))?;

        let nr_class: usize = self.one("nr_class")?.whole("number of classes")?;
        if nr_class == 0 || !classes && nr_class != 2 {
            let reason = format!("{nr_class} classes in a model of type {}", svm_type.name());
            return Err(self.fault("nr_class", Code::ModelCount, reason));
        }
        let total_sv: usize = self.one("total_sv")?.whole("number of support vectors")?;
        let values = |key: &'static str, count: Option<usize>| {
            move |h: &Self| h.many(key, count, |w| w.number(w.text))
        };
        let label =
            self.maybe("label", classes, |h| h.many("label", Some(nr_class), |w| w.whole("label")))?;
        if let Some(mut sorted) = label.clone() {
            sorted.sort_unstable();
            if sorted.windows(2).any(|w| w[0] == w[1]) {
                return Err(self.fault("label", Code::ModelSyntax, "duplicate label"));
            }
        }
        let rho = values("rho", pairs(nr_class))(self)?;
        let prob_a = self.maybe("probA", false, values("probA", pairs(nr_class)))?;
        let prob_b = self.maybe("probB", false, values("probB", pairs(nr_class)))?;
        let prob_density_marks =
            self.maybe("prob_density_marks", false, values("prob_density_marks", Some(MARKS)))?;
        let nr_sv: Option<Vec<usize>> = self.maybe("nr_sv", classes, |h| {
            h.many("nr_sv", Some(nr_class), |w| w.whole("number of support vectors"))
        })?;
        if let Some(each) = &nr_sv
            && each.iter().try_fold(0usize, |sum, n| sum.checked_add(*n)) != Some(total_sv)
        {
            let reason = format!("nr_sv does not add up to total_sv, which is {total_sv}");
            return Err(self.fault("nr_sv", Code::ModelCount, reason));
        }
        // Coefficients are stored only after the labels or the SVM type have confirmed the number of classes.
        let mut lines = Lines::new(nr_class - 1, kernel_type == KernelType::Precomputed);
        lines.read(self, all, vectors_at, total_sv)?;
        let (coefficients, support) = lines.finish()?;
        Ok(LibsvmModel {
            svm_type,
            kernel_type,
            degree,
            gamma,
            coef0,
            nr_class,
            rho,
            label,
            prob_a,
            prob_b,
            prob_density_marks,
            nr_sv,
            coefficients,
            support,
        })
    }
}

fn missing(key: &str) -> Fault {
    Fault::new(NOWHERE, Code::ModelSyntax, format!("the model has no line {key}"))
}

/// The support vectors read so far. Indices are those of the file.
struct Lines {
    coefficients: Vec<Vec<f64>>,
    precomputed: bool,
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    serial: Vec<u32>,
}

impl Lines {
    fn new(rows: usize, precomputed: bool) -> Self {
        let (indices, values, serial) = (Vec::new(), Vec::new(), Vec::new());
        Lines { coefficients: vec![Vec::new(); rows], precomputed, offsets: vec![0], indices, values, serial }
    }

    fn read(&mut self, header: &Header<'_>, all: &str, mut at: usize, total: usize) -> Result<(), Fault> {
        let mut count = 0;
        for line in all.get(at..).unwrap_or("").split_inclusive('\n') {
            if count < total {
                self.line(line, at)?;
                count += 1;
            } else if let Some(word) = words(line, at).next() {
                let reason = format!("a line after all {total} support vectors");
                return Err(word.fault(Code::ModelCount, reason));
            }
            at += line.len();
        }
        if count < total {
            let reason = format!("total_sv is {total}, but there are {count} support vectors");
            return Err(header.fault("total_sv", Code::ModelCount, reason));
        }
        Ok(())
    }

    fn line(&mut self, line: &str, start: usize) -> Result<(), Fault> {
        let mut words = words(line, start);
        for row in &mut self.coefficients {
            let Some(word) = words.next() else {
                return Err(Fault::new(start, Code::ModelSyntax, "a coefficient is missing"));
            };
            row.push(word.number(word.text)?);
        }
        if self.precomputed {
            let serial = words.next().filter(|w| w.text.starts_with("0:"));
            let Some(word) = serial else {
                let reason = "a support vector of precomputed similarities is 0:number";
                return Err(Fault::new(start, Code::ModelSyntax, reason));
            };
            let value = word.number(word.text.get(2..).unwrap_or(""))?;
            if !(value >= 1.0 && value <= f64::from(i32::MAX) && value.fract() == 0.0) {
                return Err(
                    word.fault(Code::ModelSyntax, format!("{} is not an object number", shown(word.text)))
                );
            }
            self.serial.push(value as u32);
            return match words.next() {
                None => Ok(()),
                Some(more) => Err(more.fault(Code::ModelSyntax, "unexpected value after the object number")),
            };
        }
        let mut last = None;
        for word in words {
            let Some((index, value)) = word.text.split_once(':') else {
                let reason = format!("{} is not index:value", shown(word.text));
                return Err(word.fault(Code::ModelSyntax, reason));
            };
            let digits = index.bytes().all(|b| b.is_ascii_digit());
            let Some(index) = index.parse::<u32>().ok().filter(|_| digits) else {
                return Err(word.fault(Code::ModelSyntax, format!("{} has no index", shown(word.text))));
            };
            let limit = Limits::default().dim;
            if u64::from(index) > limit {
                let reason = format!("index {index} is above the limit of {limit} features");
                return Err(word.fault(Code::DimLimit, reason));
            }
            if last.is_some_and(|last| index <= last) {
                return Err(word.fault(Code::ModelSyntax, format!("index {index}: indices must ascend")));
            }
            last = Some(index);
            self.values.push(word.number(value)?);
            self.indices.push(index);
        }
        self.offsets.push(self.indices.len());
        Ok(())
    }

    fn finish(mut self) -> Result<(Vec<Vec<f64>>, Support), Fault> {
        if self.precomputed {
            return Ok((self.coefficients, Support::Serial(self.serial)));
        }
        let index_base = u32::from(!self.indices.contains(&0));
        self.indices.iter_mut().for_each(|i| *i -= index_base);
        let dim = self.indices.iter().max().map_or(0, |&i| i as usize + 1);
        let vectors = Sparse::new(dim, self.offsets, self.indices, self.values)
            .map_err(|e| Fault::new(NOWHERE, Code::ModelSyntax, e.to_string()))?;
        Ok((self.coefficients, Support::Vectors { vectors, index_base }))
    }
}
