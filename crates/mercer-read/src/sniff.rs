//! Detects the format of a file: by its first bytes, by unambiguous content, by its name, then by other content.

use std::path::Path;

use super::foreign;
use super::graph::folder;
use super::images;
use super::{Format, Options};
use crate::error::{Code, Error, Place, Result};

/// Maximum number of lines examined.
const LINES: usize = 30;
/// Maximum number of bytes examined.
const BYTES: usize = 1 << 20;

/// The format of a decompressed file.
pub(super) fn format(name: &Path, bytes: &[u8], options: &Options) -> Result<Format> {
    if let Some(format) = options.format {
        return Ok(format);
    }
    foreign::refuse(name, bytes)?;
    if let Some(format) = by_magic(bytes) {
        return Ok(format);
    }
    if foreign::is_json(bytes) {
        return Ok(Format::Json);
    }
    let named = by_name(name);
    if let Some(zipped @ (Format::Xlsx | Format::Ods | Format::Npz)) = named
        && let Some(found) = as_text(bytes)
    {
        let (called, found) = (zipped.name(), found.name());
        let reason =
            format!("named as a file of format {called}, but this is text, which looks like {found}");
        let hint = format!("rename the file, or read it with `format={found}`");
        return Err(Error::parse(Place::file(name), Code::Format, reason).with_hint(hint));
    }
    if matches!(named, Some(Format::Fasta | Format::Fastq))
        && let Some(found @ (Format::Fasta | Format::Fastq)) = as_text(bytes)
    {
        return Ok(found);
    }
    if named.is_some_and(|format| !matches!(format, Format::Csv | Format::Tsv)) {
        return named.ok_or_else(|| Error::usage("unknown format"));
    }
    // Text that is not valid UTF-8 is treated as a table; its reader reports the position of the error.
    let text = String::from_utf8_lossy(bytes.get(..BYTES).unwrap_or(bytes));
    let lines = shown(&text);
    // Downloads and editors often add the extension of a table, so content that cannot be a table takes precedence.
    if let Some(format) = lines.first().and_then(|first| by_signature(first, &lines)).or(named) {
        return Ok(format);
    }
    let Some(first) = lines.first() else {
        let reason = if bytes.is_empty() { "the file is empty" } else { "only blank lines and comments" };
        return Err(Error::parse(Place::file(name), Code::Empty, reason));
    };
    by_content(first, &lines).ok_or_else(|| {
        Error::parse(Place::file(name), Code::Format, "cannot detect the format from name or content")
            .with_hint(format!("give it with `format`: {}", Format::ALL.map(Format::name).join(", ")))
    })
}

/// The first lines that are neither empty nor comments.
fn shown(text: &str) -> Vec<&str> {
    text.trim_start_matches('\u{FEFF}')
        .split(['\n', '\r'])
        .map(str::trim)
        .filter(|l| !l.is_empty() && !l.starts_with(['#', '%']))
        .take(LINES)
        .collect()
}

/// What a text looks like; none for bytes that are no text.
fn as_text(bytes: &[u8]) -> Option<Format> {
    if is_binary(bytes) {
        return None;
    }
    let text = String::from_utf8_lossy(bytes.get(..BYTES).unwrap_or(bytes));
    let lines = shown(&text);
    let first = lines.first()?;
    by_signature(first, &lines).or_else(|| by_content(first, &lines))
}

fn by_magic(bytes: &[u8]) -> Option<Format> {
    if bytes.starts_with(b"\x93NUMPY") {
        Some(Format::Npy)
    } else if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        Some(foreign::zipped(bytes))
    } else if bytes.starts_with(b"SQLite format 3\0") {
        Some(Format::Sqlite)
    } else if bytes.starts_with(b"ARROW1") && (bytes.ends_with(b"ARROW1") || is_binary(bytes)) {
        Some(Format::Arrow)
    } else if bytes.starts_with(b"PAR1") && (bytes.ends_with(b"PAR1") || is_binary(bytes)) {
        // A table may have a column named PAR1, but contains no control characters.
        Some(Format::Parquet)
    } else if images::is_magic(bytes) {
        Some(Format::Images)
    } else {
        None
    }
}

fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(256).any(|b| b.is_ascii_control() && !b.is_ascii_whitespace())
}

fn by_name(name: &Path) -> Option<Format> {
    let lower = name.file_name()?.to_str()?.to_ascii_lowercase();
    let stem = [".gz", ".zst", ".zstd", ".bz2", ".xz", ".zip"]
        .iter()
        .find_map(|end| lower.strip_suffix(end))
        .unwrap_or(&lower);
    let (_, extension) = stem.rsplit_once('.')?;
    if images::is_one(stem) {
        return Some(Format::Images);
    }
    if let Some(format) = folder::by_extension(stem) {
        return Some(format);
    }
    if ["_train.tsv", "_test.tsv", "_train.txt", "_test.txt"].iter().any(|end| stem.ends_with(end)) {
        return Some(Format::Ucr);
    }
    Some(match extension {
        "ts" => Format::Ts,
        "csv" => Format::Csv,
        "tsv" | "tab" => Format::Tsv,
        "libsvm" | "svm" | "svmlight" => Format::Libsvm,
        "arff" => Format::Arff,
        "npy" => Format::Npy,
        "npz" => Format::Npz,
        "parquet" | "pq" => Format::Parquet,
        "xlsx" | "xlsm" => Format::Xlsx,
        "ods" => Format::Ods,
        "json" | "jsonl" | "ndjson" => Format::Json,
        "arrow" | "feather" | "ipc" => Format::Arrow,
        "sqlite" | "sqlite3" | "db3" => Format::Sqlite,
        "fasta" | "fa" | "fna" | "faa" | "ffn" | "frn" => Format::Fasta,
        "fastq" | "fq" => Format::Fastq,
        "smi" | "smiles" => Format::Smiles,
        _ => return None,
    })
}

/// Formats whose content cannot be a table.
fn by_signature(first: &str, lines: &[&str]) -> Option<Format> {
    let word = |l: &&str| l.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'*' | b'-' | b'.'));
    let behind = lines.get(1);
    if first.get(..9).is_some_and(|word| word.eq_ignore_ascii_case("@relation")) {
        return Some(Format::Arff);
    }
    let tags = ["@problemname", "@timestamps", "@univariate", "@classlabel", "@missing"];
    if tags.iter().any(|tag| first.get(..tag.len()).is_some_and(|word| word.eq_ignore_ascii_case(tag))) {
        return Some(Format::Ts);
    }
    if first.starts_with('>') && behind.is_some_and(word) {
        return Some(Format::Fasta);
    }
    if first.starts_with('@') && behind.is_some_and(word) && lines.get(2).is_some_and(|l| l.starts_with('+'))
    {
        return Some(Format::Fastq);
    }
    if first.starts_with('<') && lines.iter().any(|l| l.contains("<graphml")) {
        return Some(Format::Graphml);
    }
    if lines.iter().any(|l| l.ends_with(" V2000") || l.ends_with(" V3000") || *l == "$$$$") {
        return Some(Format::Sdf);
    }
    None
}

fn by_content(first: &str, lines: &[&str]) -> Option<Format> {
    if first.starts_with('>') {
        return Some(Format::Fasta);
    }
    if first.starts_with(['<', '{', '[']) {
        return None;
    }
    if is_ucr(lines) {
        return Some(Format::Ucr);
    }
    // A list opens after the key, on the same line or the next.
    let opens = |i: usize, l: &str| {
        let behind = l.strip_prefix("graph").map(str::trim);
        behind.is_some_and(|b| {
            b.starts_with('[') || b.is_empty() && lines.get(i + 1).is_some_and(|n| n.starts_with('['))
        })
    };
    if lines.iter().enumerate().any(|(i, l)| opens(i, l)) {
        return Some(Format::Gml);
    }
    let (mut pairs, mut tabs, mut others) = (0, 0, 0);
    for line in lines {
        match sparse_pairs(line) {
            Some(n) => pairs += n,
            None => others += 1,
        }
        tabs += usize::from(line.contains('\t'));
    }
    Some(match () {
        () if pairs > 0 && others == 0 => Format::Libsvm,
        // An error in one line does not turn sparse rows into a table.
        () if pairs > others && first.contains(':') && sparse_pairs(first).is_some() => Format::Libsvm,
        () if tabs > 0 && first.contains('\t') => Format::Tsv,
        () => Format::Csv,
    })
}

/// Whether the content of a file, not its name, says that it holds series.
pub(super) fn is_surprising(name: &Path, options: &Options) -> bool {
    options.format.is_none() && by_name(name) != Some(Format::Ucr)
}

/// Whether lines are series as in files of the UCR archive: numbers separated by spaces, of which the first of each
/// line is a whole number, the class.
fn is_ucr(lines: &[&str]) -> bool {
    is_exponential(lines) || is_spaced(lines)
}

/// The smallest number of values in a line of decimal numbers that is taken for a series.
const SHORTEST: usize = 8;
/// The largest number of classes that are recognised as such.
const MOST_CLASSES: usize = 20;

/// Whether lines are a whole number, one of a few, followed by the same number of decimal numbers or more, separated by
/// spaces. Fractions tell series from tables of counts, and classes that repeat from tables of measurements.
fn is_spaced(lines: &[&str]) -> bool {
    let mut classes: Vec<i64> = Vec::new();
    let (mut fractions, mut values) = (0, 0);
    for line in lines {
        let mut words = line.split_ascii_whitespace();
        let class = words.next().filter(|w| !line.contains(['\t', ',', ';', ':', '|']) && !w.contains('.'));
        let Some(class) = class.and_then(|w| w.parse().ok()) else { return false };
        if !classes.contains(&class) {
            classes.push(class);
        }
        let mut length = 0;
        for word in words {
            let gap = word.eq_ignore_ascii_case("nan");
            if !gap && !word.parse::<f64>().is_ok_and(f64::is_finite) {
                return false;
            }
            fractions += usize::from(gap || word.contains(['.', 'e', 'E']));
            length += 1;
        }
        if length < SHORTEST {
            return false;
        }
        values += length;
    }
    lines.len() > 1 && classes.len() <= (lines.len() / 2).clamp(1, MOST_CLASSES) && 2 * fractions > values
}

/// Numbers all in one exponential notation.
fn is_exponential(lines: &[&str]) -> bool {
    let digits = |word: &str| {
        let (mantissa, exponent) = word.split_once(['e', 'E'])?;
        word.parse::<f64>().ok()?;
        Some((mantissa.split_once('.')?.1.len(), exponent.len()))
    };
    let Some(form) = lines.first().and_then(|l| digits(l.split_ascii_whitespace().next()?)) else {
        return false;
    };
    lines.iter().all(|line| {
        let mut words = line.split_ascii_whitespace().peekable();
        let class = words.peek().and_then(|w| w.parse::<f64>().ok());
        let values = line.split_ascii_whitespace().count() - 1;
        class.is_some_and(|c| c.fract() == 0.0)
            && values >= 4
            && words.all(|w| w.eq_ignore_ascii_case("nan") || digits(w).is_some_and(|d| d.0 == form.0))
    })
}

/// The number of `index:value` pairs in a line, if it is a label followed by such pairs.
fn sparse_pairs(line: &str) -> Option<usize> {
    let line = line.split('#').next().unwrap_or(line);
    let mut words = line.split_ascii_whitespace();
    let label = words.next()?;
    label.parse::<f64>().ok()?;
    let mut pairs = 0;
    for word in words {
        let (index, _) = word.split_once(':')?;
        if index != "qid" {
            index.parse::<i64>().ok()?;
        }
        pairs += 1;
    }
    Some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sniff(name: &str, bytes: &[u8]) -> Result<Format> {
        format(Path::new(name), bytes, &Options::default())
    }

    #[test]
    fn first_bytes_take_precedence() {
        assert_eq!(sniff("a.csv", b"\x93NUMPY\x01\0").unwrap(), Format::Npy);
        assert_eq!(sniff("a", b"PK\x03\x04..").unwrap(), Format::Npz);
        assert_eq!(sniff("a.csv", b"SQLite format 3\0..").unwrap(), Format::Sqlite);
        assert_eq!(sniff("a.csv", b"ARROW1\0\0..").unwrap(), Format::Arrow);
        assert_eq!(sniff("a", b"ARROW1,b\n1,2\n").unwrap(), Format::Csv);
        assert_eq!(sniff("a", b"PAR1\x15\x04").unwrap(), Format::Parquet);
        assert_eq!(sniff("a", b"\x89PNG\r\n\x1a\n..").unwrap(), Format::Images);
        assert_eq!(sniff("a", b"PAR1,PAR2\n1,2\n").unwrap(), Format::Csv);
    }

    #[test]
    fn then_by_name() {
        assert_eq!(sniff("a.CSV.gz", b"1 1:2\n").unwrap(), Format::Csv);
        assert_eq!(sniff("a.tsv", b"").unwrap(), Format::Tsv);
        assert_eq!(sniff("a.svm.zst", b"").unwrap(), Format::Libsvm);
        assert_eq!(sniff("a.arff", b"").unwrap(), Format::Arff);
        assert_eq!(sniff("a.parquet", b"").unwrap(), Format::Parquet);
        assert_eq!(sniff("a.ts.gz", b"").unwrap(), Format::Ts);
        assert_eq!(sniff("Coffee_TRAIN.tsv", b"").unwrap(), Format::Ucr);
        assert_eq!(sniff("a.fna.gz", b"").unwrap(), Format::Fasta);
        assert_eq!(sniff("a.JPG", b"").unwrap(), Format::Images);
        assert_eq!(sniff("a.fq.gz", b"").unwrap(), Format::Fastq);
        assert_eq!(sniff("Coffee_TEST.txt", b"1 2 3\n").unwrap(), Format::Ucr);
    }

    #[test]
    fn unambiguous_content_takes_precedence_over_the_name() {
        let mol = b"x\n\n\n  1  0  0  0  0  0            999 V2000\n    0.0 0.0 0.0 C\nM  END\n$$$$\n";
        for name in ["objects.csv", "objects.tsv", "objects", "objects.txt"] {
            assert_eq!(sniff(name, mol).unwrap(), Format::Sdf);
            assert_eq!(sniff(name, b">a\nacgt\n>b\nac\n").unwrap(), Format::Fasta);
            assert_eq!(sniff(name, b"@a\nacgt\n+\nIIII\n").unwrap(), Format::Fastq);
            assert_eq!(sniff(name, b"@relation r\n@data\n").unwrap(), Format::Arff);
        }
        assert_eq!(sniff("a.csv", b">50K,b\n1,2\n").unwrap(), Format::Csv);
        assert_eq!(sniff("a.csv", b"@a,b\n1,2\n+1,3\n").unwrap(), Format::Csv);
    }

    #[test]
    fn sequences_with_and_without_qualities_are_told_by_content() {
        for name in ["a.fa", "a.fastq", "a.fq.gz"] {
            assert_eq!(sniff(name, b"@a\nacgt\n+\nIIII\n").unwrap(), Format::Fastq);
            assert_eq!(sniff(name, b">a\nacgt\n").unwrap(), Format::Fasta);
        }
        // What neither looks like is what it is called.
        assert_eq!(sniff("a.fq", b"a,b\n1,2\n").unwrap(), Format::Fastq);
        assert_eq!(sniff("a.fa", b"acgt\n>a\nacgt\n").unwrap(), Format::Fasta);
    }

    #[test]
    fn spaced_numbers_in_exponential_notation_are_series() {
        let line = "   1.0000000e+00  -6.4e-01  1.2e+00 3.1e+00 2.2e+00\n";
        assert_eq!(sniff("a.txt", line.as_bytes()).unwrap(), Format::Csv);
        let line = "   2.0000000e+00  -6.4788622e-01  1.2000000e+00   NaN 2.2000000e+00\n";
        assert_eq!(sniff("a.txt", line.as_bytes()).unwrap(), Format::Ucr);
        let line = "   2.5000000e+00  -6.4788622e-01  1.2000000e+00   NaN 2.2000000e+00\n";
        assert_eq!(sniff("a.txt", line.as_bytes()).unwrap(), Format::Csv);
    }

    #[test]
    fn a_class_and_many_decimal_numbers_are_a_series() {
        let values = "0.12 -1.5 2.25 1e-3 0.5 7 NaN 1.25";
        let series = format!("1 {values}\n2  {values}\n1 {values}\n2 {values} 0.5\n");
        assert_eq!(sniff("a.txt", series.as_bytes()).unwrap(), Format::Ucr);
        for table in [
            // A header; classes that do not repeat; fractions first; counts; few values; another separator.
            format!("c a b c d e f g h\n{series}"),
            format!("1 {values}\n2 {values}\n3 {values}\n"),
            series.replace("\n1 ", "\n1.5 "),
            "1 2 3 4 5 6 7 8 9\n1 2 3 4 5 6 7 8 9\n".to_owned(),
            "1 0.5 0.5\n1 0.5 0.5\n".to_owned(),
            series.replace(' ', ","),
        ] {
            assert_eq!(sniff("a.txt", table.as_bytes()).unwrap(), Format::Csv, "{table}");
        }
        let data = crate::read_bytes(Path::new("a.txt"), series.as_bytes(), &Options::default());
        // The gap in the middle of a series is refused, as in other files of series.
        assert_eq!(data.unwrap_err().code(), Code::TsMissing);
        let data =
            crate::read_bytes(Path::new("a.txt"), series.replace("NaN", "1").as_bytes(), &Options::default());
        assert_eq!(data.unwrap().warnings()[0].code, "W_UCR");
    }

    #[test]
    fn then_by_content() {
        assert_eq!(sniff("a", b"% hi\n\n@RELATION x\n").unwrap(), Format::Arff);
        assert_eq!(sniff("a.txt", b"# c\n+1 1:0.5 3:1\n-1 2:1\n0\n").unwrap(), Format::Libsvm);
        assert_eq!(sniff("a", b"# c\n@ProblemName x\n@data\n").unwrap(), Format::Ts);
        assert_eq!(sniff("a", b"a\tb\n1\t2\n").unwrap(), Format::Tsv);
        assert_eq!(sniff("a", b"a,b\n1,2\n").unwrap(), Format::Csv);
        assert_eq!(sniff("a", b"a;b\n1;2\n").unwrap(), Format::Csv);
        assert_eq!(sniff("a", b"1\n2\n").unwrap(), Format::Csv);
        assert_eq!(sniff("a.txt", b">id class=x\nacgt\n").unwrap(), Format::Fasta);
        assert_eq!(sniff("a.txt", b"{\"a\": 1}").unwrap(), Format::Json);
        assert_eq!(sniff("a", b"{a\": 1}").unwrap_err().code(), Code::Format);
    }

    #[test]
    fn text_named_like_an_archive_is_refused_by_what_it_is() {
        for (name, text, found) in [
            ("a.xlsx", "a,b\n1,2\n", "csv"),
            ("a.ods", "a\tb\n1\t2\n", "tsv"),
            ("a.npz", "+1 1:2\n", "libsvm"),
        ] {
            let error = sniff(name, text.as_bytes()).unwrap_err();
            assert_eq!(error.code(), Code::Format);
            assert!(
                error.to_string().contains(&format!("this is text, which looks like {found}")),
                "{error}"
            );
            assert!(error.hint().unwrap().contains(&format!("`format={found}`")));
        }
        assert_eq!(sniff("a.xlsx", b"").unwrap(), Format::Xlsx);
        assert_eq!(sniff("a.xlsx", b"\0\x01\x02").unwrap(), Format::Xlsx);
        let error = sniff("a.arrows", b"\xFF\xFF\xFF\xFF\x30\x01\0\0\x10\0\0\0").unwrap_err();
        assert!(error.to_string().contains("an Arrow stream"), "{error}");
    }

    #[test]
    fn a_given_format_is_used() {
        let options = Options { format: Some(Format::Tsv), ..Options::default() };
        assert_eq!(format(Path::new("a.csv"), b"\x93NUMPY", &options).unwrap(), Format::Tsv);
    }
}
