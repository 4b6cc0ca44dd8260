//! Stored types: each declares its fields once, and writing, reading and checking follow from the declaration.
//!
//! A field has a form, the name of a method that both [`Put`] and [`Get`] have: `numbers` and `matrix` are arrays,
//! `number`, `count` and `word` are entries of the document, `part` is another stored type. A module may add forms of
//! its own. Types whose layout is not a list of fields implement [`Stored`] themselves, with the same methods.

use std::borrow::Borrow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::array::{Array, Numbers};
use super::field::Field;
use super::file::Container;
use crate::data::{Dataset, Dense};
use crate::error::shown;
use crate::error::{Code, Error, Result};

/// Implements [`Stored`] for a type, from its fields and the expression that makes a value from them:
///
/// ```text
/// stored! { KnnRegressor: m, get {
///     own: values = m.parts().2;
///     k: count = m.parts().0;
///     target: values = m.target(), len own.len();
/// } => Knn::new(k).fit_values_self_similarities(own, target) }
/// ```
///
/// `FORM as "key"` gives the name in files, if it is not that of the field. `FORM when "flag"` is an optional field: the
/// document tells whether it is there. After the value to write follow the checks of the value that was read:
/// `len LENGTH`, and `where CONDITION => CODE REASON`. Both may use the fields above them, and the reader by its name.
macro_rules! stored {
    (@key ($field:ident)) => { stringify!($field) };
    (@key ($field:ident $key:literal)) => { $key };
    (@put $put:ident $form:ident $key:tt ($part:expr)) => {
        $put.$form($crate::container::stored!(@key $key), $part)?
    };
    (@put $put:ident $form:ident $key:tt ($part:expr) $flag:literal) => {
        let part = $part;
        $put.flag($flag, part.is_some())?;
        if let Some(part) = part {
            $put.$form($crate::container::stored!(@key $key), part)?;
        }
    };
    (@read $get:ident $form:ident $key:tt) => { $get.$form($crate::container::stored!(@key $key))? };
    (@read $get:ident $form:ident $key:tt $flag:literal) => {
        match $get.flag($flag)? {
            true => Some($get.$form($crate::container::stored!(@key $key))?),
            false => None,
        }
    };
    (@get $get:ident $field:ident $form:ident $key:tt ($($flag:literal)?) ($($len:expr)?)
        $(($ok:expr) $code:ident ($reason:expr))*) => {
        let $field = $crate::container::stored!(@read $get $form $key $($flag)?);
        $($get.check_len($crate::container::stored!(@key $key), $field.len(), $len)?;)?
        $($get.ensure($ok, $crate::container::stored!(@key $key), $crate::error::Code::$code, $reason)?;)*
    };
    ($type:ty: $value:ident, $get:ident {
        $($field:ident: $form:ident $(as $key:literal)? $(when $flag:literal)? = $part:expr
            $(, len $len:expr)? $(, where $ok:expr => $code:ident $reason:expr)*;)*
    } => $made:expr) => {
        impl $crate::container::Stored for $type {
            fn put(&self, put: &mut $crate::container::Put<'_>) -> $crate::error::Result<()> {
                let $value = self;
                $($crate::container::stored!(@put put $form ($field $($key)?) ($part) $($flag)?);)*
                Ok(())
            }

            fn get($get: &$crate::container::Get<'_>) -> $crate::error::Result<Self> {
                $($crate::container::stored!(
                    @get $get $field $form ($field $($key)?) ($($flag)?) ($($len)?) $(($ok) $code ($reason))*
                );)*
                $get.fits($made)
            }
        }
    };
}
pub(crate) use stored;

/// A type that a container stores: arrays under a name, and a part of the document.
pub(crate) trait Stored: Sized {
    /// Writes it.
    fn put(&self, put: &mut Put<'_>) -> Result<()>;

    /// Reads and checks it.
    fn get(get: &Get<'_>) -> Result<Self>;
}

/// A type whose values are words in the document.
pub(crate) trait Word: Copy + PartialEq + 'static {
    const WORDS: &'static [(&'static str, Self)];
}

impl Container {
    /// Stores a value under a name; returns the part of the document that [`Container::stored`] reads.
    pub(crate) fn put_stored(&mut self, prefix: &str, value: &impl Stored) -> Result<Value> {
        let mut put = Put::new(self, prefix);
        value.put(&mut put)?;
        Ok(put.document)
    }

    /// The value stored under a name; `field` is its part of the document.
    pub(crate) fn stored<T: Stored>(&self, prefix: &str, field: &Field<'_>) -> Result<T> {
        T::get(&Get { container: self, prefix, field })
    }
}

/// Arrays of one dimension.
macro_rules! lists {
    ($($form:ident: $type:ty),*) => {$(
        pub(crate) fn $form(
            &mut self,
            key: &str,
            values: impl IntoIterator<Item = impl Borrow<$type>>,
        ) -> Result<()> {
            self.array::<$type>(key, values)
        }
    )*};
}

/// Entries of the document.
macro_rules! entries {
    ($($form:ident: $type:ty),*) => {$(
        pub(crate) fn $form(&mut self, key: &str, value: impl Borrow<$type>) -> Result<()> {
            self.say(key, Borrow::<$type>::borrow(&value))
        }
    )*};
}

/// Writes the fields of a value.
pub(crate) struct Put<'c> {
    pub(crate) container: &'c mut Container,
    prefix: &'c str,
    /// Its part of the document.
    pub(crate) document: Value,
}

impl<'c> Put<'c> {
    pub(crate) fn new(container: &'c mut Container, prefix: &'c str) -> Self {
        Put { container, prefix, document: json!({}) }
    }

    /// The name of an array.
    pub(crate) fn name(&self, key: &str) -> String {
        format!("{}/{key}", self.prefix)
    }

    fn array<T: Copy>(&mut self, key: &str, values: impl IntoIterator<Item = impl Borrow<T>>) -> Result<()>
    where
        Numbers: From<Vec<T>>,
    {
        let copied = |value| -> T { *Borrow::<T>::borrow(&value) };
        let values: Vec<T> = values.into_iter().map(copied).collect();
        self.container.insert(self.name(key), Array::list(values))
    }

    lists!(numbers: f64, values: f64, u64s: u64, u32s: u32, u8s: u8);
    entries!(number: f64, count: usize, flag: bool);

    /// An array of one number.
    pub(crate) fn one(&mut self, key: &str, value: f64) -> Result<()> {
        self.array::<f64>(key, [value])
    }

    /// An array of one number, which is NaN if it is unknown.
    pub(crate) fn one_or_nan(&mut self, key: &str, value: f64) -> Result<()> {
        self.array::<f64>(key, [value])
    }

    /// Indices, in 32 bits.
    pub(crate) fn indices(&mut self, key: &str, values: &[usize]) -> Result<()> {
        self.array::<u32>(key, values.iter().map(|&i| i as u32))
    }

    /// Counts or indices, in 64 bits.
    pub(crate) fn sizes(&mut self, key: &str, values: &[usize]) -> Result<()> {
        self.array::<u64>(key, values.iter().map(|&i| i as u64))
    }

    pub(crate) fn matrix(&mut self, key: &str, values: &Dense) -> Result<()> {
        self.grid(key, (values.rows(), values.cols(), values.values()))
    }

    /// A matrix given by its rows, columns and values, which is read as values.
    pub(crate) fn grid(&mut self, key: &str, (rows, cols, values): (usize, usize, &[f64])) -> Result<()> {
        self.container.insert(self.name(key), Array::new(&[rows, cols], values.to_vec())?)
    }

    pub(crate) fn strings(
        &mut self,
        key: &str,
        strings: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<()> {
        self.container.put_strings(&self.name(key), strings)
    }

    pub(crate) fn dataset(&mut self, key: &str, data: &Dataset) -> Result<()> {
        self.document[key] = self.container.put_dataset(&self.name(key), data)?;
        Ok(())
    }

    /// An entry of the document.
    pub(crate) fn say(&mut self, key: &str, value: impl Serialize) -> Result<()> {
        self.document[key] = to_value(key, value)?;
        Ok(())
    }

    pub(crate) fn word<T: Word>(&mut self, key: &str, value: T) -> Result<()> {
        self.say(key, T::WORDS.iter().find(|(_, known)| *known == value).map(|(word, _)| word))
    }

    /// A list of records, one for each class or model.
    pub(crate) fn records(&mut self, key: &str, records: impl IntoIterator<Item: Serialize>) -> Result<()> {
        let records = records.into_iter().map(|record| to_value(key, record)).collect::<Result<_>>()?;
        self.document[key] = self.container.put_list(&self.name(key), records)?;
        Ok(())
    }

    /// A value whose fields are among those of this one.
    pub(crate) fn part(&mut self, _: &str, value: &impl Stored) -> Result<()> {
        value.put(self)
    }

    /// A value with its own part of the document.
    pub(crate) fn nested(&mut self, key: &str, value: &impl Stored) -> Result<()> {
        self.document[key] = self.container.put_stored(self.prefix, value)?;
        Ok(())
    }

    /// A value with its own part of the document, or nothing.
    pub(crate) fn optional(&mut self, key: &str, value: &Option<impl Stored>) -> Result<()> {
        value.as_ref().map_or(Ok(()), |value| self.nested(key, value))
    }
}

fn to_value(key: &str, value: impl Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|e| Error::usage(format!("{key}: {e}")))
}

/// Reads the fields of a value.
pub(crate) struct Get<'c> {
    pub(crate) container: &'c Container,
    pub(crate) prefix: &'c str,
    /// Its part of the document.
    pub(crate) field: &'c Field<'c>,
}

impl<'c> Get<'c> {
    /// The name of an array.
    pub(crate) fn name(&self, key: &str) -> String {
        format!("{}/{key}", self.prefix)
    }

    /// Finite numbers.
    pub(crate) fn numbers(&self, key: &str) -> Result<Vec<f64>> {
        Ok(self.values(key)?.to_vec())
    }

    /// Finite numbers, as [`Get::numbers`], but without a copy.
    pub(crate) fn values(&self, key: &str) -> Result<&'c [f64]> {
        self.container.finite(&self.name(key))
    }

    /// One finite number.
    pub(crate) fn one(&self, key: &str) -> Result<f64> {
        Ok(self.container.finite_of(&self.name(key), 1)?[0])
    }

    pub(crate) fn one_or_nan(&self, key: &str) -> Result<f64> {
        let values = self.container.f64s(&self.name(key))?;
        self.check_len(key, values.len(), 1)?;
        Ok(values[0])
    }

    pub(crate) fn u64s(&self, key: &str) -> Result<&'c [u64]> {
        self.container.u64s(&self.name(key))
    }

    pub(crate) fn u32s(&self, key: &str) -> Result<&'c [u32]> {
        self.container.u32s(&self.name(key))
    }

    pub(crate) fn u8s(&self, key: &str) -> Result<&'c [u8]> {
        self.container.u8s(&self.name(key))
    }

    pub(crate) fn indices(&self, key: &str) -> Result<Vec<usize>> {
        Ok(self.u32s(key)?.iter().map(|&i| i as usize).collect())
    }

    /// Those that do not fit `usize` are its maximum, which is refused where it is used.
    pub(crate) fn sizes(&self, key: &str) -> Result<Vec<usize>> {
        Ok(self.u64s(key)?.iter().map(|&i| usize::try_from(i).unwrap_or(usize::MAX)).collect())
    }

    /// A matrix of finite numbers.
    pub(crate) fn matrix(&self, key: &str) -> Result<Dense> {
        self.container.matrix(&self.name(key))
    }

    pub(crate) fn grid(&self, key: &str) -> Result<&'c [f64]> {
        self.values(key)
    }

    pub(crate) fn strings(&self, key: &str) -> Result<Vec<&'c str>> {
        self.container.strings(&self.name(key))
    }

    pub(crate) fn dataset(&self, key: &str) -> Result<Dataset> {
        self.container.dataset(&self.name(key), self.field.get(key)?.value())
    }

    /// A finite number.
    pub(crate) fn number(&self, key: &str) -> Result<f64> {
        self.field.get(key)?.number()
    }

    pub(crate) fn count(&self, key: &str) -> Result<usize> {
        self.field.get(key)?.count()
    }

    pub(crate) fn flag(&self, key: &str) -> Result<bool> {
        self.field.get(key)?.flag()
    }

    pub(crate) fn word<T: Word>(&self, key: &str) -> Result<T> {
        let field = self.field.get(key)?;
        let word = field.text()?;
        let found = T::WORDS.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
        found.ok_or_else(|| field.fault(Code::ModelSyntax, format!("{} is not a valid {key}", shown(word))))
    }

    pub(crate) fn records<T: DeserializeOwned>(&self, key: &str) -> Result<Vec<T>> {
        self.list(&self.name(key), &self.field.get(key)?)
    }

    /// The items of a list that is stored under a name.
    pub(crate) fn list<T: DeserializeOwned>(&self, name: &str, field: &Field<'_>) -> Result<Vec<T>> {
        let list = self.container.list(name, field)?;
        let mut items = Vec::with_capacity(list.len());
        list.each(|_, item| {
            items.push(serde_json::from_value(item.value().clone()).map_err(|e| {
                let reason: String = e.to_string().chars().filter(|c| !c.is_control()).take(200).collect();
                item.fault(Code::ModelSyntax, reason)
            })?);
            Ok(())
        })?;
        Ok(items)
    }

    pub(crate) fn part<T: Stored>(&self, _: &str) -> Result<T> {
        T::get(self)
    }

    pub(crate) fn nested<T: Stored>(&self, key: &str) -> Result<T> {
        self.container.stored(self.prefix, &self.field.get(key)?)
    }

    pub(crate) fn optional<T: Stored>(&self, key: &str) -> Result<Option<T>> {
        let field = self.field.find(key)?;
        field.map(|field| self.container.stored(self.prefix, &field)).transpose()
    }

    /// Checks the length of a field.
    pub(crate) fn check_len(&self, key: &str, found: usize, expected: usize) -> Result<()> {
        self.container.check_len(&self.name(key), found, expected)
    }

    /// Checks a condition; the error names the entry of the document, if there is one.
    pub(crate) fn ensure(&self, ok: bool, key: &str, code: Code, reason: impl AsRef<str>) -> Result<()> {
        if ok {
            return Ok(());
        }
        let own = self.field.find(key)?;
        Err(own.as_ref().unwrap_or(self.field).fault(code, reason))
    }

    /// The result, with its error turned into one of this model file.
    pub(crate) fn fits<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|e| self.field.fault(Code::ModelCount, e.to_string()))
    }
}

/// The ends of concatenated pieces of these lengths.
pub(crate) fn ends(lengths: impl Iterator<Item = usize>) -> Vec<u64> {
    let sums = lengths.scan(0, |at, len| {
        *at += len as u64;
        Some(*at)
    });
    sums.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Sample {
        codes: Vec<usize>,
        weights: Vec<f64>,
        share: f64,
        map: Option<Dense>,
    }

    stored! { Sample: m, get {
        codes: indices = &m.codes;
        weights: numbers as "own-weights" = &m.weights, len codes.len();
        share: number = m.share, where share <= 1.0 => ModelSyntax "a share above 1";
        map: matrix when "mapped" = m.map.as_ref();
    } => Ok(Sample { codes, weights, share, map }) }

    #[test]
    fn declared_fields_are_written_read_and_checked() {
        for map in [None, Some(Dense::from_rows(&[[1.0, 2.0]]))] {
            let sample = Sample { codes: vec![2, 0], weights: vec![0.5, -1.0], share: 0.25, map };
            let mut file = Container::new(Value::Null);
            file.document = file.put_stored("s", &sample).unwrap();
            assert_eq!(file.document, json!({"share": 0.25, "mapped": sample.map.is_some()}));
            assert_eq!(file.stored::<Sample>("s", &file.root()).unwrap(), sample);
            let refused = |edit: &dyn Fn(&mut Container)| {
                let mut file = file.clone();
                edit(&mut file);
                file.stored::<Sample>("s", &file.root()).unwrap_err().to_string()
            };
            let shorter = refused(&|f| {
                f.arrays.insert("s/own-weights".into(), Array::list(vec![1.0]));
            });
            assert_eq!(shorter, "model E_MODEL_COUNT 's/own-weights' has 1 values, expected 2");
            let above = refused(&|f| f.document["share"] = json!(2));
            assert_eq!(above, "model E_MODEL_SYNTAX document/share: a share above 1");
            let unsaid = refused(&|f| f.document["mapped"] = json!("x"));
            assert_eq!(unsaid, "model E_MODEL_SYNTAX document/mapped: true or false is needed");
        }
    }
}
