//! Model files: a loaded model can be saved and loaded again, and predicts or gives an error.

use mercer::model::{LibsvmModel, Model};

use super::engine;
use crate::seal;

pub(super) fn model(bytes: &[u8]) {
    load(bytes);
}

/// The same with a correct checksum.
pub(super) fn sealed(bytes: &[u8]) {
    load(&seal::sealed(bytes.to_vec()));
}

/// Text models of LIBSVM.
pub(super) fn libsvm(bytes: &[u8]) {
    if let Ok(model) = LibsvmModel::from_bytes("svm.model", bytes) {
        match model.to_text() {
            Ok(text) => match LibsvmModel::from_bytes("svm.model", text.as_bytes()) {
                Ok(again) => assert!(again == model, "a LIBSVM model that changes when it is written"),
                Err(e) => panic!("a LIBSVM model that was written is not read: {e}"),
            },
            Err(e) => panic!("a LIBSVM model that was read is not written: {e}"),
        }
    }
    load(bytes);
}

fn load(bytes: &[u8]) {
    let Ok(model) = Model::from_bytes("m.mercer", bytes, engine()) else { return };
    let saved = match model.to_bytes() {
        Ok(saved) => saved,
        Err(e) => panic!("a model that was loaded is not saved: {e}"),
    };
    let again = match Model::from_bytes("m.mercer", &saved, engine()) {
        Ok(again) => again,
        Err(e) => panic!("a model that was saved is not loaded: {e}"),
    };
    let answers = [&model, &again].map(|m| m.predict(m.stored_objects(), engine()));
    match answers {
        [Ok(a), Ok(b)] => {
            let bits = |p: &mercer::learn::Prediction| {
                p.decisions.values().iter().map(|v| v.to_bits()).collect::<Vec<_>>()
            };
            assert_eq!(bits(&a), bits(&b), "a model predicts differently after saving and loading");
        }
        [Err(_), Err(_)] => {}
        _ => panic!("a model predicts only before or only after saving and loading"),
    }
}
