//! Stretches of strings and words of texts.

use super::{ObjectPart, runs};

/// Characters shown of a part.
const SHOWN: usize = 40;

/// The stretches of symbols, or runs of words, by their first and last character.
pub(super) fn parts(text: &str, most: usize, by_words: bool) -> Vec<ObjectPart> {
    let characters: Vec<char> = text.chars().collect();
    let units = match by_words {
        true => words(&characters),
        false => (0..characters.len()).map(|at| (at, at + 1)).collect(),
    };
    let part = |(from, to): (usize, usize)| {
        let (first, end) = (units[from].0, units[to - 1].1);
        let shown: String = characters[first..end].iter().take(SHOWN).collect();
        let more = if end - first > SHOWN { "…" } else { "" };
        ObjectPart { name: format!("{shown}{more}"), places: vec![first as u32, end as u32 - 1] }
    };
    runs(units.len(), most).into_iter().map(part).collect()
}

/// The first character of each word, and the one after its last.
fn words(characters: &[char]) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut start = 0;
    for same in characters.chunk_by(|a, b| a.is_whitespace() == b.is_whitespace()) {
        if !same[0].is_whitespace() {
            out.push((start, start + same.len()));
        }
        start += same.len();
    }
    out
}

pub(super) fn without(text: &Option<String>, hidden: &[ObjectPart], by_words: bool) -> Option<String> {
    let text = text.as_deref()?;
    let is_hidden = |at: usize| {
        let inside =
            |p: &ObjectPart| matches!(p.places[..], [a, b] if (a as usize..=b as usize).contains(&at));
        hidden.iter().any(inside)
    };
    let left: String =
        text.chars().enumerate().filter(|(at, _)| !is_hidden(*at)).map(|(_, character)| character).collect();
    Some(match by_words {
        true => left.split_whitespace().collect::<Vec<_>>().join(" "),
        false => left,
    })
}
