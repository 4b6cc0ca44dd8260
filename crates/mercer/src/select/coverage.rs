//! How often sets and intervals hold the true value, measured on objects with a known target.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::data::{Dataset, Target};
use crate::error::Result;
use crate::model::{ConformalBy, Model, Regions, strata_of};

/// How often regions of a confidence hold the true value, and how large they are.
///
/// ```
/// use mercer::{data::embedded, gram::Engine, select::{Conformal, Coverage}};
/// let (flowers, engine) = (embedded::iris()?, Engine::new());
/// let rows = |odd: bool| (0..150).filter(|i| (i % 2 == 1) == odd).collect::<Vec<usize>>();
/// let (known, new) = (flowers.select(&rows(false)), flowers.select(&rows(true)));
/// let model = Conformal::default().fit(&known, &"standardize(rbf)".parse()?, &"svc".parse()?, 0, &engine)?;
/// let regions = model.predict_regions(&new, 0.9, &engine)?;
/// let found = Coverage::of(&model, &new, &regions)?.unwrap();
/// assert_eq!((found.all.objects, found.parts.len()), (75, 3));
/// assert!(found.all.coverage > 0.8);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Coverage {
    /// The confidence that was asked for.
    pub confidence: f64,
    /// The coverage that is guaranteed for it.
    pub guaranteed: f64,
    /// All objects.
    pub all: CoverageRow,
    /// The objects of each class; of each group, if the model was calibrated by a column; none for other numbers.
    pub parts: Vec<CoverageRow>,
}

/// The regions of some objects.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoverageRow {
    /// The class or group; empty for all objects.
    pub name: String,
    /// The objects with a known target.
    pub objects: usize,
    /// How many regions hold the true value.
    pub covered: usize,
    /// Their share.
    pub coverage: f64,
    /// The mean number of classes in a set, or the mean width of an interval; infinite if one is.
    pub size: f64,
    /// Sets without a class, or intervals without an end.
    pub extreme: usize,
}

impl CoverageRow {
    fn of(name: &str, held: &[(bool, f64)], classes: bool) -> Self {
        let objects = held.len();
        let covered = held.iter().filter(|(inside, _)| *inside).count();
        let is_extreme = |size: f64| if classes { size == 0.0 } else { size.is_infinite() };
        CoverageRow {
            name: name.to_owned(),
            objects,
            covered,
            coverage: covered as f64 / objects.max(1) as f64,
            size: held.iter().map(|(_, size)| size).sum::<f64>() / objects.max(1) as f64,
            extreme: held.iter().filter(|(_, size)| is_extreme(*size)).count(),
        }
    }
}

impl Coverage {
    /// Measures regions of a model on objects with a known target; `None` if none has one.
    pub fn of(model: &Model, data: &Dataset, regions: &Regions) -> Result<Option<Self>> {
        let (Some(target), Some(calibration)) = (data.target(), model.conformal()) else { return Ok(None) };
        let held = regions.holds(target, model.trained().classes());
        let names: Option<Vec<Option<String>>> = match (calibration.by(), target) {
            (ConformalBy::Column(name), _) => Some(strata_of(data, name)?),
            (_, Target::Classes(c)) => Some((0..c.len()).map(|i| c.get(i).map(str::to_owned)).collect()),
            _ => None,
        };
        let known: Vec<(bool, f64)> = held.iter().flatten().copied().collect();
        if known.is_empty() {
            return Ok(None);
        }
        let mut parts: BTreeMap<&str, Vec<(bool, f64)>> = BTreeMap::new();
        for (name, held) in names.iter().flatten().zip(&held) {
            if let (Some(name), Some(held)) = (name, held) {
                parts.entry(name).or_default().push(*held);
            }
        }
        let classes = matches!(target, Target::Classes(_));
        Ok(Some(Coverage {
            confidence: regions.confidence,
            guaranteed: calibration.method().guaranteed(regions.confidence),
            all: CoverageRow::of("", &known, classes),
            parts: parts.iter().map(|(name, held)| CoverageRow::of(name, held, classes)).collect(),
        }))
    }

    /// The coverage of both sets of objects together.
    #[must_use]
    pub fn and(mut self, other: Coverage) -> Self {
        self.all = self.all.and(&other.all);
        for part in other.parts {
            match self.parts.iter_mut().find(|p| p.name == part.name) {
                Some(own) => *own = own.and(&part),
                None => self.parts.push(part),
            }
        }
        self.parts.sort_by(|a, b| a.name.cmp(&b.name));
        self
    }
}

impl CoverageRow {
    fn and(&self, other: &CoverageRow) -> CoverageRow {
        let (objects, covered) = (self.objects + other.objects, self.covered + other.covered);
        let sizes = self.size * self.objects as f64 + other.size * other.objects as f64;
        CoverageRow {
            name: self.name.clone(),
            objects,
            covered,
            coverage: covered as f64 / objects.max(1) as f64,
            size: sizes / objects.max(1) as f64,
            extreme: self.extreme + other.extreme,
        }
    }
}
