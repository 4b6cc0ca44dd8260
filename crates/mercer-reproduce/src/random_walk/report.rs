//! The results compared with the printed ones.

use super::study::mean;
use super::{Base, Half, Method, Published, RandomWalkOutcome, RandomWalkSettings, Tables, published};
use crate::error::Result;
use crate::select::compare::{
    Test, WinsTiesLosses, Zeros, five_by_two_f, sign_test, wilcoxon, wins_ties_losses,
};

/// The results of the study with statistical tests.
///
/// ```no_run
/// # use mercer_reproduce::random_walk::{Base, Problem, RandomWalkReport, RandomWalkSettings, study};
/// # let engine = mercer::gram::Engine::new();
/// let settings = RandomWalkSettings::quick(0);
/// let mut outcomes = Vec::new();
/// for problem in Problem::chosen(&["Balance1", "Balance"])? {
///     let loaded = problem.load(None, settings.seed)?.unwrap();
///     outcomes.push(study(&loaded, Base::Rbf, &settings, &engine, None)?);
/// }
/// println!("{}", RandomWalkReport::new(settings, outcomes, Vec::new())?.markdown());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RandomWalkReport {
    /// The settings used.
    pub settings: RandomWalkSettings,
    /// One for each base kernel and data set.
    pub outcomes: Vec<RandomWalkOutcome>,
    /// The data sets that were not found.
    pub absent: Vec<String>,
    /// Each walk against the simple SVM, over the data sets of tables I and II.
    pub counts: Vec<Count>,
}

/// A walk against the simple SVM over the data sets of table I or II.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Count {
    /// The base kernel.
    pub base: Base,
    /// The half of the table.
    pub half: Half,
    /// The walk.
    pub method: Method,
    /// The number of data sets on which the mean accuracy was better, equal, worse.
    pub measured: WinsTiesLosses,
    /// The sign test on the means; `None` for fewer than two data sets.
    pub sign: Option<Test>,
    /// Wilcoxon's signed-rank test on the means, likewise.
    pub wilcoxon: Option<Test>,
    /// The same three for the printed values, on the same data sets.
    pub published: WinsTiesLosses,
    /// See `published`.
    pub published_sign: Option<Test>,
    /// See `published`.
    pub published_wilcoxon: Option<Test>,
}

impl RandomWalkReport {
    /// Computes the tests. `absent` names the requested data sets that were not found.
    pub fn new(
        settings: RandomWalkSettings,
        outcomes: Vec<RandomWalkOutcome>,
        absent: Vec<String>,
    ) -> Result<Self> {
        let mut counts = Vec::new();
        for base in Base::ALL {
            let of_base: Vec<&RandomWalkOutcome> =
                outcomes.iter().filter(|o| o.base == base && o.tables == Tables::Various).collect();
            if of_base.is_empty() {
                continue;
            }
            for half in Half::ALL {
                for (at, &method) in settings.methods.iter().enumerate() {
                    counts.push(count(&of_base, base, half, method, at)?);
                }
            }
        }
        Ok(RandomWalkReport { settings, outcomes, absent, counts })
    }

    /// Whether the combined F test applies: it requires 5×2 folds.
    pub fn has_f_test(&self) -> bool {
        self.settings.repetitions == 5
    }

    /// The combined 5×2cv F test of a walk against the simple SVM; `None` if the splits are not 5×2.
    pub fn f_test(&self, outcome: &RandomWalkOutcome, walk: usize, half: Half) -> Option<Test> {
        let suits = self.has_f_test() && outcome.tables == Tables::Various;
        let walk = outcome.walks.get(walk).filter(|_| suits)?;
        five_by_two_f(&walk.scores(half), &outcome.plain_scores()).ok()
    }
}

fn count(
    outcomes: &[&RandomWalkOutcome],
    base: Base,
    half: Half,
    method: Method,
    at: usize,
) -> Result<Count> {
    let plain: Vec<f64> = outcomes.iter().map(|o| mean(o.plain_scores().into_iter())).collect();
    let walk = |o: &&RandomWalkOutcome| o.walks.get(at).map_or(0.0, |w| mean(w.scores(half).into_iter()));
    let walk: Vec<f64> = outcomes.iter().map(walk).collect();
    let rows: Vec<&Published> = outcomes.iter().filter_map(|o| row(base, &o.data)).collect();
    let printed = |column: usize| rows.iter().map(|r| r.half(half)[column]).collect::<Vec<_>>();
    let (measured, sign, signed_rank) = tests(&walk, &plain)?;
    let (published, published_sign, published_wilcoxon) = tests(&printed(method.column()), &printed(0))?;
    Ok(Count {
        base,
        half,
        method,
        measured,
        sign,
        wilcoxon: signed_rank,
        published,
        published_sign,
        published_wilcoxon,
    })
}

type Tests = (WinsTiesLosses, Option<Test>, Option<Test>);

fn tests(walk: &[f64], plain: &[f64]) -> Result<Tests> {
    if walk.is_empty() {
        return Ok((WinsTiesLosses::default(), None, None));
    }
    let count = wins_ties_losses(walk, plain)?;
    if walk.len() < 2 {
        return Ok((count, None, None));
    }
    Ok((count, Some(sign_test(walk, plain)?), Some(wilcoxon(walk, plain, Zeros::Wilcoxon)?)))
}

/// The printed row of a data set.
pub(super) fn row(base: Base, data: &str) -> Option<&'static Published> {
    published(base).iter().find(|row| row.data == data)
}
