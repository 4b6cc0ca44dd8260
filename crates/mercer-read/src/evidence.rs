//! What a column holds, by the evidence of its cells.
//!
//! A column is of a form (numbers, dates, durations, …) if at least nine tenths of its values are; the others are then
//! missing values, counted in a warning. Where a few codes repeat among a few whole numbers (`1 … 22, X`), the numbers
//! are codes too. A column with fewer than [`ENOUGH`] values that is mostly numbers is refused: that is too little
//! evidence to drop values. One with more is read as names.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::build::Cell;
use super::dates::{self, Order};
use super::form::{Form, is_placeholder, truth};
use super::number::{self, Number};
use super::text::{Fault, shown};
use super::written::{self, CURRENCIES, Mark};
use crate::data::Kind;
use crate::error::Code;

/// A column with at least this many values is not refused for those that are not numbers.
pub(super) const ENOUGH: usize = 20;
/// Whole numbers with at most this many distinct values may be codes.
const MOST_CODES: usize = 50;

/// Whether `odd` values among `all` are few enough to be missing values.
pub(super) fn are_few(odd: usize, all: usize) -> bool {
    odd.saturating_mul(10) <= all
}

/// Counts of the first values of a column: enough for columns of plain numbers, and small, because a table may have
/// half a million columns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Glance {
    pub(super) numbers: u32,
    pub(super) others: u32,
}

impl Glance {
    /// Counts a cell that is not missing.
    pub(super) fn add(&mut self, cell: &Cell<'_>) {
        match number::parse(&cell.text) {
            Number::Value(_) => self.numbers += 1,
            _ => self.others += 1,
        }
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
    /// Plain numbers.
    numbers: usize,
    /// `nan` and `inf`.
    non_finite: usize,
    /// Meant as numbers but badly written.
    meant: usize,
    /// Values that are numbers with a decimal point, and with a decimal comma.
    marked: [Tally; 2],
    /// Numbers with a different value under each decimal mark: `1,234`.
    ambiguous: usize,
    percent: usize,
    /// Zeros without a percent sign.
    zeros: usize,
    currencies: [usize; CURRENCIES.len()],
    /// Values that are dates in each order of [`Order::ALL`].
    dates: [Tally; 3],
    /// Dates of either order that are not separated by slashes.
    dotted: usize,
    durations: usize,
    truths: usize,
    sentences: usize,
    /// The hash of each value that is not a plain number.
    texts: Vec<u64>,
    /// The hashes of distinct whole numbers, until there are too many.
    whole: Option<Vec<u64>>,
    fractions: bool,
}

/// Values of one form, and the first one that only this form explains.
#[derive(Debug, Default)]
struct Tally {
    count: usize,
    decisive: Option<(usize, String)>,
}

impl Tally {
    fn decide(&mut self, cell: &Cell<'_>) {
        if self.decisive.is_none() {
            self.decisive = Some((cell.offset, cell.text.to_string()));
        }
    }
}

/// What a column holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Decision {
    pub(super) kind: Kind,
    pub(super) form: Form,
    /// Whether cells of another form are missing values instead of errors.
    pub(super) lenient: bool,
    /// A sentence about the choice, and the cell that explains it.
    pub(super) note: Option<(usize, String)>,
}

impl Decision {
    pub(super) fn new(kind: Kind, form: Form, lenient: bool) -> Self {
        Decision { kind, form, lenient, note: None }
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
            self.count_whole(value);
        } else {
            self.sentences += usize::from(text.split_whitespace().nth(2).is_some());
            self.texts.push(hash(text));
            if is_placeholder(text) {
                self.placeholders += 1;
                return;
            }
            self.values += 1;
            match parsed {
                Number::NonFinite => self.non_finite += 1,
                Number::Text => self.add_text(cell),
                _ => self.meant += 1,
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
        self.truths += usize::from(truth(text).is_some());
        if !text.bytes().any(|b| b.is_ascii_digit()) {
            return;
        }
        self.durations += usize::from(written::duration(text).is_some());
        let read = Order::ALL.map(|order| dates::parse(text, order).is_some());
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
        let read = [Mark::Point, Mark::Comma].map(|mark| written::parse(&cell.text, mark));
        for (tally, read) in self.marked.iter_mut().zip(&read) {
            tally.count += usize::from(read.is_some());
        }
        let [point, comma] = &mut self.marked;
        match &read {
            [Some(_), None] => point.decide(cell),
            [None, Some(_)] => comma.decide(cell),
            [Some(a), Some(b)] => self.ambiguous += usize::from(a.value != b.value),
            _ => {}
        }
        if let Some(found) = read.iter().flatten().next() {
            self.percent += usize::from(found.percent);
            self.zeros += usize::from(found.value == 0.0 && !found.percent);
            if let Some(count) = found.currency.and_then(|i| self.currencies.get_mut(i)) {
                *count += 1;
            }
        }
    }

    /// Whether there was any value.
    fn is_known(&self) -> bool {
        self.values + self.placeholders > 0
    }

    /// Whether no value is NaN or infinity, or too large for a number.
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

    /// The order of dates that most values have, for a column that must hold times.
    pub(super) fn as_times(&self) -> Decision {
        let most = (0..3).rev().max_by_key(|&i| self.dates[i].count).unwrap_or(0);
        let few = are_few(self.values.saturating_sub(self.dates[most].count), self.values);
        Decision::new(Kind::Times, Form::Dates(Order::ALL[most]), few || self.values >= ENOUGH)
    }

    /// What the column holds; `european` tables have decimal commas where nothing else decides. `Err` reports
    /// contradictory evidence.
    pub(super) fn decide(&self, name: &str, european: bool) -> Result<Decision, Fault> {
        if self.truths > 0 && self.truths == self.values {
            return Ok(Decision::new(Kind::Numbers, Form::Truth, true));
        }
        if let Some(found) = self.decide_dates(name)? {
            return Ok(found);
        }
        if self.durations > 0 && are_few(self.values - self.durations, self.values) {
            return Ok(Decision::new(Kind::Numbers, Form::Duration, true));
        }
        if let Some(found) = self.decide_numbers(name, european)? {
            return Ok(found);
        }
        Ok(self.decide_names(name))
    }

    /// As if every cell had to be plain: numbers if more values are, or are meant as, numbers than text.
    pub(super) fn decide_strictly(&self) -> Decision {
        if self.truths > 0 && self.truths == self.values + self.placeholders {
            return Decision::new(Kind::Numbers, Form::Truth, false);
        }
        let numbers = self.numbers + self.non_finite + self.meant;
        let texts = self.values + self.placeholders - numbers;
        let kind = if numbers > texts || numbers + texts == 0 { Kind::Numbers } else { self.kind_of_names() };
        Decision::new(kind, Form::Plain, false)
    }

    fn decide_dates(&self, name: &str) -> Result<Option<Decision>, Fault> {
        let [iso, day, month] = &self.dates;
        let most = iso.count + day.count.max(month.count);
        if most == 0 || !are_few(self.values.saturating_sub(iso.count + day.count + month.count), self.values)
        {
            return Ok(None);
        }
        let times = |order| Decision::new(Kind::Times, Form::Dates(order), true);
        if iso.count == most && day.count + month.count == 0 {
            return Ok(Some(times(Order::Year)));
        }
        // ISO dates count for either order.
        let [by_day, by_month] =
            [day, month].map(|tally| are_few(self.values - iso.count - tally.count, self.values));
        let (order, decisive) = match (by_day, by_month, &day.decisive, &month.decisive) {
            (true, false, found, _) => (Order::Day, found),
            (false, true, _, found) => (Order::Month, found),
            (true, true, Some(_), None) => (Order::Day, &day.decisive),
            (true, true, None, Some(_)) => (Order::Month, &month.decisive),
            (true, true, Some(_), Some(_)) if day.count >= month.count => (Order::Day, &day.decisive),
            (true, true, Some(_), Some(_)) => (Order::Month, &month.decisive),
            // Dates with points are European.
            (true, true, None, None) if self.dotted > 0 => (Order::Day, &None),
            (true, true, None, None) => (Order::Month, &None),
            (false, false, Some((_, first)), Some((at, second))) => {
                let reason = format!(
                    "column '{name}' holds dates of both orders: {} has the day first, {} the month",
                    shown(first),
                    shown(second)
                );
                let hint = format!(
                    "read it as text with `type={name}=strings`, or leave it out with `ignore={name}`"
                );
                return Err(Fault::new(*at, Code::Date, reason)
                    .hint(hint)
                    .also(day.decisive.as_ref().map(|d| d.0)));
            }
            (false, false, ..) => return Ok(None),
        };
        let mut found = times(order);
        found.note = match decisive {
            Some((at, text)) => Some((*at, format!("by {}", shown(text)))),
            None => Some((usize::MAX, "nothing in the column decides between day and month".to_owned())),
        };
        Ok(Some(found))
    }

    fn decide_numbers(&self, name: &str, european: bool) -> Result<Option<Decision>, Fault> {
        let [point, comma] = &self.marked;
        let odd = |count: usize| self.values.saturating_sub(count + self.non_finite);
        if self.values == 0 || self.values == self.non_finite && self.numbers == 0 {
            return Ok((!self.is_known() || self.non_finite > 0)
                .then(|| Decision::new(Kind::Numbers, Form::Plain, self.values >= ENOUGH)));
        }
        let few = |count: usize| are_few(odd(count), self.values);
        let written = |mark, tally: &Tally| {
            let most = (0..CURRENCIES.len()).max_by_key(|&i| self.currencies[i]).unwrap_or(0);
            let currency = Some(most).filter(|&i| self.currencies[i] > 0);
            let percent = self.percent > 0 && 2 * self.percent >= tally.count;
            Decision::new(Kind::Numbers, Form::Written { mark, percent, currency }, true)
        };
        if few(self.numbers) && self.numbers >= comma.count {
            if self.are_codes() {
                return Ok(None);
            }
            return Ok(Some(Decision::new(Kind::Numbers, Form::Plain, true)));
        }
        let mut found = match (few(point.count), few(comma.count)) {
            (true, false) => written(Mark::Point, point),
            (false, true) => written(Mark::Comma, comma),
            (true, true) if point.count > comma.count => written(Mark::Point, point),
            (true, true) if comma.count > point.count => written(Mark::Comma, comma),
            // Only cells such as 1,234, which may be either.
            (true, true) if comma.decisive.is_none() && european && self.ambiguous > 0 => {
                written(Mark::Comma, comma)
            }
            (true, true) => written(Mark::Point, point),
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
            Form::Written { mark: Mark::Comma, .. } => (comma, &comma.decisive),
            _ => (point, &point.decisive),
        };
        if !few(self.fitting(found.form, tally)) {
            return Ok(None);
        }
        found.note = match decisive {
            Some((at, text)) => Some((*at, format!("by {}", shown(text)))),
            None if self.ambiguous > 0 => {
                Some((usize::MAX, "nothing in the column decides what its commas mean".to_owned()))
            }
            None => None,
        };
        Ok(Some(found))
    }

    /// Of the numbers with a decimal mark, those with the percent sign or the currency of a form.
    fn fitting(&self, form: Form, tally: &Tally) -> usize {
        let Form::Written { percent, currency, .. } = form else { return tally.count };
        let other: usize =
            (0..CURRENCIES.len()).filter(|i| Some(*i) != currency).map(|i| self.currencies[i]).sum();
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

    fn decide_names(&self, name: &str) -> Decision {
        let numbers = self.numbers + self.non_finite + self.meant;
        if 2 * numbers > self.values && self.values < ENOUGH {
            return Decision::new(Kind::Numbers, Form::Plain, false);
        }
        let mut found = Decision::new(self.kind_of_names(), Form::Plain, true);
        if 2 * numbers > self.values {
            let text =
                format!("{name}: {numbers} of {} values are numbers; read as {}", self.values, found.kind);
            found.note = Some((usize::MAX, text));
        }
        found
    }

    /// Text if most values have three words or more; categories if there are at most two distinct values or at most half
    /// as many as values; strings otherwise.
    pub(super) fn kind_of_names(&self) -> Kind {
        let texts = self.texts.len();
        let count = distinct(&self.texts);
        let numbers = self.numbers;
        if 2 * self.sentences > texts {
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
