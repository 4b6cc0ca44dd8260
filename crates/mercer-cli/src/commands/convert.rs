//! `mercer convert`: converts models to the format of LIBSVM and back.

use std::path::PathBuf;

use clap::Args;
use mercer::model::{LibsvmModel, Model};
use mercer::{Error, Place, Result};
use serde_json::json;

use super::model::summary;
use super::paths::Paths;
use crate::console::Console;

/// Arguments of `mercer convert`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer convert iris.mercer -o iris.model        for svm-predict
  mercer convert svm.model -o svm.mercer          from svm-train

LIBSVM supports the kernels linear, polynomial, rbf, sigmoid and precomputed on one set of numbers, and integer classes. \
Other models cannot be converted.")]
pub(crate) struct ConvertArgs {
    /// A model written by `mercer fit` or `mercer auto`, or a LIBSVM model file
    model: PathBuf,
    /// File to write: a LIBSVM model if MODEL is a mercer model, otherwise a mercer model
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

impl ConvertArgs {
    pub(crate) fn paths(&self) -> Paths<'_> {
        Paths::default().reads([&self.model]).writes([&self.output])
    }
}

pub(crate) fn run(args: &ConvertArgs, console: &Console) -> Result<()> {
    let engine = console.engine()?;
    let model = Model::load(&args.model, &engine)?;
    let from_libsvm = LibsvmModel::recognises(&args.model);
    if from_libsvm {
        model.save(&args.output)?;
    } else {
        let converted = model.to_libsvm().map_err(|e| {
            let (code, text) = (e.code(), e.to_string());
            let reason = text.strip_prefix(code.as_str()).unwrap_or(&text).trim_start();
            Error::parse(Place::file(&args.model), code, format!("has no counterpart in LIBSVM: {reason}"))
        })?;
        converted.write(&args.output)?;
    }
    let format = if from_libsvm { "mercer" } else { "libsvm" };
    console.line(format!("{} ({format}): {}", args.output.display(), summary(&model)))?;
    console.document("convert", json!({"model": args.model, "output": args.output, "format": format}))
}
