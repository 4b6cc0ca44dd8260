//! The global alignment kernel.

use crate::data::Series;
use crate::distance::series::{
    Band, CHANNEL, Channel, ChannelChoice, Local, PreparedSeries, SERIES, SelfAligned, TILE_SIDE, log_sums,
};
use crate::error::Result;
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part, declared, operators};

/// The global alignment kernel: the sum over all alignments of two series of the product of local similarities, divided
/// by the geometric mean of the self-similarities.
///
/// K(x, y) = Σ_π Π_((i, j) ∈ π) κ(x_i, y_j), κ = e/(2 - e), e = exp(-|x_i - y_j|²/(2σ²)), and
/// k(x, y) = K(x, y)/√(K(x, x)·K(y, y)). Unlike the Gaussian of a warping distance it is positive semidefinite.
///
/// With `triangular` = T > 0, e is multiplied by max(0, 1 - |i - j|/T): alignments stay within T time steps, and series
/// whose lengths differ by T or more have similarity 0.
///
/// Parameters: `sigma` > 0; a good start is the median distance of time steps times the square root of the median
/// length. `triangular`, `channel`. Cost: n·m exponentials. Sums are stored as logarithms, so series may have any
/// length.
///
/// Reference: Cuturi 2011, Fast global alignment kernels.
///
/// ```
/// use mercer_core::{data::Series, gram::Engine, series::GlobalAlignment};
/// let x = [Series::new(1, vec![1.0])?, Series::new(1, vec![2.0])?];
/// let e = (-0.5f64).exp();
/// let k = Engine::new().gram(&GlobalAlignment::new(1.0)?, &x[..])?;
/// assert!((k.at(0, 1) - e / (2.0 - e)).abs() < 1e-15 && k.at(0, 0) == 1.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlobalAlignment {
    sigma: f64,
    triangular: usize,
    channel: usize,
}

impl GlobalAlignment {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "gak",
        summary: "The global alignment kernel of series: a sum over all alignments, normalised.",
        formula: "K(x, y)/√(K(x, x)·K(y, y)), K(x, y) = Σ over alignments of Π e/(2 - e), e = exp(-|x_i - y_j|²/(2·sigma²))",
        takes: "series",
        kinds: SERIES,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "sigma",
                default: "1",
                domain: Domain::Positive,
                doc: "Scale of the local Gaussian between time steps",
                alias: None,
            },
            Parameter {
                name: "triangular",
                default: "0",
                domain: Domain::Whole(0, 1 << 31),
                doc: "Maximum time difference of aligned time steps, with linearly falling weight; 0 for no limit",
                alias: None,
            },
            CHANNEL,
        ],
        cost: "n·m exponentials for lengths n and m",
        reference: "Cuturi 2011",
        example: "gak(sigma=2)",
    };

    /// With this scale of local differences.
    pub fn new(sigma: f64) -> Result<Self> {
        Self::FACTS.check("sigma", sigma)?;
        Ok(GlobalAlignment { sigma, triangular: 0, channel: 0 })
    }

    /// The triangular kernel, whose alignments stay within this many time steps; 0 for no limit.
    pub fn triangular(mut self, time_steps: usize) -> Self {
        self.triangular = time_steps;
        self
    }

    /// Selects one channel, from 1; 0 selects all.
    pub fn on(mut self, channel: usize) -> Self {
        self.channel = channel;
        self
    }

    fn local(&self) -> Local {
        Local::Divisible { scale: 0.5 / (self.sigma * self.sigma), triangle: self.triangular }
    }
}

declared!(GlobalAlignment { sigma, triangular, channel as Channel });

impl Kernel<[Series]> for GlobalAlignment {
    type Prepared = SelfAligned;

    fn prepare(&self, objects: &[Series]) -> Result<Self::Prepared> {
        SelfAligned::new(
            PreparedSeries::plain(objects, ChannelChoice::at(self.channel))?,
            self.local(),
            &Band::FULL,
        )
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        log_sums(self.local(), &Band::FULL, rows.of(|s| &s.series), cols.of(|s| &s.series), out)?;
        for (value, (x, y)) in out.iter_mut().zip(SelfAligned::pair_values(&rows, &cols)) {
            *value = (*value - 0.5 * (x + y)).exp();
        }
        Ok(())
    }

    fn diagonal(&self, _of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        out.fill(1.0);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }

    fn tile_side(&self) -> usize {
        TILE_SIDE
    }
}

operators!([] GlobalAlignment);
