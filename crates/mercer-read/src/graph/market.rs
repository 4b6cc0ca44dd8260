//! Sparse matrices in the Matrix Market exchange format (Boisvert, Pozo & Dongarra 1996), read as edges between nodes.

use super::super::text::{Fault, Text, shown};
use super::batch::Raw;
use super::tu::finite;
use crate::error::Code;

/// Whether a file is a Matrix Market file, by its name.
pub(super) fn is_matrix(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".mtx")
}

/// Reads a square sparse matrix whose row i is the node `ids[i]`.
pub(super) fn read(text: &Text<'_>, ids: &[String]) -> Result<Raw, Fault> {
    let all = text.as_str();
    let mut lines = lines(all);
    let first = lines.next().unwrap_or((0, ""));
    let words: Vec<String> = first.1.split_ascii_whitespace().map(str::to_ascii_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // One triangle is enough; if both are present, the caller detects that each edge is listed in both directions.
    let pattern = match words.as_slice() {
        [
            "%%matrixmarket",
            "matrix",
            "coordinate",
            field @ ("real" | "integer" | "pattern"),
            "general" | "symmetric",
        ] => *field == "pattern",
        _ => {
            let reason = "not the header of a sparse matrix: %%MatrixMarket matrix coordinate real|integer|pattern general|symmetric";
            return Err(Fault::new(first.0, Code::Format, reason));
        }
    };
    let mut rest = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('%'));
    let (at, sizes) =
        rest.next().ok_or_else(|| Fault::new(all.len(), Code::Truncated, "the file ends before its size"))?;
    let counts: Vec<usize> = sizes.split_ascii_whitespace().map_while(|w| w.parse().ok()).collect();
    let &[rows, columns, entries] = counts.as_slice() else {
        return Err(Fault::new(
            at,
            Code::Syntax,
            format!("{} is not a size: expected rows columns entries", shown(sizes)),
        ));
    };
    if rows != columns || rows != ids.len() {
        let reason = format!("{rows} × {columns} matrix, but the table has {} nodes", ids.len());
        return Err(Fault::new(at, Code::GramShape, reason));
    }
    // An entry takes at least four bytes: the declared number is checked before memory is allocated.
    if entries > all.len() / 4 + 1 {
        let reason = format!("{entries} entries declared in a file of {} bytes", all.len());
        return Err(Fault::new(at, Code::Truncated, reason));
    }
    let mut edges = Vec::with_capacity(entries);
    for (at, line) in rest {
        let mut words = line.split_ascii_whitespace();
        let mut node = || {
            let word = words.next().unwrap_or_default();
            let index = word.parse::<u32>().ok().filter(|&i| i >= 1 && i as usize <= rows);
            index.map(|i| i - 1).ok_or_else(|| {
                Fault::new(at, Code::Index, format!("{} is not a row from 1 to {rows}", shown(word)))
            })
        };
        let (a, b) = (node()?, node()?);
        let weight = match (pattern, words.next()) {
            (true, None) => 1.0,
            (false, Some(word)) => finite(word, at)?,
            _ => {
                let reason =
                    format!("{}: expected row column{}", shown(line), if pattern { "" } else { " value" });
                return Err(Fault::new(at, Code::Syntax, reason));
            }
        };
        if words.next().is_some() || weight < 0.0 {
            let reason = format!("{} is not an edge: expected row, column, weight ≥ 0", shown(line));
            return Err(Fault::new(at, Code::Syntax, reason));
        }
        if edges.len() == entries {
            return Err(Fault::new(at, Code::Syntax, format!("more than the {entries} declared entries")));
        }
        edges.push((a, b, weight));
    }
    if edges.len() < entries {
        let reason = format!("{} entries, but {entries} declared", edges.len());
        return Err(Fault::new(all.len(), Code::Truncated, reason));
    }
    Ok(Raw { names: ids.to_vec(), edges })
}

/// Lines without line ends, with their offsets.
fn lines(all: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    all.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        (at, line.trim())
    })
}
