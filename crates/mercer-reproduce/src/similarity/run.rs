//! Runs the study with its options.

use super::{Part, SimilarityOutcome, SimilarityReport, SimilaritySettings, problems, study};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::graphs::chosen;
use crate::{StudyOptions, StudyReport, StudyResult};

pub(crate) fn run(
    options: &StudyOptions,
    engine: &Engine,
    progress: &mut dyn FnMut(String),
) -> Result<StudyResult> {
    let settings = match options.quick {
        true => SimilaritySettings::quick(options.seed),
        false => SimilaritySettings::full(options.seed),
    };
    let holds = "timeseries, genes, strings and molecules";
    let Some(folder) = options.folder(holds)? else {
        return Err(Error::usage(format!("this study needs a folder with {holds} as data")));
    };
    let parts = chosen("part", &options.part, Part::ALL.to_vec(), |p| p.name())?;
    let (found, absent) = problems(folder, &parts, &options.only, &settings)?;
    if found.is_empty() {
        return Err(Error::usage(format!("none of these data sets was found: {}", absent.join(", "))));
    }
    progress(format!("plan: {} data sets{}", found.len(), options.resumable()));
    let mut outcomes: Vec<SimilarityOutcome> = Vec::new();
    for problem in &found {
        let mut each = |outcome: &SimilarityOutcome| {
            let score = outcome.score().map_or("none".into(), |s| format!("{s:.4}"));
            progress(format!("{}, {}: {score}, {:.1} s", outcome.data, outcome.method, outcome.seconds));
        };
        let (methods, journals) = (problem.part.methods(), options.journal.as_deref());
        outcomes.extend(study(problem, methods, &settings, engine, journals, &mut each)?);
    }
    let report = SimilarityReport { settings, outcomes, absent };
    Ok(StudyResult::new(report.page(), StudyReport::Similarity(report)))
}
