//! The registry of kernels.
//!
//! The documentation of a kernel is in its own file as [`Facts`]; a row here joins it with the functions of the kernel.
//! The parser, `mercer kernels`, the documentation and the law tests read this list.

use std::sync::{PoisonError, RwLock};

use super::columns::Record;
use super::entry::{Depends, Derivative, Entry, InsidePairs, Way};
use super::features::VectorMap;
use super::tree::Expression;
use super::{
    by_columns, categories, change, explicit, forest, graphs, learned, mkl, molecules, nodes, nystrom,
    preparing, relevance, series, similarity, smooth, strings, terms, vectors, visual, walks, wrappers,
};
use crate::data::{Categories, Precomputed, Series, Strings, Times, Vectors};
use crate::distance::series::{
    DerivativeDtw, Dtw, Erp, Lcss, Msm, SeriesEuclidean, SoftDtw, Twe, WeightedDtw,
};
use crate::distance::{CosineDistance, EditDistance, Euclidean, HammingDistance, JensenShannon};
use crate::error::{Error, Result};
use crate::gram::{Centering, Gaussian, Ratio};
use crate::kernel::category::{Diffusion, Hamming, Hypercube};
use crate::kernel::fisher_similarity::SIMILARITY;
use crate::kernel::graph::{
    CORE, EdgeHistogram, GraphHopper, GraphSize, Graphlet, MatchedNodes, NeighbourhoodHash,
    OptimalAssignment, Propagation, PyramidMatch, RandomWalk, ReturnProbabilities, ShortestPath,
    ShortestPathRbf, SubgraphMatching, VertexEdgeHistogram, VertexHistogram, WL_OF, WassersteinWl,
    WeisfeilerLehman,
};
use crate::kernel::molecule::{AtomPairs, Ecfp, Fcfp, MoleculePaths, Torsions};
use crate::kernel::node::{self, Family};
use crate::kernel::relevance::Difference;
use crate::kernel::series::{GlobalAlignment, Hydra, Intervals, Kdtw, Rocket, Signature};
use crate::kernel::string::{
    AlignmentDiffusion, BlendedSpectrum, FullSpectrum, GappedKmer, LocalAlignment, Mismatch, PositionedWords,
    Spectrum, Subsequence, Substring, SymbolDistribution, WeightedDegree, WeightedDegreeShifts,
    WordDistribution,
};
use crate::kernel::vector::{
    ChiSquared, ClosedChain, Cosine, Fourier, Laplacian, Linear, Polynomial, RationalQuadratic, Rbf, Sigmoid,
    TensorSketch, TreeDiffusion,
};
use crate::kernel::{
    Boxed, Center, Convolution, Delta, Dice, EXPLICIT, Exponential, Facts, Forest, Markov, MatrixPower,
    NYSTROM, Normalize, Ones, RbfOf, Repaired, Similarity, Tanimoto, Time, ZeroExtend, combine, transductive,
};

/// Kernels first, by the data they take; then wrappers of other kernels.
static REGISTRY: &[Entry] = &[
    Entry::of::<Vectors, Linear>()
        .mapping(VectorMap::Identity)
        .summing_columns()
        .known_to_libsvm_as("linear"),
    Entry::of::<Vectors, Polynomial>()
        .mapping(vectors::MONOMIALS)
        .with_derivative(Derivative::Polynomial)
        .by_columns(by_columns::of_power)
        .known_to_libsvm_as("polynomial"),
    Entry::of::<Vectors, Rbf>()
        .by(vectors::from_distances)
        .of_differences(Difference::Squared)
        .multiplying_columns()
        .known_to_libsvm_as("rbf"),
    Entry::of::<Vectors, RationalQuadratic>()
        .of_differences(Difference::Squared)
        .with_derivative(Derivative::RationalQuadratic),
    Entry::of::<Vectors, Laplacian>()
        .of_differences(Difference::Absolute)
        .with_derivative(Derivative::Laplacian)
        .multiplying_columns(),
    Entry::of::<Vectors, Cosine>().with_features(vectors::cosine_table),
    Entry::of::<Vectors, Sigmoid>().known_to_libsvm_as("sigmoid"),
    Entry::of::<Vectors, ChiSquared>().multiplying_columns(),
    Entry::of::<Vectors, ClosedChain>().multiplying_columns(),
    Entry::kernel(&TreeDiffusion::REGULAR, |c, s| {
        s.on::<Vectors, _>(c, TreeDiffusion::regular(c.get("k")?, c.get("beta")?)?)
    })
    .multiplying_columns(),
    Entry::kernel(&TreeDiffusion::BINARY, |c, s| {
        s.on::<Vectors, _>(c, TreeDiffusion::binary(c.get("beta")?)?)
    }),
    Entry::of::<Vectors, Fourier>().approximating(vectors::exact_of_fourier),
    Entry::of::<Vectors, TensorSketch>().approximating(vectors::exact_of_tensor_sketch),
    Entry::of::<Record, Delta>().multiplying_columns(),
    Entry::kernel(&Ones::FACTS, |_, _| Ok(Boxed::new(Ones))).being_one(),
    Entry::of::<Precomputed, Similarity>().known_to_libsvm_as("precomputed"),
    Entry::kernel(&Diffusion::FACTS, categories::diffusion)
        .depending(Depends::Training)
        .by_columns(by_columns::of_diffusion),
    Entry::of::<[Categories], Hypercube>().multiplying_columns(),
    Entry::of::<[Categories], Hamming>().averaging_columns(),
    Entry::of::<[Times], Time>().averaging_columns(),
    Entry::kernel(&Forest::FACTS, forest::forest)
        .by_columns(by_columns::of_forest)
        .depending(Depends::Target)
        .depending_on(forest::depends)
        .with_features(forest::table),
    graphs::entry::<GraphSize>(),
    graphs::counting::<VertexHistogram>(),
    graphs::counting::<EdgeHistogram>(),
    graphs::counting::<VertexEdgeHistogram>(),
    graphs::counting::<WeisfeilerLehman>().with_rounds(graphs::ROUNDS),
    graphs::entry::<OptimalAssignment>().with_features(|c, s| s.counted(c, s.declared::<MatchedNodes>(c)?)),
    graphs::counting::<ShortestPath>(),
    graphs::entry::<ShortestPathRbf>(),
    graphs::counting::<Graphlet>(),
    graphs::entry::<NeighbourhoodHash>(),
    graphs::counting::<Propagation>().keeping(&["w", "wa"]),
    graphs::entry::<RandomWalk>(),
    graphs::entry::<SubgraphMatching>(),
    graphs::entry::<PyramidMatch>(),
    graphs::entry::<GraphHopper>(),
    graphs::entry::<WassersteinWl>().by(graphs::from_moves),
    graphs::entry::<ReturnProbabilities>(),
    molecules::counting::<Ecfp>(),
    molecules::counting::<Fcfp>(),
    molecules::counting::<AtomPairs>(),
    molecules::counting::<Torsions>(),
    molecules::counting::<MoleculePaths>(),
    strings::counting::<SymbolDistribution>(),
    strings::counting::<WordDistribution>(),
    strings::counting::<Spectrum>(),
    strings::counting::<BlendedSpectrum>(),
    strings::entry::<FullSpectrum>(),
    strings::entry::<Substring>(),
    strings::entry::<Mismatch>(),
    strings::entry::<GappedKmer>(),
    strings::entry::<Subsequence>(),
    strings::entry::<WeightedDegree>().with_features(|c, s| s.counted(c, PositionedWords(s.declared(c)?))),
    strings::entry::<WeightedDegreeShifts>(),
    strings::entry::<LocalAlignment>().with_logarithms(),
    strings::entry::<AlignmentDiffusion>().with_logarithms(),
    nodes::entry(&node::POWER, |s| Ok(Family::Power { l: s.read()? })),
    nodes::entry(&node::DIFFUSION, |s| Ok(Family::Diffusion { beta: s.read()? })),
    nodes::entry(&node::VON_NEUMANN, |s| Ok(Family::VonNeumann { beta: s.read()? })),
    nodes::entry(&node::REGULARIZED_LAPLACIAN, |s| Ok(Family::RegularizedLaplacian { beta: s.read()? })),
    nodes::entry(&node::P_STEP, |s| Ok(Family::PStep { p: s.read()?, a: s.read()? })),
    nodes::entry(&node::COMMUTE_TIME, |_| Ok(Family::CommuteTime)),
    nodes::entry(&node::PAGERANK, |s| Ok(Family::Pagerank { alpha: s.read()? })),
    Entry::wrapper(&node::SMOOTH, smooth::smooth)
        .depending(Depends::Graph)
        .with_features(smooth::table)
        .asking_for_features(),
    Entry::distance_of::<Vectors, Euclidean>().summing_columns(),
    Entry::of::<[Series], GlobalAlignment>(),
    Entry::of::<[Series], Kdtw>(),
    series::features::<Rocket>(),
    series::features::<Hydra>(),
    series::features::<Intervals>(),
    Entry::of::<[Series], Signature>()
        .with_map(|c, s| s.map_on::<[Series], _>(c, s.declared::<Signature>(c)?)),
    Entry::distance_of::<[Series], Dtw>(),
    Entry::distance(&series::LEARNED_DTW, series::learned_dtw).depending(Depends::Target),
    Entry::distance_of::<[Series], DerivativeDtw>(),
    Entry::distance_of::<[Series], WeightedDtw>(),
    Entry::distance_of::<[Series], SoftDtw>(),
    Entry::distance_of::<[Series], Erp>(),
    Entry::distance_of::<[Series], Lcss>(),
    Entry::distance_of::<[Series], Msm>(),
    Entry::distance_of::<[Series], Twe>(),
    Entry::distance_of::<[Series], SeriesEuclidean>(),
    Entry::distance_of::<Vectors, CosineDistance>(),
    Entry::distance(&JensenShannon::FACTS, strings::jensen_shannon),
    Entry::distance_of::<Strings, EditDistance>(),
    Entry::distance(&HammingDistance::FACTS, strings::hamming_distance),
    Entry::wrapper(&Normalize::<()>::FACTS, |c, s| Ok(Boxed::new(Normalize(s.inner(c)?))))
        .preparing()
        .by(wrappers::way_to_normalize)
        .with_derivative(Derivative::OfInside(InsidePairs::Normalized))
        .with_features(wrappers::normalized_table)
        .by_columns(by_columns::of_normalized),
    Entry::wrapper(&Tanimoto::<()>::FACTS, |c, s| Ok(Boxed::new(Tanimoto(s.inner(c)?))))
        .by(|_| Way::Inside(|_, place| place.transformed(|_| Ok(Ratio::Tanimoto))))
        .with_derivative(Derivative::OfInside(InsidePairs::Tanimoto))
        .with_features(|c, s| wrappers::ratio_table(c, s, Ratio::Tanimoto)),
    Entry::wrapper(&Dice::<()>::FACTS, |c, s| Ok(Boxed::new(Dice(s.inner(c)?))))
        .by(|_| Way::Inside(|_, place| place.transformed(|_| Ok(Ratio::Dice))))
        .with_derivative(Derivative::OfInside(InsidePairs::Dice))
        .with_features(|c, s| wrappers::ratio_table(c, s, Ratio::Dice)),
    Entry::wrapper(&Center::<()>::FACTS, wrappers::center)
        .by_columns(by_columns::of_center)
        .preparing()
        .depending(Depends::Training)
        .keeping_training()
        .by(|_| Way::Inside(|_, place| place.transformed(|train| Ok(Centering::fit(train)?.transform())))),
    Entry::wrapper(&RbfOf::<()>::FACTS, |c, s| Ok(Boxed::new(RbfOf::new(s.inner(c)?, c.number("gamma")?)?)))
        .by(|_| {
            Way::Inside(|c, place| {
                let gamma = c.number("gamma")?;
                place.transformed(|_| Ok(Gaussian { gamma }))
            })
        })
        .with_derivative(Derivative::OfInside(InsidePairs::Gaussian))
        .with_features(wrappers::gaussian_table)
        .by_columns(by_columns::of_gaussian),
    Entry::wrapper(&ZeroExtend::<()>::FACTS, wrappers::zero_extend)
        .preparing()
        .with_features(wrappers::zero_extended_table),
    Entry::wrapper(&NYSTROM, nystrom::nystrom)
        .by_columns(by_columns::of_nystrom)
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
    Entry::joining(&mkl::MKL, mkl::mkl).depending(Depends::Target).by_columns(by_columns::of_weighted),
    Entry::wrapper(&learned::LEARNED, learned::learned)
        .depending(Depends::Target)
        .with_inner_features(learned::table)
        .by_columns(by_columns::of_learned),
    Entry::joining(&mkl::FUSION, mkl::fusion).depending(Depends::Target).keeping_training(),
    Entry::wrapper(&wrappers::COLUMN_SUM, wrappers::column_sum)
        .preparing()
        .with_features(wrappers::column_sum_table)
        .by_columns(by_columns::of_column_sum),
    Entry::wrapper(&wrappers::COLUMN_PRODUCT, wrappers::column_product)
        .by_columns(by_columns::of_column_product),
    Entry::wrapper(&change::STANDARDIZE, change::standardize)
        .preparing()
        .depending(Depends::Training)
        .by(|_| Way::Changed(change::fit_standard))
        .by_columns(|c, s, changes| by_columns::of_changed(c, s, changes, change::stored_scaling)),
    Entry::wrapper(&change::MINMAX, change::minmax)
        .preparing()
        .depending(Depends::Training)
        .by(|_| Way::Changed(change::fit_minmax))
        .by_columns(|c, s, changes| by_columns::of_changed(c, s, changes, change::stored_scaling)),
    Entry::wrapper(&relevance::RELEVANCE, relevance::relevance)
        .depending(Depends::Target)
        .by(|_| Way::Changed(relevance::fit_relevance))
        .by_columns(|c, s, changes| by_columns::of_changed(c, s, changes, change::stored_scaling)),
    Entry::wrapper(&change::IMPUTE, change::impute)
        .preparing()
        .depending(Depends::Training)
        .by(|_| Way::Changed(change::fit_filling))
        .by_columns(|c, s, changes| by_columns::of_changed(c, s, changes, change::stored_filling)),
    Entry::wrapper(&preparing::RESAMPLE, preparing::resample),
    Entry::wrapper(&preparing::BIN, preparing::bin),
    Entry::wrapper(&preparing::ZNORMALIZE, preparing::znormalize),
    Entry::wrapper(&series::LEARNED_WINDOW, series::learned_window).depending(Depends::Target),
    Entry::wrapper(&terms::TERMS, terms::terms).depending(Depends::Training).with_features(terms::table),
    Entry::wrapper(&terms::CONTENT, terms::content).depending(Depends::Training),
    Entry::wrapper(&visual::VISUAL, visual::visual).depending(Depends::Training).with_features(visual::table),
    Entry::wrapper(&molecules::ATOMS, molecules::atoms).with_features(molecules::atoms_table),
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
