//! A fingerprint of a data set's content, by which unfinished work recognises its input.

use xxhash_rust::xxh3::Xxh3;

use super::{Dataset, Values};

impl Dataset {
    /// A 128-bit fingerprint of every value in every column: equal columns, equal fingerprint.
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
}

/// Feeds values to the hash so that no two different data sets feed it the same bytes.
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

    fn labels(&mut self, labels: Option<&[String]>) {
        self.count(labels.map_or(usize::MAX, <[String]>::len));
        labels.unwrap_or_default().iter().for_each(|l| self.text(Some(l)));
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
            Values::Categories(c) => (0..c.len()).for_each(|i| self.text(c.get(i))),
            Values::Strings(v) | Values::Text(v) => v.iter().for_each(|s| self.text(s.as_deref())),
            Values::Series(v) => v.iter().for_each(|s| {
                self.count(s.channels());
                self.numbers(s.values());
            }),
            Values::Graphs(v) => v.iter().for_each(|g| {
                self.count(usize::from(g.is_directed()));
                self.count(g.nodes());
                (0..g.nodes()).for_each(|i| self.indices(g.neighbours(i)));
                self.labels(g.node_labels());
                self.labels(g.edge_labels());
                self.numbers(g.weights().unwrap_or_default());
            }),
            Values::Images(v) => v.iter().for_each(|p| {
                [p.width(), p.height(), p.channels()].iter().for_each(|&n| self.count(n));
                self.0.update(p.pixels());
            }),
            Values::Precomputed(p) => (0..p.len()).for_each(|i| {
                self.count(p.reference(i).unwrap_or(usize::MAX));
                self.numbers(p.row(i));
            }),
        }
    }
}
