//! A user-defined kernel on user-defined objects: `cargo run --example own_kernel`.

use std::{collections::BTreeSet, fmt};

use mercer::kernel::{Definiteness, Part};
use mercer::prelude::*;

/// The items of one purchase.
type Basket = BTreeSet<&'static str>;

/// The number of items that two baskets share: the inner product of their indicator vectors.
#[derive(Clone)]
struct Shared;

impl fmt::Display for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("shared")
    }
}

impl Kernel<[Basket]> for Shared {
    type Prepared = Vec<Basket>;

    fn prepare(&self, baskets: &[Basket]) -> Result<Vec<Basket>> {
        Ok(baskets.to_vec())
    }

    fn fill(&self, rows: Part<'_, Vec<Basket>>, cols: Part<'_, Vec<Basket>>, out: &mut [f64]) -> Result<()> {
        let pairs = rows.range.flat_map(|i| cols.range.clone().map(move |j| (i, j)));
        out.iter_mut()
            .zip(pairs)
            .for_each(|(k, (i, j))| *k = rows.set[i].intersection(&cols.set[j]).count() as f64);
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Vec<Basket>>, out: &mut [f64]) -> Result<()> {
        out.iter_mut().zip(of.range).for_each(|(k, i)| *k = of.set[i].len() as f64);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }
}

fn main() -> Result<()> {
    let basket = |items: &'static str| -> Basket { items.split(' ').collect() };
    let bought = ["beer chips", "beer chips dip", "flour eggs", "eggs flour sugar"].map(basket);
    let model = Svc::new(1.0).fit(&Normalize(Shared), &bought[..], &["party", "party", "cake", "cake"])?;
    println!("{}: {:?}", model.kernel(), model.predict(&["chips dip", "sugar eggs milk"].map(basket)[..])?);
    Ok(())
}
