//! Label propagation on the splits of an evaluation: a baseline for kernels between nodes.

use super::Evaluate;
use crate::data::{Dataset, Target, Values};
use crate::error::Result;
use crate::kernel::node::label_propagation;

impl Evaluate {
    /// The α of Zhou et al. 2004 that [`Evaluate::label_propagation`] uses: how far labels spread.
    pub const SPREAD: f64 = 0.9;

    /// The mean accuracy of [`label_propagation`] over the same splits; `None` where objects are not nodes of one graph
    /// or have no classes.
    pub fn label_propagation(&self, data: &Dataset) -> Result<Option<f64>> {
        let nodes = data.columns().iter().find_map(|c| match &c.values {
            Values::Nodes(nodes) => Some(nodes),
            _ => None,
        });
        let (Some(nodes), Some(Target::Classes(classes))) = (nodes, data.target()) else { return Ok(None) };
        let splits = self.splits(data)?;
        let mut sum = 0.0;
        for split in &splits {
            let mut known = vec![None; nodes.network().len()];
            for &i in &split.train {
                known[nodes.chosen()[i] as usize] = classes.code(i).map(|c| c as usize);
            }
            let found = label_propagation(nodes.network(), &known, classes.levels().len(), Self::SPREAD)?;
            let right = |i: &&usize| {
                classes.code(**i).is_some_and(|c| c as usize == found[nodes.chosen()[**i] as usize])
            };
            sum += split.test.iter().filter(right).count() as f64 / split.test.len().max(1) as f64;
        }
        Ok(Some(sum / splits.len().max(1) as f64))
    }
}
