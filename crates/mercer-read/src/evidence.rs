//! What a column holds, by the evidence of its cells.
//!
//! A column is of a form (numbers, dates, durations, …) if at least nine tenths of its values are; the others are then
//! missing values, counted in a warning. NaN is a missing value among numbers. Where a few codes repeat among a few whole
//! numbers (`1 … 22, X`), the numbers are codes too. A column with fewer than [`ENOUGH`] values that is mostly numbers is
//! refused: that is too little evidence to drop values. One with more is read as names.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::build::Cell;
use super::form::{are_repeated, is_nan, is_placeholder, truth};
use super::number::{self, Number};
use super::text::{Fault, shown};
use super::written::{self, Signs};
use super::{dates, form};
use crate::data::{CellForm, DateOrder, DecimalMark, Kind, Unit};
use crate::error::Code;

/// A column with at least this many values is not refused for those that are not numbers.
pub(super) const ENOUGH: usize = 20;
/// Whole numbers with at most this many distinct values may be codes.
const MOST_CODES: usize = 50;

/// Whether `odd` values among `all` are few enough to be missing values.
pub(super) fn are_few(odd: usize, all: usize) -> bool {
    odd.saturating_mul(10) <= all
}

/// Whether digits are rather a code than a number: with a leading zero, as in 02139, or more of them than a number has.
fn is_code(text: &str) -> bool {
    let padded = text.len() >= SHORTEST_CODE && text.starts_with('0');
    (padded || text.len() >= LONGEST_NUMBER) && text.bytes().all(|b| b.is_ascii_digit())
}

/// Digits of the shortest code with leading zeros; hours and months have fewer.
const SHORTEST_CODE: usize = 4;
/// Digits that a number does not have: not all of them would survive.
const LONGEST_NUMBER: usize = 17;

/// Counts of the first values of a column: enough for columns of plain numbers, and small, because a table may have
/// half a million columns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Glance {
    pub(super) numbers: u32,
    pub(super) others: u32,
    /// Whether a number has a point that may separate thousands: `1.100`.
    dotted: bool,
    /// Whether a number has a decimal point for certain: `1.5`.
    pub(super) pointed: bool,
    /// Whether another value has a comma next to a digit.
    pub(super) commas: bool,
    /// Numbers that are dates without separators.
    compact: u32,
}

/// The decimal marks of a whole table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// Whether fields are separated by `;`, as where commas are decimal.
    pub(super) semicolons: bool,
    /// Whether some column has decimal commas for certain.
    pub(super) commas: bool,
    /// Whether some column has decimal points for certain.
    pub(super) points: bool,
}

impl Marks {
    /// Whether a comma that may be either is a decimal mark.
    fn comma_is_decimal(self) -> bool {
        self.commas || self.semicolons && !self.points
    }
}

/// Whether the point of a plain number may separate thousands, and whether it is a decimal point for certain.
fn point_of(text: &str) -> (bool, bool) {
    let pointed = text.contains('.');
    let grouped = pointed && written::parse(text, DecimalMark::Comma).is_some();
    (grouped, pointed && !grouped)
}

impl Glance {
    /// Counts a cell that is not missing.
    pub(super) fn add(&mut self, cell: &Cell<'_>) {
        match number::parse(&cell.text) {
            Number::Value(_) if !is_code(&cell.text) => {
                self.numbers += 1;
                self.compact += u32::from(dates::is_compact(&cell.text));
                if !self.pointed {
                    let (dotted, pointed) = point_of(&cell.text);
                    (self.dotted, self.pointed) = (self.dotted || dotted, pointed);
                }
            }
            _ => {
                self.others += 1;
                let mut pairs = cell.text.as_bytes().windows(2);
                self.commas |= pairs
                    .any(|p| p[0] == b',' && p[1].is_ascii_digit() || p[1] == b',' && p[0].is_ascii_digit());
            }
        }
    }

    /// Whether the points of its numbers may separate thousands.
    pub(super) fn is_dotted(self) -> bool {
        self.dotted && !self.pointed
    }

    /// Whether its numbers are all dates without separators.
    pub(super) fn is_compact(self) -> bool {
        self.compact as usize >= ENOUGH && self.compact == self.numbers
    }

    /// Whether there was any value.
    pub(super) fn is_known(self) -> bool {
        self.numbers > 0 || self.others > 0
    }
}

/// Everything that decides the form of a column.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// Values, without missing ones and placeholders.
    values: usize,
    placeholders: usize,
    /// Those of the placeholders that are NaN.
    nans: usize,
    /// Plain numbers.
    numbers: usize,
    /// `inf`.
    non_finite: usize,
    /// Meant as numbers but badly written, and the first of them.
    meant: usize,
    badly: Option<String>,
    /// Values that are numbers with a decimal point, and with a decimal comma.
    marked: [Tally; 2],
    /// Numbers with a different value under each decimal mark: `1,234`.
    ambiguous: usize,
    /// The first of them.
    either_way: Option<String>,
    /// Plain numbers of four digits or more without any separator.
    ungrouped: usize,
    percent: usize,
    /// Zeros without a percent sign.
    zeros: usize,
    /// Numbers with each unit, and the first of them; the same of those with neither unit nor percent sign.
    units: BTreeMap<Unit, (usize, String)>,
    bare: (usize, String),
    /// The first number with a percent sign.
    percentage: String,
    /// Whether some number has separated thousands, brackets, or another minus.
    signs: Signs,
    /// Values that are dates in each order of [`DateOrder::ALL`].
    dates: [Tally; 3],
    /// Dates of either order that are not separated by slashes.
    dotted: usize,
    /// Numbers that are dates without separators, such as 20240131, and the first of them.
    compact: Tally,
    durations: usize,
    truths: usize,
    sentences: usize,
    /// The first text that is no number.
    other: Option<String>,
    /// The hash of each value that is not a plain number.
    texts: Vec<u64>,
    /// The hashes of distinct whole numbers, until there are too many.
    whole: Option<Vec<u64>>,
    fractions: bool,
    /// Numbers that are rather codes, and the least and greatest length of all plain numbers.
    codes: usize,
    lengths: Option<(usize, usize)>,
}

/// Values of one form, and the first one that only this form explains.
#[derive(Debug, Default)]
struct Tally {
    count: usize,
    decisive: Option<(usize, String)>,
    /// Values that only this form explains.
    certain: usize,
}

impl Tally {
    fn decide(&mut self, cell: &Cell<'_>) {
        self.certain += 1;
        if self.decisive.is_none() {
            self.decisive = Some((cell.offset, cell.text.to_string()));
        }
    }
}

/// What a column holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Decision {
    pub(super) kind: Kind,
    pub(super) form: CellForm,
    /// Whether cells of another form are missing values instead of errors.
    pub(super) lenient: bool,
    /// A sentence about the choice, and the cell that explains it.
    pub(super) note: Option<(usize, String)>,
    /// Whether the values seen do not decide the form, so that others could.
    pub(super) open: bool,
    /// How the cells are written, where their form does not say it.
    pub(super) words: Option<String>,
}

impl Decision {
    pub(super) fn new(kind: Kind, form: CellForm, lenient: bool) -> Self {
        Decision { kind, form, lenient, note: None, open: false, words: None }
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn distinct(hashes: &[u64]) -> usize {
    let mut sorted = hashes.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

impl Evidence {
    /// Adds a cell that is not missing.
    pub(super) fn add(&mut self, cell: &Cell<'_>) {
        let text = &*cell.text;
        let parsed = number::parse(text);
        if let Number::Value(value) = parsed {
            self.values += 1;
            self.numbers += 1;
            self.codes += usize::from(is_code(text));
            if dates::is_compact(text) {
                self.compact.count += 1;
                self.compact.decide(cell);
            }
            self.ungrouped += usize::from(text.len() > 3 && text.bytes().all(|b| b.is_ascii_digit()));
            let (least, most) = self.lengths.unwrap_or((text.len(), text.len()));
            self.lengths = Some((least.min(text.len()), most.max(text.len())));
            self.count_whole(value);
        } else {
            self.sentences += usize::from(text.split_whitespace().nth(2).is_some());
            self.texts.push(hash(text));
            if is_placeholder(text) {
                self.placeholders += 1;
                self.nans += usize::from(is_nan(text));
                return;
            }
            self.values += 1;
            match parsed {
                Number::NonFinite => self.non_finite += 1,
                Number::Text => self.add_text(cell),
                _ => {
                    self.meant += 1;
                    self.badly.get_or_insert_with(|| text.to_owned());
                }
            }
        }
        if text.bytes().any(|b| b.is_ascii_digit()) {
            self.add_written(cell);
        }
    }

    fn count_whole(&mut self, value: f64) {
        let whole = self.whole.get_or_insert_default();
        self.fractions |= value.fract() != 0.0;
        if !self.fractions && whole.len() <= MOST_CODES && !whole.contains(&value.to_bits()) {
            whole.push(value.to_bits());
        }
    }

    fn add_text(&mut self, cell: &Cell<'_>) {
        let text = &*cell.text;
        self.other.get_or_insert_with(|| text.to_owned());
        self.truths += usize::from(truth(text).is_some());
        if !text.bytes().any(|b| b.is_ascii_digit()) {
            return;
        }
        self.durations += usize::from(written::duration(text).is_some());
        let read = DateOrder::ALL.map(|order| dates::parse(text, order).is_some());
        for (tally, read) in self.dates.iter_mut().zip(read) {
            tally.count += usize::from(read);
        }
        let [_, day, month] = &mut self.dates;
        match read {
            [false, true, false] => day.decide(cell),
            [false, false, true] => month.decide(cell),
            [false, true, true] => self.dotted += usize::from(!text.contains('/')),
            _ => {}
        }
    }

    fn add_written(&mut self, cell: &Cell<'_>) {
        let read = [DecimalMark::Point, DecimalMark::Comma].map(|mark| written::parse(&cell.text, mark));
        for (tally, read) in self.marked.iter_mut().zip(&read) {
            tally.count += usize::from(read.is_some());
        }
        let [point, comma] = &mut self.marked;
        match &read {
            [Some(_), None] => point.decide(cell),
            [None, Some(_)] => comma.decide(cell),
            [Some(a), Some(b)] if a.value != b.value => {
                self.ambiguous += 1;
                self.either_way.get_or_insert_with(|| cell.text.to_string());
            }
            _ => {}
        }
        if let Some(found) = read.iter().flatten().next() {
            self.percent += usize::from(found.percent);
            self.zeros += usize::from(found.value == 0.0 && !found.percent);
            let Signs { groups, brackets, minus } = &mut self.signs;
            *groups |= found.signs.groups;
            *brackets |= found.signs.brackets;
            *minus |= found.signs.minus;
            let count = |(count, first): &mut (usize, String)| {
                if *count == 0 {
                    *first = cell.text.to_string();
                }
                *count += 1;
            };
            match found.unit {
                Some(unit) => count(self.units.entry(unit).or_default()),
                None if found.percent && self.percentage.is_empty() => {
                    self.percentage = cell.text.to_string()
                }
                None if !found.percent && found.value != 0.0 => count(&mut self.bare),
                None => {}
            }
        }
    }

    /// Whether there was any value.
    pub(super) fn is_known(&self) -> bool {
        self.values + self.placeholders > 0
    }

    /// Whether no value is infinite, or too large for a number.
    pub(super) fn is_finite(&self) -> bool {
        self.non_finite + self.meant == 0
    }

    /// The number of values, without placeholders.
    pub(super) fn len(&self) -> usize {
        self.values
    }

    /// Whether its numbers have decimal commas for certain.
    pub(super) fn has_commas(&self) -> bool {
        let [point, comma] = &self.marked;
        comma.decisive.is_some()
            && point.decisive.is_none()
            && are_few(self.values - comma.count, self.values)
    }

    /// Whether its numbers have decimal points for certain.
    pub(super) fn has_points(&self) -> bool {
        let [point, comma] = &self.marked;
        point.decisive.as_ref().is_some_and(|(_, text)| text.contains('.'))
            && comma.decisive.is_none()
            && are_few(self.values - point.count, self.values)
    }

    /// Whether all are plain numbers, and their points may separate thousands: `1.100`, `955`, but not `1955`.
    fn is_dotted(&self) -> bool {
        let [point, comma] = &self.marked;
        self.ambiguous > 0 && self.ungrouped == 0 && point.decisive.is_none() && comma.decisive.is_none()
    }

    /// Whether nearly all values are of a form that the column had in other data.
    pub(super) fn fits(&self, form: CellForm) -> bool {
        let ([iso, day, month], [point, comma]) = (&self.dates, &self.marked);
        let count = match form {
            CellForm::Plain => self.numbers,
            CellForm::Truth => self.truths + self.numbers_below_two(),
            CellForm::Duration => self.durations,
            CellForm::Dates(DateOrder::Year) => iso.count + self.compact.count,
            CellForm::Dates(DateOrder::Day) => iso.count + day.count,
            CellForm::Dates(DateOrder::Month) => iso.count + month.count,
            CellForm::Written { mark: DecimalMark::Point, .. } => self.fitting(form, point),
            CellForm::Written { mark: DecimalMark::Comma, .. } => self.fitting(form, comma),
        };
        are_few(self.values.saturating_sub(count), self.values)
    }

    /// The plain numbers, if all are 0 or 1.
    fn numbers_below_two(&self) -> usize {
        let two = [0.0f64, 1.0].map(f64::to_bits);
        let fits = !self.fractions && self.whole.as_ref().is_none_or(|w| w.iter().all(|v| two.contains(v)));
        if fits { self.numbers } else { 0 }
    }

    /// Whether all values are numbers, and dates without separators: hardly by accident, since most numbers of eight digits are
    /// none.
    pub(super) fn is_compact(&self) -> bool {
        self.values >= ENOUGH && self.compact.count == self.values
    }

    /// The order of dates that most values have, for a column that must hold times.
    pub(super) fn as_times(&self) -> Decision {
        let most = (0..3).rev().max_by_key(|&i| self.dates[i].count).unwrap_or(0);
        let few = are_few(self.values.saturating_sub(self.dates[most].count), self.values);
        Decision::new(Kind::Times, CellForm::Dates(DateOrder::ALL[most]), few || self.values >= ENOUGH)
    }

    /// What the column holds; the decimal marks of the table decide where nothing else does. `Err` reports contradictory
    /// evidence.
    pub(super) fn decide(&self, name: &str, marks: Marks) -> Result<Decision, Fault> {
        if self.truths > 0 && self.truths == self.values {
            return Ok(Decision::new(Kind::Numbers, CellForm::Truth, true));
        }
        if let Some(found) = self.decide_dates(name)? {
            return Ok(found);
        }
        if self.is_compact() {
            let decisive = self.compact.decisive.as_ref();
            let note = decisive.map(|(at, text)| (*at, format!("as in {}", shown(text))));
            let words = Some("dates without separators".to_owned());
            let found = Decision::new(Kind::Times, CellForm::Dates(DateOrder::Year), true);
            return Ok(Decision { note, words, ..found });
        }
        if self.durations > 0 && are_few(self.values - self.durations, self.values) {
            return Ok(Decision::new(Kind::Numbers, CellForm::Duration, true));
        }
        if let Some(found) = self.decide_numbers(name, marks)? {
            return Ok(found);
        }
        Ok(self.decide_names(name))
    }

    /// As if every cell had to be plain: numbers if more values are, or are meant as, numbers than text.
    pub(super) fn decide_strictly(&self) -> Decision {
        if self.truths > 0 && self.truths == self.values + self.placeholders {
            return Decision::new(Kind::Numbers, CellForm::Truth, false);
        }
        let numbers = self.numbers + self.nans + self.non_finite + self.meant;
        let texts = self.values + self.placeholders - numbers;
        let kind = if numbers > texts || numbers + texts == 0 { Kind::Numbers } else { self.kind_of_names() };
        Decision::new(kind, CellForm::Plain, false)
    }

    fn decide_dates(&self, name: &str) -> Result<Option<Decision>, Fault> {
        let [iso, day, month] = &self.dates;
        let most = iso.count + day.count.max(month.count);
        if most == 0 || !are_few(self.values.saturating_sub(iso.count + day.count + month.count), self.values)
        {
            return Ok(None);
        }
        let times = |order| Decision::new(Kind::Times, CellForm::Dates(order), true);
        if iso.count == most && day.count + month.count == 0 {
            return Ok(Some(times(DateOrder::Year)));
        }
        if let (Some((_, first)), Some((at, second))) = (&day.decisive, &month.decisive)
            && (day.certain.min(month.certain) > 1 || day.certain.max(month.certain) < ENOUGH)
        {
            let reason = format!(
                "column '{name}' holds dates of both orders: {} has the day first, {} the month",
                shown(first),
                shown(second)
            );
            let hint =
                format!("read it as text with `type={name}=strings`, or leave it out with `ignore={name}`");
            return Err(Fault::new(*at, Code::Date, reason)
                .hint(hint)
                .also(day.decisive.as_ref().map(|d| d.0)));
        }
        // ISO dates count for either order.
        let [by_day, by_month] =
            [day, month].map(|tally| are_few(self.values - iso.count - tally.count, self.values));
        let (order, decisive) = match (by_day, by_month, &day.decisive, &month.decisive) {
            (true, false, found, _) => (DateOrder::Day, found),
            (false, true, _, found) => (DateOrder::Month, found),
            (true, true, Some(_), None) => (DateOrder::Day, &day.decisive),
            (true, true, None, Some(_)) => (DateOrder::Month, &month.decisive),
            (true, true, Some(_), Some(_)) if day.count >= month.count => (DateOrder::Day, &day.decisive),
            (true, true, Some(_), Some(_)) => (DateOrder::Month, &month.decisive),
            // Dates with points are European.
            (true, true, None, None) if self.dotted > 0 => (DateOrder::Day, &None),
            (true, true, None, None) => (DateOrder::Month, &None),
            (false, false, ..) => return Ok(None),
        };
        let mut found = times(order);
        found.note = match decisive {
            Some((at, text)) => Some((*at, format!("by {}", shown(text)))),
            None => Some((usize::MAX, "nothing in the column decides between day and month".to_owned())),
        };
        found.open = decisive.is_none();
        Ok(Some(found))
    }

    fn decide_numbers(&self, name: &str, marks: Marks) -> Result<Option<Decision>, Fault> {
        let [point, comma] = &self.marked;
        let odd = |count: usize| self.values.saturating_sub(count + self.non_finite);
        if self.values == 0 || self.values == self.non_finite && self.numbers == 0 {
            let lenient = self.values == 0 || self.values >= ENOUGH;
            return Ok((!self.is_known() || self.non_finite + self.nans > 0)
                .then(|| Decision::new(Kind::Numbers, CellForm::Plain, lenient)));
        }
        let few = |count: usize| are_few(odd(count), self.values);
        let written = |mark, tally: &Tally| {
            let unit = self.units.iter().max_by_key(|(_, (count, _))| *count).map(|(unit, _)| *unit);
            let percent = self.percent > 0 && 2 * self.percent >= tally.count;
            Decision::new(Kind::Numbers, CellForm::Written { mark, percent, unit }, true)
        };
        if few(self.numbers) && self.numbers >= comma.count {
            if self.are_codes() {
                return Ok(None);
            }
            if self.are_digits() {
                let kind =
                    if 2 * self.distinct_numbers() <= self.values { Kind::Categories } else { Kind::Strings };
                let text = format!("{name}: digits with leading zeros, or very many; read as {kind}");
                let note = Some((usize::MAX, text));
                return Ok(Some(Decision { note, ..Decision::new(kind, CellForm::Plain, true) }));
            }
            let dotted = self.is_dotted().then(|| self.decide_points(marks)).flatten();
            return Ok(Some(dotted.unwrap_or_else(|| Decision::new(Kind::Numbers, CellForm::Plain, true))));
        }
        let mut found = match (few(point.count), few(comma.count)) {
            (true, false) => written(DecimalMark::Point, point),
            (false, true) => written(DecimalMark::Comma, comma),
            (true, true) if point.count > comma.count => written(DecimalMark::Point, point),
            (true, true) if comma.count > point.count => written(DecimalMark::Comma, comma),
            // Only cells such as 1,234, which may be either.
            (true, true) if comma.decisive.is_none() && marks.comma_is_decimal() && self.ambiguous > 0 => {
                written(DecimalMark::Comma, comma)
            }
            (true, true) => written(DecimalMark::Point, point),
            (false, false) => match (&point.decisive, &comma.decisive) {
                (Some((_, first)), Some((at, second))) if few(self.either()) => {
                    let reason = format!(
                        "column '{name}' holds both decimal points and decimal commas: {} and {}",
                        shown(first),
                        shown(second)
                    );
                    let hint =
                        format!("write one of them, or read the column as text with `type={name}=strings`");
                    let other = point.decisive.as_ref().map(|d| d.0);
                    return Err(Fault::new(*at, Code::Number, reason).hint(hint).also(other));
                }
                _ => return Ok(None),
            },
        };
        let (tally, decisive) = match found.form {
            CellForm::Written { mark: DecimalMark::Comma, .. } => (comma, &comma.decisive),
            _ => (point, &point.decisive),
        };
        if !few(self.fitting(found.form, tally)) {
            return Ok(None);
        }
        found.words = Some(form::described_with(found.form, self.signs));
        found.note = match decisive {
            Some((at, text)) => Some((*at, format!("by {}", shown(text)))),
            None if self.ambiguous > 0 => {
                found.open = true;
                Some((usize::MAX, "nothing in the column decides what its commas mean".to_owned()))
            }
            None => None,
        };
        Ok(Some(found))
    }

    /// What a column of numbers such as `1.100` holds; `None` if its points are decimal without doubt.
    fn decide_points(&self, marks: Marks) -> Option<Decision> {
        let example = shown(self.either_way.as_deref().unwrap_or_default());
        let (form, text) = match marks {
            Marks { commas: true, points: false, .. } => (
                CellForm::Written { mark: DecimalMark::Comma, percent: false, unit: None },
                format!(
                    "the points separate thousands, as in {example}, because other columns have decimal commas"
                ),
            ),
            Marks { commas: true, .. } | Marks { semicolons: true, points: false, .. } => (
                CellForm::Plain,
                format!(
                    "the points are read as decimal points, as in {example}; nothing in the table decides between \
                         decimal points and separated thousands"
                ),
            ),
            _ => return None,
        };
        let open = form == CellForm::Plain;
        Some(Decision { note: Some((usize::MAX, text)), open, ..Decision::new(Kind::Numbers, form, true) })
    }

    /// Of the numbers with a decimal mark, those with the percent sign or the unit of a form.
    fn fitting(&self, form: CellForm, tally: &Tally) -> usize {
        let CellForm::Written { percent, unit, .. } = form else { return tally.count };
        let other: usize =
            self.units.iter().filter(|(own, _)| Some(**own) != unit).map(|(_, (count, _))| *count).sum();
        match percent {
            true => self.percent + self.zeros,
            false => tally.count.saturating_sub(self.percent).saturating_sub(other),
        }
    }

    /// Values that are numbers with either decimal mark, at most.
    fn either(&self) -> usize {
        let [point, comma] = &self.marked;
        (point.count + comma.count).min(self.values)
    }

    /// Whether a few texts repeat among few whole numbers, so that the numbers are codes like the texts.
    fn are_codes(&self) -> bool {
        let odd = self.values - self.numbers - self.non_finite - self.meant;
        let whole = self.whole.as_ref().is_some_and(|w| w.len() <= MOST_CODES) && !self.fractions;
        odd >= 4 && whole && 2 * distinct(&self.texts) <= self.texts.len()
    }

    /// Whether the numbers are codes of digits: all of one length and some with leading zeros, or most very long.
    fn are_digits(&self) -> bool {
        let (least, most) = self.lengths.unwrap_or_default();
        let padded = self.codes > 0 && least == most && most < LONGEST_NUMBER;
        let long = most >= LONGEST_NUMBER && 10 * self.codes >= 9 * self.numbers;
        self.numbers == self.values && (padded || long)
    }

    fn decide_names(&self, name: &str) -> Decision {
        let numbers = self.numbers + self.non_finite + self.meant;
        if 2 * numbers > self.values && self.values < ENOUGH {
            return Decision::new(Kind::Numbers, CellForm::Plain, false);
        }
        let mut found = Decision::new(self.kind_of_names(), CellForm::Plain, true);
        if let Some((first, second)) = self.mixed_units() {
            let text = format!(
                "{name}: numbers in different units, {} and {}; read as {}: write one unit in the whole column to \
                 read numbers",
                shown(first),
                shown(second),
                found.kind
            );
            found.note = Some((usize::MAX, text));
        } else if 2 * numbers > self.values {
            let kind = found.kind;
            let text = match self.other.as_deref().map(shown) {
                Some(other) => format!(
                    "{name}: {numbers} of {} values are numbers, {other} is none; read as {kind}, \
                     `type={name}=numbers` makes such values missing",
                    self.values
                ),
                None => format!(
                    "{name}: {} of {} values are badly written numbers, e.g. {}; read as {kind}",
                    self.meant,
                    self.values,
                    shown(self.badly.as_deref().unwrap_or_default())
                ),
            };
            found.note = Some((usize::MAX, text));
        }
        found
    }

    /// Two numbers with different units, if nearly all values are numbers: `5 kg` and `5 lb`, or `5%` and `0.05`.
    fn mixed_units(&self) -> Option<(&str, &str)> {
        let count = self.marked.iter().map(|tally| tally.count).max().unwrap_or(0);
        if !are_few(self.values.saturating_sub(count + self.non_finite), self.values) {
            return None;
        }
        let percent = (self.percent, self.percentage.as_str());
        let bare = (self.bare.0, self.bare.1.as_str());
        let units = self.units.values().map(|(count, first)| (*count, first.as_str()));
        let mut found: Vec<(usize, &str)> = units.chain([percent, bare]).filter(|f| f.0 > 0).collect();
        found.sort_by_key(|f| std::cmp::Reverse(f.0));
        match found.as_slice() {
            [first, second, ..] => Some((first.1, second.1)),
            _ => None,
        }
    }

    /// Text if most values have three words or more and are not [a few that repeat](are_repeated); categories if there are at most two distinct values or at most half
    /// as many as values; strings otherwise.
    pub(super) fn kind_of_names(&self) -> Kind {
        let texts = self.texts.len();
        let count = distinct(&self.texts);
        let numbers = self.numbers;
        if 2 * self.sentences > texts && !are_repeated(count, texts) {
            Kind::Text
        } else if count <= 2 && 2 * numbers <= self.values
            || 2 * (count + self.distinct_numbers()) <= numbers + texts
        {
            Kind::Categories
        } else {
            Kind::Strings
        }
    }

    /// The distinct numbers; all of them where they are not counted.
    fn distinct_numbers(&self) -> usize {
        match &self.whole {
            Some(whole) if !self.fractions && whole.len() <= MOST_CODES => whole.len(),
            _ => self.numbers,
        }
    }
}

#[cfg(test)]
mod tests;
