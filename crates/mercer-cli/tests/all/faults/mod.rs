//! The program when killed, interrupted, or without disk space or memory.

mod full_disk;
mod interrupts;
mod kills;
mod limits;
mod memory;

use std::time::Duration;

use crate::run::Folder;

/// Pseudorandom numbers from a seed (SplitMix64; Steele, Lea & Flood 2014).
struct Seeded(u64);

impl Seeded {
    /// A number from 0 up to 1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A random time within this duration.
    fn duration(&mut self, within: Duration) -> Duration {
        within.mul_f64(self.unit())
    }
}

/// A table with two classes that are not linearly separable, the same in every run.
fn table(rows: usize, columns: usize) -> String {
    let mut random = Seeded(17);
    let names: Vec<String> = (0..columns).map(|j| format!("c{j}")).collect();
    let mut text = names.join(",") + ",class\n";
    for _ in 0..rows {
        let values: Vec<f64> = (0..columns).map(|_| (random.unit() * 4000.0).round() / 1000.0).collect();
        let sum: f64 = values.iter().map(|v| (v * 3.0).sin()).sum();
        let class = if sum + random.unit() > 0.5 { "p" } else { "q" };
        let cells: Vec<String> = values.iter().map(f64::to_string).collect();
        text += &format!("{},{class}\n", cells.join(","));
    }
    text
}

/// A folder with such a table as `a.csv`.
fn folder(rows: usize, columns: usize) -> Folder {
    let folder = Folder::new();
    folder.write("a.csv", table(rows, columns));
    folder
}
