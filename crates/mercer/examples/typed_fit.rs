//! Classification, probabilities and regression with static types: `cargo run --example typed_fit`.

use mercer::prelude::*;

/// Labels may be any ordered type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    Round,
    Square,
}

fn main() -> Result<()> {
    // Roundness and number of corners of ten shapes.
    let x = Vectors::from(Dense::from_rows(&[
        [0.9, 0.0],
        [0.8, 1.0],
        [0.95, 0.0],
        [0.7, 0.0],
        [0.85, 1.0],
        [0.1, 4.0],
        [0.2, 4.0],
        [0.3, 3.0],
        [0.15, 5.0],
        [0.25, 4.0],
    ]));
    let labels = [[Shape::Round; 5], [Shape::Square; 5]].concat();
    let new = Vectors::from(Dense::from_rows(&[[0.75, 0.0], [0.3, 4.0]]));

    let kernel = Rbf::new(0.5)?;
    let model = Svc::new(10.0).fit(&kernel, &x, &labels)?;
    println!("classes: {:?}", model.predict(&new)?);
    println!("support: {} of {} objects", model.support().len(), x.len());
    if let Some(certificate) = model.certificate() {
        println!("proved optimal: {}", certificate.converged());
    }

    let model = Svc::new(10.0).with_probability().with_seed(1).fit(&kernel, &x, &labels)?;
    let p = model.predict_probability(&new)?;
    println!("more than half: {:?}", (0..p.rows()).map(|i| p.at(i, 0) > 0.5).collect::<Vec<_>>());

    let areas: Vec<f64> = (0..10).map(|i| 3.0 - 2.0 * x.to_dense().at(i, 0)).collect();
    let model = Ridge::new(1e-3).with_intercept(true).fit(&Linear, &x, &areas)?;
    println!("numbers: {:.2?}", model.predict(&new)?);
    Ok(())
}
