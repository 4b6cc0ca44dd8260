//! Gauss–Legendre quadrature on the unit interval.

/// The nodes and weights on 0..1 with which Σ w·f(t) is the integral of every polynomial f of degree below 2·`count`.
///
/// The nodes are the zeros of the Legendre polynomial of that degree, found by Newton's method from their asymptotic
/// places; the weights are positive and sum to 1. It takes `count`² operations.
///
/// ```
/// use mercer_core::numeric::shapley::gauss_legendre;
/// let cubes: f64 = gauss_legendre(2).iter().map(|(t, w)| w * t.powi(3)).sum();
/// assert!((cubes - 0.25).abs() < 1e-15);
/// ```
///
/// W. H. Press, S. A. Teukolsky, W. T. Vetterling and B. P. Flannery, *Numerical recipes*, 2007, section 4.6.
pub fn gauss_legendre(count: usize) -> Vec<(f64, f64)> {
    let n = count as f64;
    let node = |i: usize| {
        let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (n + 0.5)).cos();
        let mut slope = 1.0;
        // Newton's method doubles the digits of a start that has three.
        for _ in 0..8 {
            let (value, derivative) = legendre(count, x);
            slope = derivative;
            let step = value / slope;
            x -= step;
            if step.abs() < 1e-16 {
                break;
            }
        }
        (0.5 * (1.0 - x), 1.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..count).map(node).collect()
}

/// The Legendre polynomial of a degree above 0, and its derivative.
fn legendre(degree: usize, x: f64) -> (f64, f64) {
    let (mut before, mut value) = (1.0, x);
    for k in 1..degree {
        let k = k as f64;
        (before, value) = (value, ((2.0 * k + 1.0) * x * value - k * before) / (k + 1.0));
    }
    (value, degree as f64 * (x * value - before) / (x * x - 1.0))
}
