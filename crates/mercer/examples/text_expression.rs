//! A kernel and a learner written as text, fitted to a data set and saved: `cargo run --example text_expression`.

use mercer::data::embedded;
use mercer::model::Model;
use mercer::prelude::*;

fn main() -> Result<()> {
    let iris = embedded::iris()?;
    let (train, test): (Vec<usize>, Vec<usize>) = (0..iris.len()).partition(|i| i % 3 != 0);
    let (train, test) = (iris.select(&train), iris.select(&test));

    let kernel: Expression = "standardize(rbf(sigma=1))@[petal_length, petal_width] + 0.1*linear".parse()?;
    let learner: Learner = "svc(C=10)".parse()?;
    let engine = Engine::new();
    let model = Model::fit(&train, &kernel, &learner, 0, &engine)?;

    // The file stores the fitted steps and the support vectors.
    let bytes = model.to_bytes()?;
    let model = Model::from_bytes("iris.mercer", &bytes, &engine)?;
    let prediction = model.predict(&test, &engine)?;
    let Some(Target::Classes(species)) = test.target() else { return Ok(()) };
    let right = (0..test.len()).filter(|&i| prediction.class(i) == species.get(i)).count();
    println!("kernel: {}", model.expression());
    println!("learner: {}", model.learner());
    println!("{} of {} training objects are kept", model.support_count(), train.len());
    println!("{right} of {} test objects are right", test.len());
    Ok(())
}
