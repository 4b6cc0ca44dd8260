//! Rows 57 and 58: precomputed kernel matrices, and parameters.

use crate::make::{matrix, values, zip};
use crate::run::Folder;
use crate::trust::Row;

#[test]
fn row_57_kernel_matrices() {
    let row = Row::new(57);
    let folder = Folder::new();
    let cases: [(&str, usize, &[f64]); 6] = [
        ("E_K_SHAPE", 2, &[1.0, 0.5, 0.0, 0.5, 1.0, 0.0]),
        ("E_K_SHAPE", 3, &[1.0, 0.5, 0.0, 0.5, 1.0, 0.0]),
        ("E_K_SYMM", 2, &[1.0, 0.5, 0.4, 1.0]),
        ("E_K_SYMM", 2, &[1.0, 0.5, 0.5 + 2e-8, 1.0]),
        ("E_NONFINITE", 2, &[1.0, f64::NAN, f64::NAN, 1.0]),
        ("E_NONFINITE", 2, &[1.0, 0.0, 0.0, f64::INFINITY]),
    ];
    for (code, rows, values) in cases {
        folder.write("G.npy", matrix(rows, values));
        let expected = format!("G.npy {code} ");
        row.refused(&folder, "gram G.npy --precomputed -k precomputed -o K.npy -q", &expected);
        row.refused(&folder, "inspect G.npy --precomputed", &expected);
        row.refused(&folder, "inspect G.npy --as gram", &expected);
    }
    folder.write("G.npy", matrix(2, &[1.0, 2.0, 2.0, 1.0]));
    let run = row.refused(&folder, "inspect G.npy --require-psd", "G.npy E_K_PSD ");
    assert!(run.err.contains("-1.0000") && run.err.contains("hint: repair"), "{}", run.err);
    row.refused(&folder, "map G.npy --precomputed -k precomputed -o K.npy -q", "G.npy E_K_PSD ");
    // Eigenvalues 1 and -1, twice each: found while solving, checked for, and repaired.
    let bad = [0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0];
    let classes = matrix(4, &[0.0, 1.0, 0.0, 1.0]);
    folder.write("B.npz", zip(&[("x.npy", &matrix(4, &bad)), ("y.npy", &classes)]));
    for psd in ["", "--psd check"] {
        let args = format!("fit B.npz --precomputed -k precomputed -l svc -o n.mercer -q {psd}");
        let run = row.refused(&folder, &args, "B.npz E_K_PSD");
        assert!(run.err.contains("eigenvalues from -1.0000"), "{}", run.err);
    }
    for psd in ["clip", "shift", "flip"] {
        row.tried();
        folder.ok(&format!("fit B.npz --precomputed -k precomputed -l svc -o n.mercer -q --psd {psd}"));
    }
    row.tried();
    folder.ok("map G.npy --precomputed -k repair(precomputed,method=clip) -o K.npy -q");
    folder.write("G.csv", "1,0\n0,1\n");
    row.refused(&folder, "inspect G.csv --precomputed", "G.csv E_FORMAT ");
}

#[test]
fn row_58_parameters() {
    let row = Row::new(58);
    let folder = Folder::new();
    folder.write("a.csv", "a,class\n1,p\n2,p\n3,q\n4,p\n5,p\n");
    let gram = |kernel: &str, expected: &str| {
        row.refused(&folder, &format!("gram a.csv -k {kernel} -o K.npy -q"), expected)
    };
    for value in ["0", "-1", "nan", "inf"] {
        gram(&format!("rbf(gamma={value})"), &format!("kernel:1:11 E_PARAM gamma = {value}: must be"));
    }
    gram("linear+rbf(gamma=0)", "kernel:1:18 E_PARAM gamma = 0: must be a finite number above 0");
    gram("rbf(sigma=0)", "kernel:1:11 E_PARAM sigma = 0");
    gram("polynomial(degree=0)", "kernel:1:19 E_PARAM degree = 0: must be a whole number from 1 to 64");
    gram("polynomial(degree=1.5)", "kernel:1:19 E_PARAM degree = 1.5");
    gram("polynomial(degree=2,c=-1)", "kernel:1:23 E_PARAM c = -1");
    gram("spectrum(k=0)", "kernel:1:12 E_PARAM k = 0");
    let fit = |learner: &str, expected: &str| {
        row.refused(&folder, &format!("fit a.csv -k linear -l {learner} -o m.mercer -q"), expected)
    };
    for value in ["inf", "0", "-1", "nan"] {
        fit(&format!("svc(C={value})"), &format!("learner:1:7 E_PARAM C = {value}: must be"));
    }
    for value in ["0", "2", "-0.5"] {
        fit(&format!("nu-svc(nu={value})"), &format!("learner:1:11 E_PARAM nu = {value}: must be"));
    }
    fit("nu-svc(nu=0.9)", "E_NU nu = 0.9: must be at most 0.4 for classes of these sizes");
    fit("ridge(lambda=-1)", "learner:1:14 E_PARAM lambda = -1");
    fit("knn(k=0)", "learner:1:7 E_PARAM k = 0");
    // A geometric sum that has no value, and the largest decay that has one.
    let walks = "gram mutag -k random-walk(kind=geometric,decay=1) -o K.npy -q";
    let run = row.refused(&folder, walks, "E_DIVERGE decay = 1: the sum diverges; must be below ");
    let most = run.err.split("below ").nth(1).unwrap().split_whitespace().next().unwrap();
    assert!(most.parse::<f64>().unwrap() > 0.01 && most.parse::<f64>().unwrap() < 1.0, "{most}");
    // A value that overflows, with the pair that has it.
    folder.write("big.csv", "a,class\n3,p\n1e-200,q\n1e200,p\n2,q\n");
    for (kernel, pair) in
        [("polynomial(degree=2,c=1)", "(1, 3)"), ("linear", "(3, 3)"), ("polynomial(degree=40)", "")]
    {
        let run =
            row.refused(&folder, &format!("gram big.csv -k {kernel} -o K.npy -q"), "big.csv E_OVERFLOW ");
        assert!(run.err.contains(&format!("at entry {pair}")), "{}", run.err);
    }
    // No files are left that would prevent other work.
    row.tried();
    folder.ok("gram big.csv -k minmax(linear) -o K.npy -q");
    assert!(values(&folder.read("K.npy")).2.iter().all(|v| v.is_finite()));
}
