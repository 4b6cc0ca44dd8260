//! Distances and nearest neighbours of time series.

use std::path::{Path, PathBuf};

use mercer::data::{Dataset, Series, Target, Values};
use mercer::distance::NegativeSquaredDistance;
use mercer::distance::series::{Band, ChannelChoice, Dtw, Nearest, learn_window};
use mercer::gram::Engine;
use mercer::kernel::series::GlobalAlignment;
use mercer::read::{Options, read};

use crate::workload::Product;
use crate::{Outcome, data};

/// Series in memory and the task on them.
pub(crate) enum Alignments {
    Dtw(Vec<Series>, Dtw),
    Gak(Vec<Series>, GlobalAlignment),
    /// Training and test sets.
    Window(Vec<(Dataset, Dataset)>),
}

impl Alignments {
    /// The workload of that name, if there is one. `peers.py` has the same list.
    pub(crate) fn load(name: &str, folder: &Path) -> Outcome<Option<Self>> {
        let walks = |channels: usize| -> Outcome<Vec<Series>> {
            let x = data::dense(&folder.join(format!("series-{channels}.f64")), usize::MAX)?;
            Ok((0..x.rows()).map(|i| Series::new(channels, x.row(i).to_vec())).collect::<Result<_, _>>()?)
        };
        Ok(Some(match name {
            "dtw-univariate" | "dtw-univariate-dtaidistance" => Alignments::Dtw(walks(1)?, Dtw::default()),
            "dtw-univariate-single" => Alignments::Dtw(walks(1)?, Dtw::default().single(true)),
            "dtw-multivariate" | "dtw-multivariate-dtaidistance" => {
                Alignments::Dtw(walks(6)?, Dtw::default())
            }
            "gak" => Alignments::Gak(walks(1)?, GlobalAlignment::new(2.0)?),
            "nearest-window" => {
                let sets = ["ItalyPowerDemand", "Trace"].into_iter();
                Alignments::Window(
                    sets.map(|name| Ok((archive(name, "TRAIN")?, archive(name, "TEST")?)))
                        .collect::<Outcome<_>>()?,
                )
            }
            _ => return Ok(None),
        }))
    }

    /// Does the work once.
    pub(crate) fn run(&self, engine: &Engine) -> Outcome<Product> {
        Ok(match self {
            Alignments::Dtw(x, dtw) => {
                Product::Gram(engine.distances(&NegativeSquaredDistance(*dtw), &x[..])?)
            }
            Alignments::Gak(x, kernel) => Product::Gram(engine.gram(kernel, &x[..])?),
            Alignments::Window(sets) => Product::Numbers(
                sets.iter().map(|(train, test)| errors(train, test)).collect::<Outcome<_>>()?,
            ),
        })
    }
}

/// Test errors of 1-NN with the window learned from the training set.
fn errors(train: &Dataset, test: &Dataset) -> Outcome<f64> {
    let ((known, classes), (new, truth)) = (parts(train)?, parts(test)?);
    // Archive files have no missing classes.
    let codes: Vec<u32> = (0..classes.len()).map(|i| classes.code(i).unwrap_or(u32::MAX)).collect();
    let learned = learn_window(known, &codes, ChannelChoice::default())?;
    let dtw = Dtw::default().within(Band::sakoe_chiba(learned.window)?);
    let found = Nearest::new(dtw, known)?.of(new)?;
    let wrong = found.iter().enumerate().filter(|(q, (i, _))| truth.get(*q) != classes.get(*i));
    Ok(wrong.count() as f64)
}

fn parts(data: &Dataset) -> Outcome<(&[Series], &mercer::data::Categories)> {
    match (&data.column("series")?.values, data.target()) {
        (Values::Series(series), Some(Target::Classes(classes))) => Ok((series, classes)),
        _ => Err("expected series with classes".into()),
    }
}

/// Reads the training or test set of a data set of the archive from the data folder.
fn archive(name: &str, which: &str) -> Outcome<Dataset> {
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let root = std::env::var_os("MERCER_DATA").map_or_else(default, PathBuf::from);
    let file = format!("{name}_{which}.ts");
    Ok(read(&root.join("timeseries").join(name).join(file), &Options::default())?)
}
