use std::path::Path;

use super::*;

fn read(text: &str, sequences: SequenceOptions) -> Result<Dataset> {
    let options = Options { sequences, ..Options::default() };
    crate::read_bytes(Path::new("a.fasta"), text.as_bytes(), &options)
}

fn strings(data: &Dataset) -> Vec<&str> {
    match &data.column(SEQUENCE).unwrap().values {
        Values::Strings(all) => all.iter().map(|s| s.as_deref().unwrap()).collect(),
        other => panic!("{}", other.kind()),
    }
}

fn classes(data: &Dataset) -> Vec<String> {
    match data.target() {
        Some(Target::Classes(c)) => (0..c.len()).map(|i| c.get(i).unwrap().to_owned()).collect(),
        other => panic!("{other:?}"),
    }
}

fn fault(text: &str) -> (Code, u64, u64) {
    match read(text, SequenceOptions::default()).unwrap_err() {
        Error::Parse { place, code, .. } => (code, place.line, place.column),
        other => panic!("{other}"),
    }
}

#[test]
fn sequences_over_many_lines() {
    let data =
        read("; a comment\n>a first\nacgt\nAC gT\n\n>b|x\r\nNNNN\n", SequenceOptions::default()).unwrap();
    assert_eq!(strings(&data), ["ACGTACGT", "NNNN"]);
    assert_eq!(data.ids().unwrap(), ["a", "b|x"]);
    let keep = SequenceOptions { keep_case: true, ..SequenceOptions::default() };
    assert_eq!(strings(&read(">a\nacGT\n", keep).unwrap()), ["acGT"]);
}

#[test]
fn sequences_with_quality_scores() {
    let read = |text: &str| crate::read_bytes(Path::new("a.fastq"), text.as_bytes(), &Options::default());
    // Quality scores may begin like headers.
    let data = read("@a class=x\nacGT\n+a\n@@+I\n\n@b class=y\nACGN\n+\nIIII\n").unwrap();
    assert_eq!(strings(&data), ["ACGT", "ACGN"]);
    assert_eq!(data.ids().unwrap(), ["a", "b"]);
    assert_eq!(classes(&data), ["x", "y"]);
    assert_eq!(data.warnings().iter().map(|w| w.code).collect::<Vec<_>>(), ["W_CASE", "W_QUALITY"]);
    let code = |text: &str| read(text).unwrap_err().code();
    assert_eq!(code("@a\nACGT\n+\nIII\n"), Code::Syntax);
    assert_eq!(code("@a\nACGT\n+\n"), Code::Truncated);
    assert_eq!(code("@a\nACGT\nACGT\n+\nIIIIIIII\n"), Code::Syntax);
    assert_eq!(code("a\nACGT\n+\nIIII\n"), Code::FastaHeader);
    assert_eq!(code("@a\n\n+\n\n@b\nA\n+\nI\n"), Code::SequenceEmpty);
    assert_eq!(code("@a\nAC\n+\nII\n@a\nA\n+\nI\n"), Code::SequenceDup);
}

#[test]
fn headers_that_repeat_are_the_classes() {
    let text = ">1\nACG\n>1\nACC\n>0\nAC\n>0\nGGG\n>1\nTT\n";
    let data = read(text, SequenceOptions::default()).unwrap();
    assert_eq!((classes(&data).join(""), data.ids()), ("11001".into(), None));
    assert_eq!(data.warnings()[0].code, "W_HEADERS");
    assert!(data.warnings()[0].message.contains("1"));
    let no_target = Options { no_target: true, ..Options::default() };
    let data = crate::read_bytes(Path::new("a.fa"), text.as_bytes(), &no_target).unwrap();
    assert!(data.target().is_none());
    // One name that occurs twice is a mistake.
    assert_eq!(fault(">a\nAC\n>b\nAC\n>c\nAC\n>a\nAC\n").0, Code::SequenceDup);
    assert_eq!(fault(">a x\nAC\n>a y\nAC\n").0, Code::SequenceDup);
}

#[test]
fn lower_case_is_said_aloud() {
    let data = read(">a\nacGT\n>b\nACGT\n", SequenceOptions::default()).unwrap();
    assert_eq!(data.warnings()[0].code, "W_CASE");
    assert!(data.warnings()[0].message.contains("1 of 2"));
    let keep = SequenceOptions { keep_case: true, ..SequenceOptions::default() };
    assert!(read(">a\nacGT\n", keep).unwrap().warnings().is_empty());
    assert!(read(">a\nACGT\n", SequenceOptions::default()).unwrap().warnings().is_empty());
}

#[test]
fn two_files_for_two_classes() {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        std::fs::write(dir.path().join(name), text).unwrap();
        dir.path().join(name)
    };
    let a = put("a.fa", ">x\nACG\n>y\nAC\n");
    let both = |positive: &Path, negative: &Path, class: Option<ClassInHeader>| {
        let two = Some((positive.to_owned(), negative.to_owned()));
        let sequences = SequenceOptions { two, class, ..SequenceOptions::default() };
        crate::read(Path::new("both"), &Options { sequences, ..Options::default() })
    };
    let with = |positive: &Path, negative: &Path| both(positive, negative, None);
    let data = with(&a, &put("b.fa", ">z\nGGG\n")).unwrap();
    assert_eq!(strings(&data), ["ACG", "AC", "GGG"]);
    assert_eq!(classes(&data), ["positive", "positive", "negative"]);
    assert_eq!(data.ids().unwrap(), ["x", "y", "z"]);
    // The same names in both files: no names.
    assert_eq!(with(&a, &put("c.fa", ">x\nGGG\n")).unwrap().ids(), None);
    assert_eq!(with(&a, &put("d.fa", ">r\nACGU\n")).unwrap_err().code(), Code::Alphabet);
    assert_eq!(with(&a, &put("t.csv", "a,b\n1,2\n")).unwrap_err().code(), Code::Format);
    assert_eq!(with(&a, &dir.path().join("none.fa")).unwrap_err().code(), Code::IoOpen);
    assert_eq!(both(&a, &a, Some(ClassInHeader::Last)).unwrap_err().code(), Code::Usage);
}

#[test]
fn rows_44_to_46() {
    assert_eq!(fault("acgt\n>a\nacgt\n"), (Code::FastaHeader, 1, 1));
    assert_eq!(fault(">\nacgt\n"), (Code::FastaHeader, 1, 1));
    assert_eq!(fault(">a\nac\n>b\n>c\nac\n"), (Code::SequenceEmpty, 3, 1));
    assert_eq!(fault(">a\nac\n>b\n"), (Code::SequenceEmpty, 3, 1));
    assert_eq!(fault(">a\nac\n>b\nac\n>a again\nac\n"), (Code::SequenceDup, 5, 1));
    assert_eq!(fault(">a\nacgt\nac-t\n"), (Code::Alphabet, 3, 3));
    assert_eq!(fault(">a\nMKV*\n"), (Code::Alphabet, 2, 4));
    assert_eq!(fault(">a\nac1\n"), (Code::Alphabet, 2, 3));
    let dna = SequenceOptions { alphabet: Some(Alphabet::Dna), ..SequenceOptions::default() };
    assert_eq!(read(">a\nacE\n", dna).unwrap_err().code(), Code::Alphabet);
    let any = SequenceOptions { alphabet: Some(Alphabet::Unicode), ..SequenceOptions::default() };
    assert_eq!(strings(&read(">a\nMK*-1é\n", any).unwrap()), ["MK*-1é"]);
}

#[test]
fn classes_in_headers() {
    let text = ">a class=yes len=3\nacg\n>b class=no\nacg\n";
    assert_eq!(classes(&read(text, SequenceOptions::default()).unwrap()), ["yes", "no"]);
    let by = |class| SequenceOptions { class: Some(class), ..SequenceOptions::default() };
    let text = ">a|EI|x\nacg\n>b|IE y\nacg\n";
    assert_eq!(classes(&read(text, by(ClassInHeader::Piece(2))).unwrap()), ["EI", "IE"]);
    assert_eq!(classes(&read(text, by(ClassInHeader::Last)).unwrap()), ["x", "y"]);
    assert_eq!(read(text, by(ClassInHeader::Piece(4))).unwrap_err().code(), Code::Label);
    let data = read(">1\nacg\n>0\nac\n>1\nggg\n", by(ClassInHeader::Piece(1))).unwrap();
    assert_eq!((classes(&data), data.ids()), (vec!["1".into(), "0".into(), "1".into()], None));
    assert_eq!(read(text, by(ClassInHeader::Key("kind".into()))).unwrap_err().code(), Code::Label);
    assert!(read(text, SequenceOptions::default()).unwrap().target().is_none());
}

#[test]
fn a_table_is_joined_by_id() {
    let dir = tempfile::tempdir().unwrap();
    let table = dir.path().join("t.csv");
    std::fs::write(&table, "id,length,class\nb,2,no\na,3,yes\nz,9,yes\n").unwrap();
    let with =
        |text: &str| read(text, SequenceOptions { table: Some(table.clone()), ..SequenceOptions::default() });
    let data = with(">a\nacg\n>b\nac\n").unwrap();
    assert_eq!(classes(&data), ["yes", "no"]);
    assert_eq!(data.columns().len(), 2);
    assert_eq!(data.ids().unwrap(), ["a", "b"]);
    assert_eq!(data.warnings()[0].code, "W_UNUSED_ROWS");
    assert_eq!(with(">q\nacg\n").unwrap_err().code(), Code::Missing);
    std::fs::write(&table, "id,class\na,no\na,yes\n").unwrap();
    assert_eq!(with(">a\nacg\n").unwrap_err().code(), Code::SequenceDup);
}
