//! The power of a kernel: a walk of several steps over a training set.

use std::fmt;

use super::empirical::{EmpiricalMap, SignedVectors, SimilarityMap, training_gram};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::{Engine, Passage, Walk};
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Prepared, TILE};

/// The number of steps of a walk, and whether its similarities are scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerSteps {
    p: u32,
    scaled: bool,
}

impl PowerSteps {
    /// The maximum number of steps.
    pub const MOST: u32 = 1000;

    /// A walk of p steps, 1 ≤ p ≤ 1000, with similarities divided by λmax^(p-1).
    pub fn new(p: u32) -> Result<Self> {
        P.check(f64::from(p))?;
        Ok(PowerSteps { p, scaled: true })
    }

    /// The same walk without scaling; fitting fails on overflow.
    #[must_use]
    pub fn unscaled(mut self) -> Self {
        self.scaled = false;
        self
    }

    /// The number of steps.
    pub fn p(&self) -> u32 {
        self.p
    }

    /// Whether similarities are divided by λmax^(p-1).
    pub fn is_scaled(&self) -> bool {
        self.scaled
    }

    /// The word for the scaling in expressions.
    pub(super) fn scale(&self) -> &'static str {
        if self.scaled { "radius" } else { "none" }
    }
}

/// The parameter p of every walk.
pub(super) const P: Parameter = Parameter {
    name: "p",
    default: "2",
    domain: Domain::Whole(1, PowerSteps::MOST as u64),
    doc: "the number of steps; 1 is the kernel itself",
    alias: None,
};

/// The parameter for the scaling of similarities.
pub(super) const SCALE: Parameter = Parameter {
    name: "scale",
    default: "radius",
    domain: Domain::Word(&["radius", "none"]),
    doc: "radius: divide by λmax^(p-1), so that similarities have the same magnitude for every p",
    alias: None,
};

/// A kernel after p steps through a training set: k_p(x, y) = c_x·A^(p-2)·c_yᵀ / λmax^(p-1) for p ≥ 2, with A the Gram
/// matrix of the objects walked through and c_x the similarities of x to them; k itself for p = 1.
///
/// For training objects this is the power A^p. Objects are converted to vectors ([`Passage`]) once, when they are
/// prepared, so a pair costs one inner product. Positive semidefinite for even p and any k, for odd p where A is.
/// [`Normalize`](crate::kernel::Normalize) also cancels the scaling factor.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::gram::Engine;
/// use mercer_core::{fitted::{MatrixPower, PowerSteps}, kernel::vector::Linear};
/// let x = Vectors::from(Dense::from_rows(&[[1.0], [2.0]])); // A = [[1, 2], [2, 4]], A² = 5·A
/// let engine = Engine::new();
/// let squared = MatrixPower::fit(Linear, &x, PowerSteps::new(2)?.unscaled(), &engine)?;
/// assert!((engine.gram(&squared, &x)?.at(0, 1) - 10.0).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub type MatrixPower<K, P = ()> = EmpiricalMap<K, P, PowerMap>;

/// A fitted walk: its parameters and its passage.
pub struct PowerMap {
    steps: PowerSteps,
    support: Option<(f64, Vec<usize>)>,
    /// The map to coordinates; `None` for one step.
    passage: Option<Passage>,
}

impl MatrixPower<()> {
    /// Facts about this wrapper.
    pub const FACTS: Facts = Facts {
        name: "walk",
        summary: "A random walk of p steps: objects are similar when many short walks over other objects join them.",
        formula: "A^p / λmax^(p-1) on the Gram matrix A of the objects walked through; c·A^(p-2)·c'ᵀ / λmax^(p-1) for similarities c, c' to them",
        takes: "a kernel; fitted to the training objects",
        kinds: &[],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            P,
            Parameter {
                name: "through",
                default: "train",
                domain: Domain::Word(&["train", "support", "all"]),
                doc: "the objects walked through: the training objects, the support vectors of a first model, or all objects (transductive: compares no others)",
                alias: None,
            },
            Parameter {
                name: "C",
                default: "1",
                domain: Domain::Positive,
                doc: "the C of the first model for through=support; ignored otherwise",
                alias: None,
            },
            SCALE,
        ],
        cost: "n³ to fit; then n·r per object and r per entry",
        reference: "Gavriilidis & Tefas 2013, Random walk kernel applications to classification using support vector machines",
        example: "normalize(walk(rbf(gamma=1), p=1..7, through=train))",
    };
}

impl<K, P: Prepared> MatrixPower<K, P> {
    /// A walk through all training objects. O(n³).
    pub fn fit<X: ?Sized>(inner: K, training: &X, steps: PowerSteps, engine: &Engine) -> Result<Self>
    where
        K: Kernel<X, Prepared = P>,
    {
        if steps.p == 1 {
            return Ok(Self::of(inner, steps, None, None, engine));
        }
        let set = inner.prepare(training)?;
        let passage = passage(&inner, &training_gram(&inner, &set, engine)?, steps)?;
        Ok(Self::of(inner, steps, None, Some((set, passage)), engine))
    }

    /// A walk through the training objects that `choose` returns for their Gram matrix: the support vectors of a first
    /// model fitted with the cost `c`, which is part of the printed kernel.
    pub fn fit_support<X: ?Sized>(
        inner: K,
        training: &X,
        steps: PowerSteps,
        c: f64,
        choose: impl FnOnce(&Dense) -> Result<Vec<usize>>,
        engine: &Engine,
    ) -> Result<Self>
    where
        K: Kernel<X, Prepared = P>,
    {
        MatrixPower::<()>::FACTS.check("C", c)?;
        if steps.p == 1 {
            return Ok(Self::of(inner, steps, Some((c, Vec::new())), None, engine));
        }
        let set = inner.prepare(training)?;
        let gram = training_gram(&inner, &set, engine)?;
        let chosen = choose(&gram)?;
        check_support(&chosen, gram.rows())?;
        let mut among = Dense::zeros(chosen.len(), chosen.len());
        for (a, &i) in chosen.iter().enumerate() {
            among.row_mut(a).iter_mut().zip(&chosen).for_each(|(v, &j)| *v = gram.at(i, j));
        }
        let passage = passage(&inner, &among, steps)?;
        let route = Some((set.select(&chosen), passage));
        Ok(Self::of(inner, steps, Some((c, chosen)), route, engine))
    }

    /// Restores an earlier fit to the same training objects, from the support vectors walked through with their model's
    /// cost (`None` for all objects) and the passage (`None` for one step).
    pub fn restore<X: ?Sized>(
        inner: K,
        training: &X,
        steps: PowerSteps,
        support: Option<(f64, Vec<usize>)>,
        passage: Option<Passage>,
        engine: &Engine,
    ) -> Result<Self>
    where
        K: Kernel<X, Prepared = P>,
    {
        if passage.is_some() != (steps.p > 1) {
            return Err(Error::usage("the stored walk has another number of steps"));
        }
        let Some(passage) = passage else {
            return Ok(Self::of(inner, steps, support, None, engine));
        };
        let mut set = inner.prepare(training)?;
        if let Some((_, chosen)) = &support {
            check_support(chosen, set.len())?;
            set = set.select(chosen);
        }
        if set.len() != passage.n() {
            return Err(Error::Shape {
                expected: format!("the {} objects walked through", passage.n()),
                found: format!("{}", set.len()),
            });
        }
        Ok(Self::of(inner, steps, support, Some((set, passage)), engine))
    }

    /// `route`: the prepared objects walked through and the map to coordinates; `None` for one step.
    fn of<X: ?Sized>(
        inner: K,
        steps: PowerSteps,
        support: Option<(f64, Vec<usize>)>,
        route: Option<(P, Passage)>,
        engine: &Engine,
    ) -> Self
    where
        K: Kernel<X, Prepared = P>,
    {
        let tile_side = if route.is_some() { TILE } else { inner.tile_side() };
        let (training, passage) = route.unzip();
        let map = PowerMap { steps, support, passage };
        EmpiricalMap { inner, training, map, shift: None, tile_side, engine: engine.kept() }
    }
}

impl<K, P> MatrixPower<K, P> {
    /// The map from similarities to coordinates; `None` for one step.
    pub fn passage(&self) -> Option<&Passage> {
        self.map.passage.as_ref()
    }

    /// The training objects walked through, if they are the support vectors of a first model.
    pub fn support(&self) -> Option<&[usize]> {
        self.map.support.as_ref().map(|(_, chosen)| chosen.as_slice())
    }
}

fn passage<X: ?Sized, K: Kernel<X>>(inner: &K, gram: &Dense, steps: PowerSteps) -> Result<Passage> {
    let walk = Walk::of(gram)?;
    let definite = inner.definiteness() == Definiteness::PositiveSemidefinite;
    let passage = walk.passage(steps.p, definite)?;
    if steps.scaled || walk.radius() == 0.0 { Ok(passage) } else { passage.scaled(walk.factor(steps.p)) }
}

fn check_support(chosen: &[usize], n: usize) -> Result<()> {
    if chosen.is_empty() {
        return Err(Error::usage("the first model of the walk has no support vectors"));
    }
    // Strictly ascending, as models return them, so that none is repeated.
    if chosen.windows(2).any(|w| w[0] >= w[1]) || chosen.iter().any(|&i| i >= n) {
        return Err(Error::usage(format!("the support vectors are not distinct, ascending and below {n}")));
    }
    Ok(())
}

impl<K: fmt::Display, P> fmt::Display for MatrixPower<K, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PowerMap { steps, support, .. } = &self.map;
        write!(f, "walk({}, p={}, ", self.inner, steps.p)?;
        match support {
            Some((c, _)) => write!(f, "through=support, C={c}, ")?,
            None => f.write_str("through=train, ")?,
        }
        write!(f, "scale={})", steps.scale())
    }
}

impl<X: ?Sized> SimilarityMap<X> for PowerMap {
    const KERNELS: &'static str = "walks";

    fn coordinates(&self, _objects: &X, cross: &Dense) -> Result<Option<SignedVectors>> {
        let Some(passage) = &self.passage else { return Ok(None) };
        let (plus, minus) = passage.features(cross)?;
        let minus = (!passage.is_definite()).then_some(minus);
        SignedVectors::new(plus, minus, vec![0.0; cross.rows()]).map(Some)
    }

    fn is_definite(&self) -> bool {
        self.passage.as_ref().is_none_or(Passage::is_definite)
    }
}
