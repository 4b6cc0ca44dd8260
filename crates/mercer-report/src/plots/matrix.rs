//! The Gram matrix, its eigenvalues, and objects along components.

use kuva::prelude::{
    ColorMap, Heatmap, Layout, LinePlot, MarkerShape, Plot as Drawn, ReferenceLine, ScatterPlot,
};
use serde_json::Value;

use super::{Figure, colour, layout, short};
use crate::document::{bytes, numbers, texts, whole};

/// Maximum number of rows of a matrix in a file: every cell is a separate rectangle.
const CELLS: usize = 100;

pub(super) fn gram(figure: &Value) -> Vec<Figure> {
    let (shown, low) = (whole(&figure["shown"]), figure["low"].as_f64().unwrap_or(0.0));
    let high = figure["high"].as_f64().unwrap_or(1.0);
    let shades = figure["values"].as_str().and_then(bytes).unwrap_or_default();
    if shown == 0 || shown.checked_mul(shown) != Some(shades.len()) {
        return Vec::new();
    }
    let side = shown.min(CELLS);
    let range = |at: usize| at * shown / side..(at + 1) * shown / side;
    let mean = |rows: std::ops::Range<usize>, cols: std::ops::Range<usize>| {
        let count = (rows.len() * cols.len()) as f64;
        let sum: f64 = rows
            .flat_map(|i| &shades[i * shown + cols.start..i * shown + cols.end])
            .map(|&b| f64::from(b))
            .sum();
        low + (high - low) * sum / (count * 255.0)
    };
    let data: Vec<Vec<f64>> =
        (0..side).map(|i| (0..side).map(|j| mean(range(i), range(j))).collect()).collect();
    let map = if low < 0.0 { ColorMap::RedBlue } else { ColorMap::Viridis };
    let plots: Vec<Drawn> =
        vec![Drawn::Heatmap(Heatmap::new().with_data(data).with_color_map(map).with_cell_size(1.0))];
    let order = if figure["classes"].is_null() { "objects" } else { "objects, ordered by class" };
    let layout =
        layout(&plots, "Gram matrix", order, order).with_width(560.0).with_height(500.0).with_clamp_axis();
    vec![("gram".into(), plots, layout)]
}

pub(super) fn spectrum(figure: &Value) -> Vec<Figure> {
    let values: Vec<f64> = numbers(&figure["values"]).into_iter().filter(|v| v.is_finite()).collect();
    let tolerance = figure["tolerance"].as_f64().unwrap_or(0.0);
    let of = |sign: f64| -> Vec<(f64, f64)> {
        let numbered = values.iter().enumerate().map(|(i, &v)| ((i + 1) as f64, sign * v));
        numbered.filter(|&(_, v)| v > tolerance.max(1e-300)).collect()
    };
    let (positive, negative) = (of(1.0), of(-1.0));
    if positive.is_empty() && negative.is_empty() {
        return Vec::new();
    }
    let mut plots: Vec<Drawn> = Vec::new();
    if !positive.is_empty() {
        plots.push(
            ScatterPlot::new()
                .with_data(positive)
                .with_color(colour(0))
                .with_size(2.5)
                .with_legend("positive")
                .into(),
        );
    }
    if !negative.is_empty() {
        let points = ScatterPlot::new().with_data(negative).with_color(colour(1)).with_size(4.0);
        plots.push(points.with_marker(MarkerShape::Cross).with_legend("negative").into());
    }
    let layout = layout(&plots, "Eigenvalues", "rank", "absolute value").with_log_y();
    vec![("spectrum".into(), plots, layout)]
}

pub(super) fn components(figure: &Value) -> Vec<Figure> {
    let points: Vec<(f64, f64)> = numbers(&figure["x"]).into_iter().zip(numbers(&figure["y"])).collect();
    let classes = texts(&figure["classes"]);
    let mut names = classes.clone();
    names.sort_unstable();
    names.dedup();
    let scatter = |points: Vec<(f64, f64)>, n: usize| {
        ScatterPlot::new().with_data(points).with_color(colour(n)).with_size(3.5).with_marker_opacity(0.75)
    };
    let known = |p: &(f64, f64)| p.0.is_finite() && p.1.is_finite();
    let mut plots: Vec<Drawn> = Vec::new();
    if names.is_empty() || classes.len() != points.len() {
        plots.push(scatter(points.iter().copied().filter(known).collect(), 0).into());
    } else {
        for (n, name) in names.iter().enumerate() {
            let own = points.iter().zip(&classes).filter(|(p, c)| *c == name && known(p)).map(|(p, _)| *p);
            plots.push(scatter(own.collect(), n).with_legend(short(name, 24)).into());
        }
    }
    if !points.iter().any(known) {
        return Vec::new();
    }
    let share = numbers(&figure["explained"]);
    let axis = |n: usize| match share.get(n).filter(|s| s.is_finite()) {
        Some(share) => format!("component {} ({:.1} % of variance)", n + 1, 100.0 * share),
        None => format!("component {}", n + 1),
    };
    let layout = layout(&plots, "Kernel principal components", &axis(0), &axis(1));
    vec![("components".into(), plots, layout)]
}

/// A dashed grey reference line between two points.
pub(super) fn guide(from: (f64, f64), to: (f64, f64)) -> Drawn {
    LinePlot::new().with_data([from, to]).with_color("#888888").with_dashed().into()
}

/// A horizontal reference line.
pub(super) fn level(layout: Layout, value: f64, label: &str) -> Layout {
    layout.with_reference_line(ReferenceLine::horizontal(value).with_color("#888888").with_label(label))
}
