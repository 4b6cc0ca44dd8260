//! Decompresses gzip and zstd files, with limits.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::Limits;
use crate::budget;
use crate::error::{Code, Error, Place, Result};

/// The decompression ratio is checked once the output exceeds this size: any ratio is harmless for small files.
pub(super) const JUDGED_FROM: u64 = 16 << 20;
/// Bytes decompressed between two checks of the ratio.
const STEP: u64 = 1 << 20;

/// Decompresses `bytes` if they begin like gzip or zstd; otherwise returns them unchanged.
pub(super) fn unpack<'a>(name: &Path, bytes: Cow<'a, [u8]>, limits: &Limits) -> Result<Cow<'a, [u8]>> {
    let packed: &[u8] = &bytes;
    let out = if packed.starts_with(&[0x1f, 0x8b]) {
        let decoder = MultiGzDecoder::new(packed);
        inflate(name, "gzip", decoder, |d| d.get_ref().len(), packed.len(), limits)?
    } else if packed.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        #[cfg(not(feature = "archives"))]
        return Err(super::absent::error(name, "zstd files", "archives"));
        #[cfg(feature = "archives")]
        {
            let decoder =
                zstd::stream::read::Decoder::with_buffer(packed).map_err(|e| broken(name, "zstd", e))?;
            inflate(name, "zstd", decoder, |d| d.get_ref().len(), packed.len(), limits)?
        }
    } else {
        return Ok(bytes);
    };
    Ok(Cow::Owned(out))
}

/// Decompresses in steps and compares the sizes of output and input.
fn inflate<R: Read>(
    name: &Path,
    what: &str,
    mut decoder: R,
    left: impl Fn(&R) -> usize,
    total: usize,
    limits: &Limits,
) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    loop {
        // Before the buffer grows: to twice its size if it is full.
        if (out.capacity() - out.len()) < STEP as usize {
            let more = out.capacity().max(STEP as usize);
            budget::ask(&format!("decompressing {}", name.display()), more as u64)?;
            out.reserve_exact(out.capacity() - out.len() + more);
        }
        let got = decoder.by_ref().take(STEP).read_to_end(&mut out).map_err(|e| broken(name, what, e))?;
        if got == 0 {
            out.shrink_to_fit();
            return Ok(out);
        }
        budget::check()?;
        let used = total.saturating_sub(left(&decoder)).max(1) as u64;
        let made = out.len() as u64;
        if made > JUDGED_FROM && made > used.saturating_mul(limits.ratio) {
            let reason = format!(
                "{used} bytes of {what} expand to {made}: more than {} times, possibly a decompression bomb",
                limits.ratio
            );
            return Err(Error::parse(Place::file(name), Code::Ratio, reason).with_hint(
                "if you trust the file, decompress it first or raise the limit with `max-ratio`",
            ));
        }
    }
}

fn broken(name: &Path, what: &str, error: io::Error) -> Error {
    let (code, reason) = if error.kind() == io::ErrorKind::UnexpectedEof {
        (Code::Truncated, format!("the {what} data is truncated"))
    } else {
        (Code::Compressed, format!("the {what} data is damaged: {error}"))
    };
    Error::parse(Place::file(name), code, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gz(bytes: &[u8]) -> Vec<u8> {
        let mut e = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        e.write_all(bytes).unwrap();
        e.finish().unwrap()
    }

    fn run(bytes: &[u8]) -> Result<Vec<u8>> {
        unpack(Path::new("a.csv.gz"), Cow::Borrowed(bytes), &Limits::default()).map(Cow::into_owned)
    }

    #[test]
    fn plain_bytes_stay() {
        assert_eq!(run(b"a,b\n").unwrap(), b"a,b\n");
        assert_eq!(run(b"").unwrap(), b"");
    }

    #[test]
    fn gzip_of_several_members_and_zstd() {
        let two = [gz(b"a,b\n"), gz(b"1,2\n")].concat();
        assert_eq!(run(&two).unwrap(), b"a,b\n1,2\n");
        assert_eq!(run(&zstd::encode_all(&b"a,b\n1,2\n"[..], 3).unwrap()).unwrap(), b"a,b\n1,2\n");
        let frames =
            [zstd::encode_all(&b"a"[..], 3).unwrap(), zstd::encode_all(&b"b"[..], 3).unwrap()].concat();
        assert_eq!(run(&frames).unwrap(), b"ab");
    }

    #[test]
    fn any_truncation_is_an_error() {
        let data: Vec<u8> =
            (0..2000u32).flat_map(|i| (i.wrapping_mul(2_654_435_761)).to_le_bytes()).collect();
        for packed in [gz(&data), zstd::encode_all(&data[..], 3).unwrap()] {
            for cut in (4..packed.len()).step_by(97).chain([packed.len() - 1]) {
                assert_eq!(run(&packed[..cut]).unwrap_err().code(), Code::Truncated, "cut at {cut}");
            }
        }
        assert_eq!(run(&[0x1f, 0x8b]).unwrap_err().code(), Code::Truncated);
    }

    #[test]
    fn damage_is_detected() {
        let mut packed = gz(&[7; 5000]);
        let n = packed.len();
        packed[n - 6] ^= 1;
        assert_eq!(run(&packed).unwrap_err().code(), Code::Compressed);
        assert_eq!(
            run(&[gz(b"a"), b"junk that is not gzip".to_vec()].concat()).unwrap_err().code(),
            Code::Compressed
        );
    }

    #[test]
    fn decompression_bombs_are_rejected_early() {
        let zeros = vec![0; 40 << 20];
        assert_eq!(run(&gz(&zeros)).unwrap_err().code(), Code::Ratio);
        assert_eq!(run(&zstd::encode_all(&zeros[..], 3).unwrap()).unwrap_err().code(), Code::Ratio);
        assert_eq!(run(&gz(&zeros[..10 << 20])).unwrap().len(), 10 << 20);
    }
}
