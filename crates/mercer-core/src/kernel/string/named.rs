//! Explicit features of strings: substrings by name, and their positions.

use super::{
    BlendedSpectrum, Counting, Describe, Spectrum, SymbolDistribution, WordDistribution, count_all, share,
};
use crate::data::{Sparse, Strings};
use crate::error::Result;
use crate::kernel::counts::NamedCounts;
use crate::kernel::{Explicit, Features};

/// A kernel on strings with explicit features.
#[doc(hidden)]
pub trait NamedStrings: Send + Sync {
    /// The features of strings. The columns are the features of these strings, the most frequent first.
    fn named(&self, strings: &Strings) -> Result<NamedCounts>;

    /// Calls `visit` for every occurrence of a feature in one string, with its first symbol.
    fn places(&self, text: &str, visit: Describe<'_>);
}

impl<K: Counting + Send> NamedStrings for K {
    fn named(&self, strings: &Strings) -> Result<NamedCounts> {
        let counts = count_all(self, strings)?;
        let mut names: Vec<Option<String>> = vec![None; counts.hashes().len()];
        let mut unnamed = names.len();
        for text in strings.iter() {
            if unnamed == 0 {
                break;
            }
            self.places(text, &mut |key, _, name| {
                if let Some(number) = counts.find(key)
                    && names[number as usize].is_none()
                {
                    names[number as usize] = Some(name());
                    unnamed -= 1;
                }
            });
        }
        let named = NamedCounts::new(names, &counts)?;
        Ok(if K::SHARES { NamedCounts { rows: shares(&named.rows)?, ..named } } else { named })
    }

    fn places(&self, text: &str, visit: Describe<'_>) {
        let mut codes = Vec::new();
        self.alphabet().encode(text, &mut codes);
        self.describe(&codes, visit);
    }
}

/// Rows divided by their totals.
fn shares(rows: &Sparse) -> Result<Sparse> {
    let row = |i: usize| -> Vec<(u32, f64)> {
        let (features, values) = rows.row(i);
        let total: f64 = values.iter().sum();
        features.iter().zip(values).map(|(&f, &v)| (f, share(v, total))).collect()
    };
    Sparse::from_rows(rows.dim(), &(0..rows.rows()).map(row).collect::<Vec<_>>())
}

macro_rules! explicit {
    ($($kernel:ty),*) => {$(
        impl Explicit<Strings> for $kernel {
            /// One column for each feature of these strings, the most frequent first: other strings have other columns.
            fn named_features(&self, strings: &Strings, _coordinate: &dyn Fn(usize) -> String) -> Result<Features> {
                let NamedCounts { names, rows, .. } = self.named(strings)?;
                Ok(Features { names, values: rows.into() })
            }
        }
    )*};
}

explicit!(Spectrum, BlendedSpectrum, SymbolDistribution, WordDistribution);
