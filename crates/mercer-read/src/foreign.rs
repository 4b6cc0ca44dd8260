//! Recognises unsupported formats by their first bytes, so that the error can name them.
//!
//! A table reader accepts almost any text, and would read a file of another format as a meaningless table. The hint
//! says which format to save the data in instead.

#[cfg(any(feature = "archives", feature = "sheets"))]
use std::io::Cursor;
use std::path::Path;

use serde::de::IgnoredAny;

use super::Format;
use crate::error::{Code, Error, Place, Result};

const TABLE: &str = "save the table as CSV";
const UNPACK: &str = "unpack it first; gzip, zstd, bzip2 and xz are read directly";
const IMAGE: &str = "save it as PNG";
const GRAPH: &str = "save it as GraphML or GML";
const SEQUENCES: &str = "save it as FASTA";
const NOT_DATA: &str = "give the data file itself";
const MOLECULE: &str = "save the molecules as SDF";

/// Signatures at the start of a file: bytes, the format, the hint.
const SIGNATURES: [(&[u8], &str, &str); 40] = [
    (b"%PDF-", "a PDF document", TABLE),
    (b"%!PS", "a PostScript document", TABLE),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", "save the arrays with numpy.savez, or the table as CSV"),
    (b"MATLAB 5.0 MAT-file", "a MATLAB file", "save the arrays with numpy.savez, or the table as CSV"),
    (b"CDF\x01", "a NetCDF file", "save the arrays with numpy.savez"),
    (b"CDF\x02", "a NetCDF file", "save the arrays with numpy.savez"),
    (b"CDF\x05", "a NetCDF file", "save the arrays with numpy.savez"),
    (b"FEA1", "a Feather file of version 1", "save it again, as Feather of version 2, Parquet or CSV"),
    (
        b"\xFF\xFF\xFF\xFF",
        "an Arrow stream",
        "write it as a file, with pyarrow.feather.write_feather or pyarrow.ipc.new_file",
    ),
    (b"Obj\x01", "an Avro file", "save the table as Parquet or CSV"),
    (b"RDX2\n", "R data", "write.csv(x, 'data.csv', row.names = FALSE) saves a table"),
    (b"RDX3\n", "R data", "write.csv(x, 'data.csv', row.names = FALSE) saves a table"),
    (b"RDA2\n", "R data", "write.csv(x, 'data.csv', row.names = FALSE) saves a table"),
    (b"RDA3\n", "R data", "write.csv(x, 'data.csv', row.names = FALSE) saves a table"),
    (b"X\n\0\0\0", "R data", "write.csv(x, 'data.csv', row.names = FALSE) saves a table"),
    (b"B\n\x02\0\0\0", "R data", "write.csv(x, 'data.csv', row.names = FALSE) saves a table"),
    (b"B\n\x03\0\0\0", "R data", "write.csv(x, 'data.csv', row.names = FALSE) saves a table"),
    (
        b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
        "a Microsoft Office document (xls, doc, or one with a password)",
        "save the sheet as xlsx without a password, or as CSV",
    ),
    (b"<stata_dta>", "a Stata file", TABLE),
    (b"$FL2@(#)", "an SPSS file", TABLE),
    (b"$FL3@(#)", "an SPSS file", TABLE),
    (b"\0\0\0\0\0\0\0\0\0\0\0\0\xC2\xEA\x81\x60", "a SAS file", TABLE),
    (b"HEADER RECORD*******", "a SAS transport file", TABLE),
    (b"7z\xBC\xAF\x27\x1C", "a 7z archive", UNPACK),
    (b"Rar!\x1A\x07", "a RAR archive", UNPACK),
    (b"\x04\x22\x4D\x18", "an LZ4 archive", UNPACK),
    (b"II*\0", "a TIFF image", IMAGE),
    (b"MM\0*", "a TIFF image", IMAGE),
    (b"SIMPLE  =", "a FITS file", "save the arrays with numpy.savez"),
    (b"fLaC", "a FLAC audio file", "save the samples with numpy.save"),
    (b"OggS", "an Ogg audio file", "save the samples with numpy.save"),
    (b"ID3", "an MP3 audio file", "save the samples with numpy.save"),
    (b"\x7FELF", "a program", NOT_DATA),
    (b"{\\rtf", "an RTF document", TABLE),
    (b"@<TRIPOS>", "MOL2 molecules", MOLECULE),
    (b"CLUSTAL", "a Clustal alignment", SEQUENCES),
    (b"# STOCKHOLM", "a Stockholm alignment", SEQUENCES),
    (b"#NEXUS", "a Nexus file", SEQUENCES),
    (b"@HD\tVN:", "SAM alignments", SEQUENCES),
    (
        b"version https://git-lfs",
        "a Git LFS pointer, not the file itself",
        "run `git lfs pull` to download the file",
    ),
];

/// Returns an error that names the format if the file has a known unsupported format.
pub(super) fn refuse(name: &Path, bytes: &[u8]) -> Result<()> {
    match known(name, bytes) {
        None => Ok(()),
        Some((what, hint)) => {
            let reason = format!("this is {what}, which mercer cannot read");
            Err(Error::parse(Place::file(name), Code::Format, reason).with_hint(hint))
        }
    }
}

fn known(name: &Path, bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    if let Some((_, what, hint)) = SIGNATURES.iter().find(|(start, ..)| bytes.starts_with(start)) {
        // Text that happens to begin like a binary format is still text.
        if is_unambiguous(bytes) {
            return Some((what, hint));
        }
    }
    let at = |from: usize, what: &[u8]| bytes.get(from..from + what.len()) == Some(what);
    match bytes {
        [b'P', b'K', 3, 4, ..] => return archive(bytes),
        [0x80, 2..=5, .., b'.'] => {
            return Some((
                "a Python pickle",
                "save arrays with numpy.savez and tables with DataFrame.to_csv or to_parquet",
            ));
        }
        // Versions 8 to 12; later ones begin with a tag.
        [0x6C | 0x6E..=0x73, 1 | 2, 1, 0, ..] => return Some(("a Stata file", TABLE)),
        [b'O', b'R', b'C', third, ..] if !third.is_ascii_graphic() && is_binary(bytes) => {
            return Some(("an ORC file", "save the table as Parquet or CSV"));
        }
        [b'R', b'I', b'F', b'F', ..] if at(8, b"WAVE") => {
            return Some(("a WAV audio file", "save the samples with numpy.save"));
        }
        [b'M', b'Z', ..] if is_binary(bytes) => return Some(("a program", NOT_DATA)),
        _ => {}
    }
    if at(257, b"ustar") {
        return Some(("a tar archive", UNPACK));
    }
    if at(128, b"DICM") {
        return Some(("a DICOM image", IMAGE));
    }
    if at(4, b"ftyp") && is_binary(bytes) {
        return Some(("a video", NOT_DATA));
    }
    if at(8, b"{\"__metadata__\":{\"checksum\"") {
        return Some(("a mercer model", "use it with mercer predict or mercer inspect"));
    }
    if at(8, b"{\"") && is_binary(bytes) {
        return Some(("a safetensors file", "save the arrays with numpy.savez"));
    }
    text_format(name, bytes)
}

/// Signatures of four or fewer characters may also begin a text.
fn is_unambiguous(bytes: &[u8]) -> bool {
    !(bytes.starts_with(b"ID3") || bytes.starts_with(b"OggS") || bytes.starts_with(b"FEA1"))
        || is_binary(bytes)
}

fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(512).any(|b| b.is_ascii_control() && !b.is_ascii_whitespace())
}

/// The format of a zip archive: a spreadsheet by its members, otherwise an archive of arrays.
#[cfg(any(feature = "archives", feature = "sheets"))]
pub(super) fn zipped(bytes: &[u8]) -> Format {
    let archive = zip::ZipArchive::new(Cursor::new(bytes));
    match archive {
        Ok(archive) if archive.index_for_name("xl/workbook.xml").is_some() => Format::Xlsx,
        Ok(archive) if archive.index_for_name("content.xml").is_some() => Format::Ods,
        // The first members of a truncated file still say what it was.
        Err(_) if text_has(bytes.get(..512).unwrap_or(bytes), SHEETS) => Format::Ods,
        Err(_) if text_has(bytes.get(..4096).unwrap_or(bytes), b"[Content_Types].xml") => Format::Xlsx,
        _ => Format::Npz,
    }
}

/// Without these features any zip archive is rejected like an npz file.
#[cfg(not(any(feature = "archives", feature = "sheets")))]
pub(super) fn zipped(_bytes: &[u8]) -> Format {
    Format::Npz
}

/// Without these features, any zip archive is rejected like an npz file.
#[cfg(not(any(feature = "archives", feature = "sheets")))]
fn archive(_bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    None
}

/// The content of a zip archive, unless it holds NumPy arrays or a spreadsheet. If it cannot be opened, the npz reader reports why.
#[cfg(any(feature = "archives", feature = "sheets"))]
fn archive(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).ok()?;
    let names: Vec<String> = archive.file_names().filter_map(|n| Some(n.ok()?.into_owned())).collect();
    let has = |start: &str| names.iter().any(|n| n.starts_with(start));
    let ends = |end: &str| names.iter().any(|n| n.ends_with(end));
    if names.is_empty() || ends(".npy") {
        return None;
    }
    Some(match () {
        () if has("xl/workbook.xml") => return None,
        () if has("xl/") => ("an Excel workbook in binary form (xlsb)", "save it as xlsx or CSV"),
        () if has("word/") => ("a Word document", TABLE),
        () if has("ppt/") => ("a presentation", TABLE),
        () if has("content.xml") && is_spreadsheet(&mut archive) => return None,
        () if has("content.xml") && has("mimetype") => ("an OpenDocument text or drawing", TABLE),
        () if ends("data.pkl") => ("a PyTorch file", "save the arrays with numpy.savez"),
        () => ("a zip archive of several files", "unpack it first; an archive of one file is read directly"),
    })
}

/// A part of the type that an OpenDocument spreadsheet declares.
#[cfg(any(feature = "archives", feature = "sheets"))]
const SHEETS: &[u8] = b"opendocument.spreadsheet";

/// Whether an OpenDocument file declares to be a spreadsheet.
#[cfg(any(feature = "archives", feature = "sheets"))]
fn is_spreadsheet(archive: &mut zip::ZipArchive<Cursor<&[u8]>>) -> bool {
    use std::io::Read;
    let mut kind = Vec::new();
    let read =
        archive.by_name("mimetype").is_ok_and(|member| member.take(100).read_to_end(&mut kind).is_ok());
    read && text_has(&kind, SHEETS)
}

/// Maximum number of bytes examined in a text.
const HEAD: usize = 1 << 20;

/// Recognises text formats.
fn text_format(name: &Path, bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    let first = head.split(|b| matches!(b, b'\n' | b'\r')).next().unwrap_or(head);
    let begins =
        |word: &str| head.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()));
    let named = |part: &str| name.to_str().is_some_and(|n| n.to_ascii_lowercase().contains(part));
    match head.first()? {
        b'<' if ["<!doctype html", "<html", "<table", "<body", "<meta ", "<div"].into_iter().any(begins) => {
            return Some(("a web page", TABLE));
        }
        b'<' if begins("<?xml") || begins("<svg") => {
            // A file named .graphml with invalid content is left to the GraphML reader, which reports the position.
            let graphs = named(".graphml") || memchr::memmem::find(head, b"<graphml").is_some();
            return (!graphs).then_some(("XML", TABLE));
        }
        _ => {}
    }
    let text = |word: &str| first.starts_with(word.as_bytes());
    match () {
        () if text("svm_type ") => Some(("a LIBSVM model", "use it with mercer predict")),
        () if text("LOCUS   ") => Some(("a GenBank file", SEQUENCES)),
        () if text("ID   ") && text_has(head, b"\nSQ   ") => Some(("an EMBL file", SEQUENCES)),
        () if text("*Vertices") || text("*vertices") => Some(("a Pajek network", GRAPH)),
        () if (text("digraph") || text("graph") || text("strict "))
            && first.trim_ascii_end().ends_with(b"{") =>
        {
            Some(("a Graphviz graph (dot)", GRAPH))
        }
        () if text("data_") && text_has(head, b"\nloop_") => Some(("a CIF file", MOLECULE)),
        () if (text("HEADER  ") || text("ATOM  ") || text("REMARK ") || text("CRYST1"))
            && text_has(head, b"\nATOM  ") =>
        {
            Some(("a PDB file", MOLECULE))
        }
        () if text("##gff-version") => Some(("a GFF file", TABLE)),
        () if (text("%YAML") || first == b"---") && (named(".yaml") || named(".yml")) => {
            Some(("YAML", TABLE))
        }
        () => None,
    }
}

fn text_has(head: &[u8], what: &[u8]) -> bool {
    memchr::memmem::find(head, what).is_some()
}

/// Whether a text is one JSON array or object, or one per line. A table may also begin with a bracket, but continues
/// after the value.
pub(super) fn is_json(bytes: &[u8]) -> bool {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    if !matches!(head, [b'{' | b'[', ..]) {
        return false;
    }
    let mut values = serde_json::Deserializer::from_slice(head).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => {
            let rest = head.get(values.byte_offset()..).unwrap_or(&[]);
            let line = rest.trim_ascii_start();
            line.is_empty() || rest.len() > line.len() && matches!(line[0], b'{' | b'[')
        }
        // A value cut off at the end of the examined text may be valid, and records that are cut off are still JSON.
        Some(Err(e)) => {
            e.is_eof() && (bytes.len() > HEAD || head.starts_with(b"[{") || head.starts_with(b"{\""))
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::{Options, read_bytes};

    fn zipped(names: &[&str]) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for name in names {
            zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(b"x").unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn unsupported_formats_are_named_whatever_the_file_name() {
        let mut tar = vec![0u8; 512];
        tar[257..262].copy_from_slice(b"ustar");
        let files: Vec<(Vec<u8>, &str)> = vec![
            (zipped(&["[Content_Types].xml", "xl/workbook.bin"]), "xlsb"),
            (zipped(&["[Content_Types].xml", "word/document.xml"]), "Word"),
            (zipped(&["mimetype", "content.xml"]), "OpenDocument"),
            (zipped(&["archive/data.pkl", "archive/version"]), "PyTorch"),
            (zipped(&["a.csv", "b.csv"]), "a zip archive"),
            (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n".to_vec(), "Git LFS"),
            (b"%PDF-1.7\n1 2 3\n".to_vec(), "PDF"),
            (b"\x89HDF\r\n\x1a\n123".to_vec(), "HDF5"),
            (b"\x80\x04\x95\x01.".to_vec(), "pickle"),
            (b"X\n\0\0\0\x03".to_vec(), "R data"),
            (b"Obj\x01\x04\x14avro".to_vec(), "Avro"),
            (b"<stata_dta><header>".to_vec(), "Stata"),
            (b"r\x02\x01\x00\x14\x00".to_vec(), "Stata"),
            (b"FEA1\0\0".to_vec(), "Feather"),
            (b"\x7FELF\x02\x01".to_vec(), "program"),
            (b"MATLAB 5.0 MAT-file, Platform\0".to_vec(), "MATLAB"),
            (tar, "tar"),
            (b"{\"a\": [1, 2]}\n".to_vec(), "JSON"),
            (b"[[1, 2], [3, 4]]".to_vec(), "JSON"),
            (b"<!DOCTYPE html>\n<p>1,2</p>\n".to_vec(), "web page"),
            (b"<table border=\"1\">\n<tr><td>1</td></tr>\n".to_vec(), "web page"),
            (b"<?xml version=\"1.0\"?>\n<a/>\n".to_vec(), "XML"),
            (b"@<TRIPOS>MOLECULE\nx\n".to_vec(), "MOL2"),
            (b"digraph g {\n a -> b\n}\n".to_vec(), "Graphviz"),
            (b"svm_type c_svc\nkernel_type rbf\n".to_vec(), "LIBSVM"),
        ];
        for (bytes, what) in files {
            for name in ["a", "a.csv", "a.txt", "a.tsv", "a.dat"] {
                let error = read_bytes(Path::new(name), &bytes, &Options::default()).unwrap_err();
                assert_eq!(error.code(), Code::Format, "{what} as {name}: {error}");
                assert!(error.to_string().contains(what), "{what} as {name}: {error}");
                assert!(error.hint().is_some());
            }
        }
    }

    #[test]
    fn tables_with_similar_beginnings_are_read() {
        for text in [
            "[a],[b]\n1,2\n3,4\n",
            "{a},b\n1,2\n3,4\n",
            "ID3,x\n1,2\n2,3\n",
            "graph,b\n1,2\n3,4\n",
            "ORC,b\n1,2\n3,4\n",
            "data_a,b\n1,2\n3,4\n",
            "ID   ,b\n1,2\n3,4\n",
        ] {
            let data = read_bytes(Path::new("a.csv"), text.as_bytes(), &Options::default());
            assert_eq!(data.unwrap_or_else(|e| panic!("{text}: {e}")).len(), 2, "{text}");
        }
    }
}
