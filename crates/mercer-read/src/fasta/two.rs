//! Sequences of two classes in two files.

use std::collections::HashSet;
use std::path::Path;

use super::SEQUENCE;
use crate::Options;
use crate::data::{Alphabet, Categories, Column, Dataset, Target, Values};
use crate::error::{Code, Error, Place, Result};

/// Two files of sequences, one for each class.
pub(in super::super) fn two_classes(positive: &Path, negative: &Path, options: &Options) -> Result<Dataset> {
    // The target of a model is not a second one.
    let targeted = options.target.is_some() && !options.optional_names;
    if options.sequences.class.is_some() || options.sequences.table.is_some() || targeted {
        let reason = "the class is given twice: by two files, and by `target`, `class-in-header` or `table`";
        return Err(Error::usage(reason));
    }
    let mut own = options.clone();
    own.sequences.two = None;
    (own.no_target, own.target, own.split) = (true, None, None);
    let parts = [("positive", positive), ("negative", negative)];
    let (mut strings, mut ids, mut classes, mut warnings) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut groups: Vec<Option<String>> = Vec::new();
    let mut alphabets = Vec::new();
    for (class, path) in parts {
        let data = crate::read(path, &own)?;
        let Some(Values::Strings(found)) =
            data.columns().first().map(|c| &c.values).filter(|_| data.columns().len() == 1)
        else {
            let reason = "not a file of sequences: two files for two classes are FASTA or FASTQ";
            return Err(Error::parse(Place::file(path), Code::Format, reason));
        };
        let symbols = found.iter().flatten().flat_map(|s| s.chars());
        alphabets.push(Alphabet::infer(symbols.filter(|c| c.is_ascii_alphabetic())));
        classes.extend(std::iter::repeat_n(Some(class), found.len()));
        strings.extend(found.iter().cloned());
        ids.extend(data.ids().unwrap_or_default().iter().cloned());
        groups.extend(data.groups().iter().flat_map(|g| (0..g.len()).map(|i| g.get(i).map(str::to_owned))));
        warnings.extend(data.warnings().iter().filter(|w| w.code != "W_HEADERS").cloned());
    }
    if let [Alphabet::Dna, Alphabet::Rna] | [Alphabet::Rna, Alphabet::Dna] = alphabets[..] {
        let reason = format!("{} sequences, but {} in {}", alphabets[1], alphabets[0], positive.display());
        return Err(Error::parse(Place::file(negative), Code::Alphabet, reason)
            .with_hint("write both with T, or both with U"));
    }
    let count = strings.len();
    let mut data = Dataset::new(vec![Column::new(SEQUENCE, Values::Strings(strings))])?.with_target(
        options.target.as_deref().unwrap_or("class"),
        Target::Classes(Categories::from_values(classes)),
    )?;
    // Without names in one file, or with the same in both, the sequences have none.
    let unique = ids.iter().collect::<HashSet<_>>().len() == count;
    if ids.len() == count && unique {
        data = data.with_ids(ids)?;
    }
    if let Some(name) = &options.group {
        data = data.with_groups(name, Categories::from_values(groups.iter().map(Option::as_deref)))?;
    }
    Ok(data.with_warnings(warnings))
}
