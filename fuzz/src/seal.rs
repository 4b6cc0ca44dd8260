//! Corrects the checksum of model files: a malicious file has damaged content with a correct checksum.

use xxhash_rust::xxh3::Xxh3;

/// The bytes that follow the eight-byte header length in every model file.
pub const BEGINNING: &[u8] = b"{\"__metadata__\":{\"checksum\":\"";
/// The position of the checksum's digits.
pub const DIGITS: std::ops::Range<usize> = 8 + BEGINNING.len()..8 + BEGINNING.len() + 32;

/// The bytes with a correct checksum. Bytes too short for one stay unchanged.
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

/// A model file with that header, which begins after the checksum, and those arrays.
pub fn file(header: &str, data: &[u8]) -> Vec<u8> {
    let header = [BEGINNING, &[b'0'; 32], header.as_bytes()].concat();
    sealed([&(header.len() as u64).to_le_bytes(), &header[..], data].concat())
}
