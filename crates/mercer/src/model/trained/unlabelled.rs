//! Machines that learn without a target in a model: principal components and clusters.

use super::{Get, Put};
use crate::error::{Code, Result};
use crate::gram::Centering;
use crate::learn::{KernelKMeansMachine, KernelPcaMachine};

impl Put<'_> {
    pub(super) fn pca(&mut self, machine: &KernelPcaMachine) -> Result<()> {
        let (centering, directions) = machine.parts();
        self.array("row-means", centering.row_means.clone())?;
        self.array("grand-mean", vec![centering.grand_mean])?;
        self.matrix("directions", directions)?;
        self.matrix("training", machine.training())?;
        self.array("variances", machine.variances().to_vec())?;
        self.array("total-variance", vec![machine.total_variance()])
    }

    pub(super) fn kmeans(&mut self, machine: &KernelKMeansMachine) -> Result<()> {
        self.array("assignments", machine.assignments().iter().map(|&c| c as u32).collect::<Vec<_>>())?;
        self.array("sizes", machine.sizes().iter().map(|&s| s as u64).collect::<Vec<_>>())?;
        self.array("norms", machine.norms().to_vec())?;
        self.array("inertia", vec![machine.inertia()])?;
        self.say("iterations", machine.iterations())?;
        self.say("converged", machine.converged())
    }
}

impl Get<'_> {
    pub(super) fn pca(&self) -> Result<KernelPcaMachine> {
        let directions = self.container.matrix(&self.name("directions"))?;
        let training = self.container.matrix(&self.name("training"))?;
        let row_means = self.finite_of("row-means", directions.cols())?.to_vec();
        let centering = Centering { row_means, grand_mean: self.finite_of("grand-mean", 1)?[0] };
        let variances = self.finite_of("variances", directions.rows())?.to_vec();
        let total = self.finite_of("total-variance", 1)?[0];
        self.fits(KernelPcaMachine::from_parts(centering, directions, training, variances, total))
    }

    pub(super) fn kmeans(&self) -> Result<KernelKMeansMachine> {
        let assignments = self.u32s("assignments")?.iter().map(|&c| c as usize).collect();
        let sizes = self.container.u64s(&self.name("sizes"))?;
        let sizes = sizes.iter().map(|&s| usize::try_from(s)).collect::<std::result::Result<Vec<_>, _>>();
        let sizes = sizes.map_err(|_| self.field.fault(Code::ModelCount, "clusters beyond all numbers"))?;
        let norms = self.finite_of("norms", sizes.len())?.to_vec();
        let inertia = self.finite_of("inertia", 1)?[0];
        let run = (self.field.get("iterations")?.count()?, self.field.get("converged")?.flag()?);
        self.fits(KernelKMeansMachine::from_parts(assignments, sizes, norms, inertia, run))
    }
}
