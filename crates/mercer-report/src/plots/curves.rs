//! Curves of studies.

use kuva::prelude::{LinePlot, Plot as Drawn, ScatterPlot};
use serde_json::Value;

use super::matrix::level;
use super::{Figure, colour, layout};
use crate::document::{list, numbers, text};

/// One plot for each curve: points joined by a line, and a reference level.
pub(super) fn all(curves: &Value) -> Vec<Figure> {
    list(curves).iter().filter_map(one).collect()
}

fn one(curve: &Value) -> Option<Figure> {
    let logarithmic = curve["logarithmic"].as_bool().unwrap_or(false);
    let points: Vec<(f64, f64)> = list(&curve["points"])
        .iter()
        .filter_map(|p| match numbers(p)[..] {
            [x, y] if x.is_finite() && y.is_finite() && (x > 0.0 || !logarithmic) => Some((x, y)),
            _ => None,
        })
        .collect();
    if points.is_empty() {
        return None;
    }
    // File names contain only characters, digits and characters that are valid on every system.
    let safe = |c: char| if c.is_alphanumeric() || c == '-' { c } else { '-' };
    let name: String = text(&curve["name"]).chars().map(safe).collect();
    let plots: Vec<Drawn> = vec![
        LinePlot::new().with_data(points.clone()).with_color(colour(0)).into(),
        ScatterPlot::new().with_data(points).with_color(colour(0)).with_size(3.5).into(),
    ];
    let mut layout = layout(&plots, &text(&curve["title"]), &text(&curve["x"]), &text(&curve["y"]));
    if logarithmic {
        layout = layout.with_log_x();
    }
    if let Some(value) = curve["level"]["value"].as_f64().filter(|v| v.is_finite()) {
        layout = level(layout, value, &text(&curve["level"]["label"]));
    }
    Some((name.trim_matches('-').to_owned(), plots, layout))
}
