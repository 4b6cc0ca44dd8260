//! Splitting schemes as values that can be printed and parsed.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result, nearest};

/// A scheme for splitting objects into training and test sets.
///
/// | text | meaning |
/// |---|---|
/// | `10-fold` | k folds, each the test set once; stratified when there are classes |
/// | `3x10-fold` | the same, repeated with different random orders |
/// | `5x2` | five repetitions of two folds (Dietterich 1998); `5x2-fold` is equivalent |
/// | `group-5-fold` | folds of whole groups, of about equal size, stratified as far as groups allow |
/// | `leave-one-out` | each object is the test set once |
/// | `leave-one-group-out` | each group is the test set once |
/// | `holdout(0.3)` | one test set with this share of the objects, stratified when there are classes |
/// | `group-holdout(0.5)` | the same with whole groups |
/// | `forward(5)` | objects in order of time, or in their order: each of five blocks is tested by what came before it |
/// | `train-test` | the training and test sets supplied with the data |
///
/// Folds and hold-outs accept a number of repetitions in front: `10xholdout(0.3)`, `3xgroup-5-fold`.
///
/// ```
/// use mercer::select::Protocol;
/// let protocol: Protocol = "3x10-fold".parse()?;
/// assert_eq!(protocol, Protocol::Folds { folds: 10, repetitions: 3 });
/// assert_eq!(protocol.to_string(), "3x10-fold");
/// assert_eq!(Protocol::FIVE_BY_TWO.to_string(), "5x2");
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Protocol {
    /// k-fold cross-validation with `folds` folds, repeated `repetitions` times.
    Folds {
        /// At least 2.
        folds: usize,
        /// At least 1.
        repetitions: usize,
    },
    /// As [`Protocol::Folds`], but no group is in two folds.
    GroupFolds {
        /// At least 2.
        folds: usize,
        /// At least 1.
        repetitions: usize,
    },
    /// Each object is tested once, by itself.
    LeaveOneOut,
    /// Each group is tested once, by itself.
    LeaveOneGroupOut,
    /// One test set, drawn `repetitions` times.
    Holdout {
        /// The share of objects in the test set, between 0 and 1.
        share: f64,
        /// At least 1.
        repetitions: usize,
    },
    /// As [`Protocol::Holdout`], but no group is in both the training and the test set.
    GroupHoldout {
        /// The share of objects in the test set, between 0 and 1.
        share: f64,
        /// At least 1.
        repetitions: usize,
    },
    /// Objects in the order of their times, or in their own order without times: `folds + 1` blocks of about equal size.
    /// Every block but the first is the test set once, and all earlier blocks are its training set. Objects of the same
    /// time are in the same block.
    Forward {
        /// At least 1.
        folds: usize,
    },
    /// The training and test sets supplied with the data.
    TrainTest,
    /// Splits listed by the caller: see [`Splits::given`](super::Splits::given).
    Given,
}

/// Upper bound on repetitions and folds; larger values are taken for typing errors.
const MOST: usize = 1_000_000;

impl Protocol {
    /// Five repetitions of stratified two-fold cross-validation, for the 5×2cv tests.
    pub const FIVE_BY_TWO: Protocol = Protocol::Folds { folds: 2, repetitions: 5 };

    /// k-fold cross-validation without repetition.
    pub fn folds(folds: usize) -> Self {
        Protocol::Folds { folds, repetitions: 1 }
    }

    /// Whether objects are split by groups, which the data must then have.
    pub fn is_grouped(&self) -> bool {
        matches!(
            self,
            Protocol::GroupFolds { .. } | Protocol::LeaveOneGroupOut | Protocol::GroupHoldout { .. }
        )
    }

    /// The same number of folds in the order of time.
    #[must_use]
    pub fn forward(self) -> Self {
        match self {
            Protocol::Folds { folds, .. } | Protocol::GroupFolds { folds, .. } => Protocol::Forward { folds },
            other => other,
        }
    }

    /// The same protocol, splitting whole groups.
    #[must_use]
    pub fn grouped(self) -> Self {
        match self {
            Protocol::Folds { folds, repetitions } => Protocol::GroupFolds { folds, repetitions },
            Protocol::LeaveOneOut => Protocol::LeaveOneGroupOut,
            Protocol::Holdout { share, repetitions } => Protocol::GroupHoldout { share, repetitions },
            other => other,
        }
    }

    /// How this protocol splits the training sets of an outer one: in the order of time if that does, and whole groups if
    /// the objects have any.
    ///
    /// ```
    /// use mercer::select::Protocol;
    /// let inner = Protocol::folds(5);
    /// assert_eq!(inner.within(&"group-10-fold".parse()?, true).to_string(), "group-5-fold");
    /// assert_eq!(inner.within(&"forward(3)".parse()?, false).to_string(), "forward(5)");
    /// # Ok::<(), mercer::Error>(())
    /// ```
    #[must_use]
    pub fn within(self, outer: &Protocol, has_groups: bool) -> Self {
        match outer {
            Protocol::Forward { .. } => self.forward(),
            _ if has_groups => self.grouped(),
            _ => self,
        }
    }

    /// The number of repetitions; 1 for protocols without repetitions.
    pub fn repetitions(&self) -> usize {
        match *self {
            Protocol::Folds { repetitions, .. }
            | Protocol::GroupFolds { repetitions, .. }
            | Protocol::Holdout { repetitions, .. }
            | Protocol::GroupHoldout { repetitions, .. } => repetitions,
            _ => 1,
        }
    }

    /// Checks that every number is within its domain.
    pub(super) fn check(&self) -> Result<()> {
        let whole = |name: &str, value: usize, low: usize| {
            let good = (low..=MOST).contains(&value);
            let domain = format!("a whole number from {low} to {MOST}");
            if good { Ok(()) } else { Err(Error::param(name, value, &domain)) }
        };
        whole("repetitions", self.repetitions(), 1)?;
        match *self {
            Protocol::Folds { folds, .. } | Protocol::GroupFolds { folds, .. } => whole("folds", folds, 2),
            Protocol::Forward { folds } => whole("folds", folds, 1),
            Protocol::Holdout { share, .. } | Protocol::GroupHoldout { share, .. }
                if !(share > 0.0 && share < 1.0) =>
            {
                Err(Error::param("share", share, "between 0 and 1, both excluded"))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.repetitions() != 1 {
            write!(f, "{}x", self.repetitions())?;
        }
        match self {
            Protocol::Folds { folds: 2, repetitions } if *repetitions != 1 => f.write_str("2"),
            Protocol::Folds { folds, .. } => write!(f, "{folds}-fold"),
            Protocol::GroupFolds { folds, .. } => write!(f, "group-{folds}-fold"),
            Protocol::LeaveOneOut => f.write_str("leave-one-out"),
            Protocol::LeaveOneGroupOut => f.write_str("leave-one-group-out"),
            Protocol::Holdout { share, .. } => write!(f, "holdout({share})"),
            Protocol::GroupHoldout { share, .. } => write!(f, "group-holdout({share})"),
            Protocol::Forward { folds } => write!(f, "forward({folds})"),
            Protocol::TrainTest => f.write_str("train-test"),
            Protocol::Given => f.write_str("given splits"),
        }
    }
}

impl FromStr for Protocol {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let protocol = parse(text.trim()).ok_or_else(|| unknown(text))?;
        protocol.check()?;
        Ok(protocol)
    }
}

fn parse(text: &str) -> Option<Protocol> {
    match text {
        "leave-one-out" => return Some(Protocol::LeaveOneOut),
        "leave-one-group-out" => return Some(Protocol::LeaveOneGroupOut),
        "train-test" => return Some(Protocol::TrainTest),
        _ => {}
    }
    if let Some(inside) = text.strip_prefix("forward(").and_then(|r| r.strip_suffix(')')) {
        return Some(Protocol::Forward { folds: whole(inside.trim())? });
    }
    let (repetitions, rest) = match text.split_once(['x', '×']) {
        Some((count, rest)) => (whole(count)?, rest),
        None => (1, text),
    };
    let (by_groups, rest) = match rest.strip_prefix("group-") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let plain = if let Some(inside) = rest.strip_prefix("holdout(").and_then(|r| r.strip_suffix(')')) {
        Protocol::Holdout { share: inside.trim().parse().ok()?, repetitions }
    } else if let Some(folds) = rest.strip_suffix("-fold") {
        Protocol::Folds { folds: whole(folds)?, repetitions }
    } else if text != rest && !by_groups {
        Protocol::Folds { folds: whole(rest)?, repetitions }
    } else {
        return None;
    };
    Some(if by_groups { plain.grouped() } else { plain })
}

/// Accepts digits only: `parse` would also accept a sign.
fn whole(text: &str) -> Option<usize> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

fn unknown(text: &str) -> Error {
    const NAMES: [&str; 10] = [
        "5x2",
        "10-fold",
        "3x10-fold",
        "group-5-fold",
        "leave-one-out",
        "leave-one-group-out",
        "holdout(0.3)",
        "group-holdout(0.5)",
        "forward(5)",
        "train-test",
    ];
    let near = nearest(text, NAMES);
    let hint = near.first().map_or_else(String::new, |name| format!("; did you mean {name}?"));
    Error::param("protocol", format!("'{text}'"), &format!("one of {}{hint}", NAMES.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_and_values() {
        for (text, value) in [
            ("5x2", Protocol::FIVE_BY_TWO),
            ("10-fold", Protocol::folds(10)),
            ("2-fold", Protocol::folds(2)),
            ("3x10-fold", Protocol::Folds { folds: 10, repetitions: 3 }),
            ("leave-one-out", Protocol::LeaveOneOut),
            ("leave-one-group-out", Protocol::LeaveOneGroupOut),
            ("group-5-fold", Protocol::GroupFolds { folds: 5, repetitions: 1 }),
            ("2xgroup-5-fold", Protocol::GroupFolds { folds: 5, repetitions: 2 }),
            ("holdout(0.3)", Protocol::Holdout { share: 0.3, repetitions: 1 }),
            ("10xholdout(0.25)", Protocol::Holdout { share: 0.25, repetitions: 10 }),
            ("group-holdout(0.5)", Protocol::GroupHoldout { share: 0.5, repetitions: 1 }),
            ("forward(5)", Protocol::Forward { folds: 5 }),
            ("train-test", Protocol::TrainTest),
        ] {
            assert_eq!(text.parse::<Protocol>().unwrap(), value);
            assert_eq!(value.to_string(), text);
        }
        for (text, value) in [
            (" 5×2 ", Protocol::FIVE_BY_TWO),
            ("5x2-fold", Protocol::FIVE_BY_TWO),
            ("1x7", Protocol::folds(7)),
        ] {
            assert_eq!(text.parse::<Protocol>().unwrap(), value);
        }
    }

    #[test]
    fn invalid_texts_are_rejected() {
        for text in [
            "",
            "x",
            "5x",
            "x2",
            "10",
            "1-fold",
            "0x2",
            "-3-fold",
            "+3-fold",
            "10 fold",
            "holdout",
            "holdout(0)",
            "holdout(1)",
            "holdout(NaN)",
            "holdout(inf)",
            "2x",
            "group-",
            "3xtrain-test",
            "forward",
            "forward()",
            "forward(0)",
            "forward(-1)",
            "2xforward(3)",
            "leave-one",
            "5xgroup-3",
            "99999999999999999999-fold",
            "9999999-fold",
        ] {
            assert!(text.parse::<Protocol>().is_err(), "{text}");
        }
        let message = "leave-one-uot".parse::<Protocol>().unwrap_err().to_string();
        assert!(message.contains("did you mean leave-one-out?"), "{message}");
    }

    proptest! {
        #[test]
        fn printing_and_parsing(kind in 0..4, folds in 2usize..1000, repetitions in 1usize..1000, share in 0.001f64..0.999) {
            let protocol = match kind {
                0 => Protocol::Folds { folds, repetitions },
                1 => Protocol::GroupFolds { folds, repetitions },
                2 => Protocol::Holdout { share, repetitions },
                _ => Protocol::GroupHoldout { share, repetitions },
            };
            prop_assert_eq!(protocol.to_string().parse::<Protocol>().unwrap(), protocol);
        }

        #[test]
        fn any_text_parses_or_fails_cleanly(text in "\\PC{0,12}") {
            if let Ok(protocol) = text.parse::<Protocol>() {
                prop_assert_eq!(protocol.to_string().parse::<Protocol>().unwrap(), protocol);
            }
        }
    }
}
