//! From evidence about columns to plans for reading them, and warnings about what was decided.

use std::collections::BTreeMap;

use super::build::{Cell, ColumnPlan, Joined, Plan, Sink};
use super::evidence::{Decision, ENOUGH, Evidence, are_few};
use super::form::Form;
use super::roles::{Role, given_kind};
use super::text::{Fault, shown};
use super::{Options, TargetKind};
use crate::data::Kind;
use crate::error::{Error, Result, Warning};

/// Whether a cell is a missing value: empty, `?`, `NA`, `N/A` or `null`, in any case.
pub(super) fn is_missing(cell: &Cell<'_>) -> bool {
    match cell.text.as_bytes() {
        [] | [b'?'] => true,
        [b'n' | b'N', b'a' | b'A'] => true,
        [b'n' | b'N', b'/', b'a' | b'A'] => true,
        word => word.eq_ignore_ascii_case(b"null"),
    }
}

/// How the columns are read, with what must be said about it.
pub(super) struct Typed {
    pub(super) plans: Vec<ColumnPlan>,
    notes: Vec<Note>,
}

/// A column, how it is written, and the cell that decides it.
type Note = (usize, Form, Option<(usize, String)>);

/// Plans for columns with these roles. `evidence` of a column is `None` if all its values are plain numbers, or it has
/// no value at all.
pub(super) fn columns(
    names: Vec<String>,
    roles: Vec<Role>,
    evidence: &[Option<Box<Evidence>>],
    european: bool,
    options: &Options,
    fault: &dyn Fn(Fault) -> Error,
) -> Result<Typed> {
    let european = european || evidence.iter().flatten().any(|own| own.has_commas());
    let (mut plans, mut notes) = (Vec::with_capacity(names.len()), Vec::new());
    for (j, (name, role)) in names.into_iter().zip(roles).enumerate() {
        let own = evidence.get(j).and_then(Option::as_deref);
        let given = given_kind(&name, options)?;
        let found = match role {
            Role::Feature | Role::Target => {
                decide(&name, role, own, given, european, options).map_err(fault)?
            }
            Role::Weight => Decision::new(Kind::Numbers, Form::Plain, false),
            Role::Group | Role::Id | Role::Ignore => Decision::new(Kind::Categories, Form::Plain, false),
        };
        if found.note.is_some() || found.form.explained().is_some() {
            notes.push((j, found.form, found.note));
        }
        plans.push(ColumnPlan {
            name,
            role,
            kind: found.kind,
            declared: None,
            form: found.form,
            // A few numbers with NaN or infinity among them are too little evidence.
            lenient: found.lenient && own.is_none_or(|own| own.len() >= ENOUGH || own.is_finite()),
        });
    }
    Ok(Typed { plans, notes })
}

fn decide(
    name: &str,
    role: Role,
    evidence: Option<&Evidence>,
    given: Option<Kind>,
    european: bool,
    options: &Options,
) -> Result<Decision, Fault> {
    let given = match (role, options.target_kind) {
        (Role::Target, TargetKind::Classes) => Some(Kind::Categories),
        (Role::Target, TargetKind::Numbers) => Some(Kind::Numbers),
        _ => given,
    };
    // A given kind of names needs no evidence, and cannot contradict any.
    if let Some(kind) = given.filter(|kind| !matches!(kind, Kind::Numbers | Kind::Times)) {
        return Ok(Decision::new(kind, Form::Plain, false));
    }
    let Some(evidence) = evidence else {
        return Ok(Decision::new(given.unwrap_or(Kind::Numbers), Form::Plain, !options.strict));
    };
    let found = match (options.strict, given) {
        (true, _) => evidence.decide_strictly(),
        (false, Some(Kind::Times)) => match evidence.decide(name, european)? {
            found if found.kind == Kind::Times => found,
            _ => evidence.as_times(),
        },
        (false, _) => evidence.decide(name, european)?,
    };
    Ok(match (role, given, found.kind) {
        // Classes keep the names true and false, and dates are classes too.
        (Role::Target, None, Kind::Times) => Decision::new(evidence.kind_of_names(), Form::Plain, false),
        (Role::Target, None, Kind::Numbers) if found.form == Form::Truth => {
            Decision::new(Kind::Categories, Form::Plain, false)
        }
        (_, Some(kind), Kind::Numbers | Kind::Times) => Decision { kind, ..found },
        // Cells that are not numbers are missing in a column that must hold numbers.
        (_, Some(kind), _) => Decision::new(kind, Form::Plain, !options.strict && evidence.len() >= ENOUGH),
        _ => found,
    })
}

/// Names of columns, at most a few of them.
fn list(names: &[&str]) -> String {
    const SHOWN: usize = 5;
    let shown = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more columns"),
    }
}

impl Typed {
    /// Warnings about forms that are not plain; `place` says where a cell is, such as `line 7`.
    pub(super) fn warnings(&self, place: &dyn Fn(usize) -> String) -> Vec<Warning> {
        let (mut forms, mut mixed) = (BTreeMap::<String, (Vec<&str>, String)>::new(), Vec::new());
        for (j, form, note) in &self.notes {
            let Some(column) = self.plans.get(*j) else { continue };
            let Some(said) = form.explained() else {
                mixed.extend(note.iter().map(|(_, text)| Warning::new("W_MIXED", text)));
                continue;
            };
            let why = match note {
                None => String::new(),
                Some((usize::MAX, why)) => format!("; {why}"),
                Some((at, why)) => format!(", {why} in {}", place(*at)),
            };
            forms.entry(said).or_insert_with(|| (Vec::new(), why)).0.push(&column.name);
        }
        let forms = forms.into_iter().map(|(said, (names, why))| {
            Warning::new("W_FORM", format!("{}: read as {said}{why}", list(&names)))
        });
        forms.chain(mixed).collect()
    }
}

/// Columns in which too many cells are odd, although the first ones were not.
pub(super) fn doubtful(plan: &Plan, joined: &Joined, options: &Options) -> Vec<usize> {
    let numeric = |j: &usize| {
        let before = plan.columns.iter().take(*j);
        before.filter(|c| matches!(c.sink(), Sink::Numbers | Sink::Formed)).count()
    };
    let many = |(j, odd): (&usize, &super::build::Odd)| {
        let known = joined.numbers.get(numeric(j)).map_or(0, |v| v.iter().filter(|v| !v.is_nan()).count());
        let given = plan.columns.get(*j).is_some_and(|c| options.kinds.contains_key(&c.name));
        (!given && !are_few(odd.count, known + odd.count)).then_some(*j)
    };
    joined.odd.iter().filter_map(many).collect()
}

/// Warnings about cells that became missing values.
pub(super) fn odd_cells(plan: &Plan, joined: &Joined, place: &dyn Fn(usize) -> String) -> Vec<Warning> {
    const SHOWN: usize = 10;
    let mut warnings = Vec::new();
    for (j, odd) in joined.odd.iter().take(SHOWN) {
        let Some(column) = plan.columns.get(*j) else { continue };
        warnings.push(Warning::new(
            "W_CELLS",
            format!(
                "{}: {} of {} cells are not {}, e.g. {} in {}; they are missing values",
                column.name,
                odd.count,
                joined.rows + joined.dropped,
                column.form.expected(),
                shown(&odd.text),
                place(odd.offset)
            ),
        ));
    }
    if let Some(more) = joined.odd.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        warnings.push(Warning::new("W_CELLS", format!("{more} more columns have such cells")));
    }
    warnings
}
