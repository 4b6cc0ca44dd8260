//! Imputation: missing values are replaced by statistics of the training objects.

use std::collections::HashMap;

use serde_json::json;

use crate::container::{Get, Put, Stored};
use crate::data::{Categories, Column, Dataset, Dense, Values};
use crate::error::{Code, Error, Result, Warning};

/// The replacement of missing values in each column.
#[derive(Clone, Debug, PartialEq)]
pub struct Filling {
    columns: Vec<(String, Fill)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Fill {
    /// A number for each coordinate.
    Numbers(Vec<f64>),
    /// A category; `None` if no training object has a value.
    Category(Option<String>),
}

impl Filling {
    /// The median of a number column, or its mean; the most frequent category of a categorical column, ties broken
    /// alphabetically.
    pub(super) fn fit(data: &Dataset, names: &[String], by_mean: bool) -> Result<(Filling, Vec<Warning>)> {
        let (mut columns, mut empty) = (Vec::new(), Vec::new());
        for name in names {
            let fill = match &data.column(name)?.values {
                Values::Numbers(x) => {
                    let middles = (0..x.cols()).map(|c| middle(x, c, by_mean));
                    // An overflowing mean is not usable either.
                    let known = middles.map(|m| m.filter(|m| m.is_finite()));
                    Fill::Numbers(known.map(|m| m.unwrap_or_else(|| note(name, &mut empty))).collect())
                }
                Values::Categories(c) => {
                    let frequent = most_frequent(c);
                    if frequent.is_none() {
                        note(name, &mut empty);
                    }
                    Fill::Category(frequent)
                }
                _ => continue,
            };
            columns.push((name.clone(), fill));
        }
        empty.dedup();
        let warnings = match empty.as_slice() {
            [] => Vec::new(),
            some => {
                let names = crate::data::list(some.iter().map(String::as_str));
                let message = format!("no training object has a value; missing numbers become 0: {names}");
                vec![Warning::new("W_EMPTY_COLUMN", message)]
            }
        };
        Ok((Filling { columns }, warnings))
    }

    /// The data set without missing values. Columns that were not fitted stay unchanged.
    pub(super) fn apply(&self, data: &Dataset) -> Result<Dataset> {
        let known: HashMap<&str, &Fill> = self.columns.iter().map(|(n, fill)| (n.as_str(), fill)).collect();
        let columns = data.columns().iter().map(|column| {
            let values = match (&column.values, known.get(column.name.as_str())) {
                (Values::Numbers(x), Some(Fill::Numbers(known))) if x.cols() == known.len() => {
                    let mut x = x.clone();
                    for i in 0..x.rows() {
                        let gaps = x.row_mut(i).iter_mut().zip(known).filter(|(v, _)| v.is_nan());
                        gaps.for_each(|(v, known)| *v = *known);
                    }
                    Values::Numbers(x)
                }
                (Values::Categories(c), Some(Fill::Category(Some(known)))) => {
                    let filled = (0..c.len()).map(|i| Some(c.get(i).unwrap_or(known)));
                    Values::Categories(Categories::from_values(filled))
                }
                // The kernel refuses a column of another width or type, with its own message.
                (other, _) => other.clone(),
            };
            Column::new(&column.name, values)
        });
        data.with_columns(columns.collect())
    }

    /// Checks that it fills exactly the columns among `names` that can be filled.
    pub(super) fn check(&self, data: &Dataset, names: &[String]) -> Result<()> {
        let mut known = self.columns.iter();
        for name in names {
            let values = &data.column(name)?.values;
            let fits = |fill: &Fill| match (fill, values) {
                (Fill::Numbers(x), Values::Numbers(_)) => x.len() == values.width(),
                (Fill::Category(_), Values::Categories(_)) => true,
                _ => false,
            };
            let can = matches!(values, Values::Numbers(_) | Values::Categories(_));
            if can && !known.next().is_some_and(|(n, fill)| n == name && fits(fill)) {
                return Err(Error::usage(format!("a stored imputation without column '{name}'")));
            }
        }
        match known.next() {
            None => Ok(()),
            Some((name, _)) => {
                Err(Error::usage(format!("a stored imputation of column '{name}', which is not imputed")))
            }
        }
    }
}

impl Stored for Filling {
    fn put(&self, put: &mut Put<'_>) -> Result<()> {
        let numbers = self.columns.iter().filter_map(|(_, fill)| match fill {
            Fill::Numbers(own) => Some(own),
            Fill::Category(_) => None,
        });
        put.values("numbers", numbers.flatten())?;
        let columns = self.columns.iter().map(|(name, fill)| match fill {
            Fill::Numbers(own) => json!({"name": name, "width": own.len()}),
            Fill::Category(known) => json!({"name": name, "category": known}),
        });
        put.records("columns", columns)
    }

    fn get(get: &Get<'_>) -> Result<Self> {
        let mut numbers = get.values("numbers")?;
        let mut columns = Vec::new();
        get.container.list(&get.name("columns"), &get.field.get("columns")?)?.each(|_, column| {
            let fill = match column.find("width")? {
                Some(width) => {
                    let width = width.count()?;
                    let Some((own, rest)) = numbers.split_at_checked(width) else {
                        let reason = format!("a width of {width}, but {} numbers are left", numbers.len());
                        return Err(column.fault(Code::ModelCount, reason));
                    };
                    numbers = rest;
                    Fill::Numbers(own.to_vec())
                }
                None => {
                    let known = column.find("category")?;
                    Fill::Category(known.map(|k| k.text().map(str::to_owned)).transpose()?)
                }
            };
            columns.push((column.get("name")?.text()?.to_owned(), fill));
            Ok(())
        })?;
        let reason = format!("{} numbers do not belong to any column", numbers.len());
        get.ensure(numbers.is_empty(), "numbers", Code::ModelCount, reason)?;
        Ok(Filling { columns })
    }
}

fn note(name: &str, empty: &mut Vec<String>) -> f64 {
    empty.push(name.to_owned());
    0.0
}

/// The median or mean of a coordinate's known values.
fn middle(x: &Dense, c: usize, by_mean: bool) -> Option<f64> {
    let mut known: Vec<f64> = (0..x.rows()).map(|i| x.at(i, c)).filter(|v| !v.is_nan()).collect();
    let n = known.len();
    if n == 0 {
        return None;
    }
    if by_mean {
        return Some(known.iter().sum::<f64>() / n as f64);
    }
    known.sort_unstable_by(f64::total_cmp);
    Some(if n % 2 == 1 { known[n / 2] } else { 0.5 * known[n / 2 - 1] + 0.5 * known[n / 2] })
}

fn most_frequent(c: &Categories) -> Option<String> {
    let mut counts = vec![0usize; c.levels().len()];
    (0..c.len()).filter_map(|i| c.code(i)).for_each(|code| counts[code as usize] += 1);
    let seen = counts.iter().zip(c.levels()).filter(|(count, _)| **count > 0);
    seen.max_by(|a, b| a.0.cmp(b.0).then(b.1.cmp(a.1))).map(|(_, name)| name.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::container::Container;

    const GAP: f64 = f64::NAN;

    fn data() -> Dataset {
        let numbers = Dense::new(5, 2, vec![1.0, GAP, 7.0, GAP, 2.0, GAP, GAP, GAP, 10.0, GAP]).unwrap();
        let names = [Some("b"), None, Some("a"), Some("b"), Some("a")];
        let columns = vec![
            Column::new("x", Values::Numbers(numbers)),
            Column::new("c", Values::Categories(Categories::from_values(names))),
        ];
        Dataset::new(columns).unwrap()
    }

    fn names() -> [String; 2] {
        ["x".into(), "c".into()]
    }

    #[test]
    fn medians_means_and_frequent_names() {
        let (by_median, warnings) = Filling::fit(&data(), &names(), false).unwrap();
        assert_eq!(by_median.columns[0].1, Fill::Numbers(vec![4.5, 0.0]));
        assert_eq!(by_median.columns[1].1, Fill::Category(Some("a".into())));
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].message.contains("become 0: x"), "{}", warnings[0]);
        let (by_mean, _) = Filling::fit(&data(), &names(), true).unwrap();
        assert_eq!(by_mean.columns[0].1, Fill::Numbers(vec![5.0, 0.0]));

        let filled = by_median.apply(&data()).unwrap();
        let Values::Numbers(x) = &filled.columns()[0].values else { panic!("numbers") };
        assert_eq!(x.values(), [1.0, 0.0, 7.0, 0.0, 2.0, 0.0, 4.5, 0.0, 10.0, 0.0]);
        let Values::Categories(c) = &filled.columns()[1].values else { panic!("categories") };
        assert_eq!((c.get(1), c.get(0)), (Some("a"), Some("b")));
    }

    #[test]
    fn stored_fillings_are_checked_against_columns() {
        let (filling, _) = Filling::fit(&data(), &names(), false).unwrap();
        assert!(filling.check(&data(), &names()).is_ok());
        assert!(filling.check(&data(), &names()[..1]).is_err());
        let fewer = Filling { columns: filling.columns[..1].to_vec() };
        assert!(fewer.check(&data(), &names()).is_err());
        let mut container = Container::new(Value::Null);
        let document = container.put_stored("step0", &filling).unwrap();
        let get = |document: &Value| container.stored::<Filling>("step0", &container.field(document));
        assert_eq!(get(&document).unwrap(), filling);
        let wide = json!({"columns": [{"name": "x", "width": 3}]});
        assert!(get(&wide).is_err());
        let narrow = json!({"columns": [{"name": "x", "width": 1}]});
        assert!(get(&narrow).is_err());
    }
}
