//! The data sets of the paper, by its names, and stand-ins for those that are not at hand.

use std::path::{Path, PathBuf};

use crate::data::{Categories, Column, Dataset, Dense, Kind, Series, Target, Values, generate};
use crate::error::{Error, Result, nearest};
use crate::read::{self, Options, TargetKind};
use crate::select::Protocol;

/// A data set of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its name, spelt as in the paper.
    pub name: &'static str,
    /// Where it comes from.
    pub source: Source,
    /// The tables of the paper it belongs to, or stands in for.
    pub tables: Tables,
}

/// A pair of tables of the paper: one for the inner product, one for the heat kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tables {
    /// I and II: tables of UCI and generated data, 5×2 cross-validation.
    Various,
    /// III and IV: activities of persons, one person held out at a time.
    Activities,
    /// V and VI: folk dances, in a given split.
    Dances,
}

impl Tables {
    /// All of them, in the paper's order.
    pub const ALL: [Tables; 3] = [Tables::Various, Tables::Activities, Tables::Dances];
}

/// Where a data set comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// [`generate::by_name`] makes it.
    Generated(&'static str),
    /// A CSV file `NAME/NAME.csv` in a folder of UCI tables, the class in the column named.
    Table(&'static str, &'static str),
    /// Series of persons in a folder `timeseries/NAME`, averages of four time steps; `trials.csv` names the persons.
    Persons(&'static str),
    /// Series with a given split, in a folder `timeseries/NAME`.
    Split(&'static str),
}

/// The paper's data sets in its order, then the stand-ins.
pub const PROBLEMS: [Problem; 16] = [
    table("australian", "australian", "class"),
    table("diabetes", "pima_diabetes", "class"),
    table("liver-dis", "liver_bupa", "selector"),
    table("mamographic", "mammographic_masses", "Severity"),
    table("PlanRelax", "planning_relax", "class"),
    table("habberman", "haberman", "class"),
    table("Iris", "iris", "class"),
    generated("Balance1", "balance1"),
    generated("Balance", "balance"),
    generated("Balance3", "balance3"),
    table("Ecoli", "ecoli", "class"),
    generated("halfmoon", "half-moons"),
    generated("cocentral", "rings"),
    generated("swissroll", "swiss-roll"),
    Problem {
        name: "EEG_alcoholic_S1",
        source: Source::Persons("EEG_alcoholic_S1"),
        tables: Tables::Activities,
    },
    Problem { name: "BasicMotions", source: Source::Split("BasicMotions"), tables: Tables::Dances },
];

const fn table(name: &'static str, folder: &'static str, target: &'static str) -> Problem {
    Problem { name, source: Source::Table(folder, target), tables: Tables::Various }
}

const fn generated(name: &'static str, generator: &'static str) -> Problem {
    Problem { name, source: Source::Generated(generator), tables: Tables::Various }
}

/// A data set ready for the protocol.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The paper's name.
    pub name: String,
    /// The objects with their classes.
    pub data: Dataset,
    /// Whether features are standardised, by the mean and deviation of each training set. True of tables, whose features have scales of
    /// their own; generated features share one.
    pub scaled: bool,
    /// The number of missing values, which take the median of their column in each training set.
    pub gaps: usize,
    /// The tables of the paper it belongs to.
    pub tables: Tables,
}

impl Loaded {
    /// The outer splits: `repetitions` times two folds, one person held out, or the given split.
    pub(super) fn protocol(&self, repetitions: usize) -> Protocol {
        match self.tables {
            Tables::Various => Protocol::Folds { folds: 2, repetitions },
            Tables::Activities => Protocol::LeaveOneGroupOut,
            Tables::Dances => Protocol::TrainTest,
        }
    }
}

impl Problem {
    /// The data sets of these names, as in the paper or by the names of generators and folders; all without names.
    ///
    /// ```
    /// use mercer_reproduce::random_walk::Problem;
    /// let chosen = Problem::chosen(&["balance1", "swiss-roll"])?;
    /// assert_eq!(chosen.iter().map(|p| p.name).collect::<Vec<_>>(), ["Balance1", "swissroll"]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn chosen(names: &[impl AsRef<str>]) -> Result<Vec<Problem>> {
        if names.is_empty() {
            return Ok(PROBLEMS.to_vec());
        }
        let find = |name: &str| PROBLEMS.iter().position(|p| p.is_called(name));
        let mut places = Vec::new();
        for name in names.iter().map(AsRef::as_ref) {
            let Some(place) = find(name) else {
                let near = nearest(name, PROBLEMS.map(|p| p.name));
                let hint = near.first().map_or_else(String::new, |near| format!("; did you mean {near}?"));
                let known = PROBLEMS.map(|p| p.name).join(", ");
                return Err(Error::param("only", format!("'{name}'"), &format!("one of {known}{hint}")));
            };
            places.push(place);
        }
        places.sort_unstable();
        places.dedup();
        Ok(places.into_iter().map(|at| PROBLEMS[at]).collect())
    }

    fn is_called(&self, name: &str) -> bool {
        let other = match self.source {
            Source::Generated(name)
            | Source::Table(name, _)
            | Source::Persons(name)
            | Source::Split(name) => name,
        };
        name.eq_ignore_ascii_case(self.name) || name.eq_ignore_ascii_case(other)
    }

    /// The data set: generated, or read from the folder of data; `None` when there is no folder, or no data set of that name in
    /// it. Tables are looked for in the folder itself and in `tables` within it, series in `timeseries` within it.
    pub fn load(&self, folder: Option<&Path>, seed: u64) -> Result<Option<Loaded>> {
        let made = |data: Dataset, scaled: bool, gaps: usize| Loaded {
            name: self.name.to_owned(),
            data,
            scaled,
            gaps,
            tables: self.tables,
        };
        if let Source::Generated(generator) = self.source {
            return Ok(Some(made(generate::by_name(generator, seed)?, false, 0)));
        }
        let Some(folder) = folder else { return Ok(None) };
        let (table, target) = match self.source {
            Source::Generated(_) => return Ok(None),
            Source::Persons(name) => {
                return Ok(persons(&folder.join("timeseries").join(name), name)?.map(|d| made(d, true, 0)));
            }
            Source::Split(name) => {
                return Ok(split(&folder.join("timeseries").join(name), name)?.map(|d| made(d, true, 0)));
            }
            Source::Table(table, target) => (table, target),
        };
        let within = folder.join("tables");
        let places = [folder.join(table).join(table), folder.join(table), within.join(table).join(table)];
        let places = places.map(|p| p.with_extension("csv"));
        let Some(path) = places.iter().find(|p| p.is_file()) else { return Ok(None) };
        let target_kind = TargetKind::Classes;
        let options = Options { target: Some(target.into()), target_kind, ..Options::default() };
        let data = read::read(path, &options)?;
        if !matches!(data.target(), Some(Target::Classes(_))) {
            return Err(Error::usage(format!("{}: the target holds no classes", path.display())));
        }
        let mut gaps = 0;
        for column in data.columns() {
            let Values::Numbers(x) = &column.values else {
                return Err(Error::Column {
                    name: column.name.clone(),
                    reason: "the tables of this study hold numbers alone".into(),
                    hint: None,
                });
            };
            gaps += x.values().iter().filter(|v| v.is_nan()).count();
        }
        Ok(Some(made(data, true, gaps)))
    }
}

/// The file of that name, perhaps compressed.
fn file(folder: &Path, name: &str) -> Option<PathBuf> {
    [folder.join(name), folder.join(format!("{name}.gz"))].into_iter().find(|p| p.is_file())
}

/// Trials of persons as vectors: all channels, averages of four time steps.
fn persons(folder: &Path, name: &str) -> Result<Option<Dataset>> {
    let (Some(series), Some(trials)) = (file(folder, &format!("{name}.ts")), file(folder, "trials.csv"))
    else {
        return Ok(None);
    };
    let options = Options { kinds: [("subject".into(), Kind::Categories)].into(), ..Options::default() };
    let trials = read::read(&trials, &options)?;
    let Values::Categories(persons) = &trials.column("subject")?.values else {
        return Err(Error::usage("the persons of the trials are no categories"));
    };
    vectors(&read::read(&series, &Options::default())?, 4)?.with_groups("subject", persons.clone()).map(Some)
}

/// Series with a given split as vectors.
fn split(folder: &Path, name: &str) -> Result<Option<Dataset>> {
    let files = (file(folder, &format!("{name}_TRAIN.ts")), file(folder, &format!("{name}_TEST.ts")));
    let (Some(train), Some(test)) = files else { return Ok(None) };
    let options = Options::default();
    let both = crate::similarity::stacked(&read::read(&train, &options)?, &read::read(&test, &options)?)?;
    let data = vectors(&both, 1)?;
    both.test().map_or_else(|| Ok(data.clone()), |test| data.clone().with_test(test.to_vec())).map(Some)
}

/// Series of equal length as vectors of all their values, `width` time steps averaged.
fn vectors(data: &Dataset, width: usize) -> Result<Dataset> {
    let [Column { values: Values::Series(series), .. }] = data.columns() else {
        return Err(Error::usage("one column of series is expected"));
    };
    let rows: Vec<Series> = series.iter().map(|s| s.binned(width)).collect();
    let dim = rows.first().map_or(0, |s| s.values().len());
    if rows.iter().any(|s| s.values().len() != dim) {
        return Err(Error::usage("series of unequal length"));
    }
    let mut x = Dense::zeros(rows.len(), dim);
    rows.iter().enumerate().for_each(|(i, s)| x.row_mut(i).copy_from_slice(s.values()));
    let Some(Target::Classes(classes)) = data.target() else {
        return Err(Error::usage("series without classes"));
    };
    let classes: Categories = classes.clone();
    Dataset::of_vectors(x).with_target("class", Target::Classes(classes))
}
