//! The learner language: parses `svc(C=10, weights=balanced)` into a learner, and prints it.
//!
//! Learners are written like kernels: a name, and parameters by name or position, with ranges (`2^-5..2^15`) and lists
//! where a search may choose. `facts.rs` lists all learners; `fit.rs` makes a learner of [`crate::learn`] from the
//! settings and trains it.

mod facts;
mod fit;
mod left_out;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) mod trained;

use std::fmt;
use std::str::FromStr;

pub use facts::{LearnerFacts, Predicts, find_learner, learners};
pub use fit::Training;
pub use left_out::LeftOutPrediction;

use facts::{BLEND, Fit};

use super::learned::{Which, has_numbers, learned_call};
use super::parse::{Parser, default};
use super::registry::find;
use super::tree::Expression;
use super::value::{Setting, Value};
use crate::error::{Error, Result, nearest};
use crate::kernel::Parameter;

/// A learner written as text, checked against the list of learners.
///
/// Printing and parsing are inverse. `{}` leaves out parameters at their default; `{:#}` prints them all, for text
/// whose meaning must not change with the defaults.
///
/// ```
/// use mercer::expression::Learner;
/// let learner: Learner = "svc(C=2^-5..2^15, weights=balanced)".parse()?;
/// assert_eq!(learner.to_string(), "svc(C=2^-5..2^15, weights=balanced)");
/// assert_eq!(learner.choices()[0].1.len(), 21);
/// assert_eq!(learner.with("C", 10.0)?.to_string(), "svc(C=10, weights=balanced)");
/// assert_eq!(format!("{:#}", "ridge".parse::<Learner>()?), "ridge(lambda=1, intercept=no, landmarks=0)");
/// let error = "svc(C=-1)".parse::<Learner>().unwrap_err();
/// assert_eq!(error.to_string(), "learner:1:7 E_PARAM C = -1: must be a finite number above 0");
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// Fitting gives a [`Trained`](crate::learn::Trained) model:
///
/// ```
/// use mercer::data::{Categories, Dense, Target};
/// use mercer::expression::{Learner, Training};
/// use mercer::solve::GramColumns;
/// // Four points on a line, the linear kernel.
/// let x = [-2.0, -1.0, 1.0, 3.0f64];
/// let gram = Dense::new(4, 4, x.iter().flat_map(|a| x.iter().map(move |b| a * b)).collect())?;
/// let target = Target::Classes(Categories::from_values(["no", "no", "yes", "yes"].map(Some)));
/// let learner: Learner = "svc(C=10)".parse()?;
/// let trained = learner.fit(&GramColumns::new(&gram)?, &Training::of(&target))?;
/// assert!(trained.converged());
/// assert_eq!(trained.support(), [1, 2]);
/// let cross = Dense::from_rows(&[[-0.5, 0.5]]); // similarities of 0.5 to the points -1 and 1
/// let prediction = trained.predict(&cross, None)?;
/// assert_eq!(prediction.class(0), Some("yes"));
/// assert_eq!(prediction.columns, ["no|yes"]); // negative for no, positive for yes
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Learner {
    facts: &'static LearnerFacts,
    settings: Vec<Setting>,
}

/// The factor of the linear kernel of `gp(mean=linear)`: a slope along a standardised column has a hundred times the
/// standard deviation of the function.
const LINEAR_MEAN: f64 = 1e4;

impl Learner {
    /// The learner of a [blend](crate::model::Model::blend): a name that no text gives, because a blend has no parameters of its
    /// own and is not fitted as a whole.
    pub fn blend() -> Learner {
        Learner { facts: &BLEND, settings: Vec::new() }
    }

    /// Whether it is that of a blend.
    pub fn is_blend(&self) -> bool {
        self.facts.name == BLEND.name
    }

    /// Its documentation.
    pub fn facts(&self) -> &'static LearnerFacts {
        self.facts
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.facts.name
    }

    /// Whether it is fitted to explicit features by [`Learner::fit_features`], and not to similarities.
    pub fn needs_features(&self) -> bool {
        self.facts.features
    }

    /// Whether it can learn from explicit features, by [`Learner::fit_features`].
    pub fn takes_features(&self) -> bool {
        matches!(self.facts.fit, Fit::Both(..) | Fit::Features(_))
    }

    /// Every parameter with its setting, in the order of the list of learners.
    pub fn settings(&self) -> impl Iterator<Item = (&'static Parameter, &Setting)> {
        self.facts.parameters.iter().zip(&self.settings)
    }

    /// The setting of a parameter; the error for an unknown name lists the parameters.
    pub fn setting(&self, name: &str) -> Result<&Setting> {
        self.place(name).map(|at| &self.settings[at])
    }

    /// The kernel that it is fitted with, and the learner that is fitted.
    ///
    /// `gp` and `gpc` learn numbers of the kernel by the marginal likelihood: those at their defaults with `learn=defaults`,
    /// all continuous ones with `learn=all`. They are fitted with `learned(kernel)`, which learns them from the training
    /// objects of each fit. A kernel with ranges is searched instead, and its learner says `learn=none`. All other learners
    /// are fitted with the kernel as it is. `gp(mean=linear)` adds a linear kernel with a large factor, which is a linear mean
    /// whose slopes have a nearly flat prior. A model, and every configuration of a [`Grid`](crate::select::Grid), has them.
    ///
    /// ```
    /// use mercer::expression::{Expression, Learner};
    /// let gp: Learner = "gp".parse()?;
    /// let (kernel, _) = gp.with_kernel(&"rbf".parse()?)?;
    /// assert_eq!(kernel.brief(), "learned(rbf, which=defaults)");
    /// let written: Expression = "rbf(gamma=0.1)".parse()?;
    /// assert_eq!(gp.with_kernel(&written)?.0, written);
    /// assert_eq!(gp.with_kernel(&"rbf(gamma=[0.1, 1])".parse()?)?.1.to_string(), "gp(learn=none)");
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn with_kernel(&self, expression: &Expression) -> Result<(Expression, Learner)> {
        if self.word("mean").is_ok_and(|mean| mean == "linear") {
            // With a factor, a kernel without one is not weighted against the mean: its factor is that of the whole kernel.
            let text = format!("1*({expression}) + {LINEAR_MEAN}*standardize(linear)");
            return self.with("mean", "constant")?.with_kernel(&text.parse()?);
        }
        let as_written = || (expression.clone(), self.clone());
        if self.place("learn").is_err() {
            return Ok(as_written());
        }
        let which = match self.word("learn")? {
            "none" => return Ok(as_written()),
            "all" => Which::All,
            _ => Which::Defaults,
        };
        if !expression.choices().is_empty() {
            return Ok((expression.clone(), self.with("learn", "none")?));
        }
        if !has_numbers(expression, which) {
            return Ok(as_written());
        }
        let word = if which == Which::All { "all" } else { "defaults" };
        // What is still to be chosen is learned with the kernel.
        let settings = |name: &str| match name {
            "which" => Some(Setting::Fixed(word.into())),
            "noise" | "scale" | "mean" => self.setting(name).ok().filter(|s| !s.is_open()).cloned(),
            _ => None,
        };
        let kernel = learned_call(expression.clone(), settings)?;
        kernel.check_depth()?;
        Ok((kernel, self.clone()))
    }

    /// Whether its models give class probabilities: `gpc`, and others with `probability=yes`.
    ///
    /// ```
    /// use mercer::expression::Learner;
    /// assert!("svc(C=10, probability=yes)".parse::<Learner>()?.gives_probabilities());
    /// assert!(!"knn".parse::<Learner>()?.gives_probabilities());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn gives_probabilities(&self) -> bool {
        self.facts.probabilities || self.word("probability").is_ok_and(|word| word == "yes")
    }

    /// The same learner with one parameter fixed to a value of its domain.
    pub fn with(&self, name: &str, value: impl Into<Value>) -> Result<Learner> {
        let (at, value) = (self.place(name)?, value.into());
        let domain = self.facts.parameters[at].domain;
        match &value {
            Value::Number(v) => {
                domain.check(name, *v)?;
            }
            Value::Word(w) if !domain.has_word(w) => {
                return Err(Error::param(name, w, &domain.describe()));
            }
            Value::Word(_) => {}
        }
        let mut out = self.clone();
        out.settings[at] = Setting::Fixed(value);
        Ok(out)
    }

    /// The parameters that a search may choose from, in order, each with its values.
    pub fn choices(&self) -> Vec<(String, Vec<Value>)> {
        let open = self.settings().filter(|(_, s)| s.is_open());
        open.map(|(p, s)| (p.name.to_owned(), s.values())).collect()
    }

    /// The learner with all choices made: `picks[i]` is the position in the i-th list of [`Learner::choices`].
    pub fn pick(&self, picks: &[usize]) -> Result<Learner> {
        let wrong = || Error::usage("indices do not match the choices of the learner");
        let mut out = self.clone();
        let mut picks = picks.iter();
        for setting in out.settings.iter_mut().filter(|s| s.is_open()) {
            let pick = picks.next().ok_or_else(wrong)?;
            *setting = Setting::Fixed(setting.values().into_iter().nth(*pick).ok_or_else(wrong)?);
        }
        if picks.next().is_some() { Err(wrong()) } else { Ok(out) }
    }

    /// The same learner with other values to choose from: `lists[i]` replaces the i-th list of [`Learner::choices`]. Fails for
    /// values outside of a parameter's domain.
    pub(crate) fn with_choices(&self, lists: &[Vec<Value>]) -> Result<Learner> {
        let mut out = self.clone();
        for (setting, values) in out.settings.iter_mut().filter(|s| s.is_open()).zip(lists) {
            *setting = Setting::of(values);
        }
        out.to_string().parse()
    }

    fn place(&self, name: &str) -> Result<usize> {
        self.facts.parameters.iter().position(|p| p.name == name).ok_or_else(|| {
            let known: Vec<_> = self.facts.parameters.iter().map(|p| p.name).collect();
            let domain = format!("a parameter of {}: {}", self.facts.name, known.join(", "));
            Error::param("parameter", name, &domain)
        })
    }

    /// The number a parameter is fixed to.
    fn number(&self, name: &str) -> Result<f64> {
        let setting = self.setting(name)?;
        setting.number().ok_or_else(|| open(name, setting))
    }

    /// The word a parameter is fixed to.
    fn word(&self, name: &str) -> Result<&str> {
        let setting = self.setting(name)?;
        setting.word().ok_or_else(|| open(name, setting))
    }
}

fn open(name: &str, setting: &Setting) -> Error {
    Error::param(name, setting, "one value: a range is for a search to choose from")
}

impl PartialEq for Learner {
    fn eq(&self, other: &Self) -> bool {
        self.facts.name == other.facts.name && self.settings == other.settings
    }
}

impl FromStr for Learner {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut parser = Parser::new("learner", text)?;
        let Some((name, span)) = parser.name() else {
            return Err(parser.error(parser.here(), format!("expected a learner{}", parser.found())));
        };
        let Some(facts) = find_learner(&name) else {
            let near = nearest(&name, learners().iter().map(|f| f.name));
            let all: Vec<_> = learners().iter().map(|f| f.name).collect();
            let hint = match near.is_empty() {
                _ if find(&name).is_some() => {
                    format!("{name} is a kernel; the learners are {}", all.join(", "))
                }
                true => format!("the learners are {}", all.join(", ")),
                false => format!("did you mean {}?", near.join(" or ")),
            };
            return Err(parser.error(span, format!("there is no learner '{name}'")).with_hint(hint));
        };
        parser.skip(1);
        let mut settings: Vec<Option<Setting>> = facts.parameters.iter().map(|_| None).collect();
        if parser.take_symbol('(') {
            while !parser.take_symbol(')') {
                argument(&mut parser, facts, &mut settings)?;
                if !parser.peek_symbol(0, ')') && !parser.take_symbol(',') {
                    let reason = format!("expected ',' or ')'{}", parser.found());
                    return Err(parser.error(parser.here(), reason));
                }
            }
        }
        parser.end()?;
        let settings = facts.parameters.iter().zip(settings);
        let settings = settings.map(|(p, s)| s.map_or_else(|| default(p), Ok)).collect::<Result<_>>()?;
        Ok(Learner { facts, settings })
    }
}

fn argument(parser: &mut Parser<'_>, facts: &LearnerFacts, settings: &mut [Option<Setting>]) -> Result<()> {
    if let Some((name, span)) = parser.name().filter(|_| parser.peek_symbol(1, '=')) {
        parser.skip(2);
        return parser.named(facts.name, facts.parameters, &name, span, settings);
    }
    let Some(free) = settings.iter().position(Option::is_none) else {
        return Err(parser.error(parser.here(), format!("{} takes no further argument", facts.name)));
    };
    settings[free] = Some(parser.checked(&facts.parameters[free])?);
    Ok(())
}

impl fmt::Display for Learner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.facts.name)?;
        let shown = |(p, s): &(&Parameter, &Setting)| {
            f.alternate() || default(p).map_or(true, |default| default != **s)
        };
        let shown: Vec<_> = self.settings().filter(shown).collect();
        for (i, (parameter, setting)) in shown.iter().enumerate() {
            write!(f, "{}{}={setting}", if i > 0 { ", " } else { "(" }, parameter.name)?;
        }
        f.write_str(if shown.is_empty() { "" } else { ")" })
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Number(value)
    }
}

impl From<&str> for Value {
    fn from(word: &str) -> Self {
        Value::Word(word.to_owned())
    }
}
