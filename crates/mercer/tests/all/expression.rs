//! The expression language: printing and parsing, choices, and the position of errors.

use mercer::Error;
use mercer::expression::{Call, Choice, Entry, Expression, Range, Setting, Value, entries};
use mercer::kernel::Domain;
use proptest::prelude::*;

use crate::support::parse;

fn number(domain: Domain) -> BoxedStrategy<f64> {
    match domain {
        Domain::Positive | Domain::PositiveOr(_) => {
            prop_oneof![1e-3..1e3, (-300i32..300).prop_map(|e| 10f64.powi(e)), (1u32..20).prop_map(f64::from)]
                .boxed()
        }
        Domain::NonNegative => prop_oneof![Just(0.0), 1e-9..1e9].boxed(),
        Domain::Finite => prop_oneof![-1e6..1e6, -1e-9..1e-9, (-9i32..9).prop_map(f64::from)].boxed(),
        Domain::AtLeast(low) => prop_oneof![Just(low), low..low + 1e6].boxed(),
        Domain::Share => prop_oneof![Just(1.0), 1e-9..1.0].boxed(),
        Domain::Whole(low, high) => (low..=high.min(low + 30)).prop_map(|v| v as f64).boxed(),
        Domain::Word(_) | Domain::ClassWeights => Just(0.0).boxed(),
    }
}

/// Ascending ranges whose values stay in the domain.
fn range(domain: Domain) -> BoxedStrategy<Range> {
    let whole = match domain {
        Domain::Whole(low, high) => Some((low as f64, (high as f64).min(low as f64 + 30.0))),
        Domain::AtLeast(low) => Some((low, f64::INFINITY)),
        _ => None,
    };
    if let Some((low, high)) = whole {
        return (0u32..5, 0u32..5, 1u32..3)
            .prop_map(move |(a, b, step)| {
                let from = (low + f64::from(a)).min(high);
                Range { base: None, from, to: (from + f64::from(b)).min(high), step: f64::from(step) }
            })
            .boxed();
    }
    if domain == Domain::Share {
        let (from, length) = (1e-3..0.5, 0.0..0.4);
        return (from, length, prop_oneof![Just(0.125), 0.01..0.3])
            .prop_map(|(from, length, step)| Range { base: None, from, to: from + length, step })
            .boxed();
    }
    let steps = prop_oneof![Just(1.0), Just(2.0), Just(0.25), 0.01..3.0];
    let powers = (prop_oneof![Just(2.0), Just(10.0), 0.5..4.0], -9i32..9, 0u32..9, steps.clone()).prop_map(
        |(base, from, length, step)| Range {
            base: Some(base),
            from: from.into(),
            to: f64::from(from) + f64::from(length),
            step,
        },
    );
    let plain = (prop_oneof![1e-3..9.0, (1u32..9).prop_map(f64::from)], 0.0..9.0, steps)
        .prop_map(|(from, length, step)| Range { base: None, from, to: from + length, step });
    // Without a step, both ends are integers.
    let whole = (1u32..9, 0u32..9).prop_map(|(from, length)| Range {
        base: None,
        from: from.into(),
        to: (from + length).into(),
        step: 1.0,
    });
    prop_oneof![powers, plain, whole].boxed()
}

fn setting(domain: Domain) -> BoxedStrategy<Setting> {
    if let Domain::Word(words) = domain {
        let word = prop::sample::select(words).prop_map(|w| Value::Word(w.to_owned()));
        let list = prop::collection::vec(word.clone().prop_map(Choice::One), 1..4).prop_map(Setting::List);
        return prop_oneof![3 => word.prop_map(Setting::Fixed), 1 => list].boxed();
    }
    let number = number(domain).prop_map(Value::Number);
    let one = match domain {
        Domain::PositiveOr(words) => {
            let word = prop::sample::select(words).prop_map(|w| Value::Word(w.to_owned()));
            prop_oneof![4 => number, 1 => word].boxed()
        }
        _ => number.boxed(),
    };
    let item = prop_oneof![one.clone().prop_map(Choice::One), range(domain).prop_map(Choice::Range)];
    prop_oneof![
        4 => one.prop_map(Setting::Fixed),
        1 => range(domain).prop_map(Setting::Range),
        1 => prop::collection::vec(item, 1..4).prop_map(Setting::List),
    ]
    .boxed()
}

/// Names of columns: plain ones, and ones that need quotes.
fn column() -> impl Strategy<Value = String> {
    let odd = prop::collection::vec(
        prop::sample::select(&['a', 'ß', '1', '-', '.', ' ', '"', '(', ',', '@', '☃', '_'][..]),
        0..8,
    );
    prop_oneof![
        prop::sample::select(
            &["age", "x-1", "größe", "step", "linear", "a.b", "_", "weight (kg)", "it's", "1"][..]
        )
        .prop_map(str::to_owned),
        odd.prop_map(|c| c.into_iter().collect()),
    ]
}

fn columns() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(column(), 1..4).prop_map(|mut names| {
        let mut seen = Vec::new();
        names.retain(|n| {
            !seen.contains(n) && {
                seen.push(n.clone());
                true
            }
        });
        names
    })
}

/// A call of a chosen entry, around `inner` if it is a wrapper.
fn call(chosen: impl Fn(&Entry) -> bool, inner: BoxedStrategy<Vec<Expression>>) -> BoxedStrategy<Expression> {
    let chosen: Vec<_> = entries().into_iter().filter(|e| chosen(e)).collect();
    prop::sample::select(chosen)
        .prop_flat_map(move |entry| {
            let settings: Vec<_> = entry.facts.parameters.iter().map(|p| setting(p.domain)).collect();
            (inner.clone(), settings, prop::option::weighted(0.4, columns())).prop_map(
                move |(inner, settings, columns)| Expression::Call(Call { entry, inner, settings, columns }),
            )
        })
        .boxed()
}

fn tree() -> impl Strategy<Value = Expression> {
    call(|e| e.arity() == 0, Just(Vec::new()).boxed()).prop_recursive(5, 24, 3, |inner| {
        let wrapped = call(|e| e.arity() == 1, inner.clone().prop_map(|e| vec![e]).boxed());
        let joined = call(Entry::takes_more, prop::collection::vec(inner.clone(), 1..4).boxed());
        let group = (inner.clone(), columns()).prop_map(|(inner, columns)| match inner {
            // `(k)@c` is `k@c`.
            Expression::Call(call) if call.columns.is_none() => {
                Expression::Call(Call { columns: Some(columns), ..call })
            }
            other => Expression::Group(Box::new(other), columns),
        });
        let scale = (setting(Domain::Positive), inner.clone());
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a + b),
            (inner.clone(), inner).prop_map(|(a, b)| a * b),
            scale.prop_map(|(factor, inner)| Expression::Scale(factor, Box::new(inner))),
            group,
            wrapped,
            joined,
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printing_and_parsing_are_inverse(e in tree()) {
        let text = e.to_string();
        match text.parse::<Expression>() {
            Ok(again) => prop_assert_eq!(again, e, "{}", text),
            Err(error) => prop_assert!(false, "{}: {}", text, error),
        }
    }

    #[test]
    fn brief_forms_parse_to_the_same(e in tree()) {
        let text = e.brief();
        match text.parse::<Expression>() {
            // `ignore=others` is left out: it changes no value.
            Ok(again) => prop_assert_eq!(again.brief(), text),
            Err(error) => prop_assert!(false, "{}: {}", text, error),
        }
        if !e.to_string().contains("ignore=others") {
            prop_assert_eq!(e.brief().parse::<Expression>().unwrap(), e);
        }
    }

    #[test]
    fn every_pick_is_closed_and_parses(e in tree(), at in any::<prop::sample::Index>()) {
        let choices = e.choices();
        let picks: Vec<usize> = choices.iter().map(|(_, values)| at.index(values.len())).collect();
        let picked = e.pick(&picks).unwrap();
        prop_assert!(picked.choices().is_empty());
        prop_assert_eq!(picked.to_string().parse::<Expression>().unwrap(), picked);
        let mut more = picks;
        more.push(0);
        prop_assert!(e.pick(&more).is_err());
    }
}

/// Pieces of expressions, valid and invalid.
const PIECES: &[&str] = &[
    "linear",
    "rbf",
    "(",
    ")",
    "[",
    "]",
    ",",
    "=",
    "@",
    "*",
    "+",
    "-",
    "^",
    "..",
    ".",
    "step",
    "gamma",
    "1",
    "2.5",
    "1e5",
    "1e",
    "1e999",
    "\"",
    "'",
    "\"a b\"",
    " ",
    "\u{a0}",
    "é",
    "☃",
    "\u{301}",
    "\0",
    "normalize(",
    "repair",
    "method=clip",
    "degree",
    "0..9999",
    "2^-5..2^15",
    "-",
    "zero-extend",
    "x-",
    "x.",
    "𝔘",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_parsed_or_refused(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24)) {
        refused_in_place(&pieces.concat());
    }

    #[test]
    fn any_characters_are_parsed_or_refused(text in prop::collection::vec(any::<char>(), 0..40)) {
        refused_in_place(&text.into_iter().collect::<String>());
    }

    #[test]
    fn damaged_expressions_are_parsed_or_refused(
        e in tree(),
        at in any::<prop::sample::Index>(),
        piece in prop::sample::select(PIECES),
        cut in 0usize..3,
    ) {
        let mut text: Vec<char> = e.to_string().chars().collect();
        let at = at.index(text.len());
        let end = (at + cut).min(text.len());
        text.splice(at..end, piece.chars());
        refused_in_place(&text.into_iter().collect::<String>());
    }
}

/// Checks that text is an expression that prints and parses, or is refused at a position inside it.
fn refused_in_place(text: &str) {
    match text.parse::<Expression>() {
        Ok(e) => assert_eq!(e.to_string().parse::<Expression>().unwrap(), e, "{text}"),
        Err(error @ Error::Expression { .. }) => {
            // Printing the error computes the column, so the span must lie between characters.
            let shown = error.to_string();
            let Error::Expression { text: own, span, reason, .. } = error else { unreachable!() };
            assert_eq!(own, text);
            assert!(span.start <= span.end && text.get(span.clone()).is_some(), "{text}: {span:?}");
            assert!(!reason.is_empty() && shown.contains(&reason));
        }
        Err(other) => panic!("{text}: {other}"),
    }
}

#[test]
fn no_nesting_exhausts_the_stack() {
    for (open, close) in [("(", ")"), ("normalize(", ")"), ("2*", ""), ("((", ")@a)"), ("[", "]"), ("-", "")]
    {
        for depth in [10, 63, 64, 65, 1000, 100_000] {
            let text = format!("{}linear{}", open.repeat(depth), close.repeat(depth));
            refused_in_place(&text);
        }
    }
    // A long expression is not deep.
    let long = vec!["linear"; 20_000].join(" + ");
    assert_eq!(parse(&long).to_string(), long);
}

/// Text, span of the error, beginning of the message.
const FAULTY: &[(&str, std::ops::Range<usize>, &str)] = &[
    ("rgf(gamma=1)", 0..3, "there is no kernel 'rgf'"),
    ("linear + größe(gamma=1)", 9..16, "there is no kernel 'größe'"),
    ("rbf(gama=1)", 4..8, "rbf has no parameter 'gama'"),
    ("linear(gamma=1)", 7..12, "linear has no parameter 'gamma'"),
    ("rbf(gamma=0)", 10..11, "gamma = 0: must be a finite number above 0"),
    ("rbf(-1)", 4..6, "gamma = -1: must be a finite number above 0"),
    ("rbf(sigma=0)", 10..11, "sigma = 0: must be a finite number above 0"),
    ("rbf(sigma=1e-200)", 10..16, "gives gamma = inf: must be a finite number above 0"),
    ("rbf(gamma=word)", 10..14, "gamma = word: must be a finite number above 0"),
    ("rbf(gamma=[1, -2])", 10..17, "gamma = -2: must be a finite number above 0"),
    ("polynomial(degree=0)", 18..19, "degree = 0: must be a whole number from 1 to 64"),
    ("polynomial(degree=2.5)", 18..21, "degree = 2.5: must be a whole number from 1 to 64"),
    ("polynomial(degree=1..65)", 18..23, "degree = 65: must be a whole number from 1 to 64"),
    ("polynomial(2, -1)", 14..16, "c = -1: must be a finite number of at least 0"),
    ("sigmoid(c=inf)", 10..13, "c = inf: must be a finite number"),
    ("rbf(gamma=1", 11..11, "expected ',' or ')', found the end"),
    ("rbf(gamma=1 2)", 12..13, "expected ',' or ')', found '2'"),
    ("(linear + ones", 14..14, "expected ')', found the end"),
    ("linear)", 6..7, "')' is not expected here"),
    ("rbf(gamma=0.1..0.5)", 10..18, "a range of fractions needs a step"),
    ("rbf(gamma=5..1)", 10..14, "a range must be ascending"),
    ("rbf(gamma=1..2 step 0)", 10..21, "a range must be ascending"),
    ("rbf(gamma=1..100000)", 10..19, "a range must be ascending, with at most 10000 values"),
    ("rbf(gamma=1..1e300)", 10..18, "a range must be ascending, with at most 10000 values"),
    ("rbf(gamma=2^1..3^2)", 10..18, "both ends of a range must be numbers, or powers of one base"),
    ("rbf(gamma=1..2^3)", 10..16, "both ends of a range must be numbers, or powers of one base"),
    ("rbf(gamma=[1..9999, 1..9])", 10..25, "a choice of more than 10000 values"),
    ("rbf(gamma=1e999)", 10..15, "'1e999' is not a number"),
    ("2^2000*linear", 0..6, "a power that is not a finite number"),
    ("-1*linear", 0..2, "a kernel can be multiplied by a number above 0, not by -1"),
    ("linear + 0*ones", 9..10, "a kernel can be multiplied by a number above 0, not by 0"),
    ("5", 0..1, "a number is not a kernel"),
    ("linear + 1", 9..10, "a number is not a kernel"),
    ("rbf@\"age", 4..8, "unclosed quote"),
    ("rbf@'age\"", 4..9, "unclosed quote"),
    ("rbf(gamma=1, gamma=2)", 13..18, "gamma is given twice"),
    ("rbf(gamma=1, sigma=2)", 13..18, "gamma is given twice"),
    ("repair(sigmoid, method=cut)", 23..26, "method = cut: must be one of clip, flip, shift, diffuse"),
    ("repair(sigmoid, method=1)", 23..24, "method = 1: must be one of clip, flip, shift, diffuse"),
    ("linear ones", 7..11, "'ones' is not expected here"),
    ("", 0..0, "expected a kernel, found the end"),
    ("linear +", 8..8, "expected a kernel, found the end"),
    ("linear * * ones", 9..10, "expected a kernel, found '*'"),
    ("linear # ones", 7..8, "'#' has no meaning in an expression"),
    ("normalize", 0..9, "normalize wraps 1 kernel"),
    ("normalize()", 0..9, "normalize wraps 1 kernel"),
    ("normalize(linear, linear)", 18..24, "normalize takes no further argument"),
    ("linear(1)", 7..8, "linear takes no further argument"),
    ("rbf@", 4..4, "expected a column name, found the end"),
    ("rbf@5", 4..5, "expected a column name, found '5'"),
    ("rbf@[a,b", 8..8, "expected ']', found the end"),
    ("rbf@a,b,a", 8..9, "duplicate column a"),
    ("rbf@[\"a b\",c,\"a b\"] + linear", 13..18, "duplicate column \"a b\""),
    ("normalize(rbf@age,weight)", 18..24, "normalize takes no further argument"),
];

#[test]
fn errors_give_their_position() {
    for (text, at, message) in FAULTY {
        match text.parse::<Expression>() {
            Err(Error::Expression { span, reason, .. }) => {
                assert_eq!(span, *at, "{text}: {reason}");
                assert!(reason.starts_with(message), "{text}: {reason}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    assert!(FAULTY.len() >= 25);
}

#[test]
fn columns_in_messages_count_characters() {
    let error = "zero-extend(größe + linear) + 'ü' # ones".parse::<Expression>().unwrap_err();
    assert!(error.to_string().starts_with("kernel:1:35 E_EXPRESSION"), "{error}");
    let error = "linear@größe + rgf".parse::<Expression>().unwrap_err();
    assert!(error.to_string().starts_with("kernel:1:16 E_EXPRESSION"), "{error}");
}

#[test]
fn hints_say_what_to_do() {
    let hint = |text: &str| text.parse::<Expression>().unwrap_err().hint().unwrap_or_default();
    assert_eq!(hint("rgf(gamma=1)"), "did you mean rbf?");
    assert_eq!(hint("rbf(gama=1)"), "its parameters are gamma, sigma");
    assert_eq!(hint("linear(gamma=1)"), "linear has no parameters");
    assert_eq!(hint("linear + 1"), "ones is the constant kernel 1");
    assert_eq!(hint("rbf(gamma=0.1..0.5)"), "write 0.1..0.5 step 0.1, or a list");
    let wrappers = "rbf-of(k, gamma), normalize(k), the cosine, and tanimoto(k) wrap any kernel k";
    assert_eq!(hint("cosine(atom-pairs)"), wrappers);
    assert_eq!(hint("rbf(ecfp)"), wrappers);
    let brackets = "inside arguments, put several columns in brackets: @[a,b]";
    assert_eq!(hint("normalize(rbf@age,weight)"), brackets);
    assert_eq!(hint("rbf-of(linear@age,weight)"), brackets);
    assert_eq!(hint("similarity(euclidean@age,weight, delta@sex)"), brackets);
    assert_eq!(hint("normalize(rbf@\"age\",\"weight\")"), brackets);
}

fn values(text: &str) -> Vec<f64> {
    let choices = parse(&format!("rbf(gamma={text})")).choices();
    assert_eq!((choices.len(), choices[0].0.as_str()), (1, "gamma"));
    choices[0]
        .1
        .iter()
        .map(|v| match v {
            Value::Number(v) => *v,
            Value::Word(w) => panic!("{w}"),
        })
        .collect()
}

#[test]
fn values_of_ranges_and_lists() {
    let powers = values("2^-5..2^15");
    assert_eq!(powers.len(), 21);
    assert!(powers.iter().zip(-5..).all(|(v, e)| *v == 2f64.powi(e)));
    assert_eq!(values("2^-1..2^1 step 0.5"), [0.5, 0.5f64.sqrt(), 1.0, 2f64.sqrt(), 2.0]);
    assert_eq!(values("[1,3,5]"), [1.0, 3.0, 5.0]);
    assert_eq!(values("[5, 1..3, 2^3]"), [5.0, 1.0, 2.0, 3.0, 8.0]);
    assert_eq!(values("1..7 step 2"), [1.0, 3.0, 5.0, 7.0]);
    assert_eq!(values("1..4 step 2"), [1.0, 3.0]);
    assert_eq!(values("0.1..0.5 step 0.1").len(), 5);
    assert_eq!(values("0.5..2.5 step 1"), [0.5, 1.5, 2.5]);
    let open = |text: &str| parse(&format!("sigmoid(c={text})")).choices()[0].1.clone();
    let numbers = |v: &[f64]| v.iter().map(|v| Value::Number(*v)).collect::<Vec<_>>();
    assert_eq!(open("[0..5]"), numbers(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]));
    assert_eq!(open("0..1 step 0.25"), numbers(&[0.0, 0.25, 0.5, 0.75, 1.0]));
    assert_eq!(open("-2..0"), numbers(&[-2.0, -1.0, 0.0]));
    // A list of one value is still a choice; a single power is not.
    assert_eq!(values("[4]"), [4.0]);
    assert_eq!(values("3..3"), [3.0]);
    assert_eq!(parse("rbf(gamma=2^-3)"), parse("rbf(gamma=0.125)"));
}

#[test]
fn picks_follow_the_order_of_choices() {
    let e = parse("[1, 2]*rbf(gamma=2^-1..2^1) + repair(sigmoid(c=[-1, 0]), method=[clip, flip])");
    let names: Vec<_> = e.choices().into_iter().map(|c| c.0).collect();
    assert_eq!(names, ["factor", "gamma", "c", "method"]);
    let picked = e.pick(&[1, 2, 0, 1]).unwrap();
    assert_eq!(picked, parse("2*rbf(gamma=2) + repair(sigmoid(c=-1), method=flip)"));
    assert_eq!(picked.pick(&[]).unwrap(), picked);
    for wrong in [&[1, 2, 0][..], &[1, 2, 0, 1, 0], &[2, 0, 0, 0]] {
        assert!(e.pick(wrong).is_err(), "{wrong:?}");
    }
    // An expression with open choices cannot be fitted.
    let data = crate::support::dense_data(&mercer::data::Dense::from_rows(&[[1.0]]));
    assert!(e.fit(&data, crate::support::engine()).is_err());
}

#[test]
fn sigma_is_another_name_for_gamma() {
    assert_eq!(parse("rbf(sigma=2)"), parse("rbf(gamma=0.125)"));
    assert_eq!(parse("rbf-of(linear, sigma=0.5)"), parse("rbf-of(linear, gamma=2)"));
    assert_eq!(parse("rbf(sigma=[1, 2])"), parse("rbf(gamma=[0.5, 0.125])"));
    assert_eq!(parse("rbf(sigma=1..2)").choices()[0].1.len(), 2);
}

#[test]
fn arguments_by_position_and_defaults() {
    assert_eq!(parse("polynomial(3)"), parse("polynomial(degree=3, c=1, gamma=1)"));
    assert_eq!(parse("polynomial(3, 0, 2)"), parse("polynomial(gamma=2, c=0, degree=3)"));
    assert_eq!(parse("polynomial(c=0, 3)"), parse("polynomial(degree=3, c=0)"));
    assert_eq!(parse("repair(sigmoid, flip)"), parse("repair(sigmoid, method=\"flip\", beta=1)"));
    // A word is for the first parameter that takes it.
    assert_eq!(parse("spectrum(dna, 4)"), parse("spectrum(k=4, alphabet=dna)"));
    assert_eq!(parse("gapped-kmer(dna, yes)"), parse("gapped-kmer(alphabet=dna, reverse-complement=yes)"));
    assert!("spectrum(dna, rna)".parse::<Expression>().is_err());
    assert_eq!(parse("linear()"), parse("linear"));
    assert_eq!(parse(" ( linear ) + ones "), parse("linear + ones"));
    assert_eq!(parse("(rbf)@a"), parse("rbf@a"));
    assert_eq!(parse("linear + (ones + delta)"), parse("linear + ones + delta"));
    assert_eq!(parse("normalize(rbf@[a,b])"), parse("normalize(rbf@[\"a\", 'b'])"));
}
