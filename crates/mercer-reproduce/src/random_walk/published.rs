//! The values in the paper's tables.
//!
//! V. Gavriilidis & A. Tefas, *Random Walk Kernel Applications to Classification using Support Vector Machines*, table I
//! (inner product) and table II (heat kernel): accuracies in percent over 5×2 cross-validation, names and stars as printed.
//! Tables III to VI: activities with leave-one-person-out, folk dances with a given split.

use super::Half;

/// A row of a table of the paper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The name of the data set, spelt as in the paper.
    pub data: &'static str,
    /// The numbers of objects, features and classes.
    pub shape: [usize; 3],
    /// Accuracies in percent of the simple SVM, PA, PT and PSV with p from the grid search.
    pub searched: [f64; 4],
    /// The same with the best power.
    pub best: [f64; 4],
    /// Whether the paper marks a significant 5×2cv test against the simple SVM: with the searched p, with the best one.
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

/// Table I, inner product.
#[rustfmt::skip]
pub(super) const TABLE_1: [Published; 14] = [
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
pub(super) const TABLE_2: [Published; 14] = [
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

/// Table III, inner product, activities; 12 persons, leaving one out at a time.
#[rustfmt::skip]
pub(super) const TABLE_3: [Published; 9] = [
    row("mobiserv5", [1288, 5, 3], [73.58, 73.59, 73.81, 72.69], [73.58, 74.27, 74.19, 74.85]),
    row("mobiserv25", [1288, 25, 3], [88.11, 89.35, 88.76, 88.03], [88.11, 89.50, 89.35, 89.15]),
    row("mobiserv75", [1288, 75, 3], [88.22, 88.66, 88.83, 88.22], [88.22, 88.22, 88.22, 88.22]),
    row("mobiserv100", [1288, 100, 3], [86.87, 86.53, 86.20, 86.94], [86.87, 87.99, 86.87, 86.87]),
    row("ixmas10", [2160, 10, 12], [29.63, 30.51, 30.32, 30.42], [29.63, 30.09, 30.19, 30.19]),
    row("ixmas100", [2160, 100, 12], [36.71, 37.59, 37.13, 37.55], [36.71, 38.19, 37.82, 38.52]),
    row("ixmas150", [2160, 150, 12], [35.83, 38.15, 37.87, 38.10], [35.83, 38.15, 37.87, 38.10]),
    row("ixmas200", [2160, 200, 12], [36.34, 36.30, 35.60, 36.39], [36.34, 36.57, 36.34, 36.67]),
    row("ixmas300", [2160, 300, 12], [36.57, 40.51, 40.28, 39.49], [36.57, 40.51, 40.28, 39.49]),
];

/// Table IV, heat kernel, activities.
#[rustfmt::skip]
pub(super) const TABLE_4: [Published; 9] = [
    row("mobiserv5", [1288, 5, 3], [72.85, 73.22, 73.35, 73.20], [72.85, 74.62, 74.54, 75.54]),
    row("mobiserv25", [1288, 25, 3], [87.36, 87.36, 87.22, 87.22], [87.36, 87.36, 87.36, 87.36]),
    row("mobiserv75", [1288, 75, 3], [89.10, 89.05, 89.27, 89.10], [89.10, 89.36, 89.36, 89.34]),
    row("mobiserv100", [1288, 100, 3], [88.63, 88.00, 88.47, 87.89], [88.63, 88.63, 88.63, 88.63]),
    row("ixmas10", [2160, 10, 12], [33.84, 33.15, 32.96, 33.24], [33.84, 33.84, 33.84, 33.84]),
    row("ixmas100", [2160, 100, 12], [39.54, 38.84, 38.89, 39.58], [39.54, 39.54, 39.54, 39.54]),
    row("ixmas150", [2160, 150, 12], [38.80, 37.87, 38.47, 38.56], [38.80, 38.80, 38.80, 38.80]),
    row("ixmas200", [2160, 200, 12], [38.98, 39.35, 38.66, 38.47], [38.98, 39.03, 38.98, 38.98]),
    row("ixmas300", [2160, 300, 12], [38.98, 38.75, 39.26, 38.84], [38.98, 38.98, 38.98, 38.98]),
];

/// Table V, inner product, folk dances; 497 for training, 516 for testing.
#[rustfmt::skip]
pub(super) const TABLE_5: [Published; 2] = [
    row("isa.100", [1013, 100, 5], [40.12, 43.02, 46.71, 52.33], [40.12, 53.88, 53.88, 53.10]),
    row("traj.1000", [1013, 1000, 5], [43.60, 47.67, 35.85, 32.56], [43.60, 51.16, 43.60, 38.57]),
];

/// Table VI, heat kernel, folk dances.
#[rustfmt::skip]
pub(super) const TABLE_6: [Published; 2] = [
    row("isa.100", [1013, 100, 5], [50.97, 37.02, 50.97, 37.02], [50.97, 52.52, 50.97, 51.36]),
    row("traj.1000", [1013, 1000, 5], [39.73, 39.73, 39.73, 29.07], [39.73, 47.29, 39.73, 37.40]),
];
