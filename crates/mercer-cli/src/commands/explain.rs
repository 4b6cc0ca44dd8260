//! Explanations of predictions, for `mercer predict --explain`.

use mercer::Result;
use mercer::data::Dataset;
use mercer::gram::Engine;
use mercer::model::{Contribution, Explanation, Model};
use serde_json::{Value, json};

use crate::console::BOLD;
use crate::table::{RowStyle, Table};

/// Occurrences listed for each feature.
const PLACES: usize = 4;

/// Explanations by features or, if the kernel has no named features, by support objects; a note says so then.
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
                let note = "this kernel has no named features: predictions are explained by support objects";
                Ok((all, Some(note.to_owned())))
            }
            Err(error) if error.is_end_of_budget() => Err(error),
            Err(_) => Err(by_features),
        },
    }
}

/// One block per object: the prediction, and the features with the largest contributions.
pub(super) fn text(explanations: &[Explanation], by_objects: bool, data: &Dataset, width: usize) -> String {
    let heading = match by_objects {
        true => [">contribution", "support object", ">weight", ">similarity", ""],
        false => [">contribution", "feature", ">weight", ">count", "where"],
    };
    let others = if by_objects { "all other support objects" } else { "all other features" };
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
            table.row(cells, RowStyle::Plain);
        }
        let others = vec![format!("{:+.4}", why.rest), others.to_owned()];
        table.row(others, RowStyle::Faint);
        table.row(vec![format!("{:+.4}", why.offset), "intercept".to_owned()], RowStyle::Faint);
        let gap = if i > 0 { "\n" } else { "" };
        out.push_str(&format!("{gap}{BOLD}{who}{BOLD:#}: {what}{:+.4}\n{}\n", why.value, table.fit(width)));
    }
    out
}

/// A count, without decimals if it is whole.
fn short(count: f64) -> String {
    if count.fract() == 0.0 { count.to_string() } else { format!("{count:.4}") }
}

/// The first few occurrences of a feature: the nodes it is on, or the position where it starts.
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
