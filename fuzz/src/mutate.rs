//! Seeded mutations of inputs: the tests use them instead of libFuzzer's mutations.

use mercer::random::Random;

use crate::LONGEST;

/// Numbers that replace others.
const EXTREME: [&[u8]; 22] = [
    b"0",
    b"-1",
    b"1",
    b"-0",
    b"127",
    b"255",
    b"256",
    b"65535",
    b"65536",
    b"2147483647",
    b"2147483648",
    b"4294967295",
    b"4294967296",
    b"9007199254740993",
    b"9223372036854775807",
    b"18446744073709551615",
    b"99999999999999999999999",
    b"1e308",
    b"-1e308",
    b"1e-320",
    b"nan",
    b"inf",
];
/// Numbers written as several little-endian bytes.
const WIDE: [u64; 10] =
    [0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 0x7fff_ffff_ffff_ffff, u64::MAX];

/// Characters with a meaning in many formats.
const SPECIAL: &[u8] = b"\n\t ,;:\"'([{}])=-+.#@%\0\xff";

/// A stream of inputs from a corpus.
pub struct Mutations<'a> {
    random: Random,
    corpus: &'a [Vec<u8>],
    words: &'a [Vec<u8>],
}

impl<'a> Mutations<'a> {
    /// The stream of a seed, from a corpus and the words of a format.
    pub fn new(seed: u64, corpus: &'a [Vec<u8>], words: &'a [Vec<u8>]) -> Self {
        Mutations { random: Random::new(seed), corpus, words }
    }

    /// The next input: one of the corpus with one or a few changes.
    pub fn next_input(&mut self) -> Vec<u8> {
        let mut bytes = match self.corpus.len() {
            0 => Vec::new(),
            n => self.corpus[self.random.below(n)].clone(),
        };
        for _ in 0..1usize << self.random.below(4) {
            self.change(&mut bytes);
        }
        bytes.truncate(LONGEST);
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        let at = self.random.below(bytes.len() + 1);
        let there = at < bytes.len();
        match self.random.below(11) {
            0 if there => bytes[at] ^= 1 << self.random.below(8),
            1 if there => bytes[at] = self.random.bits() as u8,
            2 => bytes.truncate(at),
            3 => {
                let until = self.part(at, bytes.len());
                drop(bytes.drain(at..until));
            }
            4 => {
                let own = bytes[at..self.part(at, bytes.len())].to_vec();
                let times = 1 + self.random.below(4);
                bytes.splice(at..at, own.repeat(times));
            }
            5 | 6 if !self.words.is_empty() => {
                let word = self.words[self.random.below(self.words.len())].clone();
                let over = if self.random.below(2) == 0 { 0 } else { word.len().min(bytes.len() - at) };
                bytes.splice(at..at + over, word);
            }
            7 => {
                if let Some(number) = self.number(bytes, at) {
                    bytes.splice(number, EXTREME[self.random.below(EXTREME.len())].iter().copied());
                }
            }
            8 => {
                let wide = WIDE[self.random.below(WIDE.len())].to_le_bytes();
                let width = (1usize << self.random.below(4)).min(bytes.len() - at);
                bytes[at..at + width].copy_from_slice(&wide[..width]);
            }
            9 if !self.corpus.is_empty() => {
                let other = &self.corpus[self.random.below(self.corpus.len())];
                let from = self.random.below(other.len() + 1);
                let until = self.part(from, other.len());
                let over = self.part(at, bytes.len());
                bytes.splice(at..over, other[from..until].iter().copied());
            }
            _ => bytes.insert(at, SPECIAL[self.random.below(SPECIAL.len())]),
        }
    }

    /// The end of a part that begins at `from`: usually close.
    fn part(&mut self, from: usize, len: usize) -> usize {
        let most = 1usize << self.random.below(10);
        (from + 1 + self.random.below(most)).min(len)
    }

    /// The digits around a position, or the next ones after it.
    fn number(&mut self, bytes: &[u8], at: usize) -> Option<std::ops::Range<usize>> {
        let digit = |b: &u8| b.is_ascii_digit() || *b == b'.';
        let mut start = at + bytes[at..].iter().position(|b| b.is_ascii_digit())?;
        while start > 0 && digit(&bytes[start - 1]) {
            start -= 1;
        }
        let len = bytes[start..].iter().take_while(|b| digit(b)).count();
        Some(start..start + len)
    }
}
