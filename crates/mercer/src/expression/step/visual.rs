//! The visual words of images in model files.

use crate::container::{Get, Put, Stored, stored};
use crate::error::{Code, Result};
use crate::kernel::image::{Mixture, Projection, Words};

/// One vocabulary per descriptor, stored under numbers from 0.
impl Stored for Vec<Words> {
    fn put(&self, put: &mut Put<'_>) -> Result<()> {
        for (i, words) in self.iter().enumerate() {
            let name = put.name(&i.to_string());
            put.container.put_stored(&name, words)?;
        }
        put.count("vocabularies", self.len())
    }

    fn get(get: &Get<'_>) -> Result<Self> {
        let count = get.count("vocabularies")?;
        let reason = format!("{count} visual vocabularies");
        get.ensure((1..=2).contains(&count), "vocabularies", Code::ModelCount, reason)?;
        (0..count).map(|i| get.container.stored(&get.name(&i.to_string()), get.field)).collect()
    }
}

stored! { Words: m, get {
    mean: numbers = m.projection.parts().0;
    axes: matrix = m.projection.parts().1;
    weights: numbers = m.mixture.parts().0;
    means: matrix = m.mixture.parts().1,
        where means.cols() == axes.rows() => ModelCount
            format!("a vocabulary of {} numbers after a projection to {}", means.cols(), axes.rows());
    variances: matrix = m.mixture.parts().2;
} => {
    let projection = get.fits(Projection::from_parts(mean, axes))?;
    Mixture::from_parts(weights, means, variances).map(|mixture| Words { projection, mixture })
} }
