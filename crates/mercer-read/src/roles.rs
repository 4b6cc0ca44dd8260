//! The roles of columns: features, target, groups, ids, weights.

use std::collections::{HashMap, HashSet};

use super::{Options, TargetKind};
use crate::data::{Categories, Dataset, Kind, Target, Values};
use crate::error::{Code, Error, Place, Result, Warning, nearest};

/// The role of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Feature,
    Target,
    Group,
    Id,
    Weight,
    Ignore,
}

/// Column names that are recognised as the target, in order of preference.
pub(super) const TARGETS: [&str; 4] = ["class", "target", "label", "y"];
/// Whole numbers with more distinct values than this are regression targets, not classes.
const MOST_CLASSES: usize = 20;
/// Up to this many names are searched linearly; for more, an index of all columns is worth its memory.
const FEW: usize = 8;

/// The role of each column of a file; `header` is the position of the column names.
pub(super) fn assign(names: &[String], options: &Options, header: &Place) -> Result<Vec<Role>> {
    let mut roles = vec![Role::Feature; names.len()];
    // Of equal names the first is used.
    let mut places = HashMap::new();
    if options.ignore.len() + options.kinds.len() > FEW {
        places.reserve(names.len());
        for (at, name) in names.iter().enumerate() {
            places.entry(name.as_str()).or_insert(at);
        }
    }
    let find = |name: &str| match places.is_empty() {
        true => names.iter().position(|n| n == name),
        false => places.get(name).copied(),
    };
    let wanted = [
        (options.target.as_ref().filter(|_| !options.no_target), Role::Target, Code::Target, "target"),
        (options.group.as_ref(), Role::Group, Code::Column, "group"),
        (options.id.as_ref(), Role::Id, Code::Column, "id"),
        (options.weight.as_ref(), Role::Weight, Code::Column, "weight"),
    ];
    let named = wanted.into_iter().filter_map(|(name, role, code, what)| Some((name?, role, code, what)));
    let ignored = options.ignore.iter().map(|name| (name, Role::Ignore, Code::Column, "ignored"));
    for (name, role, code, what) in named.chain(ignored) {
        let Some(at) = find(name) else {
            let optional = match role {
                Role::Ignore | Role::Target => options.optional_names,
                Role::Id => options.optional_id,
                _ => false,
            };
            if optional {
                continue;
            }
            return Err(absent(names, name, code, what, header));
        };
        match roles.get_mut(at) {
            Some(free) if *free == Role::Feature || *free == role => *free = role,
            _ => return Err(Error::usage(format!("column '{name}' is given two roles, one of them {what}"))),
        }
    }
    for name in options.kinds.keys().filter(|_| !options.optional_names) {
        find(name).ok_or_else(|| absent(names, name, Code::Column, "typed", header))?;
    }
    if options.target.is_none() && !options.no_target {
        let named = |wanted: &&str| names.iter().position(|n| n.eq_ignore_ascii_case(wanted));
        let free = TARGETS.iter().filter_map(named).find(|&at| roles.get(at) == Some(&Role::Feature));
        if let Some(role) = free.and_then(|at| roles.get_mut(at)) {
            *role = Role::Target;
        }
    }
    Ok(roles)
}

fn absent(names: &[String], name: &str, code: Code, what: &str, header: &Place) -> Error {
    let near = nearest(name, names.iter().map(String::as_str));
    let (reason, hint) = if near.is_empty() {
        let some = names.iter().take(10).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if names.len() > 10 { ", …" } else { "" };
        (format!("no column '{name}' for role {what}"), format!("the columns are {some}{more}"))
    } else {
        let near = near.join(", ");
        (format!("no column '{name}' for role {what}; nearest: {near}"), format!("did you mean {near}?"))
    };
    Error::parse(header.clone(), code, reason).with_hint(hint)
}

/// The type the user gave a text column, if text can be converted to it.
pub(super) fn given_kind(name: &str, options: &Options) -> Result<Option<Kind>> {
    match options.kinds.get(name) {
        Some(
            kind @ (Kind::Numbers
            | Kind::Categories
            | Kind::Times
            | Kind::Strings
            | Kind::Text
            | Kind::Images),
        ) => Ok(Some(*kind)),
        // Molecules are read later from their SMILES.
        Some(Kind::Molecules) => Ok(Some(Kind::Strings)),
        Some(other) => Err(Error::Column {
            name: name.to_owned(),
            reason: format!("a column of this format cannot hold {other}"),
            hint: Some(
                "it may be numbers, categories, times, strings, text, molecules or paths of images".into(),
            ),
        }),
        None => Ok(None),
    }
}

/// The target for numeric labels: whole numbers with few distinct values are classes unless `kind` says otherwise. NaN is
/// a missing label.
pub(super) fn target_of_numbers(values: Vec<f64>, kind: TargetKind) -> Target {
    let classes = match kind {
        TargetKind::Numbers => false,
        TargetKind::Classes => true,
        TargetKind::Infer => {
            let mut seen: Vec<f64> = Vec::new();
            values.iter().filter(|v| !v.is_nan()).all(|&v| {
                let known = seen.contains(&v);
                if !known {
                    seen.push(v);
                }
                (known || v.fract() == 0.0) && seen.len() <= MOST_CLASSES
            })
        }
    };
    if !classes {
        return Target::Numbers(values);
    }
    // Names are created once per run of equal labels: files are often sorted by class.
    let mut names: Vec<String> = Vec::new();
    let mut codes: Vec<u32> = Vec::with_capacity(values.len());
    let mut known = std::collections::HashMap::new();
    for v in values {
        if v.is_nan() {
            codes.push(Categories::MISSING);
            continue;
        }
        // -0 and 0 are one class.
        let code = *known.entry((v + 0.0).to_bits()).or_insert_with(|| {
            names.push(class_name(v));
            names.len() as u32 - 1
        });
        codes.push(code);
    }
    Target::Classes(Categories::from_codes(codes, names))
}

/// The name of a numeric class: `1` for 1, 1.0 and +1.
fn class_name(v: f64) -> String {
    let v = v + 0.0;
    if v.abs() < 1e16 { format!("{v}") } else { format!("{v:e}") }
}

/// The target for text labels; if all labels are numbers, classes are named like numeric classes.
pub(super) fn target_of_names(labels: Categories) -> Target {
    let numbers = |name: &String| match super::number::parse(name) {
        super::number::Number::Value(v) => Some(v),
        _ => None,
    };
    match labels.levels().iter().map(numbers).collect::<Option<Vec<f64>>>() {
        Some(levels) if !levels.is_empty() => {
            let value = |i| labels.code(i).and_then(|c| levels.get(c as usize)).copied().unwrap_or(f64::NAN);
            target_of_numbers((0..labels.len()).map(value).collect(), TargetKind::Classes)
        }
        _ => Target::Classes(labels),
    }
}

/// A warning that some rows have no target: `what` is `line` or `row`, and `first` the numbers of the first ones.
pub(super) fn unlabelled(
    count: usize,
    of: usize,
    name: &str,
    what: &str,
    first: &[String],
) -> Option<Warning> {
    let more = if count > first.len() { ", …" } else { "" };
    let s = if first.len() == 1 { "" } else { "s" };
    let message = format!(
        "{count} of {of} rows have no value in target '{name}' ({what}{s} {}{more})",
        first.join(", ")
    );
    (count > 0).then(|| Warning::new("W_UNLABELLED", message))
}

/// A table whose rows have names for which the header has none, as R writes them: they are the names of the objects, if they
/// are distinct.
pub(super) fn row_names_as_ids(data: Dataset, options: &Options) -> Result<Dataset> {
    let first = data.columns().first().map(|column| column.name.clone());
    match first {
        Some(name) => as_ids(data, &name, "the rows have names that the header does not name", options),
        None => Ok(data),
    }
}

/// The column in which pandas stores the index of a data frame.
const FRAME_INDEX: &str = "__index_level_0__";

/// A table with the index of a data frame: its values are the names of the objects, if they are distinct.
pub(super) fn frame_index_as_ids(data: Dataset, options: &Options) -> Result<Dataset> {
    match data.has_column(FRAME_INDEX) {
        true => as_ids(data, FRAME_INDEX, "the table has the index of a data frame", options),
        false => Ok(data),
    }
}

/// A column of distinct texts or whole numbers as the names of the objects, unless its kind or another column is given.
fn as_ids(data: Dataset, name: &str, what: &str, options: &Options) -> Result<Dataset> {
    let ids: Vec<String> = match &data.column(name)?.values {
        Values::Numbers(x) if x.cols() == 1 => {
            let whole = |v: &f64| (*v >= 0.0 && v.fract() == 0.0).then(|| v.to_string());
            x.values().iter().map_while(whole).collect()
        }
        Values::Categories(c) => (0..c.len()).map_while(|i| c.get(i).map(str::to_owned)).collect(),
        Values::Strings(v) | Values::Text(v) => v.iter().map_while(Clone::clone).collect(),
        Values::Times(t) => (0..t.len()).map(|i| t.show(i)).collect(),
        _ => Vec::new(),
    };
    let distinct = ids.iter().collect::<HashSet<_>>().len() == data.len() && data.len() > 1;
    let wanted = options.kinds.contains_key(name) || options.id.is_some() || data.ids().is_some();
    if wanted || data.columns().len() < 2 || !distinct {
        return Ok(data);
    }
    let message =
        format!("{what}: read as the names of the objects; `type={name}=strings` makes them a feature");
    let others = data.columns().iter().filter(|column| column.name != name).cloned().collect();
    let warnings = [data.warnings(), &[Warning::new("W_INDEX", message)]].concat();
    data.with_columns(others)?.with_ids(ids).map(|data| data.with_warnings(warnings))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(of: &[&str]) -> Vec<String> {
        of.iter().map(|s| (*s).to_owned()).collect()
    }

    #[test]
    fn default_target_by_name() {
        let place = Place::file("a.csv");
        let options = Options::default();
        let roles = assign(&names(&["y", "a", "Class"]), &options, &place).unwrap();
        assert_eq!(roles, [Role::Feature, Role::Feature, Role::Target]);
        let none = Options { no_target: true, ..Options::default() };
        assert!(assign(&names(&["y"]), &none, &place).unwrap() == [Role::Feature]);
    }

    #[test]
    fn row_25_absent_names() {
        let place = Place::new("a.csv", 1, 1);
        let options = Options { target: Some("clas".into()), ..Options::default() };
        let error = assign(&names(&["a", "class"]), &options, &place).unwrap_err();
        assert_eq!(error.code(), Code::Target);
        assert!(error.to_string().contains("class"), "{error}");
        assert!(error.hint().unwrap().contains("class"));
        for options in [
            Options { group: Some("q".into()), ..Options::default() },
            Options { id: Some("q".into()), ..Options::default() },
            Options { weight: Some("q".into()), ..Options::default() },
            Options { ignore: vec!["q".into()], ..Options::default() },
            Options { kinds: [("q".to_owned(), Kind::Text)].into(), ..Options::default() },
        ] {
            assert_eq!(assign(&names(&["a", "b"]), &options, &place).unwrap_err().code(), Code::Column);
        }
        let twice = Options { target: Some("a".into()), group: Some("a".into()), ..Options::default() };
        assert_eq!(assign(&names(&["a"]), &twice, &place).unwrap_err().code(), Code::Usage);
    }

    #[test]
    fn numeric_targets() {
        let classes = |values: &[f64]| match target_of_numbers(values.to_vec(), TargetKind::Infer) {
            Target::Classes(c) => Some(c.levels().to_vec()),
            Target::Numbers(_) => None,
        };
        assert_eq!(classes(&[1.0, -1.0, 1.0]), Some(names(&["1", "-1"])));
        assert_eq!(classes(&[-0.0, 0.0]), Some(names(&["0"])));
        assert_eq!(classes(&[1.0, 1.5]), None);
        assert_eq!(classes(&(0..21).map(f64::from).collect::<Vec<_>>()), None);
        let forced = target_of_names(Categories::from_values(["+1", "1.0", "2"].map(Some)));
        assert!(matches!(forced, Target::Classes(c) if c.levels() == ["1", "2"]));
    }
}
