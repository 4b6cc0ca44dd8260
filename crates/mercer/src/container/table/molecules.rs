//! Molecules in a model: their texts, which are parsed again.

use std::sync::Arc;

use super::stored;
use crate::data::Molecule;
use crate::error::Code;

stored! { Vec<Arc<Molecule>>: all, get {
    text: strings = all.iter().map(|m| m.text());
} => {
    let one = |text: &str| match text.is_empty() {
        true => Ok(Arc::default()),
        false => text.parse().map(Arc::new).map_err(|e| {
            get.field.fault(Code::ModelSyntax, format!("a molecule that cannot be read: {e}"))
        }),
    };
    text.into_iter().map(one).collect()
} }
