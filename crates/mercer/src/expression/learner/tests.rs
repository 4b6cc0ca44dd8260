use proptest::prelude::*;

use super::*;
use crate::data::generate;
use crate::error::Code;
use crate::expression::{Choice, Expression, Range};
use crate::gram::Engine;
use crate::kernel::Domain;
use crate::solve::GramColumns;

fn parse(text: &str) -> Learner {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn fails(text: &str, column: usize, reason: &str) {
    fails_as(text, column, "E_EXPRESSION", reason);
}

fn fails_as(text: &str, column: usize, code: &str, reason: &str) {
    let error = text.parse::<Learner>().unwrap_err();
    assert_eq!(error.to_string(), format!("learner:1:{column} {code} {reason}"), "{text}");
}

#[test]
fn facts_are_complete_and_examples_parse() {
    for facts in learners() {
        for text in [facts.name, facts.summary, facts.formula, facts.cost, facts.reference, facts.example] {
            assert!(!text.is_empty(), "{}", facts.name);
        }
        assert!(facts.summary.ends_with('.'), "{}", facts.name);
        assert_eq!(parse(facts.example).name(), facts.name);
        assert_eq!(learners().iter().filter(|f| f.name == facts.name).count(), 1);
        let plain = parse(facts.name);
        assert_eq!(plain.to_string(), facts.name);
        // Defaults lie in their domains, because the full text is parsed.
        assert_eq!(parse(&format!("{plain:#}")), plain);
        for parameter in facts.parameters {
            assert!(!parameter.doc.is_empty());
        }
    }
}

#[test]
fn names_positions_and_words() {
    let learner = parse("svc(10, balanced, scheme=one-versus-rest)");
    assert_eq!(learner.to_string(), "svc(C=10, weights=balanced, scheme=one-versus-rest)");
    assert_eq!(learner.setting("C").unwrap().number(), Some(10.0));
    assert_eq!(parse("svc()"), parse("svc"));
    assert_eq!(parse("svc(C=1)").to_string(), "svc");
    assert_eq!(parse("knn ( k = 3 , )"), parse("knn(3)"));
}

#[test]
fn errors_give_their_position() {
    fails("", 1, "expected a learner, found the end");
    fails("svcc", 1, "there is no learner 'svcc'");
    fails("svc(D=1)", 5, "svc has no parameter 'D'");
    fails("svc(C=1, C=2)", 10, "C is given twice");
    fails_as("svc(C=0)", 7, "E_PARAM", "C = 0: must be a finite number above 0");
    fails_as("nu-svc(nu=1.5)", 11, "E_PARAM", "nu = 1.5: must be a number above 0 and at most 1");
    fails_as(
        "svc(weights=x)",
        13,
        "E_PARAM",
        "weights = x: must be none, balanced, or class:weight for each class, as in \"spam:8, ham:1\", weights finite and above 0",
    );
    fails_as("knn(k=[1, 2.5])", 7, "E_PARAM", "k = 2.5: must be a whole number of at least 1");
    fails("svc(C=1", 8, "expected ',' or ')', found the end");
    fails("svc + svc", 5, "'+' is not expected here");
    fails("ridge(1, yes, 3, 4)", 18, "ridge takes no further argument");
    fails("svc(C=0.1..1)", 7, "a range of fractions needs a step");
    let hint = |text: &str| text.parse::<Learner>().unwrap_err().hint().unwrap();
    assert_eq!(hint("svcc"), "did you mean svc or svr?");
    assert!(hint("polynomial").starts_with("polynomial is a kernel; the learners are svc"));
    assert!(hint("svc(D=1)").starts_with("its parameters are C, weights"));
}

#[test]
fn choices_are_listed_picked_and_fixed() {
    let learner = parse("svr(C=2^-1..2^1, epsilon=[0, 0.5])");
    let choices = learner.choices();
    assert_eq!(choices[0], ("C".into(), [0.5, 1.0, 2.0].map(Value::Number).to_vec()));
    assert_eq!(choices[1].1.len(), 2);
    assert_eq!(learner.pick(&[2, 0]).unwrap(), parse("svr(C=2, epsilon=0)"));
    assert!(
        learner.pick(&[2]).is_err() && learner.pick(&[2, 2]).is_err() && learner.pick(&[0, 0, 0]).is_err()
    );
    let fixed = learner.with("C", 3.0).unwrap().with("epsilon", 0.25).unwrap();
    assert_eq!(fixed, parse("svr(C=3, epsilon=0.25)"));
    assert_eq!(fixed.settings().next().unwrap().0.name, "C");
    for bad in [learner.with("C", -1.0), learner.with("C", "x"), learner.with("kappa", 1.0)] {
        assert_eq!(bad.unwrap_err().code(), Code::Param);
    }
    assert_eq!(parse("knn").with("weights", "far").unwrap_err().code(), Code::Param);
    assert!(parse("knn").with("weights", "distance").is_ok());
    assert!(parse("knn").with("measure", 1.0).is_err());
}

#[test]
fn a_path_gives_the_same_models_as_single_fits() {
    let data = generate::balance1().unwrap();
    let engine = Engine::new();
    let kernel = "rbf(gamma=0.1)".parse::<Expression>().unwrap().fit(&data, &engine).unwrap().kernel;
    let gram = engine.gram(&kernel, &data).unwrap();
    let columns = GramColumns::new(&gram).unwrap();
    let training = Training::of(data.target().unwrap());
    let learners: Vec<Learner> = [10.0, 0.1, 1.0, 1000.0, 10.0]
        .iter()
        .map(|c| format!("svc(C={c}, tolerance=1e-6)").parse().unwrap())
        .collect();
    let path = Learner::fit_path(&learners.iter().collect::<Vec<_>>(), &columns, &training);
    assert_eq!(path.len(), learners.len());
    for (learner, trained) in learners.iter().zip(path) {
        let alone = learner.fit(&columns, &training).unwrap();
        for ((_, one), (_, other)) in alone.certificates().iter().zip(trained.unwrap().certificates()) {
            let apart = (one.dual - other.dual).abs();
            assert!(apart <= 1e-5 * one.dual.abs(), "{learner}: {} vs. {}", one.dual, other.dual);
        }
    }
}

fn setting(domain: Domain) -> BoxedStrategy<Setting> {
    let number = match domain {
        Domain::Word(words) => {
            let word = prop::sample::select(words).prop_map(Value::from);
            let list = prop::collection::vec(word.clone().prop_map(Choice::One), 1..4);
            return prop_oneof![word.prop_map(Setting::Fixed), list.prop_map(Setting::List)].boxed();
        }
        Domain::ClassWeights => {
            let word = prop::sample::select(vec!["none", "balanced", "a:1, b:8", "'x':2, \"y, \"\"z\":0.5"]);
            let word = word.prop_map(Value::from);
            let list = prop::collection::vec(word.clone().prop_map(Choice::One), 1..4);
            return prop_oneof![word.prop_map(Setting::Fixed), list.prop_map(Setting::List)].boxed();
        }
        Domain::Whole(low, high) => (low..high.min(low + 1000)).prop_map(|v| v as f64).boxed(),
        Domain::Share => (1e-9..=1.0).boxed(),
        _ => prop_oneof![1e-3..1e3, (-300i32..300).prop_map(|e| 10f64.powi(e))].boxed(),
    };
    let fixed = number.clone().prop_map(|v| Setting::Fixed(Value::Number(v)));
    let list = prop::collection::vec(number.prop_map(|v| Choice::One(Value::Number(v))), 1..4);
    let range = (0i32..5, 0i32..5).prop_map(move |(from, length)| match domain {
        Domain::Share => {
            Range { base: Some(2.0), from: (-from - length).into(), to: (-from).into(), step: 1.0 }
        }
        _ => Range { base: Some(2.0), from: from.into(), to: (from + length).into(), step: 1.0 },
    });
    prop_oneof![fixed, list.prop_map(Setting::List), range.prop_map(Setting::Range)].boxed()
}

fn learner() -> impl Strategy<Value = Learner> {
    prop::sample::select((0..learners().len()).collect::<Vec<_>>()).prop_flat_map(|at| {
        let facts = &learners()[at];
        let settings: Vec<_> = facts.parameters.iter().map(|p| setting(p.domain)).collect();
        settings.prop_map(move |settings| Learner { facts, settings })
    })
}

proptest! {
    #[test]
    fn printing_and_parsing_are_inverse(learner in learner()) {
        prop_assert_eq!(&parse(&learner.to_string()), &learner);
        prop_assert_eq!(&parse(&format!("{learner:#}")), &learner);
    }

    #[test]
    fn any_text_gives_a_learner_or_an_error_inside_it(text in "(svc|knn|ridge)?[(]?[a-zC=0-9^., \\[\\]()*-]{0,30}") {
        match text.parse::<Learner>() {
            Ok(learner) => prop_assert_eq!(parse(&learner.to_string()), learner),
            Err(Error::Expression { span, what, .. }) => {
                prop_assert!(span.start <= span.end && span.end <= text.len() && what == "learner");
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }
}
