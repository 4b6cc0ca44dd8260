//! The tables of the study.

use std::path::Path;

use crate::data::{Categories, Dataset, Kind, Target, Values};
use crate::error::{Error, Result};
use crate::read::{self, Options, TargetKind};

/// A table of the study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its name in the paper.
    pub name: &'static str,
    /// The folder it is in.
    folder: &'static str,
    /// The file, without its extension.
    file: &'static str,
    /// Numeric columns that are category codes.
    coded: &'static [&'static str],
}

/// The tables, in the paper's order.
pub const PROBLEMS: [Problem; 5] = [
    Problem {
        name: "breast cancer",
        folder: "breast_cancer_ljubljana",
        file: "breast_cancer_ljubljana",
        coded: &["deg_malig"],
    },
    Problem { name: "hepatitis", folder: "hepatitis", file: "hepatitis", coded: &[] },
    Problem { name: "income", folder: "adult", file: "adult_first5000", coded: &[] },
    Problem { name: "mushroom", folder: "mushroom", file: "mushroom", coded: &[] },
    Problem { name: "votes", folder: "house_votes_84", file: "house_votes_84", coded: &[] },
];

/// The categorical columns and the classes of a table.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Its name in the paper.
    pub name: String,
    /// The attributes.
    pub attributes: Vec<Categories>,
    /// The class of each object.
    pub codes: Vec<usize>,
    /// The number of classes.
    pub classes: usize,
    /// The number of numeric columns, which are ignored.
    pub ignored: usize,
}

impl Problem {
    /// Reads the table from a folder of tables, if it is there.
    pub fn load(&self, folder: &Path) -> Result<Option<Loaded>> {
        let path = folder.join(self.folder).join(self.file).with_extension("csv");
        if !path.is_file() {
            return Ok(None);
        }
        let mut options = Options { target_kind: TargetKind::Classes, ..Options::default() };
        for name in self.coded {
            options.kinds.insert((*name).to_owned(), Kind::Categories);
        }
        // The last column is the target, whatever its name.
        if self.folder == "adult" {
            options.target = Some("income".into());
        }
        Loaded::new(self.name, &read::read(&path, &options)?).map(Some)
    }
}

impl Loaded {
    /// The categorical columns of a data set with classes.
    pub fn new(name: &str, data: &Dataset) -> Result<Self> {
        let Some(Target::Classes(classes)) = data.target() else {
            return Err(Error::usage(format!("{name}: no classes to learn")));
        };
        let code = |index: usize| {
            classes.code(index).map(|c| c as usize).ok_or_else(|| Error::Missing {
                index,
                column: data.target_name().unwrap_or("target").into(),
            })
        };
        let codes = (0..data.len()).map(code).collect::<Result<Vec<usize>>>()?;
        let attributes: Vec<Categories> = (data.columns().iter())
            .filter_map(|c| match &c.values {
                Values::Categories(values) => Some(values.clone()),
                _ => None,
            })
            .collect();
        if attributes.is_empty() {
            return Err(Error::usage(format!("{name}: no column of categories")));
        }
        Ok(Loaded {
            name: name.to_owned(),
            ignored: data.columns().len() - attributes.len(),
            attributes,
            codes,
            classes: classes.levels().len(),
        })
    }

    /// The largest number of values of an attribute, including missing.
    pub fn most_values(&self) -> usize {
        self.attributes.iter().map(|a| a.levels().len() + usize::from(a.has_gaps())).max().unwrap_or(0)
    }
}
