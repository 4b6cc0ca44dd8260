//! Columns, and the coordinates of columns of vectors, as what an explanation tells apart.

use std::fmt;

use crate::data::{Column, Dataset, Dense, Sparse, Values};
use crate::error::{Error, Result};

/// A column of a data set, or one coordinate of a column of vectors: what an explanation by columns tells apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Player {
    /// The name of the column.
    pub column: String,
    /// The coordinate, from 0, where the column has several.
    pub coordinate: Option<usize>,
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.column)?;
        self.coordinate.map_or(Ok(()), |at| write!(f, "[{}]", at + 1))
    }
}

impl Player {
    /// The columns of a data set, and the coordinates of each column of vectors, of which there may be `most` at most; a wider
    /// column counts as a whole.
    ///
    /// ```
    /// use mercer::{data::{Dataset, Dense}, expression::Player};
    /// let data = Dataset::of_vectors(Dense::from_rows(&[[5.9, 3.0], [6.9, 3.1]]));
    /// let names: Vec<String> = Player::of(&data, 100).iter().map(ToString::to_string).collect();
    /// assert_eq!(names, ["x[1]", "x[2]"]);
    /// ```
    pub fn of(data: &Dataset, most: usize) -> Vec<Player> {
        let of = |column: &Column| match column.values.width() {
            width if width > 1 && width <= most => Player::coordinates(&column.name, width),
            _ => vec![Player { column: column.name.clone(), coordinate: None }],
        };
        data.columns().iter().flat_map(of).collect()
    }

    pub(super) fn coordinates(column: &str, width: usize) -> Vec<Player> {
        (0..width).map(|at| Player { column: column.to_owned(), coordinate: Some(at) }).collect()
    }

    /// The values of this player among the objects.
    pub fn values(&self, data: &Dataset) -> Result<Values> {
        let values = &data.column(&self.column)?.values;
        let Some(at) = self.coordinate else { return Ok(values.clone()) };
        let n = values.len();
        match values {
            Values::Numbers(x) if at < x.cols() => {
                Ok(Values::Numbers(Dense::new(n, 1, (0..n).map(|i| x.at(i, at)).collect())?))
            }
            Values::Sparse(x) => {
                let one = |i: usize| {
                    let (features, values) = x.row(i);
                    let found = features.binary_search(&(at as u32)).ok();
                    found.map(|place| (0, values[place])).into_iter().collect::<Vec<(u32, f64)>>()
                };
                Ok(Values::Sparse(Sparse::from_rows(1, &(0..n).map(one).collect::<Vec<_>>())?))
            }
            other => Err(Error::Dimension { expected: at + 1, found: other.width() }),
        }
    }
}
