//! Points in time, with a calendar that counts days one year and one month after the other.

use mercer::data::Values;
use mercer::expression::Call;

use super::{Pairs, Value, View, number};

pub(super) const KERNELS: &[&str] = &["time"];

/// Hour, weekday (0 is Monday) and month (0 is January) of a time.
fn calendar(seconds: f64) -> [usize; 3] {
    let mut days = (seconds / 86_400.0).floor() as i64;
    let hour = (seconds - days as f64 * 86_400.0) / 3600.0;
    let weekday = (days.rem_euclid(7) + 3) % 7;
    let leap = |year: i64| year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
    let mut year = 1970;
    while days < 0 {
        year -= 1;
        days += 365 + i64::from(leap(year));
    }
    while days >= 365 + i64::from(leap(year)) {
        days -= 365 + i64::from(leap(year));
        year += 1;
    }
    let mut month = 0;
    for length in [31, 28 + i64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    [hour as usize, weekday as usize, month]
}

pub(super) fn brute(call: &Call, view: View<'_>) -> Pairs {
    let seconds: Vec<Vec<f64>> = view
        .columns(call)
        .iter()
        .map(|c| match &c.values {
            Values::Times(times) => times.seconds().to_vec(),
            other => panic!("{} are not times", other.kind()),
        })
        .collect();
    let [hour, weekday, month, trend] = ["hour", "weekday", "month", "trend"].map(|name| number(call, name));
    let chain = |n: usize, beta: f64, d: usize| -> f64 {
        let angle = |nu: usize| 2.0 * std::f64::consts::PI * nu as f64 / n as f64;
        (0..n).map(|nu| (-2.0 * beta * (1.0 - angle(nu).cos())).exp() * (angle(nu) * d as f64).cos()).sum()
    };
    let one = move |s: f64, t: f64| {
        let (a, b) = (calendar(s), calendar(t));
        let mut parts = Vec::new();
        for ((n, beta), (x, y)) in
            [(24, hour), (7, weekday), (12, month)].into_iter().zip(a.into_iter().zip(b))
        {
            if beta > 0.0 {
                parts.push((chain(n, beta, x.abs_diff(y)) / chain(n, beta, 0)).max(0.0));
            }
        }
        if trend > 0.0 {
            let days = (s - t) / 86_400.0;
            parts.push((-days * days / (2.0 * trend * trend)).exp());
        }
        if parts.is_empty() { 1.0 } else { parts.iter().sum::<f64>() / parts.len() as f64 }
    };
    // Each part is at most 1 and rounded on its own.
    Box::new(move |i, j| {
        Value::of(seconds.iter().map(|s| one(s[i], s[j])).sum::<f64>() / seconds.len() as f64, 1.0)
    })
}
