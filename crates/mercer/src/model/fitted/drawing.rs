//! Images of explained objects as SVG: molecules, series and images with the contributions of their parts in colour.

use std::fmt::Write as _;

use super::structure::StructureWeights;
use crate::data::{Dataset, Image, Series, Theme, Values};

/// The size of a drawn series.
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 120.0;
/// Channels of a series that are drawn.
const MOST_CHANNELS: usize = 6;
/// Time steps drawn; of longer series, evenly spaced ones.
const MOST_STEPS: usize = 1200;
/// Pixels drawn per side; larger images are drawn by means.
const MOST_PIXELS: usize = 48;
/// The side of a drawn image.
const SIDE: f64 = 160.0;
/// The strongest colour.
const STRONGEST: f64 = 0.55;
/// Weights below this share of the largest are not coloured.
const FAINT: f64 = 0.02;

impl StructureWeights {
    /// The image of object i with these weights as SVG, orange where they add to the value and blue where they subtract:
    /// of molecules as [`StructureWeights::to_svg`], of series, and of images. `None` for other objects.
    ///
    /// ```
    /// use mercer::data::{Column, Dataset, Series, Theme, Values};
    /// use mercer::model::StructureWeights;
    /// let series = Values::Series(vec![Series::new(1, vec![0.0, 1.0, 0.5])?]);
    /// let data = Dataset::new(vec![Column::new("signal", series)])?;
    /// let weights = StructureWeights { column: "signal".into(), nodes: vec![0.0, 0.4, -0.1], edges: vec![] };
    /// let svg = weights.draw(&data, 0, Theme::Light).unwrap();
    /// assert!(svg.contains("class=\"negative\"") && svg.contains("class=\"positive\""));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn draw(&self, data: &Dataset, i: usize, theme: Theme) -> Option<String> {
        match &data.column(&self.column).ok()?.values {
            Values::Molecules(all) => self.to_svg(all.get(i)?, theme),
            Values::Series(all) => series(all.get(i)?, &self.nodes, theme),
            Values::Images(all) => image(all.get(i)?, &self.nodes, theme),
            _ => None,
        }
    }
}

/// A colour for a weight, and how strong it is, as attributes; none for weak ones.
fn coloured(weight: f64, largest: f64, theme: Theme) -> Option<String> {
    let share = weight.abs() / largest;
    if share.is_nan() || share < FAINT {
        return None;
    }
    let (class, colour) = theme.signed(weight);
    Some(format!("class=\"{class}\" fill=\"{colour}\" fill-opacity=\"{:.3}\"", STRONGEST * share))
}

fn opened(width: f64, height: f64, label: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" class=\"drawing\" role=\"img\"><title>{label}</title>"
    )
}

fn series(series: &Series, weights: &[f64], theme: Theme) -> Option<String> {
    let n = series.len();
    if n == 0 || weights.len() != n {
        return None;
    }
    let known = series.values().iter().filter(|v| v.is_finite());
    let (low, high) =
        known.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)));
    if low > high {
        return None;
    }
    let largest = weights.iter().fold(0.0f64, |m, w| m.max(w.abs()));
    let step = WIDTH / n as f64;
    let mut out = opened(WIDTH, HEIGHT, "time series: orange stretches add to the value, blue ones subtract");
    let mut start = 0;
    for same in weights.chunk_by(|a, b| a == b) {
        if let Some(colour) = coloured(same[0], largest, theme) {
            let (x, width) = (start as f64 * step, same.len() as f64 * step);
            let _ = write!(
                out,
                "<rect x=\"{x:.1}\" y=\"0\" width=\"{width:.1}\" height=\"{HEIGHT:.0}\" {colour}/>"
            );
        }
        start += same.len();
    }
    let scale = if high > low { (HEIGHT - 12.0) / (high - low) } else { 0.0 };
    let every = n.div_ceil(MOST_STEPS);
    for c in 0..series.channels().min(MOST_CHANNELS) {
        let mut path = String::new();
        let mut is_open = false;
        for (t, &v) in series.channel(c).iter().enumerate().step_by(every) {
            if !v.is_finite() {
                is_open = false;
                continue;
            }
            let y = if scale > 0.0 { HEIGHT - 6.0 - (v - low) * scale } else { HEIGHT / 2.0 };
            let command = if is_open { 'L' } else { 'M' };
            let _ = write!(path, "{command}{:.1} {y:.1}", (t as f64 + 0.5) * step);
            is_open = true;
        }
        let ink = theme.ink();
        let _ = write!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"1.3\"/>");
    }
    out.push_str("</svg>");
    Some(out)
}

fn image(image: &Image, weights: &[f64], theme: Theme) -> Option<String> {
    let (width, height) = (image.width(), image.height());
    if image.is_empty() || weights.len() != width * height {
        return None;
    }
    let (columns, rows) = (width.min(MOST_PIXELS), height.min(MOST_PIXELS));
    let side = SIDE / width.max(height) as f64;
    let largest = weights.iter().fold(0.0f64, |m, w| m.max(w.abs()));
    let mut out = opened(
        width as f64 * side,
        height as f64 * side,
        "image: orange blocks add to the value, blue ones subtract",
    );
    // Runs of one colour in a row are one rectangle.
    let mut layer = |fill: &dyn Fn(usize, usize) -> Option<String>| {
        for r in 0..rows {
            let cells: Vec<Option<String>> = (0..columns).map(|c| fill(c, r)).collect();
            let (y, bottom) = (r * height / rows, (r + 1) * height / rows);
            let mut start = 0;
            for same in cells.chunk_by(|a, b| a == b) {
                let (x, right) = (start * width / columns, (start + same.len()) * width / columns);
                start += same.len();
                if let Some(colour) = &same[0] {
                    let [x, y, w, h] = [x, y, right - x, bottom - y].map(|v| v as f64 * side);
                    let _ = write!(
                        out,
                        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" {colour}/>"
                    );
                }
            }
        }
    };
    let inside = |c: usize, r: usize| {
        let (left, right) = (c * width / columns, (c + 1) * width / columns);
        let (top, bottom) = (r * height / rows, (r + 1) * height / rows);
        (top..bottom).flat_map(move |y| (left..right).map(move |x| y * width + x))
    };
    layer(&|c, r| {
        let channels = image.channels();
        let mean = |channel: usize| {
            let all = inside(c, r).map(|at| f64::from(image.pixels()[at * channels + channel]));
            (all.clone().sum::<f64>() / all.count().max(1) as f64).round() as u8
        };
        let [red, green, blue] = if channels >= 3 { [0, 1, 2].map(mean) } else { [mean(0); 3] };
        Some(format!("fill=\"#{red:02x}{green:02x}{blue:02x}\""))
    });
    layer(&|c, r| {
        let (sum, count) =
            inside(c, r).fold((0.0, 0.0f64), |(sum, count), at| (sum + weights[at], count + 1.0));
        coloured(sum / count.max(1.0), largest, theme)
    });
    out.push_str("</svg>");
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;

    fn weights(column: &str, nodes: Vec<f64>) -> StructureWeights {
        StructureWeights { column: column.into(), nodes, edges: Vec::new() }
    }

    #[test]
    fn series_and_images_are_drawn_and_gaps_break_the_line() {
        let one = Series::new(2, vec![0.0, f64::NAN, 2.0, 1.0, 1.0, 1.0]).unwrap();
        let photo = Image::new(100, 50, 3, (0..15_000).map(|v| (v % 251) as u8).collect()).unwrap();
        let data = Dataset::new(vec![
            Column::new("s", Values::Series(vec![one, Series::new(1, vec![]).unwrap()])),
            Column::new("p", Values::Images(vec![photo, Image::none()])),
        ])
        .unwrap();
        let svg = weights("s", vec![0.5, 0.5, -0.25]).draw(&data, 0, Theme::Light).unwrap();
        // Two bands, two channels, and a line in two pieces.
        assert_eq!((svg.matches("<rect").count(), svg.matches("<path").count()), (2, 2));
        assert_eq!(svg.matches('M').count(), 3);
        assert!(weights("s", vec![0.5]).draw(&data, 0, Theme::Light).is_none());
        assert!(weights("s", vec![]).draw(&data, 1, Theme::Light).is_none());
        assert!(weights("p", vec![]).draw(&data, 1, Theme::Light).is_none());
        let blocks: Vec<f64> = (0..5000).map(|at| if at % 100 < 50 { 1.0 } else { -0.5 }).collect();
        let svg = weights("p", blocks).draw(&data, 0, Theme::Dark).unwrap();
        // A rectangle per row and sign, none beyond the image.
        assert_eq!(svg.matches("class=\"positive\"").count(), 48);
        assert!(svg.contains("viewBox=\"0 0 160 80\""));
    }
}
