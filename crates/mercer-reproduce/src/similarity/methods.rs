//! The methods of each part, with the values that the paper prints for them.

use crate::problem::{Method, method};

const fn printed(method: Method, figures: &'static [(&'static str, f64)]) -> Method {
    Method { published: figures, ..method }
}

const SVC: &str = "svc(C=2^-14..2^6 step 2)";
const TEXT_SVC: &str = "svc(C=2^-4..2^8 step 4)";
const SVR: &str = "svr(C=2^-4..2^8 step 2)";
const SIMILARITY_SVR: &str = "svr(C=2^-14..2^4 step 2)";
const NEAREST: &str = "knn(k=1)";

/// Methods for series from the archive.
#[rustfmt::skip]
pub(super) const ARCHIVE: &[Method] = &[
    method("1-NN DTW", &["dtw"], NEAREST),
    method("1-NN DTW, learned window", &["learned-dtw"], NEAREST),
    method("similarity", &["similarity(dtw)"], SVC),
    method("similarity, full Fisher", &["similarity(dtw, fisher=full, ridge=[0.01, 0.1, 1])"], SVC),
    method("similarity, Gaussian", &["rbf-of(similarity(dtw), gamma=2^-14..2^0 step 2)"], SVC),
    method("similarity, windows", &["similarity(dtw(window=[0.05, 0.1, 0.2, 0.4]))"], SVC),
    method("similarity, references", &["similarity(dtw, references=[10, 20, 40], choice=farthest)",
        "similarity(dtw, references=[10, 20, 40], choice=medoids)"], SVC),
    method("similarity, all of these", &["similarity(dtw)",
        "similarity(dtw(window=[0.05, 0.1, 0.2, 0.4]))",
        "similarity(dtw, fisher=full, ridge=[0.01, 0.1, 1])",
        "rbf-of(similarity(dtw), gamma=2^-14..2^0 step 2)",
        "rbf-of(similarity(dtw(window=[0.05, 0.1, 0.2, 0.4])), gamma=2^-12..2^-2 step 2)",
        "similarity(dtw, references=[10, 20, 40], choice=medoids)"], SVC),
    method("GDTW, repaired", &["repair(rbf-of(dtw, gamma=2^-12..2^4 step 2), method=clip)"], "svc(C=2^-4..2^12 step 2)"),
];

/// Methods for EEG: averaged over four time steps, as in table 1 of the paper.
#[rustfmt::skip]
pub(super) const EEG: &[Method] = &[
    printed(method("k-NN DTW, k = 1", &["bin(dtw, width=4)"], NEAREST), &[("table 1", 0.7534)]),
    method("k-NN DTW, k = 10", &["bin(dtw, width=4)"], "knn(k=10)"),
    printed(method("k-NN DTW, k = 100", &["bin(dtw, width=4)"], "knn(k=100)"), &[("table 1", 0.7847)]),
    printed(method("similarity, 64 × DTW, 100 references", &["similarity(bin(dtw, width=4), references=100, channels=each)"], SVC),
        &[("table 1", 0.8275)]),
    printed(method("similarity, multivariate DTW", &["similarity(bin(dtw, width=4))"], SVC), &[("table 1", 0.8506)]),
];

/// Methods for gene expression, table 6.
#[rustfmt::skip]
pub(super) const GENES: &[Method] = &[
    printed(method("linear SVM", &["linear"], "svc(C=2^-20..2^4 step 4)"), &[("table 6", 0.9338)]),
    printed(method("cosine SVM", &["cosine"], "svc(C=2^-4..2^16 step 4)"), &[("table 6", 0.9496)]),
    printed(method("similarity, cosine distance", &["similarity(cosine-distance)"], SVC), &[("table 6", 0.9588)]),
    method("similarity, cosine distance, full Fisher", &["similarity(cosine-distance, fisher=full, ridge=[0.01, 0.1, 1])"], SVC),
];

/// Methods for text: rows of table 4 (credibility) and table 5 (Web spam). A polynomial of degree d is computed on
/// vectors of length 1 without a constant, like LIBSVM's default: the cosine to the power d.
#[rustfmt::skip]
pub(super) const TEXT: &[Method] = &[
    printed(method("tf SVM", &["terms(cosine, weight=tf, top=30000, stem=english)"], TEXT_SVC),
        &[("table 4", 0.6531)]),
    printed(method("tf SVM, degree 2", &["terms(cosine * cosine, weight=tf, top=30000, stem=english)"], TEXT_SVC),
        &[("table 4", 0.6498)]),
    printed(method("tf SVM, degree 3", &["terms(cosine * cosine * cosine, weight=tf, top=30000, stem=english)"], TEXT_SVC),
        &[("table 4", 0.6530)]),
    printed(method("tf·idf SVM", &["terms(cosine, weight=tfidf, top=30000, stem=english)"], TEXT_SVC),
        &[("table 4", 0.6496)]),
    printed(method("tf·idf SVM, degree 2", &["terms(cosine * cosine, weight=tfidf, top=30000, stem=english)"], TEXT_SVC),
        &[("table 4", 0.6428)]),
    printed(method("tf·idf SVM, degree 3", &["terms(cosine * cosine * cosine, weight=tfidf, top=30000, stem=english)"], TEXT_SVC),
        &[("table 4", 0.6464)]),
    printed(method("BM25 SVM", &["terms(cosine, weight=bm25, top=30000, stem=english)"], TEXT_SVC),
        &[("table 4", 0.6923), ("table 5", 0.8450)]),
    printed(method("BM25 SVM, degree 2", &["terms(cosine * cosine, weight=bm25, top=30000, stem=english)"], TEXT_SVC),
        &[("table 4", 0.6826)]),
    printed(method("BM25 SVM, degree 3", &["terms(cosine * cosine * cosine, weight=bm25, top=30000, stem=english)"], TEXT_SVC),
        &[("table 4", 0.6714)]),
    printed(method("content SVM", &["content(standardize(rbf(gamma=[0.01, 0.1, 1])))"], TEXT_SVC),
        &[("table 5", 0.7882)]),
    printed(method("late fusion, BM25 + content", &["fusion(terms(cosine, weight=bm25, top=30000, stem=english), content(standardize(rbf(gamma=0.1))))"], TEXT_SVC),
        &[("table 5", 0.8517)]),
    method("EasyMKL, BM25 + content", &["mkl(terms(cosine, weight=bm25, top=30000, stem=english), content(standardize(rbf(gamma=0.1))), method=easy)"], TEXT_SVC),
    printed(method("similarity, JS", &["similarity(terms(jensen-shannon, weight=count, top=30000, stem=english), references=200)"], SVC),
        &[("table 4", 0.6978)]),
    printed(method("similarity, BM25", &["similarity(terms(cosine, weight=bm25, top=30000, stem=english), references=200)"], SVC),
        &[("table 4", 0.7141), ("table 5", 0.8546)]),
    printed(method("similarity, content", &["similarity(content(standardize(euclidean)), references=200)"], SVC),
        &[("table 4", 0.6571)]),
    printed(method("similarity, BM25 + content", &["similarity(terms(cosine, weight=bm25, top=30000, stem=english), content(standardize(euclidean)), references=200)"], SVC),
        &[("table 5", 0.8622)]),
    printed(method("similarity, BM25 + JS + content", &["similarity(terms(cosine, weight=bm25, top=30000, stem=english), terms(jensen-shannon, weight=count, top=30000, stem=english), content(standardize(euclidean)), references=200)"], SVC),
        &[("table 4", 0.7363)]),
];

/// Methods for molecules: rows of table 3, with SMILES instead of words and descriptors instead of C3 attributes.
#[rustfmt::skip]
pub(super) const MOLECULES: &[Method] = &[
    printed(method("string SVR", &["normalize(spectrum(k=[2, 3, 4]))"], SVR),
        &[("table 3 MAE", 0.6144), ("table 3 RMSE", 0.7915)]),
    method("descriptor SVR", &["standardize(rbf(gamma=[0.01, 0.1, 1]))"], SVR),
    printed(method("similarity, string", &["similarity(normalize(spectrum(k=[2, 3, 4])), references=200)"], SIMILARITY_SVR),
        &[("table 3 MAE", 0.6196), ("table 3 RMSE", 0.8095)]),
    printed(method("similarity, descriptors", &["similarity(standardize(euclidean), references=200)"], SIMILARITY_SVR),
        &[("table 3 MAE", 0.6900), ("table 3 RMSE", 0.8278)]),
    printed(method("similarity, string + descriptors", &["similarity(normalize(spectrum(k=[2, 3, 4])), standardize(euclidean), references=200)"], SIMILARITY_SVR),
        &[("table 3 MAE", 0.5891), ("table 3 RMSE", 0.7753)]),
];
