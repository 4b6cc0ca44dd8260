//! Principal components and clusters in model files.

use crate::container::stored;
use crate::gram::Centering;
use crate::learn::{KernelKMeansModel, KernelPcaModel};

stored! { Centering: m, get {
    row_means: numbers as "row-means" = &m.row_means;
    grand_mean: one as "grand-mean" = m.grand_mean;
} => Ok(Centering { row_means, grand_mean }) }

stored! { KernelPcaModel: m, get {
    centering: part = m.parts().0;
    directions: matrix = m.parts().1;
    training: matrix = m.training();
    variances: numbers = m.variances();
    total: one as "total-variance" = m.total_variance();
} => KernelPcaModel::from_parts(centering, directions, training, variances, total) }

stored! { KernelKMeansModel: m, get {
    assignments: indices = m.assignments();
    sizes: sizes = m.sizes();
    norms: numbers = m.norms();
    inertia: one = m.inertia();
    iterations: count = m.iterations();
    converged: flag = m.converged();
} => KernelKMeansModel::from_parts(assignments, sizes, norms, inertia, (iterations, converged)) }
