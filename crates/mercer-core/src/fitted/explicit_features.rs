//! Kernels as inner products of explicit features, restricted to those of the training objects.

use std::fmt;
use std::marker::PhantomData;

use crate::data::Vectors;
use crate::error::{Error, Result};
use crate::kernel::vector::{Linear, PreparedVectors, inner_products};
use crate::kernel::{Definiteness, Facts, FeatureColumns, FeatureParts, Kernel, Part};

/// Facts about the wrapper.
pub const EXPLICIT: Facts = Facts {
    name: "explicit",
    summary: "The exact explicit features of a kernel, for linear models on very many strings, graphs or records.",
    formula: "Σ_f φ_f(x)·φ_f(y) over the features f of the training objects",
    takes: "a linear or counting kernel; fitted to the training objects",
    kinds: &[],
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[],
    cost: "preparing each object once; then one multiplication per shared feature",
    reference: "Joachims 1998; Shervashidze et al. 2011, section 3",
    example: "explicit(spectrum(k=3))",
};

/// A kernel given by explicit features: φ(x)·φ(y) over the features f of the training objects.
///
/// Compared with training objects it equals the kernel itself: features that none of them has contribute nothing. Each
/// object is prepared as a sparse row, so that a linear model needs no similarities. Columns are ordered by feature
/// hash, independent of the order of training objects.
///
/// ```
/// use mercer_core::{data::Strings, fitted::ExplicitFeatures, gram::Engine, kernel::{Kernel, Normalize, string::Spectrum}};
/// let words: Strings = ["abracadabra", "cadabra"].into_iter().collect();
/// let (engine, inner) = (Engine::new(), Normalize(Spectrum::new(2)?));
/// let exact = engine.gram(&inner, &words)?;
/// let set = engine.prepare(&inner, &words)?;
/// let kernel = ExplicitFeatures::fit(inner, &set)?;
/// assert!((engine.gram(&kernel, &words)?.at(1, 0) - exact.at(1, 0)).abs() < 1e-15);
/// // ab, br, ra, ac, ca, ad, da
/// assert_eq!(kernel.rows(&engine.prepare(&kernel, &words)?)?.unwrap().dim(), 7);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub struct ExplicitFeatures<X: ?Sized, K: Kernel<X>> {
    kernel: K,
    columns: Vec<FeatureColumns>,
    objects: PhantomData<fn(&X)>,
}

impl<X: ?Sized, K: Kernel<X>> ExplicitFeatures<X, K> {
    /// Fits to the features of prepared training objects.
    pub fn fit(kernel: K, set: &K::Prepared) -> Result<Self> {
        let parts = kernel.parts(set)?.ok_or_else(|| without_features(&kernel))?;
        let columns = parts.columns();
        Ok(ExplicitFeatures::restore(kernel, columns))
    }

    /// Restores the kernel from its columns.
    #[doc(hidden)]
    pub fn restore(kernel: K, columns: Vec<FeatureColumns>) -> Self {
        ExplicitFeatures { kernel, columns, objects: PhantomData }
    }

    /// The columns of each part of the kernel's features.
    pub fn columns(&self) -> &[FeatureColumns] {
        &self.columns
    }
}

fn without_features(kernel: &impl fmt::Display) -> Error {
    Error::Param {
        name: "kernel".into(),
        value: kernel.to_string(),
        domain: "one with explicit features: linear, kernels of low rank, kernels on strings and graphs that are sums of \
                 products of counts (spectrum, wl, shortest-path, …), normalize around them, their sums and multiples"
            .into(),
    }
}

impl<X: ?Sized, K: Kernel<X>> fmt::Display for ExplicitFeatures<X, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "explicit({})", self.kernel)
    }
}

impl<X: ?Sized, K: Kernel<X>> Kernel<X> for ExplicitFeatures<X, K> {
    type Prepared = PreparedVectors;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        let set = self.kernel.prepare(objects)?;
        let parts = self.kernel.parts(&set)?.ok_or_else(|| without_features(&self.kernel))?;
        Linear.prepare(&Vectors::Sparse(parts.write(&self.columns)?))
    }

    fn is_transductive(&self) -> bool {
        self.kernel.is_transductive()
    }

    fn parts<'a>(&self, prepared: &'a Self::Prepared) -> Result<Option<FeatureParts<'a>>> {
        Linear.parts(prepared)
    }

    inner_products!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Strings;
    use crate::gram::Engine;
    use crate::kernel::combine::{Product, Scale, Sum};
    use crate::kernel::string::{Spectrum, SymbolDistribution};
    use crate::kernel::{Normalize, Prepared};

    const WORDS: [&str; 6] = ["abracadabra", "cadabra", "", "bananas", "band", "cab"];

    fn words(which: std::ops::Range<usize>) -> Strings {
        WORDS[which].iter().copied().collect()
    }

    fn spectrum(k: usize) -> Spectrum {
        Spectrum::new(k).unwrap()
    }

    fn compare<K: Kernel<Strings> + Clone>(kernel: K, tolerance: f64) {
        let engine = Engine::new();
        let (train, new) = (words(0..4), words(3..6));
        let fitted =
            ExplicitFeatures::fit(kernel.clone(), &engine.prepare(&kernel, &train).unwrap()).unwrap();
        for (objects, what) in [(&train, "training"), (&new, "new")] {
            let exact = engine.cross(&kernel, objects, &train).unwrap();
            let found = engine.cross(&fitted, objects, &train).unwrap();
            for (a, b) in found.values().iter().zip(exact.values()) {
                assert!((a - b).abs() <= tolerance, "{kernel} of {what}: {a} {b}");
            }
        }
        // Rows do not depend on the order of training objects, nor on the other objects of a set.
        let reversed: Strings = WORDS[..4].iter().rev().copied().collect();
        let again =
            ExplicitFeatures::fit(kernel.clone(), &engine.prepare(&kernel, &reversed).unwrap()).unwrap();
        assert_eq!(again.columns(), fitted.columns());
        let all = kernel.prepare(&words(0..6)).unwrap();
        let chosen = ExplicitFeatures::fit(kernel.clone(), &all.select(&[0, 1, 2, 3])).unwrap();
        assert_eq!(chosen.columns(), fitted.columns());
    }

    #[test]
    fn features_are_the_kernel() {
        compare(spectrum(2), 0.0);
        compare(Normalize(spectrum(2)), 1e-15);
        compare(SymbolDistribution::new(), 1e-15);
        compare(Sum(spectrum(1), Scale::new(0.25, Normalize(spectrum(3))).unwrap()), 1e-14);
    }

    #[test]
    fn products_and_distances_have_no_explicit_features() {
        let words = words(0..3);
        let product = Product(spectrum(1), spectrum(2));
        let set = Kernel::<Strings>::prepare(&product, &words).unwrap();
        let refused = ExplicitFeatures::fit(product, &set).err().unwrap().to_string();
        assert!(refused.contains("explicit features"), "{refused}");
    }
}
