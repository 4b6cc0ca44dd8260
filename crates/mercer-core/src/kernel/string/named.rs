//! Feature maps of strings: substrings by name, and their positions.

use super::{Counting, Describe, count_all, share};
use crate::data::{Sparse, Strings, Vectors};
use crate::error::Result;
use crate::kernel::{FeatureMap, Features};

impl<K: Counting + Send> FeatureMap<Strings> for K {
    /// One column for each feature of these strings, the most frequent first: other strings have other columns.
    fn named_features(&self, strings: &Strings, _coordinate: &dyn Fn(usize) -> String) -> Result<Features> {
        let counts = count_all(self, strings)?;
        let mut names: Vec<Option<String>> = vec![None; counts.hashes().len()];
        let mut unnamed = names.len();
        for text in strings.iter() {
            if unnamed == 0 {
                break;
            }
            describe(self, text, &mut |key, _, name| {
                if let Some(number) = counts.find(key)
                    && names[number as usize].is_none()
                {
                    names[number as usize] = Some(name());
                    unnamed -= 1;
                }
            });
        }
        let features = Features::counted(names, &counts)?;
        match &features.values {
            Vectors::Sparse(counts) if K::SHARES => {
                Ok(Features { values: shares(counts)?.into(), ..features })
            }
            _ => Ok(features),
        }
    }

    fn places(&self, strings: &Strings, object: usize, visit: &mut dyn FnMut(u128, &[u32])) -> Result<()> {
        describe(self, strings.get(object), &mut |key, start, _| visit(key, &[start]));
        Ok(())
    }
}

fn describe(kernel: &impl Counting, text: &str, visit: Describe<'_>) {
    let mut codes = Vec::new();
    kernel.alphabet().encode(text, &mut codes);
    kernel.describe(&codes, visit);
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
