//! The expression as a tree, and its printed form.

use std::fmt;

use super::entry::Entry;
use super::parse::default;
use super::value::{Quoted, Setting, Value};
use crate::error::{Error, Result};
use crate::kernel::{Given, Parameter, ParameterValue, Settings};
use crate::numeric::Short;

/// Maximum nesting depth of an expression: a text of [`DEPTH`](super::parse) factors has a sum and a product
/// between two factors.
pub(super) const MOST_DEPTH: usize = 256;

/// A kernel written as text, checked against the registry.
///
/// Printing and parsing are inverse.
///
/// ```
/// use mercer::expression::Expression;
/// let e: Expression = "0.5*rbf(gamma=0.1)@age,weight + polynomial(degree=2, c=1, gamma=1)".parse()?;
/// assert_eq!(e.to_string(), "0.5*rbf(gamma=0.1)@age,weight + polynomial(degree=2, c=1, gamma=1)");
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A sum of terms.
    Sum(Vec<Expression>),
    /// A product of factors.
    Product(Vec<Expression>),
    /// A positive multiple.
    Scale(Setting, Box<Expression>),
    /// A kernel or wrapper of the registry.
    Call(Call),
    /// A group of kernels on the given columns.
    Group(Box<Expression>, Vec<String>),
}

/// One use of a kernel or wrapper.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The registry entry.
    pub entry: &'static Entry,
    /// The kernels it wraps.
    pub inner: Vec<Expression>,
    /// The setting of each parameter, in the registry's order.
    pub settings: Vec<Setting>,
    /// The columns it uses; `None` means all of a suitable type.
    pub columns: Option<Vec<String>>,
}

impl Call {
    /// The index of a parameter among those of the entry.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.entry.facts.parameters.iter().position(|p| p.name == name)
    }

    /// The number that a parameter is fixed to.
    pub fn number(&self, name: &str) -> Result<f64> {
        self.fixed(name, |s| s.number())
    }

    /// The word that a parameter is fixed to.
    pub fn word(&self, name: &str) -> Result<&str> {
        self.fixed(name, Setting::word)
    }

    /// The value of the parameter with this name, and of those that follow where the type takes several.
    pub fn get<T: ParameterValue>(&self, name: &str) -> Result<T> {
        let parameters = self.entry.facts.parameters;
        let from = self.place(name).unwrap_or(parameters.len());
        Settings::new(&parameters[from..], &|parameter| self.given(parameter)).read()
    }

    /// Passes the settings of all parameters to a function.
    pub(super) fn read<T>(&self, read: impl FnOnce(&mut Settings<'_>) -> Result<T>) -> Result<T> {
        read(&mut Settings::new(self.entry.facts.parameters, &|parameter| self.given(parameter)))
    }

    /// What a parameter is fixed to.
    pub(super) fn given(&self, parameter: &Parameter) -> Result<Given<'_>> {
        self.fixed(parameter.name, |setting| match setting {
            Setting::Fixed(Value::Number(v)) => Some(Given::Number(*v)),
            Setting::Fixed(Value::Word(w)) => Some(Given::Word(w)),
            _ => None,
        })
    }

    /// The settings that are not left out of the brief form, as text.
    pub(super) fn telling_settings(&self) -> impl Iterator<Item = String> + '_ {
        let settings = self.entry.facts.parameters.iter().zip(&self.settings);
        settings.filter(|(parameter, setting)| !is_left_out(parameter, setting)).map(
            |(parameter, setting)| {
                if self.inner.is_empty() && says_itself(parameter, setting) {
                    setting.to_string()
                } else {
                    format!("{}={setting}", parameter.name)
                }
            },
        )
    }

    fn fixed<'a, T>(&'a self, name: &str, get: impl Fn(&'a Setting) -> Option<T>) -> Result<T> {
        let setting = self.place(name).and_then(|at| self.settings.get(at));
        setting.and_then(get).ok_or_else(|| {
            let value = setting.map_or_else(|| "nothing".into(), ToString::to_string);
            let domain = match setting {
                Some(Setting::Fixed(Value::Word(_))) => "a number here",
                _ => "one value: a range is for a search to choose from",
            };
            Error::param(name, value, domain)
        })
    }
}

impl Expression {
    /// The settings that a search may choose from, in order of appearance, each with the name of its parameter.
    pub fn choices(&self) -> Vec<(String, Vec<Value>)> {
        let mut out = Vec::new();
        self.visit(&mut |name, setting| {
            if setting.is_open() {
                out.push((name.to_owned(), setting.values()));
            }
        });
        out
    }

    /// The same expression with one choice made and the others left open: value `pick` of list `at` of
    /// [`Expression::choices`].
    pub fn choose(&self, at: usize, pick: usize) -> Result<Expression> {
        let mut out = self.clone();
        let (mut place, mut chosen) = (0, false);
        out.visit_mut(&mut |setting| {
            if setting.is_open() {
                if let (true, Some(value)) = (place == at, setting.values().into_iter().nth(pick)) {
                    *setting = Setting::Fixed(value);
                    chosen = true;
                }
                place += 1;
            }
        });
        if chosen { Ok(out) } else { Err(Error::usage("an index outside the choices of the expression")) }
    }

    /// The expression with all choices made: `picks[i]` is the position in the i-th list of [`Expression::choices`].
    pub fn pick(&self, picks: &[usize]) -> Result<Expression> {
        let mut out = self.clone();
        let mut picks = picks.iter();
        let mut failed = false;
        out.visit_mut(&mut |setting| {
            if setting.is_open() {
                match picks.next().and_then(|&p| setting.values().into_iter().nth(p)) {
                    Some(value) => *setting = Setting::Fixed(value),
                    None => failed = true,
                }
            }
        });
        if failed || picks.next().is_some() {
            return Err(Error::usage("picks that do not match the choices of the expression"));
        }
        Ok(out)
    }

    /// The same expression with other values to choose from: `lists[i]` replaces the i-th list of [`Expression::choices`].
    /// Fails for values outside of a parameter's domain.
    pub(crate) fn with_choices(&self, lists: &[Vec<Value>]) -> Result<Expression> {
        let mut out = self.clone();
        let mut lists = lists.iter();
        out.visit_mut(&mut |setting| {
            if setting.is_open()
                && let Some(values) = lists.next()
            {
                *setting = Setting::of(values);
            }
        });
        // Reading the text checks the domains.
        out.to_string().parse()
    }

    /// Whether any part is fitted to the training objects: scaling, imputation, centring, repair, walks, references,
    /// the number of values of an attribute, `gamma=scale`.
    pub fn is_fitted(&self) -> bool {
        self.depends().is_fitted()
    }

    /// Whether its kernel also depends on the objects to be predicted.
    pub fn is_transductive(&self) -> bool {
        self.any_call(&|call| call.depends().is_transductive())
    }

    /// Whether it consists of precomputed similarities alone.
    pub fn is_precomputed(&self) -> bool {
        matches!(self, Expression::Call(call) if call.entry.is_precomputed())
    }

    /// Refuses an expression nested deeper than texts may be: printing, copying, fitting and freeing are recursive, and
    /// a thread's stack is finite.
    pub(super) fn check_depth(&self) -> Result<()> {
        // Uses a list of the remaining parts instead of recursion.
        let mut left = vec![(self, 1)];
        while let Some((expression, depth)) = left.pop() {
            if depth > MOST_DEPTH {
                return Err(Error::usage(format!("a kernel nested more than {MOST_DEPTH} deep")));
            }
            match expression {
                Expression::Sum(parts) | Expression::Product(parts) => {
                    left.extend(parts.iter().map(|e| (e, depth + 1)));
                }
                Expression::Scale(_, inner) | Expression::Group(inner, _) => left.push((inner, depth + 1)),
                Expression::Call(call) => left.extend(call.inner.iter().map(|e| (e, depth + 1))),
            }
        }
        Ok(())
    }

    fn any_call(&self, is: &dyn Fn(&Call) -> bool) -> bool {
        match self {
            Expression::Sum(parts) | Expression::Product(parts) => parts.iter().any(|e| e.any_call(is)),
            Expression::Scale(_, inner) | Expression::Group(inner, _) => inner.any_call(is),
            Expression::Call(call) => is(call) || call.inner.iter().any(|e| e.any_call(is)),
        }
    }

    /// The text of the expression with every walk reduced to one step: equal for expressions that share a base.
    pub(crate) fn without_steps(&self) -> String {
        let mut out = self.clone();
        out.one_step();
        out.to_string()
    }

    fn one_step(&mut self) {
        match self {
            Expression::Sum(parts) | Expression::Product(parts) => {
                parts.iter_mut().for_each(Expression::one_step);
            }
            Expression::Scale(_, inner) | Expression::Group(inner, _) => inner.one_step(),
            Expression::Call(call) => {
                let steps = call.entry.steps.and_then(|name| call.place(name));
                if let Some(at) = steps {
                    call.settings[at] = 1.0.into();
                }
                call.inner.iter_mut().for_each(Expression::one_step);
            }
        }
    }

    /// The columns named anywhere in it, except for attributes of nodes, which their graph carries.
    pub fn named_columns(&self) -> Vec<&str> {
        let mut out = Vec::new();
        self.collect_columns(&mut out);
        out
    }

    fn collect_columns<'a>(&'a self, out: &mut Vec<&'a str>) {
        match self {
            Expression::Sum(parts) | Expression::Product(parts) => {
                parts.iter().for_each(|e| e.collect_columns(out))
            }
            Expression::Scale(_, inner) => inner.collect_columns(out),
            Expression::Group(inner, columns) => {
                out.extend(columns.iter().map(String::as_str));
                inner.collect_columns(out);
            }
            Expression::Call(call) => {
                out.extend(call.columns.iter().flatten().map(String::as_str));
                if !call.entry.takes_attributes() {
                    call.inner.iter().for_each(|e| e.collect_columns(out));
                }
            }
        }
    }

    fn visit(&self, f: &mut dyn FnMut(&str, &Setting)) {
        match self {
            Expression::Sum(parts) | Expression::Product(parts) => parts.iter().for_each(|e| e.visit(f)),
            Expression::Scale(factor, inner) => {
                f("factor", factor);
                inner.visit(f);
            }
            Expression::Group(inner, _) => inner.visit(f),
            Expression::Call(call) => {
                call.inner.iter().for_each(|e| e.visit(f));
                call.entry.facts.parameters.iter().zip(&call.settings).for_each(|(p, s)| f(p.name, s));
            }
        }
    }

    fn visit_mut(&mut self, f: &mut dyn FnMut(&mut Setting)) {
        match self {
            Expression::Sum(parts) | Expression::Product(parts) => {
                parts.iter_mut().for_each(|e| e.visit_mut(f))
            }
            Expression::Scale(factor, inner) => {
                f(factor);
                inner.visit_mut(f);
            }
            Expression::Group(inner, _) => inner.visit_mut(f),
            Expression::Call(call) => {
                call.inner.iter_mut().for_each(|e| e.visit_mut(f));
                call.settings.iter_mut().for_each(f);
            }
        }
    }

    /// Prints the expression, with parentheses where the context needs them.
    fn print(&self, f: &mut fmt::Formatter<'_>, place: Place) -> fmt::Result {
        let group = match self {
            Expression::Sum(_) => place.factor,
            Expression::Product(_) => place.factor && place.single,
            _ => false,
        };
        if group {
            f.write_str("(")?;
            self.print(f, Place { factor: false, single: false, ..place })?;
            return f.write_str(")");
        }
        let inside = Place { factor: true, single: false, ..place };
        match self {
            Expression::Sum(parts) => {
                joined(f, parts, " + ", Place { factor: false, single: false, ..place })
            }
            Expression::Product(parts) => joined(f, parts, " * ", inside),
            Expression::Scale(factor, inner) => {
                write!(f, "{factor}*")?;
                inner.print(f, Place { factor: true, single: true, ..place })
            }
            Expression::Group(inner, columns) => {
                f.write_str("(")?;
                inner.print(f, Place { factor: false, single: false, ..place })?;
                f.write_str(")")?;
                print_columns(f, columns, place.argument)
            }
            Expression::Call(call) => {
                f.write_str(call.entry.facts.name)?;
                let settings = call.entry.facts.parameters.iter().zip(&call.settings);
                let shown = |(parameter, setting): &(&Parameter, &Setting)| {
                    !place.brief || !is_left_out(parameter, setting)
                };
                let settings: Vec<_> = settings.filter(shown).collect();
                if !call.inner.is_empty() || !settings.is_empty() {
                    f.write_str("(")?;
                    let argument = Place { factor: false, single: false, argument: true, ..place };
                    for (i, inner) in call.inner.iter().enumerate() {
                        f.write_str(if i > 0 { ", " } else { "" })?;
                        inner.print(f, argument)?;
                    }
                    for (i, (parameter, setting)) in settings.into_iter().enumerate() {
                        let comma = if i > 0 || !call.inner.is_empty() { ", " } else { "" };
                        if place.brief && call.inner.is_empty() && says_itself(parameter, setting) {
                            write!(f, "{comma}{setting}")?;
                        } else {
                            write!(f, "{comma}{}={setting}", parameter.name)?;
                        }
                    }
                    f.write_str(")")?;
                }
                match &call.columns {
                    Some(columns) => print_columns(f, columns, place.argument),
                    None => Ok(()),
                }
            }
        }
    }
}

/// The context in which a part of an expression is printed.
#[derive(Clone, Copy)]
struct Place {
    /// Next to a `*`.
    factor: bool,
    /// Where even a product needs parentheses.
    single: bool,
    /// Among the arguments of a call, where commas separate arguments, not columns.
    argument: bool,
    /// Without the parameters that [`is_left_out`] names.
    brief: bool,
}

/// Whether the brief form does without a setting: the default, and `ignore=others`, which changes no value.
fn is_left_out(parameter: &Parameter, setting: &Setting) -> bool {
    let is_default = default(parameter).is_ok_and(|default| default == *setting);
    let ignores_others = || matches!(setting, Setting::Fixed(Value::Word(word)) if word == "others");
    is_default || parameter.name == "ignore" && ignores_others()
}

/// Whether the brief form does without the name of a setting: an alphabet. A word without a name is for the first
/// parameter that takes it, and no other parameter takes the name of an alphabet.
fn says_itself(parameter: &Parameter, setting: &Setting) -> bool {
    parameter.name == "alphabet" && matches!(setting, Setting::Fixed(Value::Word(_)))
}

fn joined(f: &mut fmt::Formatter<'_>, parts: &[Expression], between: &str, place: Place) -> fmt::Result {
    for (i, part) in parts.iter().enumerate() {
        f.write_str(if i > 0 { between } else { "" })?;
        part.print(f, place)?;
    }
    Ok(())
}

fn print_columns(f: &mut fmt::Formatter<'_>, columns: &[String], bracketed: bool) -> fmt::Result {
    let bracketed = bracketed && columns.len() > 1;
    f.write_str(if bracketed { "@[" } else { "@" })?;
    for (i, column) in columns.iter().enumerate() {
        write!(f, "{}{}", if i > 0 { "," } else { "" }, Quoted(column))?;
    }
    f.write_str(if bracketed { "]" } else { "" })
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(f, Place { factor: false, single: false, argument: false, brief: false })
    }
}

/// Prints an expression in its brief form.
struct Brief<'a>(&'a Expression);

impl fmt::Display for Brief<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.print(f, Place { factor: false, single: false, argument: false, brief: true })
    }
}

/// Prints an expression as an argument of a call.
struct Argument<'a>(&'a Expression);

impl fmt::Display for Argument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.print(f, Place { factor: false, single: false, argument: true, brief: false })
    }
}

impl From<f64> for Setting {
    fn from(value: f64) -> Self {
        Setting::Fixed(Value::Number(value))
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Expression::Call(self.clone()).fmt(f)
    }
}

impl Expression {
    /// The expression without the parameters that have their default value, for tables and messages.
    ///
    /// `ignore=others` of kernels on graphs is left out too: it changes no value, but accepts graphs with features that the
    /// kernel does not use. Alphabets stand without `alphabet=`. Otherwise the brief form parses to the same expression as
    /// long as the defaults stay the same.
    /// Files keep the complete form.
    ///
    /// ```
    /// use mercer::expression::Expression;
    /// let e: Expression = "normalize(polynomial(degree=3, c=1, gamma=1))".parse()?;
    /// assert_eq!(e.brief(), "normalize(polynomial(degree=3))");
    /// let e: Expression = "rbf-of(graph-size(ignore=others), gamma=0.01)".parse()?;
    /// assert_eq!(e.brief(), "rbf-of(graph-size, gamma=0.01)");
    /// let e: Expression = "normalize(spectrum(k=4, alphabet=dna))".parse()?;
    /// assert_eq!(e.brief(), "normalize(spectrum(k=4, dna))");
    /// assert_eq!(e.brief().parse::<Expression>()?, e);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn brief(&self) -> String {
        Brief(self).to_string()
    }

    /// The brief form of an expression that is given as text; text that does not parse stays as it is.
    ///
    /// ```
    /// use mercer::expression::Expression;
    /// assert_eq!(Expression::brief_text("polynomial(degree=3, c=1)"), "polynomial(degree=3)");
    /// ```
    pub fn brief_text(text: &str) -> String {
        text.parse::<Expression>().map_or_else(|_| text.to_owned(), |e| e.brief())
    }

    /// The expression as the argument of a wrapper, such as `normalize`, with further settings such as `rank=100`.
    pub(crate) fn wrapped(&self, wrapper: &str, settings: &str) -> Result<Expression> {
        let comma = if settings.is_empty() { "" } else { ", " };
        format!("{wrapper}({}{comma}{settings})", Argument(self)).parse()
    }

    /// The expression times a positive number.
    pub fn scaled(self, factor: f64) -> Result<Expression> {
        if !(factor.is_finite() && factor > 0.0) {
            return Err(Error::param("factor", Short(factor), "a finite number above 0"));
        }
        let scaled = Expression::Scale(factor.into(), Box::new(self));
        scaled.check_depth()?;
        Ok(scaled)
    }
}

impl std::ops::Add for Expression {
    type Output = Expression;

    fn add(self, other: Expression) -> Expression {
        let mut terms = match self {
            Expression::Sum(terms) => terms,
            one => vec![one],
        };
        match other {
            Expression::Sum(more) => terms.extend(more),
            one => terms.push(one),
        }
        Expression::Sum(terms)
    }
}

impl std::ops::Mul for Expression {
    type Output = Expression;

    fn mul(self, other: Expression) -> Expression {
        let mut factors = match self {
            Expression::Product(factors) => factors,
            one => vec![one],
        };
        match other {
            Expression::Product(more) => factors.extend(more),
            one => factors.push(one),
        }
        Expression::Product(factors)
    }
}
