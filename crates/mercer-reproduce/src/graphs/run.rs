//! Runs the study with its options.

use super::{GraphOutcome, GraphReport, GraphSettings, METHODS, chosen, collections, memory_needed, study};
use crate::error::Result;
use crate::gram::Engine;
use crate::{StudyOptions, StudyReport, StudyResult};

pub(crate) fn run(
    options: &StudyOptions,
    engine: &Engine,
    progress: &mut dyn FnMut(String),
) -> Result<StudyResult> {
    let mut settings = match options.quick {
        true => GraphSettings::quick(options.seed),
        false => GraphSettings::full(options.seed),
    };
    settings.repetitions = options.repetitions.unwrap_or(settings.repetitions);
    settings.inner_folds = options.inner_folds.unwrap_or(settings.inner_folds);
    let folder = options.folder("collections of graphs")?;
    // The baselines are always included.
    let (mut methods, others): (Vec<_>, Vec<_>) = METHODS.iter().copied().partition(|m| m.baseline);
    methods.extend(chosen("kernel", &options.kernel, others, |m| m.entry)?);
    let found = collections(folder, &options.only)?;
    let largest = found.iter().map(|c| memory_needed(c.data.len(), &methods, engine)).max().unwrap_or(0);
    progress(format!(
        "plan: {} collections, {} kernels, up to {} MB of matrices{}",
        found.len(),
        methods.iter().filter(|m| m.is_there()).count(),
        largest.div_ceil(1 << 20),
        options.resumable(),
    ));
    let mut outcomes: Vec<GraphOutcome> = Vec::new();
    for collection in &found {
        let mut each = |outcome: &GraphOutcome| {
            let accuracy = outcome.accuracy().map_or("none".into(), |a| format!("{:.2} %", 100.0 * a));
            progress(format!("{}, {}: {accuracy}", outcome.data, outcome.method));
        };
        let journals = options.journal.as_deref();
        outcomes.extend(study(collection, &methods, &settings, engine, journals, &mut each)?);
    }
    let report = GraphReport::new(settings, &methods, outcomes, engine.threads());
    Ok(StudyResult::new(report.page(), StudyReport::Graphs(report)))
}
