//! Rows 44 to 50: sequences and time series.

use super::SERIES;
use crate::make::values;
use crate::run::Folder;
use crate::trust::Row;

#[test]
fn rows_44_to_46_sequences() {
    let [header, names, symbols] = [44, 45, 46].map(Row::new);
    for (row, content, expected) in [
        (&header, "acgt\n>a\nacgt\n", "a.fasta:1:1 E_FASTA_HEADER 'acgt' before the first '>'"),
        (&header, "\n\nacgt\n>a\nacgt\n", "a.fasta:3:1 E_FASTA_HEADER "),
        (&names, ">a\nac\n>b\n>c\nac\n", "a.fasta:3:1 E_SEQ_EMPTY no sequence for 'b'"),
        (&names, ">a\nac\n>b\n", "a.fasta:3:1 E_SEQ_EMPTY no sequence for 'b'"),
        (&names, ">a\nac\n>b\nac\n>a\nac\n", "a.fasta:5:1 E_SEQ_DUP duplicate sequence name 'a'"),
        (&symbols, ">a\nacgt\nac-t\n", "a.fasta:3:3 E_ALPHABET '-' in 'a' is not in the alphabet dna"),
        (&symbols, ">a\nMKVLE*\n", "a.fasta:2:6 E_ALPHABET '*' in 'a' is not in the alphabet protein"),
        (&symbols, ">a\nac1\n", "a.fasta:2:3 E_ALPHABET '1' in 'a' is not in the alphabet dna"),
    ] {
        let folder = Folder::new();
        folder.write("a.fasta", content);
        row.refused(&folder, "inspect a.fasta", expected);
        row.refused(&folder, "gram a.fasta -k spectrum(k=2) -o K.npy", expected);
    }
}

#[test]
fn row_47_strings_shorter_than_a_k_mer() {
    let row = Row::new(47);
    let folder = Folder::new();
    folder.write("a.fasta", ">a\nacgtt\n>b\nac\n>c\nacgta\n");
    let run = folder.ok("gram a.fasta -k normalize(spectrum(k=4)) -o K.npy");
    row.tried();
    assert!(run.err.contains("W_SHORT 1 of 3 strings have fewer than 4 symbols"), "{}", run.err);
    let expected = [1.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 1.0];
    let found = values(&folder.read("K.npy")).2;
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{found:?}");
    row.tried();
    let run = folder.ok("gram a.fasta -k spectrum(k=4) -o K.npy");
    assert!(run.err.contains("W_SHORT"), "{}", run.err);
    assert_eq!(values(&folder.read("K.npy")).2, [2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 2.0]);
}

#[test]
fn rows_48_and_49_time_series() {
    let [header, gaps] = [48, 49].map(Row::new);
    let folder = Folder::new();
    let refused = |row: &Row, content: &str, kernel: &str, expected: &str| {
        folder.write("a.ts", content);
        row.refused(&folder, &format!("gram a.ts -k {kernel} -o K.npy -q"), expected);
    };
    refused(&header, "@univariate true\n1,2:up\n", "dtw", "a.ts:2:1 E_TS_HEADER ");
    refused(&header, &SERIES.replace("@data\n", ""), "dtw", "a.ts:3:1 E_TS_HEADER ");
    refused(&header, "@univariate true\n@classLabel false\n", "dtw", "a.ts");
    refused(&header, &SERIES.replace("1:down", "1:left"), "dtw", "a.ts:5:5 E_TS_LABEL ");
    refused(&gaps, &SERIES.replace("2,3", "?,3"), "dtw", "a.ts:4:3 E_TS_MISSING ");
    refused(&gaps, SERIES, "series-euclidean", "E_TS_LENGTH object 2: ");
    folder.write("a.ts", SERIES.replace("2,3", "?,3"));
    let kept = "gram a.ts -k dtw -o K.npy -q --series-missing keep";
    gaps.refused(&folder, kept, "E_TS_MISSING object 1: ");
    gaps.tried();
    folder.ok("gram a.ts -k dtw -o K.npy -q --series-missing interpolate");
}

#[test]
fn row_50_constant_series() {
    let row = Row::new(50);
    let folder = Folder::new();
    folder.write("a.ts", "@univariate true\n@classLabel false\n@data\n5,5,5\n1,2,3\n");
    for kernel in ["znormalize(dtw)", "znormalize(series-euclidean)"] {
        row.tried();
        let run = folder.ok(&format!("gram a.ts -k {kernel} -o K.npy"));
        assert!(run.err.contains("W_CONSTANT"), "{}", run.err);
        assert!(values(&folder.read("K.npy")).2.iter().all(|v| v.is_finite()), "{kernel}");
    }
}
