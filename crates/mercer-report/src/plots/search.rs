//! Scores of the configurations of a search, for every pair of parameters.

use kuva::prelude::{ColorMap, Heatmap, LinePlot, Plot as Drawn};
use serde_json::Value;

use super::{Figure, colour, layout, short};
use crate::document::{list, numbers, text, texts};

/// Heat maps of all pairs; a line if there is only one parameter.
pub(super) fn maps(figure: &Value) -> Vec<Figure> {
    let parameters: Vec<(String, Vec<String>)> =
        list(&figure["parameters"]).iter().map(|p| (text(&p["name"]), texts(&p["values"]))).collect();
    let greater = figure["greater_is_better"].as_bool().unwrap_or(true);
    let configurations: Vec<(Vec<usize>, f64)> = list(&figure["configurations"])
        .iter()
        .filter_map(|c| {
            Some((numbers(&c["position"]).iter().map(|&p| p as usize).collect(), c["mean"].as_f64()?))
        })
        .filter(|(position, _): &(Vec<usize>, f64)| {
            position.len() == parameters.len()
                && position.iter().zip(&parameters).all(|(at, p)| *at < p.1.len())
        })
        .collect();
    if configurations.is_empty() {
        return Vec::new();
    }
    let score = text(&figure["score"]);
    // The best score over all other parameters.
    let best = |fits: &dyn Fn(&[usize]) -> bool| -> Option<f64> {
        let means = configurations.iter().filter(|c| fits(&c.0)).map(|c| c.1);
        means.reduce(|a, b| if (a > b) == greater { a } else { b })
    };
    if let [(name, values)] = &parameters[..] {
        let points: Vec<(f64, f64)> =
            (0..values.len()).filter_map(|v| Some(((v + 1) as f64, best(&|p| p[0] == v)?))).collect();
        let plots: Vec<Drawn> = vec![LinePlot::new().with_data(points).with_color(colour(0)).into()];
        let layout = layout(&plots, "Search", name, &score).with_x_categories(labels(values));
        return vec![("search".into(), plots, layout)];
    }
    let mut out = Vec::new();
    for (a, (down, rows)) in parameters.iter().enumerate() {
        for (b, (across, columns)) in parameters.iter().enumerate().skip(a + 1) {
            let least = configurations.iter().map(|c| c.1).fold(f64::INFINITY, f64::min);
            let most = configurations.iter().map(|c| c.1).fold(f64::NEG_INFINITY, f64::max);
            let worst = if greater { least } else { most };
            let at = |i: usize, j: usize| best(&|p| p[a] == i && p[b] == j).unwrap_or(worst);
            let data: Vec<Vec<f64>> =
                (0..rows.len()).map(|i| (0..columns.len()).map(|j| at(i, j)).collect()).collect();
            let plots =
                vec![Drawn::Heatmap(Heatmap::new().with_data(data).with_color_map(ColorMap::Viridis))];
            let layout = layout(&plots, &format!("Search: {score}"), across, down)
                .with_x_categories(labels(columns))
                .with_y_categories(labels(rows));
            out.push(("search".into(), plots, layout));
        }
    }
    out
}

fn labels(values: &[String]) -> Vec<String> {
    values.iter().map(|v| short(v, 10)).collect()
}
