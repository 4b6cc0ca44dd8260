//! The most important features or objects of a model.

use kuva::prelude::{BarPlot, Plot as Drawn};
use serde_json::Value;

use super::{Figure, colour, layout, short};
use crate::document::{list, text};

/// Maximum number of bars.
const MOST: usize = 20;

pub(super) fn bars(figure: &Value) -> Vec<Figure> {
    let (items, name) = match list(&figure["features"]) {
        [] => (list(&figure["references"]), "id"),
        features => (features, "feature"),
    };
    let known =
        items.iter().filter_map(|item| Some((short(&text(&item[name]), 28), item["weight"].as_f64()?)));
    // From bottom to top.
    let mut known: Vec<(String, f64)> = known.filter(|item| item.1.is_finite()).take(MOST).collect();
    known.reverse();
    if known.is_empty() {
        return Vec::new();
    }
    let mut plot = BarPlot::new().with_horizontal(true);
    for (name, weight) in known {
        plot = plot.with_colored_bar(name, weight, colour(usize::from(weight < 0.0)));
    }
    let plots = vec![Drawn::Bar(plot)];
    let layout = layout(&plots, "Most important features", "weight", "").with_height(520.0);
    vec![("drivers".into(), plots, layout)]
}
