//! Nested cross-validation over ranges of parameters: `cargo run --release --example search`.

use mercer::data::embedded;
use mercer::prelude::*;
use mercer::select::Evaluate;

fn main() -> Result<()> {
    let iris = embedded::iris()?;
    // Parameters are chosen on inner splits of each training set; the outer test sets are used once, at the end.
    let kernel: Expression = "standardize(rbf(gamma=10^-2..10^1))".parse()?;
    let learner: Learner = "svc(C=[1, 10, 100])".parse()?;
    let settings =
        Evaluate { protocol: Protocol::folds(5), inner: Protocol::folds(3), ..Evaluate::of(&iris)? };
    let report = settings.run(&iris, &kernel, &learner, &Engine::new(), None)?;

    println!("{} configurations, {} fits", report.plan.configurations, report.plan.fits);
    for fold in &report.folds {
        println!("fold {}: {} with {}", fold.fold + 1, fold.kernel, fold.learner);
    }
    let summary = &report.measures[0];
    if let (Some(mean), Some(baseline), Some(interval)) =
        (summary.mean, summary.baseline_mean, summary.interval.as_ref())
    {
        println!("{}: {mean:.3}, 95 % interval {:.3} to {:.3}", summary.score, interval.low, interval.high);
        println!("majority-class baseline: {baseline:.3}");
    }
    Ok(())
}
