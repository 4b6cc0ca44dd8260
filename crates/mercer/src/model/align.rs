//! Converts new objects to the columns and column types a model was fitted to.

use crate::container::objects;
use crate::data::{Categories, Column, Dataset, Dense, Sparse, Values};
use crate::error::{Error, Result};

/// The objects `rows` of `new` with the columns of `training`, in their order.
///
/// Dense and sparse numbers are converted into each other, and so are categories, strings and text: they differ only in
/// storage. Sparse vectors may have fewer features than in training; the missing ones are zero.
pub(super) fn align(training: &Dataset, new: &Dataset, rows: &[usize]) -> Result<Dataset> {
    let columns = training.columns().iter().map(|known| {
        let found = new.column(&known.name)?;
        let values = convert(&known.values, found.values.select(rows), &known.name)?;
        Ok(Column::new(&known.name, values))
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    objects(columns, rows.len())
}

fn convert(known: &Values, found: Values, name: &str) -> Result<Values> {
    let width = known.width();
    Ok(match (known, found) {
        (Values::Numbers(_), Values::Numbers(x)) => {
            check_width(width, x.cols())?;
            Values::Numbers(x)
        }
        (Values::Numbers(_), Values::Sparse(x)) => {
            check_most(width, x.dim())?;
            let mut dense = Dense::zeros(x.rows(), width);
            (0..x.rows()).for_each(|i| x.scatter_row(i, dense.row_mut(i)));
            Values::Numbers(dense)
        }
        (Values::Sparse(_), Values::Sparse(x)) => {
            check_most(width, x.dim())?;
            Values::Sparse(x.with_dim(width)?)
        }
        (Values::Sparse(_), Values::Numbers(x)) => {
            check_most(width, x.cols())?;
            if let Some(index) = (0..x.rows()).find(|&i| x.row(i).iter().any(|v| v.is_nan())) {
                return Err(Error::Missing { index, column: name.to_owned() });
            }
            let row = |i| (0..).zip(x.row(i)).filter(|(_, v)| **v != 0.0).map(|(f, v)| (f, *v)).collect();
            let rows: Vec<Vec<(u32, f64)>> = (0..x.rows()).map(row).collect();
            Values::Sparse(Sparse::from_rows(width, &rows)?)
        }
        (Values::Categories(_), Values::Strings(v) | Values::Text(v)) => {
            Values::Categories(Categories::from_values(v.iter().map(Option::as_deref)))
        }
        (Values::Strings(_), Values::Categories(c)) => Values::Strings(names(&c)),
        (Values::Strings(_), Values::Text(v)) => Values::Strings(v),
        (Values::Text(_), Values::Categories(c)) => Values::Text(names(&c)),
        (Values::Text(_), Values::Strings(v)) => Values::Text(v),
        (Values::Precomputed(known), Values::Precomputed(found)) => {
            if known.references() != found.references() {
                return Err(Error::Shape {
                    expected: format!("similarities to {} training objects", known.references()),
                    found: format!("{}", found.references()),
                });
            }
            Values::Precomputed(found)
        }
        (known, found) if known.kind() == found.kind() => found,
        (known, found) => {
            return Err(Error::Column {
                name: name.to_owned(),
                reason: format!("holds {}; the model was fitted to {}", found.kind(), known.kind()),
                hint: Some(match known {
                    Values::Nodes(_) => "`edges=FILE` joins the nodes of a table, as in training".into(),
                    _ => "give the column the type it had in training".into(),
                }),
            });
        }
    })
}

fn names(c: &Categories) -> Vec<Option<String>> {
    (0..c.len()).map(|i| c.get(i).map(str::to_owned)).collect()
}

fn check_width(expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::Dimension { expected, found }) }
}

fn check_most(expected: usize, found: usize) -> Result<()> {
    if found <= expected { Ok(()) } else { Err(Error::Dimension { expected, found }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    fn one(values: Values) -> Dataset {
        Dataset::new(vec![Column::new("x", values)]).unwrap()
    }

    fn dense(rows: &[[f64; 2]]) -> Values {
        Values::Numbers(Dense::from_rows(rows))
    }

    fn sparse(dim: usize, rows: &[Vec<(u32, f64)>]) -> Values {
        Values::Sparse(Sparse::from_rows(dim, rows).unwrap())
    }

    #[test]
    fn dense_and_sparse_numbers_are_converted() {
        let (d, s) = (one(dense(&[[0.0, 2.0]])), one(sparse(2, &[vec![(1, 2.0)]])));
        for (training, new) in [(&d, &s), (&s, &d), (&s, &s), (&d, &d)] {
            assert_eq!(&align(training, new, &[0]).unwrap(), training);
        }
        let narrow = one(sparse(1, &[vec![(0, 3.0)], vec![]]));
        assert_eq!(align(&s, &narrow, &[1, 0]).unwrap(), one(sparse(2, &[vec![], vec![(0, 3.0)]])));
        assert_eq!(align(&d, &narrow, &[0]).unwrap(), one(dense(&[[3.0, 0.0]])));
        let wide = one(sparse(3, &[vec![]]));
        for training in [&s, &d] {
            assert_eq!(align(training, &wide, &[0]).unwrap_err().code(), Code::DimMismatch);
        }
        let gap = one(dense(&[[0.0, f64::NAN]]));
        assert_eq!(align(&s, &gap, &[0]).unwrap_err().code(), Code::Missing);
    }

    #[test]
    fn categories_strings_and_text_are_converted() {
        let texts = || vec![Some("a".to_owned()), None, Some("a".to_owned())];
        let kinds = [
            Values::Strings(texts()),
            Values::Text(texts()),
            Values::Categories(Categories::from_values([Some("a"), None, Some("a")])),
        ];
        for known in &kinds {
            for found in &kinds {
                let aligned = align(&one(known.clone()), &one(found.clone()), &[0, 1, 2]).unwrap();
                assert_eq!(aligned, one(known.clone()));
            }
        }
    }

    #[test]
    fn other_columns_and_other_orders() {
        let column = |name: &str, v: f64| Column::new(name, Values::Numbers(Dense::from_rows(&[[v]])));
        let training = Dataset::new(vec![column("a", 1.0), column("b", 2.0)]).unwrap();
        let new = Dataset::new(vec![column("c", 3.0), column("b", 2.0), column("a", 1.0)]).unwrap();
        assert_eq!(align(&training, &new, &[0]).unwrap(), training);
        let error = align(&new, &training, &[0]).unwrap_err();
        assert_eq!(error.to_string(), "E_COLUMN column 'c': is not in the data");
        let text = one(Values::Text(vec![None]));
        let error = align(&one(dense(&[[1.0, 2.0]])), &text, &[0]).unwrap_err();
        assert_eq!(error.to_string(), "E_COLUMN column 'x': holds text; the model was fitted to numbers");
        let none = Dataset::default();
        assert_eq!(align(&none, &training, &[0, 0, 0]).unwrap().len(), 3);
    }
}
