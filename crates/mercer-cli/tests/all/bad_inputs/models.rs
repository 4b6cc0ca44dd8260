//! Rows 59 to 65: models that are damaged, or of another version.

use crate::run::Folder;
use crate::trust::{Row, full};

const GOOD: &str = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.25\nlabel 1 -1\n\
                    nr_sv 1 1\nSV\n0.75 1:2 3:-1 \n-0.75 2:1.5 \n";

#[test]
fn rows_59_to_63_bad_models_of_libsvm() {
    let [more, negative, vast, nan, garbled] = [59, 60, 61, 62, 63].map(Row::new);
    let folder = Folder::new();
    folder.write("x.svm", "+1 1:2 3:-1\n-1 2:1\n");
    folder.write("good.model", GOOD);
    let run = folder.ok("predict good.model x.svm");
    assert_eq!((run.out.as_str(), run.err.as_str()), ("prediction\n1\n-1\n", "accuracy 1.0000 (2 of 2)\n"));
    assert!(folder.ok("inspect good.model").out.contains("rbf(gamma=0.5)"));
    for (row, from, to, code) in [
        (&more, "nr_sv 1 1", "nr_sv 1 7", "E_MODEL_COUNT"),
        (&more, "nr_sv 1 1", "nr_sv 7 1", "E_MODEL_COUNT"),
        (&negative, "total_sv 2", "total_sv -1", "E_MODEL_"),
        (&negative, "nr_sv 1 1", "nr_sv -1 3", "E_MODEL_"),
        (&vast, "total_sv 2", "total_sv 2000000000", "E_MODEL_COUNT"),
        (&vast, "nr_class 2", "nr_class 2000000000", "E_MODEL_"),
        (&nan, "2:1.5", "2:nan", "E_MODEL_NONFINITE"),
        (&nan, "-0.75 2", "inf 2", "E_MODEL_NONFINITE"),
        (&nan, "rho 0.25", "rho nan", "E_MODEL_NONFINITE"),
        (&garbled, "-0.75 2:1.5", "1 foo", "E_MODEL_SYNTAX"),
        (&garbled, "-0.75 2:1.5", "-0.75 2:", "E_MODEL_SYNTAX"),
        (&garbled, "-0.75 2:1.5", "-0.75 2 1.5", "E_MODEL_SYNTAX"),
    ] {
        folder.write("bad.model", GOOD.replace(from, to));
        for command in
            ["predict bad.model x.svm -o p.csv", "inspect bad.model", "convert bad.model -o n.mercer"]
        {
            let run = row.refused(&folder, command, "bad.model");
            assert!(run.err.contains(code), "{to}: {}", run.err);
        }
    }
}

#[test]
fn row_64_damaged_models() {
    let row = Row::new(64);
    let folder = Folder::new();
    folder.write("a.csv", "a,class\n1,p\n2,p\n3,q\n4,q\n");
    folder.ok("fit a.csv -k linear -o m.mercer");
    let good = folder.read("m.mercer");
    let step = good.len() / if full() { 400 } else { 23 };
    for (i, at) in (0..good.len()).step_by(step.max(1)).enumerate() {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (i % 8);
        folder.write("bad.mercer", &bytes);
        let run = row.refused(&folder, "predict bad.mercer a.csv -o p.csv", "bad.mercer E_MODEL_CHECKSUM");
        assert!(run.err.contains("hint:"));
        folder.write("bad.mercer", &good[..at]);
        row.refused(&folder, "predict bad.mercer a.csv -o p.csv", "bad.mercer E_");
    }
    row.refused(&folder, "inspect bad.mercer", "bad.mercer E_MODEL_CHECKSUM");
}

/// A model of a later version, made by raising the number and the checksum of a good one.
#[test]
fn row_65_models_of_later_versions() {
    let row = Row::new(65);
    let folder = Folder::new();
    folder.write("later.mercer", include_bytes!("../data/version-2.mercer"));
    folder.write("a.csv", "a,class\n1,p\n2,p\n3,q\n4,q\n");
    for command in
        ["predict later.mercer a.csv -o p.csv", "inspect later.mercer", "convert later.mercer -o n.model"]
    {
        let run = row.refused(&folder, command, "later.mercer E_MODEL_VERSION");
        assert!(
            run.err.contains("written by mercer '9.0.0'") && run.err.contains("hint: update"),
            "{}",
            run.err
        );
    }
}
