use proptest::prelude::*;

use super::super::array::{Array, Numbers};
use super::*;
use crate::data::{Graph, Labels};

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>().prop_filter("finite", |v| v.is_finite()), Just(-0.0), Just(f64::from_bits(1))]
}

fn dense(n: usize, missing: bool) -> BoxedStrategy<Dense> {
    let value = if missing {
        prop_oneof![4 => number(), 1 => Just(f64::NAN), 1 => Just(f64::from_bits(0xFFF8_0000_0000_0123))]
            .boxed()
    } else {
        number().boxed()
    };
    (0usize..4)
        .prop_flat_map(move |d| {
            let values = prop::collection::vec(value.clone(), n * d);
            values.prop_map(move |v| Dense::new(n, d, v).unwrap())
        })
        .boxed()
}

fn graph() -> impl Strategy<Value = Graph> {
    let arcs = prop::collection::vec((0u32..4, 0u32..4), 0..6);
    (arcs, any::<bool>(), any::<[bool; 5]>(), "\\PC{0,3}", number()).prop_map(
        |(arcs, directed, has, label, w)| {
            let mut g =
                if directed { Graph::directed(4, &arcs) } else { Graph::undirected(4, &arcs) }.unwrap();
            let count = g.arcs().count();
            if has[0] {
                g = g.with_node_labels(Labels::from_names((0..4).map(|i| format!("{label}{i}")))).unwrap();
            }
            if has[1] {
                g = g
                    .with_edge_labels(Labels::from_names((0..count).map(|i| format!("{label}{i}"))))
                    .unwrap();
            }
            if has[2] {
                g = g.with_weights(vec![w; count]).unwrap();
            }
            if has[3] {
                g = g.with_node_attributes(Dense::new(4, 2, vec![w; 8]).unwrap()).unwrap();
            }
            if has[4] {
                g.with_edge_attributes(Dense::new(count, 1, vec![w; count]).unwrap()).unwrap()
            } else {
                g
            }
        },
    )
}

fn values(n: usize) -> impl Strategy<Value = Values> {
    let texts = || prop::collection::vec(prop::option::of("\\PC{0,5}"), n);
    let sparse = prop::collection::vec(prop::collection::btree_map(0u32..9, number(), 0..4), n);
    let series = (1usize..3, prop::collection::vec(number(), 0..4))
        .prop_map(|(c, v)| Series::new(c, v.repeat(c)).unwrap());
    let image = (0usize..3, 0usize..3, 1usize..4).prop_flat_map(|(w, h, c)| {
        prop::collection::vec(any::<u8>(), w * h * c).prop_map(move |p| Image::new(w, h, c, p).unwrap())
    });
    prop_oneof![
        dense(n, true).prop_map(Values::Numbers),
        sparse.prop_map(|rows| {
            let rows: Vec<Vec<_>> = rows.into_iter().map(|r| r.into_iter().collect()).collect();
            Values::Sparse(Sparse::from_rows(9, &rows).unwrap())
        }),
        prop::collection::vec(prop::option::of("[a-cé]{0,2}"), n)
            .prop_map(|v| Values::Categories(Categories::from_values(v.iter().map(Option::as_deref)))),
        texts().prop_map(Values::Strings),
        texts().prop_map(Values::Text),
        prop::collection::vec(series, n).prop_map(Values::Series),
        prop::collection::vec(graph(), n).prop_map(Values::Graphs),
        prop::collection::vec(image, n).prop_map(Values::Images),
        dense(n, false).prop_map(|x| Values::Precomputed(Precomputed::rows_of(x))),
        Just({
            let square = Precomputed::square(Dense::zeros(n + 1, n + 1)).unwrap();
            Values::Precomputed(square.select(&(1..=n).collect::<Vec<_>>()))
        }),
    ]
}

fn dataset() -> impl Strategy<Value = Dataset> {
    (0usize..5).prop_flat_map(|n| {
        prop::collection::vec(values(n), 0..5).prop_map(|columns| {
            let named = columns.into_iter().enumerate().map(|(i, v)| Column::new(format!("é{i}"), v));
            Dataset::new(named.collect()).unwrap()
        })
    })
}

fn kept(data: &Dataset) -> Container {
    let mut c = Container::new(Value::Null);
    let schema = c.put_dataset("support", data).unwrap();
    c.document = json!({"data": schema});
    Container::from_bytes("m.mercer", &c.to_bytes().unwrap()).unwrap()
}

fn back(c: &Container) -> Result<Dataset> {
    c.dataset("support", c.root().get("data")?.value())
}

proptest! {
    #[test]
    fn data_sets_round_trip_bit_for_bit(data in dataset()) {
        let c = kept(&data);
        let again = back(&c).unwrap();
        // NaN differs from itself, so compare bits: the fingerprints and the bytes that would be written.
        prop_assert_eq!(again.len(), data.len());
        prop_assert_eq!(kept(&again).to_bytes().unwrap(), c.to_bytes().unwrap());
        prop_assert_eq!(again.fingerprint(), data.fingerprint());
        for (a, b) in again.columns().iter().zip(data.columns()) {
            prop_assert_eq!(a.name.as_str(), b.name.as_str());
            match (&a.values, &b.values) {
                (Values::Numbers(a), Values::Numbers(b)) => {
                    let bits = |x: &Dense| x.values().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                    prop_assert_eq!((a.rows(), a.cols(), bits(a)), (b.rows(), b.cols(), bits(b)));
                }
                (a, b) => prop_assert_eq!(a, b),
            }
        }
    }

    #[test]
    fn changed_arrays_give_data_or_an_error(
        data in dataset(),
        edits in prop::collection::vec((any::<usize>(), any::<usize>(), 0usize..5, any::<u64>()), 1..4),
    ) {
        let mut c = kept(&data);
        for (which, at, how, with) in edits {
            let names: Vec<String> = c.arrays.keys().cloned().collect();
            if names.is_empty() {
                break;
            }
            let name = &names[which % names.len()];
            let old = c.arrays[name].numbers().clone();
            let small = with % 6;
            macro_rules! change {
                ($v:ident, $new:expr) => {{
                    let mut v = $v;
                    let n = v.len();
                    match how {
                        0 => v.push($new),
                        1 => { v.pop(); }
                        _ if n > 0 => v[at % n] = $new,
                        _ => {}
                    }
                    Array::list(v)
                }};
            }
            let new = match old {
                Numbers::F64(v) => change!(v, f64::from_bits(with)),
                Numbers::F32(v) => change!(v, 1.0),
                Numbers::U64(v) => change!(v, if how == 2 { with } else { small }),
                Numbers::U32(v) => change!(v, if how == 2 { with as u32 } else { small as u32 }),
                Numbers::U8(v) => change!(v, if how == 2 { with as u8 } else { small as u8 }),
            };
            if how == 4 { c.arrays.remove(name); } else { c.arrays.insert(name.clone(), new); }
        }
        if let Ok(again) = back(&c) {
            prop_assert!(back(&kept(&again)).is_ok());
        }
    }

    #[test]
    fn changed_schemas_give_data_or_an_error(
        data in dataset(),
        at in any::<usize>(),
        key in prop::sample::select(vec!["name", "kind", "width", "missing", "objects", "columns"]),
        new in prop::sample::select(vec![
            json!(0), json!(1), json!(u64::MAX), json!(-1), json!("numbers"), json!("sparse"), json!("graphs"),
            json!("series"), json!("text"), json!(true), json!([]), json!({}), json!(null), json!(1u64 << 40),
        ]),
    ) {
        let mut c = kept(&data);
        let columns = data.columns().len();
        match key {
            "objects" | "columns" => c.document["data"][key] = new,
            _ if columns > 0 => c.document["data"]["columns"][at % columns][key] = new,
            _ => {}
        }
        let _ = back(&c);
    }
}

#[test]
fn non_finite_values_are_refused_in_both_directions() {
    let data = |v: f64| Dataset::of_vectors(Dense::new(1, 1, vec![v]).unwrap());
    let mut c = Container::new(Value::Null);
    assert_eq!(c.put_dataset("s", &data(f64::INFINITY)).unwrap_err().code(), Code::Column);
    let mut c = kept(&data(1.0));
    for (v, ok) in [(f64::NAN, false), (f64::INFINITY, false), (2.0, true)] {
        c.arrays.insert("support/0/values".into(), Array::list(vec![v]));
        assert_eq!(back(&c).map_err(|e| e.code()).err(), (!ok).then_some(Code::ModelNonFinite));
    }
    c = kept(&data(f64::NAN));
    assert!(back(&c).unwrap().columns()[0].values.is_missing(0));
    c.arrays.insert("support/0/values".into(), Array::list(vec![f64::INFINITY]));
    assert_eq!(back(&c).unwrap_err().code(), Code::ModelNonFinite);
}

#[test]
fn sizes_without_values_are_refused() {
    let wide = Dataset::of_vectors(Dense::new(0, 1 << 40, vec![]).unwrap());
    assert!(Container::new(Value::Null).put_dataset("s", &wide).is_err());
    let mut c = kept(&Dataset::of_vectors(Dense::new(0, 3, vec![]).unwrap()));
    assert_eq!(back(&c).unwrap().columns()[0].values.width(), 3);
    c.document["data"]["columns"][0]["width"] = json!(1u64 << 40);
    assert_eq!(back(&c).unwrap_err().code(), Code::ModelCount);
    let graphs =
        Dataset::new(vec![Column::new("g", Values::Graphs(vec![Graph::undirected(2, &[(0, 1)]).unwrap()]))]);
    let mut c = kept(&graphs.unwrap());
    c.arrays.insert("support/0/nodes".into(), Array::list(vec![1u64 << 50]));
    assert_eq!(back(&c).unwrap_err().code(), Code::ModelCount);
    c.arrays.insert("support/0/nodes".into(), Array::list(vec![2u64]));
    c.arrays.insert("support/0/targets".into(), Array::list(vec![1u32, 1]));
    assert_eq!(back(&c).unwrap_err().code(), Code::ModelCount);
}
