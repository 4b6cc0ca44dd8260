//! Forests of decision trees on mixed columns: the entry, its features and its step.

use std::sync::Arc;

use serde_json::{Value, json};

use super::columns::{Field, Scope};
use super::entry::Depends;
use super::features::FeatureTable;
use super::step::Step;
use super::tree::Call;
use crate::budget;
use crate::container::{Get, Put, Stored};
use crate::data::{Column, Dataset};
use crate::error::{Code, Result, Warning};
use crate::kernel::{Boxed, FeatureKey, Forest, ForestKernel, TreeArrays, TreeColumn, TreeColumnKind, Trees};

impl Field for [Column] {
    fn take<R>(data: &Dataset, columns: &[String], work: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        let columns = columns.iter().map(|name| data.column(name).cloned());
        work(&columns.collect::<Result<Vec<_>>>()?)
    }
}

/// Makes the kernel.
pub(super) fn forest(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    scope.on::<[Column], _>(call, fitted(call, scope)?)
}

/// Trees that do not use the target depend on the training objects alone.
pub(super) fn depends(call: &Call) -> Depends {
    match call.word("mode") {
        Ok("unsupervised") => Depends::Training,
        _ => Depends::Target,
    }
}

/// The forest of the training objects, or the stored one.
pub(super) fn fitted(call: &Call, scope: &Scope<'_>) -> Result<ForestKernel> {
    let forest: Forest = scope.declared(call)?;
    let kernel = match scope.fit.stored()? {
        None => {
            let (engine, columns) = (scope.fit.engine, scope.suitable(call)?);
            <[Column]>::take(scope.data, &columns, |columns| {
                let kernel = engine.run(|| forest.fit(columns, scope.data.target()))?;
                for (name, count) in Forest::merged_categories(kernel.trees(), columns) {
                    let message = format!(
                        "forest tells 63 of the {count} categories of '{name}' apart, the most frequent"
                    );
                    scope.fit.warn(Warning::new("W_CATEGORIES", message));
                }
                Ok(kernel)
            })?
        }
        Some(Step::Forest(trees)) => ForestKernel::restore(forest, trees)?,
        Some(other) => return Err(other.misplaced(Forest::FACTS.name)),
    };
    scope.fit.record(Step::Forest(Arc::clone(kernel.trees())));
    Ok(kernel)
}

/// The leaves that occur, as features named by their rules.
pub(super) fn table(call: &Call, scope: &Scope<'_>) -> Result<FeatureTable> {
    let kernel = fitted(call, scope)?;
    let leaves = <[Column]>::take(scope.data, &scope.suitable(call)?, |columns| kernel.leaves(columns))?;
    let mut present = leaves.clone();
    present.sort_unstable();
    present.dedup();
    budget::ask("the rules of leaves", budget::matrix_bytes(present.len(), 200, 1))?;
    let place = |leaf: &u32| present.partition_point(|known| known < leaf) as u32;
    let row = |own: &[u32]| own.iter().map(|leaf| (place(leaf), kernel.unit())).collect();
    let rows = leaves.chunks_exact(kernel.trees().len()).map(row).collect();
    let keys = present.iter().map(|&leaf| FeatureKey { part: 0, feature: leaf.into() }).collect();
    let names = kernel.trees().rules(&present);
    budget::check()?;
    Ok(FeatureTable::plain(names, rows, keys))
}

/// The arrays of all trees, and the columns as records.
impl Stored for Arc<Trees> {
    fn put(&self, put: &mut Put<'_>) -> Result<()> {
        let TreeArrays { sizes, coordinates, cuts, sets, missing } = self.arrays();
        put.u32s("sizes", sizes)?;
        put.u32s("coordinates", coordinates)?;
        put.values("cuts", cuts)?;
        put.u64s("sets", sets)?;
        put.u8s("missing", missing)?;
        put.records("columns", self.columns().columns().iter().map(record))
    }

    fn get(get: &Get<'_>) -> Result<Self> {
        let arrays = TreeArrays {
            sizes: get.u32s("sizes")?.to_vec(),
            coordinates: get.u32s("coordinates")?.to_vec(),
            cuts: get.numbers("cuts")?,
            sets: get.u64s("sets")?.to_vec(),
            missing: get.u8s("missing")?.to_vec(),
        };
        let (mut columns, mut width) = (Vec::new(), 0usize);
        get.container.list(&get.name("columns"), &get.field.get("columns")?)?.each(|_, column| {
            let kind = match column.find("levels")? {
                Some(levels) => {
                    let levels = levels.items()?;
                    let levels = levels.iter().map(|level| level.text().map(str::to_owned));
                    TreeColumnKind::Categories {
                        levels: levels.collect::<Result<_>>()?,
                        rest: column.get("rest")?.flag()?,
                    }
                }
                None => match column.find("width")? {
                    Some(width) => TreeColumnKind::Numbers(width.count()?),
                    None => TreeColumnKind::Times,
                },
            };
            width = width.saturating_add(kind.width());
            // A coordinate takes memory, whatever the file claims.
            if width > MOST_COORDINATES {
                return Err(column.fault(Code::ModelCount, "too many coordinates of trees"));
            }
            let name = column.get("name")?.text()?.to_owned();
            columns.push(TreeColumn { name, kind, gaps: column.get("gaps")?.flag()? });
            Ok(())
        })?;
        get.fits(Trees::from_arrays(columns, arrays)).map(Arc::new)
    }
}

/// Coordinates that trees in a file may have.
const MOST_COORDINATES: usize = 1 << 24;

fn record(column: &TreeColumn) -> Value {
    let TreeColumn { name, kind, gaps } = column;
    match kind {
        TreeColumnKind::Numbers(width) => json!({"name": name, "gaps": gaps, "width": width}),
        TreeColumnKind::Times => json!({"name": name, "gaps": gaps}),
        TreeColumnKind::Categories { levels, rest } => {
            json!({"name": name, "gaps": gaps, "levels": levels, "rest": rest})
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{Categories, Column, Dataset, Dense, Target, Times, Values};
    use crate::expression::{Expression, LinearRows};
    use crate::gram::Engine;
    use crate::model::Model;

    /// Patients: a number with gaps, a ward, a date; ill if the number is large or missing.
    fn patients(n: usize) -> Dataset {
        let mut random = crate::random::Random::new(9);
        let age: Vec<f64> =
            (0..n).map(|_| if random.below(5) == 0 { f64::NAN } else { random.below(90) as f64 }).collect();
        let ward: Vec<_> = (0..n).map(|_| Some(["a", "b", "c"][random.below(3)])).collect();
        let day: Vec<f64> = (0..n).map(|_| random.below(1_000_000) as f64 * 600.0).collect();
        let ill = age.iter().map(|v| Some(if v.is_nan() || *v > 50.0 { "ill" } else { "well" }));
        let classes = Target::Classes(Categories::from_values(ill.collect::<Vec<_>>()));
        Dataset::new(vec![
            Column::new("age", Values::Numbers(Dense::new(n, 1, age).unwrap())),
            Column::new("ward", Values::Categories(Categories::from_values(ward))),
            Column::new("day", Values::Times(Times::new(day))),
        ])
        .unwrap()
        .with_target("state", classes)
        .unwrap()
    }

    #[test]
    fn a_model_on_mixed_columns_with_gaps() {
        let (data, engine) = (patients(160), Engine::new());
        let (known, new) =
            (data.select(&(0..120).collect::<Vec<_>>()), data.select(&(120..160).collect::<Vec<_>>()));
        for learner in ["svc(C=10)", "ridge(lambda=0.1)", "knn(k=3)", "linear-svc(C=1)"] {
            let model = Model::fit(
                &known,
                &"forest(trees=50)".parse().unwrap(),
                &learner.parse().unwrap(),
                0,
                &engine,
            )
            .unwrap();
            let predicted = model.predict(&new, &engine).unwrap();
            let (Some(Target::Classes(a)), Some(Target::Classes(b))) = (&predicted.target, new.target())
            else {
                panic!("classes")
            };
            let right = (0..40).filter(|&i| a.get(i) == b.get(i)).count();
            assert!(right >= 36, "{learner}: {right} of 40");
            // From a file, without the training objects, and fitted on other numbers of threads: the same bits.
            let again = Model::from_bytes("m.mercer", &model.to_bytes().unwrap(), &engine).unwrap();
            assert_eq!(again.predict(&new, &engine).unwrap().decisions, predicted.decisions, "{learner}");
            for threads in [1, 3] {
                let other = Engine::new().with_threads(threads).unwrap();
                let model = Model::fit(&known, model.expression(), model.learner(), 0, &other).unwrap();
                assert_eq!(model.predict(&new, &other).unwrap().decisions, predicted.decisions, "{threads}");
            }
        }
    }

    #[test]
    fn leaves_explain_predictions() {
        let (data, engine) = (patients(100), Engine::new());
        for (kernel, learner) in
            [("forest(trees=20, depth=3)", "svc(C=10)"), ("forest(trees=20, depth=3)", "linear-svc(C=1)")]
        {
            let model =
                Model::fit(&data, &kernel.parse().unwrap(), &learner.parse().unwrap(), 0, &engine).unwrap();
            let new = data.select(&[0, 1, 2, 3]);
            let decisions = model.predict(&new, &engine).unwrap().decisions;
            for (i, why) in model.explain(&new, 3, &engine).unwrap().into_iter().enumerate() {
                assert!(
                    why.parts.iter().all(|p| p.feature.starts_with("tree ")),
                    "{:?}",
                    why.parts[0].feature
                );
                let sum = why.offset + why.parts.iter().map(|p| p.amount).sum::<f64>() + why.rest;
                assert!((sum - why.value).abs() < 1e-9, "{learner}: {sum} {}", why.value);
                assert!((why.value.abs() - decisions.at(i, 0).abs()).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn features_are_the_kernel() {
        let (data, engine) = (patients(60), Engine::new());
        let expression: Expression = "forest(trees=30)".parse().unwrap();
        let fitted = expression.fit(&data, &engine).unwrap();
        let k = engine.gram(&fitted.kernel, &data).unwrap();
        let features = expression.restored_features(&data, fitted.steps.clone()).unwrap();
        let rows = LinearRows::of(&expression, &fitted.kernel, &data, &engine).unwrap();
        assert_eq!(rows.get().unwrap().len(), 60);
        let x = features.values.to_dense();
        for i in 0..60 {
            for j in 0..60 {
                let dot: f64 = x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum();
                assert!((dot - k.at(i, j)).abs() < 1e-12);
            }
        }
        assert_eq!(features.names.len(), x.cols());
    }

    #[test]
    fn the_target_is_needed_unless_trees_do_without() {
        let engine = Engine::new();
        let data = patients(20);
        let bare = Dataset::new(data.columns().to_vec()).unwrap();
        let fit = |text: &str| text.parse::<Expression>().unwrap().fit(&bare, &engine).map(|f| f.steps.len());
        assert!(fit("forest").unwrap_err().to_string().contains("target"));
        assert_eq!(fit("forest(mode=unsupervised, trees=3)").unwrap(), 1);
    }
}
