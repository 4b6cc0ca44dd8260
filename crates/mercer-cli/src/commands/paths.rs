//! The input and output files of a command; no file may be both.

use std::path::{Path, PathBuf};

use mercer::files::check_outputs;
use mercer::read::{file_of, manifest_files};
use mercer::{Error, Result};

/// The files on the command line.
#[derive(Default)]
pub(crate) struct Paths<'a> {
    inputs: Vec<&'a Path>,
    outputs: Vec<PathBuf>,
}

/// Extensions of result files: they may be overwritten in a folder of data.
const RESULTS: [&str; 5] = ["mercer", "html", "json", "npy", "model"];

impl<'a> Paths<'a> {
    /// Files to read.
    pub(crate) fn reads(mut self, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.inputs.extend(paths.into_iter().map(PathBuf::as_path));
        self
    }

    /// Files to write.
    pub(crate) fn writes(mut self, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.outputs.extend(paths.into_iter().cloned());
        self
    }

    /// Files to write next to a result, by the suffix added to its name.
    pub(crate) fn writes_next_to(mut self, path: Option<&PathBuf>, endings: &[&str]) -> Self {
        self.outputs.extend(path.into_iter().flat_map(|path| {
            endings.iter().map(|ending| {
                let mut name = path.as_os_str().to_owned();
                name.push(ending);
                PathBuf::from(name)
            })
        }));
        self
    }

    /// Refuses outputs that would overwrite an input or each other, before any work is done.
    pub(crate) fn check(&self) -> Result<()> {
        let outputs: Vec<&Path> = self.outputs.iter().map(PathBuf::as_path).collect();
        if outputs.is_empty() {
            return Ok(());
        }
        // The files of a manifest are inputs too.
        let named: Vec<PathBuf> = self.inputs.iter().flat_map(|input| manifest_files(input)).collect();
        // A sheet or a table is in a file.
        let files = self.inputs.iter().map(|input| file_of(input));
        let files: Vec<PathBuf> = files.chain(named).collect();
        let inputs: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
        check_outputs(&outputs, &inputs)?;
        for output in outputs {
            if let Some(folder) = inputs.iter().find(|input| is_data_of(output, input)) {
                return Err(Error::usage(format!(
                    "the output {} would replace a file of the data in {}: give the output another name",
                    output.display(),
                    folder.display()
                )));
            }
        }
        Ok(())
    }
}

/// Whether an output is an existing file in a folder of data, without the extension of a result.
fn is_data_of(output: &Path, input: &Path) -> bool {
    let is_result = output
        .extension()
        .and_then(|e| e.to_str())
        .is_some_and(|e| RESULTS.iter().any(|known| e.eq_ignore_ascii_case(known)));
    if is_result || !input.is_dir() {
        return false;
    }
    match (output.canonicalize(), input.canonicalize()) {
        (Ok(output), Ok(input)) => output.is_file() && output.starts_with(input),
        _ => false,
    }
}
