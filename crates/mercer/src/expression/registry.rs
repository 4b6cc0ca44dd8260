//! The registry of kernels.
//!
//! The documentation of a kernel is in its own file as [`Facts`]; a row here joins it with the functions of the kernel.
//! The parser, `mercer kernels`, the documentation and the law tests read this list.

use std::sync::{PoisonError, RwLock};

use super::columns::Record;
use super::entry::{Depends, Entry, Way};
use super::features::VectorMap;
use super::tree::Expression;
use super::{
    categories, change, explicit, graphs, mkl, nodes, nystrom, preparing, series, similarity, strings, terms,
    vectors, visual, walks, wrappers,
};
use crate::data::{Precomputed, Vectors};
use crate::distance::series::{
    DerivativeDtw, Dtw, Erp, Lcss, Msm, SeriesEuclidean, SoftDtw, Twe, WeightedDtw,
};
use crate::distance::{
    CosineDistance, EditDistance, Euclidean, HammingDistance, JensenShannon, NegativeSquaredDistance,
};
use crate::error::{Error, Result};
use crate::gram::{Centering, Gaussian};
use crate::kernel::category::{Diffusion, Hamming, Hypercube};
use crate::kernel::fisher_similarity::SIMILARITY;
use crate::kernel::graph::{
    CORE, EdgeHistogram, GraphHopper, GraphSize, Graphlet, NeighbourhoodHash, OptimalAssignment, Propagation,
    PyramidMatch, RandomWalk, ShortestPath, ShortestPathRbf, SubgraphMatching, VertexEdgeHistogram,
    VertexHistogram, WL_OF, WeisfeilerLehman,
};
use crate::kernel::node;
use crate::kernel::series::GlobalAlignment;
use crate::kernel::string::{
    AlignmentDiffusion, BlendedSpectrum, FullSpectrum, GappedKmer, LocalAlignment, Mismatch, PositionedWords,
    Spectrum, Subsequence, Substring, SymbolDistribution, WeightedDegree, WordDistribution,
};
use crate::kernel::vector::{
    ChiSquared, ClosedChain, Cosine, Fourier, Laplacian, Linear, Polynomial, Rbf, Sigmoid, TensorSketch,
    TreeDiffusion,
};
use crate::kernel::{
    Boxed, Center, Convolution, Delta, EXPLICIT, Exponential, Facts, Markov, MatrixPower, NYSTROM, Normalize,
    Ones, RbfOf, Repaired, Similarity, ZeroExtend, combine, transductive,
};

/// A counting kernel, whose counts are its explicit features.
macro_rules! counting {
    ($kernel:ty, $on:ident, $make:path) => {
        Entry::kernel(&<$kernel>::FACTS, |c, s| s.$on(c, $make(c)?))
            .with_features(|c, s| s.counted(c, $make(c)?))
    };
}

/// Kernels first, by the data they take; then wrappers of other kernels.
static REGISTRY: &[Entry] = &[
    Entry::kernel(&Linear::FACTS, vectors::linear).mapping(VectorMap::Identity).known_to_libsvm_as("linear"),
    Entry::kernel(&Polynomial::FACTS, vectors::polynomial)
        .mapping(vectors::MONOMIALS)
        .known_to_libsvm_as("polynomial"),
    Entry::kernel(&Rbf::FACTS, vectors::rbf).by(vectors::from_distances).known_to_libsvm_as("rbf"),
    Entry::kernel(&Laplacian::FACTS, vectors::laplacian),
    Entry::kernel(&Cosine::FACTS, |c, s| s.on::<Vectors, _>(c, Cosine)).with_features(vectors::cosine_table),
    Entry::kernel(&Sigmoid::FACTS, vectors::sigmoid).known_to_libsvm_as("sigmoid"),
    Entry::kernel(&ChiSquared::FACTS, vectors::chi2),
    Entry::kernel(&ClosedChain::FACTS, vectors::closed_chain),
    Entry::kernel(&TreeDiffusion::REGULAR, vectors::regular_tree),
    Entry::kernel(&TreeDiffusion::BINARY, vectors::binary_tree),
    Entry::kernel(&Fourier::FACTS, vectors::fourier).approximating(vectors::exact_of_fourier),
    Entry::kernel(&TensorSketch::FACTS, vectors::tensor_sketch)
        .approximating(vectors::exact_of_tensor_sketch),
    Entry::kernel(&Delta::FACTS, |c, s| s.on::<Record, _>(c, Delta)),
    Entry::kernel(&Ones::FACTS, |_, _| Ok(Boxed::new(Ones))),
    Entry::kernel(&Similarity::FACTS, |c, s| s.on::<Precomputed, _>(c, Similarity))
        .known_to_libsvm_as("precomputed"),
    Entry::kernel(&Diffusion::FACTS, categories::diffusion).depending(Depends::Training),
    Entry::kernel(&Hypercube::FACTS, categories::hypercube),
    Entry::kernel(&Hamming::FACTS, categories::hamming),
    Entry::kernel(&GraphSize::FACTS, graphs::graph_size),
    counting!(VertexHistogram, on_graphs, graphs::vertex_histogram),
    counting!(EdgeHistogram, on_graphs, graphs::edge_histogram),
    counting!(VertexEdgeHistogram, on_graphs, graphs::vertex_edge_histogram),
    counting!(WeisfeilerLehman, on_graphs, graphs::wl).with_rounds(graphs::ROUNDS),
    Entry::kernel(&OptimalAssignment::FACTS, graphs::wl_oa),
    counting!(ShortestPath, on_graphs, graphs::shortest_path),
    Entry::kernel(&ShortestPathRbf::FACTS, graphs::shortest_path_rbf),
    counting!(Graphlet, on_graphs, graphs::graphlet),
    Entry::kernel(&NeighbourhoodHash::FACTS, graphs::neighbourhood_hash),
    counting!(Propagation, on_graphs, graphs::propagation),
    Entry::kernel(&RandomWalk::FACTS, graphs::random_walk),
    Entry::kernel(&SubgraphMatching::FACTS, graphs::subgraph_matching),
    Entry::kernel(&PyramidMatch::FACTS, graphs::pyramid_match),
    Entry::kernel(&GraphHopper::FACTS, graphs::graph_hopper),
    counting!(SymbolDistribution, on_strings, strings::symbol_distribution),
    counting!(WordDistribution, on_strings, strings::word_distribution),
    counting!(Spectrum, on_strings, strings::spectrum),
    counting!(BlendedSpectrum, on_strings, strings::blended_spectrum),
    Entry::kernel(&FullSpectrum::FACTS, strings::full_spectrum),
    Entry::kernel(&Substring::FACTS, strings::substring),
    Entry::kernel(&Mismatch::FACTS, strings::mismatch),
    Entry::kernel(&GappedKmer::FACTS, strings::gapped_kmer),
    Entry::kernel(&Subsequence::FACTS, strings::subsequence),
    Entry::kernel(&WeightedDegree::FACTS, |c, s| s.on_strings(c, strings::weighted_degree(c)?))
        .with_features(|c, s| s.counted(c, PositionedWords(strings::weighted_degree(c)?))),
    Entry::kernel(&LocalAlignment::FACTS, strings::local_alignment).with_logarithms(),
    Entry::kernel(&AlignmentDiffusion::FACTS, strings::alignment_diffusion).with_logarithms(),
    nodes::entry(&node::POWER, nodes::power),
    nodes::entry(&node::DIFFUSION, nodes::diffusion),
    nodes::entry(&node::VON_NEUMANN, nodes::von_neumann),
    nodes::entry(&node::REGULARIZED_LAPLACIAN, nodes::regularized_laplacian),
    nodes::entry(&node::P_STEP, nodes::p_step),
    nodes::entry(&node::COMMUTE_TIME, nodes::commute_time),
    nodes::entry(&node::PAGERANK, nodes::pagerank),
    Entry::distance(&Euclidean::FACTS, |c, s| s.on::<Vectors, _>(c, NegativeSquaredDistance(Euclidean))),
    Entry::kernel(&GlobalAlignment::FACTS, series::gak),
    Entry::distance(&Dtw::FACTS, series::dtw),
    Entry::distance(&series::LEARNED_DTW, series::learned_dtw).depending(Depends::Target),
    Entry::distance(&DerivativeDtw::FACTS, series::derivative_dtw),
    Entry::distance(&WeightedDtw::FACTS, series::weighted_dtw),
    Entry::distance(&SoftDtw::FACTS, series::soft_dtw),
    Entry::distance(&Erp::FACTS, series::erp),
    Entry::distance(&Lcss::FACTS, series::lcss),
    Entry::distance(&Msm::FACTS, series::msm),
    Entry::distance(&Twe::FACTS, series::twe),
    Entry::distance(&SeriesEuclidean::FACTS, series::series_euclidean),
    Entry::distance(&CosineDistance::FACTS, |c, s| {
        s.on::<Vectors, _>(c, NegativeSquaredDistance(CosineDistance))
    }),
    Entry::distance(&JensenShannon::FACTS, strings::jensen_shannon),
    Entry::distance(&EditDistance::FACTS, strings::edit_distance),
    Entry::distance(&HammingDistance::FACTS, strings::hamming_distance),
    Entry::wrapper(&Normalize::<()>::FACTS, |c, s| Ok(Boxed::new(Normalize(s.inner(c)?))))
        .by(wrappers::way_to_normalize)
        .with_features(wrappers::normalized_table),
    Entry::wrapper(&Center::<()>::FACTS, wrappers::center)
        .depending(Depends::Training)
        .keeping_training()
        .by(|_| Way::Inside(|_, place| place.transformed(|train| Ok(Centering::fit(train)?.transform())))),
    Entry::wrapper(&RbfOf::<()>::FACTS, |c, s| Ok(Boxed::new(RbfOf::new(s.inner(c)?, c.number("gamma")?)?)))
        .by(|_| {
            Way::Inside(|c, place| {
                let gamma = c.number("gamma")?;
                place.transformed(|_| Ok(Gaussian { gamma }))
            })
        }),
    Entry::wrapper(&ZeroExtend::<()>::FACTS, wrappers::zero_extend),
    Entry::wrapper(&NYSTROM, nystrom::nystrom)
        .depending(Depends::Training)
        .approximating(|call| call.inner.first().cloned()),
    Entry::wrapper(&EXPLICIT, explicit::explicit)
        .depending(Depends::Training)
        .with_features(explicit::table)
        .asking_for_features(),
    Entry::wrapper(&Repaired::<()>::FACTS, wrappers::repair)
        .depending(Depends::Training)
        .keeping_training()
        .by(wrappers::way_to_repair),
    Entry::wrapper(&Exponential::<()>::FACTS, wrappers::exponential)
        .depending(Depends::Training)
        .keeping_training(),
    Entry::wrapper(&MatrixPower::<()>::FACTS, walks::walk)
        .depending(Depends::Training)
        .keeping_training()
        .depending_on(walks::depends)
        .by(|_| Way::Inside(walks::blocks))
        .with_steps("p"),
    Entry::wrapper(&Markov::<()>::FACTS, walks::markov).depending(Depends::Training).keeping_training(),
    Entry::wrapper(&transductive::LAPLACIAN_WALK, walks::laplacian_walk)
        .depending(Depends::AllObjects)
        .keeping_training(),
    Entry::wrapper(&transductive::CLUSTER, walks::cluster).depending(Depends::AllObjects).keeping_training(),
    Entry::joining(&SIMILARITY, similarity::similarity)
        .depending(Depends::Training)
        .keeping_training()
        .by(similarity::way),
    Entry::joining(&mkl::MKL, mkl::mkl).depending(Depends::Target),
    Entry::joining(&mkl::FUSION, mkl::fusion).depending(Depends::Target).keeping_training(),
    Entry::wrapper(&wrappers::COLUMN_SUM, wrappers::column_sum),
    Entry::wrapper(&wrappers::COLUMN_PRODUCT, wrappers::column_product),
    Entry::wrapper(&change::STANDARDIZE, change::standardize)
        .depending(Depends::Training)
        .by(|_| Way::Changed(change::fit_standard)),
    Entry::wrapper(&change::MINMAX, change::minmax)
        .depending(Depends::Training)
        .by(|_| Way::Changed(change::fit_minmax)),
    Entry::wrapper(&change::IMPUTE, change::impute)
        .depending(Depends::Training)
        .by(|_| Way::Changed(change::fit_filling)),
    Entry::wrapper(&preparing::RESAMPLE, preparing::resample),
    Entry::wrapper(&preparing::BIN, preparing::bin),
    Entry::wrapper(&preparing::ZNORMALIZE, preparing::znormalize),
    Entry::wrapper(&terms::TERMS, terms::terms).depending(Depends::Training).with_features(terms::table),
    Entry::wrapper(&terms::CONTENT, terms::content).depending(Depends::Training),
    Entry::wrapper(&visual::VISUAL, visual::visual).depending(Depends::Training).with_features(visual::table),
    Entry::wrapper(&CORE, graphs::core),
    Entry::wrapper(&WL_OF, graphs::wl_around),
    Entry::wrapper(&Convolution::FACTS, wrappers::convolution),
];

/// Entries of other crates, in the order of their registration.
static REGISTERED: RwLock<Vec<&'static Entry>> = RwLock::new(Vec::new());

/// All kernels and wrappers: the built-in ones, then the [registered](register) ones.
pub fn entries() -> Vec<&'static Entry> {
    let own = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    REGISTRY.iter().chain(own.iter().copied()).collect()
}

/// Adds an entry, which expressions, searches, models and lists then use like the built-in ones.
///
/// Its name must be new, its facts complete, and its example must parse. A model saved with it can be loaded wherever
/// it is registered.
///
/// ```
/// use mercer::data::Vectors;
/// use mercer::expression::{Entry, Expression, register};
/// use mercer::kernel::{Definiteness, Domain, Facts, Parameter, vector::Rbf};
///
/// static FACTS: Facts = Facts {
///     name: "bell",
///     summary: "A Gaussian by its width.",
///     formula: "exp(-|x - y|² / (2 width²))",
///     takes: "numbers",
///     kinds: Rbf::FACTS.kinds,
///     definiteness: Definiteness::PositiveSemidefinite,
///     parameters: &[Parameter {
///         name: "width",
///         default: "1",
///         domain: Domain::Positive,
///         doc: "the standard deviation",
///         alias: None,
///     }],
///     cost: "n² d",
///     reference: "Schölkopf & Smola 2002, Learning with kernels",
///     example: "bell(width=2)",
/// };
///
/// register(Entry::kernel(&FACTS, |call, scope| {
///     let width = call.number("width")?;
///     scope.on::<Vectors, _>(call, Rbf::new(0.5 / (width * width))?)
/// }))?;
/// assert_eq!("normalize(bell(width=[1, 2]))".parse::<Expression>()?.choices().len(), 1);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn register(entry: Entry) -> Result<&'static Entry> {
    let facts = entry.facts;
    let wrong = |reason: &str| Err(Error::param("name", facts.name, reason));
    let is_word = facts.name.split('-').all(|part| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    });
    if !is_word {
        return wrong("a name of lowercase characters and digits, with - between words");
    }
    let texts = [facts.summary, facts.formula, facts.takes, facts.cost, facts.reference, facts.example];
    if texts.contains(&"") {
        return wrong("one with a summary, formula, cost, reference, example and what it takes");
    }
    let entry = {
        let mut own = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
        if REGISTRY.iter().chain(own.iter().copied()).any(|e| e.facts.name == facts.name) {
            return wrong("a name that no other kernel uses");
        }
        let entry: &'static Entry = Box::leak(Box::new(entry));
        own.push(entry);
        entry
    };
    // The example uses the kernel, so it can be parsed only now.
    match facts.example.parse::<Expression>() {
        Ok(example) if example.to_string().contains(facts.name) => Ok(entry),
        _ => {
            let mut own = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
            own.retain(|e| e.facts.name != facts.name);
            Err(Error::param("example", facts.example, "a text that parses and uses the kernel"))
        }
    }
}

/// Facts about the operators `+`, `*` and multiples.
pub fn operators() -> &'static [Facts] {
    &combine::ALGEBRA
}

/// Finds an entry by name.
pub fn find(name: &str) -> Option<&'static Entry> {
    let known = REGISTRY.iter().find(|e| e.facts.name == name);
    known.or_else(|| {
        let own = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
        own.iter().copied().find(|e| e.facts.name == name)
    })
}

/// All names.
pub fn names() -> impl Iterator<Item = &'static str> {
    entries().into_iter().map(|e| e.facts.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Expression;

    #[test]
    fn facts_are_complete_and_examples_parse() {
        for entry in entries() {
            let f = entry.facts;
            for text in [f.name, f.summary, f.formula, f.takes, f.cost, f.reference, f.example] {
                assert!(!text.is_empty(), "{}", f.name);
            }
            assert!(f.summary.ends_with('.'), "{}", f.name);
            let example: Expression = f.example.parse().unwrap_or_else(|e| panic!("{}: {e}", f.example));
            assert!(example.to_string().contains(f.name), "{}", f.name);
            assert_eq!(entries().into_iter().filter(|e| e.facts.name == f.name).count(), 1);
        }
    }
}
