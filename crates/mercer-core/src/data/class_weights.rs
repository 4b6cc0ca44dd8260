//! Class weights: factors of the cost of errors, by class name.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// A factor of the cost of errors for each class: none, balanced, or given by name.
///
/// Written as `none`, `balanced` or a list `class:weight, class:weight`. Classes that are not listed have weight 1. A
/// name with a comma, a quote or spaces around it must be in double quotes, with quotes inside doubled; the last colon
/// of an item ends the name.
///
/// ```
/// use mercer_core::data::ClassWeights;
/// let weights: ClassWeights = "spam:8, ham:0.5".parse()?;
/// let classes = ["ham".to_owned(), "spam".to_owned(), "other".to_owned()];
/// assert_eq!(weights.factors(&classes, &classes, &[0, 1, 2])?, Some(vec![0.5, 8.0, 1.0]));
/// // Balanced: n / (classes · members).
/// let balanced = ClassWeights::Balanced.factors(&classes[..2], &classes, &[0, 0, 0, 1])?;
/// assert_eq!(balanced, Some(vec![4.0 / 6.0, 2.0]));
/// assert_eq!(weights.to_string(), "spam:8, ham:0.5");
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum ClassWeights {
    /// No weights: each object counts equally.
    None,
    /// n / (classes · members) for each class, so that all classes have the same total weight.
    Balanced,
    /// The given weights, finite and above 0; each name occurs once.
    Given(Vec<(String, f64)>),
}

impl ClassWeights {
    /// The factor of each class of a training set, given the class of each object; `None` if all are 1.
    ///
    /// `known` lists all classes of the data set: a weight for any other class is an error. A known class without
    /// members in this training set needs no factor.
    pub fn factors(&self, classes: &[String], known: &[String], codes: &[usize]) -> Result<Option<Vec<f64>>> {
        let given = match self {
            ClassWeights::None => return Ok(None),
            ClassWeights::Balanced => {
                let mut members = vec![0usize; classes.len()];
                codes.iter().for_each(|&c| members[c] += 1);
                let all = codes.len() as f64;
                let factor = |m: usize| all / (classes.len() as f64 * m as f64);
                return Ok(Some(members.into_iter().map(factor).collect()));
            }
            ClassWeights::Given(given) => given,
        };
        if let Some((unknown, _)) = given.iter().find(|(name, _)| !known.contains(name)) {
            let domain = format!("the weight of one of the classes {}", known.join(", "));
            return Err(Error::param("class weight", unknown, &domain));
        }
        let of = |class: &String| given.iter().find(|(name, _)| name == class).map_or(1.0, |(_, w)| *w);
        Ok(Some(classes.iter().map(of).collect()))
    }
}

impl FromStr for ClassWeights {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "none" => return Ok(ClassWeights::None),
            "balanced" => return Ok(ClassWeights::Balanced),
            _ => {}
        }
        let wrong = || Error::param("weights", text, DOMAIN);
        let mut given: Vec<(String, f64)> = Vec::new();
        let mut rest = text;
        loop {
            let (name, after) = match rest.trim_start().strip_prefix('"') {
                Some(quoted) => {
                    let (name, after) = until_quote(quoted).ok_or_else(wrong)?;
                    (name, after.trim_start().strip_prefix(':').ok_or_else(wrong)?)
                }
                None => {
                    let end = rest.find(',').unwrap_or(rest.len());
                    let colon = rest[..end].rfind(':').ok_or_else(wrong)?;
                    (rest[..colon].trim().to_owned(), &rest[colon + 1..])
                }
            };
            let end = after.find(',').unwrap_or(after.len());
            let weight: f64 = after[..end].trim().parse().map_err(|_| wrong())?;
            if !(weight.is_finite() && weight > 0.0) || given.iter().any(|(other, _)| *other == name) {
                return Err(wrong());
            }
            given.push((name, weight));
            if end == after.len() {
                return Ok(ClassWeights::Given(given));
            }
            rest = &after[end + 1..];
        }
    }
}

/// Description of valid class weights, to follow "must be".
pub(crate) const DOMAIN: &str =
    "none, balanced, or class:weight for each class, as in \"spam:8, ham:1\", weights finite and above 0";

/// The text before the closing quote, with doubled quotes inside, and the rest after it.
fn until_quote(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut rest = text;
    loop {
        let close = rest.find('"')?;
        name.push_str(&rest[..close]);
        rest = &rest[close + 1..];
        match rest.strip_prefix('"') {
            Some(more) => {
                name.push('"');
                rest = more;
            }
            None => return Some((name, rest)),
        }
    }
}

impl fmt::Display for ClassWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClassWeights::None => f.write_str("none"),
            ClassWeights::Balanced => f.write_str("balanced"),
            ClassWeights::Given(given) => {
                for (i, (name, weight)) in given.iter().enumerate() {
                    f.write_str(if i > 0 { ", " } else { "" })?;
                    match name.contains([',', '"']) || name.trim() != name {
                        true => write!(f, "\"{}\"", name.replace('"', "\"\""))?,
                        false => f.write_str(name)?,
                    }
                    write!(f, ":{weight}")?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn printing_and_parsing_are_inverse(names in prop::collection::btree_set("[a-c :,\"0-2'é-]{0,6}", 1..5), at in 0.001..1000.0f64) {
            let given = names.into_iter().enumerate().map(|(i, name)| (name, at / (1 + i) as f64)).collect();
            let weights = ClassWeights::Given(given);
            prop_assert_eq!(weights.to_string().parse::<ClassWeights>().unwrap(), weights);
        }
    }

    #[test]
    fn malformed_lists_of_weights_are_errors() {
        for text in [
            "", "a", "a:", "a:x", "a:0", "a:-1", "a:inf", "a:nan", "a:1,", "a:1, a:2", "\"a:1", "\"a\"1", ":",
        ] {
            assert!(text.parse::<ClassWeights>().is_err(), "{text}");
        }
        let colons: ClassWeights = "12:30:2, \"x, y\":3".parse().unwrap();
        assert_eq!(colons, ClassWeights::Given(vec![("12:30".into(), 2.0), ("x, y".into(), 3.0)]));
    }

    #[test]
    fn unknown_classes_are_errors_but_absent_ones_are_not() {
        let known = ["a", "b", "c"].map(str::to_owned);
        let weights: ClassWeights = "c:2, a:3".parse().unwrap();
        assert_eq!(weights.factors(&known[..2], &known, &[0, 1]).unwrap(), Some(vec![3.0, 1.0]));
        assert!(weights.factors(&known[..2], &known[..2], &[0, 1]).is_err());
    }
}
