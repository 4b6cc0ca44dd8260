//! Statistical tests.

use mercer::select::compare::{self, Correction, Test, Zeros};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::{matrix, table};
use crate::error::OrRaise;

fn test_dict<'py>(py: Python<'py>, test: &Test) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("name", test.name)?;
    out.set_item("statistic", test.statistic)?;
    out.set_item("pvalue", test.p)?;
    out.set_item("degrees", test.degrees.clone())?;
    out.set_item("exact", test.exact)?;
    out.set_item("n", test.n)?;
    out.set_item("first_larger", test.first_larger)?;
    out.set_item("remark", test.remark)?;
    Ok(out)
}

/// Runs the named test on two lists of paired scores.
#[pyfunction]
fn compare_two<'py>(
    py: Python<'py>,
    test: &str,
    a: Vec<f64>,
    b: Vec<f64>,
    option: Option<f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let outcome = match test {
        "wilcoxon" => compare::wilcoxon(&a, &b, Zeros::Wilcoxon),
        "wilcoxon-pratt" => compare::wilcoxon(&a, &b, Zeros::Pratt),
        "sign" => compare::sign_test(&a, &b),
        "paired-t" => compare::paired_t(&a, &b),
        "corrected-t" => compare::corrected_t(&a, &b, option.unwrap_or(f64::NAN)),
        "5x2-t" => compare::five_by_two_t(&a, &b),
        "5x2-f" => compare::five_by_two_f(&a, &b),
        other => Err(mercer::Error::usage(format!("unknown test: {other}"))),
    };
    test_dict(py, &outcome.or_raise(py)?)
}

/// McNemar's test of the predictions of two classifiers.
#[pyfunction]
fn mcnemar<'py>(
    py: Python<'py>,
    truth: Vec<usize>,
    a: Vec<usize>,
    b: Vec<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    test_dict(py, &compare::mcnemar(&truth, &a, &b).or_raise(py)?)
}

/// Friedman's test with Nemenyi's post-hoc test: columns are methods, rows are data sets.
#[pyfunction]
fn friedman<'py>(
    py: Python<'py>,
    scores: &Bound<'py, PyAny>,
    greater_is_better: bool,
    alpha: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let outcome = compare::friedman(&matrix(scores)?, greater_is_better).or_raise(py)?;
    let nemenyi = outcome.nemenyi(alpha).or_raise(py)?;
    let out = PyDict::new(py);
    out.set_item("ranks", outcome.ranks.clone())?;
    out.set_item("chi_square", test_dict(py, &outcome.chi_square)?)?;
    out.set_item("iman_davenport", test_dict(py, &outcome.iman_davenport)?)?;
    out.set_item("critical_difference", nemenyi.critical_difference)?;
    out.set_item("pvalues", table(py, nemenyi.p)?)?;
    out.set_item("groups", nemenyi.groups)?;
    Ok(out)
}

/// Adjusts p values for multiple testing.
#[pyfunction]
fn adjust(py: Python<'_>, p: Vec<f64>, method: &str) -> PyResult<Vec<f64>> {
    let all = [Correction::None, Correction::Bonferroni, Correction::Holm, Correction::BenjaminiHochberg];
    let known = all.into_iter().find(|c| c.name() == method);
    let domain = "one of none, bonferroni, holm, benjamini-hochberg";
    let known = known.ok_or_else(|| mercer::Error::param("method", method, domain)).or_raise(py)?;
    known.adjust(&p).or_raise(py)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(compare_two, module)?)?;
    module.add_function(wrap_pyfunction!(mcnemar, module)?)?;
    module.add_function(wrap_pyfunction!(friedman, module)?)?;
    module.add_function(wrap_pyfunction!(adjust, module)?)
}
