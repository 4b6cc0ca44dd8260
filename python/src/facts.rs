//! The registries of kernels and learners, and parsed expressions, as Python values.

use mercer::expression::{Expression, Learner, Setting, Value, entries, learners};
use mercer::kernel::{Domain, Parameter};
use mercer::select::Score;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::error::OrRaise;

/// The registry entries of all kernels and wrappers.
#[pyfunction]
fn kernels(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let all = PyList::empty(py);
    for entry in entries() {
        let (f, out) = (entry.facts, PyDict::new(py));
        for (key, text) in [
            ("name", f.name),
            ("summary", f.summary),
            ("formula", f.formula),
            ("takes", f.takes),
            ("cost", f.cost),
            ("reference", f.reference),
            ("example", f.example),
        ] {
            out.set_item(key, text)?;
        }
        out.set_item("kinds", f.kinds.iter().map(|k| k.name()).collect::<Vec<_>>())?;
        out.set_item("definiteness", f.definiteness.to_string())?;
        out.set_item("arity", entry.arity())?;
        out.set_item("several", entry.takes_more())?;
        out.set_item("distance", entry.is_distance())?;
        out.set_item("parameters", parameters(py, f.parameters)?)?;
        all.append(out)?;
    }
    Ok(all)
}

/// The registry entries of all learners.
#[pyfunction]
fn learner_facts(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let all = PyList::empty(py);
    for f in learners() {
        let out = PyDict::new(py);
        for (key, text) in [
            ("name", f.name),
            ("summary", f.summary),
            ("formula", f.formula),
            ("cost", f.cost),
            ("reference", f.reference),
            ("example", f.example),
        ] {
            out.set_item(key, text)?;
        }
        out.set_item("predicts", f.predicts.to_string())?;
        out.set_item("features", f.features)?;
        out.set_item("weighted", f.weighted)?;
        out.set_item("parameters", parameters(py, f.parameters)?)?;
        all.append(out)?;
    }
    Ok(all)
}

fn parameters<'py>(py: Python<'py>, all: &[Parameter]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for p in all {
        let out = PyDict::new(py);
        out.set_item("name", p.name)?;
        out.set_item("doc", p.doc)?;
        out.set_item("domain", p.domain.describe())?;
        out.set_item("alias", p.alias.map(|a| a.0))?;
        match p.domain {
            Domain::ClassWeights => {
                out.set_item("type", "weights")?;
                out.set_item("default", p.default)?;
            }
            Domain::Word(words) => {
                out.set_item("type", "word")?;
                out.set_item("words", words.to_vec())?;
                out.set_item("default", p.default)?;
            }
            Domain::PositiveOr(words) => {
                out.set_item("type", "number")?;
                out.set_item("words", words.to_vec())?;
                match p.default.parse::<f64>() {
                    Ok(number) => out.set_item("default", number)?,
                    Err(_) => out.set_item("default", p.default)?,
                }
            }
            domain => {
                let whole = matches!(domain, Domain::Whole(..));
                out.set_item("type", if whole { "whole" } else { "number" })?;
                let value: f64 = p.default.parse().unwrap_or(f64::NAN);
                match whole {
                    true => out.set_item("default", value as i64)?,
                    false => out.set_item("default", value)?,
                }
            }
        }
        list.append(out)?;
    }
    Ok(list)
}

/// All measures of predictions: name, required input, whether larger is better, and a summary.
#[pyfunction]
fn scores() -> Vec<(&'static str, String, bool, &'static str)> {
    let one =
        |s: &Score| (s.name(), format!("{:?}", s.needs()).to_lowercase(), s.greater_is_better(), s.summary());
    Score::ALL.iter().map(one).collect()
}

/// Raises an error if a value is outside the domain of a parameter.
#[pyfunction]
fn check_parameter(py: Python<'_>, kernel: &str, name: &str, value: f64) -> PyResult<()> {
    let entry = mercer::expression::find(kernel);
    let known = entry.and_then(|e| e.facts.parameters.iter().find(|p| p.name == name));
    known.map_or(Ok(()), |p| p.domain.check(name, value).map(drop).or_raise(py))
}

/// The canonical text of a kernel.
#[pyfunction]
fn canonical(py: Python<'_>, text: &str) -> PyResult<String> {
    Ok(text.parse::<Expression>().or_raise(py)?.to_string())
}

/// The canonical text of a learner, without parameters at their defaults.
#[pyfunction]
fn canonical_learner(py: Python<'_>, text: &str) -> PyResult<String> {
    Ok(text.parse::<Learner>().or_raise(py)?.to_string())
}

/// Parses a kernel to nested tuples: ("sum", [..]), ("product", [..]), ("scale", factor, k), ("group", k, columns),
/// ("call", name, [inner kernels], {parameters}, columns or None).
#[pyfunction]
fn parse<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    tree(py, &text.parse::<Expression>().or_raise(py)?)
}

/// Parses a learner to its name and parameters.
#[pyfunction]
fn parse_learner<'py>(py: Python<'py>, text: &str) -> PyResult<(&'static str, Bound<'py, PyDict>)> {
    let learner = text.parse::<Learner>().or_raise(py)?;
    let settings = PyDict::new(py);
    for (parameter, setting) in learner.settings() {
        settings.set_item(parameter.name, fixed(py, parameter.name, setting)?)?;
    }
    Ok((learner.name(), settings))
}

fn tree<'py>(py: Python<'py>, expression: &Expression) -> PyResult<Bound<'py, PyAny>> {
    let all = |parts: &[Expression]| parts.iter().map(|e| tree(py, e)).collect::<PyResult<Vec<_>>>();
    match expression {
        Expression::Sum(parts) => Ok(("sum", all(parts)?).into_pyobject(py)?.into_any()),
        Expression::Product(parts) => Ok(("product", all(parts)?).into_pyobject(py)?.into_any()),
        Expression::Scale(factor, inner) => {
            Ok(("scale", fixed(py, "factor", factor)?, tree(py, inner)?).into_pyobject(py)?.into_any())
        }
        Expression::Group(inner, columns) => {
            Ok(("group", tree(py, inner)?, columns.clone()).into_pyobject(py)?.into_any())
        }
        Expression::Call(call) => {
            let settings = PyDict::new(py);
            for (parameter, setting) in call.entry.facts.parameters.iter().zip(&call.settings) {
                settings.set_item(parameter.name, fixed(py, parameter.name, setting)?)?;
            }
            let inner = all(&call.inner)?;
            let name = call.entry.facts.name;
            Ok(("call", name, inner, settings, call.columns.clone()).into_pyobject(py)?.into_any())
        }
    }
}

/// Returns a fixed value; raises an error for a range, which only searches accept.
fn fixed<'py>(py: Python<'py>, name: &str, setting: &Setting) -> PyResult<Bound<'py, PyAny>> {
    match setting {
        Setting::Fixed(Value::Number(number)) => Ok(number.into_pyobject(py)?.into_any()),
        Setting::Fixed(Value::Word(word)) => Ok(word.into_pyobject(py)?.into_any()),
        open => {
            let domain = "a single value; GridSearch takes ranges, as lists";
            Err(mercer::Error::param(name, open, domain)).or_raise(py)
        }
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(kernels, module)?)?;
    module.add_function(wrap_pyfunction!(learner_facts, module)?)?;
    module.add_function(wrap_pyfunction!(scores, module)?)?;
    module.add_function(wrap_pyfunction!(check_parameter, module)?)?;
    module.add_function(wrap_pyfunction!(canonical, module)?)?;
    module.add_function(wrap_pyfunction!(canonical_learner, module)?)?;
    module.add_function(wrap_pyfunction!(parse, module)?)?;
    module.add_function(wrap_pyfunction!(parse_learner, module)?)
}
