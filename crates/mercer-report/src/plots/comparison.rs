//! Scores by split, by method, and the mean ranks of methods.

use kuva::prelude::{LinePlot, Plot as Drawn, ScatterPlot, StripPlot, TextAnnotation};
use serde_json::Value;

use super::{Figure, colour, layout, short};
use crate::document::{list, numbers, text, texts};

pub(super) fn all(document: &Value) -> Vec<Figure> {
    let mut out = Vec::new();
    out.extend(folds(document));
    out.extend(trials(document));
    if document["kind"] == "comparison" {
        out.extend(methods(document));
        out.extend(ranks(document));
    }
    out
}

fn finite(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    values.into_iter().filter(|v| v.is_finite()).collect()
}

/// A strip plot of scores under names; `None` if there are no scores.
fn strips(name: &str, groups: Vec<(String, Vec<f64>)>, title: &str, score: &str) -> Option<Figure> {
    let groups: Vec<(String, Vec<f64>)> = groups.into_iter().filter(|g| !g.1.is_empty()).collect();
    if groups.is_empty() {
        return None;
    }
    let colours: Vec<&str> = (0..groups.len()).map(colour).collect();
    let mut plot = StripPlot::new().with_point_size(4.0).with_swarm().with_marker_opacity(0.8);
    for (label, values) in groups {
        plot = plot.with_group(short(&label, 24), values);
    }
    let plots = vec![Drawn::Strip(plot.with_group_colors(colours))];
    let layout = layout(&plots, title, "", score);
    Some((name.to_owned(), plots, layout))
}

/// The scores of one evaluation and of the baseline.
fn folds(document: &Value) -> Option<Figure> {
    let score = text(&document["score"]);
    let of = |which: &str| finite(list(&document["folds"]).iter().filter_map(|f| f[which][&score].as_f64()));
    let groups = vec![("method".to_owned(), of("scores")), ("baseline".to_owned(), of("baseline"))];
    strips("folds", groups, "Scores on the test sets", &score)
}

/// The scores of all methods tried by `auto`.
fn trials(document: &Value) -> Option<Figure> {
    let name = |t: &Value| {
        // Documents of earlier versions have no outline.
        let kernel = [&t["outline"], &t["kernel"]].into_iter().find(|k| k.is_string()).map(text);
        format!("{} | {}", kernel.unwrap_or_default(), text(&t["learner"]))
    };
    let tried = list(&document["tried"]).iter().map(|t| (name(t), finite(numbers(&t["scores"]))));
    strips("trials", tried.collect(), "Scores on the test sets", &text(&document["score"]))
}

/// The scores of all methods over all data sets.
fn methods(document: &Value) -> Option<Figure> {
    let of = |method: &String| {
        let own = list(&document["results"]).iter().filter(|c| c["method"] == method.as_str());
        finite(own.flat_map(|c| numbers(&c["scores"])))
    };
    let groups = texts(&document["methods"]).iter().map(|m| (m.clone(), of(m))).collect();
    strips("comparison", groups, "Scores on the test sets of all data sets", &text(&document["score"]))
}

/// Mean ranks on a line, with bars over methods that do not differ significantly (J. Demšar, 2006).
fn ranks(document: &Value) -> Option<Figure> {
    let methods = texts(&document["methods"]);
    let ranks = numbers(&document["friedman"]["ranks"]);
    if ranks.is_empty() || ranks.len() != methods.len() || ranks.iter().any(|r| !r.is_finite()) {
        return None;
    }
    let mut order: Vec<usize> = (0..methods.len()).collect();
    order.sort_by(|&a, &b| ranks[a].total_cmp(&ranks[b]));
    let place = |row: usize| -(row as f64) - 1.0;
    let points: Vec<(f64, f64)> = order.iter().enumerate().map(|(row, &m)| (ranks[m], place(row))).collect();
    let mut plots: Vec<Drawn> =
        vec![ScatterPlot::new().with_data(points).with_color(colour(0)).with_size(5.0).into()];
    let groups = list(&document["nemenyi"]["groups"]);
    for (n, group) in groups.iter().map(texts).filter(|g| g.len() > 1).enumerate() {
        let own = methods.iter().zip(&ranks).filter(|(m, _)| group.contains(m)).map(|(_, &r)| r);
        let (low, high) = own.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), r| (l.min(r), h.max(r)));
        let height = 0.25 + 0.25 * n as f64;
        plots.push(
            LinePlot::new()
                .with_data([(low, height), (high, height)])
                .with_color("#333333")
                .with_stroke_width(4.0)
                .into(),
        );
    }
    let difference = document["nemenyi"]["critical_difference"].as_f64().filter(|d| d.is_finite());
    let title =
        difference.map_or("Mean ranks".to_owned(), |d| format!("Mean ranks; critical difference {d:.3}"));
    let mut layout = layout(&plots, &title, "mean rank (1 is best); bars: no significant difference", "");
    for (row, &m) in order.iter().enumerate() {
        layout = layout.with_annotation(
            TextAnnotation::new(short(&methods[m], 32), ranks[m], place(row) + 0.3).with_font_size(11),
        );
    }
    Some(("ranks".into(), plots, layout))
}
