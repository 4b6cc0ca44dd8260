//! Writes LIBSVM's text format.

use std::fmt::Write;

use super::{KernelType, LibsvmModel, Support, pairs};
use crate::error::{Error, Result};
use crate::read::Limits;

pub(super) fn text(model: &LibsvmModel) -> Result<String> {
    check(model)?;
    let mut out = String::new();
    line(&mut out, "svm_type", [model.svm_type.name()]);
    line(&mut out, "kernel_type", [model.kernel_type.name()]);
    line_of(&mut out, "degree", model.degree.as_ref().map(std::slice::from_ref));
    line_of(&mut out, "gamma", model.gamma.as_ref().map(std::slice::from_ref));
    line_of(&mut out, "coef0", model.coef0.as_ref().map(std::slice::from_ref));
    line(&mut out, "nr_class", [model.nr_class.to_string()]);
    line(&mut out, "total_sv", [model.total_sv().to_string()]);
    line_of(&mut out, "rho", Some(&model.rho));
    line_of(&mut out, "label", model.label.as_deref());
    line_of(&mut out, "probA", model.prob_a.as_deref());
    line_of(&mut out, "probB", model.prob_b.as_deref());
    line_of(&mut out, "prob_density_marks", model.prob_density_marks.as_deref());
    line_of(&mut out, "nr_sv", model.nr_sv.as_deref());
    out.push_str("SV\n");
    // Writing to a string cannot fail.
    for i in 0..model.total_sv() {
        for row in &model.coefficients {
            let _ = write!(out, "{:?} ", row[i]);
        }
        match &model.support {
            Support::Vectors { vectors, index_base } => {
                let (features, values) = vectors.row(i);
                for (feature, value) in features.iter().zip(values) {
                    let _ = write!(out, "{}:{value:?} ", u64::from(*feature) + u64::from(*index_base));
                }
            }
            Support::Serial(numbers) => {
                let _ = write!(out, "0:{} ", numbers[i]);
            }
        }
        out.push('\n');
    }
    Ok(out)
}

fn line<S: AsRef<str>>(out: &mut String, key: &str, values: impl IntoIterator<Item = S>) {
    out.push_str(key);
    for value in values {
        out.push(' ');
        out.push_str(value.as_ref());
    }
    out.push('\n');
}

/// Writes numbers with the fewest digits that read back unchanged.
fn line_of<T: std::fmt::Debug>(out: &mut String, key: &str, values: Option<&[T]>) {
    if let Some(values) = values {
        line(out, key, values.iter().map(|v| format!("{v:?}")));
    }
}

/// Checks everything that reading checks.
pub(super) fn check(model: &LibsvmModel) -> Result<()> {
    let no = |reason: &str| Err(Error::usage(format!("not a LIBSVM model: {reason}")));
    let classes = model.svm_type.is_classifier();
    let (total, n) = (model.total_sv(), model.nr_class);
    if n == 0 || !classes && n != 2 {
        return no("wrong number of classes");
    }
    let per_pair = |v: &Option<Vec<f64>>| v.as_ref().is_none_or(|v| Some(v.len()) == pairs(n));
    if Some(model.rho.len()) != pairs(n) || !per_pair(&model.prob_a) || !per_pair(&model.prob_b) {
        return no("one rho, probA and probB is needed per pair of classes");
    }
    if model.prob_density_marks.as_ref().is_some_and(|m| m.len() != 10) {
        return no("10 density marks are needed");
    }
    if classes && (model.label.is_none() || model.nr_sv.is_none()) {
        return no("a classifier needs label and nr_sv");
    }
    if let Some(label) = &model.label {
        let mut sorted = label.clone();
        sorted.sort_unstable();
        if label.len() != n || sorted.windows(2).any(|w| w[0] == w[1]) {
            return no("one unique label is needed per class");
        }
    }
    if let Some(each) = &model.nr_sv {
        let sum = each.iter().try_fold(0usize, |sum, n| sum.checked_add(*n));
        if each.len() != n || sum != Some(total) {
            return no("nr_sv must add up to the number of support vectors");
        }
    }
    if model.coefficients.len() != n - 1 || model.coefficients.iter().any(|row| row.len() != total) {
        return no("each support vector needs one coefficient fewer than there are classes");
    }
    let (kernel, polynomial) = (model.kernel_type, model.kernel_type == KernelType::Polynomial);
    let constant = polynomial || kernel == KernelType::Sigmoid;
    if polynomial && model.degree.is_none()
        || constant && model.coef0.is_none()
        || (constant || kernel == KernelType::Rbf) && model.gamma.is_none()
    {
        return no("a parameter of the kernel is missing");
    }
    let values: &[f64] = match &model.support {
        Support::Serial(numbers) => {
            if numbers.iter().any(|&s| s == 0 || s > i32::MAX as u32) {
                return no("object numbers start at 1");
            }
            &[]
        }
        Support::Vectors { vectors, index_base } => {
            let highest =
                vectors.indices().iter().max().map_or(0, |&i| u64::from(i) + u64::from(*index_base));
            if *index_base > 1 || highest > Limits::default().dim {
                return no("an index out of range");
            }
            vectors.values()
        }
    };
    if matches!(model.support, Support::Serial(_)) != (kernel == KernelType::Precomputed) {
        return no("precomputed similarities need object numbers, other kernels vectors");
    }
    let lists =
        [Some(&model.rho), model.prob_a.as_ref(), model.prob_b.as_ref(), model.prob_density_marks.as_ref()];
    let single = model.gamma.iter().chain(&model.coef0);
    let all = lists.into_iter().flatten().chain(&model.coefficients).flatten().chain(single).chain(values);
    if all.into_iter().any(|v| !v.is_finite()) {
        return no("a value is NaN or infinite");
    }
    Ok(())
}
