//! Curves as a picture: scalable vector graphics, written by hand.

use std::fmt::Write;

/// Values along the coefficients, and a level to compare them with.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What the vertical axis says.
    pub title: String,
    /// Points by coefficient, which must be above 0.
    pub points: Vec<(f64, f64)>,
    /// The horizontal line, and what it is.
    pub level: Option<(f64, String)>,
}

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 44.0;

/// Curves side by side, their horizontal axes logarithmic, under a title.
pub fn chart(title: &str, axis: &str, curves: &[Curve]) -> String {
    let width = WIDTH * curves.len().max(1) as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{}\" y=\"18\" text-anchor=\"middle\" font-size=\"14\">{}</text>\n",
        HEIGHT + 10.0,
        width / 2.0,
        escaped(title)
    );
    for (at, curve) in curves.iter().enumerate() {
        panel(&mut out, at as f64 * WIDTH, axis, curve);
    }
    out += "</svg>\n";
    out
}

fn panel(out: &mut String, shift: f64, axis: &str, curve: &Curve) {
    let xs = || curve.points.iter().map(|p| p.0.log10());
    let ys = || curve.points.iter().map(|p| p.1).chain(curve.level.iter().map(|l| l.0));
    let (low, high) = (xs().fold(f64::INFINITY, f64::min), xs().fold(f64::NEG_INFINITY, f64::max));
    let top = ys().fold(0.0f64, f64::max);
    let step = nice(top / 4.0);
    let top = (top / step).ceil().max(1.0) * step;
    let span = if high > low { high - low } else { 1.0 };
    let x = |value: f64| shift + LEFT + (value.log10() - low) / span * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| TOP + (1.0 - value / top) * (HEIGHT - TOP - BOTTOM);
    let line = |out: &mut String, (x1, y1): (f64, f64), (x2, y2): (f64, f64), style: &str| {
        let _ = writeln!(out, "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {style}/>");
    };
    let (left, right) = (shift + LEFT, shift + WIDTH - RIGHT);
    for tick in 0..=(top / step).round() as usize {
        let value = tick as f64 * step;
        line(out, (left, y(value)), (right, y(value)), "stroke=\"#ddd\"");
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 6.0,
            y(value) + 4.0,
            short(value)
        );
    }
    // Room for labels: every second point where there are many.
    let every = curve.points.len().div_ceil(7).max(1);
    for (beta, _) in curve.points.iter().step_by(every) {
        line(out, (x(*beta), y(0.0)), (x(*beta), y(0.0) + 4.0), "stroke=\"#555\"");
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            x(*beta),
            y(0.0) + 17.0,
            short(*beta)
        );
    }
    if let Some((level, name)) = &curve.level {
        line(out, (left, y(*level)), (right, y(*level)), "stroke=\"#b04a2f\" stroke-dasharray=\"6 4\"");
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#b04a2f\">{}</text>",
            right,
            y(*level) - 5.0,
            escaped(name)
        );
    }
    let points: Vec<String> =
        curve.points.iter().map(|(b, v)| format!("{:.1},{:.1}", x(*b), y(*v))).collect();
    let _ = writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#2f5fb0\" stroke-width=\"2\"/>",
        points.join(" ")
    );
    for (beta, value) in &curve.points {
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"#2f5fb0\"/>",
            x(*beta),
            y(*value)
        );
    }
    let middle = (left + right) / 2.0;
    let _ = writeln!(
        out,
        "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        HEIGHT - 4.0,
        escaped(axis)
    );
    let across = (TOP + HEIGHT - BOTTOM) / 2.0;
    let _ = writeln!(
        out,
        "<text transform=\"translate({:.1} {across:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        shift + 14.0,
        escaped(&curve.title)
    );
}

/// 1, 2 or 5 times a power of ten, at least as large.
fn nice(value: f64) -> f64 {
    if !(value > 0.0 && value.is_finite()) {
        return 1.0;
    }
    let power = 10f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    power * steps.into_iter().find(|s| s * power >= value * (1.0 - 1e-9)).unwrap_or(10.0)
}

fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
