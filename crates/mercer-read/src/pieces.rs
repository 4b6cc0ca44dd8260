//! Reads tables that do not fit into memory in pieces.

use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::{Format, Options, csv, inner, open, read_bytes, sniff, unpack};
use crate::data::Dataset;
use crate::error::{Code, Error, Place, Result};

/// Iterates over the rows of a CSV, TSV or LIBSVM file in pieces, each of which is a data set.
///
/// Pieces end between rows; a line break inside quotes does not end a row. Every piece is read as if it were the whole
/// file, with the header of the file, and errors give the line in the whole file. Types are inferred anew for each
/// piece, so they should be given in the options. Memory holds one piece and its data set.
///
/// ```
/// use mercer_read::{Options, Pieces};
/// let path = std::env::temp_dir().join("mercer-pieces-example.csv");
/// std::fs::write(&path, "a,b\n1,2\n3,4\n5,6\n").unwrap();
/// let pieces = Pieces::open(&path, &Options { no_target: true, ..Options::default() }, 6)?.unwrap();
/// let rows = pieces.map(|piece| piece.map(|p| p.len())).collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(rows.iter().sum::<usize>(), 3);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub struct Pieces {
    path: PathBuf,
    file: File,
    before: Metadata,
    options: Options,
    /// Approximate number of bytes read at a time.
    size: usize,
    /// The header line, with its line end.
    header: Vec<u8>,
    quoted: bool,
    /// Bytes read after the last complete row.
    rest: Vec<u8>,
    /// The number of lines and objects in earlier pieces.
    lines: u64,
    objects: usize,
    ended: bool,
}

/// Bytes from which the format is detected.
const LOOK: usize = 64 << 10;
/// Bytes at the end of a file that show whether notes follow its rows.
const END: u64 = 4 << 10;

impl Pieces {
    /// Opens a file; `None` for compressed files and for formats that must be read at once.
    pub fn open(path: &Path, options: &Options, size: usize) -> Result<Option<Self>> {
        if inner::split(path).is_some() || options.sequences.two.is_some() {
            return Ok(None);
        }
        let seen = std::fs::metadata(path).map_err(|e| open::refused(path, e))?;
        if !seen.is_file() || options.precomputed || options.series.layout.is_some() {
            return Ok(None);
        }
        let mut file = File::open(path).map_err(|e| open::refused(path, e))?;
        let before = file.metadata().map_err(|e| open::refused(path, e))?;
        open::regular(path, &before)?;
        let mut look = Vec::new();
        (&mut file).take(LOOK as u64).read_to_end(&mut look).map_err(|e| open::refused(path, e))?;
        // A line that is cut off must not be used to detect the format.
        if look.len() == LOOK {
            let end = look.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
            look.truncate(end);
        }
        let format = match sniff::format(path, &look, options) {
            Ok(format @ (Format::Csv | Format::Tsv | Format::Libsvm)) => format,
            _ => return Ok(None),
        };
        if unpack::is_packed(&look) || is_framed(&mut file, &look, format, options) {
            return Ok(None);
        }
        file.seek(SeekFrom::Start(0)).map_err(|e| open::refused(path, e))?;
        let mut pieces = Pieces {
            path: path.to_owned(),
            file,
            before,
            options: Options { format: Some(format), ..options.clone() },
            size: size.max(1),
            header: Vec::new(),
            quoted: format != Format::Libsvm,
            rest: Vec::new(),
            lines: 0,
            objects: 0,
            ended: false,
        };
        if pieces.quoted && options.header.unwrap_or_else(|| has_header(path, &look, options)) {
            pieces.take_header()?;
            pieces.options.header = Some(true);
        } else {
            pieces.options.header = Some(false);
        }
        Ok(Some(pieces))
    }

    /// The number of objects in the pieces so far.
    pub fn objects(&self) -> usize {
        self.objects
    }

    fn take_header(&mut self) -> Result<()> {
        let end = loop {
            match self.end_of_row(0, true) {
                Some(end) => break end,
                None if self.more()? => {}
                None => break self.rest.len(),
            }
        };
        self.header = self.rest.drain(..end).collect();
        self.lines = count(&self.header);
        Ok(())
    }

    /// Reads more of the file; false at its end.
    fn more(&mut self) -> Result<bool> {
        let before = self.rest.len();
        let mut part = (&mut self.file).take(self.size as u64);
        part.read_to_end(&mut self.rest).map_err(|e| open::refused(&self.path, e))?;
        Ok(self.rest.len() > before)
    }

    /// The end of the first or the last complete row in the buffer, searched from a position between rows.
    fn end_of_row(&self, from: usize, first: bool) -> Option<usize> {
        let (mut inside, mut end) = (false, None);
        for (at, byte) in self.rest[from..].iter().enumerate() {
            match byte {
                b'"' if self.quoted => inside = !inside,
                b'\n' if !inside => {
                    end = Some(from + at + 1);
                    if first {
                        return end;
                    }
                }
                _ => {}
            }
        }
        end
    }

    fn piece(&mut self) -> Result<Option<Dataset>> {
        loop {
            let end = match self.end_of_row(0, false) {
                Some(end) if self.rest.len() >= self.size || self.ended => end,
                _ if self.ended => self.rest.len(),
                _ => {
                    self.ended = !self.more()?;
                    continue;
                }
            };
            if self.ended {
                self.check_unchanged()?;
            }
            // The last row may lack a line break.
            let end = if self.ended { self.rest.len() } else { end };
            let rows: Vec<u8> = self.rest.drain(..end).collect();
            if rows.iter().all(u8::is_ascii_whitespace) {
                if self.ended {
                    return if self.objects > 0 { Ok(None) } else { self.empty() };
                }
                self.lines += count(&rows);
                continue;
            }
            let bytes = [self.header.as_slice(), &rows].concat();
            let (lines, objects) = (self.lines - count(&self.header), self.objects);
            let data = read_bytes(&self.path, &bytes, &self.options);
            let data = data.map_err(|e| moved(e, lines).of_object(|i| i + objects))?;
            self.lines += count(&rows);
            self.objects += data.len();
            return Ok(Some(data));
        }
    }

    /// The error for a file without rows, from its reader.
    fn empty(&mut self) -> Result<Option<Dataset>> {
        read_bytes(&self.path, &self.header, &self.options).map(|_| None)
    }

    fn check_unchanged(&self) -> Result<()> {
        let after = self.file.metadata().map_err(|e| open::refused(&self.path, e))?;
        if after.len() == self.before.len() && after.modified().ok() == self.before.modified().ok() {
            return Ok(());
        }
        let reason = format!(
            "the file changed while it was read: {} bytes before, {} after",
            self.before.len(),
            after.len()
        );
        Err(Error::parse(Place::file(&self.path), Code::Changed, reason))
    }
}

impl Iterator for Pieces {
    type Item = Result<Dataset>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended && self.rest.is_empty() && self.objects > 0 {
            return None;
        }
        let piece = self.piece();
        if !matches!(piece, Ok(Some(_))) {
            // After an error or the end, iteration stops.
            self.ended = true;
            self.rest.clear();
            self.objects = self.objects.max(1);
        }
        piece.transpose()
    }
}

/// Whether a table has titles above or notes below it, which the reader of whole files leaves out.
fn is_framed(file: &mut File, look: &[u8], format: Format, options: &Options) -> bool {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut end = Vec::new();
    let length = file.metadata().map_or(0, |m| m.len());
    let read = file
        .seek(SeekFrom::Start(length.saturating_sub(END)))
        .and_then(|_| file.take(END).read_to_end(&mut end));
    format != Format::Libsvm && read.is_ok() && csv::is_framed(&text(look), &text(&end), format, options)
}

/// Whether the reader would detect a header: then the column names do not change if a header is declared.
fn has_header(path: &Path, look: &[u8], options: &Options) -> bool {
    let names = |header| {
        let data = read_bytes(path, look, &Options { header, ..options.clone() }).ok()?;
        Some(data.columns().iter().map(|c| c.name.clone()).collect::<Vec<_>>())
    };
    // If the beginning cannot be read, the error is reported with the first piece.
    names(None).is_none_or(|found| names(Some(true)).is_some_and(|declared| declared == found))
}

fn count(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// Converts the position of an error in a piece to that in the whole file.
fn moved(mut error: Error, lines: u64) -> Error {
    if let Error::Parse { place, .. } = &mut error
        && place.line > 1
    {
        place.line += lines;
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Values;

    fn options() -> Options {
        Options { no_target: true, ..Options::default() }
    }

    fn file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        (dir, path)
    }

    fn numbers(data: &Dataset, column: usize) -> Vec<f64> {
        let Values::Numbers(x) = &data.columns()[column].values else { panic!() };
        (0..x.rows()).map(|i| x.at(i, 0)).collect()
    }

    #[test]
    fn all_rows_in_order_for_any_size() {
        let mut text = "a,b\n".to_owned();
        (0..100).for_each(|i| text += &format!("{i},{}\n", i * i));
        for text in [text.clone(), text.trim_end().to_owned(), text.replace('\n', "\r\n")] {
            let (_dir, path) = file("t.csv", &text);
            for size in [1, 7, 64, 1000, 1 << 20] {
                let pieces = Pieces::open(&path, &options(), size).unwrap().unwrap();
                let all: Vec<Dataset> = pieces.collect::<Result<_>>().unwrap();
                assert!(size >= 1000 || all.len() > 1);
                let rows: Vec<f64> = all.iter().flat_map(|p| numbers(p, 1)).collect();
                assert_eq!(rows, (0..100).map(|i| f64::from(i * i)).collect::<Vec<_>>(), "{size}");
            }
        }
    }

    #[test]
    fn line_breaks_in_quotes_do_not_end_rows() {
        let (_dir, path) = file("t.csv", "a,\"b\nc\"\n1,\"x\ny\"\n2,\"z\"\n3,\"\"\"\n\"\n");
        for size in 1..30 {
            let pieces = Pieces::open(&path, &options(), size).unwrap().unwrap();
            let all: Vec<Dataset> = pieces.collect::<Result<_>>().unwrap();
            assert_eq!(all.iter().flat_map(|p| numbers(p, 0)).collect::<Vec<_>>(), [1.0, 2.0, 3.0], "{size}");
            assert!(all.iter().all(|p| p.columns()[1].name == "b\nc"));
        }
    }

    #[test]
    fn rows_without_a_header() {
        let (_dir, path) = file("t.csv", "1,2\n3,4\n5,6\n");
        for header in [None, Some(false)] {
            let given = Options { header, ..options() };
            let all: Vec<Dataset> =
                Pieces::open(&path, &given, 5).unwrap().unwrap().collect::<Result<_>>().unwrap();
            assert_eq!(all.iter().flat_map(|p| numbers(p, 1)).collect::<Vec<_>>(), [2.0, 4.0, 6.0]);
        }
    }

    #[test]
    fn sparse_rows() {
        let (_dir, path) = file("t.libsvm", "1 1:1 3:2\n-1 2:5\n1 1:4\n");
        let given = Options { index_base: Some(1), ..Options::default() };
        let all: Vec<Dataset> =
            Pieces::open(&path, &given, 5).unwrap().unwrap().collect::<Result<_>>().unwrap();
        assert_eq!(all.iter().map(Dataset::len).sum::<usize>(), 3);
    }

    #[test]
    fn errors_have_positions_in_the_whole_file() {
        let mut text = "a,b\n".to_owned();
        (0..50).for_each(|i| text += &format!("{i},1\n"));
        text += "50,1,9\n";
        let (_dir, path) = file("t.csv", &text);
        for size in [10, 100, 10_000] {
            let mut pieces = Pieces::open(&path, &options(), size).unwrap().unwrap();
            let fault = pieces.find_map(Result::err).unwrap();
            let Error::Parse { place, code, .. } = fault else { panic!("{fault}") };
            assert_eq!((place.line, code), (52, Code::Columns), "{size}");
            assert!(pieces.next().is_none());
        }
    }

    #[test]
    fn unsupported_and_empty_files() {
        let (_dir, path) = file("t.fasta", ">a\nACGT\n");
        assert!(Pieces::open(&path, &Options::default(), 10).unwrap().is_none());
        let (_dir, path) = file("t.csv", "a,b\n");
        let mut pieces = Pieces::open(&path, &options(), 10).unwrap().unwrap();
        assert_eq!(pieces.next().unwrap().unwrap_err().code(), Code::Empty);
        assert!(pieces.next().is_none());
        assert!(Pieces::open(Path::new("none.csv"), &options(), 10).is_err());
    }
}
