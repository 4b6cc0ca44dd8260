//! Kernels and learners as text: printing and parsing are inverse.

use mercer::expression::{Expression, Learner};

pub(super) fn expression(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(first) = text.parse::<Expression>() else { return };
    let printed = first.to_string();
    match printed.parse::<Expression>() {
        Ok(second) => assert_eq!(second.to_string(), printed, "printed twice, from {text:?}"),
        Err(e) => panic!("{printed:?}, printed from {text:?}, is not parsed: {e}"),
    }
    let picks = vec![0; first.choices().len()];
    if let Ok(picked) = first.pick(&picks) {
        assert!(picked.to_string().parse::<Expression>().is_ok(), "a choice of {text:?}");
    }
}

pub(super) fn learner(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(first) = text.parse::<Learner>() else { return };
    for printed in [first.to_string(), format!("{first:#}")] {
        match printed.parse::<Learner>() {
            Ok(second) => {
                assert_eq!(format!("{second:#}"), format!("{first:#}"), "printed twice, from {text:?}");
            }
            Err(e) => panic!("{printed:?}, printed from {text:?}, is not parsed: {e}"),
        }
    }
}
