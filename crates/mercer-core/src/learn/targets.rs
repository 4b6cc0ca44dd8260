//! Conversions between class codes, signs ±1 and decision values.

use crate::data::{Categories, Dense};
use crate::error::{Error, Result};

/// More classes than this indicate wrong codes, and would exhaust the memory with models.
const MOST_CLASSES: usize = 1 << 20;

/// Checks that there is one code below `classes` per object, and that at least two classes occur.
pub(super) fn check_codes(codes: &[usize], n: usize, classes: usize) -> Result<()> {
    if codes.len() != n {
        return Err(Error::Shape { expected: format!("{n} class codes"), found: format!("{}", codes.len()) });
    }
    if classes > MOST_CLASSES {
        return Err(Error::param("classes", classes, &format!("at most {MOST_CLASSES}")));
    }
    if let Some(index) = codes.iter().position(|&code| code >= classes) {
        let reason = format!("class code {} with {classes} classes", codes[index]);
        return Err(Error::Object { index, reason, hint: None });
    }
    if codes.iter().all(|code| Some(code) == codes.first()) {
        return Err(Error::usage("all objects belong to one class: a classifier needs at least two"));
    }
    Ok(())
}

/// The classes that occur, in the order of the levels, and the position of each object's class among them.
#[doc(hidden)]
pub fn classes_of(target: &Categories, n: usize) -> Result<(Vec<String>, Vec<usize>)> {
    if target.len() != n {
        return Err(Error::usage(format!("{} classes for {n} objects", target.len())));
    }
    let mut found = vec![false; target.levels().len()];
    for index in 0..n {
        match target.code(index) {
            Some(code) => found[code as usize] = true,
            None => return Err(Error::Missing { index, column: "target".into() }),
        }
    }
    let mut classes = Vec::new();
    let mut place = vec![0; found.len()];
    for (level, name) in target.levels().iter().enumerate().filter(|(level, _)| found[*level]) {
        place[level] = classes.len();
        classes.push(name.clone());
    }
    if classes.len() < 2 {
        let reason = format!("a classifier needs at least two classes, found {}", classes.len());
        return Err(Error::usage(reason));
    }
    let codes = (0..n).filter_map(|i| target.code(i)).map(|code| place[code as usize]).collect();
    Ok((classes, codes))
}

/// The targets ±1 of each binary classifier. Two classes give one classifier, with +1 for class 1; more classes give
/// one per class, with +1 for its members.
pub(super) fn sides(codes: &[usize], classes: usize) -> Vec<Vec<f64>> {
    let side = |own: usize| codes.iter().map(|&code| if code == own { 1.0 } else { -1.0 }).collect();
    if classes == 2 { vec![side(1)] } else { (0..classes).map(side).collect() }
}

/// The predicted class of each row of decision values, the inverse of [`sides`]. One value: class 1 if it is positive.
/// Otherwise the class of the largest value, the lowest class in a tie.
pub fn choose(decisions: &Dense) -> Vec<usize> {
    let best = |row: &[f64]| match row {
        [one] => usize::from(*one > 0.0),
        _ => (1..row.len()).fold(0, |best, c| if row[c] > row[best] { c } else { best }),
    };
    (0..decisions.rows()).map(|i| best(decisions.row(i))).collect()
}

/// The values, or an error at the first that overflowed.
pub(super) fn finite(values: Dense) -> Result<Dense> {
    match values.find_non_finite() {
        Some((row, col)) => Err(Error::NonFinite { row, col, overflow: true }),
        None => Ok(values),
    }
}

/// Rows of equal length as a matrix.
pub(super) fn stack(rows: &[Vec<f64>], cols: usize) -> Result<Dense> {
    Dense::new(rows.len(), cols, rows.concat())
}

/// One column as a matrix.
pub(super) fn column(values: &[f64]) -> Result<Dense> {
    Dense::new(values.len(), 1, values.to_vec())
}

/// Returns the number, or an error if it is 0.
pub(super) fn positive(name: &str, value: usize) -> Result<usize> {
    if value == 0 {
        return Err(Error::param(name, value, "at least 1"));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_checked() {
        assert!(check_codes(&[0, 1], 2, 2).is_ok());
        assert!(check_codes(&[0, 2, 2], 3, 4).is_ok());
        assert!(check_codes(&[0, 1], 3, 2).is_err());
        assert!(matches!(check_codes(&[0, 2], 2, 2), Err(Error::Object { index: 1, .. })));
        assert!(check_codes(&[1, 1], 2, 2).is_err());
        assert!(check_codes(&[], 0, 2).is_err());
        assert!(check_codes(&[0, 0], 2, 0).is_err());
        assert!(check_codes(&[0, 1], 2, usize::MAX).is_err());
    }

    #[test]
    fn signs_and_codes_round_trip() {
        assert_eq!(sides(&[0, 1], 2), vec![vec![-1.0, 1.0]]);
        for (codes, classes) in [(vec![0, 1, 1], 2), (vec![2, 0, 1, 3, 2], 4)] {
            let signs = sides(&codes, classes);
            let mut rows = Dense::zeros(codes.len(), signs.len());
            for (m, side) in signs.iter().enumerate() {
                (0..codes.len()).for_each(|i| rows.row_mut(i)[m] = side[i]);
            }
            assert_eq!(choose(&rows), codes);
        }
        assert_eq!(choose(&Dense::from_rows(&[[1.0, 3.0, 3.0]])), [1]);
        assert_eq!(choose(&Dense::from_rows(&[[0.0]])), [0]);
    }

    #[test]
    fn missing_or_single_classes_are_rejected() {
        let missing = Categories::from_values([Some("a"), None, Some("b")]);
        assert!(matches!(classes_of(&missing, 3), Err(Error::Missing { index: 1, .. })));
        assert!(classes_of(&Categories::from_values([Some("a"), Some("a")]), 2).is_err());
        assert!(classes_of(&missing, 2).is_err());
        let unused = Categories::from_values([Some("a"), Some("b"), Some("c")]).select(&[2, 0]);
        let (classes, codes) = classes_of(&unused, 2).unwrap();
        assert_eq!((classes, codes), (vec!["a".to_owned(), "c".to_owned()], vec![1, 0]));
    }
}
