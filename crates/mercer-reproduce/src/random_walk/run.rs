//! Runs the study with its options.

use super::{Base, Loaded, Method, Problem, RandomWalkReport, RandomWalkSettings, memory_needed, study};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::graphs::chosen;
use crate::{StudyOptions, StudyReport, StudyResult};

pub(crate) fn run(
    options: &StudyOptions,
    engine: &Engine,
    progress: &mut dyn FnMut(String),
) -> Result<StudyResult> {
    let mut settings = match options.quick {
        true => RandomWalkSettings::quick(options.seed),
        false => RandomWalkSettings::full(options.seed),
    };
    settings.bases = chosen("base", &options.base, Base::ALL.to_vec(), |b| b.name())?;
    settings.methods = chosen("method", &options.method, Method::ALL.to_vec(), |m| m.name())?;
    let folder = options.folder("UCI tables")?;
    let (mut loaded, mut absent) = (Vec::<Loaded>::new(), Vec::new());
    for problem in Problem::chosen(&options.only)? {
        match problem.load(folder, settings.seed)? {
            Some(data) => loaded.push(data),
            None => absent.push(problem.name.to_owned()),
        }
    }
    if loaded.is_empty() {
        return Err(Error::usage("none of these data sets was found: give the folder of UCI tables as data"));
    }
    let largest = loaded.iter().map(|l| memory_needed(l.data.len(), &settings, engine)).max().unwrap_or(0);
    progress(format!(
        "plan: {} data sets, {} base kernels, up to {} MB of matrices{}",
        loaded.len(),
        settings.bases.len(),
        largest.div_ceil(1 << 20),
        options.resumable(),
    ));
    let mut outcomes = Vec::new();
    for &base in &settings.bases {
        for data in &loaded {
            outcomes.push(study(data, base, &settings, engine, options.journal.as_deref())?);
            progress(format!("{}, {}: done", data.name, base.name()));
        }
    }
    let report = RandomWalkReport::new(settings, outcomes, absent)?;
    Ok(StudyResult::new(report.page(), StudyReport::RandomWalk(report)))
}
