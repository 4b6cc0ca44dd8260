//! What drove predictions, for `mercer predict --explain`.

use mercer::Result;
use mercer::data::Dataset;
use mercer::gram::Engine;
use mercer::model::{Contribution, Explanation, Model};
use serde_json::{Value, json};

use crate::console::BOLD;
use crate::table::{Look, Table};

/// Places of one feature that are listed.
const PLACES: usize = 4;

/// Explanations by features, or, where the kernel has none by name, by the support objects that an object resembles. Besides, a note
/// about the latter.
pub(super) fn explanations(
    model: &Model,
    data: &Dataset,
    most: usize,
    engine: &Engine,
) -> Result<(Vec<Explanation>, Option<String>)> {
    match model.explain(data, most, engine) {
        Ok(all) => Ok((all, None)),
        Err(error) if error.is_end_of_budget() => Err(error),
        Err(by_features) => match model.explain_by_objects(data, most, engine) {
            Ok(all) => {
                let note =
                    "this kernel has no features by name: predictions are explained by support objects";
                Ok((all, Some(note.to_owned())))
            }
            Err(error) if error.is_end_of_budget() => Err(error),
            Err(_) => Err(by_features),
        },
    }
}

/// One block for each object: what was predicted, and the features that add or take the most.
pub(super) fn text(explanations: &[Explanation], by_objects: bool, data: &Dataset) -> String {
    let heading = match by_objects {
        true => [">adds", "support object", ">weight", ">similarity", ""],
        false => [">adds", "feature", ">weight", ">count", "where"],
    };
    let (others, without) = match by_objects {
        true => ("all other support objects", "without any of them"),
        false => ("all other features", "without any feature"),
    };
    let mut out = String::new();
    for (i, why) in explanations.iter().enumerate() {
        let who = data.ids().map_or_else(|| format!("object {}", i + 1), |ids| ids[i].clone());
        let what = why.class.as_ref().map_or_else(String::new, |class| format!("{class}, "));
        let mut table = Table::new(&heading);
        for part in &why.parts {
            let cells = vec![
                format!("{:+.4}", part.amount),
                part.feature.clone(),
                format!("{:+.4}", part.weight),
                short(part.count),
                places(part),
            ];
            table.row(cells, Look::Plain);
        }
        let others = vec![format!("{:+.4}", why.rest), others.to_owned()];
        table.row(others, Look::Faint);
        table.row(vec![format!("{:+.4}", why.offset), without.to_owned()], Look::Faint);
        let gap = if i > 0 { "\n" } else { "" };
        out.push_str(&format!("{gap}{BOLD}{who}{BOLD:#}: {what}{:+.4}\n{table}\n", why.value));
    }
    out
}

/// A count without the digits of one that is whole.
fn short(count: f64) -> String {
    if count.fract() == 0.0 { count.to_string() } else { format!("{count:.4}") }
}

/// The nodes a feature is found on, or the letter it starts with, the first few times.
fn places(part: &Contribution) -> String {
    let one = |nodes: &Vec<u32>| nodes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let some: Vec<String> = part.nodes.iter().take(PLACES).map(one).collect();
    let more = if part.nodes.len() > PLACES { " | …" } else { "" };
    format!("{}{more}", some.join(" | "))
}

/// The same as JSON.
pub(super) fn document(explanations: &[Explanation]) -> Value {
    let part = |p: &Contribution| json!({"feature": p.feature, "weight": p.weight, "count": p.count, "amount": p.amount, "nodes": p.nodes});
    let one = |why: &Explanation| {
        json!({
            "class": why.class, "value": why.value, "offset": why.offset, "rest": why.rest,
            "features": why.parts.iter().map(part).collect::<Vec<_>>(),
        })
    };
    explanations.iter().map(one).collect()
}
