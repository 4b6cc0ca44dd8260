use proptest::prelude::*;

use super::*;
use crate::error::{Code, Error};

const HEAD: &str = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 3\nrho 0.25\nlabel 1 -1\n\
                    probA -1.5\nprobB 0.125\nnr_sv 1 2\nSV\n";
const BODY: &str = "1 1:0.5 3:-2 \n-0.5 2:1e-3 \n-0.5 1:0 4:0.1 \n";

fn good() -> String {
    format!("{HEAD}{BODY}")
}

fn load(text: &str) -> Result<LibsvmModel> {
    LibsvmModel::from_bytes("svm.model", text.as_bytes())
}

fn bad(text: &str, code: Code, line: u64, column: u64) {
    match load(text).unwrap_err() {
        Error::Parse { place, code: found, reason, .. } => {
            assert_eq!((found, place.line, place.column), (code, line, column), "{reason}\n{text}");
        }
        other => panic!("{other}"),
    }
}

fn with(from: &str, to: &str) -> String {
    let text = good();
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

#[test]
fn a_model() {
    let m = load(&good()).unwrap();
    assert_eq!((m.svm_type, m.kernel_type, m.nr_class), (SvmType::CSvc, KernelType::Rbf, 2));
    assert_eq!((m.gamma, m.degree, m.coef0), (Some(0.5), None, None));
    assert_eq!((m.label.as_deref(), m.nr_sv.as_deref()), (Some(&[1, -1][..]), Some(&[1, 2][..])));
    assert_eq!(m.coefficients, [[1.0, -0.5, -0.5]]);
    let Support::Vectors { vectors, index_base: 1 } = &m.support else { panic!() };
    assert_eq!((vectors.dim(), vectors.row(2)), (4, (&[0, 3][..], &[0.0, 0.1][..])));
    assert_eq!(load(&m.to_text().unwrap()).unwrap(), m);
    assert_eq!(load(&good().replace('\n', "\r\n")).unwrap(), m);
    assert_eq!(load(&format!("{}\n \n", good())).unwrap(), m);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m");
    m.write(&path).unwrap();
    assert_eq!(LibsvmModel::read(&path).unwrap(), m);
}

#[test]
fn rows_59_to_61_counts() {
    bad(&with("nr_sv 1 2", "nr_sv 1 3"), Code::ModelCount, 10, 6);
    bad(&with("nr_sv 1 2", "nr_sv 900 1"), Code::ModelCount, 10, 6);
    bad(&with("nr_sv 1 2", "nr_sv 18446744073709551615 4"), Code::ModelCount, 10, 6);
    bad(&with("total_sv 3", "total_sv -1"), Code::ModelSyntax, 5, 10);
    bad(&with("total_sv 3", "total_sv 2000000000"), Code::ModelCount, 10, 6);
    let both = with("total_sv 3", "total_sv 2000000000").replace("nr_sv 1 2", "nr_sv 1 1999999999");
    bad(&both, Code::ModelCount, 5, 9);
    bad(&with("total_sv 3", "total_sv 2e9"), Code::ModelSyntax, 5, 10);
    bad(&with("total_sv 3", "total_sv 2").replace("nr_sv 1 2", "nr_sv 1 1"), Code::ModelCount, 14, 1);
}

#[test]
fn row_62_values_that_are_not_finite() {
    bad(&with("3:-2", "3:nan"), Code::ModelNonFinite, 12, 9);
    bad(&with("3:-2", "3:-inf"), Code::ModelNonFinite, 12, 9);
    bad(&with("3:-2", "3:1e999"), Code::ModelNonFinite, 12, 9);
    bad(&with("-0.5 2", "nan 2"), Code::ModelNonFinite, 13, 1);
    bad(&with("rho 0.25", "rho -nan"), Code::ModelNonFinite, 6, 5);
    bad(&with("gamma 0.5", "gamma inf"), Code::ModelNonFinite, 3, 7);
}

#[test]
fn row_63_garbled_lines() {
    bad(&with("-0.5 2:1e-3", "1 foo"), Code::ModelSyntax, 13, 3);
    for (token, column) in
        [("2:", 6), (":1", 6), ("-2:1", 6), ("2.5:1", 6), ("2:1:1", 6), ("2:1,5", 6), ("+2:1", 6)]
    {
        bad(&with("2:1e-3", token), Code::ModelSyntax, 13, column);
    }
    bad(&with("1:0.5 3:-2", "3:0.5 3:-2"), Code::ModelSyntax, 12, 9);
    bad(&with("1:0.5 3:-2", "4:0.5 3:-2"), Code::ModelSyntax, 12, 9);
    bad(&with("-0.5 2:1e-3 ", ""), Code::ModelSyntax, 13, 1);
    bad(&with("-0.5 2:1e-3", "2:1e-3"), Code::ModelSyntax, 13, 1);
    bad(&with("2:1e-3", "2147483647:1"), Code::DimLimit, 13, 6);
    bad(&with("2:1e-3", "99999999999:1"), Code::ModelSyntax, 13, 6);
}

#[test]
fn headers() {
    for (key, line) in HEAD.lines().map(|l| (l.split(' ').next().unwrap(), l)) {
        if key.starts_with("prob") {
            assert!(load(&with(&format!("{line}\n"), "")).is_ok(), "{key}");
        } else if key != "SV" {
            bad(&with(&format!("{line}\n"), ""), Code::ModelSyntax, 0, 0);
        }
        assert!(load(&with(&format!("{line}\n"), &format!("{line}\n{line}\n"))).is_err(), "{key}");
    }
    bad(&with("c_svc", "d_svc"), Code::ModelSyntax, 1, 10);
    bad(&with("rbf", "RBF"), Code::ModelSyntax, 2, 13);
    bad(&with("gamma 0.5", "gamma"), Code::ModelSyntax, 3, 6);
    bad(&with("gamma 0.5", "gamma 1 2"), Code::ModelSyntax, 3, 9);
    bad(&with("gamma", "delta"), Code::ModelSyntax, 3, 1);
    bad(&with("rho 0.25", "rho 0.25 1"), Code::ModelCount, 6, 4);
    bad(&with("rho 0.25", "rho"), Code::ModelCount, 6, 4);
    bad(&with("label 1 -1", "label 1"), Code::ModelCount, 7, 6);
    bad(&with("label 1 -1", "label 1 1"), Code::ModelSyntax, 7, 6);
    bad(&with("label 1 -1", "label 1 x"), Code::ModelSyntax, 7, 9);
    bad(&with("nr_class 2", "nr_class 0"), Code::ModelCount, 4, 9);
    bad(&with("nr_class 2", "nr_class 4000000000"), Code::ModelCount, 7, 6);
    bad(&with("nr_class 2", "nr_class 18446744073709551615"), Code::ModelCount, 7, 6);
    bad(&with("rbf", "polynomial"), Code::ModelSyntax, 0, 0);
    bad(&with("c_svc", "epsilon_svr").replace("nr_class 2", "nr_class 3"), Code::ModelCount, 4, 9);
    assert_eq!(load("").unwrap_err().code(), Code::Empty);
    assert_eq!(load(good().trim_end_matches('\n')).unwrap_err().code(), Code::Truncated);
}

#[test]
fn every_truncation_is_refused() {
    let text = good();
    for at in 0..text.len() {
        assert!(load(&text[..at]).is_err(), "cut at {at}");
    }
}

#[test]
fn other_svm_types() {
    let regression = "svm_type nu_svr\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\nrho -1\nprobA 0.3\nSV\n\
                      1 0:3 \n-1 0:1 \n";
    let m = load(regression).unwrap();
    assert_eq!(m.support, Support::Serial(vec![3, 1]));
    assert_eq!(load(&m.to_text().unwrap()).unwrap(), m);
    for serial in ["0:0", "0:1.5", "1:1", "0:-1", "0:1 2:3", "", "0:", "0:4294967297"] {
        let text = regression.replace("0:3", serial);
        assert_eq!(load(&text).unwrap_err().code(), Code::ModelSyntax, "{serial}");
    }
    let one = "svm_type one_class\nkernel_type polynomial\ndegree 3\ngamma 0.5\ncoef0 0\nnr_class 2\ntotal_sv 1\n\
               rho 1\nprob_density_marks 0 1 2 3 4 5 6 7 8 9\nSV\n1 0:1 2:3 \n";
    let m = load(one).unwrap();
    assert!(matches!(&m.support, Support::Vectors { vectors, index_base: 0 } if vectors.dim() == 3));
    assert_eq!((m.degree, m.prob_density_marks.as_ref().map(Vec::len)), (Some(3), Some(10)));
    assert_eq!(load(&m.to_text().unwrap()).unwrap(), m);
    assert_eq!(load(&one.replace(" 9\n", "\n")).unwrap_err().code(), Code::ModelCount);
    let single = "svm_type c_svc\nkernel_type linear\nnr_class 1\ntotal_sv 0\nrho\nlabel 7\nnr_sv 0\nSV\n";
    let m = load(single).unwrap();
    assert_eq!((m.total_sv(), m.coefficients.len()), (0, 0));
    assert_eq!(load(&m.to_text().unwrap()).unwrap(), m);
}

#[test]
fn a_model_written_by_libsvm_3_37() {
    let text = "svm_type c_svc\nkernel_type rbf\ngamma 0.33333333333333331\nnr_class 3\ntotal_sv 6\n\
                rho -0.00406646728515625 0.021252915263175992 -0.040402770042419434\nlabel 1 2 3\nnr_sv 2 2 2\nSV\n\
                1 1 1:0.1 3:1 \n1 0.65771059294289858 1:0.2 3:1.1 \n-1 1 2:0.7 \n-1 1 2:0.9 \n\
                -1 -1 1:-1 2:0.3 \n-0.65771059294289858 -1 1:-1.2 \n";
    let m = load(text).unwrap();
    assert_eq!((m.nr_class, m.total_sv(), m.gamma), (3, 6, Some(1.0 / 3.0)));
    assert_eq!(m.coefficients[1], [1.0, 0.6577105929428986, 1.0, 1.0, -1.0, -1.0]);
    assert_eq!(load(&m.to_text().unwrap()).unwrap(), m);
}

#[test]
fn inconsistent_models_are_not_written() {
    let m = load(&good()).unwrap();
    let refused = |change: &dyn Fn(&mut LibsvmModel)| {
        let mut m = m.clone();
        change(&mut m);
        assert_eq!(m.to_text().unwrap_err().code(), Code::Usage, "{m:?}");
    };
    refused(&|m| m.rho.push(1.0));
    refused(&|m| m.rho[0] = f64::NAN);
    refused(&|m| m.coefficients[0][1] = f64::INFINITY);
    refused(&|m| m.coefficients[0].push(1.0));
    refused(&|m| m.coefficients.clear());
    refused(&|m| m.label = None);
    refused(&|m| m.label = Some(vec![1, 1]));
    refused(&|m| m.nr_sv = Some(vec![usize::MAX, 4]));
    refused(&|m| m.nr_class = 0);
    refused(&|m| m.gamma = None);
    refused(&|m| m.kernel_type = KernelType::Precomputed);
    refused(&|m| m.support = Support::Serial(vec![1, 2, 3]));
    refused(&|m| m.prob_a = Some(vec![]));
    refused(&|m| m.prob_density_marks = Some(vec![0.0]));
}

proptest! {
    #[test]
    fn numbers_round_trip(v in prop::collection::vec(any::<f64>().prop_filter("finite", |v| v.is_finite()), 8)) {
        let mut m = load(&good()).unwrap();
        m.gamma = Some(v[0]);
        m.rho = vec![v[1]];
        m.prob_a = Some(vec![v[2]]);
        m.coefficients = vec![v[2..5].to_vec()];
        let vectors = Sparse::from_rows(6, &[vec![(0, v[5]), (5, v[6])], vec![], vec![(2, v[7])]]).unwrap();
        m.support = Support::Vectors { vectors, index_base: 1 };
        let text = m.to_text().unwrap();
        let again = load(&text).unwrap();
        prop_assert_eq!(again.to_text().unwrap(), text);
        prop_assert_eq!(again, m);
    }

    #[test]
    fn any_change_gives_a_model_or_an_error(
        edits in prop::collection::vec((0usize..300, prop::sample::select(b"\n :-0129.enSV\xFF\x00\r".to_vec())), 1..6),
    ) {
        let mut bytes = good().into_bytes();
        for (at, byte) in edits {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        if let Ok(m) = LibsvmModel::from_bytes("m", &bytes) {
            prop_assert_eq!(load(&m.to_text().unwrap()).unwrap(), m);
        }
    }
}
