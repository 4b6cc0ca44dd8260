//! The training molecules of a model, and the nearest of them to new ones: the domain in which predictions apply.

use std::sync::Arc;

use serde::Serialize;

use super::Model;
use crate::budget;
use crate::data::{Column, Dataset, Dense, Molecule, Target, Values};
use crate::error::{Code, Error, Result};
use crate::gram::{Engine, Silent};
use crate::kernel::Tanimoto;
use crate::kernel::molecule::Ecfp;
use crate::model::{Container, Field};

/// The most training molecules that a model stores.
const MOST_STORED: usize = 50_000;
/// New molecules that are compared at once.
const AT_ONCE: usize = 256;

/// The training molecules with their ids and targets.
pub(super) struct TrainingMolecules {
    column: String,
    molecules: Vec<Arc<Molecule>>,
    ids: Option<Vec<String>>,
    target: Option<Vec<String>>,
}

/// A training molecule near a new one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NearMolecule {
    /// Its index among the training objects.
    pub index: usize,
    /// Its id, if the training objects have ids.
    pub id: Option<String>,
    /// Its SMILES.
    pub smiles: String,
    /// Its class or number.
    pub target: Option<String>,
    /// The similarity: Tanimoto (min–max) of ECFP4 counts, whatever the kernel of the model.
    pub similarity: f64,
}

impl TrainingMolecules {
    /// Those of a data set, if the model uses exactly one column of molecules and there are not too many.
    pub(super) fn of(used: &Dataset, data: &Dataset) -> Option<Self> {
        let mut columns = used.columns().iter().filter_map(|c| match &c.values {
            Values::Molecules(all) => Some((c.name.clone(), all.clone())),
            _ => None,
        });
        let (column, molecules) = columns.next()?;
        if columns.next().is_some() || molecules.len() > MOST_STORED {
            return None;
        }
        let target = data.target().map(|target| match target {
            Target::Classes(known) => {
                (0..known.len()).map(|i| known.get(i).unwrap_or_default().to_owned()).collect()
            }
            Target::Numbers(numbers) => numbers.iter().map(f64::to_string).collect(),
        });
        Some(TrainingMolecules { column, molecules, ids: data.ids().map(<[String]>::to_vec), target })
    }

    /// As columns: the molecules, then targets and ids where they exist.
    fn to_dataset(&self) -> Result<Dataset> {
        let text = |name: &str, all: &[String]| {
            Column::new(name, Values::Text(all.iter().map(|t| Some(t.clone())).collect()))
        };
        let mut columns = vec![Column::new("molecule", Values::Molecules(self.molecules.clone()))];
        columns.extend(self.target.as_deref().map(|all| text("target", all)));
        columns.extend(self.ids.as_deref().map(|all| text("id", all)));
        Dataset::new(columns)
    }

    pub(super) fn put(&self, c: &mut Container) -> Result<serde_json::Value> {
        let data = c.put_dataset("training", &self.to_dataset()?)?;
        Ok(serde_json::json!({"column": self.column, "data": data}))
    }

    pub(super) fn get(c: &Container, field: Option<Field<'_>>) -> Result<Option<Self>> {
        let Some(field) = field else { return Ok(None) };
        let data = c.dataset("training", field.get("data")?.value())?;
        let texts = |name: &str| match data.column(name).ok().map(|c| &c.values) {
            Some(Values::Text(all)) => Some(all.iter().map(|t| t.clone().unwrap_or_default()).collect()),
            _ => None,
        };
        let Ok(Column { values: Values::Molecules(molecules), .. }) = data.column("molecule") else {
            return Err(field.fault(Code::ModelSyntax, "no training molecules"));
        };
        Ok(Some(TrainingMolecules {
            column: field.get("column")?.text()?.to_owned(),
            molecules: molecules.clone(),
            ids: texts("id"),
            target: texts("target"),
        }))
    }
}

impl Model {
    /// Whether it stores its training molecules, so that [`Model::nearest_molecules`] can find those near new ones.
    pub fn has_training_molecules(&self) -> bool {
        self.training.is_some()
    }

    /// The `most` training molecules nearest to each molecule, the most similar first: the Tanimoto (min–max) similarity
    /// of ECFP4 counts. A prediction for a molecule without similar ones is outside of the model's domain. Molecules
    /// without atoms have no neighbours.
    ///
    /// Models on one column of molecules store their training molecules, up to 50,000. Cost: one similarity per pair.
    ///
    /// ```
    /// use mercer::data::{Column, Dataset, Target, Values, parse_molecules};
    /// use mercer::{gram::Engine, model::Model};
    /// let molecules = |all: &[&str]| {
    ///     let all: Vec<_> = all.iter().map(|&s| Some(s)).collect();
    ///     Dataset::new(vec![Column::new("smiles", Values::Molecules(parse_molecules(&all)?))])
    /// };
    /// let data = molecules(&["CCO", "CCCO", "c1ccccc1", "c1ccccc1C"])?;
    /// let data = data.with_target("y", Target::Numbers(vec![1.0, 2.0, 3.0, 4.0]))?;
    /// let (kernel, learner) = ("tanimoto(ecfp)".parse()?, "ridge(lambda=0.1)".parse()?);
    /// let model = Model::fit(&data, &kernel, &learner, 0, &Engine::new())?;
    /// let near = model.nearest_molecules(&molecules(&["CCO"])?, 2, &Engine::new())?;
    /// assert_eq!((near[0][0].smiles.as_str(), near[0][0].similarity), ("CCO", 1.0));
    /// assert_eq!(near[0][1].smiles, "CCCO");
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn nearest_molecules(
        &self,
        data: &Dataset,
        most: usize,
        engine: &Engine,
    ) -> Result<Vec<Vec<NearMolecule>>> {
        let Some(training) = &self.training else {
            return Err(Error::usage(
                "this model stores no training molecules: models on one column of molecules do, if they were fitted by \
                 this version of the program",
            ));
        };
        let Values::Molecules(new) = &data.column(&training.column)?.values else {
            return Err(Error::Column {
                name: training.column.clone(),
                reason: "holds no molecules".into(),
                hint: Some("columns of molecules are read from SMILES: `type=COLUMN=molecules`".into()),
            });
        };
        let kernel = Tanimoto(Ecfp::new(2)?);
        let engine = engine.clone().with_progress(Arc::new(Silent));
        let known: Vec<usize> =
            (0..training.molecules.len()).filter(|&i| !training.molecules[i].is_empty()).collect();
        let chosen: Vec<Arc<Molecule>> = known.iter().map(|&i| training.molecules[i].clone()).collect();
        let known_set = engine.prepare(&kernel, &chosen[..])?;
        let mut out = vec![Vec::new(); new.len()];
        let there: Vec<usize> = (0..new.len()).filter(|&i| !new[i].is_empty()).collect();
        for part in there.chunks(AT_ONCE) {
            budget::check()?;
            let own: Vec<Arc<Molecule>> = part.iter().map(|&i| new[i].clone()).collect();
            let set = engine.prepare(&kernel, &own[..])?;
            let cross: Dense = engine.cross_of(&kernel, &set, &known_set)?;
            for (at, &i) in part.iter().enumerate() {
                let mut order: Vec<(f64, usize)> =
                    cross.row(at).iter().copied().zip(known.iter().copied()).collect();
                order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                let near = |&(similarity, index): &(f64, usize)| NearMolecule {
                    index,
                    id: training.ids.as_ref().and_then(|ids| ids.get(index)).cloned(),
                    smiles: training.molecules[index].text().to_owned(),
                    target: training.target.as_ref().and_then(|all| all.get(index)).cloned(),
                    similarity,
                };
                out[i] = order.iter().take(most).map(near).collect();
            }
        }
        Ok(out)
    }
}
