//! Kernels and distances on columns of strings.

use super::columns::{Field, Scope};
use super::entry::Entry;
use super::tree::Call;
use crate::data::{Dataset, Kind, Strings, Values, Vectors};
use crate::distance::{HammingDistance, JensenShannon, NegativeSquaredDistance, Symbols};
use crate::error::{Error, Result};
use crate::kernel::counts::Describe;
use crate::kernel::string::OnStrings;
use crate::kernel::{Boxed, Declared, Kernel};

impl Field for Strings {
    fn take<R>(data: &Dataset, columns: &[String], work: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        match columns {
            [one] => work(&strings_of(data, one)?),
            _ => {
                Err(Error::usage("a kernel on strings takes one column: name one with @, add several with +"))
            }
        }
    }
}

/// The strings of a column, one for every object.
pub(super) fn strings_of(data: &Dataset, column: &str) -> Result<Strings> {
    let values = match &data.column(column)?.values {
        Values::Strings(values) | Values::Text(values) => values,
        other => {
            return Err(Error::Column {
                name: column.to_owned(),
                reason: format!("holds {}, not strings", other.kind()),
                hint: None,
            });
        }
    };
    let mut strings = Strings::default();
    for (index, value) in values.iter().enumerate() {
        let text = value.as_deref().ok_or_else(|| Error::Missing { index, column: column.to_owned() })?;
        strings.push(text);
    }
    Ok(strings)
}

impl Scope<'_> {
    /// A kernel on the selected column of strings, with a warning about strings that are too short.
    pub(super) fn on_strings<K>(&self, call: &Call, kernel: K) -> Result<Boxed<Dataset>>
    where
        K: Kernel<Strings> + OnStrings + 'static,
        K::Prepared: 'static,
    {
        if !self.fit.restores() {
            let columns = self.suitable(call)?;
            let notes = Strings::take(self.data, &columns, |strings| Ok(kernel.notes(strings)))?;
            notes.into_iter().for_each(|note| self.fit.warn(note));
        }
        self.on::<Strings, _>(call, kernel)
    }
}

/// The Jensen–Shannon distance of concatenated number columns, or of the words of one text column.
pub(super) fn jensen_shannon(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let columns = scope.suitable(call)?;
    if of_one_kind(call, scope.data, &columns, |kind| kind == Kind::Text)? {
        return scope.on::<Strings, _>(call, NegativeSquaredDistance(JensenShannon));
    }
    scope.on::<Vectors, _>(call, NegativeSquaredDistance(JensenShannon))
}

/// The Hamming distance of columns of categories, or of one column of strings.
pub(super) fn hamming_distance(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let columns = scope.suitable(call)?;
    if of_one_kind(call, scope.data, &columns, |kind| kind == Kind::Strings)? {
        return scope.on::<Strings, _>(call, NegativeSquaredDistance(HammingDistance));
    }
    scope.on::<Symbols, _>(call, NegativeSquaredDistance(HammingDistance))
}

/// Whether all columns are of a type; mixed types are refused.
fn of_one_kind(call: &Call, data: &Dataset, columns: &[String], is: fn(Kind) -> bool) -> Result<bool> {
    let kinds = columns.iter().map(|name| Ok(is(data.column(name)?.values.kind())));
    let kinds = kinds.collect::<Result<Vec<bool>>>()?;
    match kinds.as_slice() {
        [first, rest @ ..] if rest.iter().all(|k| k == first) => Ok(*first),
        _ => {
            let name = call.entry.facts.name;
            let reason = format!(
                "columns of several types: {}",
                crate::data::list(columns.iter().map(String::as_str))
            );
            let hint = Some(format!("{name} takes {}: name the columns with @", call.entry.facts.takes));
            Err(Error::Column { name: "*".into(), reason, hint })
        }
    }
}

impl Field for Symbols {
    fn take<R>(data: &Dataset, columns: &[String], work: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        let mut hashed: Vec<Vec<u64>> = Vec::new();
        for name in columns {
            let Values::Categories(c) = &data.column(name)?.values else {
                return Err(Error::Column {
                    name: name.clone(),
                    reason: "does not hold categories".into(),
                    hint: None,
                });
            };
            // Use names, not codes: another data set may number them differently.
            let levels: Vec<u64> =
                c.levels().iter().map(|l| xxhash_rust::xxh3::xxh3_64(l.as_bytes())).collect();
            let symbol = |index: usize| {
                let code = c.code(index).ok_or_else(|| Error::Missing { index, column: name.clone() })?;
                Ok(levels[code as usize])
            };
            hashed.push((0..c.len()).map(symbol).collect::<Result<_>>()?);
        }
        let mut symbols = Symbols::default();
        (0..data.len()).for_each(|i| symbols.push_row(hashed.iter().map(|column| column[i])));
        work(&symbols)
    }
}

/// The registry entry of a kernel on strings.
pub(super) const fn entry<K>() -> Entry
where
    K: Declared + Kernel<Strings> + OnStrings + 'static,
    K::Prepared: 'static,
{
    Entry::kernel(K::FACTS, |call, scope| scope.on_strings(call, scope.declared::<K>(call)?))
}

/// The same for one with named features.
pub(super) const fn counting<K>() -> Entry
where
    K: Declared + Kernel<Strings> + OnStrings + Describe<Objects = Strings> + 'static,
    K::Prepared: 'static,
{
    entry::<K>().with_features(|call, scope| scope.counted(call, scope.declared::<K>(call)?))
}
