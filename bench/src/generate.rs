//! Generates files that are too large to store.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::Outcome;

const COLUMNS: usize = 20;

/// Writes a CSV file of at least `bytes` bytes: a header, then rows of 20 random numbers with six decimals.
///
/// The seed is fixed.
pub(crate) fn csv(path: &Path, bytes: u64) -> Outcome<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let header: Vec<String> = (1..=COLUMNS).map(|i| format!("x{i}")).collect();
    writeln!(out, "{}", header.join(","))?;
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut written = 0u64;
    let mut line = Vec::new();
    while written < bytes {
        line.clear();
        for column in 0..COLUMNS {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let value = (state >> 11) as f64 / (1u64 << 53) as f64 * 200.0 - 100.0;
            if column > 0 {
                line.push(b',');
            }
            write!(line, "{value:.6}")?;
        }
        line.push(b'\n');
        out.write_all(&line)?;
        written += line.len() as u64;
    }
    Ok(out.flush()?)
}
