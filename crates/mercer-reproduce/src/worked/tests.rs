//! Checks all worked examples, and that a wrong value would be detected.

use super::*;
use crate::{Study, StudyOptions, StudyReport, StudyResult};

fn found(name: &str) -> StudyResult {
    Study::find(name).unwrap().run(&StudyOptions::default(), &Engine::new(), &mut |_| ()).unwrap()
}

#[test]
fn every_worked_value_agrees_within_its_printed_precision() {
    for (name, printed, formulas) in [("chapter", 196, 153), ("slides", 55, 2)] {
        let result = found(name);
        let StudyReport::Worked(report) = &result.report else { panic!("worked values expected") };
        assert_eq!(report.disagree, 0, "{}", result.text(80));
        assert_eq!((report.printed, report.formulas), (printed, formulas));
        assert_eq!(report.values.len(), printed + formulas);
        assert!(result.text(80).lines().all(|l| l.chars().count() <= 80), "{}", result.text(80));
        assert!(result.text(80).starts_with("0 values deviate"), "{}", result.text(80));
    }
}

#[test]
fn a_wrong_value_is_reported_first() {
    let mut example = SLIDES.examples[2];
    example.reference = Reference::Printed(&[&["6"]]);
    let compared = compare(&example, &Engine::new()).unwrap();
    assert_eq!((compared.rows[0].agrees[0], compared.rows[0].deviation()), (false, 1.0));
    let (shown, _) = render::result(&SLIDES, &[compared]);
    assert!(shown.text(80).starts_with("1 values DEVIATE"), "{}", shown.text(80));
    assert!(shown.text(80).contains("5!"), "{}", shown.text(80));
    // The last printed digit decides: 0.697… agrees with 0.70, but not with 0.71 or 0.697.
    let close = |figure: &'static [&'static [&'static str]]| {
        let mut example = *CHAPTER.examples.iter().find(|e| e.what.starts_with("exponential")).unwrap();
        example.quantity = Quantity::Entry("node-diffusion(beta=0.2)", 0, 0);
        (example.rows, example.reference) = (&["1"], Reference::Printed(figure));
        compare(&example, &Engine::new()).unwrap().rows[0].agrees[0]
    };
    assert!(close(&[&["0.70"]]) && close(&[&["0.6974"]]) && !close(&[&["0.71"]]) && !close(&[&["0.698"]]));
    example.rows = &["a", "b"];
    assert!(compare(&example, &Engine::new()).is_err());
}
