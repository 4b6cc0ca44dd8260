//! Converts the cells of a table to typed columns. Rows of every format are checked and split into values here.

use std::borrow::Cow;
use std::collections::btree_map::{BTreeMap, Entry};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::Missing;
use super::form::{self, is_nan, is_placeholder};
use super::number::{self, Number};
use super::roles::{self, Role};
use super::text::{Fault, shown};
use crate::budget;
use crate::data::{Categories, CellForm, Kind};
use crate::error::{Code, Error, Warning};

/// One field of a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cell<'t> {
    /// Byte offset of the cell in the text.
    pub(super) offset: usize,
    pub(super) text: Cow<'t, str>,
    pub(super) quoted: bool,
}

/// How a column is read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ColumnPlan {
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) kind: Kind,
    /// The only values allowed, if the format declares them.
    pub(super) declared: Option<Arc<HashSet<String>>>,
    /// How numbers and times are written.
    pub(super) form: CellForm,
    /// Whether cells of another form are missing values, which are counted, instead of errors.
    pub(super) lenient: bool,
}

/// The buffer that receives the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sink {
    Skip,
    /// Plain numbers.
    Numbers,
    /// Numbers and times in another form.
    Formed,
    Names,
    Strings,
}

impl ColumnPlan {
    pub(super) fn sink(&self) -> Sink {
        match (self.role, self.kind) {
            (Role::Ignore, _) => Sink::Skip,
            (Role::Id, _) => Sink::Strings,
            (Role::Group, _) => Sink::Names,
            (Role::Weight, _) => Sink::Numbers,
            (_, Kind::Numbers | Kind::Times) if self.form == CellForm::Plain => Sink::Numbers,
            (_, Kind::Numbers | Kind::Times) => Sink::Formed,
            (Role::Target, _) | (_, Kind::Categories) => Sink::Names,
            _ => Sink::Strings,
        }
    }
}

/// How the rows of a table are split into values.
pub(super) struct Plan {
    pub(super) columns: Vec<ColumnPlan>,
    pub(super) missing: Missing,
    /// Whether the value of a cell is missing.
    pub(super) absent: Absent,
    /// The sink of each column, copied here because the inner loop reads nothing else.
    sinks: Vec<Sink>,
    /// Whether plain numbers are remembered as such, because other numbers of the table are written otherwise.
    pub(super) marked: bool,
    /// The index of the weight column.
    weight: Option<usize>,
    /// The index of the target column.
    target: Option<usize>,
    /// Bytes per row, without its texts.
    row: usize,
    /// Additional bytes for the first row of a part: a buffer and a table for each column of names or strings.
    pub(super) first_row: usize,
}

/// Which cells hold no value.
#[derive(Debug, Clone)]
pub(super) struct Absent {
    /// The rule of the format.
    pub(super) rule: fn(&Cell<'_>) -> bool,
    /// Further words, in any case.
    words: Vec<String>,
    /// Those of them that are numbers, such as -999: they are compared as numbers.
    numbers: Vec<f64>,
}

impl Absent {
    /// The rule of a format, without further words.
    pub(super) fn by(rule: fn(&Cell<'_>) -> bool) -> Self {
        Absent::with(rule, &[])
    }

    /// The rule of a format, and further words.
    pub(super) fn with(rule: fn(&Cell<'_>) -> bool, words: &[String]) -> Self {
        let number = |word: &String| match number::parse(word.trim()) {
            Number::Value(v) => Some(v),
            _ => None,
        };
        Absent { rule, words: words.to_vec(), numbers: words.iter().filter_map(number).collect() }
    }

    /// Whether a number stands for a missing value.
    #[inline]
    fn is_number(&self, value: f64) -> bool {
        !self.numbers.is_empty() && self.numbers.contains(&value)
    }

    pub(super) fn is(&self, cell: &Cell<'_>) -> bool {
        let word = |word: &String| word.eq_ignore_ascii_case(cell.text.trim());
        let number =
            || matches!(number::parse(cell.text.trim()), Number::Value(v) if self.numbers.contains(&v));
        (self.rule)(cell)
            || !self.words.is_empty() && (self.words.iter().any(word) || !self.numbers.is_empty() && number())
    }
}

/// Cells of a column that are not of its form.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Odd {
    pub(super) count: usize,
    /// The first one and its offset.
    pub(super) offset: usize,
    pub(super) text: String,
    /// Whether one of them is a date in another order, or a number with another decimal mark.
    pub(super) otherwise: bool,
}

/// Odd cells by column.
pub(super) type Odds = BTreeMap<usize, Odd>;

impl Plan {
    pub(super) fn new(columns: Vec<ColumnPlan>, missing: Missing, absent: Absent) -> Self {
        let sinks = columns.iter().map(ColumnPlan::sink).collect();
        let weight = columns.iter().position(|c| c.role == Role::Weight);
        let target = columns.iter().position(|c| c.role == Role::Target);
        let mut plan =
            Plan { columns, missing, absent, sinks, marked: false, weight, target, row: 0, first_row: 0 };
        let (names, strings) = (plan.count(Sink::Names), plan.count(Sink::Strings));
        plan.row = 8 * plan.numeric() + 4 * names + 24 * strings;
        plan.first_row = 208 * names + 128 * strings;
        plan
    }

    pub(super) fn count(&self, sink: Sink) -> usize {
        self.sinks.iter().filter(|s| **s == sink).count()
    }

    /// The number of columns stored as numbers.
    pub(super) fn numeric(&self) -> usize {
        self.count(Sink::Numbers) + self.count(Sink::Formed)
    }
}

/// Names encoded as integers, in order of first appearance.
#[derive(Debug, Default)]
pub(super) struct Names {
    codes: Vec<u32>,
    known: HashMap<String, u32>,
}

impl Names {
    /// Returns the bytes needed for a name not seen before, else 0.
    fn push(&mut self, name: Option<&str>) -> usize {
        let known = self.known.len();
        let code = match name {
            None => Categories::MISSING,
            Some(name) => self.code(name),
        };
        self.codes.push(code);
        // A hash table entry, at a load of possibly less than one half, and the text.
        if self.known.len() > known { 72 + allocated(name) } else { 0 }
    }

    fn code(&mut self, name: &str) -> u32 {
        if let Some(&code) = self.known.get(name) {
            return code;
        }
        let code = self.known.len() as u32;
        self.known.insert(name.to_owned(), code);
        code
    }

    fn levels(known: HashMap<String, u32>) -> Vec<String> {
        let mut levels: Vec<_> = known.into_iter().collect();
        levels.sort_unstable_by_key(|(_, code)| *code);
        levels.into_iter().map(|(name, _)| name).collect()
    }

    /// Appends the values of a later part, which has its own codes.
    fn append(&mut self, later: Names) {
        let map: Vec<u32> = Names::levels(later.known).iter().map(|name| self.code(name)).collect();
        let own = |code: u32| map.get(code as usize).copied().unwrap_or(Categories::MISSING);
        self.codes.extend(later.codes.into_iter().map(own));
    }

    pub(super) fn finish(self) -> Categories {
        Categories::from_codes(self.codes, Names::levels(self.known))
    }
}

/// Bytes an allocator takes for a copy of the text.
fn allocated(text: Option<&str>) -> usize {
    match text {
        None | Some("") => 0,
        Some(text) => (text.len() + 24) & !15,
    }
}

/// The values of consecutive rows.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) rows: usize,
    pub(super) dropped: usize,
    /// The number of rows without a target, and where the first of them are.
    pub(super) unlabelled: (usize, Vec<usize>),
    /// Row-major while rows are pushed, column-major after [`Part::seal`].
    numbers: Vec<f64>,
    names: Vec<Names>,
    strings: Vec<Vec<Option<String>>>,
    /// Bytes of the stored texts, whose length varies.
    texts: usize,
    odd: Odds,
}

impl Part {
    pub(super) fn new(plan: &Plan) -> Self {
        let names = std::iter::repeat_with(Names::default).take(plan.count(Sink::Names)).collect();
        Part { names, strings: vec![Vec::new(); plan.count(Sink::Strings)], ..Part::default() }
    }

    /// Adds a row. There must be one cell per column.
    pub(super) fn push(&mut self, plan: &Plan, cells: &[Cell<'_>]) -> Result<(), Fault> {
        if plan.missing == Missing::Drop && plan.lacks_a_value(cells) {
            self.dropped += 1;
            return Ok(());
        }
        if let Some(cell) = plan.target.and_then(|j| cells.get(j))
            && plan.absent.is(cell)
        {
            self.unlabelled.0 += 1;
            if self.unlabelled.1.len() < SHOWN {
                self.unlabelled.1.push(cell.offset);
            }
        }
        let (mut names, mut strings) = (self.names.iter_mut(), self.strings.iter_mut());
        let before = self.numbers.len();
        for (j, (sink, cell)) in plan.sinks.iter().zip(cells).enumerate() {
            match sink {
                Sink::Numbers => self.numbers.push(plan.number(j, cell, &mut self.odd)?),
                Sink::Formed => self.numbers.push(plan.formed(j, cell, &mut self.odd)?),
                Sink::Names => {
                    let name = plan.name(j, cell)?;
                    if let Some(column) = names.next() {
                        self.texts += column.push(name);
                    }
                }
                Sink::Strings => {
                    let value = plan.name(j, cell)?;
                    if let Some(column) = strings.next() {
                        self.texts += allocated(value);
                        column.push(value.map(str::to_owned));
                    }
                }
                Sink::Skip => {}
            }
        }
        self.rows += 1;
        if plan.missing == Missing::Drop && self.numbers[before..].iter().any(|v| v.is_nan()) {
            self.take_back(before);
        }
        Ok(())
    }

    /// Leaves out the last row, because an odd cell is a missing value.
    fn take_back(&mut self, numbers: usize) {
        self.numbers.truncate(numbers);
        for column in &mut self.names {
            column.codes.pop();
        }
        for column in &mut self.strings {
            column.pop();
        }
        self.rows -= 1;
        self.dropped += 1;
    }

    /// Bytes used while rows are pushed and sealed: growing buffers and numbers being transposed may exist twice.
    #[inline]
    pub(super) fn held(&self, plan: &Plan) -> usize {
        plan.first_row + 2 * self.rows * plan.row + self.texts
    }

    /// Bytes used once sealed.
    pub(super) fn kept(&self, plan: &Plan) -> usize {
        plan.first_row + self.rows * plan.row + self.texts
    }

    /// Transposes numbers from rows to columns and frees unused capacity. Each thread does this for its own part, while
    /// the part is in its cache.
    #[must_use]
    pub(super) fn seal(mut self, plan: &Plan) -> Self {
        const BLOCK: usize = 32;
        let width = plan.numeric();
        if width > 1 && self.rows > 1 {
            let mut transposed = vec![0.0; self.numbers.len()];
            for (b, block) in self.numbers.chunks(BLOCK * width).enumerate() {
                for (j, column) in transposed.chunks_mut(self.rows).enumerate() {
                    let out = column.iter_mut().skip(b * BLOCK);
                    for (o, v) in out.zip(block.iter().skip(j).step_by(width)) {
                        *o = *v;
                    }
                }
            }
            self.numbers = transposed;
        }
        self.numbers.shrink_to_fit();
        self.names.iter_mut().for_each(|column| column.codes.shrink_to_fit());
        self.strings.iter_mut().for_each(Vec::shrink_to_fit);
        self
    }

    /// Numeric column j, after sealing.
    fn column(&self, j: usize) -> &[f64] {
        self.numbers.get(j * self.rows..(j + 1) * self.rows).unwrap_or(&[])
    }
}

/// The values of all rows by sink, in column order.
pub(super) struct Joined {
    pub(super) rows: usize,
    pub(super) dropped: usize,
    /// The number of rows without a target, and where the first of them are.
    pub(super) unlabelled: (usize, Vec<usize>),
    pub(super) numbers: Vec<Vec<f64>>,
    pub(super) names: Vec<Names>,
    pub(super) strings: Vec<Vec<Option<String>>>,
    pub(super) odd: Odds,
}

/// The number of rows without a target whose lines a warning names.
const SHOWN: usize = 5;

impl Joined {
    /// A warning with the number of rows without a target and the lines of the first, given the line of an offset.
    pub(super) fn without_target(&self, plan: &Plan, line: impl Fn(usize) -> u64) -> Option<Warning> {
        let (count, first) = &self.unlabelled;
        let name = &plan.columns.get(plan.target?)?.name;
        let lines: Vec<String> = first.iter().map(|&offset| line(offset).to_string()).collect();
        roles::unlabelled(*count, self.rows, name, "line", &lines)
    }
}

/// The number of parts that are copied before they are freed.
const BATCH: usize = 64;

/// Concatenates sealed parts and frees them in batches, so that the values never exist twice.
pub(super) fn join(parts: Vec<Part>, plan: &Plan) -> Result<Joined, Error> {
    let rows = parts.iter().map(|p| p.rows).sum();
    budget::ask("the columns of a table", (rows as u64).saturating_mul(8 * plan.numeric() as u64))?;
    let empty = Part::new(plan);
    let mut numbers: Vec<Vec<f64>> = vec![Vec::new(); plan.numeric()];
    numbers.iter_mut().for_each(|column| column.reserve_exact(rows));
    let (names, strings) = (empty.names, empty.strings);
    let mut out =
        Joined { rows, dropped: 0, unlabelled: (0, Vec::new()), numbers, names, strings, odd: Odds::new() };
    let mut parts = parts.into_iter();
    loop {
        budget::check()?;
        let batch: Vec<Part> = parts.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        out.numbers.par_iter_mut().enumerate().for_each(|(j, column)| {
            for part in &batch {
                column.extend_from_slice(part.column(j));
            }
        });
        for part in batch {
            out.dropped += part.dropped;
            for (j, odd) in part.odd {
                // Parts are in order, so that the first cell stays the first.
                match out.odd.entry(j) {
                    Entry::Vacant(free) => drop(free.insert(odd)),
                    Entry::Occupied(mut known) => {
                        let known = known.get_mut();
                        known.count += odd.count;
                        known.otherwise |= odd.otherwise;
                    }
                }
            }
            out.unlabelled.0 += part.unlabelled.0;
            out.unlabelled.1.extend(part.unlabelled.1);
            out.unlabelled.1.truncate(SHOWN);
            out.names.iter_mut().zip(part.names).for_each(|(column, piece)| column.append(piece));
            out.strings.iter_mut().zip(part.strings).for_each(|(column, piece)| column.extend(piece));
        }
    }
    Ok(out)
}

impl Plan {
    /// Checks a row like [`Part::push`], but stores nothing.
    pub(super) fn check(&self, cells: &[Cell<'_>]) -> Result<(), Fault> {
        if self.missing == Missing::Drop && self.lacks_a_value(cells) {
            return Ok(());
        }
        let mut odd = Odds::new();
        for (j, (sink, cell)) in self.sinks.iter().zip(cells).enumerate() {
            match sink {
                Sink::Numbers => drop(self.number(j, cell, &mut odd)?),
                Sink::Formed => drop(self.formed(j, cell, &mut odd)?),
                Sink::Names | Sink::Strings => drop(self.name(j, cell)?),
                Sink::Skip => {}
            }
        }
        Ok(())
    }

    /// The number in a cell; NaN if it is missing and may be.
    #[inline]
    fn number(&self, j: usize, cell: &Cell<'_>, odd: &mut Odds) -> Result<f64, Fault> {
        match number::parse(&cell.text) {
            Number::Value(v) if (v >= 0.0 || self.weight != Some(j)) && !self.absent.is_number(v) => Ok(v),
            other => self.unusual(j, cell, other, odd),
        }
    }

    /// The number in a cell of a column with another form; NaN if it is missing and may be.
    fn formed(&self, j: usize, cell: &Cell<'_>, odd: &mut Odds) -> Result<f64, Fault> {
        let form = self.columns.get(j).map_or(CellForm::Plain, |column| column.form);
        match form::read(form, &cell.text) {
            Some(value) if !self.absent.is_number(value) => Ok(value),
            Some(_) => self.missing_number(j, cell),
            None => self.unusual(j, cell, Number::Text, odd),
        }
    }

    /// A number that stands for a missing value.
    #[cold]
    fn missing_number(&self, j: usize, cell: &Cell<'_>) -> Result<f64, Fault> {
        match self.columns.get(j) {
            Some(column) => self.missing(column, cell).map(|()| f64::NAN),
            None => Ok(f64::NAN),
        }
    }

    fn lacks_a_value(&self, cells: &[Cell<'_>]) -> bool {
        let matters = |c: &ColumnPlan| !matches!(c.role, Role::Ignore | Role::Id);
        self.columns.iter().zip(cells).any(|(column, cell)| self.absent.is(cell) && matters(column))
    }

    /// Handles a cell without an ordinary number: a missing value, an odd cell, or an error.
    #[cold]
    fn unusual(&self, j: usize, cell: &Cell<'_>, found: Number, odd: &mut Odds) -> Result<f64, Fault> {
        let Some(column) = self.columns.get(j) else { return Ok(f64::NAN) };
        // NaN is no label: an object whose label was lost is an error, one without a label is set aside.
        let placeholder =
            |text: &str| is_placeholder(text) && (column.role == Role::Feature || !is_nan(text));
        if self.absent.is(cell) || column.lenient && placeholder(&cell.text) {
            return self.missing(column, cell).map(|()| f64::NAN);
        }
        // Targets and weights must be numbers: without them the object would be lost.
        if column.lenient && column.role == Role::Feature && self.missing != Missing::Refuse {
            let new = || Odd { count: 0, offset: cell.offset, text: cell.text.to_string(), otherwise: false };
            let own = odd.entry(j).or_insert_with(new);
            own.count += 1;
            own.otherwise = own.otherwise || form::is_otherwise(column.form, &cell.text);
            return Ok(f64::NAN);
        }
        let (name, value) = (&column.name, shown(&cell.text));
        let fault = |code, reason: String| Err(Fault::new(cell.offset, code, reason));
        let is_target = column.role == Role::Target;
        match found {
            Number::Value(_) => fault(Code::Param, format!("weight {value} in '{name}': must be at least 0")),
            Number::NonFinite if is_target => {
                fault(Code::Label, format!("{value} in column '{name}' is not a label"))
            }
            Number::NonFinite => {
                fault(Code::NonFinite, format!("{value} in column '{name}': values must be finite"))
            }
            Number::Overflow => {
                fault(Code::Overflow, format!("{value} in column '{name}' is too large for a double"))
            }
            Number::Bad(why) => {
                fault(Code::Number, format!("{value} in column '{name}' is not a plain number: {why}"))
            }
            Number::Text if is_target => {
                let reason = format!("{value} in target '{name}' is not a number");
                Err(Fault::new(cell.offset, Code::Label, reason)
                    .hint("read its values as classes with `target-kind=classes`"))
            }
            Number::Text if column.kind == Kind::Times => {
                let reason = format!("{value} in column '{name}' is not a date");
                Err(Fault::new(cell.offset, Code::Date, reason))
            }
            Number::Text => {
                let reason = format!("{value} in column '{name}' is not a number");
                let fault = Fault::new(cell.offset, Code::Number, reason);
                Err(if column.role == Role::Weight {
                    fault
                } else {
                    fault.hint(format!("if the column holds names, read it with `type={name}=categories`"))
                })
            }
        }
    }

    /// The text in a cell; `None` if it is missing and may be.
    fn name<'c>(&self, j: usize, cell: &'c Cell<'_>) -> Result<Option<&'c str>, Fault> {
        let Some(column) = self.columns.get(j) else { return Ok(None) };
        // Any text is a valid id, even one that means a missing value elsewhere.
        if column.role == Role::Id {
            return Ok(Some(&cell.text));
        }
        if self.absent.is(cell) {
            return self.missing(column, cell).map(|()| None);
        }
        let fault = |reason| Err(Fault::new(cell.offset, Code::Label, reason));
        if column.role == Role::Target && is_nan(&cell.text) {
            return fault(format!("{} in target '{}' is not a label", shown(&cell.text), column.name));
        }
        if let Some(declared) = &column.declared
            && !declared.contains(&*cell.text)
        {
            return fault(format!("{} is not among the values of '{}'", shown(&cell.text), column.name));
        }
        Ok(Some(&cell.text))
    }

    fn missing(&self, column: &ColumnPlan, cell: &Cell<'_>) -> Result<(), Fault> {
        let name = &column.name;
        match (column.role, self.missing) {
            (Role::Target, Missing::Refuse) => {
                Err(Fault::new(cell.offset, Code::Label, format!("no label in target '{name}'"))
                    .hint("without `missing=refuse` such rows are set aside"))
            }
            (Role::Weight, _) | (_, Missing::Refuse) => {
                Err(Fault::new(cell.offset, Code::Missing, format!("no value in column '{name}'"))
                    .hint("leave such rows out with `missing=drop`, or keep them with `missing=keep`"))
            }
            _ => Ok(()),
        }
    }
}
