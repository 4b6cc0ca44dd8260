//! Fingerprints of data sets, by which interrupted computations recognise their input.

use xxhash_rust::xxh3::Xxh3;

use super::{Dataset, Dense, Labels, Values};

impl Dataset {
    /// A 128-bit fingerprint of every value in every column: equal columns have equal fingerprints.
    pub fn fingerprint(&self) -> u128 {
        let mut print = Fingerprint(Xxh3::new());
        print.count(self.len());
        for column in self.columns() {
            print.text(Some(&column.name));
            print.text(Some(column.values.kind().name()));
            print.values(&column.values);
        }
        print.0.digest128()
    }

    /// A 128-bit fingerprint of each object's values in every column: equal objects have equal fingerprints.
    ///
    /// Numbers are compared by value, whatever their storage: 0 and -0 are equal, explicit and implicit zeros of sparse
    /// vectors are equal, and missing values are equal to each other.
    pub fn object_fingerprints(&self) -> Vec<u128> {
        let of = |i: usize| {
            let mut print = Fingerprint(Xxh3::new());
            self.columns().iter().for_each(|column| print.object(&column.values, i));
            print.0.digest128()
        };
        (0..self.len()).map(of).collect()
    }
}

/// Feeds values to the hash so that different data sets always feed different bytes.
struct Fingerprint(Xxh3);

impl Fingerprint {
    fn count(&mut self, n: usize) {
        self.0.update(&(n as u64).to_le_bytes());
    }

    fn text(&mut self, text: Option<&str>) {
        match text {
            Some(text) => {
                self.count(text.len());
                self.0.update(text.as_bytes());
            }
            None => self.count(usize::MAX),
        }
    }

    fn numbers(&mut self, numbers: &[f64]) {
        self.count(numbers.len());
        for v in numbers {
            self.0.update(&v.to_le_bytes());
        }
    }

    fn indices(&mut self, indices: &[u32]) {
        self.count(indices.len());
        for i in indices {
            self.0.update(&i.to_le_bytes());
        }
    }

    fn labels(&mut self, labels: Option<&Labels>) {
        self.count(labels.map_or(usize::MAX, Labels::len));
        labels.into_iter().flat_map(Labels::iter).for_each(|l| self.text(Some(l)));
    }

    fn attributes(&mut self, rows: Option<&Dense>) {
        self.count(rows.map_or(usize::MAX, Dense::cols));
        self.numbers(rows.map_or(&[], Dense::values));
    }

    fn values(&mut self, values: &Values) {
        match values {
            Values::Numbers(x) => {
                self.count(x.cols());
                self.numbers(x.values());
            }
            Values::Sparse(x) => {
                self.count(x.dim());
                for (features, values) in (0..x.rows()).map(|i| x.row(i)) {
                    self.indices(features);
                    self.numbers(values);
                }
            }
            // The texts determine the molecules, and need no canonical form.
            Values::Molecules(all) => all.iter().for_each(|m| self.text(Some(m.text()))),
            other => (0..other.len()).for_each(|i| self.object(other, i)),
        }
    }

    /// One object's value; different values always feed different bytes.
    fn object(&mut self, values: &Values, i: usize) {
        match values {
            Values::Numbers(x) => self.vector(x.row(i).iter().copied().enumerate()),
            Values::Sparse(x) => {
                let (features, values) = x.row(i);
                self.vector(features.iter().map(|&f| f as usize).zip(values.iter().copied()));
            }
            Values::Categories(c) => self.text(c.get(i)),
            Values::Times(t) => self.numbers(&t.seconds()[i..=i]),
            Values::Strings(v) | Values::Text(v) => self.text(v[i].as_deref()),
            Values::Series(v) => {
                self.count(v[i].channels());
                self.numbers(v[i].values());
            }
            Values::Graphs(v) => {
                let g = &v[i];
                self.count(usize::from(g.is_directed()));
                self.count(g.nodes());
                (0..g.nodes()).for_each(|i| self.indices(g.neighbours(i)));
                self.labels(g.node_labels());
                self.labels(g.edge_labels());
                self.numbers(g.weights().unwrap_or_default());
                self.attributes(g.node_attributes());
                self.attributes(g.edge_attributes());
            }
            // Equal molecules have equal canonical forms, however they were written.
            Values::Molecules(v) => self.text(Some(&v[i].canonical())),
            Values::Images(v) => {
                [v[i].width(), v[i].height(), v[i].channels()].iter().for_each(|&n| self.count(n));
                self.0.update(v[i].pixels());
            }
            Values::Nodes(v) => {
                self.0.update(&v.network().identity().to_le_bytes());
                self.indices(&v.chosen()[i..=i]);
            }
            Values::Precomputed(p) => {
                self.count(p.reference(i).unwrap_or(usize::MAX));
                self.numbers(p.row(i));
            }
        }
    }

    fn vector(&mut self, entries: impl Iterator<Item = (usize, f64)>) {
        for (feature, value) in entries.filter(|(_, v)| *v != 0.0) {
            self.count(feature);
            self.0.update(&if value.is_nan() { f64::NAN } else { value }.to_le_bytes());
        }
        self.count(usize::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Categories, Column, Dense, Sparse};
    use super::*;

    #[test]
    fn object_fingerprints_depend_on_values() {
        let dense =
            Values::Numbers(Dense::from_rows(&[[0.0, 2.0], [-0.0, 2.0], [2.0, 0.0], [f64::NAN, 2.0]]));
        let rows = [vec![(1, 2.0)], vec![(0, 0.0), (1, 2.0)], vec![(0, 2.0)], vec![(0, f64::NAN), (1, 2.0)]];
        let sparse = Values::Sparse(Sparse::from_rows(5, &rows[..3]).unwrap());
        let names = Values::Categories(Categories::from_values(["a", "a", "a", "b"].map(Some)));
        let prints = |values: Vec<Values>| {
            let named = values.into_iter().enumerate().map(|(i, v)| Column::new(i.to_string(), v));
            Dataset::new(named.collect()).unwrap().object_fingerprints()
        };
        let of_dense = prints(vec![dense.clone()]);
        assert_eq!(of_dense[0], of_dense[1]);
        assert!(of_dense[0] != of_dense[2] && of_dense[0] != of_dense[3]);
        assert_eq!(of_dense[..3], prints(vec![sparse])[..]);
        let both = prints(vec![dense, names]);
        assert!(both[0] == both[1] && both[0] != of_dense[0]);
        assert!(Dataset::default().object_fingerprints().is_empty());
    }
}
