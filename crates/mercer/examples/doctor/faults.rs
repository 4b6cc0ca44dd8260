//! Made faults: each is planted into a data set without it, and the doctor must find it.

use mercer::data::{Categories, Column, Dataset, Dense, Target, Values};
use mercer::random::Random;

/// A fault, the code that reports it, and how it is planted; none where the data has no place for it.
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    /// Codes of which one must be reported.
    pub(crate) codes: &'static [&'static str],
    pub(crate) plant: fn(&Dataset, &mut Random) -> Option<Dataset>,
}

/// All faults.
pub(crate) const FAULTS: [Fault; 24] = [
    Fault { name: "row numbers as a column", codes: &["W_IDENTIFIER"], plant: row_numbers },
    Fault { name: "shuffled keys as a column", codes: &["W_IDENTIFIER"], plant: keys },
    Fault { name: "names as a column", codes: &["W_IDENTIFIER"], plant: names },
    Fault { name: "hashes as a column", codes: &["W_IDENTIFIER"], plant: hashes },
    Fault { name: "names of persons as a column", codes: &["W_IDENTIFIER"], plant: persons },
    Fault { name: "the target under another name", codes: &["W_TARGET_COPY"], plant: copied_target },
    Fault { name: "the target with 0.5 % errors", codes: &["W_TARGET_COPY", "W_LEAK"], plant: noisy_target },
    Fault {
        name: "a number that gives the class away",
        codes: &["W_LEAK", "W_TARGET_COPY"],
        plant: telling_number,
    },
    Fault { name: "the number in another unit", codes: &["W_TARGET_COPY"], plant: other_unit },
    Fault {
        name: "a value recorded afterwards",
        codes: &["W_MISSING_LEAK", "W_LEAK", "W_TARGET_COPY"],
        plant: afterwards,
    },
    Fault {
        name: "predictions of another model",
        codes: &["W_PREDICTION", "W_LEAK", "W_TARGET_COPY"],
        plant: predictions,
    },
    Fault { name: "5 % of the objects twice", codes: &["W_TWINS"], plant: duplicates },
    Fault { name: "test objects in the training set", codes: &["W_SPLIT_COPIES"], plant: across },
    Fault { name: "5 % of the objects almost twice", codes: &["W_NEAR_TWINS"], plant: near },
    Fault { name: "groups in both sets", codes: &["W_GROUPS"], plant: straddling },
    Fault { name: "a column of patients", codes: &["W_GROUP_COLUMN"], plant: patients },
    Fault { name: "test categories written otherwise", codes: &["W_UNSEEN"], plant: unseen },
    Fault { name: "drift along a time column", codes: &["W_DRIFT"], plant: drift },
    Fault { name: "one class with 95 % of the objects", codes: &["W_IMBALANCE"], plant: imbalance },
    Fault { name: "a constant column", codes: &["W_CONSTANT"], plant: constant },
    Fault { name: "an empty column", codes: &["W_EMPTY_COLUMN"], plant: empty },
    Fault { name: "three objects far from all others", codes: &["W_OUTLIERS"], plant: outliers },
    Fault { name: "2 % of a column times 1000", codes: &["W_UNITS"], plant: units },
    Fault { name: "3 % of a column are -999", codes: &["W_SENTINEL"], plant: sentinels },
];

/// Columns that are no fault: none of the codes may be reported with them.
pub(crate) const INNOCENT: [Fault; 8] = [
    Fault { name: "random DNA of 8 bases", codes: &["W_IDENTIFIER"], plant: |d, r| drawn(d, r, "ACGT", 8) },
    Fault {
        name: "random peptides of 9 residues",
        codes: &["W_IDENTIFIER"],
        plant: |d, r| drawn(d, r, "ACDEFGHIKLMNPQRSTVWY", 9),
    },
    Fault { name: "random bits", codes: &["W_IDENTIFIER"], plant: |d, r| drawn(d, r, "01", 16) },
    Fault { name: "short SMILES", codes: &["W_IDENTIFIER"], plant: smiles },
    Fault { name: "notes of a few words", codes: &["W_IDENTIFIER"], plant: notes },
    Fault { name: "a normal number", codes: &ANY, plant: |d, r| with(d, normal(d, r)) },
    Fault { name: "a skewed number", codes: &ANY, plant: |d, r| with(d, skewed(d, r)) },
    Fault { name: "a count from 0 on", codes: &ANY, plant: |d, r| with(d, count(d, r)) },
];

/// Findings that one more column of noise must not cause.
const ANY: [&str; 9] = [
    "W_IDENTIFIER",
    "W_SENTINEL",
    "W_UNITS",
    "W_TARGET_COPY",
    "W_LEAK",
    "W_MISSING_LEAK",
    "W_PREDICTION",
    "W_GROUP_COLUMN",
    "W_CONSTANT",
];

fn strings(data: &Dataset, mut of: impl FnMut(usize) -> String) -> Option<Dataset> {
    let values = (0..data.len()).map(|i| Some(of(i))).collect();
    with(data, Column::new("site", Values::Strings(values)))
}

fn drawn(data: &Dataset, random: &mut Random, symbols: &str, length: usize) -> Option<Dataset> {
    let symbols: Vec<char> = symbols.chars().collect();
    strings(data, |_| (0..length).map(|_| symbols[random.below(symbols.len())]).collect())
}

fn smiles(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let parts = ["C", "CC", "N", "O", "Cl", "c1ccccc1", "C(=O)", "C(C)", "S", "[NH3+]", "C#C", "C1CC1"];
    strings(data, |_| (0..5 + random.below(4)).map(|_| parts[random.below(parts.len())]).collect())
}

fn notes(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let words =
        ["late", "parcel", "came", "was", "broken", "again", "and", "red", "box", "not", "paid", "twice"];
    strings(data, |_| {
        let words: Vec<&str> = (0..6).map(|_| words[random.below(words.len())]).collect();
        words.join(" ")
    })
}

fn normal(data: &Dataset, random: &mut Random) -> Column {
    numbers("reading", (0..data.len()).map(|_| (100.0 * random.normal()).round() / 100.0).collect())
}

fn skewed(data: &Dataset, random: &mut Random) -> Column {
    numbers("income", (0..data.len()).map(|_| (9.0 + random.normal()).exp().round()).collect())
}

fn count(data: &Dataset, random: &mut Random) -> Column {
    numbers("visits", (0..data.len()).map(|_| (random.normal().abs() * 4.0).floor()).collect())
}

fn numbers(name: &str, values: Vec<f64>) -> Column {
    Column::new(
        name,
        Values::Numbers(Dense::new(values.len(), 1, values).unwrap_or_else(|_| Dense::zeros(0, 1))),
    )
}

/// The data with one more column.
fn with(data: &Dataset, column: Column) -> Option<Dataset> {
    let mut columns = data.columns().to_vec();
    columns.push(column);
    data.with_columns(columns).ok()
}

fn classes(data: &Dataset) -> Option<&Categories> {
    match data.target() {
        Some(Target::Classes(c)) => Some(c),
        _ => None,
    }
}

fn row_numbers(data: &Dataset, _: &mut Random) -> Option<Dataset> {
    with(data, numbers("case", (1..=data.len()).map(|i| i as f64).collect()))
}

fn keys(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let mut keys: Vec<f64> = (0..data.len()).map(|i| 1000.0 + i as f64).collect();
    random.shuffle(&mut keys);
    with(data, numbers("case", keys))
}

fn names(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let symbol = |r: &mut Random| char::from(b'A' + r.below(26) as u8);
    let name = |i: usize, r: &mut Random| Some(format!("{}{}-{:05}", symbol(r), symbol(r), i * 7 % 99991));
    with(data, Column::new("case", Values::Strings((0..data.len()).map(|i| name(i, random)).collect())))
}

fn hashes(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let hash = |r: &mut Random| (0..16).map(|_| char::from(b"0123456789abcdef"[r.below(16)])).collect();
    let values = (0..data.len()).map(|_| Some(hash(random))).collect();
    with(data, Column::new("case", Values::Strings(values)))
}

/// Made-up names; some first names are common.
fn persons(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let syllables = ["ba", "ko", "ri", "mu", "te", "la", "no", "shi", "ve", "zu", "ga", "pe"];
    let first = ["Ann", "Ben", "Carla", "Dora", "Emil", "Finn", "Greta", "Hans"];
    let name = |r: &mut Random| {
        let last: String = (0..4).map(|_| syllables[r.below(12)]).collect();
        format!("{} {}{}", first[r.below(8)], last[..1].to_uppercase(), &last[1..])
    };
    let values = (0..data.len()).map(|_| Some(name(random))).collect();
    with(data, Column::new("visitor", Values::Strings(values)))
}

/// A number or a class that is right for most objects, named as a prediction.
fn predictions(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let n = data.len();
    match data.target()? {
        Target::Numbers(y) => {
            let known: Vec<f64> = y.iter().copied().filter(|v| v.is_finite()).collect();
            let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
            let sd =
                (known.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / known.len().max(1) as f64).sqrt();
            with(data, numbers("y_pred", y.iter().map(|v| v + 0.4 * sd * random.normal()).collect()))
        }
        Target::Classes(c) => {
            let used: Vec<u32> = (0..n).filter_map(|i| c.code(i)).collect();
            let mut sizes = vec![0usize; c.levels().len()];
            used.iter().for_each(|&k| sizes[k as usize] += 1);
            // Errors of a tenth hide in small classes.
            if n < 60 || sizes.iter().any(|&s| s > 0 && s < 20) {
                return None;
            }
            let value = |i: usize, r: &mut Random| match (c.code(i), r.unit() < 0.1) {
                (_, true) => c.levels().get(used[r.below(used.len())] as usize),
                (code, false) => code.and_then(|k| c.levels().get(k as usize)),
            };
            let values: Vec<Option<&str>> = (0..n).map(|i| value(i, random).map(String::as_str)).collect();
            with(data, Column::new("predicted class", Values::Categories(Categories::from_values(values))))
        }
    }
}

/// A column that names the patient of each object; each has about eight.
fn patients(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let n = data.len();
    if n < 60 || data.groups().is_some() {
        return None;
    }
    let names: Vec<String> = (0..n / 8).map(|k| format!("p{k}")).collect();
    let values: Vec<Option<&str>> = (0..n).map(|_| Some(names[random.below(n / 8)].as_str())).collect();
    with(data, Column::new("patient", Values::Categories(Categories::from_values(values))))
}

/// A column of categories in capitals in the test set alone.
fn unseen(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let wards = ["north", "south", "east"];
    let test: Vec<bool> = (0..data.len()).map(|i| i % 4 == 0).collect();
    let drawn: Vec<String> = test
        .iter()
        .map(|tested| {
            let ward = wards[random.below(3)];
            if *tested { ward.to_uppercase() } else { ward.to_owned() }
        })
        .collect();
    let values = Categories::from_values(drawn.iter().map(|w| Some(w.as_str())));
    with(data, Column::new("ward", Values::Categories(values)))?.with_test(test).ok()
}

fn copied_target(data: &Dataset, _: &mut Random) -> Option<Dataset> {
    let c = classes(data)?;
    let names: Vec<String> = (0..c.levels().len()).map(|k| format!("state {k}")).collect();
    let values = (0..data.len()).map(|i| c.code(i).map(|k| names[k as usize].as_str()));
    with(data, Column::new("state", Values::Categories(Categories::from_values(values))))
}

fn noisy_target(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let c = classes(data).filter(|_| data.len() >= 100)?;
    let used: Vec<u32> = (0..data.len()).filter_map(|i| c.code(i)).collect();
    let value = |i: usize, r: &mut Random| {
        let own = f64::from(c.code(i).unwrap_or(0));
        if r.unit() < 0.005 { f64::from(used[r.below(used.len())]) } else { own }
    };
    with(data, numbers("flag", (0..data.len()).map(|i| value(i, random)).collect()))
}

fn telling_number(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let c = classes(data)?;
    let value = |i: usize, r: &mut Random| 10.0 * f64::from(c.code(i).unwrap_or(0)) + r.normal();
    with(data, numbers("level", (0..data.len()).map(|i| value(i, random)).collect()))
}

fn other_unit(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let Some(Target::Numbers(y)) = data.target() else { return None };
    let value = |v: f64, r: &mut Random| 32.0 + 1.8 * v * (1.0 + 1e-4 * r.normal());
    with(data, numbers("fahrenheit", y.iter().map(|&v| value(v, random)).collect()))
}

/// A number that is known for most members of one class, and for none of the others.
fn afterwards(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let c = classes(data)?;
    let mut sizes = vec![0usize; c.levels().len()];
    (0..data.len()).filter_map(|i| c.code(i)).for_each(|k| sizes[k as usize] += 1);
    let usual = |k: usize| sizes[k] as f64 / data.len() as f64;
    let class =
        (0..sizes.len()).filter(|&k| sizes[k] >= 40 && usual(k) < 0.8).max_by_key(|&k| sizes[k])? as u32;
    let value = |i: usize, r: &mut Random| {
        if c.code(i) == Some(class) && r.unit() < 0.8 { r.normal() } else { f64::NAN }
    };
    with(data, numbers("discharge", (0..data.len()).map(|i| value(i, random)).collect()))
}

/// Whether a column of numbers has many values.
fn is_varied(column: &Column) -> bool {
    let Values::Numbers(x) = &column.values else { return false };
    let mut bits: Vec<u64> = x.values().iter().map(|v| v.to_bits()).collect();
    bits.sort_unstable();
    bits.dedup();
    bits.len() > 60
}

/// Whether exact copies are not natural: objects with a structure, or three columns of many values.
fn is_fine(data: &Dataset) -> bool {
    let structured = |c: &Column| !matches!(&c.values, Values::Categories(_)) && c.values.width() != 1;
    data.columns().iter().any(structured) || data.columns().iter().filter(|c| is_varied(c)).count() >= 3
}

fn duplicates(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let n = data.len();
    let mut rows: Vec<usize> = (0..n).collect();
    rows.extend(random.sample(n, (n / 20).max(6)));
    is_fine(data).then(|| data.select(&rows))
}

fn across(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let n = data.len();
    let mut rows: Vec<usize> = (0..n).collect();
    rows.extend(random.sample(n, (n / 20).max(6)));
    let test = (0..rows.len()).map(|i| i >= n || i % 4 == 0).collect();
    is_fine(data).then(|| data.select(&rows).with_test(test).ok())?
}

/// Copies whose numbers differ in the fifth digit.
fn near(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let n = data.len();
    let continuous = |c: &Column| {
        is_varied(c) && matches!(&c.values, Values::Numbers(x) if x.values().iter().any(|v| v.fract() != 0.0))
    };
    let rich = |c: &Column| !matches!(&c.values, Values::Categories(_) | Values::Numbers(_));
    if data.columns().iter().any(rich) || data.columns().iter().filter(|c| continuous(c)).count() < 4 {
        return None;
    }
    let mut rows: Vec<usize> = (0..n).collect();
    rows.extend(random.sample(n, (n / 20).max(6)));
    let data = data.select(&rows);
    let mut columns = Vec::new();
    for column in data.columns() {
        let mut column = column.clone();
        if let Values::Numbers(x) = &mut column.values
            && x.values().iter().any(|v| v.fract() != 0.0)
        {
            let known: Vec<f64> = x.values().iter().copied().filter(|v| v.is_finite()).collect();
            let mean = known.iter().sum::<f64>() / known.len() as f64;
            let sd = (known.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / known.len() as f64).sqrt();
            let cols = x.cols();
            x.values_mut()[n * cols..].iter_mut().for_each(|v| *v += 1e-5 * sd * random.normal());
        }
        columns.push(column);
    }
    data.with_columns(columns).ok()
}

fn straddling(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let persons = (data.len() / 8).max(3);
    let names: Vec<String> = (0..persons).map(|k| format!("p{k}")).collect();
    let of: Vec<usize> = (0..data.len()).map(|_| random.below(persons)).collect();
    let groups = Categories::from_values(of.iter().map(|&k| Some(names[k].as_str())));
    let test = (0..data.len()).map(|i| i % 4 == 0).collect();
    data.clone().with_groups("person", groups).ok()?.with_test(test).ok()
}

/// A date for each object, and a column that grows by two standard deviations over time.
fn drift(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let n = data.len();
    if n < 80 {
        return None;
    }
    let mut day: Vec<usize> = (0..n).collect();
    random.shuffle(&mut day);
    let date = |d: usize| {
        Some(format!("2023-{:02}-{:02} 08:{:02}:00", 1 + d * 12 / n, 1 + d * 12 % n * 28 / n, d % 60))
    };
    let dates = Column::new("measured", Values::Strings(day.iter().map(|&d| date(d)).collect()));
    let sensor = day.iter().map(|&d| random.normal() + 3.5 * d as f64 / n as f64).collect();
    with(&with(data, dates)?, numbers("sensor", sensor))
}

fn imbalance(data: &Dataset, _: &mut Random) -> Option<Dataset> {
    let c = classes(data)?;
    let mut sizes = vec![0usize; c.levels().len()];
    (0..data.len()).filter_map(|i| c.code(i)).for_each(|k| sizes[k as usize] += 1);
    let largest = (0..sizes.len()).max_by_key(|&k| sizes[k])? as u32;
    let mut kept = 0;
    let few = (sizes[largest as usize] / 19).max(1);
    let mut keep = |i: &usize| {
        let own = c.code(*i) == Some(largest);
        kept += usize::from(!own);
        own || kept <= few
    };
    let rows: Vec<usize> = (0..data.len()).filter(|i| keep(i)).collect();
    (rows.len() >= 20).then(|| data.select(&rows))
}

fn constant(data: &Dataset, _: &mut Random) -> Option<Dataset> {
    with(data, numbers("site", vec![7.0; data.len()]))
}

fn empty(data: &Dataset, _: &mut Random) -> Option<Dataset> {
    with(data, numbers("notes", vec![f64::NAN; data.len()]))
}

/// Three objects ten to twenty spreads away in every numeric column.
fn outliers(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let n = data.len();
    let single = |c: &Column| matches!(&c.values, Values::Numbers(x) if x.cols() == 1);
    if n < 320 || data.columns().iter().filter(|c| single(c)).count() < 3 {
        return None;
    }
    let far = random.sample(n, 3);
    let mut columns = data.columns().to_vec();
    for column in columns.iter_mut().filter(|c| single(c)) {
        let Values::Numbers(x) = &mut column.values else { continue };
        let known: Vec<f64> = x.values().iter().copied().filter(|v| v.is_finite()).collect();
        let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
        let sd = (known.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / known.len().max(1) as f64).sqrt();
        let values = x.values_mut();
        far.iter().for_each(|&i| {
            values[i] =
                mean + sd * (15.0 + 25.0 * random.unit()) * if random.unit() < 0.5 { -1.0 } else { 1.0 }
        });
    }
    data.with_columns(columns).ok()
}

/// A measured column, such as a weight in kg, with 2 % of its values in g.
fn sentinels(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let n = data.len();
    let mut weight: Vec<f64> = (0..n).map(|_| (20.0 + 5.0 * random.normal()).round()).collect();
    let value = [-999.0, -9999.0, 999.0, 9999.0][random.below(4)];
    random.sample(n, (3 * n / 100).max(2)).into_iter().for_each(|i| weight[i] = value);
    with(data, numbers("size", weight))
}

fn units(data: &Dataset, random: &mut Random) -> Option<Dataset> {
    let n = data.len();
    if n < 60 {
        return None;
    }
    let mut weight: Vec<f64> =
        (0..n).map(|_| (70.0 * (0.2 * random.normal()).exp() * 10.0).round() / 10.0).collect();
    let factor = [1000.0, 10.0, 100.0, 2.54][random.below(4)];
    if factor == 2.54 {
        // Heights in cm, some in inches.
        weight = (0..n).map(|_| (170.0 * (0.05 * random.normal()).exp()).round()).collect();
    }
    let least = 2 + (0.75 * (data.columns().len() as f64 + 2.0).log10()) as usize;
    random
        .sample(n, (n / 50).max(least))
        .into_iter()
        .for_each(|i| weight[i] = if factor == 2.54 { weight[i] / factor } else { weight[i] * factor });
    with(data, numbers("size", weight))
}
