//! Support vector machines: fit, then decision values.

use std::path::Path;
use std::time::Instant;

use mercer::data::{Categories, Dataset, Dense, Target, Vectors};
use mercer::gram::Engine;
use mercer::kernel::vector::{PreparedVectors, Rbf};
use mercer::kernel::{Kernel, Prepared};
use mercer::learn::svm::{Certificate, DecisionFunction, Svc, Svr};
use mercer::learn::{ClassCodes, Learner};
use mercer::select::{Grid, Score, Search, Split};
use mercer::solve::{GramColumns, KernelColumns};

use crate::{Outcome, data};

/// A learning task with its data in memory.
pub(crate) enum Task {
    /// A Gram matrix and C; decision values of all objects.
    Precomputed { gram: Dense, target: Vec<usize>, c: f64 },
    /// Objects and gamma; decision values of the first `shown` objects.
    Classes { x: Vectors, target: Vec<usize>, gamma: f64, shown: usize },
    /// Objects and numbers; predictions of all.
    Numbers { x: Vectors, target: Vec<f64> },
    /// A grid of C and gamma over splits; the mean accuracy of each grid point.
    Grid { data: Box<Dataset>, grid: Grid, splits: Vec<Split> },
    /// Decision values only.
    Decisions { support: Vectors, coefficients: Vec<f64>, x: Vectors },
}

impl Task {
    /// The task of that name, if there is one. `peers.py` has the same list.
    pub(crate) fn load(name: &str, folder: &Path) -> Outcome<Option<Self>> {
        let table = |name: &str, rows: usize| -> Outcome<(Dense, Vec<f64>)> {
            let all = data::dense(&folder.join(format!("{name}.f64")), rows)?;
            let d = all.cols() - 1;
            let values = (0..all.rows()).flat_map(|i| all.row(i)[..d].to_vec()).collect();
            let target = (0..all.rows()).map(|i| all.at(i, d)).collect();
            Ok((Dense::new(all.rows(), d, values)?, target))
        };
        let classes = |y: Vec<f64>| y.into_iter().map(|y| usize::from(y > 0.5)).collect::<Vec<_>>();
        Ok(Some(match name {
            "svc-precomputed-c1" | "svc-precomputed-c100" => {
                let (x, y) = table("classes-5k", usize::MAX)?;
                let gram = Engine::new().gram(&Rbf::new(0.02)?, &Vectors::from(x))?;
                let c = if name.ends_with("-c1") { 1.0 } else { 100.0 };
                Task::Precomputed { gram, target: classes(y), c }
            }
            "svc-rbf-20k" | "svc-rbf-20k-onedal" => {
                let (x, y) = table("classes-20k", usize::MAX)?;
                Task::Classes { x: x.into(), target: classes(y), gamma: 0.02, shown: 1000 }
            }
            "svc-a9a" => {
                let x = data::sparse(&folder.join("a9a.csr"))?;
                let target = classes(data::doubles(&folder.join("a9a.labels"))?);
                Task::Classes { x: x.into(), target, gamma: 0.05, shown: 1000 }
            }
            "svr-rbf" => {
                let (x, target) = table("numbers-6k", usize::MAX)?;
                Task::Numbers { x: x.into(), target }
            }
            "grid-search" => grid(&folder.join("grid.f64"))?,
            "svm-predict" => {
                let (x, _) = table("classes-20k", usize::MAX)?;
                let all = Vectors::from(x);
                let (first, second) = ((0..10_000).collect::<Vec<_>>(), (10_000..20_000).collect::<Vec<_>>());
                // The model of scikit-learn: every object at its bound, C = 1e-4, alternating classes, offset about 0.
                let coefficients = (0..10_000).map(|i| if i % 2 == 1 { 1e-4 } else { -1e-4 }).collect();
                Task::Decisions { support: all.select(&first), coefficients, x: all.select(&second) }
            }
            _ => return Ok(None),
        }))
    }

    /// Does the work once.
    pub(crate) fn run(&self) -> Outcome<Vec<f64>> {
        let engine = Engine::new();
        Ok(match self {
            Task::Precomputed { gram, target, c } => {
                let columns = GramColumns::new(gram)?;
                let model = Svc::new(*c).fit_columns(&columns, &ClassCodes::new(&target[..], 2))?;
                model.classifiers()[0].decisions_of(gram)?
            }
            Task::Classes { x, target, gamma, shown } => {
                let kernel = Rbf::new(*gamma)?;
                let set = kernel.prepare(x)?;
                let model = fit_classes(&engine, &kernel, &set, target)?;
                let some: Vec<usize> = (0..*shown).collect();
                decide(&engine, &kernel, &set, &set.select(&some), &model)?
            }
            Task::Numbers { x, target } => {
                let kernel = Rbf::new(0.05)?;
                let set = kernel.prepare(x)?;
                let columns = KernelColumns::<Vectors, _>::new(&engine, &kernel, &set);
                let model = Svr::new(10.0, 0.1).fit_columns(&columns, target)?;
                decide(&engine, &kernel, &set, &set, model.model())?
            }
            Task::Grid { data, grid, splits } => {
                let search = Search::new(data, grid, Score::Accuracy, &engine, 0)?;
                let scores = search.run(splits, None)?;
                // The order of the peer: all gammas of the first C, then of the next.
                let (gammas, cs) = (grid.kernels().len(), grid.learners().len());
                let point = |at: usize| (at % gammas) * cs + at / gammas;
                (0..grid.len()).map(|at| scores.mean(point(at)).unwrap_or(f64::NAN)).collect()
            }
            Task::Decisions { support, coefficients, x } => {
                let kernel = Rbf::new(0.02)?;
                let (set, new) = (kernel.prepare(support)?, kernel.prepare(x)?);
                engine.weighted_sums::<Vectors, _>(&kernel, &new, &set, coefficients)?
            }
        })
    }
}

/// Reads a table whose last columns are the class and the test fold of each object.
fn grid(path: &Path) -> Outcome<Task> {
    let all = data::dense(path, usize::MAX)?;
    let (n, d) = (all.rows(), all.cols() - 2);
    let values = (0..n).flat_map(|i| all.row(i)[..d].to_vec()).collect();
    let codes = (0..n).map(|i| u32::from(all.at(i, d) > 0.5)).collect();
    let classes = Categories::new(codes, vec!["0".into(), "1".into()])?;
    let table =
        Dataset::of_vectors(Dense::new(n, d, values)?).with_target("class", Target::Classes(classes))?;
    let split = |fold: usize| {
        let (test, train) = (0..n).partition(|&i| all.at(i, d + 1) as usize == fold);
        Split { repetition: 0, fold, train, test }
    };
    let grid = Grid::new(&"rbf(gamma=2^-15..2^3 step 2)".parse()?, &"svc(C=2^-5..2^15 step 2)".parse()?)?;
    Ok(Task::Grid { data: Box::new(table), grid, splits: (0..5).map(split).collect() })
}

fn fit_classes(
    engine: &Engine,
    kernel: &Rbf,
    set: &PreparedVectors,
    target: &[usize],
) -> Outcome<DecisionFunction> {
    let columns = KernelColumns::<Vectors, _>::new(engine, kernel, set);
    Ok(Svc::new(1.0).fit_columns(&columns, &ClassCodes::new(target, 2))?.classifiers()[0].clone())
}

fn decide(
    engine: &Engine,
    kernel: &Rbf,
    set: &PreparedVectors,
    new: &PreparedVectors,
    model: &DecisionFunction,
) -> Outcome<Vec<f64>> {
    let support = set.select(&model.support);
    let sums = engine.weighted_sums::<Vectors, _>(kernel, new, &support, &model.coefficients)?;
    Ok(sums.into_iter().map(|s| s - model.offset).collect())
}

/// Prints the growth of training time: a line per number of objects, with the counts of the certificate.
pub(crate) fn growth(folder: &Path) -> Outcome<()> {
    let all = data::dense(&folder.join("classes-40k.f64"), usize::MAX)?;
    let d = all.cols() - 1;
    for n in [5000, 10_000, 20_000, 40_000] {
        let values = (0..n).flat_map(|i| all.row(i)[..d].to_vec()).collect();
        let target: Vec<usize> = (0..n).map(|i| usize::from(all.at(i, d) > 0.5)).collect();
        let (engine, kernel) = (Engine::new(), Rbf::new(0.02)?);
        let set = kernel.prepare(&Vectors::from(Dense::new(n, d, values)?))?;
        let start = Instant::now();
        let fitted = fit_classes(&engine, &kernel, &set, &target)?;
        let Some(Certificate { iterations, rows_computed, free, bounded, .. }) = fitted.certificate else {
            return Err("the fit has no certificate".into());
        };
        let seconds = start.elapsed().as_secs_f64();
        println!("{n} {seconds} {iterations} {rows_computed} {}", free + bounded);
    }
    Ok(())
}
