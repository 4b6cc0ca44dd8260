//! The calibration of a model: scores of objects it was not fitted to, stored with it.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use serde_json::{Value, json};

use super::Model;
use super::typical::Reference;
use crate::data::{Dataset, Values, list};
use crate::error::{Code, Error, Result, nearest};
use crate::gram::Engine;
use crate::learn::conformal::{CalibrationScores, ClassScore, RidgeLeaveOneOut};
use crate::model::{Array, Container, Field};

/// How calibration objects are kept apart from training objects.
///
/// | text | model | calibration objects | coverage of confidence 1 - α |
/// |---|---|---|---|
/// | `split`, `split(0.25)` | fitted to the rest | this share of the objects | at least 1 - α |
/// | `cv`, `cv(10)` | fitted to all objects | all, by the models of that many folds | at least 1 - 2α, about 1 - α |
/// | `jackknife` | fitted to all objects | all, by leave-one-out models in closed form | at least 1 - 2α, about 1 - α |
///
/// `jackknife` is for ridge with a kernel that is not itself fitted to the training objects.
///
/// ```
/// use mercer::model::ConformalMethod;
/// assert_eq!("cv".parse::<ConformalMethod>()?, ConformalMethod::Folds(10));
/// assert_eq!("split(0.3)".parse::<ConformalMethod>()?.to_string(), "split(0.3)");
/// assert!("split(1)".parse::<ConformalMethod>().is_err());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConformalMethod {
    /// One share of the objects, between 0 and 1, is for calibration alone.
    Split(f64),
    /// Every object is scored by a model fitted without its fold; at least two folds.
    Folds(usize),
    /// Every object is scored by a model fitted without it alone.
    Jackknife,
}

/// How strange a value is for an object.
///
/// | text | for | score |
/// |---|---|---|
/// | `least-ambiguous`, `adaptive`, `regularized` | classes | [`ClassScore`] |
/// | `absolute` | numbers | the distance from the prediction: intervals of equal width |
/// | `normalized` | numbers | the distance divided by the expected error of similar training objects: wider intervals where errors are larger |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConformalScore {
    /// The score of a class.
    Class(ClassScore),
    /// The absolute error.
    Absolute,
    /// The absolute error divided by the expected one.
    Normalized,
}

/// The strata within which coverage is guaranteed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConformalBy {
    /// All objects together.
    #[default]
    All,
    /// Every class by itself.
    Class,
    /// The objects with the same value in this column, which new objects need too.
    Column(String),
}

const METHODS: [&str; 3] = ["split", "cv", "jackknife"];
const SCORES: [&str; 5] = ["least-ambiguous", "adaptive", "regularized", "absolute", "normalized"];
/// The share of calibration objects, the number of folds, and the most folds.
const SHARE: f64 = 0.25;
const FOLDS: usize = 10;
const MOST_FOLDS: usize = 1000;

impl ConformalMethod {
    /// Checks that its number is within its domain.
    pub fn check(self) -> Result<()> {
        match self {
            ConformalMethod::Split(share) if !(share > 0.0 && share < 1.0) => {
                Err(Error::param("split", share, "a share between 0 and 1, both excluded"))
            }
            ConformalMethod::Folds(folds) if !(2..=MOST_FOLDS).contains(&folds) => {
                Err(Error::param("cv", folds, "a whole number of folds from 2 to 1000"))
            }
            _ => Ok(()),
        }
    }

    /// The coverage that is guaranteed for a confidence.
    pub fn guaranteed(self, confidence: f64) -> f64 {
        match self {
            ConformalMethod::Split(_) => confidence,
            ConformalMethod::Folds(_) | ConformalMethod::Jackknife => (2.0 * confidence - 1.0).max(0.0),
        }
    }
}

impl fmt::Display for ConformalMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConformalMethod::Split(share) => write!(f, "split({share})"),
            ConformalMethod::Folds(folds) => write!(f, "cv({folds})"),
            ConformalMethod::Jackknife => f.write_str("jackknife"),
        }
    }
}

impl FromStr for ConformalMethod {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        let (name, inside) = match text.strip_suffix(')').and_then(|t| t.split_once('(')) {
            Some((name, inside)) => (name.trim(), Some(inside.trim())),
            None => (text, None),
        };
        let unknown = || {
            let near = nearest(name, METHODS);
            let hint = near.first().map_or_else(String::new, |n| format!("; did you mean {n}?"));
            let domain = format!("split, split(0.25), cv, cv(10) or jackknife{hint}");
            Error::param("conformal", format!("'{text}'"), &domain)
        };
        let method = match (name, inside) {
            ("split", None) => ConformalMethod::Split(SHARE),
            ("cv", None) => ConformalMethod::Folds(FOLDS),
            ("jackknife", None) => ConformalMethod::Jackknife,
            ("split", Some(inside)) => ConformalMethod::Split(inside.parse().map_err(|_| unknown())?),
            ("cv", Some(inside)) => ConformalMethod::Folds(inside.parse().map_err(|_| unknown())?),
            _ => return Err(unknown()),
        };
        method.check()?;
        Ok(method)
    }
}

impl ConformalScore {
    /// The score for a target: [`ClassScore::LeastAmbiguous`] for classes, the absolute error for numbers.
    pub fn suiting(classes: bool) -> Self {
        if classes { ConformalScore::Class(ClassScore::default()) } else { ConformalScore::Absolute }
    }

    /// Whether it scores classes.
    pub fn is_of_classes(self) -> bool {
        matches!(self, ConformalScore::Class(_))
    }
}

impl fmt::Display for ConformalScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ConformalScore::Class(ClassScore::Adaptive) => "adaptive",
            ConformalScore::Class(ClassScore::Regularized) => "regularized",
            ConformalScore::Class(_) => "least-ambiguous",
            ConformalScore::Absolute => "absolute",
            ConformalScore::Normalized => "normalized",
        })
    }
}

impl FromStr for ConformalScore {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Ok(match text.trim() {
            "least-ambiguous" => ConformalScore::Class(ClassScore::LeastAmbiguous),
            "adaptive" => ConformalScore::Class(ClassScore::Adaptive),
            "regularized" => ConformalScore::Class(ClassScore::Regularized),
            "absolute" => ConformalScore::Absolute,
            "normalized" => ConformalScore::Normalized,
            other => {
                let near = nearest(other, SCORES);
                let hint = near.first().map_or_else(String::new, |n| format!("; did you mean {n}?"));
                let domain = format!("one of {}{hint}", list(SCORES));
                return Err(Error::param("conformal score", format!("'{other}'"), &domain));
            }
        })
    }
}

impl fmt::Display for ConformalBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConformalBy::All => f.write_str("all"),
            ConformalBy::Class => f.write_str("class"),
            ConformalBy::Column(name) => write!(f, "column {name}"),
        }
    }
}

/// The calibration of a model: see [`Conformal`](crate::select::Conformal), which makes it.
pub struct Calibration {
    pub(super) method: ConformalMethod,
    pub(super) score: ConformalScore,
    pub(super) by: ConformalBy,
    /// The score, the fold and the stratum of each calibration object.
    pub(super) scores: Vec<f64>,
    pub(super) folds: Vec<usize>,
    pub(super) strata: Vec<usize>,
    /// The names of the strata: classes, or values of a column; one without a name for all objects.
    pub(super) names: Vec<String>,
    /// The model of each fold; none if the model itself was fitted without the calibration objects.
    pub(super) models: Vec<Model>,
    /// For normalised scores: the model of the expected error of each fold, and what is added to it.
    pub(super) errors: Vec<(Model, f64)>,
    /// What objects are compared with to tell how typical they are.
    pub(super) reference: Option<Reference>,
    pub(super) sorted: CalibrationScores,
    /// The leave-one-out models, made when first needed.
    pub(super) left_out: OnceLock<RidgeLeaveOneOut>,
}

/// What a calibration is made from.
#[doc(hidden)]
pub struct CalibrationParts {
    pub method: ConformalMethod,
    pub score: ConformalScore,
    pub by: ConformalBy,
    pub scores: Vec<f64>,
    pub folds: Vec<usize>,
    pub strata: Vec<usize>,
    pub names: Vec<String>,
    pub models: Vec<Model>,
    pub errors: Vec<(Model, f64)>,
}

impl Calibration {
    /// How calibration objects were kept apart from training objects.
    pub fn method(&self) -> ConformalMethod {
        self.method
    }

    /// How strange values are scored.
    pub fn score(&self) -> ConformalScore {
        self.score
    }

    /// The strata within which coverage is guaranteed.
    pub fn by(&self) -> &ConformalBy {
        &self.by
    }

    /// The number of calibration objects.
    pub fn objects(&self) -> usize {
        self.scores.len()
    }

    /// The number of calibration objects of each stratum, with its name; one stratum without a name for all objects.
    pub fn strata(&self) -> impl Iterator<Item = (&str, usize)> {
        self.names.iter().enumerate().map(|(s, name)| (name.as_str(), self.sorted.objects(s)))
    }

    fn new(parts: CalibrationParts, reference: Option<Reference>) -> Result<Self> {
        let CalibrationParts { method, score, by, scores, folds, strata, names, models, errors } = parts;
        let sorted = CalibrationScores::new(&scores, &folds, &strata)?;
        let left_out = OnceLock::new();
        Ok(Calibration {
            method,
            score,
            by,
            scores,
            folds,
            strata,
            names,
            models,
            errors,
            reference,
            sorted,
            left_out,
        })
    }

    pub(super) fn put(&self, c: &mut Container) -> Result<Value> {
        let whole = |all: &[usize]| Array::list(all.iter().map(|&i| i as u64).collect::<Vec<_>>());
        c.insert("conformal/scores", Array::list(self.scores.clone()))?;
        c.insert("conformal/folds", whole(&self.folds))?;
        c.insert("conformal/strata", whole(&self.strata))?;
        for (i, model) in self.models.iter().enumerate() {
            c.insert(format!("conformal/model/{i}"), Array::list(model.to_bytes()?))?;
        }
        for (i, (model, _)) in self.errors.iter().enumerate() {
            c.insert(format!("conformal/error/{i}"), Array::list(model.to_bytes()?))?;
        }
        let names = self.names.iter().map(|n| n.as_str().into()).collect();
        let names = c.put_list("conformal/names", names)?;
        let reference = self.reference.as_ref().map(|r| r.put(c)).transpose()?;
        let column = match &self.by {
            ConformalBy::Column(name) => Some(name),
            _ => None,
        };
        Ok(json!({
            "method": self.method.to_string(), "score": self.score.to_string(), "names": names,
            "by": match self.by { ConformalBy::All => "all", ConformalBy::Class => "class", _ => "column" },
            "column": column, "models": self.models.len(),
            "added": self.errors.iter().map(|(_, added)| *added).collect::<Vec<_>>(), "reference": reference,
        }))
    }

    pub(super) fn get(c: &Container, field: Option<Field<'_>>, engine: &Engine) -> Result<Option<Self>> {
        let Some(field) = field else { return Ok(None) };
        let wrong = |e: Error| field.fault(Code::ModelSyntax, format!("the calibration: {e}"));
        let method: ConformalMethod = field.get("method")?.text()?.parse().map_err(wrong)?;
        let score: ConformalScore = field.get("score")?.text()?.parse().map_err(wrong)?;
        let by = match field.get("by")?.text()? {
            "all" => ConformalBy::All,
            "class" => ConformalBy::Class,
            "column" => ConformalBy::Column(field.get("column")?.text()?.to_owned()),
            other => return Err(field.fault(Code::ModelSyntax, format!("calibration by '{other}'"))),
        };
        let mut names = Vec::new();
        c.list("conformal/names", &field.get("names")?)?.each(|_, name| {
            names.push(name.text()?.to_owned());
            Ok(())
        })?;
        let whole = |name: &str| -> Result<Vec<usize>> {
            let wrong = || c.fault(Code::ModelCount, format!("'{name}': not a number of a fold or stratum"));
            c.u64s(name)?.iter().map(|&v| usize::try_from(v).map_err(|_| wrong())).collect()
        };
        let (folds, strata) = (whole("conformal/folds")?, whole("conformal/strata")?);
        let scores = c.f64s("conformal/scores")?.to_vec();
        let count = field.get("models")?.count()?;
        let added = field.get("added")?.items()?;
        let added = added.iter().map(|a| a.number()).collect::<Result<Vec<_>>>()?;
        let model = |name: String| -> Result<Model> {
            let inner = Container::from_bytes(&name, c.u8s(&name)?)?;
            // A calibration within a calibration would let a file of any depth load.
            if inner.root().find("conformal")?.is_some() {
                return Err(c.fault(Code::ModelSyntax, format!("'{name}': a calibrated model of a fold")));
            }
            Model::from_container(&inner, engine)
        };
        if count > c.arrays.len() || added.len() > c.arrays.len() {
            return Err(field.fault(Code::ModelCount, format!("{count} models of folds")));
        }
        let models = (0..count).map(|i| model(format!("conformal/model/{i}"))).collect::<Result<Vec<_>>>()?;
        let errors = added.iter().enumerate().map(|(i, a)| Ok((model(format!("conformal/error/{i}"))?, *a)));
        let errors = errors.collect::<Result<Vec<_>>>()?;
        let known = if method == ConformalMethod::Jackknife { scores.len() } else { models.len().max(1) };
        let normalized = score == ConformalScore::Normalized;
        if folds.iter().any(|f| *f >= known)
            || strata.iter().any(|s| *s >= names.len())
            || (normalized && errors.len() != models.len().max(1))
            || errors.iter().any(|(_, added)| added.is_nan() || *added < 0.0)
        {
            return Err(
                field.fault(Code::ModelCount, "the calibration has scores of unknown folds or strata")
            );
        }
        let reference = Reference::get(c, field.find("reference")?)?;
        let parts = CalibrationParts { method, score, by, scores, folds, strata, names, models, errors };
        Calibration::new(parts, reference).map(Some).map_err(wrong)
    }
}

impl Model {
    /// The calibration; `None` for a model fitted without one. [`Conformal::fit`](crate::select::Conformal::fit) makes a
    /// calibrated model.
    pub fn conformal(&self) -> Option<&Calibration> {
        self.conformal.as_deref()
    }

    /// The same model with a calibration, and reference objects for [`Model::typicality`] from the training objects.
    #[doc(hidden)]
    pub fn calibrated(
        mut self,
        parts: CalibrationParts,
        training: &Dataset,
        engine: &Engine,
    ) -> Result<Model> {
        let reference = Reference::of(&self, training, engine)?;
        self.conformal = Some(Box::new(Calibration::new(parts, reference)?));
        Ok(self)
    }

    /// The same model without what only a whole model needs, to be stored in another.
    #[doc(hidden)]
    #[must_use]
    pub fn bare(mut self) -> Model {
        (self.training, self.reading, self.note, self.conformal) = (None, None, None, None);
        self.warnings.clear();
        self
    }
}

/// The value of each object in a column, as text; `None` where it is missing.
#[doc(hidden)]
pub fn strata_of(data: &Dataset, name: &str) -> Result<Vec<Option<String>>> {
    if let (Some(groups), true) = (data.groups(), data.group_name() == Some(name)) {
        return Ok((0..groups.len()).map(|i| groups.get(i).map(str::to_owned)).collect());
    }
    Ok(match &data.column(name)?.values {
        Values::Categories(c) => (0..c.len()).map(|i| c.get(i).map(str::to_owned)).collect(),
        Values::Strings(v) | Values::Text(v) => v.clone(),
        Values::Numbers(x) if x.cols() == 1 => {
            (0..x.rows()).map(|i| Some(x.at(i, 0)).filter(|v| !v.is_nan()).map(|v| v.to_string())).collect()
        }
        other => {
            return Err(Error::Column {
                name: name.to_owned(),
                reason: format!("holds {}, which do not name a group", other.kind()),
                hint: Some("calibrate by a column of categories, text or numbers".into()),
            });
        }
    })
}
