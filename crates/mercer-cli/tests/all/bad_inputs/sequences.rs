//! Rows 44 to 50 and 85 to 87: sequences and time series.

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

#[test]
fn row_85_sequences_with_qualities() {
    let row = Row::new(85);
    for (content, expected) in [
        ("@a\nACGT\n+\nIIII\n@b\nAC\n+\n", "a.fastq:5:1 E_TRUNCATED the file ends within 'b'"),
        ("@a\nACGT\n+\nIIII\n@b\n", "a.fastq:5:1 E_TRUNCATED the file ends within 'b'"),
        ("@a\nACGT\n+\nIII\n", "a.fastq:4:1 E_SYNTAX 3 quality scores for 4 symbols"),
        ("@a\nACGT\nACGT\n+\nIIIIIIII\n", "a.fastq:3:1 E_SYNTAX expected '+', got 'ACGT'"),
        (
            "@a\nACGT\n+\nIIII\nb\nAC\n+\nII\n",
            "a.fastq:5:1 E_FASTA_HEADER expected a header '@name', got 'b'",
        ),
        ("@\nACGT\n+\nIIII\n", "a.fastq:1:1 E_FASTA_HEADER "),
        ("@a\n\n+\n\n@b\nA\n+\nI\n", "a.fastq:1:1 E_SEQ_EMPTY no sequence for 'a'"),
        ("@a\nAC\n+\nII\n@a\nA\n+\nI\n", "a.fastq:5:1 E_SEQ_DUP duplicate sequence name 'a'"),
        ("@a\nAC-T\n+\nIIII\n", "a.fastq:2:3 E_ALPHABET '-' in 'a'"),
    ] {
        row.bad("a.fastq", content, expected);
    }
    // The content counts, not the name.
    for name in ["a.fasta", "a.fastq"] {
        let folder = Folder::new();
        folder.write(name, "@a\nACGT\n+\nIIII\n@b\nAC\n+\nII\n");
        let seen = folder.ok(&format!("inspect {name}"));
        assert!(seen.out.contains("2 objects") && seen.err.contains("W_QUALITY"), "{}", seen.err);
        folder.write(name, ">a\nACGT\n>b\nAC\n");
        row.tried();
        let seen = folder.ok(&format!("inspect {name}"));
        assert!(seen.out.contains("2 objects") && !seen.err.contains("W_QUALITY"), "{}", seen.err);
    }
}

#[test]
fn row_86_two_files_and_classes_in_headers() {
    let row = Row::new(86);
    let folder = Folder::new();
    folder.write("a.fa", ">x\nACGT\n>y\nACTT\n");
    folder.write("rna.fa", ">z\nACGU\n");
    folder.write("table.csv", "a,b\n1,2\n");
    folder.write("empty.fa", "");
    let gram = |args: &str| format!("gram {args} -k spectrum(k=2) -o K.npy -q");
    for (negative, expected) in [
        ("rna.fa", "rna.fa E_ALPHABET rna sequences, but dna in a.fa"),
        ("table.csv", "table.csv E_FORMAT not a file of sequences"),
        ("empty.fa", "empty.fa E_EMPTY "),
        ("none.fa", "none.fa E_IO_OPEN "),
    ] {
        row.refused(&folder, &gram(&format!("--positive a.fa --negative {negative}")), expected);
    }
    // A class that some headers lack, and headers of which one repeats.
    folder.write("b.fa", ">x up\nACGT\n>y\nACTT\n");
    row.refused(
        &folder,
        &gram("b.fa --class-in-header 2"),
        "b.fa:3:1 E_LABEL the header of 'y' has no class",
    );
    folder.write("c.fa", ">1\nAC\n>1\nAG\n>0 x\nAT\n");
    let run = row.refused(&folder, &gram("c.fa"), "c.fa:3:1 E_SEQ_DUP duplicate sequence name '1'");
    assert!(run.err.contains("  hint: ") && run.err.contains("--class-in-header 1"), "{}", run.err);
}

#[test]
fn row_87_series_of_the_ucr_archive() {
    let row = Row::new(87);
    let values = "0.12 -1.5 2.25 1e-3 0.5 7.5 0.25 1.25";
    let good = format!("1 {values}\n2  {values}\n1 {values}\n2 {values}\n");
    for (name, content, expected) in [
        ("A_TRAIN.txt", good.replacen("2.25", "x", 1), "A_TRAIN.txt:1:13 E_NUMBER "),
        ("A_TRAIN.txt", good.replacen("2.25", "1e999", 1), "A_TRAIN.txt:1:13 E_OVERFLOW "),
        ("A_TRAIN.txt", good.replacen("2.25", "inf", 1), "A_TRAIN.txt:1:13 E_NONFINITE "),
        ("A_TRAIN.txt", good.replacen("2.25", "NaN", 1), "A_TRAIN.txt:1:13 E_TS_MISSING "),
        ("a.txt", good.replacen("2.25", "NaN", 1), "a.txt:1:13 E_TS_MISSING "),
        ("A_TRAIN.tsv", format!("?\t0.5\n{good}"), "A_TRAIN.tsv:1:1 E_LABEL "),
        ("a.txt", good.replace("\n1 ", "\n1.5 "), "a.txt:1:1 E_FORMAT numbers separated by varying"),
    ] {
        row.bad(name, content, expected);
    }
    // Series of the archive are told by their content; one that is no number makes it another table.
    let folder = Folder::new();
    folder.write("a.txt", &good);
    row.tried();
    assert!(folder.ok("inspect a.txt").err.contains("W_UCR"));
}
