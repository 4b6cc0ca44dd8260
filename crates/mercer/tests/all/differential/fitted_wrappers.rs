//! Wrappers that compare objects with all training objects.

use mercer::data::{Dataset, Values};
use mercer::expression::Call;

use super::matrices::{Matrix, apply, eigen, inverse, matrix, power};
use super::vectors::content;
use super::wrappers::{classes, within};
use super::{Pairs, Value, View, brute as any_brute, number, whole, word};

/// All values of a kernel, and the largest scale of one.
struct Known {
    k: Matrix,
    scale: f64,
}

impl Known {
    fn of(pairs: &Pairs, n: usize) -> Self {
        let values: Vec<Vec<Value>> =
            (0..n).map(|i| (0..n).map(|j| pairs(i.max(j), i.min(j))).collect()).collect();
        let scale = values.iter().flatten().fold(0.0f64, |a, v| a.max(v.scale).max(v.k.abs()));
        Known { k: values.iter().map(|row| row.iter().map(|v| v.k).collect()).collect(), scale }
    }

    /// The similarities of each object to the training objects.
    fn to_training(&self, train: usize) -> Matrix {
        self.k.iter().map(|row| row[..train].to_vec()).collect()
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

pub(super) fn brute(call: &Call, view: View<'_>) -> Pairs {
    let inner = any_brute(&call.inner[0], view);
    let known = Known::of(&inner, view.len());
    match call.entry.facts.name {
        "center" => {
            let means: Vec<f64> = known
                .to_training(view.train)
                .iter()
                .map(|r| r.iter().sum::<f64>() / view.train as f64)
                .collect();
            let grand = means[..view.train].iter().sum::<f64>() / view.train as f64;
            Box::new(move |i, j| Value::of(known.k[i][j] - means[i] - means[j] + grand, 4.0 * known.scale))
        }
        "markov" => {
            let degrees: Vec<f64> = known.to_training(view.train).iter().map(|r| r.iter().sum()).collect();
            let least = 1e-150 * degrees[..view.train].iter().sum::<f64>() / view.train as f64;
            Box::new(move |i, j| {
                if degrees[i] <= least || degrees[j] <= least {
                    return Value::exact(0.0);
                }
                let v = inner(i, j);
                let lengths = (degrees[i] * degrees[j]).sqrt();
                Value::of(v.k / lengths, 4.0 * v.scale.max(v.k.abs()) / lengths * exponents(&v))
            })
        }
        "repair" if word(call, "method") == "diffuse" => exponential(call, &known, view, true),
        "repair" => repair(call, known, view.train),
        "exponential" => exponential(call, &known, view, word(call, "scale") == "radius"),
        "walk" => walk(call, &inner, known, view),
        "laplacian-walk" => laplacian_walk(call, &known),
        _ => cluster(call, &known),
    }
}

/// The relative error of a sum of small exponentials is the error of the exponents.
fn exponents(v: &Value) -> f64 {
    if v.k == 0.0 { 1.0 } else { (v.scale / v.k.abs()).max(1.0) }
}

/// c_x·A^(p-2)·c_y over ρ^(p-1), A the similarities of the objects that the walk passes through.
fn walk(call: &Call, inner: &Pairs, known: Known, view: View<'_>) -> Pairs {
    let p = whole(call, "p");
    let through = if word(call, "through") == "all" { view.len() } else { view.train };
    let c = known.to_training(through);
    if p == 1 {
        let values: Vec<Vec<Value>> =
            (0..view.len()).map(|i| (0..view.len()).map(|j| inner(i.max(j), i.min(j))).collect()).collect();
        return Box::new(move |i, j| values[i][j]);
    }
    let a: Matrix = c[..through].to_vec();
    let radius = eigen(&a).0.iter().fold(0.0f64, |r, v| r.max(v.abs()));
    if radius == 0.0 {
        return Box::new(|_, _| Value::exact(0.0));
    }
    let unit = if word(call, "scale") == "none" { radius.powi(p as i32 - 1) } else { 1.0 };
    // Divide first, so that powers do not overflow.
    let steps = power(&a.iter().map(|r| r.iter().map(|v| v / radius).collect()).collect(), p - 2);
    let scale = known.scale;
    Box::new(move |i, j| {
        let k = dot(&apply(&steps, &c[i]), &c[j]) / radius;
        let length = |x: &[f64]| dot(x, x).sqrt();
        // Rounding of similarities, and of the radius in each of p steps.
        let size = (length(&c[i]) + scale) * (length(&c[j]) + scale) / radius;
        Value::of(k * unit, 8.0 * p as f64 * size * unit)
    })
}

/// D^(-1/2)·K·D^(-1/2) of all objects.
fn symmetric_step(k: &Matrix) -> Matrix {
    let d: Vec<f64> = k.iter().map(|row| row.iter().sum()).collect();
    matrix(k.len(), k.len(), |i, j| k[i][j] / (d[i] * d[j]).sqrt())
}

/// The first object equal to each: fitted kernels may identify objects by their content.
fn first_equals(call: &Call, view: View<'_>) -> Vec<usize> {
    let columns = view.columns(call);
    let all: Vec<String> = (0..view.len()).map(|i| content(&columns, i)).collect();
    all.iter().map(|one| all.iter().position(|o| o == one).unwrap()).collect()
}

/// exp(β(A - s·I)) of the training similarities A: z(x)·z(y) with z(x) = c_x·U·φ(Λ), φ(λ) = (e^(β(λ-s)/2) - e^(-βs/2))/λ,
/// and e^(-βs/2)·U_x in addition for a training object, a separate axis for a new one.
fn exponential(call: &Call, known: &Known, view: View<'_>, scaled: bool) -> Pairs {
    let (train, beta, first) = (view.train, number(call, "beta"), first_equals(call, view));
    let c = known.to_training(train);
    let (values, u) = eigen(&c[..train].to_vec());
    let most = values.iter().map(|v| beta * v).fold(f64::NEG_INFINITY, f64::max);
    let s = if scaled && beta != 0.0 { most / beta } else { 0.0 };
    let empty = (-beta * s / 2.0).exp();
    let phi: Vec<f64> = values
        .iter()
        .map(|v| {
            let half = beta * v / 2.0;
            match half.abs() < 1e-3 {
                // The first terms of the series give the limit for eigenvalue 0.
                true => {
                    empty * beta / 2.0 * (1.0 + half / 2.0 + half * half / 6.0 + half * half * half / 24.0)
                }
                false => ((half - beta * s / 2.0).exp() - empty) / v,
            }
        })
        .collect();
    let is_known: Vec<bool> = (0..view.len()).map(|i| first[i] < train).collect();
    let coordinates: Matrix = (0..view.len())
        .map(|i| {
            let along = |l: usize| (0..train).map(|t| c[i][t] * u[t][l]).sum::<f64>() * phi[l];
            let own =
                |l: usize| if is_known[i] { empty * u[if i < train { i } else { first[i] }][l] } else { 0.0 };
            (0..train).map(|l| along(l) + own(l)).collect()
        })
        .collect();
    let steep = phi.iter().fold(0.0f64, |m, p| m.max(p.abs()));
    let size = empty + steep * known.scale * train as f64;
    Box::new(move |i, j| {
        // Equal objects are distinguished by their order, which depends on the set they are in.
        if i != j && first[i] == first[j] {
            return Value { k: 0.0, scale: f64::INFINITY };
        }
        let (x, y) = (&coordinates[i], &coordinates[j]);
        let (a, b) = (dot(x, x).sqrt() + size, dot(y, y).sqrt() + size);
        let alone = if i == j && !is_known[i] { empty * empty } else { 0.0 };
        within(dot(x, y) + alone, 1e-10 * a * b)
    })
}

fn laplacian_walk(call: &Call, known: &Known) -> Pairs {
    let (p, a) = (whole(call, "p"), number(call, "a"));
    let step = symmetric_step(&known.k);
    let m = matrix(step.len(), step.len(), |i, j| (step[i][j] + if i == j { a - 1.0 } else { 0.0 }) / a);
    let unit = if word(call, "scale") == "none" { a.powi(p as i32) } else { a };
    let walked = power(&m, p);
    Box::new(move |i, j| Value::of(walked[i][j] * unit, 10.0 * p as f64 * unit))
}

fn cluster(call: &Call, known: &Known) -> Pairs {
    let (values, u) = eigen(&symmetric_step(&known.k));
    let n = values.len();
    let mut sorted = values.clone();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let keep = whole(call, "keep").min(n);
    // Include all equal eigenvalues.
    let cut = sorted[keep - 1] - 1e-12;
    let transfer = word(call, "transfer").to_owned();
    let t = number(call, "t");
    let phi = |v: f64| {
        let v = v.max(0.0);
        match transfer.as_str() {
            "linear" => v,
            "step" => f64::from(u8::from(v >= cut)),
            "linear-step" if v >= cut => v,
            "linear-step" => 0.0,
            _ => v.powf(t),
        }
    };
    let mapped: Vec<f64> = values.iter().map(|v| phi(*v)).collect();
    let most = mapped.iter().copied().fold(0.0, f64::max);
    let entry = move |i: usize, j: usize| (0..n).map(|k| u[i][k] * mapped[k] * u[j][k]).sum::<f64>();
    // The gap between the kept eigenvalues and the others: it determines the accuracy of the projections.
    let cuts = ["step", "linear-step"].contains(&word(call, "transfer"));
    let below = sorted.iter().copied().find(|v| *v < cut).unwrap_or(f64::NEG_INFINITY);
    let gap = if cuts { sorted[keep - 1] - below } else { 1.0 };
    let last = sorted[keep - 1];
    // Eigenvalues this close may be equal up to rounding, or not.
    let close = |v: &f64| last - v > n as f64 * f64::EPSILON / 8.0 && last - v < 1e-9;
    let unsure = cuts && (gap < 1e-6 || values.iter().any(close));
    // Roots and other powers below 1 magnify the rounding of an eigenvalue 0.
    let steep = word(call, "transfer") == "polynomial" && t < 1.0;
    Box::new(move |i, j| {
        let (x, y) = (entry(i, i), entry(j, j));
        // The projection of an object may consist of rounding errors only.
        if unsure || steep || x.min(y) < 1e-6 * most {
            return Value { k: 0.0, scale: f64::INFINITY };
        }
        let lengths = (x * y).sqrt();
        Value::of(entry(i, j) / lengths, (10.0 + 10.0 * most / x.min(y)) * (1.0 + 1.0 / gap))
    })
}

/// k_x·U·diag(f(λ)/λ²)·Uᵀ·k_y of the training similarities U·Λ·Uᵀ, for clip and flip.
fn repair(call: &Call, known: Known, train: usize) -> Pairs {
    let c = known.to_training(train);
    let a: Matrix = c[..train].to_vec();
    let (values, u) = eigen(&a);
    let radius = values.iter().fold(0.0f64, |r, v| r.max(v.abs()));
    let zero = train as f64 * f64::EPSILON * radius;
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let method = word(call, "method").to_owned();
    let k = known.k;
    let scale = known.scale;
    // Whether an eigenvalue is zero depends on rounding.
    let unsure = values.iter().any(|v| v.abs() > zero / 8.0 && v.abs() < zero * 64.0);
    let negative = least < -zero;
    if method == "shift" || !negative {
        let shift = if method == "shift" && negative { -least } else { 0.0 };
        return Box::new(move |i, j| match unsure {
            true => Value { k: 0.0, scale: f64::INFINITY },
            false => Value::of(k[i][j] + if i == j { shift } else { 0.0 }, 10.0 * scale.max(radius)),
        });
    }
    let f = |v: f64| match method.as_str() {
        "clip" => v.max(0.0),
        _ => v.abs(),
    };
    let kept: Vec<usize> = (0..train).filter(|l| values[*l].abs() > zero && f(values[*l]) > 0.0).collect();
    let roots: Vec<f64> = kept.iter().map(|l| f(values[*l]).sqrt() / values[*l]).collect();
    let coordinates: Matrix = c
        .iter()
        .map(|row| {
            let along = |l: usize| (0..train).map(|t| row[t] * u[t][l]).sum::<f64>();
            kept.iter().zip(&roots).map(|(l, r)| along(*l) * r).collect()
        })
        .collect();
    // The rounding of similarities grows with the inverse of the divisors.
    let grown = roots.iter().map(|r| r * r).sum::<f64>().sqrt();
    // The absolute error of a small eigenvalue is that of the large ones.
    let smallest = kept.iter().map(|l| values[*l].abs()).fold(radius, f64::min);
    let shaky = 16.0 * train as f64 * f64::EPSILON * radius.max(scale) / smallest;
    let off = 64.0 * f64::EPSILON * train as f64 * scale * grown;
    Box::new(move |i, j| {
        if unsure {
            return Value { k: 0.0, scale: f64::INFINITY };
        }
        let (x, y) = (&coordinates[i], &coordinates[j]);
        let (a, b) = (dot(x, x).sqrt(), dot(y, y).sqrt());
        within(dot(x, y), (1e-12 + shaky) * a * b + off * (a + b + off))
    })
}

/// Σ over references and kernels of u(x)·u(y), u the standardised distance (x - mean) / deviation.
pub(super) fn similarity(call: &Call, view: View<'_>) -> Pairs {
    let (n, train) = (view.len(), view.train);
    let gaps = word(call, "missing") == "mean";
    let mut features: Vec<Vec<f64>> = vec![Vec::new(); n];
    for inner in &call.inner {
        // If missing values are allowed, an object without a value has no distance.
        let columns = match inner {
            mercer::expression::Expression::Call(c) => view.columns(c),
            _ => panic!("not a kernel"),
        };
        let has: Vec<usize> =
            (0..n).filter(|i| !gaps || columns.iter().all(|c| !c.values.is_missing(*i))).collect();
        let present = view.data.select(&has);
        let known = has.iter().filter(|i| **i < train).count();
        let pairs = any_brute(inner, View { data: &present, train: known, ..view });
        let place = |i: usize| has.iter().position(|h| *h == i);
        for s in 0..train {
            let distance = |i: usize| match (place(i), place(s)) {
                (Some(a), Some(b)) => {
                    (pairs(a, a).k + pairs(b, b).k - 2.0 * pairs(a.max(b), a.min(b)).k).max(0.0).sqrt()
                }
                _ => f64::NAN,
            };
            let all: Vec<f64> = (0..n).map(distance).collect();
            let seen: Vec<f64> = all[..train].iter().copied().filter(|d| !d.is_nan()).collect();
            let count = seen.len() as f64;
            let mean = seen.iter().sum::<f64>() / count;
            let deviation = (seen.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / count).sqrt();
            if deviation.is_nan() || deviation <= 1e-12 * mean.abs() {
                continue;
            }
            for (row, d) in features.iter_mut().zip(&all) {
                row.push(if d.is_nan() { 0.0 } else { (mean - d) / deviation });
            }
        }
    }
    let width = features[0].len();
    let middle = (word(call, "fisher") == "full").then(|| {
        let ridge = number(call, "ridge");
        let share = |a: usize, b: usize| {
            (0..train).map(|i| features[i][a] * features[i][b]).sum::<f64>() / train as f64
        };
        inverse(&matrix(width, width, |a, b| share(a, b) + if a == b { ridge } else { 0.0 }))
    });
    Box::new(move |i, j| {
        let (x, y) = (&features[i], &features[j]);
        let k = middle.as_ref().map_or_else(|| dot(x, y), |m| dot(&apply(m, x), y));
        let full = if middle.is_some() { 1e3 } else { 1.0 };
        // Distances are square roots of differences of similarities.
        within(k, 1e-8 * full * (dot(x, x) * dot(y, y)).sqrt().max(1.0))
    })
}

/// Σ w_m·k_m/t_m, with equal weights or those of centred alignment with the classes.
pub(super) fn mkl(call: &Call, view: View<'_>) -> Pairs {
    let (n, train) = (view.len(), view.train);
    let parts: Vec<Known> = call.inner.iter().map(|e| Known::of(&any_brute(e, view), n)).collect();
    let mean_self = |k: &Known| (0..train).map(|i| k.k[i][i]).sum::<f64>() / train as f64;
    let scales: Vec<f64> =
        parts.iter().map(|k| if mean_self(k) > 0.0 { mean_self(k) } else { 1.0 }).collect();
    // The rounding error of a weight: a kernel may nearly vanish after centring.
    let mut rough = 1.0;
    let weights = if word(call, "method") == "uniform" {
        vec![1.0 / parts.len() as f64; parts.len()]
    } else {
        let classes = classes(view.data, train);
        let same = matrix(train, train, |i, j| f64::from(u8::from(classes[i] == classes[j])));
        let target = centred(&same);
        let inner = |a: &Matrix, b: &Matrix| a.iter().zip(b).map(|(x, y)| dot(x, y)).sum::<f64>();
        let mut aligned = |known: &Known| {
            let k = centred(&known.to_training(train)[..train].to_vec());
            let sizes = (inner(&k, &k) * inner(&target, &target)).sqrt();
            // A constant matrix becomes pure rounding error.
            if sizes <= 1e-12 * known.scale {
                return 0.0;
            }
            rough += train as f64 * known.scale / sizes;
            (inner(&k, &target) / sizes).max(0.0)
        };
        let all: Vec<f64> = parts.iter().map(&mut aligned).collect();
        let sum: f64 = all.iter().sum();
        if sum < 1e-6 {
            // No kernel is aligned with the classes, or rounding decides it.
            return Box::new(|_, _| Value { k: 0.0, scale: f64::INFINITY });
        }
        rough /= sum;
        all.iter().map(|a| a / sum).collect()
    };
    Box::new(move |i, j| {
        let term = |m: usize| weights[m] * parts[m].k[i][j] / scales[m];
        let size: f64 = parts.iter().zip(&scales).map(|(k, s)| k.scale / s).sum();
        Value::of((0..parts.len()).map(term).sum(), 10.0 * rough * size)
    })
}

fn centred(k: &Matrix) -> Matrix {
    let n = k.len() as f64;
    let rows: Vec<f64> = k.iter().map(|r| r.iter().sum::<f64>() / n).collect();
    let all = rows.iter().sum::<f64>() / n;
    matrix(k.len(), k.len(), |i, j| k[i][j] - rows[i] - rows[j] + all)
}

/// The largest weighted degree of a node, over all graphs and both directions.
pub(super) fn largest_degree(data: &Dataset) -> f64 {
    let mut most = 1.0f64;
    for column in data.columns() {
        let Values::Graphs(graphs) = &column.values else { continue };
        for g in graphs {
            let mut sums = vec![[0.0; 2]; g.nodes()];
            for (at, (a, b)) in g.arcs().enumerate() {
                let w = g.weights().map_or(1.0, |w| w[at].abs().max(1.0));
                sums[a as usize][0] += w;
                sums[b as usize][1] += w;
            }
            most = sums.iter().flatten().fold(most, |m, s| m.max(*s));
        }
    }
    most
}
