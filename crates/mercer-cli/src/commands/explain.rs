//! What drove predictions, for `mercer predict --explain`.

use mercer::data::Dataset;
use mercer::model::{Contribution, Explanation};
use serde_json::{Value, json};

use crate::console::BOLD;
use crate::table::{Look, Table};

/// Places of one feature that are listed.
const PLACES: usize = 4;

/// One block for each object: what was predicted, and the features that add or take the most.
pub(super) fn text(explanations: &[Explanation], data: &Dataset) -> String {
    let mut out = String::new();
    for (i, why) in explanations.iter().enumerate() {
        let who = data.ids().map_or_else(|| format!("object {}", i + 1), |ids| ids[i].clone());
        let what = why.class.as_ref().map_or_else(String::new, |class| format!("{class}, "));
        let mut table = Table::new(&[">adds", "feature", ">weight", ">count", "where"]);
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
        let others = vec![format!("{:+.4}", why.rest), "all other features".to_owned()];
        table.row(others, Look::Faint);
        table.row(vec![format!("{:+.4}", why.offset), "without any feature".to_owned()], Look::Faint);
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
