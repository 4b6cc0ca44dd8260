//! Parses parts of a text in parallel, with the same result for any number of threads.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use memchr::memchr;
use rayon::prelude::*;

use super::text::Fault;
use crate::budget;

/// Size of a part: large enough to be worth a task, small enough for an even distribution.
pub(super) const PART: usize = 1 << 20;

/// Ranges of about `size` bytes that end at line ends.
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

/// Applies `parse` to each part, in order; or returns the first error of the text.
pub(super) fn parse<T: Send>(
    parts: &[Range<usize>],
    parse: impl Fn(Range<usize>) -> Result<T, Fault> + Sync,
) -> Result<Vec<T>, Fault> {
    // Parts after a known error need not be parsed; those before it may contain an earlier one.
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
    fn the_first_error_is_reported() {
        let parts: Vec<_> = (0..1000).map(|i| i..i + 1).collect();
        for _ in 0..20 {
            let fault = parse(&parts, |r| {
                if r.start % 7 == 6 { Err(Fault::new(r.start, Code::Number, "")) } else { Ok(()) }
            });
            assert_eq!(fault.unwrap_err().offset, 6);
        }
    }
}
