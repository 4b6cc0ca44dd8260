//! The data sets of the paper, by its names.

use std::path::Path;

use crate::data::{Dataset, Target, Values, generate};
use crate::error::{Error, Result, nearest};
use crate::read::{self, Options, TargetKind};

/// A data set of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its name, spelt as in the paper.
    pub name: &'static str,
    /// Where it comes from.
    pub source: Source,
}

/// Where a data set comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// [`generate::by_name`] makes it.
    Generated(&'static str),
    /// A CSV file `NAME/NAME.csv` in a folder of UCI tables, the class in the column named.
    Table(&'static str, &'static str),
}

/// The paper's data sets in its order.
pub const PROBLEMS: [Problem; 14] = [
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
];

const fn table(name: &'static str, folder: &'static str, target: &'static str) -> Problem {
    Problem { name, source: Source::Table(folder, target) }
}

const fn generated(name: &'static str, generator: &'static str) -> Problem {
    Problem { name, source: Source::Generated(generator) }
}

/// A data set ready for the protocol.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The paper's name.
    pub name: String,
    /// The objects with their classes.
    pub data: Dataset,
    /// Whether features are standardised, by what each training part says. True of tables, whose features have scales of
    /// their own; generated features share one.
    pub scaled: bool,
    /// The number of missing values, which take the median of their column in each training part.
    pub gaps: usize,
}

impl Problem {
    /// The data sets of these names, as in the paper or by the names of generators and folders; all without names.
    ///
    /// ```
    /// use mercer::reproduce::random_walk::Problem;
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
            Source::Generated(name) | Source::Table(name, _) => name,
        };
        name.eq_ignore_ascii_case(self.name) || name.eq_ignore_ascii_case(other)
    }

    /// The data set: generated, or read from the folder of tables; `None` for a table when there is no folder, or none of
    /// its name in the folder.
    pub fn load(&self, folder: Option<&Path>, seed: u64) -> Result<Option<Loaded>> {
        let name = self.name.to_owned();
        let (table, target) = match self.source {
            Source::Generated(generator) => {
                let data = generate::by_name(generator, seed)?;
                return Ok(Some(Loaded { name, data, scaled: false, gaps: 0 }));
            }
            Source::Table(table, target) => (table, target),
        };
        let Some(folder) = folder else { return Ok(None) };
        let places = [folder.join(table).join(table), folder.join(table)].map(|p| p.with_extension("csv"));
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
        Ok(Some(Loaded { name, data, scaled: true, gaps }))
    }
}
