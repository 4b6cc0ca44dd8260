//! The figures of the paper's tables I and II.
//!
//! V. Gavriilidis & A. Tefas, *Random Walk Kernel Applications to Classification using Support Vector Machines*, table I
//! (inner product) and table II (heat kernel): accuracies in percent over 5×2 cross-validation, names and stars as printed.

use super::{Base, Half};

/// A row of a table of the paper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The name of the data set, spelt as in the paper.
    pub data: &'static str,
    /// The numbers of objects, features and classes.
    pub shape: [usize; 3],
    /// Accuracies in percent of the plain machine, PA, PT and PSV with p from the grid search.
    pub searched: [f64; 4],
    /// The same with the best power.
    pub best: [f64; 4],
    /// Where the paper marks a significant 5×2cv test against the plain machine: with the searched p, with the best one.
    pub starred: [[bool; 4]; 2],
}

impl Published {
    /// The accuracies of one half of the table.
    pub fn half(&self, half: Half) -> [f64; 4] {
        match half {
            Half::Searched => self.searched,
            Half::BestPower => self.best,
        }
    }

    const fn starred(mut self, stars: [bool; 4]) -> Self {
        self.starred = [stars, stars];
        self
    }
}

const fn row(data: &'static str, shape: [usize; 3], searched: [f64; 4], best: [f64; 4]) -> Published {
    Published { data, shape, searched, best, starred: [[false; 4]; 2] }
}

/// The rows of the table of a base kernel, in the paper's order.
///
/// ```
/// use mercer::reproduce::random_walk::{Base, published};
/// let balance = published(Base::Rbf).iter().find(|row| row.data == "Balance").unwrap();
/// assert_eq!(balance.searched, [92.13, 96.64, 96.58, 92.13]);
/// ```
pub fn published(base: Base) -> &'static [Published] {
    match base {
        Base::InnerProduct => &TABLE_1,
        Base::Rbf => &TABLE_2,
    }
}

/// Table I, inner product.
#[rustfmt::skip]
const TABLE_1: [Published; 14] = [
    row("australian", [690, 14, 2], [85.42, 85.45, 85.42, 85.39], [85.42, 85.51, 85.51, 85.62]),
    row("diabetes", [768, 8, 2], [76.88, 76.88, 76.88, 76.88], [76.88, 76.80, 76.80, 76.80]),
    row("liver-dis", [345, 6, 2], [68.00, 68.17, 67.94, 66.78], [68.00, 68.69, 68.69, 68.69]),
    row("mamographic", [961, 5, 2], [81.50, 81.50, 81.50, 81.50], [81.50, 82.02, 82.02, 82.02]),
    row("PlanRelax", [182, 12, 2], [71.43, 71.43, 71.43, 71.43], [71.43, 71.43, 71.43, 71.43]),
    row("habberman", [306, 3, 2], [73.46, 73.46, 73.46, 73.46], [73.46, 73.53, 73.53, 73.53]),
    row("Iris", [150, 4, 3], [96.80, 97.20, 97.20, 96.40], [96.80, 98.00, 98.00, 97.73]),
    row("Balance1", [400, 2, 3], [100.00, 100.00, 100.00, 100.00], [100.00, 100.00, 100.00, 100.00]),
    row("Balance", [625, 4, 3], [91.62, 90.85, 91.23, 91.62], [91.62, 91.36, 91.36, 91.36]),
    row("Balance3", [729, 6, 3], [93.42, 93.42, 93.42, 93.42], [93.42, 93.42, 93.42, 93.42]),
    row("Ecoli", [336, 7, 8], [86.14, 86.08, 86.14, 86.14], [86.14, 86.50, 86.50, 86.50]),
    row("halfmoon", [800, 2, 2], [83.83, 83.58, 83.58, 83.47], [83.83, 83.75, 83.75, 83.75]),
    row("cocentral", [685, 2, 3], [50.80, 66.10, 65.96, 66.51], [50.80, 66.10, 66.10, 66.57]).starred([false, true, true, true]),
    row("swissroll", [1600, 3, 4], [75.66, 77.01, 77.01, 76.85], [75.66, 77.45, 77.45, 77.12]),
];

/// Table II, heat kernel.
#[rustfmt::skip]
const TABLE_2: [Published; 14] = [
    row("australian", [690, 14, 2], [85.04, 85.36, 85.51, 85.39], [85.04, 85.83, 86.00, 85.56]),
    row("diabetes", [768, 8, 2], [75.81, 75.70, 75.68, 75.47], [75.81, 76.69, 76.56, 76.56]),
    row("liver-dis", [345, 6, 2], [69.74, 69.85, 68.46, 69.74], [69.74, 70.55, 70.66, 70.03]),
    row("mamographic", [961, 5, 2], [80.94, 81.44, 81.37, 81.08], [80.94, 81.50, 81.73, 81.02]),
    row("PlanRelax", [182, 12, 2], [70.22, 69.56, 70.44, 71.65], [70.22, 71.54, 70.88, 71.43]),
    row("habberman", [306, 3, 2], [74.38, 74.51, 74.57, 74.70], [74.38, 74.38, 74.05, 73.73]),
    row("Iris", [150, 4, 3], [95.47, 95.20, 95.07, 96.00], [95.47, 95.33, 95.47, 96.27]),
    row("Balance1", [400, 2, 3], [94.55, 99.75, 99.75, 94.55], [94.55, 100.00, 100.00, 94.55]).starred([false, true, true, false]),
    row("Balance", [625, 4, 3], [92.13, 96.64, 96.58, 92.13], [92.13, 97.41, 97.28, 92.07]).starred([false, true, true, false]),
    row("Balance3", [729, 6, 3], [93.03, 98.79, 99.04, 93.03], [93.03, 98.85, 99.09, 93.03]).starred([false, true, true, false]),
    row("Ecoli", [336, 7, 8], [86.37, 86.08, 85.96, 86.13], [86.37, 86.08, 86.08, 86.08]),
    row("halfmoon", [800, 2, 2], [99.97, 99.97, 99.97, 99.97], [99.97, 100.00, 100.00, 100.00]),
    row("cocentral", [685, 2, 3], [100.00, 100.00, 100.00, 100.00], [100.00, 100.00, 100.00, 100.00]),
    row("swissroll", [1600, 3, 4], [98.29, 98.16, 98.26, 98.20], [98.29, 98.31, 98.31, 98.31]),
];
