//! Expressions in outline, for tables and sentences.

use std::fmt::Write;

use super::tree::{Call, Expression};

/// Up to this many columns are named; more are counted.
const NAMED: usize = 3;

/// How much of an expression an outline shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// The names of kernels and columns.
    Names,
    /// Also parameters that differ from their defaults.
    Parameters,
}

impl Expression {
    /// What is compared, in short: without wrappers that only scale or complete values, without factors, and with the number
    /// of columns where there are many.
    ///
    /// An outline is for people. It does not parse; [`Expression::brief`] does.
    ///
    /// ```
    /// use mercer::expression::{Detail, Expression};
    /// let e: Expression = "normalize(spectrum(k=4))@gene + 2*rbf-of(standardize(column-sum(linear)), gamma=0.5)".parse()?;
    /// assert_eq!(e.outline(Detail::Names), "spectrum@gene + rbf-of(linear)");
    /// assert_eq!(e.outline(Detail::Parameters), "spectrum(k=4)@gene + rbf-of(linear, gamma=0.5)");
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn outline(&self, detail: Detail) -> String {
        match self {
            Expression::Sum(parts) => joined(parts, " + ", detail),
            Expression::Product(parts) => {
                let factor = |e: &Expression| match e.is_outlined_as_sum() {
                    true => format!("({})", e.outline(detail)),
                    false => e.outline(detail),
                };
                parts.iter().map(factor).collect::<Vec<_>>().join(" * ")
            }
            Expression::Scale(_, inner) => inner.outline(detail),
            Expression::Group(inner, columns) => on(inner, columns, detail),
            Expression::Call(call) => match (call.prepared(), &call.columns) {
                (Some(inner), None) => inner.outline(detail),
                (Some(inner), Some(columns)) => on(inner, columns, detail),
                (None, columns) => {
                    let mut out = written(call, detail);
                    if let Some(columns) = columns {
                        out.push_str(&at(columns));
                    }
                    out
                }
            },
        }
    }

    /// Whether its outline is a sum, without parentheses.
    fn is_outlined_as_sum(&self) -> bool {
        match self {
            Expression::Sum(parts) => parts.len() > 1,
            Expression::Scale(_, inner) => inner.is_outlined_as_sum(),
            Expression::Call(call) if call.columns.is_none() => {
                call.prepared().is_some_and(Expression::is_outlined_as_sum)
            }
            _ => false,
        }
    }

    /// The expression that an outline shows for this one: inside wrappers that prepare, factors and groups.
    fn core(&self) -> &Expression {
        match self {
            Expression::Scale(_, inner) => inner.core(),
            Expression::Group(inner, _) => inner.core(),
            Expression::Call(call) => call.prepared().map_or(self, Expression::core),
            _ => self,
        }
    }
}

impl Call {
    /// The kernel inside, if this only prepares its values.
    fn prepared(&self) -> Option<&Expression> {
        self.inner.first().filter(|_| self.entry.prepares)
    }
}

/// The outline of an expression on columns.
fn on(inner: &Expression, columns: &[String], detail: Detail) -> String {
    let text = inner.outline(detail);
    match inner.core() {
        Expression::Sum(_) | Expression::Product(_) => format!("({text}){}", at(columns)),
        _ => text + &at(columns),
    }
}

fn joined(parts: &[Expression], between: &str, detail: Detail) -> String {
    let parts: Vec<_> = parts.iter().map(|e| e.outline(detail)).collect();
    parts.join(between)
}

/// The name of a kernel with what is inside, and with its parameters if they are shown.
fn written(call: &Call, detail: Detail) -> String {
    let mut inside: Vec<String> = call.inner.iter().map(|e| e.outline(detail)).collect();
    if detail == Detail::Parameters {
        inside.extend(call.telling_settings());
    }
    let name = call.entry.facts.name;
    if inside.is_empty() { name.to_owned() } else { format!("{name}({})", inside.join(", ")) }
}

/// Columns behind a kernel.
fn at(columns: &[String]) -> String {
    if columns.len() > NAMED {
        return format!("@({} columns)", columns.len());
    }
    let mut out = String::from("@");
    for (i, column) in columns.iter().enumerate() {
        let _ = write!(out, "{}{}", if i > 0 { "," } else { "" }, super::value::Quoted(column));
    }
    out
}

/// Outlines of the kernels of several methods, each a kernel and a learner as text: with parameters if that fits into `most`
/// characters, and always with what tells methods apart. Text that does not parse stays as it is.
///
/// ```
/// use mercer::expression::outlines;
/// let (a, b) = ("normalize(spectrum(k=4))", "normalize(spectrum(k=5))");
/// assert_eq!(outlines(&[(a, "svc"), (b, "svc")], 5), ["spectrum(k=4)", "spectrum(k=5)"]);
/// assert_eq!(outlines(&[(a, "svc"), (b, "knn")], 5), ["spectrum", "spectrum"]);
/// assert_eq!(outlines(&[(a, "svc")], 60), ["spectrum(k=4)"]);
/// ```
pub fn outlines(methods: &[(&str, &str)], most: usize) -> Vec<String> {
    let forms = |text: &str| match text.parse::<Expression>() {
        Ok(e) => [e.brief(), e.outline(Detail::Parameters), e.outline(Detail::Names)],
        Err(_) => [text, text, text].map(str::to_owned),
    };
    let forms: Vec<[String; 3]> = methods.iter().map(|(kernel, _)| forms(kernel)).collect();
    let fits = |forms: &[String; 3]| if forms[1].chars().count() <= most { 1 } else { 2 };
    let mut level: Vec<usize> = forms.iter().map(fits).collect();
    // What two methods would share is written with more detail.
    for _ in 0..2 {
        let shown: Vec<(&str, &str)> =
            forms.iter().zip(&level).zip(methods).map(|((f, &l), m)| (f[l].as_str(), m.1)).collect();
        let shared: Vec<bool> = shown.iter().map(|a| shown.iter().filter(|b| a == *b).count() > 1).collect();
        level
            .iter_mut()
            .zip(shared)
            .filter(|(_, shared)| *shared)
            .for_each(|(l, _)| *l = l.saturating_sub(1));
    }
    forms.into_iter().zip(level).map(|(mut f, l)| std::mem::take(&mut f[l])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(text: &str) -> [String; 2] {
        let e: Expression = text.parse().unwrap();
        [e.outline(Detail::Names), e.outline(Detail::Parameters)]
    }

    #[test]
    fn wrappers_that_prepare_are_left_out() {
        let long = "rbf-of(standardize(column-sum(zero-extend(linear))), gamma=0.2) + \
                    normalize(column-sum(zero-extend(delta))@[sex,embarked]) + normalize(spectrum@ticket)";
        assert_eq!(outline(long)[0], "rbf-of(linear) + delta@sex,embarked + spectrum@ticket");
        assert_eq!(outline("(linear + delta)@a,b,c,d")[0], "(linear + delta)@(4 columns)");
        assert_eq!(outline("normalize(linear + delta)@a * 2*delta@b")[0], "(linear + delta)@a * delta@b");
        assert_eq!(outline("delta * (rbf + 2*linear)")[0], "delta * (rbf + linear)");
        let [names, all] = outline("tanimoto(wl-oa(h=1, edge-labels=yes)) + 0.02*wl-oa(h=1)");
        assert_eq!(names, "tanimoto(wl-oa) + wl-oa");
        assert_eq!(all, "tanimoto(wl-oa(h=1, edge-labels=yes)) + wl-oa(h=1)");
    }

    #[test]
    fn methods_are_told_apart() {
        let texts =
            ["normalize(spectrum(k=4))", "center(spectrum(k=4))", "spectrum(k=5)", "rbf-of(spectrum)", "?"];
        let methods: Vec<_> = texts.iter().map(|&k| (k, "svc")).collect();
        let shown = outlines(&methods, 8);
        assert_eq!(shown, [texts[0], texts[1], "spectrum(k=5)", "rbf-of(spectrum)", "?"]);
        assert!(outlines(&[], 8).is_empty());
    }
}
