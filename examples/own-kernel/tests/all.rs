//! A registered kernel in expressions, searches and models.

use mercer::data::generate;
use mercer::expression::{Expression, Learner};
use mercer::gram::Engine;
use mercer::model::Model;
use mercer::select::{Grid, Objects, Protocol, Score, Search, Splits};
use own_kernel::Cauchy;

#[test]
fn a_registered_kernel_works_like_a_built_in_one() {
    assert!("cauchy".parse::<Expression>().is_err());
    own_kernel::register().unwrap();
    assert!(own_kernel::register().unwrap_err().to_string().contains("cauchy"));

    // In expressions, with its default, and printed back.
    let expression: Expression = "normalize(cauchy) + 0.5*cauchy(scale=3)".parse().unwrap();
    assert_eq!(expression.to_string(), "normalize(cauchy(scale=1)) + 0.5*cauchy(scale=3)");
    assert!("cauchy(scale=-1)".parse::<Expression>().is_err());
    assert!("cauchy(width=1)".parse::<Expression>().is_err());

    // In searches.
    let (data, engine) = (generate::balance1().unwrap(), Engine::new());
    let grid = Grid::new(
        &"standardize(cauchy(scale=[0.1, 1, 10]))".parse().unwrap(),
        &"svc(C=10)".parse::<Learner>().unwrap(),
    );
    let grid = grid.unwrap();
    let splits: Vec<_> =
        Splits::new(&Protocol::folds(5), &Objects::of(&data).unwrap(), 1).unwrap().iter().collect();
    let search = Search::new(&data, &grid, Score::Accuracy, &engine, 1).unwrap();
    let scores = search.run(&splits, None).unwrap();
    assert!(scores.mean(scores.best().unwrap()).unwrap() > 0.9);

    // In models, whose values are bit-identical.
    let folder = std::env::temp_dir().join(format!("own-kernel-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("cauchy.mercer");
    let learner: Learner = "svc(C=10)".parse().unwrap();
    let expression: Expression = "standardize(cauchy(scale=2))".parse().unwrap();
    let model = Model::fit(&data, &expression, &learner, 1, &engine).unwrap();
    model.save(&path).unwrap();
    let again = Model::load(&path, &engine).unwrap();
    let (before, after) = (model.predict(&data, &engine).unwrap(), again.predict(&data, &engine).unwrap());
    assert_eq!(before.decisions, after.decisions);
    std::fs::remove_dir_all(&folder).unwrap();

    // Under the laws of the built-in kernels.
    let some = data.select(&(0..60).collect::<Vec<_>>());
    for text in ["cauchy(scale=2)", "center(standardize(cauchy(scale=0.5)))"] {
        assert_eq!(mercer::laws::check(&text.parse().unwrap(), &some, 40, &engine).unwrap(), []);
    }

    // With static types.
    let x = data.vectors(&[data.columns()[0].name.clone()]).unwrap();
    let gram = engine.gram(&Cauchy::new(2.0).unwrap(), &x).unwrap();
    assert!((0..gram.rows()).all(|i| gram.at(i, i) == 1.0));
}
