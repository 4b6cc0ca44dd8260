//! The contents of columns in words.

use super::profile::{ColumnProfile, Contents, NumberRange};

/// A number with at most five significant digits.
pub fn short(v: f64) -> String {
    if v == 0.0 || (1e-4..1e7).contains(&v.abs()) {
        let digits = (4 - v.abs().max(1e-12).log10().floor() as i32).clamp(0, 8) as usize;
        let text = format!("{v:.digits$}");
        return if digits > 0 { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text };
    }
    format!("{v:.3e}")
}

impl ColumnProfile {
    /// The values in words; `draw` makes what stands before a range from its histogram, such as small bars.
    ///
    /// ```
    /// use mercer::{data::generate, insight::DataProfile};
    /// let profile = DataProfile::of(&generate::half_moons(40, 0.0, 1)?)?;
    /// let words = profile.columns[0].described(|_| String::new());
    /// assert!(words.contains(", median "), "{words}");
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn described(&self, draw: impl Fn(&[usize]) -> String) -> String {
        let from_to = |range: &Option<NumberRange>, unit: &str| match range {
            None => format!("no {unit}").trim_end().to_owned(),
            Some(r) if r.min == r.max => format!("{}{unit}", short(r.min)),
            Some(r) => {
                format!(
                    "{}{} … {}{unit}, median {}",
                    draw(&r.histogram),
                    short(r.min),
                    short(r.max),
                    short(r.median)
                )
            }
        };
        match &self.contents {
            Contents::Numbers { range: None, .. } => "no values".into(),
            Contents::Numbers { width, range, .. } => {
                let each = if *width > 1 { format!("{width} numbers each, ") } else { String::new() };
                format!("{each}{}", from_to(range, ""))
            }
            Contents::Sparse { dimensions, stored, range } => {
                format!("{dimensions} dimensions, {stored} stored, {}", from_to(range, ""))
            }
            Contents::Categories { distinct, levels } => {
                let shown: Vec<String> =
                    levels.iter().take(5).map(|(name, n)| format!("{name} {n}")).collect();
                let more = if *distinct > 5 { ", …" } else { "" };
                format!("{distinct} distinct: {}{more}", shown.join(", "))
            }
            Contents::Times { first: Some(first), last: Some(last) } => format!("{first} … {last}"),
            Contents::Times { .. } => "no values".into(),
            Contents::Molecules { atoms, mixtures } => {
                let several = if *mixtures > 0 {
                    format!("; {mixtures} of several parts, such as salts")
                } else {
                    String::new()
                };
                format!("{}{several}", from_to(atoms, " heavy atoms"))
            }
            Contents::Strings { characters, distinct, alphabet } => {
                let symbols = alphabet.as_ref().filter(|a| self.kind == "strings" && a.chars().count() <= 26);
                let symbols = symbols.map_or_else(String::new, |a| format!(", symbols {a}"));
                format!("{}, {distinct} distinct{symbols}", from_to(characters, " characters"))
            }
            Contents::Series { lengths, channels, range, gaps } => {
                let channels = match channels {
                    (1, 1) => String::new(),
                    (a, b) if a == b => format!(", {a} channels"),
                    (a, b) => format!(", {a} … {b} channels"),
                };
                let gaps = if *gaps > 0 { format!(", {gaps} missing within") } else { String::new() };
                format!("{}{channels}{gaps}; values {}", from_to(lengths, " time steps"), from_to(range, ""))
            }
            Contents::Images { widths, heights, channels } => {
                let channels = match channels.as_slice() {
                    [1] => "1 channel".to_owned(),
                    many => {
                        format!(
                            "{} channels",
                            many.iter().map(usize::to_string).collect::<Vec<_>>().join(" or ")
                        )
                    }
                };
                let size = |r: &Option<NumberRange>| match r {
                    Some(r) if r.min < r.max => format!("{} … {}", r.min, r.max),
                    Some(r) => r.min.to_string(),
                    None => "0".into(),
                };
                format!("{} × {} pixels, {channels}", size(widths), size(heights))
            }
            Contents::Graphs { graphs: g } => {
                let direction = if g.directed == 0 {
                    "undirected".to_owned()
                } else {
                    format!("{} directed", g.directed)
                };
                let loops = if g.loops > 0 { format!(", {} loops", g.loops) } else { String::new() };
                let edgeless =
                    if g.edgeless > 0 { format!(", {} without edges", g.edgeless) } else { String::new() };
                format!(
                    "nodes {} … {}, mean {:.2}; edges {} … {}, mean {:.2}; {direction}{loops}{edgeless}; {}",
                    g.nodes.min, g.nodes.max, g.nodes.mean, g.edges.min, g.edges.max, g.edges.mean, g.words
                )
            }
            Contents::Nodes { nodes, edges, weighted } => {
                let weights = if *weighted { ", weighted" } else { "" };
                format!("of a graph of {nodes} nodes and {edges} edges{weights}")
            }
            Contents::Precomputed { references } => format!("similarities to {references} objects"),
        }
    }
}
