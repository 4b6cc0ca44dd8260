//! Plots for papers, as SVG or PNG.

mod comparison;
mod curves;
mod drivers;
mod matrix;
mod molecules;
mod predictions;
mod search;

use std::panic::{AssertUnwindSafe, catch_unwind};

use kuva::prelude::{Layout, Plot as Drawn, Theme};
use kuva::{render_to_png, render_to_svg};
use serde_json::Value;

/// A plot and its file name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plot {
    /// The file name, such as `roc.svg`.
    pub name: String,
    /// The content of the file.
    pub bytes: Vec<u8>,
}

/// The file format of plots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Vector graphics.
    Svg,
    /// Pixels, [`DENSITY`] per unit of the plot: about 300 per inch in a journal column.
    Png,
}

/// Pixels per unit of a plot. Plots are 640 units wide.
const DENSITY: f32 = 2.0;

impl Form {
    /// The file extension.
    pub fn extension(self) -> &'static str {
        match self {
            Form::Svg => "svg",
            Form::Png => "png",
        }
    }

    /// Renders the figure in this format; `None` if it cannot be drawn.
    fn render(self, drawn: Vec<Drawn>, layout: Layout) -> Option<Vec<u8>> {
        let layout = layout.with_theme(theme());
        // If the drawing library panics on some numbers, only this plot is missing.
        let bytes = catch_unwind(AssertUnwindSafe(|| match self {
            Form::Svg => Some(render_to_svg(drawn, layout).into_bytes()),
            Form::Png => render_to_png(drawn, layout, DENSITY).ok(),
        }));
        bytes.ok().flatten()
    }
}

/// Draws one or several figures of a document.
type Maker = fn(&Value) -> Vec<Figure>;

/// A figure before rendering: its name, plots and layout.
type Figure = (String, Vec<Drawn>, Layout);

/// Colours that are distinguishable with any kind of colour vision (M. Okabe & K. Ito, 2008), without black and yellow.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/// The colour of series `n`.
fn colour(n: usize) -> &'static str {
    COLOURS[n % COLOURS.len()]
}

/// Draws every figure of a run document as a plot without decoration: black on white, one file each.
///
/// Missing figures are left out; so are figures that cannot be drawn, such as a spectrum of only zeros.
///
/// ```
/// let document = serde_json::json!({"figures": {"spectrum": {"values": [4.0, 1.0, -0.5], "tolerance": 1e-12}}});
/// let plots = mercer_report::plots(&document, mercer_report::Form::Svg);
/// assert_eq!(plots[0].name, "spectrum.svg");
/// assert!(plots[0].bytes.starts_with(b"<svg"));
/// ```
pub fn plots(document: &Value, form: Form) -> Vec<Plot> {
    let figures = &document["figures"];
    let makers: [(&Value, Maker); 8] = [
        (&figures["gram"], matrix::gram),
        (&figures["spectrum"], matrix::spectrum),
        (&figures["components"], matrix::components),
        (&figures["search"], search::maps),
        (&figures["predictions"], predictions::all),
        (&figures["drivers"], drivers::bars),
        (document, comparison::all),
        (&document["curves"], curves::all),
    ];
    let mut out: Vec<Plot> = Vec::new();
    for (value, make) in makers {
        for (name, drawn, layout) in make(value) {
            let Some(bytes) = form.render(drawn, layout) else { continue };
            let same = out.iter().filter(|p| p.name.starts_with(&*name)).count();
            let number = if same > 0 { format!("-{}", same + 1) } else { String::new() };
            out.push(Plot { name: format!("{name}{number}.{}", form.extension()), bytes });
        }
    }
    // Molecules are drawn already; only vector graphics can hold them as they are.
    if form == Form::Svg {
        let sheets = molecules::sheets(figures).into_iter();
        out.extend(sheets.map(|(name, svg)| Plot { name: format!("{name}.svg"), bytes: svg.into_bytes() }));
    }
    out
}

fn theme() -> Theme {
    Theme { show_grid: true, grid_color: "#e6e6e6".into(), legend_border: "none".into(), ..Theme::light() }
}

/// A layout around plots.
fn layout(plots: &[Drawn], title: &str, x: &str, y: &str) -> Layout {
    Layout::auto_from_plots(plots)
        .with_title(title)
        .with_x_label(x)
        .with_y_label(y)
        .with_width(640.0)
        .with_height(440.0)
}

/// Shortens long names, so that axes leave room for the plot.
fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Form, plots};

    /// The names of the plots of a document; checks that all are valid SVG without undefined numbers, and non-empty
    /// PNG.
    fn names(document: &serde_json::Value) -> Vec<String> {
        let all = plots(document, Form::Svg);
        for plot in &all {
            let svg = std::str::from_utf8(&plot.bytes).unwrap();
            assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{}", plot.name);
            assert!(!svg.contains("NaN") && !svg.contains("\"inf"), "{}", plot.name);
        }
        let names: Vec<String> = all.into_iter().map(|p| p.name).collect();
        let dots = plots(document, Form::Png);
        for (plot, name) in dots.iter().zip(&names) {
            assert_eq!(plot.name, name.replace(".svg", ".png"));
            assert!(plot.bytes.starts_with(b"\x89PNG\r\n\x1a\n") && plot.bytes.len() > 3000, "{name}");
        }
        assert_eq!(dots.len(), names.len());
        names
    }

    #[test]
    fn every_figure_is_drawn() {
        let document = json!({
            "score": "accuracy",
            "figures": {
                "gram": {"kernel": "rbf", "shown": 2, "of": 2, "ids": ["a", "b"], "low": 0.0, "high": 1.0, "values": "/wAA/w=="},
                "spectrum": {"values": [2.0, 0.5, -0.25, 0.0], "tolerance": 1e-15, "negative": 1},
                "components": {"x": [1.0, -1.0], "y": [0.0, 0.5], "explained": [0.7, 0.2], "ids": ["a", "b"], "classes": ["p", "q"]},
                "search": {"score": "accuracy", "parameters": [
                    {"name": "gamma", "values": ["0.1", "1"]}, {"name": "C", "values": ["1", "10"]}, {"name": "k", "values": ["2", "3"]}],
                    "configurations": [{"position": [0, 0, 1], "mean": 0.8, "chosen": 1}, {"position": [1, 1, 0], "mean": null, "chosen": 0}]},
                "predictions": {"objects": [0, 1, 2], "split": [0, 0, 1], "truth": [0, 1, 1], "predicted": [0, 1, 0],
                    "classes": ["p", "q"], "decisions": [[1.0, -1.0], [-1.0, 1.0], [0.2, -0.2]], "probabilities": [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]},
                "drivers": {"features": [{"feature": "C(C,O)", "weight": -0.5, "class": "p"}, {"feature": "N", "weight": 0.25, "class": "q"}]},
            },
            "folds": [{"scores": {"accuracy": 0.8}, "baseline": {"accuracy": 0.5}}, {"scores": {"accuracy": 0.9}, "baseline": {"accuracy": 0.5}}],
        });
        let expected = [
            "gram.svg",
            "spectrum.svg",
            "components.svg",
            "search.svg",
            "search-2.svg",
            "search-3.svg",
            "confusion.svg",
            "roc.svg",
            "precision-recall.svg",
            "calibration.svg",
            "drivers.svg",
            "folds.svg",
        ];
        assert_eq!(names(&document), expected);
    }

    #[test]
    fn numbers_and_comparisons() {
        let regression = json!({"figures": {"predictions": {"truth": [1.0, 2.0, 4.0], "predicted": [1.5, 2.0, 3.0], "classes": null}}});
        assert_eq!(names(&regression), ["predicted.svg", "residuals.svg"]);
        let comparison = json!({
            "kind": "comparison", "score": "accuracy", "methods": ["a", "b"], "data": ["x", "y"],
            "results": [{"method": "a", "data": "x", "scores": [0.5, 0.6]}, {"method": "b", "data": "x", "scores": [0.7, 0.9]}],
            "friedman": {"ranks": [1.5, 1.2]}, "nemenyi": {"critical_difference": 0.4, "groups": [["a", "b"]]},
        });
        assert_eq!(names(&comparison), ["comparison.svg", "ranks.svg"]);
        let study = json!({"curves": [{"name": "../votes error", "title": "votes", "x": "beta", "y": "error", "points": [[0.1, 4.0], [1.0, 3.0]],
            "logarithmic": true, "level": {"value": 3.5, "label": "Hamming"}}]});
        assert_eq!(names(&study), ["votes-error.svg"]);
    }

    #[test]
    fn missing_or_invalid_figures_are_left_out() {
        for document in [
            json!(null),
            json!({"figures": {"gram": {"shown": 3, "values": "AA=="}, "spectrum": {"values": []}, "components": {"x": [], "y": []}}}),
            json!({"figures": {"search": {"parameters": [{"name": "C", "values": []}], "configurations": [{"position": [7]}]}, "predictions": {"truth": [1, null]}}}),
            json!({"figures": {"spectrum": {"values": [0.0, null, 0.0]}, "drivers": {"features": [{"feature": 1}]}}, "folds": [{}]}),
            json!({"kind": "comparison", "methods": ["a"], "results": [{"method": "z", "scores": [null]}], "friedman": {"ranks": [null]}}),
        ] {
            names(&document);
        }
    }
}
