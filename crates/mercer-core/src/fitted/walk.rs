//! A kernel after a walk of several steps over a training set.

use std::fmt;

use crate::data::{Dense, Vectors};
use crate::error::{Error, Result};
use crate::gram::{Engine, Passage, Walk};
use crate::kernel::vector::{Linear, PreparedVectors};
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part, Prepared, operators};

/// How far a walk goes, and whether its similarities keep their size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    p: u32,
    scaled: bool,
}

impl Steps {
    /// The most steps of a walk.
    pub const MOST: u32 = 1000;

    /// A walk of p steps, 1 ≤ p ≤ 1000, its similarities divided by λmax^(p-1).
    pub fn new(p: u32) -> Result<Self> {
        P.domain.check("p", f64::from(p))?;
        Ok(Steps { p, scaled: true })
    }

    /// The same with similarities as large as they come; fitting fails where that is beyond all numbers.
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

    /// Its word in expressions.
    pub(super) fn scale(&self) -> &'static str {
        if self.scaled { "radius" } else { "none" }
    }
}

/// The parameter p of every walk.
pub(super) const P: Parameter = Parameter {
    name: "p",
    default: "2",
    domain: Domain::Whole(1, Steps::MOST as u64),
    doc: "the number of steps; 1 is the kernel itself",
    alias: None,
};

/// The parameter that says whether similarities keep their size.
pub(super) const SCALE: Parameter = Parameter {
    name: "scale",
    default: "radius",
    domain: Domain::Word(&["radius", "none"]),
    doc: "divide by λmax^(p-1), so that every p gives similarities of one size, or not",
    alias: None,
};

/// A kernel after p steps through a training set: k_p(x, y) = c_x·A^(p-2)·c_yᵀ / λmax^(p-1) for p ≥ 2, with A the Gram
/// matrix of the objects passed through and c_x the similarities of x to them; k itself for p = 1.
///
/// For training objects this is the power A^p. Objects become vectors ([`Passage`]) once, when they are prepared, so a
/// pair costs an inner product. Positive semidefinite for even p whatever k is, for odd p where A is. Normalise with
/// [`Normalize`](crate::kernel::Normalize), which also cancels the factor.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::gram::Engine;
/// use mercer_core::{fitted::{Steps, Walked}, kernel::vector::Linear};
/// let x = Vectors::from(Dense::from_rows(&[[1.0], [2.0]])); // A = [[1, 2], [2, 4]], A² = 5·A
/// let engine = Engine::new();
/// let walked = Walked::fit(Linear, &x, Steps::new(2)?.unscaled(), &engine)?;
/// assert!((engine.gram(&walked, &x)?.at(0, 1) - 10.0).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub struct Walked<K, P = ()> {
    inner: K,
    steps: Steps,
    support: Option<(f64, Vec<usize>)>,
    /// What is passed through and how; none for one step.
    route: Option<(P, Passage)>,
    engine: Engine,
}

impl Walked<()> {
    /// Facts about this wrapper.
    pub const FACTS: Facts = Facts {
        name: "walk",
        summary: "A kernel after p steps: objects are alike when many short ways over other objects join them.",
        formula: "A^p / λmax^(p-1) on the Gram matrix A of the objects passed through; c·A^(p-2)·c'ᵀ / λmax^(p-1) for similarities c, c' to them",
        takes: "a kernel; fitted to the training objects",
        kinds: &[],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            P,
            Parameter {
                name: "through",
                default: "train",
                domain: Domain::Word(&["train", "support", "all"]),
                doc: "what may be passed through: the training objects, the support vectors of a first machine, or all objects (transductive: compares no others)",
                alias: None,
            },
            Parameter {
                name: "C",
                default: "1",
                domain: Domain::Positive,
                doc: "the cost of errors of the first machine for through=support; the others ignore it",
                alias: None,
            },
            SCALE,
        ],
        cost: "n³ to fit; then n·r per object and r per entry",
        reference: "Gavriilidis & Tefas 2013, Random walk kernel applications to classification using support vector machines",
        example: "normalize(walk(rbf(gamma=1), p=1..7, through=train))",
    };
}

impl<K, P> Walked<K, P> {
    /// A walk through all training objects. O(n³).
    pub fn fit<X: ?Sized>(inner: K, training: &X, steps: Steps, engine: &Engine) -> Result<Self>
    where
        K: Kernel<X, Prepared = P>,
        P: Prepared,
    {
        if steps.p == 1 {
            return Ok(Walked { inner, steps, support: None, route: None, engine: engine.kept() });
        }
        let set = inner.prepare(training)?;
        engine.plan_matrices("a matrix and its eigenvectors", set.len(), 8)?;
        let passage = passage(&inner, &engine.gram_of(&inner, &set)?, steps)?;
        Ok(Walked { inner, steps, support: None, route: Some((set, passage)), engine: engine.kept() })
    }

    /// A walk through those training objects that `choose` finds in their Gram matrix: the support vectors of a first
    /// machine fitted with the cost `c`, which the printed kernel names.
    pub fn fit_support<X: ?Sized>(
        inner: K,
        training: &X,
        steps: Steps,
        c: f64,
        choose: impl FnOnce(&Dense) -> Result<Vec<usize>>,
        engine: &Engine,
    ) -> Result<Self>
    where
        K: Kernel<X, Prepared = P>,
        P: Prepared,
    {
        Domain::Positive.check("C", c)?;
        if steps.p == 1 {
            let support = Some((c, Vec::new()));
            return Ok(Walked { inner, steps, support, route: None, engine: engine.kept() });
        }
        let set = inner.prepare(training)?;
        engine.plan_matrices("a matrix and its eigenvectors", set.len(), 8)?;
        let gram: Dense = engine.gram_of(&inner, &set)?;
        let chosen = choose(&gram)?;
        check_support(&chosen, gram.rows())?;
        let mut among = Dense::zeros(chosen.len(), chosen.len());
        for (a, &i) in chosen.iter().enumerate() {
            among.row_mut(a).iter_mut().zip(&chosen).for_each(|(v, &j)| *v = gram.at(i, j));
        }
        let passage = passage(&inner, &among, steps)?;
        let route = Some((set.select(&chosen), passage));
        Ok(Walked { inner, steps, support: Some((c, chosen)), route, engine: engine.kept() })
    }

    /// The kernel an earlier fit to the same training objects gave, from what it found: the support vectors passed
    /// through with their machine's cost (`None` for all objects), and the passage (`None` for one step).
    pub fn restore<X: ?Sized>(
        inner: K,
        training: &X,
        steps: Steps,
        support: Option<(f64, Vec<usize>)>,
        passage: Option<Passage>,
        engine: &Engine,
    ) -> Result<Self>
    where
        K: Kernel<X, Prepared = P>,
        P: Prepared,
    {
        if passage.is_some() != (steps.p > 1) {
            return Err(Error::usage("a stored walk of another number of steps"));
        }
        let Some(passage) = passage else {
            return Ok(Walked { inner, steps, support, route: None, engine: engine.kept() });
        };
        let mut set = inner.prepare(training)?;
        if let Some((_, chosen)) = &support {
            check_support(chosen, set.len())?;
            set = set.select(chosen);
        }
        if set.len() != passage.n() {
            return Err(Error::Shape {
                expected: format!("the {} objects the walk passes through", passage.n()),
                found: format!("{}", set.len()),
            });
        }
        Ok(Walked { inner, steps, support, route: Some((set, passage)), engine: engine.kept() })
    }

    /// How objects enter the walk; none for one step.
    pub fn passage(&self) -> Option<&Passage> {
        self.route.as_ref().map(|(_, passage)| passage)
    }

    /// The training objects passed through, where they are support vectors of a first machine.
    pub fn support(&self) -> Option<&[usize]> {
        self.support.as_ref().map(|(_, chosen)| chosen.as_slice())
    }
}

fn passage<X: ?Sized, K: Kernel<X>>(inner: &K, gram: &Dense, steps: Steps) -> Result<Passage> {
    let walk = Walk::of(gram)?;
    let definite = inner.definiteness() == Definiteness::PositiveSemidefinite;
    let passage = walk.passage(steps.p, definite)?;
    if steps.scaled || walk.radius() == 0.0 { Ok(passage) } else { passage.scaled(walk.factor(steps.p)) }
}

fn check_support(chosen: &[usize], n: usize) -> Result<()> {
    if chosen.is_empty() {
        return Err(Error::usage("a walk through support vectors, of which the first machine has none"));
    }
    // Ascending, as machines give them: so each is there once.
    if chosen.windows(2).any(|w| w[0] >= w[1]) || chosen.iter().any(|&i| i >= n) {
        return Err(Error::usage(format!(
            "support vectors that are not different objects of {n}, ascending"
        )));
    }
    Ok(())
}

impl<K: fmt::Display, P> fmt::Display for Walked<K, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "walk({}, p={}, ", self.inner, self.steps.p)?;
        match &self.support {
            Some((c, _)) => write!(f, "through=support, C={c}, ")?,
            None => f.write_str("through=train, ")?,
        }
        write!(f, "scale={})", self.steps.scale())
    }
}

/// Objects in a walk: coordinates whose inner products are similarities, or the objects themselves for one step.
pub enum Walking<P> {
    /// The objects as prepared for the inner kernel.
    Base(P),
    /// Coordinates that count positively, and such that count negatively if there are any.
    Vectors(PreparedVectors, Option<Box<PreparedVectors>>),
}

impl<P: Prepared> Prepared for Walking<P> {
    fn len(&self) -> usize {
        match self {
            Walking::Base(p) => p.len(),
            Walking::Vectors(v, _) => v.len(),
        }
    }

    fn select(&self, chosen: &[usize]) -> Self {
        match self {
            Walking::Base(p) => Walking::Base(p.select(chosen)),
            Walking::Vectors(plus, minus) => {
                let minus = minus.as_deref().map(|v| Box::new(v.select(chosen)));
                Walking::Vectors(plus.select(chosen), minus)
            }
        }
    }
}

impl<X: ?Sized, K: Kernel<X>> Kernel<X> for Walked<K, K::Prepared> {
    type Prepared = Walking<K::Prepared>;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        let own = self.inner.prepare(objects)?;
        let Some((through, passage)) = &self.route else { return Ok(Walking::Base(own)) };
        let cross = self.engine.cross_of(&self.inner, &own, through)?;
        let (plus, minus) = passage.features(&cross)?;
        let prepared = |features: Dense| Linear.prepare(&Vectors::from(features));
        let minus = if passage.is_definite() { None } else { Some(Box::new(prepared(minus)?)) };
        Ok(Walking::Vectors(prepared(plus)?, minus))
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        match (rows.set, cols.set) {
            (Walking::Base(a), Walking::Base(b)) => {
                self.inner.fill(Part::new(a, rows.range), Part::new(b, cols.range), out)
            }
            (Walking::Vectors(a, less_a), Walking::Vectors(b, less_b)) => {
                Linear.fill(Part::new(a, rows.range.clone()), Part::new(b, cols.range.clone()), out)?;
                let (Some(a), Some(b)) = (less_a.as_deref(), less_b.as_deref()) else { return Ok(()) };
                let mut less = vec![0.0; out.len()];
                Linear.fill(Part::new(a, rows.range), Part::new(b, cols.range), &mut less)?;
                out.iter_mut().zip(&less).for_each(|(v, l)| *v -= l);
                Ok(())
            }
            _ => Err(Error::usage("objects prepared by two different walks")),
        }
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        match of.set {
            Walking::Base(p) => self.inner.diagonal(Part::new(p, of.range), out),
            Walking::Vectors(plus, minus) => {
                Linear.diagonal(Part::new(plus, of.range.clone()), out)?;
                let Some(minus) = minus.as_deref() else { return Ok(()) };
                let mut less = vec![0.0; out.len()];
                Linear.diagonal(Part::new(minus, of.range), &mut less)?;
                out.iter_mut().zip(&less).for_each(|(v, l)| *v -= l);
                Ok(())
            }
        }
    }

    fn definiteness(&self) -> Definiteness {
        match &self.route {
            None => self.inner.definiteness(),
            Some((_, passage)) if passage.is_definite() => Definiteness::PositiveSemidefinite,
            Some(_) => Definiteness::Indefinite,
        }
    }

    fn is_transductive(&self) -> bool {
        self.inner.is_transductive()
    }

    fn tile_side(&self) -> usize {
        if self.route.is_some() { crate::kernel::TILE } else { self.inner.tile_side() }
    }
}

operators!([K, P] Walked<K, P>);
