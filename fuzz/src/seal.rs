//! The checksum of model files, made to fit: damage behind a right checksum is what a hostile file is.

use xxhash_rust::xxh3::Xxh3;

/// How a model file begins behind the eight bytes of its header's length.
pub const BEGINNING: &[u8] = b"{\"__metadata__\":{\"checksum\":\"";
/// Where the digits of the checksum are.
pub const DIGITS: std::ops::Range<usize> = 8 + BEGINNING.len()..8 + BEGINNING.len() + 32;

/// The bytes with the checksum they ought to have. Bytes too short for one stay as they are.
pub fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() >= DIGITS.end {
        let mut hash = Xxh3::new();
        bytes[DIGITS].fill(b'0');
        hash.update(&bytes);
        let digits = format!("{:032x}", hash.digest128());
        bytes[DIGITS].copy_from_slice(digits.as_bytes());
    }
    bytes
}

/// A model file of that header, which begins behind the checksum, and those arrays.
pub fn file(header: &str, data: &[u8]) -> Vec<u8> {
    let header = [BEGINNING, &[b'0'; 32], header.as_bytes()].concat();
    sealed([&(header.len() as u64).to_le_bytes(), &header[..], data].concat())
}
