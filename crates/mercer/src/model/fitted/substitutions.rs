//! What a prediction would be if one symbol of a string were another.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Model;
use crate::data::{Alphabet, Column, Dataset, Target, Values};
use crate::error::{Error, Result};
use crate::gram::{Engine, Silent};
use crate::learn::Prediction;

/// Alphabets with more symbols than this are not tried symbol by symbol.
const MOST_SYMBOLS: usize = 64;
/// The number of symbols of the variants that are predicted together.
const AT_ONCE: usize = 1 << 20;

/// The value of a model for every string that differs from one object in one symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct Substitutions {
    /// The column of strings.
    pub column: String,
    /// What the values are: `prediction`, `probability of a`, or the name of a decision value, `a|b` (above 0 for class b).
    pub meaning: String,
    /// The value of the object itself.
    pub value: f64,
    /// The symbols of the object.
    pub symbols: Vec<char>,
    /// The symbols that replace them, ascending.
    pub alphabet: Vec<char>,
    /// The change of the value for each position (rows) and each symbol of the alphabet; 0 for the symbol that is there.
    pub changes: Vec<Vec<f64>>,
}

impl Substitutions {
    /// The `most` substitutions with the largest changes, as position (from 0), new symbol and change.
    pub fn largest(&self, most: usize) -> Vec<(usize, char, f64)> {
        let mut all: Vec<(usize, char, f64)> = Vec::new();
        for (position, row) in self.changes.iter().enumerate() {
            let others = self.alphabet.iter().zip(row).filter(|(to, _)| !same(**to, self.symbols[position]));
            all.extend(others.map(|(&to, &change)| (position, to, change)));
        }
        all.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()).then((a.0, a.1).cmp(&(b.0, b.1))));
        all.truncate(most);
        all
    }
}

fn same(a: char, b: char) -> bool {
    a.eq_ignore_ascii_case(&b)
}

impl Model {
    /// Predicts every string that differs from an object's in one symbol: which positions carry the prediction, and which
    /// variants would change it.
    ///
    /// The model must use one column of strings. The symbols are those of the alphabet of the data (DNA, RNA, proteins), or
    /// those that occur in it. Values are predicted numbers, the decision value of two classes, or the probability of the
    /// class predicted for the object itself. Cost: one prediction for each position and each other symbol.
    ///
    /// ```
    /// use mercer::data::{Column, Dataset, Target, Values};
    /// use mercer::{gram::Engine, model::Model};
    /// let strings = |all: &[&str]| {
    ///     let all = all.iter().map(|s| Some(s.to_string())).collect();
    ///     Dataset::new(vec![Column::new("dna", Values::Strings(all))])
    /// };
    /// let data = strings(&["ACGT", "ACGA", "TTGT", "TTGA"])?;
    /// let data = data.with_target("y", Target::Numbers(vec![1.0, 1.0, 0.0, 0.0]))?;
    /// let (kernel, learner) = ("weighted-degree(d=2)".parse()?, "ridge(lambda=0.1)".parse()?);
    /// let model = Model::fit(&data, &kernel, &learner, 0, &Engine::new())?;
    /// let found = model.substitutions(&data, 0, &Engine::new())?;
    /// assert_eq!((found.alphabet.len(), found.changes.len()), (4, 4));
    /// // What tells the two groups apart is the beginning.
    /// assert!(found.largest(1)[0].0 < 2 && found.largest(1)[0].2 < 0.0);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn substitutions(&self, data: &Dataset, object: usize, engine: &Engine) -> Result<Substitutions> {
        let (column, strings) = self.strings_of(data)?;
        let Some(Some(text)) = strings.get(object) else {
            return Err(Error::Object {
                index: object,
                reason: "has no string whose symbols could be replaced".into(),
                hint: None,
            });
        };
        let symbols: Vec<char> = text.chars().collect();
        // New strings may have only some of the symbols: those of the training set tell what the alphabet is.
        let known = match self.stored_objects().column(&column).map(|c| &c.values) {
            Ok(Values::Strings(known)) => known.as_slice(),
            _ => &[],
        };
        let alphabet = alphabet(known, strings)?;
        let engine = engine.clone().with_progress(Arc::new(Silent));
        let own = self.predict(&data.select(&[object]), &engine)?;
        let (meaning, read) = reading(&own)?;
        let value = read(&own, 0);
        let others = |position: usize| {
            (0..alphabet.len()).filter(|&s| !same(alphabet[s], symbols[position])).collect::<Vec<usize>>()
        };
        let variant = |position: usize, s: usize| {
            let mut text = symbols.clone();
            text[position] = like(alphabet[s], symbols[position]);
            Some(text.into_iter().collect::<String>())
        };
        let mut changes = vec![vec![0.0; alphabet.len()]; symbols.len()];
        // Many positions at once, as long as their variants are not too large together.
        let at_once = (AT_ONCE / (alphabet.len() * symbols.len()).max(1)).max(1);
        let positions: Vec<usize> = (0..symbols.len()).collect();
        for chunk in positions.chunks(at_once) {
            engine.budget().check()?;
            let places: Vec<(usize, usize)> =
                chunk.iter().flat_map(|&p| others(p).into_iter().map(move |s| (p, s))).collect();
            let variants: Vec<Option<String>> = places.iter().map(|&(p, s)| variant(p, s)).collect();
            let set = data.select(&vec![object; places.len()]);
            let columns = set.columns().iter().map(|c| match c.name == column {
                true => Column::new(&c.name, Values::Strings(variants.clone())),
                false => c.clone(),
            });
            let set = set.with_columns(columns.collect())?;
            let found = self.predict(&set, &engine)?;
            places.iter().enumerate().for_each(|(at, &(p, s))| changes[p][s] = read(&found, at) - value);
        }
        Ok(Substitutions { column, meaning, value, symbols, alphabet, changes })
    }

    /// The one column of strings that the model uses.
    fn strings_of<'d>(&self, data: &'d Dataset) -> Result<(String, &'d [Option<String>])> {
        let used = self.stored_objects().columns().iter().filter(|c| matches!(c.values, Values::Strings(_)));
        let names: Vec<&str> = used.map(|c| c.name.as_str()).collect();
        let [name] = names[..] else {
            let reason = match names.len() {
                0 => "the model uses no strings, whose symbols could be replaced".to_owned(),
                n => format!("the model uses {n} columns of strings ({}), expected one", names.join(", ")),
            };
            return Err(Error::usage(reason));
        };
        match &data.column(name)?.values {
            Values::Strings(strings) => Ok((name.to_owned(), strings)),
            other => Err(Error::Column {
                name: name.to_owned(),
                reason: format!("holds {}, not strings", other.kind()),
                hint: None,
            }),
        }
    }
}

/// In the case of the symbol that it replaces.
fn like(symbol: char, other: char) -> char {
    if other.is_lowercase() { symbol.to_ascii_lowercase() } else { symbol }
}

/// The symbols that strings of a training set and others are made of.
fn alphabet(known: &[Option<String>], strings: &[Option<String>]) -> Result<Vec<char>> {
    let symbols = || known.iter().chain(strings).flatten().flat_map(|s| s.chars());
    let known = match Alphabet::infer(symbols()) {
        Alphabet::Dna => "ACGT",
        Alphabet::Rna => "ACGU",
        Alphabet::Protein => "ACDEFGHIKLMNPQRSTVWY",
        Alphabet::Unicode | Alphabet::Bytes => "",
    };
    if !known.is_empty() {
        return Ok(known.chars().collect());
    }
    let found: BTreeSet<char> = symbols().collect();
    match found.len() {
        0..=MOST_SYMBOLS => Ok(found.into_iter().collect()),
        n => Err(Error::usage(format!(
            "the strings have {n} different symbols, and substitutions are tried for at most {MOST_SYMBOLS}"
        ))),
    }
}

/// Takes the value of one object from a prediction.
type Read = Box<dyn Fn(&Prediction, usize) -> f64>;

/// What a value is, and how to take it from a prediction like this one.
fn reading(own: &Prediction) -> Result<(String, Read)> {
    if let Some(Target::Numbers(_)) = &own.target {
        let read = |p: &Prediction, i: usize| match &p.target {
            Some(Target::Numbers(values)) => values[i],
            _ => f64::NAN,
        };
        return Ok(("prediction".into(), Box::new(read)));
    }
    if let [one] = &own.columns[..] {
        return Ok((one.clone(), Box::new(|p, i| p.decisions.at(i, 0))));
    }
    let class = own.class(0).map(str::to_owned);
    let code = match &own.target {
        Some(Target::Classes(classes)) => classes.code(0),
        _ => None,
    };
    if let (Some(class), Some(code), Some(_)) = (&class, code, &own.probabilities) {
        let read = move |p: &Prediction, i: usize| {
            p.probabilities.as_ref().map_or(f64::NAN, |all| all.at(i, code as usize))
        };
        return Ok((format!("probability of {class}"), Box::new(read)));
    }
    match class.and_then(|class| own.columns.iter().position(|c| *c == class)) {
        Some(column) => Ok((own.columns[column].clone(), Box::new(move |p, i| p.decisions.at(i, column)))),
        None => Err(Error::usage(
            "the model has several decision values and no probabilities: which should change is not clear; fit it with \
             probabilities",
        )),
    }
}
