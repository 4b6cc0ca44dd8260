//! Categorical records, and the number of attributes in which two of them differ.
//!
//! Kernels on records are functions of the attributes that differ. Attributes with equal weight form a group. The
//! numbers of differences in some groups, read as digits, index a table of kernel values. So a pair costs one
//! comparison of 16 bits for each attribute, in vector code, and one look-up for each table. Two alternatives were
//! slower: one-hot products multiply a hundred zeros to compare twenty values, and one index bit per attribute needs a
//! table for every dozen attributes.

use std::collections::HashMap;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

use crate::data::Categories;
use crate::error::{Error, Result};
use crate::kernel::{Domain, OneOf, Parameter, Part, Prepared};
use crate::numeric::math::vectorised;

/// How a kernel on records treats a missing value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// As a value of its own: two objects that both lack it agree, and the attribute has one more value.
    Own,
    /// It differs from every value, and from another missing value.
    Differs,
    /// An error.
    Refuse,
}

impl OneOf for Missing {
    const WORDS: &'static [&'static str] = &["own", "differs", "refuse"];
    const ALL: &'static [Missing] = &[Missing::Own, Missing::Differs, Missing::Refuse];
}

/// The parameter for the treatment of missing values.
pub(super) const MISSING: Parameter = Parameter {
    name: "missing",
    default: "own",
    domain: Domain::Word(Missing::WORDS),
    doc: "treatment of missing values: own value, different from all (also from other missing values), or error",
    alias: None,
};

/// Records ready to be compared: the values of each attribute as numbers, and the look-up tables.
#[derive(Clone, Debug)]
pub struct Records {
    count: usize,
    attributes: Vec<Attribute>,
    plan: Arc<Plan>,
}

#[derive(Clone, Debug)]
struct Attribute {
    dictionary: Arc<Dictionary>,
    /// The dictionary index of each object's value, or [`NONE`].
    codes: Vec<u32>,
}

/// Prefix for the number of an attribute that has no name.
#[doc(hidden)]
pub const UNNAMED: &str = "attribute ";

/// The code of a missing value that equals no other.
const NONE: u32 = u32::MAX;

/// Values by the hash of their name, so that sets with different dictionaries can be compared.
#[derive(Debug)]
struct Dictionary {
    hashes: Vec<u128>,
    places: HashMap<u128, u32>,
}

/// The hash of a missing value that counts as a value of its own.
const ABSENT: u128 = u128::MAX;

/// How table values combine to the kernel's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    /// Each difference multiplies by the attribute's factor.
    Multiply,
    /// Each difference adds the attribute's factor.
    Add,
}

impl Prepared for Records {
    fn len(&self) -> usize {
        self.count
    }

    fn select(&self, chosen: &[usize]) -> Self {
        let pick =
            |a: &Attribute| Attribute { dictionary: a.dictionary.clone(), codes: a.codes.select(chosen) };
        Records {
            count: chosen.len(),
            attributes: self.attributes.iter().map(pick).collect(),
            plan: self.plan.clone(),
        }
    }
}

impl Records {
    /// Prepares columns of categories; a difference in attribute i has weight `factors[i]`.
    pub(super) fn prepare(
        columns: &[Categories],
        missing: Missing,
        factors: &[f64],
        join: Join,
    ) -> Result<Self> {
        let count = columns.first().map_or(0, Categories::len);
        if let Some(odd) = columns.iter().find(|c| c.len() != count) {
            return Err(Error::Shape {
                expected: format!("attributes of {count} objects"),
                found: format!("one of {}", odd.len()),
            });
        }
        let attributes = columns.iter().enumerate();
        let attributes = attributes.map(|(at, c)| attribute(at, c, missing)).collect::<Result<_>>()?;
        Ok(Records { count, attributes, plan: Arc::new(Plan::new(factors, join)) })
    }

    pub(super) fn attributes(&self) -> usize {
        self.attributes.len()
    }

    /// Combines, for every pair, the weights of their differences.
    pub(super) fn fill(rows: &Part<'_, Records>, cols: &Part<'_, Records>, out: &mut [f64]) -> Result<()> {
        if rows.set.attributes() != cols.set.attributes() {
            return Err(Error::Dimension { expected: rows.set.attributes(), found: cols.set.attributes() });
        }
        let width = cols.len();
        if width == 0 {
            return Ok(());
        }
        for (block, out) in out.chunks_mut(ROWS * width).enumerate() {
            let start = rows.range.start + block * ROWS;
            let range = start..start + out.len() / width;
            let (own, theirs) = numbered(rows.set, range, cols);
            rows.set.plan.fill(&own, &theirs, width, out);
        }
        Ok(())
    }

    /// The same for each object with itself: only missing values that equal nothing differ.
    pub(super) fn diagonal(of: &Part<'_, Records>, out: &mut [f64]) {
        let plan = &of.set.plan;
        for (v, i) in out.iter_mut().zip(of.range.clone()) {
            let differs = |&(a, stride): &(usize, u16)| match of.set.attributes[a].codes[i] {
                NONE => stride,
                _ => 0,
            };
            *v = plan.parts.iter().fold(plan.join.start(), |value, part| {
                let place: u16 = part.strides.iter().map(differs).sum();
                plan.join.of(value, part.table[usize::from(place)])
            });
        }
    }
}

fn attribute(at: usize, column: &Categories, missing: Missing) -> Result<Attribute> {
    let mut hashes: Vec<u128> = column.levels().iter().map(|l| xxh3_128(l.as_bytes())).collect();
    let mut codes = column.codes().to_vec();
    if let Some(index) = codes.iter().position(|&c| c == Categories::MISSING) {
        match missing {
            Missing::Refuse => {
                return Err(Error::Missing { index, column: format!("{UNNAMED}{}", at + 1) });
            }
            Missing::Own => {
                let own = hashes.len() as u32;
                hashes.push(ABSENT);
                codes.iter_mut().filter(|c| **c == Categories::MISSING).for_each(|c| *c = own);
            }
            // The code stays `NONE`.
            Missing::Differs => {}
        }
    }
    let places = (0..).zip(&hashes).map(|(i, &h)| (h, i)).collect();
    Ok(Attribute { dictionary: Arc::new(Dictionary { hashes, places }), codes })
}

/// Maximum number of rows whose values are numbered together.
const ROWS: usize = 1024;

/// 16-bit codes that are equal where values are: for the rows, and for the columns, attribute after attribute.
fn numbered(set: &Records, range: std::ops::Range<usize>, cols: &Part<'_, Records>) -> (Vec<u16>, Vec<u16>) {
    // Reserved codes: no value has them, so they equal neither a row's value nor a column's.
    const NO_ROW: u16 = u16::MAX - 1;
    const NO_COL: u16 = u16::MAX;
    let mut own = Vec::with_capacity(set.attributes() * range.len());
    let mut theirs = Vec::with_capacity(set.attributes() * cols.len());
    for (left, right) in set.attributes.iter().zip(&cols.set.attributes) {
        let (left_codes, right_codes) = (&left.codes[range.clone()], &right.codes[cols.range.clone()]);
        let same = Arc::ptr_eq(&left.dictionary, &right.dictionary);
        let translate = |code: u32| match code {
            NONE => NONE,
            _ if same => code,
            _ => left.dictionary.places.get(&right.dictionary.hashes[code as usize]).copied().unwrap_or(NONE),
        };
        if left.dictionary.hashes.len() < usize::from(NO_ROW) {
            let narrow = |code: u32, none: u16| if code == NONE { none } else { code as u16 };
            own.extend(left_codes.iter().map(|&c| narrow(c, NO_ROW)));
            if same || right.dictionary.hashes.len() > cols.len() {
                theirs.extend(right_codes.iter().map(|&c| narrow(translate(c), NO_COL)));
            } else {
                let known: Vec<u32> = (0..right.dictionary.hashes.len() as u32).map(translate).collect();
                let of = |c: u32| known.get(c as usize).copied().unwrap_or(NONE);
                theirs.extend(right_codes.iter().map(|&c| narrow(of(c), NO_COL)));
            }
        } else {
            // Too many values for 16 bits: the values of these rows are renumbered.
            let mut local: HashMap<u32, u16> = HashMap::new();
            own.extend(left_codes.iter().map(|&c| match c {
                NONE => NO_ROW,
                _ => {
                    let next = local.len() as u16;
                    *local.entry(c).or_insert(next)
                }
            }));
            theirs.extend(right_codes.iter().map(|&c| local.get(&translate(c)).copied().unwrap_or(NO_COL)));
        }
    }
    (own, theirs)
}

/// The contribution of each attribute to the index into each table.
#[derive(Debug)]
struct Plan {
    join: Join,
    parts: Vec<Table>,
}

/// Values for the numbers of differences in some groups of attributes.
#[derive(Debug)]
struct Table {
    /// Attributes, and what a difference adds to the table index.
    strides: Vec<(usize, u16)>,
    table: Box<[f64; SIZE]>,
}

/// Number of entries of a table: 32 KiB, the size of a core's L1 cache.
const SIZE: usize = 4096;

impl Join {
    fn start(self) -> f64 {
        match self {
            Join::Multiply => 1.0,
            Join::Add => 0.0,
        }
    }

    fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Join::Multiply => a * b,
            Join::Add => a + b,
        }
    }
}

impl Plan {
    fn new(factors: &[f64], join: Join) -> Self {
        let mut groups: Vec<(f64, Vec<usize>)> = Vec::new();
        let mut known: HashMap<u64, usize> = HashMap::new();
        for (i, &factor) in factors.iter().enumerate() {
            let at = *known.entry(factor.to_bits()).or_insert(groups.len());
            match groups.get_mut(at) {
                Some((_, members)) => members.push(i),
                None => groups.push((factor, vec![i])),
            }
        }
        let mut parts: Vec<Table> = Vec::new();
        // The entries of the last table in use. It starts full, so the first group opens a new table.
        let mut used = SIZE;
        for (factor, members) in groups {
            let mut rest = &members[..];
            while !rest.is_empty() {
                let fits = (SIZE / used).saturating_sub(1).min(rest.len());
                if fits == 0 {
                    let mut table = Box::new([0.0; SIZE]);
                    table[0] = join.start();
                    parts.push(Table { strides: Vec::new(), table });
                    used = 1;
                    continue;
                }
                let (now, later) = rest.split_at(fits);
                if let Some(part) = parts.last_mut() {
                    part.strides.extend(now.iter().map(|&i| (i, used as u16)));
                    for place in used..used * (fits + 1) {
                        part.table[place] = join.of(part.table[place - used], factor);
                    }
                }
                used *= fits + 1;
                rest = later;
            }
        }
        Plan { join, parts }
    }

    fn fill(&self, own: &[u16], theirs: &[u16], width: usize, out: &mut [f64]) {
        let rows = out.len() / width;
        let mut places = vec![0u16; width];
        out.fill(self.join.start());
        vectorised(
            #[inline(always)]
            || {
                for (i, out) in out.chunks_exact_mut(width).enumerate() {
                    for part in &self.parts {
                        places.fill(0);
                        for &(a, stride) in &part.strides {
                            let value = own[a * rows + i];
                            let column = &theirs[a * width..(a + 1) * width];
                            for (place, &other) in places.iter_mut().zip(column) {
                                *place += u16::from(other != value).wrapping_neg() & stride;
                            }
                        }
                        let found = places.iter().map(|&p| part.table[usize::from(p) % SIZE]);
                        match self.join {
                            Join::Multiply => out.iter_mut().zip(found).for_each(|(v, f)| *v *= f),
                            Join::Add => out.iter_mut().zip(found).for_each(|(v, f)| *v += f),
                        }
                    }
                }
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_hold_the_combined_weights_of_differences() {
        // Groups of 3, 2 and 5000 attributes: the last does not fit one table.
        let factors: Vec<f64> = [0.5, 0.25, 0.5, 0.25, 0.5].into_iter().chain(vec![0.999; 5000]).collect();
        let plan = Plan::new(&factors, Join::Multiply);
        assert!(plan.parts.len() >= 2);
        let attributes: Vec<usize> = plan.parts.iter().flat_map(|p| p.strides.iter().map(|s| s.0)).collect();
        let mut sorted = attributes.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..5005).collect::<Vec<_>>());
        for differ in [vec![], vec![0], vec![1, 2], (0..5005).collect::<Vec<usize>>(), (7..900).collect()] {
            let want: f64 = differ.iter().map(|&i| factors[i]).product();
            let got: f64 = plan
                .parts
                .iter()
                .map(|p| {
                    let places =
                        p.strides.iter().filter(|(a, _)| differ.contains(a)).map(|s| usize::from(s.1));
                    p.table[places.sum::<usize>()]
                })
                .product();
            assert!((got - want).abs() <= 1e-12 * want, "{got} {want}");
        }
    }
}
