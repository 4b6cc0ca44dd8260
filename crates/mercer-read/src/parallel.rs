//! Parts of a text in parallel, with the same result whatever the number of threads.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use memchr::memchr;
use rayon::prelude::*;

use super::text::Fault;
use crate::budget;

/// The size of a part: large enough to be worth a thread's while, small enough to share out evenly.
pub(super) const PART: usize = 1 << 20;

/// Ranges of about `size` bytes that end where lines end.
pub(super) fn lines(text: &str, start: usize, size: usize) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let (mut parts, mut from) = (Vec::new(), start);
    while from < bytes.len() {
        let goal = from.saturating_add(size);
        let end =
            bytes.get(goal..).and_then(|rest| memchr(b'\n', rest)).map_or(bytes.len(), |n| goal + n + 1);
        parts.push(from..end);
        from = end;
    }
    parts
}

/// `parse` of each part, in order; or the fault that comes first in the text.
pub(super) fn parse<T: Send>(
    parts: &[Range<usize>],
    parse: impl Fn(Range<usize>) -> Result<T, Fault> + Sync,
) -> Result<Vec<T>, Fault> {
    // Parts behind a known fault need no parsing; those before it do, as theirs comes first.
    let faulty = AtomicUsize::new(usize::MAX);
    let parse = budget::carried(parse);
    let results: Vec<Option<Result<T, Fault>>> = parts
        .par_iter()
        .enumerate()
        .map(|(i, range)| {
            if i > faulty.load(Ordering::Relaxed) {
                return None;
            }
            let result = parse(range.clone());
            if result.is_err() {
                faulty.fetch_min(i, Ordering::Relaxed);
            }
            Some(result)
        })
        .collect();
    results.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    #[test]
    fn parts_cover_the_text_and_end_at_lines() {
        let text = "ab\nc\n\ndefg\nh";
        for size in 1..20 {
            let parts = lines(text, 0, size);
            assert_eq!(parts.iter().map(|r| &text[r.clone()]).collect::<String>(), text);
            assert!(parts.iter().rev().skip(1).all(|r| text[r.clone()].ends_with('\n')));
        }
        assert!(lines("", 0, 5).is_empty());
    }

    #[test]
    fn the_first_fault_wins() {
        let parts: Vec<_> = (0..1000).map(|i| i..i + 1).collect();
        for _ in 0..20 {
            let fault = parse(&parts, |r| {
                if r.start % 7 == 6 { Err(Fault::new(r.start, Code::Number, "")) } else { Ok(()) }
            });
            assert_eq!(fault.unwrap_err().offset, 6);
        }
    }
}
