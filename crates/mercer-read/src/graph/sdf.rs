//! Molecules in MDL mol files and SD files (BIOVIA, *CTfile formats*), V2000 and V3000.
//!
//! They become molecules, sanitised as those from SMILES. With `type=graph=graphs`, or with options that choose what of a
//! graph is read, they stay graphs: atoms are nodes labelled by their symbol, bonds are undirected edges labelled by
//! their type (`1` single, `2` double, `3` triple, `4` aromatic), hydrogens are included if the file has them, and
//! coordinates become attributes with `node-attributes=x,y,z`. The first line of a molecule is its name; the data fields
//! after it (`> <name>`) are its properties, and one may be the target. Stereochemistry is not read.

use super::super::number;
use super::super::pace::Pace;
use super::super::text::{Fault, Text, shown};
use super::batch::{Draft, GraphBatch, Value};
use super::ctab::{Ctab, Fact};
use super::tu::finite;
use crate::error::Code;

pub(super) fn read(text: &Text<'_>, batch: &mut GraphBatch) -> Result<(), Fault> {
    let mut lines = Lines { rest: text.as_str(), offset: 0, number: 0 };
    // Blank lines at the end are not a molecule.
    let end = text.as_str().trim_end().len();
    let mut pace = Pace::from(0);
    while lines.offset < end {
        pace.at(lines.offset)?;
        molecule(&mut lines, batch)?;
    }
    Ok(())
}

/// A line with its offset and its number from 1.
#[derive(Clone, Copy)]
struct Line<'t> {
    text: &'t str,
    offset: usize,
    number: u64,
}

impl Line<'_> {
    fn fault(&self, code: Code, reason: impl Into<String>) -> Fault {
        Fault::new(self.offset, code, reason)
    }
}

struct Lines<'t> {
    rest: &'t str,
    offset: usize,
    number: u64,
}

impl<'t> Lines<'t> {
    fn next(&mut self) -> Option<Line<'t>> {
        if self.rest.is_empty() {
            return None;
        }
        let len = memchr::memchr(b'\n', self.rest.as_bytes()).unwrap_or(self.rest.len());
        self.number += 1;
        let line = Line { text: &self.rest[..len], offset: self.offset, number: self.number };
        let used = (len + 1).min(self.rest.len());
        self.rest = &self.rest[used..];
        self.offset += used;
        Some(line)
    }

    /// The next line of a molecule; `$$$$` or the end of the file is an error.
    fn within(&mut self, what: &str) -> Result<Line<'t>, Fault> {
        match self.next() {
            Some(line) if line.text.starts_with("$$$$") => {
                Err(line.fault(Code::Truncated, format!("the molecule ends before its {what}")))
            }
            Some(line) => Ok(line),
            None => {
                let at = self.offset.saturating_sub(1);
                Err(Fault::new(at, Code::Truncated, format!("the file ends before a molecule's {what}")))
            }
        }
    }
}

/// Parses one molecule with its data fields, up to `$$$$` or the end of the file.
fn molecule(lines: &mut Lines<'_>, batch: &mut GraphBatch) -> Result<(), Fault> {
    let start = lines.offset;
    let name = lines.within("name")?.text.trim().to_owned();
    lines.within("second line")?;
    lines.within("third line")?;
    let counts = lines.within("counts")?;
    let mut sketch = Sketch { draft: Draft::default(), ctab: Ctab::default(), start };
    if counts.text.trim_end().ends_with("V3000") {
        extended(lines, &mut sketch, batch)?;
    } else {
        plain(counts, lines, &mut sketch, batch)?;
    }
    let graph = batch.len();
    if !batch.holds_molecules() {
        sketch.draft.finish(batch, Some(name), false)?;
        return fields(lines, Some(graph), batch);
    }
    let pairs = sketch.draft.checked(batch)?;
    let kept = batch.molecule(sketch.ctab.molecule(&pairs), name, start)?;
    fields(lines, kept.then_some(graph), batch)
}

/// A molecule as a graph and as a table of atoms and bonds.
struct Sketch {
    draft: Draft,
    ctab: Ctab,
    /// The offset of the first line.
    start: usize,
}

/// Parses atoms and bonds in columns of fixed width.
fn plain(
    counts: Line<'_>,
    lines: &mut Lines<'_>,
    sketch: &mut Sketch,
    batch: &mut GraphBatch,
) -> Result<(), Fault> {
    let found = numbers(counts.text, 2).ok_or_else(|| {
        let reason = format!("{} is not a counts line (numbers of atoms and bonds)", shown(counts.text));
        counts
            .fault(Code::Syntax, reason)
            .hint("the fourth line of a molecule begins with both counts, three columns each")
    })?;
    for i in 1..=found[0] {
        let line = lines.within("atoms")?;
        let (x, symbol, after) = atom(line)?;
        add_atom(&i.to_string(), symbol, x, line, sketch, batch)?;
        sketch.ctab.columns(after);
    }
    for _ in 0..found[1] {
        let line = lines.within("bonds")?;
        let bond = numbers(line.text, 3)
            .ok_or_else(|| line.fault(Code::Syntax, format!("{} is not a bond", shown(line.text))))?;
        let (a, b, kind) = (bond[0].to_string(), bond[1].to_string(), bond[2].to_string());
        add_bond((&a, &b), &kind, found[0], line, sketch, batch)?;
        sketch.ctab.bond(bond[2], line.offset - sketch.start);
    }
    // Properties; data fields follow.
    loop {
        let line = lines.within("M  END")?;
        sketch.ctab.property(line.text);
        if line.text.starts_with("M  END") {
            return Ok(());
        }
        if line.text.starts_with('>') {
            return Err(line.fault(Code::Syntax, "got data, expected M  END"));
        }
    }
}

/// The first `count` whole numbers of a line: in three columns each, or separated by spaces if the file deviates from
/// that.
fn numbers(line: &str, count: usize) -> Option<Vec<u32>> {
    let digits = |word: &str| {
        let word = word.trim();
        if word.bytes().all(|b| b.is_ascii_digit()) { word.parse::<u32>().ok() } else { None }
    };
    let column = |i: usize| line.get(3 * i..(3 * i + 3).min(line.len())).and_then(digits);
    let fixed: Option<Vec<u32>> = (0..count).map(column).collect();
    fixed.or_else(|| {
        let words: Vec<u32> = line.split_ascii_whitespace().take(count).filter_map(digits).collect();
        (words.len() == count).then_some(words)
    })
}

/// Coordinates and symbol of an atom, and what follows.
fn atom<'t>(line: Line<'t>) -> Result<([&'t str; 3], &'t str, &'t str), Fault> {
    let text = line.text;
    let fixed = || {
        let x = [text.get(..10)?, text.get(10..20)?, text.get(20..30)?];
        let symbol = text.get(31..34.min(text.len()))?.trim();
        let numeric = x.iter().all(|x| matches!(number::parse(x), number::Number::Value(_)));
        let after = text.get(34.min(text.len())..)?;
        (numeric && !symbol.is_empty() && !symbol.contains(' ')).then_some((x, symbol, after))
    };
    let spaced = || {
        let mut words = text.split_ascii_whitespace();
        let (x, symbol) = ([words.next()?, words.next()?, words.next()?], words.next()?);
        let end = symbol.as_ptr() as usize - text.as_ptr() as usize + symbol.len();
        // Fields without columns begin with a space.
        Some((x, symbol, text.get(end..)?))
    };
    let (x, symbol, after) = fixed()
        .or_else(spaced)
        .ok_or_else(|| line.fault(Code::Syntax, format!("{} is not an atom", shown(text))))?;
    if symbol.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(line.fault(Code::Syntax, format!("{} is not an atom symbol", shown(symbol))));
    }
    Ok((x, symbol, after))
}

fn add_atom(
    id: &str,
    symbol: &str,
    x: [&str; 3],
    line: Line<'_>,
    sketch: &mut Sketch,
    batch: &mut GraphBatch,
) -> Result<(), Fault> {
    for coordinate in x {
        finite(coordinate, line.offset)?;
    }
    let offset = line.offset;
    let value = |name, text| Value { name, text, offset };
    let values = [value("label", symbol), value("x", x[0]), value("y", x[1]), value("z", x[2])];
    // Coordinates that were not requested need no warning.
    let values = if batch.wants_numbers() { &values[..] } else { &values[..1] };
    sketch.ctab.atom(symbol, offset - sketch.start);
    sketch.draft.node(batch, id, offset, values)
}

fn add_bond(
    ends: (&str, &str),
    kind: &str,
    atoms: u32,
    line: Line<'_>,
    sketch: &mut Sketch,
    batch: &mut GraphBatch,
) -> Result<(), Fault> {
    let there = |end: &str| end.parse::<u32>().is_ok_and(|n| (1..=atoms).contains(&n));
    if !there(ends.0) || !there(ends.1) {
        let reason = format!("a bond between {} and {} of {atoms} atoms", ends.0, ends.1);
        return Err(line.fault(Code::Graph, reason));
    }
    sketch.draft.edge(batch, ends, line.offset, &[Value { name: "label", text: kind, offset: line.offset }])
}

/// Parses atoms and bonds of V3000: words after `M  V30`; a line ending in `-` continues in the next.
fn extended(lines: &mut Lines<'_>, sketch: &mut Sketch, batch: &mut GraphBatch) -> Result<(), Fault> {
    #[derive(PartialEq)]
    enum Block {
        None,
        Atoms,
        Bonds,
        Other,
    }
    let (mut block, mut counts, mut found) = (Block::None, None, (0u32, 0u32));
    loop {
        let first = lines.within("M  END")?;
        if first.text.starts_with("M  END") {
            break;
        }
        let Some(begin) = first.text.strip_prefix("M  V30") else {
            if first.text.starts_with('>') {
                return Err(first.fault(Code::Syntax, "got data, expected M  END"));
            }
            continue;
        };
        let mut whole = begin.trim().to_owned();
        while whole.ends_with('-') {
            whole.pop();
            let next = lines.within("next line")?;
            let more = next
                .text
                .strip_prefix("M  V30")
                .ok_or_else(|| next.fault(Code::Syntax, "a continuation line must begin with M  V30"))?;
            whole.push_str(more.trim_start().trim_end());
        }
        let words: Vec<&str> = whole.split_ascii_whitespace().collect();
        match words[..] {
            ["BEGIN", "ATOM"] => block = Block::Atoms,
            ["BEGIN", "BOND"] => block = Block::Bonds,
            ["BEGIN", "CTAB", ..] | ["END", "CTAB"] => {}
            ["BEGIN", ..] => block = Block::Other,
            ["END", ..] => block = Block::None,
            ["COUNTS", atoms, bonds, ..] => {
                let numbers = atoms.parse::<u32>().ok().zip(bonds.parse::<u32>().ok());
                let bad = || first.fault(Code::Syntax, format!("{} is not a counts line", shown(&whole)));
                counts = Some(numbers.ok_or_else(bad)?);
            }
            [id, symbol, x, y, z, ref rest @ ..] if block == Block::Atoms => {
                add_atom(id, symbol, [x, y, z], first, sketch, batch)?;
                rest.iter().filter_map(|word| fact(word)).for_each(|f| sketch.ctab.set(found.0 as usize, f));
                found.0 += 1;
            }
            [_, kind, a, b, ..] if block == Block::Bonds => {
                found.1 += 1;
                let value = Value { name: "label", text: kind, offset: first.offset };
                sketch.draft.edge(batch, (a, b), first.offset, &[value])?;
                sketch.ctab.bond(kind.parse().unwrap_or(0), first.offset - sketch.start);
            }
            _ if block == Block::Atoms || block == Block::Bonds => {
                let what = if block == Block::Atoms { "atom" } else { "bond" };
                return Err(first.fault(Code::Syntax, format!("{} is not a valid {what}", shown(&whole))));
            }
            _ => {}
        }
    }
    let Some((atoms, bonds)) = counts else {
        let at = lines.offset.saturating_sub(1);
        return Err(Fault::new(at, Code::Syntax, "a V3000 molecule without COUNTS"));
    };
    if (atoms, bonds) != found {
        let reason = format!("{} atoms and {} bonds, but COUNTS says {atoms} and {bonds}", found.0, found.1);
        return Err(Fault::new(lines.offset.saturating_sub(1), Code::Syntax, reason));
    }
    Ok(())
}

/// What a word of a V3000 atom says about it: `CHG=1`.
fn fact(word: &str) -> Option<Fact> {
    let (name, value) = word.split_once('=')?;
    let value = value.parse().ok()?;
    match name {
        "CHG" => Some(Fact::Charge(value)),
        "RAD" => Some(Fact::Radical(value)),
        "MASS" => Some(Fact::Isotope(value)),
        "VAL" => Some(Fact::Valence(value)),
        _ => None,
    }
}

/// Parses the data fields after a molecule, which is left out if it has no number.
fn fields(lines: &mut Lines<'_>, graph: Option<usize>, batch: &mut GraphBatch) -> Result<(), Fault> {
    while let Some(line) = lines.next() {
        if line.text.starts_with("$$$$") {
            return Ok(());
        }
        if line.text.trim().is_empty() {
            continue;
        }
        let named = line.text.strip_prefix('>').and_then(|rest| {
            let (_, name) = rest.split_once('<')?;
            Some(name.rsplit_once('>')?.0.trim())
        });
        let Some(name) = named.filter(|n| !n.is_empty()) else {
            let reason = format!("{} is neither a data field ('> <name>') nor $$$$", shown(line.text));
            return Err(line.fault(Code::Syntax, reason));
        };
        // The value: lines up to a blank one. A field without a value and the end of the molecule may follow directly.
        let mut value = String::new();
        loop {
            let before = (lines.rest, lines.offset, lines.number);
            match lines.next() {
                Some(next) if next.text.starts_with("$$$$") => {
                    (lines.rest, lines.offset, lines.number) = before;
                    break;
                }
                Some(next) if !next.text.trim().is_empty() => {
                    if !value.is_empty() {
                        value.push('\n');
                    }
                    value.push_str(next.text.trim());
                }
                _ => break,
            }
        }
        if let (Some(graph), false) = (graph, value.is_empty()) {
            batch.note(graph, name, &value, line.number + 1);
        }
    }
    Ok(())
}
