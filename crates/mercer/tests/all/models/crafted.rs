//! Malicious files: a correct checksum and invalid content.

use std::time::{Duration, Instant};

use mercer::data::Dataset;
use mercer::gram::Engine;
use mercer::model::{Array, Container, Model, Numbers};
use mercer::random::Random;
use serde_json::{Value, json};
use xxhash_rust::xxh3::Xxh3;

use super::Golden;
use crate::trust::{full, measured};

const BEGINNING: &[u8] = b"{\"__metadata__\":{\"checksum\":\"";
const DIGITS: std::ops::Range<usize> = 8 + BEGINNING.len()..8 + BEGINNING.len() + 32;

/// The bytes with a correct checksum.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes[DIGITS].fill(b'0');
    let mut hash = Xxh3::new();
    hash.update(&bytes);
    let digits = format!("{:032x}", hash.digest128());
    bytes[DIGITS].copy_from_slice(digits.as_bytes());
    bytes
}

/// The file with another header, with matching length and checksum.
pub(super) fn with_header(bytes: &[u8], edit: impl FnOnce(&str) -> String) -> Vec<u8> {
    let len = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header = edit(std::str::from_utf8(&bytes[8..8 + len]).unwrap());
    sealed([&(header.len() as u64).to_le_bytes(), header.as_bytes(), &bytes[8 + len..]].concat())
}

/// The CPU time of this process, where the system provides it: waiting for other processes does not count.
fn worked() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks()? + ticks()?)))
}

/// Maximum time for a file.
const MOST: Duration = Duration::from_secs(10);

/// Counts of the outcomes of crafted files.
struct Tally {
    /// A thread of its own: a file never waits for the work of other tests.
    engine: Engine,
    files: u64,
    loaded: u64,
    slowest: Duration,
}

impl Tally {
    fn new() -> Self {
        let engine = Engine::new().with_threads(1).unwrap();
        Tally { engine, files: 0, loaded: 0, slowest: Duration::ZERO }
    }

    /// Loads a file; a model that loads must predict or give an error.
    fn load(&mut self, bytes: &[u8], objects: &Dataset, what: impl Fn() -> String) -> Option<Model> {
        let (start, before) = (Instant::now(), worked());
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let model = Model::from_bytes("m.mercer", bytes, &self.engine)
                .map_err(|e| assert!(e.code().as_str().starts_with("E_"), "{e}"))
                .ok()?;
            let _ = model.predict(objects, &self.engine);
            Some(model)
        }));
        let Ok(model) = outcome else { panic!("{}: a panic", what()) };
        let took = start.elapsed();
        let took = worked().zip(before).map_or(took, |(now, before)| took.min(now.saturating_sub(before)));
        assert!(took < MOST, "{}: {took:?}", what());
        self.slowest = self.slowest.max(took);
        self.files += 1;
        self.loaded += u64::from(model.is_some());
        model
    }

    fn tell(&self, what: &str, test: &str, models: usize) {
        let figures = json!({
            "what": what, "models": models, "files": self.files, "loaded": self.loaded, "panics": 0,
            "slowest_ms": (self.slowest.as_secs_f64() * 1e3).ceil(),
        });
        measured("crafted-headers", test, &figures);
    }
}

/// The pointers to all values of a document.
fn places(value: &Value, at: String, out: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, v)| places(v, format!("{at}/{i}"), out))
        }
        Value::Object(map) => map.iter().for_each(|(k, v)| places(v, format!("{at}/{k}"), out)),
        _ => {}
    }
    out.push(at);
}

/// Some of `n` indices: all in the full form, or if there are few.
fn some(n: usize, most: usize, random: &mut Random) -> Vec<usize> {
    if full() || n <= most {
        return (0..n).collect();
    }
    let mut chosen: Vec<usize> = (0..most).map(|_| random.below(n)).chain([0, n - 1]).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

fn own() -> Vec<Golden> {
    Golden::all().into_iter().filter(Golden::is_own).collect()
}

/// Replaces every value of the document by numbers and by values of other types.
#[test]
fn documents_with_other_values() {
    let mut tally = Tally::new();
    let mut random = Random::new(1);
    let models = own();
    for golden in &models {
        let whole = Container::from_bytes(&golden.name, &golden.bytes).unwrap();
        let objects = golden.objects();
        let mut all = Vec::new();
        places(&whole.document, String::new(), &mut all);
        for at in some(all.len(), 10, &mut random) {
            for new in [
                json!(0),
                json!(1),
                json!(-1),
                json!(1u64 << 31),
                json!(1u64 << 53),
                json!(u64::MAX),
                json!(1e308),
                json!(-1e308),
                json!(0.5),
                json!(null),
                json!(true),
                json!(""),
                json!("x"),
                json!([]),
                json!({}),
            ] {
                let mut c = whole.clone();
                *c.document.pointer_mut(&all[at]).unwrap() = new.clone();
                tally.load(&c.to_bytes().unwrap(), &objects, || {
                    format!("{}: {} = {new}", golden.name, all[at])
                });
            }
        }
    }
    tally.tell("values of documents", "models::crafted::documents_with_other_values", models.len());
}

/// The array with value `at` replaced by each extreme of its type.
fn extremes(numbers: &Numbers, at: usize) -> Vec<Numbers> {
    fn each<T: Copy>(values: &[T], at: usize, new: &[T]) -> Vec<Numbers>
    where
        Numbers: From<Vec<T>>,
    {
        let with = |new: &T| {
            let mut values = values.to_vec();
            values[at] = *new;
            Numbers::from(values)
        };
        new.iter().map(with).collect()
    }
    let (wide, far) = (f64::from(1u32 << 31), (1u64 << 53) as f64);
    match numbers {
        Numbers::F64(v) => {
            each(v, at, &[0.0, -1.0, wide, far, 1e308, -1e308, 5e-324, f64::NAN, f64::INFINITY])
        }
        Numbers::F32(v) => each(v, at, &[0.0, -1.0, wide as f32, f32::MAX, f32::NAN, f32::INFINITY]),
        Numbers::U64(v) => each(v, at, &[0, 1, 1 << 31, 1 << 53, u64::MAX - 1, u64::MAX]),
        Numbers::U32(v) => each(v, at, &[0, 1, 1 << 31, u32::MAX - 1, u32::MAX]),
        Numbers::U8(v) => each(v, at, &[0, 1, 0x7f, 0x80, 0xff]),
        other => panic!("numbers of another type: {other:?}"),
    }
}

/// Every array: extreme values (including indices), other lengths, other types.
#[test]
fn arrays_with_other_values() {
    let mut tally = Tally::new();
    let mut random = Random::new(2);
    let models = own();
    for golden in &models {
        let whole = Container::from_bytes(&golden.name, &golden.bytes).unwrap();
        let objects = golden.objects();
        for (name, array) in &whole.arrays {
            let n = array.numbers().len();
            let mut others: Vec<Numbers> = Vec::new();
            let most = if full() { 400 } else { 4 };
            let chosen: Vec<usize> =
                if n <= most { (0..n).collect() } else { (0..most).map(|_| random.below(n)).collect() };
            chosen.iter().for_each(|&at| others.extend(extremes(array.numbers(), at)));
            others.extend([
                vec![0.5f64; n].into(),
                vec![0u64; n].into(),
                vec![1u32; n].into(),
                vec![1u8; n].into(),
            ]);
            others.extend([
                Vec::<f64>::new().into(),
                vec![0u64; n + 1].into(),
                vec![0u32; n.saturating_sub(1)].into(),
            ]);
            for (which, numbers) in others.into_iter().enumerate() {
                let mut c = whole.clone();
                let kept = Array::new(array.shape(), numbers.clone());
                c.arrays.insert(name.clone(), kept.unwrap_or_else(|_| Array::list(numbers)));
                tally.load(&c.to_bytes().unwrap(), &objects, || {
                    format!("{}: change {which} of {name}", golden.name)
                });
            }
            let mut c = whole.clone();
            c.arrays.remove(name);
            tally.load(&c.to_bytes().unwrap(), &objects, || format!("{}: without {name}", golden.name));
        }
    }
    tally.tell("values of arrays", "models::crafted::arrays_with_other_values", models.len());
}

/// Headers that do not match the content.
#[test]
fn headers_that_lie_are_refused() {
    let mut tally = Tally::new();
    let golden = own().into_iter().find(|g| g.name == "table").unwrap();
    let objects = golden.objects();
    let text = with_header(&golden.bytes, str::to_owned);
    assert_eq!(text, golden.bytes, "a header that is not changed");
    let len = u64::from_le_bytes(golden.bytes[..8].try_into().unwrap()) as usize;
    let header: Value = serde_json::from_slice(&golden.bytes[8..8 + len]).unwrap();
    let mut arrays: Vec<&String> =
        header.as_object().unwrap().keys().filter(|k| !k.starts_with("__")).collect();
    arrays.sort_unstable();
    let mut refused = |edit: &dyn Fn(&str) -> String, what: &str| {
        let bytes = with_header(&golden.bytes, edit);
        let loaded = tally.load(&bytes, &objects, || what.to_owned());
        assert!(loaded.is_none(), "{what}: a model");
    };
    for name in &arrays {
        let entry = header[*name].to_string();
        let mut lies: Vec<Value> = Vec::new();
        for (key, value) in [
            ("shape", json!([1u64 << 62, 4])),
            ("shape", json!([u64::MAX, u64::MAX])),
            ("shape", json!([-1])),
            ("shape", json!([1e30])),
            ("shape", json!([1, 1, 1, 1, 1, 1, 1, 1, 1])),
            ("shape", json!(vec![0; 1000])),
            ("shape", json!(null)),
            ("data_offsets", json!([0, u64::MAX])),
            ("data_offsets", json!([u64::MAX, 0])),
            ("data_offsets", json!([-8, 0])),
            ("data_offsets", json!([0])),
            ("data_offsets", json!([0, 1, 2])),
            ("data_offsets", json!([1u64 << 53, (1u64 << 53) + 8])),
            ("dtype", json!("F16")),
            ("dtype", json!("I64")),
            ("dtype", json!(8)),
            ("dtype", json!("")),
            ("more", json!(1)),
        ] {
            let mut lie = header[*name].clone();
            lie[key] = value;
            lies.push(lie);
        }
        lies.extend([json!(null), json!([]), json!("x"), json!({})]);
        for lie in lies {
            refused(
                &|text| text.replace(&format!("\"{name}\":{entry}"), &format!("\"{name}\":{lie}")),
                &format!("{name}: {lie}"),
            );
        }
        // A duplicate array, and an array that overlaps another.
        refused(
            &|text| text.replace(&format!("\"{name}\":"), &format!("\"{name}\":{entry},\"{name}\":")),
            "a duplicate array",
        );
        refused(
            &|text| text.replace(&format!("\"{name}\":"), &format!("\"other\":{entry},\"{name}\":")),
            "arrays that overlap",
        );
    }
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(20_000), close.repeat(20_000));
    let document = header["__metadata__"]["document"].to_string();
    for (new, what) in [
        (Value::from(deep("[", "]")).to_string(), "a deep document"),
        (Value::from(deep("{\"a\":", "}")).to_string(), "a deep map"),
        (Value::from("[0".to_owned() + &",0".repeat(2_000_000) + "]").to_string(), "a wide document"),
        (Value::from("{}").to_string(), "an empty document"),
        (Value::from("1e999").to_string(), "a number outside the range of a double"),
        ("7".into(), "a document that is not a string"),
    ] {
        refused(&|text| text.replace(&document, &new), what);
    }
    refused(&|text| text.replace("\"format\":", "\"format\":\"x\",\"format\":"), "a duplicate key");
    refused(&|text| text.replace("mercer-model", "other"), "another format");
    refused(&|text| text.trim_end().trim_end_matches('}').to_owned(), "a truncated header");
    refused(&|text| format!("{text}}}"), "a header that ends twice");
    refused(&|text| text.replace("\"version\":\"1.0\"", "\"version\":\"-1.0\""), "a negative version");
    for claimed in [0u64, 7, 1 << 31, 1 << 53, u64::MAX] {
        let mut bytes = golden.bytes.clone();
        bytes[..8].copy_from_slice(&claimed.to_le_bytes());
        assert!(tally.load(&sealed(bytes), &objects, || format!("a header of {claimed}")).is_none());
    }
    tally.tell("headers", "models::crafted::headers_that_lie_are_refused", 1);
}
