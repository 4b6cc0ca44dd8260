//! From evidence about columns to plans for reading them, and warnings about what was decided.

use std::collections::{BTreeMap, BTreeSet};

use super::build::{Cell, ColumnPlan, Joined, Plan, Sink};
use super::evidence::{Decision, ENOUGH, Evidence, Marks, are_few};
use super::roles::{Role, given_kind};
use super::text::{Fault, shown};
use super::{Options, TargetKind, form};
use crate::data::{CellForm, DateOrder, DecimalMark, Kind};
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
    pub(super) notes: Notes,
    /// The decimal marks of the table, which decide where nothing else does.
    marks: Marks,
    /// Columns whose form the values seen do not decide.
    open: BTreeSet<usize>,
}

/// What must be said about columns: by index, how each is written, and the cell that decides it.
pub(super) type Notes = BTreeMap<usize, Note>;

/// How a column is written, the cell that decides it, and how it was written in the data of the model, if that differs.
#[derive(Debug, Clone)]
pub(super) struct Note {
    form: CellForm,
    /// The form in words, where it does not say how the cells are written.
    words: Option<String>,
    why: Option<(usize, String)>,
    before: Option<CellForm>,
}

/// Columns whose evidence is in memory at the same time; each batch is another pass over the sample.
const BATCH: usize = 1 << 16;

/// Reads the evidence about some columns.
pub(super) type Gather<'g> = dyn Fn(&[usize]) -> Result<Vec<Evidence>> + 'g;

/// Whether the form of a column was known beforehand in such a way that plain numbers mean something else.
pub(super) fn is_unclear(name: &str, options: &Options) -> bool {
    matches!(
        options.forms.get(name),
        Some(CellForm::Written { mark: DecimalMark::Comma, .. } | CellForm::Dates(DateOrder::Year))
    )
}

/// Plans for columns with these roles. All values of a column that is not `unclear` are plain numbers, or it has no value
/// at all.
pub(super) fn columns(
    names: Vec<String>,
    roles: &[Role],
    unclear: &[usize],
    marks: Marks,
    options: &Options,
    gather: &Gather<'_>,
    fault: &dyn Fn(Fault) -> Error,
) -> Result<Typed> {
    let plan = |(name, role): (String, &Role)| ColumnPlan {
        name,
        role: *role,
        kind: Kind::Numbers,
        declared: None,
        form: CellForm::Plain,
        lenient: !options.strict,
    };
    let plans = names.into_iter().zip(roles).map(plan).collect();
    let mut typed = Typed { plans, notes: Notes::new(), marks, open: BTreeSet::new() };
    for j in 0..typed.plans.len() {
        typed.decide(j, None, options, fault)?;
    }
    loop {
        let before = typed.marks;
        typed.decide_again(unclear, options, gather, fault)?;
        // Columns of an earlier batch were decided without knowing that commas are decimal marks.
        if typed.marks == before || unclear.len() <= BATCH {
            return Ok(typed);
        }
    }
}

impl Typed {
    /// The decimal marks of the table, as far as known.
    pub(super) fn marks(&self) -> Marks {
        self.marks
    }

    /// Columns that rows after the first ones may decide: their form is open, or cells are of another form.
    pub(super) fn undecided(&self, joined: &Joined) -> BTreeSet<usize> {
        let otherwise = joined.odd.iter().filter(|(_, odd)| odd.otherwise).map(|(j, _)| *j);
        self.open.iter().copied().chain(otherwise).collect()
    }

    /// Decides columns by new evidence; returns whether a plan changed.
    pub(super) fn decide_again(
        &mut self,
        wanted: &[usize],
        options: &Options,
        gather: &Gather<'_>,
        fault: &dyn Fn(Fault) -> Error,
    ) -> Result<bool> {
        let mut changed = false;
        for batch in wanted.chunks(BATCH) {
            let evidence = gather(batch)?;
            self.marks.commas |= evidence.iter().any(Evidence::has_commas);
            self.marks.points |= evidence.iter().any(Evidence::has_points);
            for (&j, own) in batch.iter().zip(&evidence) {
                changed |= self.decide(j, Some(own), options, fault)?;
            }
        }
        Ok(changed)
    }

    /// Decides one column, without evidence if all its values are plain numbers; returns whether its plan changed.
    fn decide(
        &mut self,
        j: usize,
        own: Option<&Evidence>,
        options: &Options,
        fault: &dyn Fn(Fault) -> Error,
    ) -> Result<bool> {
        let Some(column) = self.plans.get_mut(j) else { return Ok(false) };
        let given = given_kind(&column.name, options)?;
        let found = match column.role {
            Role::Feature | Role::Target => {
                decide(&column.name, column.role, own, given, self.marks, options).map_err(fault)?
            }
            Role::Weight => Decision::new(Kind::Numbers, CellForm::Plain, false),
            Role::Group | Role::Id | Role::Ignore => Decision::new(Kind::Categories, CellForm::Plain, false),
        };
        // A few numbers with infinity among them are too little evidence.
        let lenient = found.lenient && own.is_none_or(|own| own.len() >= ENOUGH || own.is_finite());
        let before = options.forms.get(&column.name).copied();
        let before = before.filter(|form| *form != found.form && found.form != CellForm::Plain);
        self.notes.remove(&j);
        match found.open {
            true => self.open.insert(j),
            false => self.open.remove(&j),
        };
        // What is written as in the data of the model was said when that was read.
        let expected = options.forms.get(&column.name) == Some(&found.form);
        let said = found.note.is_some() || form::explained(found.form).is_some();
        if before.is_some() || said && !expected {
            self.notes.insert(j, Note { form: found.form, words: found.words, why: found.note, before });
        }
        let changed = (column.kind, column.form, column.lenient) != (found.kind, found.form, lenient);
        (column.kind, column.form, column.lenient) = (found.kind, found.form, lenient);
        Ok(changed)
    }
}

fn decide(
    name: &str,
    role: Role,
    evidence: Option<&Evidence>,
    given: Option<Kind>,
    marks: Marks,
    options: &Options,
) -> Result<Decision, Fault> {
    let given = match (role, options.target_kind) {
        (Role::Target, TargetKind::Classes) => Some(Kind::Categories),
        (Role::Target, TargetKind::Numbers) => Some(Kind::Numbers),
        _ => given,
    };
    // A given kind of names needs no evidence, and cannot contradict any.
    if let Some(kind) = given.filter(|kind| !matches!(kind, Kind::Numbers | Kind::Times)) {
        return Ok(Decision::new(kind, CellForm::Plain, false));
    }
    let Some(evidence) = evidence else {
        return Ok(Decision::new(given.unwrap_or(Kind::Numbers), CellForm::Plain, !options.strict));
    };
    let known = options.forms.get(name).copied().filter(|form| evidence.fits(*form));
    let found = match (options.strict, given) {
        (true, _) => evidence.decide_strictly(),
        (false, _) if known.is_some() => {
            let form = known.unwrap_or(CellForm::Plain);
            Decision::new(form::kind(form), form, true)
        }
        (false, Some(Kind::Times)) => match evidence.decide(name, marks)? {
            found if found.kind == Kind::Times => found,
            _ => evidence.as_times(),
        },
        (false, _) => evidence.decide(name, marks)?,
    };
    Ok(match (role, given, found.kind) {
        // Numbers stay numbers where they are asked for, and in a target, however they look.
        (_, Some(Kind::Numbers), Kind::Times) | (Role::Target, None, Kind::Times)
            if evidence.is_compact() =>
        {
            Decision::new(Kind::Numbers, CellForm::Plain, true)
        }
        // Classes keep the names true and false, and dates are classes too.
        (Role::Target, None, Kind::Times) => Decision::new(evidence.kind_of_names(), CellForm::Plain, false),
        (Role::Target, None, Kind::Numbers) if found.form == CellForm::Truth => {
            Decision::new(Kind::Categories, CellForm::Plain, false)
        }
        (_, Some(kind), Kind::Numbers | Kind::Times) => Decision { kind, ..found },
        // Cells that are not numbers are missing in a column that must hold numbers.
        (_, Some(kind), _) => {
            Decision::new(kind, CellForm::Plain, !options.strict && evidence.len() >= ENOUGH)
        }
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

/// Warnings about forms that are not plain; `place` says where a cell is, such as `line 7`.
pub(super) fn warnings(notes: &Notes, plan: &Plan, place: &dyn Fn(usize) -> String) -> Vec<Warning> {
    let (mut forms, mut others) =
        (BTreeMap::<(String, Option<String>), (Vec<&str>, String)>::new(), Vec::new());
    for (j, note) in notes {
        let Some(ColumnPlan { name, kind, .. }) = plan.columns.get(*j) else { continue };
        let why = match &note.why {
            None => String::new(),
            Some((usize::MAX, why)) => format!("; {why}"),
            Some((at, why)) => format!(", {why} in {}", place(*at)),
        };
        match (note.words.clone().or_else(|| form::explained(note.form)), note.before) {
            (_, Some(before)) => {
                let now = note.words.clone().unwrap_or_else(|| form::described(note.form));
                let before = form::described(before);
                let text = format!("{name}: read as {now}{why}; the data of the model has {before}");
                others.push(Warning::new("W_FORM", text));
            }
            (Some(said), None) => {
                // Columns are listed together unless a reason of their own is given.
                let own = note.why.as_ref().filter(|why| why.0 == usize::MAX).map(|why| why.1.clone());
                let (names, ..) = forms.entry((said, own)).or_insert_with(|| (Vec::new(), why));
                names.push(name);
            }
            (None, None) if *kind == Kind::Numbers => {
                let said = note.why.iter().map(|(_, text)| format!("{name}: {text}"));
                others.extend(said.map(|text| Warning::new("W_FORM", text)));
            }
            (None, None) => {
                others.extend(note.why.iter().map(|(_, text)| Warning::new("W_MIXED", text)));
            }
        }
    }
    let forms = forms.into_iter().map(|((said, _), (names, why))| {
        Warning::new("W_FORM", format!("{}: read as {said}{why}", list(&names)))
    });
    forms.chain(others).collect()
}

/// Columns in which too many cells are odd, although the first ones were not.
pub(super) fn doubtful(plan: &Plan, joined: &Joined, options: &Options) -> BTreeSet<usize> {
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
                form::expected(column.form),
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
