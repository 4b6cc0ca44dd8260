//! Inputs that once broke something, each with its story.

use mercer_fuzz::{MOST_TIME, find, within};

use crate::alone;

/// Runs an input that is kept in `tests/known/`, three times if it is slow.
#[allow(dead_code)]
fn holds(target: &str, name: &str) {
    let _one = alone();
    let bytes = std::fs::read(mercer_fuzz::folder().join("tests/known").join(name)).unwrap();
    let run = find(target).unwrap().run;
    let fast = (0..3).any(|_| within(|| run(&bytes)).time < MOST_TIME);
    assert!(fast, "{name}: more than {MOST_TIME:?}");
}
