//! Grows one tree.
//!
//! Nodes are processed in the order in which they are created, which is that of [`TreeArrays`]. The training objects of a node
//! are a range of `rows`, and a cut reorders them within it.
//!
//! A cut is judged by Σ_k L_k²/n_L + Σ_k R_k²/n_R, L and R the sums of labels on either side: for classes, whose labels are
//! indicators, it is largest where Gini's index is smallest, and for numbers where the variance is.

use super::columns::{Encoded, EncodedCoordinate, MISSING, MOST_LEVELS};
use super::trees::{LEAF, TreeArrays};
use super::{Forest, TreeMode};
use crate::budget;
use crate::data::Categories;
use crate::error::{Error, Result};
use crate::random::Random;

/// What labels are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LabelKind {
    Classes,
    Numbers,
    Nothing,
}

/// The labels of training objects.
pub(super) trait Labels: Sync {
    const KIND: LabelKind;
    type Label: Copy + PartialEq + Send;

    fn of_row(&self, row: usize) -> Self::Label;

    /// The number of sums.
    fn width(&self) -> usize;

    /// Adds a label to the sums if it is taken; without a branch, which could not be predicted.
    fn add(sums: &mut [f64], label: Self::Label, taken: bool);
}

/// Classes by number.
pub(super) struct Classes {
    codes: Vec<u32>,
    count: usize,
}

impl Classes {
    pub(super) fn of(classes: &Categories, n: usize) -> Result<Self> {
        check_length(classes.len(), n)?;
        if let Some(index) = (0..n).find(|&i| classes.code(i).is_none()) {
            return Err(Error::Missing { index, column: "target".into() });
        }
        Ok(Classes { codes: classes.codes().to_vec(), count: classes.levels().len() })
    }
}

impl Labels for Classes {
    const KIND: LabelKind = LabelKind::Classes;
    type Label = u32;

    fn of_row(&self, row: usize) -> u32 {
        self.codes[row]
    }

    fn width(&self) -> usize {
        self.count
    }

    #[inline(always)]
    fn add(sums: &mut [f64], label: u32, taken: bool) {
        sums[label as usize] += f64::from(u8::from(taken));
    }
}

/// Numbers around 0, of at most 1.
pub(super) struct Numbers(Vec<f64>);

impl Numbers {
    pub(super) fn of(numbers: &[f64], n: usize) -> Result<Self> {
        check_length(numbers.len(), n)?;
        if let Some(index) = numbers.iter().position(|v| !v.is_finite()) {
            return Err(Error::Missing { index, column: "target".into() });
        }
        // Their squares neither overflow nor cancel.
        let largest = |values: &[f64]| values.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        let unit = largest(numbers).max(f64::MIN_POSITIVE);
        let mean = numbers.iter().map(|v| v / unit).sum::<f64>() / n.max(1) as f64;
        let mut centred: Vec<f64> = numbers.iter().map(|v| v / unit - mean).collect();
        let unit = largest(&centred).max(f64::MIN_POSITIVE);
        centred.iter_mut().for_each(|v| *v /= unit);
        Ok(Numbers(centred))
    }
}

impl Labels for Numbers {
    const KIND: LabelKind = LabelKind::Numbers;
    type Label = f64;

    fn of_row(&self, row: usize) -> f64 {
        self.0[row]
    }

    fn width(&self) -> usize {
        1
    }

    #[inline(always)]
    fn add(sums: &mut [f64], label: f64, taken: bool) {
        sums[0] += if taken { label } else { 0.0 };
    }
}

/// No labels.
pub(super) struct Unlabelled;

impl Labels for Unlabelled {
    const KIND: LabelKind = LabelKind::Nothing;
    type Label = ();

    fn of_row(&self, _row: usize) {}

    fn width(&self) -> usize {
        0
    }

    #[inline(always)]
    fn add(_sums: &mut [f64], (): (), _taken: bool) {}
}

fn check_length(found: usize, n: usize) -> Result<()> {
    match found == n {
        true => Ok(()),
        false => Err(Error::usage(format!("a target of {found} values for {n} objects"))),
    }
}

/// Which codes go left.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// Places up to this one; the number where they are cut.
    UpTo(u32, f64),
    /// These categories.
    Set(u64),
    /// All but missing values.
    Known,
}

impl Rule {
    fn takes(self, code: u32) -> bool {
        match self {
            Rule::UpTo(most, _) => code <= most,
            Rule::Set(levels) => levels >> (code & 63) & 1 == 1,
            Rule::Known => true,
        }
    }
}

/// A cut of a node.
#[derive(Clone, Copy, Debug)]
struct Cut {
    coordinate: u32,
    rule: Rule,
    missing_left: bool,
    score: f64,
}

/// The codes of a node in one coordinate.
struct Span {
    low: u32,
    high: u32,
    /// The categories that occur.
    present: u64,
    missing: usize,
}

/// A node that is not cut yet.
struct Waiting {
    start: u32,
    end: u32,
    depth: u32,
}

/// The state of a growing tree.
pub(super) struct Grower<'a, L: Labels> {
    encoded: &'a Encoded,
    mode: TreeMode,
    candidates: usize,
    leaf: usize,
    random: Random,
    rows: Vec<u32>,
    /// The labels of the rows.
    own: Vec<L::Label>,
    /// The codes of the rows of the current node in one coordinate.
    codes: Vec<u32>,
    /// All coordinates; the drawn ones of a node come first.
    order: Vec<u32>,
    /// Sums of labels: of the node, on the left, and where the value is missing.
    total: Vec<f64>,
    left: Vec<f64>,
    missing: Vec<f64>,
    /// Codes and labels in order of the codes.
    sorted: Vec<(u32, L::Label)>,
    /// The sums and the number of objects of each category.
    by_level: Vec<f64>,
    counts: Vec<usize>,
}

impl<'a, L: Labels> Grower<'a, L> {
    pub(super) fn new(
        encoded: &'a Encoded,
        labels: &L,
        forest: &Forest,
        candidates: usize,
        tree: u64,
    ) -> Self {
        let mut random = Random::derived(forest.seed, tree);
        let n = encoded.len();
        let rows: Vec<u32> = match forest.mode {
            TreeMode::Random => {
                let mut times = vec![0u32; n];
                (0..n).for_each(|_| times[random.below(n)] += 1);
                (0..n as u32).flat_map(|i| std::iter::repeat_n(i, times[i as usize] as usize)).collect()
            }
            _ => (0..n as u32).collect(),
        };
        let own = rows.iter().map(|&row| labels.of_row(row as usize)).collect();
        let width = labels.width();
        Grower {
            encoded,
            mode: forest.mode,
            candidates,
            leaf: forest.leaf,
            random,
            own,
            codes: Vec::with_capacity(n),
            order: (0..encoded.width() as u32).collect(),
            total: vec![0.0; width],
            left: vec![0.0; width],
            missing: vec![0.0; width],
            sorted: Vec::new(),
            by_level: vec![0.0; MOST_LEVELS * width],
            counts: vec![0; MOST_LEVELS],
            rows,
        }
    }

    /// Grows the tree.
    pub(super) fn grow(mut self, depth: usize) -> Result<TreeArrays> {
        let mut tree = TreeArrays::default();
        let mut waiting = vec![Waiting { start: 0, end: self.rows.len() as u32, depth: 0 }];
        let mut at = 0;
        while let Some(&Waiting { start, end, depth: above }) = waiting.get(at) {
            let (start, end) = (start as usize, end as usize);
            at += 1;
            let may_split = end - start >= 2 * self.leaf && (depth == 0 || (above as usize) < depth);
            let cut = if may_split && !self.is_pure(start, end) { self.best(start, end)? } else { None };
            let Some(cut) = cut else {
                tree.coordinates.push(LEAF);
                continue;
            };
            let middle = self.partition(start, end, &cut);
            tree.coordinates.push(cut.coordinate);
            tree.missing.push(u8::from(cut.missing_left));
            match cut.rule {
                Rule::UpTo(_, number) => tree.cuts.push(number),
                Rule::Set(levels) => tree.sets.push(levels),
                Rule::Known if self.encoded.coordinates[cut.coordinate as usize].is_set => {
                    tree.sets.push(u64::MAX);
                }
                Rule::Known => tree.cuts.push(f64::MAX),
            }
            for (start, end) in [(start, middle), (middle, end)] {
                waiting.push(Waiting { start: start as u32, end: end as u32, depth: above + 1 });
            }
        }
        tree.sizes.push(tree.coordinates.len() as u32);
        Ok(tree)
    }

    /// Whether all labels of a node are equal.
    fn is_pure(&self, start: usize, end: usize) -> bool {
        L::KIND != LabelKind::Nothing && self.own[start..end].windows(2).all(|pair| pair[0] == pair[1])
    }

    /// Puts the objects that go left first; returns where the others start.
    fn partition(&mut self, start: usize, end: usize, cut: &Cut) -> usize {
        let codes = &self.encoded.coordinates[cut.coordinate as usize].codes;
        let (mut from, mut to) = (start, end);
        while from < to {
            let code = codes[self.rows[from] as usize];
            let left = if code == MISSING { cut.missing_left } else { cut.rule.takes(code) };
            if left {
                from += 1;
            } else {
                to -= 1;
                self.rows.swap(from, to);
                self.own.swap(from, to);
            }
        }
        from
    }

    /// The best of the cuts that are tried; `None` if the node cannot be cut.
    fn best(&mut self, start: usize, end: usize) -> Result<Option<Cut>> {
        self.total.fill(0.0);
        for &label in &self.own[start..end] {
            L::add(&mut self.total, label, true);
        }
        let (mut best, mut tried): (Option<Cut>, usize) = (None, 0);
        for drawn in 0..self.order.len() {
            budget::check_after(4 * (end - start))?;
            let other = drawn + self.random.below(self.order.len() - drawn);
            self.order.swap(drawn, other);
            let coordinate = self.order[drawn];
            let span = self.gather(coordinate as usize, start, end);
            let known = end - start - span.missing;
            if known == 0 || span.low == span.high && span.missing == 0 {
                continue;
            }
            tried += 1;
            let found = match (L::KIND, self.mode) {
                (LabelKind::Nothing, _) => self.any(coordinate, &span, end - start),
                (_, TreeMode::Random) => self.exhaustive(coordinate, &span, start, end),
                _ => self.drawn(coordinate, &span, start, end),
            };
            if let Some(cut) = found
                && best.is_none_or(|known| cut.score > known.score)
            {
                best = Some(cut);
            }
            // A forest without labels takes the first cut that leaves enough objects on both sides.
            if tried >= self.candidates && (best.is_some() || L::KIND != LabelKind::Nothing) {
                break;
            }
        }
        Ok(best)
    }

    /// Copies the codes of a node, and finds their range.
    fn gather(&mut self, coordinate: usize, start: usize, end: usize) -> Span {
        let of = &self.encoded.coordinates[coordinate];
        self.codes.clear();
        self.codes.extend(self.rows[start..end].iter().map(|&row| of.codes[row as usize]));
        let (mut low, mut high, mut missing, mut present) = (MISSING, 0, 0, 0);
        for &code in &self.codes {
            let is_known = code != MISSING;
            low = low.min(code);
            high = high.max(if is_known { code } else { 0 });
            missing += usize::from(!is_known);
        }
        if of.is_set {
            for &code in self.codes.iter().filter(|&&code| code != MISSING) {
                present |= 1u64 << (code & 63);
            }
        }
        Span { low, high, present, missing }
    }

    /// A random rule that has known values on both sides.
    fn random_rule(&mut self, of: &EncodedCoordinate, span: &Span) -> Rule {
        if of.is_set {
            loop {
                let levels = self.random.bits() & span.present;
                if levels != 0 && levels != span.present {
                    return Rule::Set(levels);
                }
            }
        }
        let (low, high) = (of.distinct[span.low as usize], of.distinct[span.high as usize]);
        let share = self.random.unit();
        let drawn = low * (1.0 - share) + high * share;
        let cut = if drawn >= low && drawn < high { drawn } else { low };
        let within = &of.distinct[span.low as usize..span.high as usize];
        let most = span.low + within.partition_point(|&v| v <= cut).max(1) as u32 - 1;
        Rule::UpTo(most, cut)
    }

    /// The better of a random cut, with missing values on its better side, and the cut between known and missing values.
    fn drawn(&mut self, coordinate: u32, span: &Span, start: usize, end: usize) -> Option<Cut> {
        let of = &self.encoded.coordinates[coordinate as usize];
        self.sum_missing(span, start, end);
        let alone = self.known_and_missing(coordinate, span, end - start);
        if span.low == span.high {
            return alone;
        }
        let rule = self.random_rule(of, span);
        let labels = &self.own[start..end];
        let on_left = match rule {
            Rule::UpTo(most, _) => sum::<L>(&mut self.left, &self.codes, labels, |code| code <= most),
            // Missing values have all bits.
            Rule::Set(levels) => sum::<L>(&mut self.left, &self.codes, labels, |code| {
                levels >> (code & 63) & 1 == 1 && code != MISSING
            }),
            Rule::Known => 0,
        };
        let cut = self.judge(coordinate, rule, on_left, span, end - start);
        better(alone, cut)
    }

    /// The best cut of a coordinate.
    fn exhaustive(&mut self, coordinate: u32, span: &Span, start: usize, end: usize) -> Option<Cut> {
        let of = &self.encoded.coordinates[coordinate as usize];
        self.sum_missing(span, start, end);
        let mut best = self.known_and_missing(coordinate, span, end - start);
        if of.is_set {
            return self.best_set(coordinate, span, start, end, best);
        }
        self.sorted.clear();
        let pairs = self.codes.iter().copied().zip(self.own[start..end].iter().copied());
        self.sorted.extend(pairs.filter(|(code, _)| *code != MISSING));
        self.sorted.sort_unstable_by_key(|(code, _)| *code);
        self.left.fill(0.0);
        for at in 0..self.sorted.len().saturating_sub(1) {
            let ((code, label), next) = (self.sorted[at], self.sorted[at + 1].0);
            L::add(&mut self.left, label, true);
            if code == next {
                continue;
            }
            let (low, high) = (of.distinct[code as usize], of.distinct[next as usize]);
            let middle = 0.5 * low + 0.5 * high;
            let rule = Rule::UpTo(code, if middle >= low && middle < high { middle } else { low });
            best = better(best, self.judge(coordinate, rule, at + 1, span, end - start));
        }
        best
    }

    /// The best set of categories, in the order of their share of the largest class or of their mean: for two classes
    /// and for numbers the best of all sets is one of these.
    fn best_set(
        &mut self,
        coordinate: u32,
        span: &Span,
        start: usize,
        end: usize,
        mut best: Option<Cut>,
    ) -> Option<Cut> {
        let width = self.total.len();
        self.by_level.fill(0.0);
        self.counts.fill(0);
        for (&code, &label) in self.codes.iter().zip(&self.own[start..end]) {
            if code != MISSING {
                let at = (code & 63) as usize;
                L::add(&mut self.by_level[at * width..(at + 1) * width], label, true);
                self.counts[at] += 1;
            }
        }
        let largest = (0..width).fold(0, |most, k| if self.total[k] > self.total[most] { k } else { most });
        let mean = |level: usize| self.by_level[level * width + largest] / self.counts[level] as f64;
        let mut levels: Vec<usize> = (0..MOST_LEVELS).filter(|&level| self.counts[level] > 0).collect();
        levels.sort_by(|&a, &b| mean(a).total_cmp(&mean(b)).then(a.cmp(&b)));
        self.left.fill(0.0);
        let (mut set, mut on_left) = (0u64, 0);
        for &level in levels.iter().take(levels.len().saturating_sub(1)) {
            set |= 1 << level;
            on_left += self.counts[level];
            for k in 0..width {
                self.left[k] += self.by_level[level * width + k];
            }
            best = better(best, self.judge(coordinate, Rule::Set(set), on_left, span, end - start));
        }
        best
    }

    /// Sums the labels of objects whose value is missing.
    fn sum_missing(&mut self, span: &Span, start: usize, end: usize) {
        self.missing.fill(0.0);
        if span.missing > 0 {
            sum::<L>(&mut self.missing, &self.codes, &self.own[start..end], |code| code == MISSING);
        }
    }

    /// The cut between known and missing values.
    fn known_and_missing(&self, coordinate: u32, span: &Span, count: usize) -> Option<Cut> {
        let known = count - span.missing;
        if span.missing < self.leaf.max(1) || known < self.leaf.max(1) {
            return None;
        }
        let sums = self.total.iter().zip(&self.missing);
        let score =
            sums.map(|(all, m)| (all - m) * (all - m) / known as f64 + m * m / span.missing as f64).sum();
        Some(Cut { coordinate, rule: Rule::Known, missing_left: false, score })
    }

    /// The cut by a rule, with `self.left` the sums of the known values on the left; missing values go to the better side.
    fn judge(&self, coordinate: u32, rule: Rule, on_left: usize, span: &Span, count: usize) -> Option<Cut> {
        let on_right = count - span.missing - on_left;
        let rule = self.complete(rule, span, on_left >= on_right);
        let score = |missing_left: bool| {
            let (a, b) = if missing_left { (span.missing, 0) } else { (0, span.missing) };
            let (n_left, n_right) = (on_left + a, on_right + b);
            if n_left < self.leaf.max(1) || n_right < self.leaf.max(1) {
                return None;
            }
            let mut score = 0.0;
            for ((all, left), missing) in self.total.iter().zip(&self.left).zip(&self.missing) {
                let left = if missing_left { left + missing } else { *left };
                let right = all - left;
                score += left * left / n_left as f64 + right * right / n_right as f64;
            }
            Some(Cut { coordinate, rule, missing_left, score })
        };
        match span.missing {
            // Missing values of other objects go with the larger part.
            0 => score(on_left >= on_right).map(|cut| Cut { missing_left: on_left >= on_right, ..cut }),
            _ => better(score(true), score(false)),
        }
    }

    /// The rule in which categories that the node does not have go with the larger part.
    fn complete(&self, rule: Rule, span: &Span, left_is_larger: bool) -> Rule {
        match rule {
            Rule::Set(levels) if left_is_larger => Rule::Set(levels | !span.present),
            other => other,
        }
    }

    /// Any cut that leaves enough objects on both sides; missing values are on a random side, or alone as often as they are
    /// among the objects.
    fn any(&mut self, coordinate: u32, span: &Span, count: usize) -> Option<Cut> {
        let of = &self.encoded.coordinates[coordinate as usize];
        let alone = self.known_and_missing(coordinate, span, count);
        if span.low == span.high || span.missing > 0 && self.random.below(count) < span.missing {
            return alone;
        }
        let rule = self.random_rule(of, span);
        let on_left = self.codes.iter().filter(|&&code| code != MISSING && rule.takes(code)).count();
        let on_right = count - span.missing - on_left;
        let rule = self.complete(rule, span, on_left >= on_right);
        let left_first = match span.missing {
            0 => on_left >= on_right,
            _ => self.random.below(2) == 0,
        };
        let fits = |missing_left: bool| {
            let (a, b) = if missing_left { (span.missing, 0) } else { (0, span.missing) };
            on_left + a >= self.leaf.max(1) && on_right + b >= self.leaf.max(1)
        };
        let missing_left = if fits(left_first) { left_first } else { !left_first };
        fits(missing_left).then_some(Cut { coordinate, rule, missing_left, score: 0.0 })
    }
}

/// Sums the labels whose codes are taken; returns their number.
#[inline(always)]
fn sum<L: Labels>(
    sums: &mut [f64],
    codes: &[u32],
    labels: &[L::Label],
    takes: impl Fn(u32) -> bool,
) -> usize {
    sums.fill(0.0);
    let mut count = 0;
    for (&code, &label) in codes.iter().zip(labels) {
        let taken = takes(code);
        L::add(sums, label, taken);
        count += usize::from(taken);
    }
    count
}

/// The cut of the larger score; of equal ones the first.
fn better(a: Option<Cut>, b: Option<Cut>) -> Option<Cut> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.score > a.score { b } else { a }),
        (a, b) => a.or(b),
    }
}
