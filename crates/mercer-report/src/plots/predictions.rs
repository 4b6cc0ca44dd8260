//! Predictions on test objects: confusion matrix, ROC and precision–recall curves, calibration, residuals.

use kuva::prelude::{
    ColorMap, Heatmap, LinePlot, Plot as Drawn, PrGroup, PrPlot, RocGroup, RocPlot, ScatterPlot,
    TextAnnotation,
};
use serde_json::Value;

use super::matrix::{guide, level};
use super::{Figure, colour, layout, short};
use crate::document::{list, numbers, texts};

/// Maximum number of curves.
const CURVES: usize = 6;
/// Number of bins in a calibration plot, of equal counts.
const BINS: usize = 10;

pub(super) fn all(figure: &Value) -> Vec<Figure> {
    let (truth, predicted) = (numbers(&figure["truth"]), numbers(&figure["predicted"]));
    if truth.is_empty() || truth.len() != predicted.len() {
        return Vec::new();
    }
    let classes = texts(&figure["classes"]);
    if classes.is_empty() {
        return regression(&truth, &predicted);
    }
    let code = |v: &f64| if *v >= 0.0 { *v as usize } else { usize::MAX };
    let codes: Vec<usize> = truth.iter().map(code).collect();
    let said: Vec<usize> = predicted.iter().map(code).collect();
    if codes.iter().chain(&said).any(|&c| c >= classes.len()) {
        return Vec::new();
    }
    let mut out = vec![confusion(&codes, &said, &classes)];
    let rows = |name: &str| -> Option<Vec<Vec<f64>>> {
        let rows: Vec<Vec<f64>> = list(&figure[name]).iter().map(numbers).collect();
        let whole = rows.iter().all(|r| r.len() == classes.len() && r.iter().all(|v| v.is_finite()));
        (rows.len() == codes.len() && whole).then_some(rows)
    };
    let probabilities = rows("probabilities");
    if let Some(scores) = probabilities.clone().or_else(|| rows("decisions")) {
        out.extend(curves(&codes, &scores, &classes));
    }
    out.extend(probabilities.map(|p| calibration(&codes, &p, &classes)));
    out
}

/// The classes with curves: the second of two, the first few of more, and only those with positive and negative
/// objects.
fn shown(codes: &[usize], classes: usize) -> Vec<usize> {
    let candidates = if classes == 2 { 1..2 } else { 0..classes };
    let both = |c: &usize| codes.contains(c) && codes.iter().any(|t| t != c);
    candidates.filter(both).take(CURVES).collect()
}

fn confusion(codes: &[usize], said: &[usize], classes: &[String]) -> Figure {
    let mut counts = vec![vec![0.0; classes.len()]; classes.len()];
    codes.iter().zip(said).for_each(|(&t, &p)| counts[t][p] += 1.0);
    let most = counts.iter().flatten().copied().fold(0.0, f64::max);
    let map = Heatmap::new().with_data(counts.clone()).with_color_map(ColorMap::Blues);
    let names: Vec<String> = classes.iter().map(|c| short(c, 16)).collect();
    let plots = vec![Drawn::Heatmap(map)];
    let layout = layout(&plots, "Confusion matrix, test objects of all splits", "predicted", "true")
        .with_x_categories(names.clone())
        .with_y_categories(names);
    // Counts on the cells, in white on dark cells.
    let mut layout = layout;
    if classes.len() <= 20 {
        for (t, p) in (0..classes.len()).flat_map(|t| (0..classes.len()).map(move |p| (t, p))) {
            let ink = if counts[t][p] > 0.5 * most { "white" } else { "black" };
            let text = TextAnnotation::new(counts[t][p].to_string(), (p + 1) as f64, (t + 1) as f64);
            layout = layout.with_annotation(text.with_color(ink).with_font_size(13));
        }
    }
    ("confusion".into(), plots, layout)
}

fn curves(codes: &[usize], scores: &[Vec<f64>], classes: &[String]) -> Vec<Figure> {
    let shown = shown(codes, classes.len());
    if shown.is_empty() {
        return Vec::new();
    }
    let raw = |c: usize| codes.iter().zip(scores).map(move |(&t, s)| (s[c], t == c)).collect::<Vec<_>>();
    let (mut roc, mut pr) = (RocPlot::new(), PrPlot::new());
    for (n, &c) in shown.iter().enumerate() {
        let name = short(&classes[c], 20);
        roc = roc.with_group(RocGroup::new(name.clone()).with_raw(raw(c)).with_color(colour(n)));
        pr = pr.with_group(PrGroup::new(name).with_raw(raw(c)).with_color(colour(n)));
    }
    let roc: Vec<Drawn> = vec![Drawn::Roc(roc.with_legend("class"))];
    let pr: Vec<Drawn> = vec![Drawn::Pr(pr.with_legend("class"))];
    let of_roc = layout(&roc, "ROC, test objects of all splits", "false positive rate", "true positive rate");
    let of_pr = layout(&pr, "Precision and recall, test objects of all splits", "recall", "precision");
    vec![("roc".into(), roc, of_roc), ("precision-recall".into(), pr, of_pr)]
}

/// The observed frequency of a class as a function of its predicted probability.
fn calibration(codes: &[usize], probabilities: &[Vec<f64>], classes: &[String]) -> Figure {
    let mut plots = vec![guide((0.0, 0.0), (1.0, 1.0))];
    for (n, c) in shown(codes, classes.len()).into_iter().enumerate() {
        let mut pairs: Vec<(f64, f64)> =
            codes.iter().zip(probabilities).map(|(&t, p)| (p[c], if t == c { 1.0 } else { 0.0 })).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let size = pairs.len().div_ceil(BINS).max(1);
        let mean = |bin: &[(f64, f64)]| {
            let n = bin.len() as f64;
            (bin.iter().map(|p| p.0).sum::<f64>() / n, bin.iter().map(|p| p.1).sum::<f64>() / n)
        };
        let points: Vec<(f64, f64)> = pairs.chunks(size).map(mean).collect();
        let name = short(&classes[c], 20);
        plots.push(LinePlot::new().with_data(points.clone()).with_color(colour(n)).with_legend(name).into());
        plots.push(ScatterPlot::new().with_data(points).with_color(colour(n)).with_size(3.5).into());
    }
    let layout = layout(
        &plots,
        "Calibration: ten bins of equal counts",
        "predicted probability",
        "observed frequency",
    );
    ("calibration".into(), plots, layout)
}

fn regression(truth: &[f64], predicted: &[f64]) -> Vec<Figure> {
    let points: Vec<(f64, f64)> = truth
        .iter()
        .copied()
        .zip(predicted.iter().copied())
        .filter(|(t, p)| t.is_finite() && p.is_finite())
        .collect();
    if points.is_empty() {
        return Vec::new();
    }
    let ends = points.iter().flat_map(|p| [p.0, p.1]);
    let low = ends.clone().fold(f64::INFINITY, f64::min);
    let high = ends.fold(f64::NEG_INFINITY, f64::max);
    let dots = |points: Vec<(f64, f64)>| {
        ScatterPlot::new().with_data(points).with_color(colour(0)).with_size(3.0).with_marker_opacity(0.7)
    };
    let residuals: Vec<(f64, f64)> = points.iter().map(|&(t, p)| (p, t - p)).collect();
    let against = vec![guide((low, low), (high, high)), dots(points).into()];
    let of_against = layout(&against, "Predictions of test objects", "true", "predicted");
    let rest: Vec<Drawn> = vec![dots(residuals).into()];
    let of_rest = level(layout(&rest, "Residuals of test objects", "predicted", "true - predicted"), 0.0, "");
    vec![("predicted".into(), against, of_against), ("residuals".into(), rest, of_rest)]
}
