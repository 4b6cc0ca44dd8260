//! Time series: alignments enumerated if there are few, otherwise the plain recursion.

use mercer::data::{Column, Dataset, Series, Target, Values};
use mercer::expression::{Call, Expression, Setting, Value as Word};

use super::{Pairs, Value, View, brute as any_brute, number, whole, word};

pub(super) const KERNELS: &[&str] = &[
    "dtw",
    "learned-dtw",
    "derivative-dtw",
    "weighted-dtw",
    "soft-dtw",
    "gak",
    "kdtw",
    "erp",
    "lcss",
    "msm",
    "twe",
    "series-euclidean",
    "resample",
    "bin",
    "znormalize",
    "learned-window",
];

/// A series as vectors, one per time step.
type TimeSteps = Vec<Vec<f64>>;

/// The band for a pair of lengths: the allowed cells.
#[derive(Clone, Copy)]
struct Band {
    shape: Shape,
    n: usize,
    m: usize,
}

#[derive(Clone, Copy)]
enum Shape {
    Window(f64),
    Slope(f64),
}

impl Shape {
    fn of(call: &Call) -> Self {
        match word(call, "shape") {
            "itakura" => Shape::Slope(number(call, "slope")),
            _ => Shape::Window(number(call, "window")),
        }
    }
}

impl Band {
    /// Whether time steps i and j, from 0, may be aligned.
    fn has(&self, i: usize, j: usize) -> bool {
        let (n, m) = (self.n, self.m);
        if n == 1 || m == 1 {
            return true;
        }
        let longer = n.max(m);
        let (x, y) = (i as f64 / (n - 1) as f64, j as f64 / (m - 1) as f64);
        // On the axis of the longer series; the diagonal from corner to corner is always allowed.
        let apart = (x - y).abs() * (longer - 1) as f64;
        let straight = apart <= (longer - 1) as f64 / (n.min(m) - 1) as f64 / 2.0 + 1e-9;
        let inside = match self.shape {
            Shape::Window(w) if w == 1.0 || w >= longer as f64 => true,
            Shape::Window(w) => {
                let time_steps = if w < 1.0 { (w * longer as f64 + 1e-9).floor() } else { w.floor() };
                apart <= time_steps + 1e-9
            }
            Shape::Slope(s) => {
                let (low, high) = ((x / s).max(1.0 - s * (1.0 - x)), (s * x).min(1.0 - (1.0 - x) / s));
                y >= low - 1e-9 / longer as f64 && y <= high + 1e-9 / longer as f64
            }
        };
        straight || inside
    }

    /// All alignments, if there are few enough to enumerate.
    fn alignments(&self) -> Option<Vec<Vec<(usize, usize)>>> {
        if self.n * self.m > 16 {
            return None;
        }
        let (mut open, mut done) = (vec![vec![(0, 0)]], Vec::new());
        while let Some(path) = open.pop() {
            let (i, j) = path[path.len() - 1];
            if (i, j) == (self.n - 1, self.m - 1) {
                done.push(path);
                continue;
            }
            for (i, j) in [(i + 1, j), (i, j + 1), (i + 1, j + 1)] {
                if i < self.n && j < self.m && self.has(i, j) {
                    open.push([&path[..], &[(i, j)]].concat());
                }
            }
        }
        Some(done)
    }

    /// The table of a recursion: `cell` gets the position of a cell, from 1, and the cells before it.
    fn table(
        &self,
        outside: f64,
        border: impl Fn(usize, usize) -> f64,
        cell: impl Fn(usize, usize, [f64; 3]) -> f64,
    ) -> f64 {
        let mut t = vec![vec![outside; self.m + 1]; self.n + 1];
        for i in 0..=self.n {
            for j in 0..=self.m {
                if i == 0 || j == 0 {
                    if self.has(i.max(1) - 1, j.max(1) - 1) {
                        t[i][j] = border(i, j);
                    }
                } else if self.has(i - 1, j - 1) {
                    t[i][j] = cell(i, j, [t[i - 1][j - 1], t[i - 1][j], t[i][j - 1]]);
                }
            }
        }
        t[self.n][self.m]
    }

    /// The smallest sum of costs over alignments.
    fn least(&self, cost: impl Fn(usize, usize) -> f64) -> f64 {
        if let Some(all) = self.alignments() {
            let sums = all.iter().map(|path| path.iter().map(|(i, j)| cost(*i, *j)).sum::<f64>());
            return sums.fold(f64::INFINITY, f64::min);
        }
        let corner = |i: usize, j: usize| if i + j == 0 { 0.0 } else { f64::INFINITY };
        self.table(f64::INFINITY, corner, |i, j, [a, b, c]| cost(i - 1, j - 1) + a.min(b).min(c))
    }

    /// The logarithm of the sum over alignments of products, whose factors have the logarithm `log`.
    fn log_sum(&self, log: impl Fn(usize, usize) -> f64) -> f64 {
        let add = |all: &[f64]| {
            let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if most == f64::NEG_INFINITY {
                return most;
            }
            most + all.iter().map(|v| (v - most).exp()).sum::<f64>().ln()
        };
        if let Some(all) = self.alignments() {
            let terms: Vec<f64> = all.iter().map(|p| p.iter().map(|(i, j)| log(*i, *j)).sum()).collect();
            return add(&terms);
        }
        let corner = |i: usize, j: usize| if i + j == 0 { 0.0 } else { f64::NEG_INFINITY };
        self.table(f64::NEG_INFINITY, corner, |i, j, near| log(i - 1, j - 1) + add(&near))
    }
}

fn squared(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum()
}

fn apart(x: &[f64], y: &[f64]) -> f64 {
    squared(x, y).sqrt()
}

/// The time steps of chosen channels.
fn time_steps(s: &Series, channels: &[usize]) -> TimeSteps {
    (0..s.len()).map(|t| channels.iter().map(|c| s.channel(*c)[t]).collect()).collect()
}

pub(super) fn brute(call: &Call, view: View<'_>) -> Pairs {
    let Values::Series(all) = view.one(call) else { panic!("no series") };
    let name = call.entry.facts.name;
    if let Some(prepare) = preparation(call) {
        let columns = vec![Column::new("s", Values::Series(all.iter().map(prepare).collect()))];
        let prepared = Dataset::new(columns).unwrap();
        return any_brute(&call.inner[0], View { data: &prepared, train: view.train, named: None });
    }
    if name == "learned-window" {
        return learned_window(call, &view);
    }
    let channels: Vec<usize> = match whole(call, "channel") {
        0 => (0..all.first().map_or(1, Series::channels)).collect(),
        one => vec![one - 1],
    };
    let independent = name == "msm"
        || call.entry.facts.parameters.iter().any(|p| p.name == "channels")
            && word(call, "channels") == "independent";
    let groups: Vec<Vec<usize>> =
        if independent { channels.iter().map(|c| vec![*c]).collect() } else { vec![channels] };
    let planes: Vec<Vec<TimeSteps>> =
        groups.iter().map(|group| all.iter().map(|s| time_steps(s, group)).collect()).collect();
    match name {
        "dtw" | "weighted-dtw" | "derivative-dtw" => warping(call, planes),
        "learned-dtw" => learned(&view, planes),
        "soft-dtw" => soft(call, planes.concat()),
        "gak" => alignment_kernel(call, planes.concat()),
        "kdtw" => elastic_kernel(call, planes.concat()),
        _ => editing(call, planes),
    }
}

/// The preprocessing of each series.
type Preparation = Box<dyn Fn(&Series) -> Series>;

/// The preprocessing of `resample`, `bin` and `znormalize`.
fn preparation(call: &Call) -> Option<Preparation> {
    let each = |s: &Series, f: &dyn Fn(&[f64]) -> Vec<f64>| {
        Series::new(s.channels(), (0..s.channels()).flat_map(|c| f(s.channel(c))).collect()).unwrap()
    };
    Some(match call.entry.facts.name {
        "resample" => {
            let length = whole(call, "length");
            Box::new(move |s| {
                each(s, &|x| {
                    let last = (x.len() - 1) as f64;
                    let place = |t: usize| match length {
                        1 => last / 2.0,
                        _ => last * t as f64 / (length - 1) as f64,
                    };
                    let value = |t: usize| {
                        let (low, high) = (place(t).floor(), place(t).ceil());
                        let share = place(t) - low;
                        x[low as usize] * (1.0 - share) + x[high as usize] * share
                    };
                    (0..length).map(value).collect()
                })
            })
        }
        "bin" => {
            let width = whole(call, "width");
            Box::new(move |s| {
                each(s, &|x| {
                    let bins = x.len().div_ceil(width);
                    let part = |b: usize| &x[b * width..((b + 1) * width).min(x.len())];
                    (0..bins).map(|b| part(b).iter().sum::<f64>() / part(b).len() as f64).collect()
                })
            })
        }
        "znormalize" => Box::new(move |s| {
            each(s, &|x| {
                let n = x.len() as f64;
                let mean = x.iter().sum::<f64>() / n;
                let deviation = (x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
                let constant = x.iter().all(|v| *v == x[0]);
                x.iter().map(|v| if constant { 0.0 } else { (v - mean) / deviation }).collect()
            })
        }),
        _ => return None,
    })
}

/// The derivative of each channel.
fn slopes(x: &TimeSteps) -> TimeSteps {
    let n = x.len();
    let slope = |t: usize, c: usize| match n {
        1 => 0.0,
        2 => x[1][c] - x[0][c],
        _ => {
            let t = t.clamp(1, n - 2);
            ((x[t][c] - x[t - 1][c]) + (x[t + 1][c] - x[t - 1][c]) / 2.0) / 2.0
        }
    };
    (0..n).map(|t| (0..x[t].len()).map(|c| slope(t, c)).collect()).collect()
}

/// The magnitude of rounding of sums along an alignment: the lengths.
fn steps(x: &TimeSteps, y: &TimeSteps) -> f64 {
    (x.len() + y.len()) as f64
}

fn warping(call: &Call, mut planes: Vec<Vec<TimeSteps>>) -> Pairs {
    let shape = Shape::of(call);
    let name = call.entry.facts.name;
    let steep = (name == "weighted-dtw").then(|| number(call, "g"));
    // Differences of single precision.
    let single = name == "dtw" && word(call, "precision") == "single";
    if name == "derivative-dtw" {
        planes.iter_mut().flatten().for_each(|x| *x = slopes(x));
    }
    Box::new(move |i, j| {
        let mut sum = 0.0;
        let mut size = 0.0f64;
        for plane in &planes {
            let (x, y) = (&plane[i], &plane[j]);
            let band = Band { shape, n: x.len(), m: y.len() };
            let longer = x.len().max(y.len()) as f64;
            sum += band.least(|a, b| {
                let weight =
                    steep.map_or(1.0, |g| 1.0 / (1.0 + (-g * (a.abs_diff(b) as f64 - longer / 2.0)).exp()));
                weight * squared(&x[a], &y[b])
            });
            size = x.iter().chain(y).flatten().fold(size, |a, b| a.max(b.abs()));
        }
        let exact = Value::of(-sum / 2.0, sum * steps(&planes[0][i], &planes[0][j]));
        if single {
            // Values are rounded to 24 bits, so differences have an error relative to the values.
            let off = size * 6e-8;
            return Value::of(exact.k, exact.scale * 1e5 + (off * off + off * sum.sqrt()) * 1e13);
        }
        exact
    })
}

/// The window of 0, 0.01, …, 1 with the fewest leave-one-out errors of 1-nearest-neighbour on the training series, ties
/// of neighbours to the first.
fn learned(view: &View<'_>, planes: Vec<Vec<TimeSteps>>) -> Pairs {
    let Some(Target::Classes(classes)) = view.data.target() else { panic!("no classes") };
    let distance = move |i: usize, j: usize, w: f64| {
        let of = |plane: &Vec<TimeSteps>| {
            let (x, y) = (&plane[i], &plane[j]);
            Band { shape: Shape::Window(w), n: x.len(), m: y.len() }.least(|a, b| squared(&x[a], &y[b]))
        };
        planes.iter().map(of).sum::<f64>()
    };
    let wrong = |w: f64| {
        let strays = |i: &usize| {
            let mut best: Option<(f64, usize)> = None;
            for j in (0..view.train).filter(|j| j != i) {
                let d = distance(*i, j, w);
                if best.is_none_or(|(least, _)| d < least) {
                    best = Some((d, j));
                }
            }
            best.is_some_and(|(_, j)| classes.get(j) != classes.get(*i))
        };
        (0..view.train).filter(strays).count()
    };
    let windows: Vec<f64> = (0..=100).map(|w| f64::from(w) / 100.0).collect();
    let errors: Vec<usize> = windows.iter().map(|w| wrong(*w)).collect();
    let least = errors.iter().min().unwrap();
    let w = windows[errors.iter().position(|e| e == least).unwrap()];
    Box::new(move |i, j| {
        let sum = distance(i, j, w);
        Value::of(-sum / 2.0, sum * 64.0)
    })
}

/// The distance within the window of fewest errors; no case where rounding decides between neighbours.
fn learned_window(call: &Call, view: &View<'_>) -> Pairs {
    let Some(Target::Classes(classes)) = view.data.target() else { panic!("no classes") };
    let Expression::Call(inner) = &call.inner[0] else { panic!("no distance") };
    let steps = whole(call, "steps");
    let within = |step: usize| {
        let mut inner = inner.clone();
        let place = |name: &str| inner.entry.facts.parameters.iter().position(|p| p.name == name).unwrap();
        let (window, shape) = (place("window"), place("shape"));
        inner.settings[window] = (step as f64 / steps as f64).into();
        inner.settings[shape] = Setting::Fixed(Word::Word("sakoe-chiba".to_owned()));
        any_brute(&Expression::Call(inner), *view)
    };
    let mut errors = Vec::new();
    for step in 0..=steps {
        let pairs = within(step);
        let mut wrong = 0;
        for i in 0..view.train {
            let all: Vec<(f64, usize)> =
                (0..view.train).filter(|j| *j != i).map(|j| (pairs(i, j).k, j)).collect();
            let Some(most) = all.iter().map(|p| p.0).reduce(f64::max) else { continue };
            let nearest = all.iter().find(|p| p.0 == most).unwrap().1;
            let near = |(k, j): &(f64, usize)| {
                *k < most && *k > most - 1e-9 * most.abs() && classes.get(*j) != classes.get(nearest)
            };
            if all.iter().any(near) {
                return Box::new(|_, _| Value { k: 0.0, scale: f64::INFINITY });
            }
            wrong += usize::from(classes.get(nearest) != classes.get(i));
        }
        errors.push(wrong);
    }
    let least = errors.iter().min().unwrap();
    within(errors.iter().position(|e| e == least).unwrap())
}

fn soft(call: &Call, all: Vec<TimeSteps>) -> Pairs {
    let (shape, gamma) = (Shape::of(call), number(call, "gamma"));
    let s = move |x: &TimeSteps, y: &TimeSteps| {
        let band = Band { shape, n: x.len(), m: y.len() };
        -gamma * band.log_sum(|a, b| -squared(&x[a], &y[b]) / gamma)
    };
    Box::new(move |i, j| {
        let (x, y) = (&all[i], &all[j]);
        let (both, own) = (s(x, y), (s(x, x), s(y, y)));
        let divergence = both - (own.0 + own.1) / 2.0;
        let scale = both.abs() + own.0.abs() + own.1.abs() + gamma * steps(x, y);
        if i == j {
            return Value::exact(0.0);
        }
        Value::of(-divergence.max(0.0) / 2.0, scale)
    })
}

fn alignment_kernel(call: &Call, all: Vec<TimeSteps>) -> Pairs {
    let (sigma, bound) = (number(call, "sigma"), whole(call, "triangular"));
    let log_sum = move |x: &TimeSteps, y: &TimeSteps| {
        let band = Band { shape: Shape::Window(1.0), n: x.len(), m: y.len() };
        band.log_sum(|a, b| {
            let near = if bound == 0 { 1.0 } else { (1.0 - a.abs_diff(b) as f64 / bound as f64).max(0.0) };
            let log = near.ln() - squared(&x[a], &y[b]) / (2.0 * sigma * sigma);
            log - (2.0 - log.exp()).ln()
        })
    };
    Box::new(move |i, j| {
        let (x, y) = (&all[i], &all[j]);
        let (both, own) = (log_sum(x, y), (log_sum(x, x), log_sum(y, y)));
        let k = (both - (own.0 + own.1) / 2.0).exp();
        if k == 0.0 {
            return Value::of(0.0, 1e-290);
        }
        // The relative error of k is the absolute error of the logarithms.
        Value::of(k, k * (1.0 + both.abs() + own.0.abs() + own.1.abs() + steps(x, y)))
    })
}

/// Sums over alignments, and over walks that compare equal time steps, as logarithms.
fn elastic_kernel(call: &Call, all: Vec<TimeSteps>) -> Pairs {
    let (nu, epsilon) = (number(call, "nu"), number(call, "epsilon"));
    let local = move |x: &Vec<f64>, y: &Vec<f64>| {
        (((-nu * squared(x, y)).exp() + epsilon) / (3.0 * (1.0 + epsilon))).ln()
    };
    let add = |a: f64, b: f64| {
        let high = a.max(b);
        if high == f64::NEG_INFINITY { high } else { high + ((a - high).exp() + (b - high).exp()).ln() }
    };
    let log_value = move |x: &TimeSteps, y: &TimeSteps| {
        let band = Band { shape: Shape::Window(1.0), n: x.len(), m: y.len() };
        let aligned = band.log_sum(|a, b| local(&x[a], &y[b]));
        if x.len() != y.len() {
            return aligned;
        }
        let n = x.len();
        let step: Vec<f64> = (0..n).map(|t| local(&x[t], &y[t])).collect();
        let mut sums = vec![vec![f64::NEG_INFINITY; n + 1]; n + 1];
        sums[0][0] = 0.0;
        for i in 1..=n {
            for j in 1..=n {
                let straight = if i == j { sums[i - 1][j - 1] + step[i - 1] } else { f64::NEG_INFINITY };
                sums[i][j] = add(straight, add(sums[i - 1][j] + step[i - 1], sums[i][j - 1] + step[j - 1]));
            }
        }
        add(aligned, sums[n][n])
    };
    Box::new(move |i, j| {
        let (x, y) = (&all[i], &all[j]);
        let (both, own) = (log_value(x, y), (log_value(x, x), log_value(y, y)));
        let k = (both - (own.0 + own.1) / 2.0).exp();
        Value::of(k, k * (1.0 + both.abs() + own.0.abs() + own.1.abs() + steps(x, y)) + 1e-290)
    })
}

/// A distance of two series within a band.
type Edits = Box<dyn Fn(&TimeSteps, &TimeSteps, Band) -> f64>;

/// Edit distances, and the Euclidean one.
fn editing(call: &Call, planes: Vec<Vec<TimeSteps>>) -> Pairs {
    let name = call.entry.facts.name;
    if name == "series-euclidean" {
        let all = planes.concat();
        return Box::new(move |i, j| {
            let sum: f64 = all[i].iter().zip(&all[j]).map(|(x, y)| squared(x, y)).sum();
            Value::of(-sum / 2.0, sum * 10.0)
        });
    }
    let shape = Shape::of(call);
    let one: Edits = match name {
        "erp" => {
            let g = number(call, "g");
            Box::new(move |x, y, band| {
                let gap = |p: &Vec<f64>| p.iter().map(|v| (v - g) * (v - g)).sum::<f64>().sqrt();
                let border = |i: usize, j: usize| x[..i].iter().chain(&y[..j]).map(gap).sum();
                band.table(f64::INFINITY, border, |i, j, [diagonal, up, left]| {
                    let (p, q) = (&x[i - 1], &y[j - 1]);
                    (diagonal + apart(p, q)).min(up + gap(p)).min(left + gap(q))
                })
            })
        }
        "lcss" => {
            let epsilon = number(call, "epsilon");
            Box::new(move |x, y, band| {
                // Every cell counts; time steps outside the band never match.
                let all = Band { shape: Shape::Window(1.0), ..band };
                let common = all.table(
                    0.0,
                    |_, _| 0.0,
                    |i, j, [diagonal, up, left]| {
                        let matches = band.has(i - 1, j - 1) && apart(&x[i - 1], &y[j - 1]) <= epsilon;
                        if matches { diagonal + 1.0 } else { up.max(left) }
                    },
                );
                1.0 - common / x.len().min(y.len()) as f64
            })
        }
        "msm" => {
            let c = number(call, "c");
            let cost = move |a: f64, b: f64, e: f64| c + (b.min(e) - a).max(a - b.max(e)).max(0.0);
            Box::new(move |x, y, band| {
                let corner = |i: usize, j: usize| if i + j == 0 { 0.0 } else { f64::INFINITY };
                band.table(f64::INFINITY, corner, |i, j, [diagonal, up, left]| {
                    let (a, b) = (x[i - 1][0], y[j - 1][0]);
                    let mut least = diagonal + (a - b).abs();
                    if i > 1 {
                        least = least.min(up + cost(a, x[i - 2][0], b));
                    }
                    if j > 1 {
                        least = least.min(left + cost(b, a, y[j - 2][0]));
                    }
                    least
                })
            })
        }
        _ => {
            let (nu, lambda) = (number(call, "nu"), number(call, "lambda"));
            Box::new(move |x, y, band| {
                let zero = vec![0.0; x[0].len()];
                let before = |s: &TimeSteps, i: usize| if i > 1 { s[i - 2].clone() } else { zero.clone() };
                let corner = |i: usize, j: usize| if i + j == 0 { 0.0 } else { f64::INFINITY };
                band.table(f64::INFINITY, corner, |i, j, [diagonal, up, left]| {
                    let (p, q) = (&x[i - 1], &y[j - 1]);
                    let (p0, q0) = (before(x, i), before(y, j));
                    let stiff = 2.0 * nu * i.abs_diff(j) as f64;
                    (diagonal + apart(p, q) + apart(&p0, &q0) + stiff)
                        .min(up + apart(p, &p0) + nu + lambda)
                        .min(left + apart(q, &q0) + nu + lambda)
                })
            })
        }
    };
    let share = name == "lcss";
    Box::new(move |i, j| {
        let of = |plane: &Vec<TimeSteps>| {
            let (x, y) = (&plane[i], &plane[j]);
            one(x, y, Band { shape, n: x.len(), m: y.len() })
        };
        let d: f64 = planes.iter().map(of).sum();
        let scale = if share { d } else { d * steps(&planes[0][i], &planes[0][j]) };
        Value::of(-d * d / 2.0, d * scale)
    })
}
