//! Decompresses gzip, zstd, bzip2 and xz files, and zip archives of one file, with limits.

use std::borrow::Cow;
#[cfg(feature = "archives")]
use std::cell::Cell;
use std::io::{self, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::Limits;
#[cfg(feature = "archives")]
use super::archive::{self, Growth};
#[cfg(feature = "archives")]
use super::source::Source;
use crate::budget;
use crate::error::{Code, Error, Place, Result};

/// The decompression ratio is checked once the output exceeds this size: any ratio is harmless for small files.
pub(super) const JUDGED_FROM: u64 = 16 << 20;
/// Bytes decompressed between two checks of the ratio.
const STEP: u64 = 1 << 20;

/// Memory for the dictionary of an xz file, in KiB: twice that of the highest level of the program xz.
#[cfg(feature = "archives")]
const DICTIONARY: u32 = 128 << 10;

/// How a compressed file begins.
const PACKED: [&[u8]; 4] = [&[0x1f, 0x8b], &[0x28, 0xb5, 0x2f, 0xfd], b"BZh", b"\xFD7zXZ\0"];

/// Whether bytes begin like a compressed file. A text may begin with the same symbols as bzip2.
pub(super) fn is_packed(bytes: &[u8]) -> bool {
    PACKED.iter().any(|start| bytes.starts_with(start)) && (!bytes.starts_with(b"BZh") || is_bzip2(bytes))
}

/// After the size of blocks comes the number of a block, or that of the end.
fn is_bzip2(bytes: &[u8]) -> bool {
    let number = bytes.get(4..10).unwrap_or_default();
    matches!(bytes, [b'B', b'Z', b'h', b'1'..=b'9', ..]) && (number == b"1AY&SY" || number == b"\x17rE8P\x90")
}

/// Decompresses `bytes` if they begin like a compressed file; otherwise returns them unchanged.
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
    } else if is_packed(packed) {
        #[cfg(not(feature = "archives"))]
        return Err(super::absent::error(name, "bzip2 and xz files", "archives"));
        #[cfg(feature = "archives")]
        if is_bzip2(packed) {
            let decoder = bzip2::bufread::MultiBzDecoder::new(packed);
            inflate(name, "bzip2", decoder, |d| d.get_ref().len(), packed.len(), limits)?
        } else {
            let left = Cell::new(packed.len());
            let input = Counted { rest: packed, left: &left };
            let decoder = lzma_rust2::XzReader::new_mem_limit(input, true, DICTIONARY);
            inflate(name, "xz", decoder, |_| left.get(), packed.len(), limits)?
        }
    } else {
        #[cfg(feature = "archives")]
        if let Some(member) = only_member(packed) {
            let source = Source { name, bytes: packed };
            let mut growth = Growth::new(&source, limits.ratio);
            return archive::content(&source, &mut archive::open(&source)?, member, &mut growth)
                .map(Cow::Owned);
        }
        return Ok(bytes);
    };
    Ok(Cow::Owned(out))
}

/// The index of the only file in a zip archive, unless it is a NumPy array: then the archive is a file of arrays.
#[cfg(feature = "archives")]
fn only_member(bytes: &[u8]) -> Option<usize> {
    if !bytes.starts_with(b"PK\x03\x04") {
        return None;
    }
    let archive = zip::ZipArchive::new(io::Cursor::new(bytes)).ok()?;
    // Archives made by macOS hold a second file with attributes for each.
    let is_file = |name: &[u8]| !name.ends_with(b"/") && !name.starts_with(b"__MACOSX/");
    let mut files = archive.file_names_raw().enumerate().filter(|(_, name)| is_file(name));
    match (files.next(), files.next()) {
        (Some((i, name)), None) if !name.ends_with(b".npy") && !name.ends_with(b".zip") => Some(i),
        _ => None,
    }
}

/// Bytes, and how many of them are left.
#[cfg(feature = "archives")]
struct Counted<'a, 'c> {
    rest: &'a [u8],
    left: &'c Cell<usize>,
}

#[cfg(feature = "archives")]
impl Read for Counted<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.rest.read(buffer)?;
        self.left.set(self.rest.len());
        Ok(got)
    }
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
        .with_hint("the file was not copied or downloaded completely, or changed since: get it again")
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

    /// 20,000 bytes of a table and 40 MiB of zeros. Made by Python 3.11:
    /// `bz2.compress(t)`, `lzma.compress(t)` with `t = b"".join(b"%d,%d\\n" % (i, i * i % 977) for i in range(2000))`,
    /// and the same of `bytes(40 << 20)`.
    const TABLE: [&[u8]; 2] =
        [include_bytes!("unpack/table.bz2").as_slice(), include_bytes!("unpack/table.xz").as_slice()];
    const ZEROS: [&[u8]; 2] =
        [include_bytes!("unpack/zeros.bz2").as_slice(), include_bytes!("unpack/zeros.xz").as_slice()];

    #[test]
    fn bzip2_and_xz() {
        let table: String = (0..2000u64).map(|i| format!("{i},{}\n", i * i % 977)).collect();
        for packed in TABLE {
            assert_eq!(run(packed).unwrap(), table.as_bytes());
            assert_eq!(run(&[packed, packed].concat()).unwrap(), (table.clone() + &table).as_bytes());
            for cut in (14..packed.len()).step_by(97).chain([packed.len() - 1]) {
                let error = run(&packed[..cut]).unwrap_err();
                assert_eq!(error.code(), Code::Truncated, "cut at {cut}");
                assert!(error.hint().is_some_and(|hint| hint.contains("get it again")), "{error}");
            }
            let mut bad = packed.to_vec();
            bad[packed.len() / 2] ^= 0x40;
            assert_eq!(run(&bad).unwrap_err().code(), Code::Compressed);
        }
        for packed in ZEROS {
            assert_eq!(run(packed).unwrap_err().code(), Code::Ratio);
        }
        assert_eq!(run(b"BZh is a column\n1\n").unwrap(), b"BZh is a column\n1\n");
    }

    #[test]
    fn a_zip_archive_of_one_file() {
        let zipped = |names: &[&str], content: &[u8]| {
            let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
            for name in names {
                zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
                zip.write_all(content).unwrap();
            }
            zip.finish().unwrap().into_inner()
        };
        assert_eq!(run(&zipped(&["folder/a.csv", "__MACOSX/._a.csv"], b"a\n1\n")).unwrap(), b"a\n1\n");
        for names in [&["a.csv", "b.csv"][..], &["x.npy"], &["a.zip"]] {
            let archive = zipped(names, b"a\n1\n");
            assert_eq!(run(&archive).unwrap(), archive);
        }
        assert_eq!(run(&zipped(&["a.csv"], &vec![0; 40 << 20])).unwrap_err().code(), Code::Ratio);
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
