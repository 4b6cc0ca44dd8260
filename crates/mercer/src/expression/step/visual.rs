//! The visual words of images in model files.

use serde_json::{Value, json};

use crate::container::{Array, Container, Field};
use crate::data::Dense;
use crate::error::{Code, Error, Result};
use crate::kernel::image::{Mixture, Projection, Words};

/// Stores vocabularies under a name.
pub(super) fn put_words(all: &[Words], container: &mut Container, prefix: &str) -> Result<Value> {
    for (i, words) in all.iter().enumerate() {
        put(words, container, &format!("{prefix}/{i}"))?;
    }
    Ok(json!({"vocabularies": all.len()}))
}

/// The vocabularies stored under a name.
pub(super) fn get_words(container: &Container, prefix: &str, field: &Field<'_>) -> Result<Vec<Words>> {
    let count = field.get("vocabularies")?;
    match count.count()? {
        n @ 1..=2 => (0..n).map(|i| get(container, &format!("{prefix}/{i}"))).collect(),
        n => Err(count.fault(Code::ModelCount, format!("{n} visual vocabularies"))),
    }
}

fn put(words: &Words, container: &mut Container, prefix: &str) -> Result<()> {
    let matrix = |a: &Dense| Array::new(&[a.rows(), a.cols()], a.values().to_vec());
    let ((mean, axes), (weights, means, variances)) = (words.projection.parts(), words.mixture.parts());
    container.insert(format!("{prefix}/mean"), Array::list(mean.to_vec()))?;
    container.insert(format!("{prefix}/axes"), matrix(axes)?)?;
    container.insert(format!("{prefix}/weights"), Array::list(weights.to_vec()))?;
    container.insert(format!("{prefix}/means"), matrix(means)?)?;
    container.insert(format!("{prefix}/variances"), matrix(variances)?)
}

fn get(container: &Container, prefix: &str) -> Result<Words> {
    let numbers = |part: &str| Ok::<_, Error>(container.finite(&format!("{prefix}/{part}"))?.to_vec());
    let matrix = |part: &str| container.matrix(&format!("{prefix}/{part}"));
    let fault = |e: Error| container.fault(Code::ModelCount, e.to_string());
    let projection = Projection::from_parts(numbers("mean")?, matrix("axes")?).map_err(fault)?;
    let mixture = Mixture::from_parts(numbers("weights")?, matrix("means")?, matrix("variances")?);
    let words = Words { projection, mixture: mixture.map_err(fault)? };
    let (components, own) = (words.projection.parts().1.rows(), words.mixture.parts().1.cols());
    if components != own {
        let reason = format!("a vocabulary of {own} numbers after a projection to {components}");
        return Err(container.fault(Code::ModelCount, reason));
    }
    Ok(words)
}
