//! Model files: those of past versions, damaged ones, and crafted ones.

mod crafted;
mod damage;
mod golden;
mod make;
mod saved;

use std::path::PathBuf;

use mercer::learn::Prediction;
use mercer::model::{Container, Model};

use crate::support::engine;

/// The folder of models that every version must load.
fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// A stored model, with new objects and its predictions for them.
struct Golden {
    name: String,
    bytes: Vec<u8>,
    /// The objects and the predictions: see `make.rs`.
    answers: Container,
}

impl Golden {
    /// All golden models, by name.
    fn all() -> Vec<Golden> {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder()).unwrap().map(|e| e.unwrap().path()).collect();
        paths.sort_unstable();
        let models = paths.iter().filter(|p| p.extension().is_some_and(|e| e == "mercer" || e == "model"));
        models
            .map(|path| Golden {
                name: path.file_stem().unwrap().to_string_lossy().into_owned(),
                bytes: std::fs::read(path).unwrap(),
                answers: Container::read(&path.with_extension("answers")).unwrap(),
            })
            .collect()
    }

    /// Whether it is a file of this program; LIBSVM's have no checksum.
    fn is_own(&self) -> bool {
        self.bytes.starts_with(&self.bytes[..8]) && self.bytes.get(8) == Some(&b'{')
    }

    fn load(&self) -> Model {
        Model::from_bytes(&self.name, &self.bytes, engine()).unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    fn objects(&self) -> mercer::data::Dataset {
        self.answers.dataset("objects", &self.answers.document["schema"]).unwrap()
    }
}

/// Everything in a prediction, as words and as numbers.
fn said(prediction: &Prediction) -> (Vec<String>, Vec<f64>) {
    let classes = (0..prediction.len()).filter_map(|i| prediction.class(i).map(str::to_owned));
    let words = prediction.columns.iter().cloned().chain(classes).collect();
    let decisions = prediction.decisions.values().iter();
    let probabilities = prediction.probabilities.iter().flat_map(|p| p.values());
    let numbers = prediction.numbers().unwrap_or_default().iter();
    (words, decisions.chain(probabilities).chain(numbers).copied().collect())
}
