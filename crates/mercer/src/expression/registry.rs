//! Every kernel, once.
//!
//! What is known about a kernel stands in its own file as [`Facts`]; here a row joins the facts to the
//! code that makes it. The parser, `mercer kernels`, the documentation and the law tests read this list.

use super::columns::{Record, Scope};
use super::gamma::gamma;
use super::tree::Call;
use super::{
    categories, change, explicit, graphs, mkl, nodes, nystrom, preparing, series, similarity, strings, terms,
    visual, walks, wrappers,
};
use crate::data::{Dataset, Precomputed, Vectors};
use crate::distance::series::{DerivativeDtw, Dtw, Erp, Lcss, Msm, SoftDtw, Straight, Twe, WeightedDtw};
use crate::distance::{CosineDistance, EditDistance, Euclidean, HammingDistance, JensenShannon, Negative};
use crate::error::{Error, Result};
use crate::kernel::category::{Diffusion, Hamming, Hypercube};
use crate::kernel::graph::{
    CORE, EdgeHistogram, GraphHopper, GraphSize, Graphlet, NeighbourhoodHash, OptimalAssignment, Propagation,
    PyramidMatch, RandomWalk, ShortestPath, ShortestPathRbf, SubgraphMatching, VertexEdgeHistogram,
    VertexHistogram, WL_OF, WeisfeilerLehman,
};
use crate::kernel::node;
use crate::kernel::referenced::SIMILARITY;
use crate::kernel::series::GlobalAlignment;
use crate::kernel::string::{
    AlignmentDiffusion, BlendedSpectrum, FullSpectrum, GappedKmer, LocalAlignment, Mismatch, Spectrum,
    Subsequence, Substring, SymbolDistribution, WeightedDegree, WordDistribution,
};
use crate::kernel::vector::{
    ChiSquared, ClosedChain, Cosine, Fourier, Laplacian, Linear, Polynomial, Rbf, Shape, Sigmoid,
    TensorSketch, TreeDiffusion,
};
use crate::kernel::{
    Boxed, Center, Convolution, Delta, EXPLICIT, Explicit, Exponential, Facts, Features, Markov, NYSTROM,
    Normalize, Ones, RbfOf, Repaired, Similarity, Walked, ZeroExtend, combine, transductive,
};

/// A row of the registry.
#[derive(Debug)]
pub struct Entry {
    /// What is known about it.
    pub facts: &'static Facts,
    make: Make,
}

/// How an entry becomes a kernel.
#[derive(Clone, Copy, Debug)]
enum Make {
    /// From its parameters and columns.
    Kernel(fn(&Call, &Scope<'_>) -> Result<Boxed<Dataset>>),
    /// The same, and from what the training objects say.
    FittedKernel(fn(&Call, &Scope<'_>) -> Result<Boxed<Dataset>>),
    /// The kernel -d²/2 of a distance, from its parameters and columns.
    Distance(fn(&Call, &Scope<'_>) -> Result<Boxed<Dataset>>),
    /// The same, and from what the training objects say.
    FittedDistance(fn(&Call, &Scope<'_>) -> Result<Boxed<Dataset>>),
    /// Around another kernel, without looking at the training objects.
    Wrapper(fn(&Call, &Scope<'_>) -> Result<Boxed<Dataset>>),
    /// Around another kernel, after looking at the training objects.
    FittedWrapper(fn(&Call, &Scope<'_>) -> Result<Boxed<Dataset>>),
    /// The same, after choosing among the training objects those it keeps.
    Choosing(fn(&Call, &Scope<'_>) -> Result<Boxed<Dataset>>),
    /// The same, and its kernel compares new objects with all training objects.
    Comparing(fn(&Call, &Scope<'_>) -> Result<Boxed<Dataset>>),
    /// Around one or more kernels, after looking at the training objects and their target.
    Joining(fn(&Call, &Scope<'_>) -> Result<Boxed<Dataset>>),
    /// The same, and its kernel compares new objects with all training objects.
    ComparingBy(fn(&Call, &Scope<'_>) -> Result<Boxed<Dataset>>),
}

impl Entry {
    /// The number of kernels it wraps, or the least where [`Entry::takes_more`].
    pub fn arity(&self) -> usize {
        match self.make {
            Make::Kernel(_) | Make::FittedKernel(_) | Make::Distance(_) | Make::FittedDistance(_) => 0,
            Make::Wrapper(_)
            | Make::FittedWrapper(_)
            | Make::Choosing(_)
            | Make::Comparing(_)
            | Make::Joining(_)
            | Make::ComparingBy(_) => 1,
        }
    }

    /// Whether it may wrap more kernels than its arity.
    pub fn takes_more(&self) -> bool {
        matches!(self.make, Make::Joining(_) | Make::ComparingBy(_))
    }

    /// Whether it is a distance d, which stands for the kernel -d²/2.
    pub fn is_distance(&self) -> bool {
        matches!(self.make, Make::Distance(_) | Make::FittedDistance(_))
    }

    /// Whether its kernel compares new objects with all training objects.
    pub(super) fn compares(&self) -> bool {
        matches!(self.make, Make::Comparing(_) | Make::ComparingBy(_))
    }

    /// Whether it is fitted to the training objects: what it gives for two objects depends on others. A search fits such an entry
    /// to the training set of every split. The laws hold it against the steps that a fit records.
    pub fn is_fitted(&self) -> bool {
        !matches!(self.make, Make::Kernel(_) | Make::Distance(_) | Make::Wrapper(_))
    }

    pub(super) fn make(&self, call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
        match self.make {
            Make::Kernel(make)
            | Make::FittedKernel(make)
            | Make::Distance(make)
            | Make::FittedDistance(make)
            | Make::Wrapper(make)
            | Make::FittedWrapper(make)
            | Make::Choosing(make)
            | Make::Comparing(make)
            | Make::Joining(make)
            | Make::ComparingBy(make) => make(call, scope),
        }
    }
}

/// Kernels first, by the data they take; then what goes around other kernels.
static REGISTRY: &[Entry] = &[
    Entry { facts: &Linear::FACTS, make: Make::Kernel(|c, s| s.on::<Vectors, _>(c, Linear)) },
    Entry {
        facts: &Polynomial::FACTS,
        make: Make::Kernel(|c, s| s.on::<Vectors, _>(c, polynomial(c, gamma(c, s)?)?)),
    },
    Entry { facts: &Rbf::FACTS, make: Make::Kernel(|c, s| s.on::<Vectors, _>(c, Rbf::new(gamma(c, s)?)?)) },
    Entry {
        facts: &Laplacian::FACTS,
        make: Make::Kernel(|c, s| s.on::<Vectors, _>(c, Laplacian::new(gamma(c, s)?)?)),
    },
    Entry { facts: &Cosine::FACTS, make: Make::Kernel(|c, s| s.on::<Vectors, _>(c, Cosine)) },
    Entry {
        facts: &Sigmoid::FACTS,
        make: Make::Kernel(|c, s| s.on::<Vectors, _>(c, Sigmoid::new(gamma(c, s)?, c.number("c")?)?)),
    },
    Entry {
        facts: &ChiSquared::FACTS,
        make: Make::Kernel(|c, s| s.on::<Vectors, _>(c, ChiSquared::new(gamma(c, s)?)?)),
    },
    Entry {
        facts: &ClosedChain::FACTS,
        // The parser has checked that n is a whole number.
        make: Make::Kernel(|c, s| {
            s.on::<Vectors, _>(c, ClosedChain::new(c.number("n")? as u32, c.number("beta")?)?)
        }),
    },
    Entry {
        facts: &TreeDiffusion::REGULAR,
        make: Make::Kernel(|c, s| {
            s.on::<Vectors, _>(c, TreeDiffusion::regular(c.number("k")? as u32, c.number("beta")?)?)
        }),
    },
    Entry {
        facts: &TreeDiffusion::BINARY,
        make: Make::Kernel(|c, s| s.on::<Vectors, _>(c, TreeDiffusion::binary(c.number("beta")?)?)),
    },
    Entry {
        facts: &Fourier::FACTS,
        make: Make::Kernel(|c, s| s.on::<Vectors, _>(c, fourier(c, gamma(c, s)?)?)),
    },
    Entry {
        facts: &TensorSketch::FACTS,
        make: Make::Kernel(|c, s| s.on::<Vectors, _>(c, tensor_sketch(c, gamma(c, s)?)?)),
    },
    Entry { facts: &Delta::FACTS, make: Make::Kernel(|c, s| s.on::<Record, _>(c, Delta)) },
    Entry { facts: &Ones::FACTS, make: Make::Kernel(|_, _| Ok(Boxed::new(Ones))) },
    Entry { facts: &Similarity::FACTS, make: Make::Kernel(|c, s| s.on::<Precomputed, _>(c, Similarity)) },
    Entry { facts: &Diffusion::FACTS, make: Make::FittedKernel(categories::diffusion) },
    Entry { facts: &Hypercube::FACTS, make: Make::Kernel(categories::hypercube) },
    Entry { facts: &Hamming::FACTS, make: Make::Kernel(categories::hamming) },
    Entry { facts: &GraphSize::FACTS, make: Make::Kernel(graphs::graph_size) },
    Entry { facts: &VertexHistogram::FACTS, make: Make::Kernel(graphs::vertex_histogram) },
    Entry { facts: &EdgeHistogram::FACTS, make: Make::Kernel(graphs::edge_histogram) },
    Entry { facts: &VertexEdgeHistogram::FACTS, make: Make::Kernel(graphs::vertex_edge_histogram) },
    Entry { facts: &WeisfeilerLehman::FACTS, make: Make::Kernel(graphs::wl) },
    Entry { facts: &OptimalAssignment::FACTS, make: Make::Kernel(graphs::wl_oa) },
    Entry { facts: &ShortestPath::FACTS, make: Make::Kernel(graphs::shortest_path) },
    Entry { facts: &ShortestPathRbf::FACTS, make: Make::Kernel(graphs::shortest_path_rbf) },
    Entry { facts: &Graphlet::FACTS, make: Make::Kernel(graphs::graphlet) },
    Entry { facts: &NeighbourhoodHash::FACTS, make: Make::Kernel(graphs::neighbourhood_hash) },
    Entry { facts: &Propagation::FACTS, make: Make::Kernel(graphs::propagation) },
    Entry { facts: &RandomWalk::FACTS, make: Make::Kernel(graphs::random_walk) },
    Entry { facts: &SubgraphMatching::FACTS, make: Make::Kernel(graphs::subgraph_matching) },
    Entry { facts: &PyramidMatch::FACTS, make: Make::Kernel(graphs::pyramid_match) },
    Entry { facts: &GraphHopper::FACTS, make: Make::Kernel(graphs::graph_hopper) },
    Entry { facts: &SymbolDistribution::FACTS, make: Make::Kernel(strings::symbol_distribution) },
    Entry { facts: &WordDistribution::FACTS, make: Make::Kernel(strings::word_distribution) },
    Entry { facts: &Spectrum::FACTS, make: Make::Kernel(strings::spectrum) },
    Entry { facts: &BlendedSpectrum::FACTS, make: Make::Kernel(strings::blended_spectrum) },
    Entry { facts: &FullSpectrum::FACTS, make: Make::Kernel(strings::full_spectrum) },
    Entry { facts: &Substring::FACTS, make: Make::Kernel(strings::substring) },
    Entry { facts: &Mismatch::FACTS, make: Make::Kernel(strings::mismatch) },
    Entry { facts: &GappedKmer::FACTS, make: Make::Kernel(strings::gapped_kmer) },
    Entry { facts: &Subsequence::FACTS, make: Make::Kernel(strings::subsequence) },
    Entry { facts: &WeightedDegree::FACTS, make: Make::Kernel(strings::weighted_degree) },
    Entry { facts: &LocalAlignment::FACTS, make: Make::Kernel(strings::local_alignment) },
    Entry { facts: &AlignmentDiffusion::FACTS, make: Make::Kernel(strings::alignment_diffusion) },
    Entry { facts: &node::POWER, make: Make::Kernel(nodes::kernel) },
    Entry { facts: &node::DIFFUSION, make: Make::Kernel(nodes::kernel) },
    Entry { facts: &node::VON_NEUMANN, make: Make::Kernel(nodes::kernel) },
    Entry { facts: &node::REGULARIZED_LAPLACIAN, make: Make::Kernel(nodes::kernel) },
    Entry { facts: &node::P_STEP, make: Make::Kernel(nodes::kernel) },
    Entry { facts: &node::COMMUTE_TIME, make: Make::Kernel(nodes::kernel) },
    Entry { facts: &node::PAGERANK, make: Make::Kernel(nodes::kernel) },
    Entry {
        facts: &Euclidean::FACTS,
        make: Make::Distance(|c, s| s.on::<Vectors, _>(c, Negative(Euclidean))),
    },
    Entry { facts: &GlobalAlignment::FACTS, make: Make::Kernel(series::gak) },
    Entry { facts: &Dtw::FACTS, make: Make::Distance(series::dtw) },
    Entry { facts: &series::LEARNED_DTW, make: Make::FittedDistance(series::learned_dtw) },
    Entry { facts: &DerivativeDtw::FACTS, make: Make::Distance(series::derivative_dtw) },
    Entry { facts: &WeightedDtw::FACTS, make: Make::Distance(series::weighted_dtw) },
    Entry { facts: &SoftDtw::FACTS, make: Make::Distance(series::soft_dtw) },
    Entry { facts: &Erp::FACTS, make: Make::Distance(series::erp) },
    Entry { facts: &Lcss::FACTS, make: Make::Distance(series::lcss) },
    Entry { facts: &Msm::FACTS, make: Make::Distance(series::msm) },
    Entry { facts: &Twe::FACTS, make: Make::Distance(series::twe) },
    Entry { facts: &Straight::FACTS, make: Make::Distance(series::series_euclidean) },
    Entry {
        facts: &CosineDistance::FACTS,
        make: Make::Distance(|c, s| s.on::<Vectors, _>(c, Negative(CosineDistance))),
    },
    Entry { facts: &JensenShannon::FACTS, make: Make::Distance(strings::jensen_shannon) },
    Entry { facts: &EditDistance::FACTS, make: Make::Distance(strings::edit_distance) },
    Entry { facts: &HammingDistance::FACTS, make: Make::Distance(strings::hamming_distance) },
    Entry {
        facts: &Normalize::<()>::FACTS,
        make: Make::Wrapper(|c, s| Ok(Boxed::new(Normalize(s.inner(c)?)))),
    },
    Entry { facts: &Center::<()>::FACTS, make: Make::Comparing(wrappers::center) },
    Entry {
        facts: &RbfOf::<()>::FACTS,
        make: Make::Wrapper(|c, s| Ok(Boxed::new(RbfOf::new(s.inner(c)?, c.number("gamma")?)?))),
    },
    Entry { facts: &ZeroExtend::<()>::FACTS, make: Make::Wrapper(wrappers::zero_extend) },
    Entry { facts: &NYSTROM, make: Make::Choosing(nystrom::nystrom) },
    Entry { facts: &EXPLICIT, make: Make::Choosing(explicit::explicit) },
    Entry { facts: &Repaired::<()>::FACTS, make: Make::Comparing(wrappers::repair) },
    Entry { facts: &Exponential::<()>::FACTS, make: Make::Comparing(wrappers::exponential) },
    Entry { facts: &Walked::<()>::FACTS, make: Make::Comparing(walks::walk) },
    Entry { facts: &Markov::<()>::FACTS, make: Make::Comparing(walks::markov) },
    Entry { facts: &transductive::LAPLACIAN_WALK, make: Make::Comparing(walks::laplacian_walk) },
    Entry { facts: &transductive::CLUSTER, make: Make::Comparing(walks::cluster) },
    Entry { facts: &SIMILARITY, make: Make::ComparingBy(similarity::similarity) },
    Entry { facts: &mkl::MKL, make: Make::Joining(mkl::mkl) },
    Entry { facts: &mkl::FUSION, make: Make::ComparingBy(mkl::fusion) },
    Entry { facts: &wrappers::COLUMN_SUM, make: Make::Wrapper(wrappers::column_sum) },
    Entry { facts: &wrappers::COLUMN_PRODUCT, make: Make::Wrapper(wrappers::column_product) },
    Entry { facts: &change::STANDARDIZE, make: Make::FittedWrapper(change::changed) },
    Entry { facts: &change::MINMAX, make: Make::FittedWrapper(change::changed) },
    Entry { facts: &change::IMPUTE, make: Make::FittedWrapper(change::changed) },
    Entry { facts: &preparing::RESAMPLE, make: Make::Wrapper(preparing::prepared) },
    Entry { facts: &preparing::BIN, make: Make::Wrapper(preparing::prepared) },
    Entry { facts: &preparing::ZNORMALIZE, make: Make::Wrapper(preparing::prepared) },
    Entry { facts: &terms::TERMS, make: Make::FittedWrapper(terms::terms) },
    Entry { facts: &terms::CONTENT, make: Make::FittedWrapper(terms::content) },
    Entry { facts: &visual::VISUAL, make: Make::FittedWrapper(visual::visual) },
    Entry { facts: &CORE, make: Make::Wrapper(graphs::layered) },
    Entry { facts: &WL_OF, make: Make::Wrapper(graphs::layered) },
    Entry { facts: &Convolution::FACTS, make: Make::Wrapper(wrappers::convolution) },
];

fn polynomial(call: &Call, gamma: f64) -> Result<Polynomial> {
    // The parser has checked that the degree is a small whole number.
    Polynomial::new(call.number("degree")? as u32, call.number("c")?, gamma)
}

fn fourier(call: &Call, gamma: f64) -> Result<Fourier> {
    let of = call.word("of")?;
    let shape = Shape::named(of).ok_or_else(|| Error::param("of", of, "a kernel with such features"))?;
    let (features, seed) = (call.number("features")? as usize, call.number("seed")? as u64);
    Fourier::new(gamma, features, shape, seed)
}

fn tensor_sketch(call: &Call, gamma: f64) -> Result<TensorSketch> {
    let (degree, features) = (call.number("degree")? as u32, call.number("features")? as usize);
    let c = call.number("c")?;
    TensorSketch::new(degree, c, gamma, features, call.number("seed")? as u64)
}

/// Every kernel and wrapper.
pub fn entries() -> &'static [Entry] {
    REGISTRY
}

/// Facts about the operators `+`, `*` and multiples.
pub fn operators() -> &'static [Facts] {
    &combine::ALGEBRA
}

/// The entry of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    REGISTRY.iter().find(|e| e.facts.name == name)
}

/// Every name.
pub fn names() -> impl Iterator<Item = &'static str> {
    REGISTRY.iter().map(|e| e.facts.name)
}

/// Whether a kernel has explicit features.
pub(super) fn has_features(call: &Call) -> bool {
    matches!(call.entry.facts.name, "linear" | "polynomial")
}

/// The explicit features of a kernel that has them, in terms of the names of coordinates.
pub(super) fn features(
    call: &Call,
    vectors: &Vectors,
    names: &dyn Fn(usize) -> String,
) -> Option<Result<Features>> {
    match call.entry.facts.name {
        "linear" => Some(Linear.named_features(vectors, names)),
        "polynomial" => Some(
            call.number("gamma")
                .and_then(|gamma| polynomial(call, gamma))
                .and_then(|k| k.named_features(vectors, names)),
        ),
        _ => None,
    }
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
            assert_eq!(entries().iter().filter(|e| e.facts.name == f.name).count(), 1);
        }
    }
}
