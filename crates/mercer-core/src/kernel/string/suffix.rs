//! Suffix arrays in linear time.
//!
//! By induced sorting: suffixes that are smaller than their right neighbour and preceded by one that is not (leftmost
//! S-type suffixes) are sorted first, by recursion on the names of the pieces between them. The order of all others
//! follows in two passes.
//!
//! Reference: Nong, Zhang & Chan 2009, Linear suffix array construction by almost pure induced-sorting; Kärkkäinen,
//! Manzini & Puglisi 2009, Permuted longest-common-prefix array. Libraries that are two or three times as fast accept
//! only bytes or are written in C; symbols here are numbers of any size.

use crate::budget;
use crate::error::Result;

/// A symbol given by its number. Texts with few distinct symbols take one byte each, and use the caches better.
pub(super) trait Symbol: Copy + Ord {
    /// Its number.
    fn number(self) -> usize;
}

impl Symbol for u8 {
    #[inline(always)]
    fn number(self) -> usize {
        self.into()
    }
}

impl Symbol for u32 {
    #[inline(always)]
    fn number(self) -> usize {
        self as usize
    }
}

/// The start positions of the suffixes of `text` in ascending order. All symbols are below `symbols`.
pub(super) fn suffix_array<T: Symbol>(text: &[T], symbols: usize) -> Result<Vec<u32>> {
    let n = text.len();
    if n <= SMALL {
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_unstable_by(|&a, &b| text[a as usize..].cmp(&text[b as usize..]));
        return Ok(order);
    }
    let types = Types::of(text);
    let buckets = Buckets::of(text, symbols);
    let mut order = vec![EMPTY; n];

    // Leftmost suffixes in any order sort the pieces between them.
    let leftmost: Vec<u32> = (1..n as u32).filter(|&i| types.is_leftmost(i as usize)).collect();
    induce(text, &types, &buckets, &leftmost, &mut order)?;
    let sorted: Vec<u32> =
        order.iter().copied().filter(|&i| i != EMPTY && types.is_leftmost(i as usize)).collect();

    // Equal pieces get equal names. If all names differ their order is known, otherwise it follows by recursion.
    let mut end_of = vec![EMPTY; n / 2 + 1];
    leftmost.windows(2).for_each(|w| end_of[w[0] as usize / 2] = w[1]);
    let mut names = vec![EMPTY; n / 2 + 1];
    let mut count = 0;
    for (at, &i) in sorted.iter().enumerate() {
        budget::check_often()?;
        let piece = |i: u32| &text[i as usize..(end_of[i as usize / 2] as usize + 1).min(n)];
        // The last piece reaches the end of the text, and equals no piece that stops earlier.
        let last = |i: u32| end_of[i as usize / 2] == EMPTY;
        let same = at > 0 && !last(i) && !last(sorted[at - 1]) && piece(i) == piece(sorted[at - 1]);
        count += u32::from(!same);
        names[i as usize / 2] = count - 1;
    }
    let ordered: Vec<u32> = if (count as usize) < leftmost.len() {
        let reduced: Vec<u32> = leftmost.iter().map(|&i| names[i as usize / 2]).collect();
        drop((names, end_of, sorted));
        suffix_array(&reduced, count as usize)?.into_iter().map(|at| leftmost[at as usize]).collect()
    } else {
        sorted
    };
    induce(text, &types, &buckets, &ordered, &mut order)?;
    Ok(order)
}

/// Suffixes sorted between two checks of the budget.
const STRETCH: usize = 1 << 16;
/// Texts of at most this length are sorted by comparison.
const SMALL: usize = 24;
/// No suffix yet.
const EMPTY: u32 = u32::MAX;

/// Whether each suffix is smaller than the one that starts one symbol later, one bit each.
struct Types(Vec<u64>);

impl Types {
    fn of<T: Symbol>(text: &[T]) -> Self {
        let mut bits = vec![0u64; text.len().div_ceil(64)];
        // The last suffix is larger than the empty suffix after it.
        let mut smaller = false;
        for i in (0..text.len().saturating_sub(1)).rev() {
            smaller = text[i] < text[i + 1] || text[i] == text[i + 1] && smaller;
            bits[i / 64] |= u64::from(smaller) << (i % 64);
        }
        Types(bits)
    }

    #[inline(always)]
    fn is_smaller(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }

    #[inline(always)]
    fn is_leftmost(&self, i: usize) -> bool {
        i > 0 && self.is_smaller(i) && !self.is_smaller(i - 1)
    }
}

/// The bucket of suffixes for each first symbol; there is one more start than symbols.
struct Buckets(Vec<u32>);

impl Buckets {
    fn of<T: Symbol>(text: &[T], symbols: usize) -> Self {
        let mut starts = vec![0u32; symbols + 1];
        text.iter().for_each(|&c| starts[c.number() + 1] += 1);
        for c in 0..symbols {
            starts[c + 1] += starts[c];
        }
        Buckets(starts)
    }
}

/// Sorts all suffixes, given the sorted leftmost ones.
fn induce<T: Symbol>(
    text: &[T],
    types: &Types,
    buckets: &Buckets,
    leftmost: &[u32],
    order: &mut [u32],
) -> Result<()> {
    budget::check()?;
    let n = text.len();
    order.fill(EMPTY);
    // The leftmost suffixes at the ends of their buckets.
    let mut ends = buckets.0[1..].to_vec();
    for &i in leftmost.iter().rev() {
        let end = &mut ends[text[i as usize].number()];
        *end -= 1;
        order[*end as usize] = i;
    }
    // Larger suffixes from the left, each placed after the suffix that starts one symbol later.
    let mut heads = buckets.0[..buckets.0.len() - 1].to_vec();
    let mut put = |order: &mut [u32], i: usize| {
        let head = &mut heads[text[i].number()];
        order[*head as usize] = i as u32;
        *head += 1;
    };
    put(order, n - 1);
    for from in (0..n).step_by(STRETCH) {
        budget::check()?;
        for at in from..(from + STRETCH).min(n) {
            let i = order[at];
            if i != EMPTY && i > 0 && !types.is_smaller(i as usize - 1) {
                put(order, i as usize - 1);
            }
        }
    }
    // Smaller ones from the right, which overwrites the leftmost ones.
    let mut ends = buckets.0[1..].to_vec();
    for from in (0..n).step_by(STRETCH).rev() {
        budget::check()?;
        for at in (from..(from + STRETCH).min(n)).rev() {
            let i = order[at];
            if i != EMPTY && i > 0 && types.is_smaller(i as usize - 1) {
                let end = &mut ends[text[i as usize - 1].number()];
                *end -= 1;
                order[*end as usize] = i - 1;
            }
        }
    }
    Ok(())
}

/// The length of the common prefix of each suffix with the one before it in order, by start, up to the first symbol of
/// number 0; 0 for the first suffix.
pub(super) fn common_prefixes<T: Symbol>(text: &[T], order: &[u32]) -> Result<Vec<u32>> {
    budget::check()?;
    // First the predecessor of each suffix, then the common prefix: neighbours in the text share all but one symbol.
    let mut shared = vec![EMPTY; text.len()];
    order.windows(2).for_each(|w| shared[w[1] as usize] = w[0]);
    let mut length = 0usize;
    for (i, cell) in shared.iter_mut().enumerate() {
        if *cell == EMPTY {
            (*cell, length) = (0, 0);
            continue;
        }
        budget::check_often()?;
        let before = *cell as usize;
        while let (Some(a), Some(b)) = (text.get(i + length), text.get(before + length))
            && a == b
            && a.number() > 0
        {
            length += 1;
        }
        *cell = length as u32;
        length = length.saturating_sub(1);
    }
    Ok(shared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn naive(text: &[u32]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..text.len() as u32).collect();
        order.sort_by(|&a, &b| text[a as usize..].cmp(&text[b as usize..]));
        order
    }

    #[test]
    fn suffix_order_and_common_prefixes() {
        let mut random = Random::new(5);
        let mut texts: Vec<Vec<u32>> = Vec::new();
        for n in (0..60).chain([200, 500, 1000]) {
            for symbols in [1usize, 2, 3, 5, 300] {
                texts.push((0..n).map(|_| random.below(symbols) as u32).collect());
            }
        }
        // Nested repeats, which make the recursion deep.
        let mut fibonacci = (vec![0u32], vec![0u32, 1]);
        for _ in 0..12 {
            let next = [fibonacci.1.clone(), fibonacci.0].concat();
            fibonacci = (fibonacci.1, next);
        }
        texts.push(fibonacci.1);
        texts.push([1, 2].repeat(200));
        texts.push([2, 1, 1].repeat(100));
        for text in texts {
            let symbols = text.iter().max().map_or(1, |m| *m as usize + 1);
            let order = suffix_array(&text, symbols).unwrap();
            assert_eq!(order, naive(&text), "{text:?}");
            let bytes: Vec<u8> = text.iter().map(|&c| c as u8).collect();
            if symbols <= 256 {
                assert_eq!(suffix_array(&bytes, symbols).unwrap(), order);
                assert_eq!(common_prefixes(&bytes, &order).unwrap(), common_prefixes(&text, &order).unwrap());
            }
            let common = common_prefixes(&text, &order).unwrap();
            for w in order.windows(2) {
                let (a, b) = (&text[w[0] as usize..], &text[w[1] as usize..]);
                let expected = a.iter().zip(b).take_while(|(a, b)| a == b && **a >= 1).count();
                assert_eq!(common[w[1] as usize] as usize, expected);
            }
        }
    }
}
