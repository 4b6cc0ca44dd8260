//! The Nyström approximation of a kernel by landmarks.

use std::fmt;
use std::marker::PhantomData;

use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::{Engine, Landmarks, choose_landmarks, triangular_whitening, whitening};
use crate::kernel::coordinates::{Coordinates, of_coordinates};
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part, Prepared};
use crate::numeric::algebra::{product, product_upper};
use crate::random::Random;

/// The settings of `nystrom`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NystromSettings {
    /// The number of landmarks.
    pub rank: usize,
    /// How landmarks are chosen.
    pub landmarks: Landmarks,
    /// The random seed.
    pub seed: u64,
}

/// Facts about the wrapper.
pub const NYSTROM: Facts = Facts {
    name: "nystrom",
    summary: "The Nyström approximation by a few landmarks: coordinates for each object, for data too large for a Gram matrix.",
    formula: "k(x, L) · W⁺ · k(L, y), W = k(L, L); coordinates are kept in single precision, about 7 digits",
    takes: "a kernel without negative eigenvalues",
    kinds: &[],
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[
        Parameter {
            name: "rank",
            default: "100",
            domain: Domain::Whole(1, 100_000),
            doc: "the number of landmarks",
            alias: None,
        },
        Parameter {
            name: "landmarks",
            default: "uniform",
            domain: Domain::Word(&Landmarks::NAMES),
            doc: "how landmarks are chosen among training objects",
            alias: None,
        },
        Parameter {
            name: "seed",
            default: "0",
            domain: Domain::Whole(0, 1 << 53),
            doc: "the random seed",
            alias: None,
        },
    ],
    cost: "rank kernel values and rank² multiplications per object, once; then rank multiplications per pair",
    reference: "Williams & Seeger 2001",
    example: "nystrom(rbf(gamma=0.1), rank=50)",
};

/// Objects whose coordinates are computed together.
const BLOCK: usize = 512;
/// The number of training objects used to estimate the error.
const MEASURED: usize = 1000;

/// A kernel approximated by landmarks: k(x, L)·W⁺·k(L, y), where L are landmarks among the training objects and W =
/// k(L, L).
///
/// Each object is prepared as coordinates z(x) = Mᵀ·k(L, x), M·Mᵀ = W⁺, so a Gram matrix of n objects costs n·rank
/// kernel values instead of n², and a linear model on the coordinates needs no matrix at all. The residual K - C·W⁺·Cᵀ
/// has no negative eigenvalue; its fraction of the trace is [`Nystrom::error`].
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, gram::{Engine, Landmarks}};
/// use mercer_core::{fitted::{Nystrom, NystromSettings}, kernel::vector::Linear};
/// let x = Vectors::from(Dense::from_rows(&[[1.0, 0.0], [0.0, 2.0], [3.0, 1.0], [1.0, 1.0]]));
/// let settings = NystromSettings { rank: 2, landmarks: Landmarks::Pivots, seed: 0 };
/// let (engine, exact) = (Engine::new(), Engine::new().gram(&Linear, &x)?);
/// let kernel = Nystrom::fit(Linear, &engine.prepare(&Linear, &x)?, settings, &engine)?;
/// let k = engine.gram(&kernel, &x)?; // two landmarks span the plane
/// assert!(k.values().iter().zip(exact.values()).all(|(a, b)| (a - b).abs() < 1e-5));
/// assert!(kernel.error() < 1e-6);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub struct Nystrom<X: ?Sized, K: Kernel<X>> {
    kernel: K,
    landmarks: K::Prepared,
    map: Dense,
    is_upper: bool,
    chosen: Vec<usize>,
    error: f64,
    settings: NystromSettings,
    objects: PhantomData<fn(&X)>,
}

/// Whether a map is square without entries below the diagonal.
fn is_upper(map: &Dense) -> bool {
    map.rows() == map.cols() && (1..map.rows()).all(|i| map.row(i)[..i].iter().all(|v| *v == 0.0))
}

impl<X: ?Sized, K: Kernel<X>> Nystrom<X, K> {
    /// Chooses landmarks among prepared training objects and estimates the error.
    pub fn fit(kernel: K, set: &K::Prepared, settings: NystromSettings, engine: &Engine) -> Result<Self> {
        let NystromSettings { rank, landmarks, seed } = settings;
        let chosen = choose_landmarks(engine, &kernel, set, rank, landmarks, seed)?;
        let landmarks = set.select(&chosen);
        let map = engine.run(|| {
            let w = engine.gram_of(&kernel, &landmarks)?;
            match triangular_whitening(w.clone())? {
                Some(map) => Ok(map),
                None => whitening(&w),
            }
        })?;
        let is_upper = is_upper(&map);
        let mut fitted =
            Nystrom { kernel, landmarks, map, is_upper, chosen, error: 0.0, settings, objects: PhantomData };
        fitted.error = engine.run(|| fitted.measure(set))?;
        Ok(fitted)
    }

    /// Restores the kernel from its landmarks and map.
    #[doc(hidden)]
    pub fn restore(
        kernel: K,
        landmarks: K::Prepared,
        map: Dense,
        error: f64,
        settings: NystromSettings,
    ) -> Result<Self> {
        if landmarks.len() != map.rows() {
            let reason = format!("{} landmarks, but a map of {} rows", landmarks.len(), map.rows());
            return Err(Error::usage(reason));
        }
        let is_upper = is_upper(&map);
        Ok(Nystrom {
            kernel,
            landmarks,
            map,
            is_upper,
            chosen: Vec::new(),
            error,
            settings,
            objects: PhantomData,
        })
    }

    /// The landmarks, as ascending positions among the training objects; empty if the kernel was restored.
    pub fn landmark_indices(&self) -> &[usize] {
        &self.chosen
    }

    /// M: one row per landmark, one column per coordinate.
    pub fn map(&self) -> &Dense {
        &self.map
    }

    /// The fraction of the trace of the training Gram matrix that is left out, estimated from at most a thousand
    /// objects.
    pub fn error(&self) -> f64 {
        self.error
    }

    fn measure(&self, set: &K::Prepared) -> Result<f64> {
        let rows = Random::derived(self.settings.seed, 0x7ace).sample(set.len(), MEASURED);
        let some = set.select(&rows);
        let seen = self.coordinates_of(&some)?;
        let (mut exact, mut kept) = (vec![0.0; rows.len()], vec![0.0; rows.len()]);
        self.kernel.diagonal(Part::all(&some), &mut exact)?;
        Coordinates::diagonal(&Part::all(&seen), &mut kept);
        let (whole, kept): (f64, f64) = (exact.iter().sum(), kept.iter().sum());
        Ok(if whole > 0.0 { ((whole - kept) / whole).clamp(0.0, 1.0) } else { 0.0 })
    }

    fn coordinates_of(&self, set: &K::Prepared) -> Result<Coordinates> {
        let (m, dim) = (self.map.rows(), self.map.cols());
        Coordinates::made(set.len(), dim, BLOCK, |rows, out| {
            let mut tile = Dense::zeros(rows.len(), m);
            let landmarks = Part::all(&self.landmarks);
            self.kernel.fill(Part::new(set, rows.clone()), landmarks, tile.values_mut())?;
            if let Some((row, col)) = tile.find_non_finite() {
                return Err(Error::NonFinite { row: rows.start + row, col, overflow: true });
            }
            let seen = match self.is_upper {
                true => product_upper(&tile, &self.map),
                false => product(&tile, &self.map),
            };
            out.iter_mut().zip(seen.values()).for_each(|(to, v)| *to = *v as f32);
            Ok(())
        })
    }
}

impl<X: ?Sized, K: Kernel<X>> fmt::Display for Nystrom<X, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NystromSettings { rank, landmarks, seed } = self.settings;
        write!(f, "nystrom({}, rank={rank}, landmarks={}, seed={seed})", self.kernel, landmarks.name())
    }
}

impl<X: ?Sized, K: Kernel<X>> Kernel<X> for Nystrom<X, K> {
    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        self.coordinates_of(&self.kernel.prepare(objects)?)
    }

    fn is_transductive(&self) -> bool {
        self.kernel.is_transductive()
    }

    of_coordinates!();
}
