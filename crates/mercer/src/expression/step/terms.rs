//! Vocabularies in model files.

use crate::container::{Get, Put, stored};
use crate::error::{Code, Result};
use crate::text::Vocabulary;

stored! { Vocabulary: m, get {
    terms: terms = m.terms();
    documents: u64s = m.documents(), len terms.len();
    texts: count = m.texts() as usize,
        where documents.iter().all(|d| *d <= texts as u64) => ModelSyntax "inconsistent document frequencies";
    mean_length: number = m.mean_length(),
        where mean_length >= 0.0 => ModelSyntax "inconsistent document frequencies";
} => {
    let made = Vocabulary::new(terms, documents.to_vec(), texts as u64, mean_length);
    let made = made.map_err(|e| get.field.fault(Code::ModelSyntax, e.to_string()))?;
    Ok(made)
} }

impl Put<'_> {
    fn terms(&mut self, key: &str, terms: &[String]) -> Result<()> {
        self.container.put_strings_in(self.name(key), self.name("ends"), terms)
    }
}

impl Get<'_> {
    fn terms(&self, key: &str) -> Result<Vec<String>> {
        let terms = self.container.strings_in(&self.name(key), &self.name("ends"))?;
        Ok(terms.into_iter().map(str::to_owned).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::container::Container;
    use crate::text::Analysis;

    #[test]
    fn stored_and_restored() {
        let texts = [vec!["größe a"], vec!["a"], vec!["日本"]];
        let vocabulary = Vocabulary::fit(&Analysis::new(1, "none", "none"), &texts, 1, 0).unwrap();
        let mut container = Container::new(Value::Null);
        let document = container.put_stored("step0", &vocabulary).unwrap();
        let get = |document: &Value| container.stored::<Vocabulary>("step0", &container.field(document));
        assert_eq!(get(&document).unwrap(), vocabulary);
        for bad in [json!({"texts": 1, "mean_length": 1}), json!({"texts": 9, "mean_length": -1})] {
            assert!(get(&bad).is_err());
        }
    }
}
