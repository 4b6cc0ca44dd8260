//! Candidates for strings.

use std::collections::BTreeSet;

use super::Part;
use crate::data::{Alphabet, Column, Values};

/// k-mers anywhere, and at the same position for strings of one length; for sequences also k-mers with gaps.
pub(super) fn on_strings(column: &Column, at: &str) -> Part {
    let careful = |kernel: String| match column.missing() {
        0 => format!("normalize({kernel}{at})"),
        _ => format!("normalize(zero-extend({kernel}){at})"),
    };
    match Sequences::of(column) {
        Some(sequences) => sequences.part(of_one_length(column), &careful),
        None => on_any(of_one_length(column), &careful),
    }
}

/// Strings of any symbols.
fn on_any(one_length: bool, careful: &dyn Fn(String) -> String) -> Part {
    let words = |lengths: &str| careful(format!("spectrum(k={lengths})"));
    let mut more = Vec::new();
    if one_length {
        more.push((
            careful("weighted-degree(d=[3, 5])".into()),
            "strings of the same length: k-mers at the same position",
        ));
    }
    Part {
        kind: "strings",
        simple: careful("symbol-distribution".into()),
        local: words("[2, 3, 4, 5]"),
        short: words("[2, 4]"),
        one: words("3"),
        more,
        walks: false,
        baseline: None,
        enough: None,
        with: Vec::new(),
    }
}

/// DNA, RNA or proteins.
struct Sequences {
    alphabet: Alphabet,
    /// The mean number of symbols.
    length: usize,
}

/// The number of strings that show what the symbols are.
const SHOWN: usize = 500;
/// Shorter strings may be codes of a few symbols, and have hardly any k-mers with gaps.
const SHORTEST: usize = 20;
/// Strings of this many symbols have room for longer k-mers with gaps, and for a centre.
const LONG: usize = 80;

impl Sequences {
    /// Sequences have the symbols of one alphabet with few ambiguous ones, and are not short.
    fn of(column: &Column) -> Option<Self> {
        let Values::Strings(strings) = &column.values else { return None };
        let shown: Vec<&str> = strings.iter().flatten().take(SHOWN).map(String::as_str).collect();
        let symbols = || shown.iter().flat_map(|s| s.chars());
        let count = symbols().count();
        let alphabet = Alphabet::infer(symbols());
        let known: Vec<u32> = symbols().filter_map(|c| alphabet.code(c)).collect();
        let distinct = known.iter().collect::<BTreeSet<_>>().len();
        // Nearly every character stands for an amino acid: words are told apart by having fewer of them.
        let enough = if alphabet == Alphabet::Protein { 15 } else { 3 };
        let length = count.checked_div(shown.len())?;
        let is_sequence = !matches!(alphabet, Alphabet::Unicode | Alphabet::Bytes)
            && distinct >= enough
            && known.len() * 10 >= count * 9
            && length >= SHORTEST;
        is_sequence.then_some(Sequences { alphabet, length })
    }

    fn part(&self, one_length: bool, careful: &dyn Fn(String) -> String) -> Part {
        let alphabet = format!("alphabet={}", self.alphabet);
        if self.alphabet == Alphabet::Protein {
            let gapped = |l: u32, k: &str| careful(format!("gapped-kmer(l={l}, k={k}, {alphabet})"));
            return Part {
                kind: "proteins",
                simple: careful(format!("symbol-distribution({alphabet})")),
                local: careful(format!("spectrum(k=[1, 2, 3], {alphabet})")),
                short: gapped(5, "3"),
                one: gapped(5, "3"),
                more: vec![
                    (gapped(5, "[2, 3]"), "proteins: k-mers with gaps"),
                    (careful(format!("mismatch(k=[3, 5], {alphabet})")), "proteins: k-mers with a mismatch"),
                ],
                walks: false,
                baseline: None,
                enough: None,
                with: Vec::new(),
            };
        }
        // A site on double-stranded DNA may be on either strand; whether it is, the inner folds tell. Of equal scores the first
        // wins: both strands, as in gkm-SVM.
        let strands = match self.alphabet {
            Alphabet::Dna => format!("{alphabet}, reverse-complement=[yes, no]"),
            _ => alphabet.clone(),
        };
        let gapped =
            |l: u32, k: &str, more: &str| careful(format!("gapped-kmer(l={l}, k={k}, {strands}{more})"));
        let positions =
            |shift: &str| careful(format!("weighted-degree-shifts(d=5, shift={shift}, {alphabet})"));
        // Among the smallest grids and first of them: it is tried even if time is short.
        let mut more = vec![(gapped(8, "5", ""), "sequences: motifs with positions that do not matter")];
        if one_length {
            let places = careful(format!("weighted-degree(d=[3, 5, 8], {alphabet})"));
            more.push((places, "sequences of the same length: k-mers at the same position"));
            more.push((
                positions("[1, 4]"),
                "sequences of the same length: k-mers at about the same position",
            ));
            more.push((
                format!("{} + {}", gapped(8, "5", ""), positions("1")),
                "sequences of the same length: motifs anywhere, and k-mers at about the same position",
            ));
        }
        if self.length >= LONG {
            more.push((
                gapped(10, "[6, 7]", ", weights=truncated"),
                "sequences: longer motifs, smoothed over similar ones",
            ));
            let half = self.length / 8;
            more.push((
                gapped(8, "6", &format!(", half-life=[{half}, {}]", 3 * half)),
                "sequences: motifs that count more near the centre",
            ));
        }
        more.push((gapped(8, "6", ""), "sequences: motifs with fewer positions that do not matter"));
        let lengths = if self.length >= LONG { "[3, 4, 6]" } else { "[2, 3, 4]" };
        Part {
            kind: "sequences",
            simple: careful(format!("symbol-distribution({alphabet})")),
            local: careful(format!("spectrum(k={lengths}, {strands})")),
            short: gapped(8, "5", ""),
            one: careful(format!("gapped-kmer(l=8, k=5, {alphabet})")),
            more,
            walks: false,
            baseline: None,
            enough: None,
            with: Vec::new(),
        }
    }
}

/// Whether all strings have the same length, like sites in a sequence.
fn of_one_length(column: &Column) -> bool {
    let Values::Strings(strings) = &column.values else { return false };
    let mut lengths = strings.iter().flatten().map(|s| s.chars().count());
    let first = lengths.next().unwrap_or(0);
    first > 1 && lengths.all(|length| length == first)
}
