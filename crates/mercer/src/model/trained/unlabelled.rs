//! Saving and loading of unsupervised models: principal components and clusters.

use super::{Get, Put};
use crate::error::{Code, Result};
use crate::gram::Centering;
use crate::learn::{KernelKMeansModel, KernelPcaModel};

impl Put<'_> {
    pub(super) fn pca(&mut self, trained: &KernelPcaModel) -> Result<()> {
        let (centering, directions) = trained.parts();
        self.array("row-means", centering.row_means.clone())?;
        self.array("grand-mean", vec![centering.grand_mean])?;
        self.matrix("directions", directions)?;
        self.matrix("training", trained.training())?;
        self.array("variances", trained.variances().to_vec())?;
        self.array("total-variance", vec![trained.total_variance()])
    }

    pub(super) fn kmeans(&mut self, trained: &KernelKMeansModel) -> Result<()> {
        self.array("assignments", trained.assignments().iter().map(|&c| c as u32).collect::<Vec<_>>())?;
        self.array("sizes", trained.sizes().iter().map(|&s| s as u64).collect::<Vec<_>>())?;
        self.array("norms", trained.norms().to_vec())?;
        self.array("inertia", vec![trained.inertia()])?;
        self.say("iterations", trained.iterations())?;
        self.say("converged", trained.converged())
    }
}

impl Get<'_> {
    pub(super) fn pca(&self) -> Result<KernelPcaModel> {
        let directions = self.container.matrix(&self.name("directions"))?;
        let training = self.container.matrix(&self.name("training"))?;
        let row_means = self.finite_of("row-means", directions.cols())?.to_vec();
        let centering = Centering { row_means, grand_mean: self.finite_of("grand-mean", 1)?[0] };
        let variances = self.finite_of("variances", directions.rows())?.to_vec();
        let total = self.finite_of("total-variance", 1)?[0];
        self.fits(KernelPcaModel::from_parts(centering, directions, training, variances, total))
    }

    pub(super) fn kmeans(&self) -> Result<KernelKMeansModel> {
        let assignments = self.u32s("assignments")?.iter().map(|&c| c as usize).collect();
        let sizes = self.container.u64s(&self.name("sizes"))?;
        let sizes = sizes.iter().map(|&s| usize::try_from(s)).collect::<std::result::Result<Vec<_>, _>>();
        let sizes = sizes.map_err(|_| self.field.fault(Code::ModelCount, "cluster sizes out of range"))?;
        let norms = self.finite_of("norms", sizes.len())?.to_vec();
        let inertia = self.finite_of("inertia", 1)?[0];
        let run = (self.field.get("iterations")?.count()?, self.field.get("converged")?.flag()?);
        self.fits(KernelKMeansModel::from_parts(assignments, sizes, norms, inertia, run))
    }
}
