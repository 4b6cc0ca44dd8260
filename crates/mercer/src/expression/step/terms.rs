//! Vocabularies in model files.

use serde_json::{Value, json};

use crate::container::{Array, Container, Field};
use crate::error::{Code, Result};
use crate::text::Vocabulary;

/// Stores a vocabulary under a name.
pub(super) fn put_terms(vocabulary: &Vocabulary, container: &mut Container, prefix: &str) -> Result<Value> {
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    for term in vocabulary.terms() {
        bytes.extend_from_slice(term.as_bytes());
        ends.push(bytes.len() as u64);
    }
    container.insert(format!("{prefix}/terms"), Array::list(bytes))?;
    container.insert(format!("{prefix}/ends"), Array::list(ends))?;
    container.insert(format!("{prefix}/documents"), Array::list(vocabulary.documents().to_vec()))?;
    Ok(json!({"texts": vocabulary.texts(), "mean_length": vocabulary.mean_length()}))
}

/// The vocabulary stored under a name.
pub(super) fn get_terms(container: &Container, prefix: &str, field: &Field<'_>) -> Result<Vocabulary> {
    let fault = |reason: &str| field.fault(Code::ModelSyntax, reason);
    let text = std::str::from_utf8(container.u8s(&format!("{prefix}/terms"))?)
        .map_err(|_| fault("terms are not valid text"))?;
    let documents = container.u64s(&format!("{prefix}/documents"))?.to_vec();
    let (mut terms, mut start) = (Vec::new(), 0);
    for &end in container.u64s(&format!("{prefix}/ends"))? {
        let own = usize::try_from(end).ok().and_then(|end| Some((end, text.get(start..end)?)));
        let (end, own) = own.ok_or_else(|| fault("invalid end of a term"))?;
        terms.push(own.to_owned());
        start = end;
    }
    let texts = field.get("texts")?.count()? as u64;
    let mean_length = field.get("mean_length")?.number()?;
    if start != text.len() || terms.len() != documents.len() {
        return Err(field.fault(Code::ModelCount, "the numbers of terms and of document frequencies differ"));
    }
    if mean_length < 0.0 || documents.iter().any(|d| *d > texts) {
        return Err(fault("inconsistent document frequencies"));
    }
    Vocabulary::new(terms, documents, texts, mean_length).map_err(|e| fault(&e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Analysis;

    #[test]
    fn stored_and_restored() {
        let texts = [vec!["größe a"], vec!["a"], vec!["日本"]];
        let vocabulary = Vocabulary::fit(&Analysis::new(1, "none", "none"), &texts, 1, 0).unwrap();
        let mut container = Container::new(Value::Null);
        let document = put_terms(&vocabulary, &mut container, "step0").unwrap();
        assert_eq!(get_terms(&container, "step0", &container.field(&document)).unwrap(), vocabulary);
        for bad in [json!({"texts": 1, "mean_length": 1}), json!({"texts": 9, "mean_length": -1})] {
            assert!(get_terms(&container, "step0", &container.field(&bad)).is_err());
        }
    }
}
