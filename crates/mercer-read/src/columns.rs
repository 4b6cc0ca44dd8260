//! A Gram matrix in a file, of which rows are read on demand.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::npy::SquareFile;
use crate::error::{Error, Result};
use crate::gram::{SYMMETRY_THRESHOLD, Scalar};
use crate::solve::{Columns, View, add_rows};

/// A Gram matrix in an npy file, possibly larger than memory.
///
/// Opening reads the diagonal and checks a sample of entries for symmetry; every row is checked for NaN and infinity
/// when it is read. The solver caches rows in single precision. The file is not memory-mapped, because truncating a
/// mapped file would crash the program.
///
/// ```
/// use mercer_core::learn::{ClassCodes, Learner, Svc};
/// use mercer_read::FileColumns;
/// # let folder = std::env::temp_dir().join("mercer-file-columns");
/// # std::fs::create_dir_all(&folder).unwrap();
/// # let path = folder.join("k.npy");
/// # let bytes: Vec<u8> = [4.0, -2.0, -2.0, 1.0f64].iter().flat_map(|v| v.to_le_bytes()).collect();
/// # std::fs::write(&path, [mercer_read::npy_header(2, 2, "<f8"), bytes].concat()).unwrap();
/// // The points 2 and -1 on a line.
/// let columns = FileColumns::open(&path)?;
/// let model = Svc::new(10.0).fit_columns(&columns, &ClassCodes::new([1, 0], 2))?;
/// assert_eq!(model.support(), [0, 1]);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Debug)]
pub struct FileColumns {
    file: SquareFile,
    diagonal: Vec<f64>,
}

/// The number of objects whose entries are checked for symmetry when a file is opened.
const SAMPLE: usize = 64;

/// The number of rows read at a time when many are summed.
const TOGETHER: usize = 16;

impl FileColumns {
    /// Opens an npy file with a symmetric matrix of numbers of any size and byte order.
    pub fn open(path: &Path) -> Result<Self> {
        let file = SquareFile::open(path)?;
        let n = file.len();
        let mut diagonal = vec![0.0; n];
        for (i, value) in diagonal.iter_mut().enumerate() {
            file.read(i, i, std::slice::from_mut(value))?;
        }
        let columns = FileColumns { file, diagonal };
        columns.sample()?;
        Ok(columns)
    }

    /// Checks the symmetry of the entries between objects spread over the matrix.
    fn sample(&self) -> Result<()> {
        let n = self.len();
        let some: Vec<u32> = (0..SAMPLE.min(n)).map(|k| (k * n / SAMPLE.min(n)) as u32).collect();
        let mut block = vec![0.0; some.len() * some.len()];
        self.exact(&some, &some, &mut block)?;
        let largest = block.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        for a in 0..some.len() {
            for b in 0..a {
                let difference = (block[a * some.len() + b] - block[b * some.len() + a]).abs();
                if difference > SYMMETRY_THRESHOLD * largest {
                    let (row, col) = (some[a] as usize, some[b] as usize);
                    return Err(Error::NotSymmetric { row, col, difference });
                }
            }
        }
        Ok(())
    }
}

impl Columns for FileColumns {
    fn len(&self) -> usize {
        self.file.len()
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        Ok(self.diagonal.clone())
    }

    fn view(&self, order: Arc<[u32]>) -> Result<Box<dyn View + '_>> {
        let straight = order.iter().enumerate().all(|(at, &j)| at == j as usize);
        Ok(Box::new(FileView { source: self, order, straight }))
    }

    fn batch(&self) -> usize {
        TOGETHER
    }

    fn combine(&self, of: &[u32], chosen: &[u32], weights: &[f64]) -> Result<Vec<f64>> {
        let n = self.len();
        let mut sums = vec![0.0; n];
        let mut rows = vec![0.0; TOGETHER * n];
        for (chosen, weights) in chosen.chunks(TOGETHER).zip(weights.chunks(TOGETHER)) {
            for (&j, row) in chosen.iter().zip(rows.chunks_exact_mut(n)) {
                self.file.read(j as usize, 0, row)?;
            }
            let parts: Vec<&[f64]> = rows.chunks_exact(n).take(chosen.len()).collect();
            add_rows(&mut sums, &parts, weights);
        }
        Ok(of.iter().map(|&i| sums[i as usize]).collect())
    }

    fn exact(&self, rows: &[u32], cols: &[u32], out: &mut [f64]) -> Result<()> {
        let mut row = vec![0.0; self.len()];
        for (&i, out) in rows.iter().zip(out.chunks_exact_mut(cols.len().max(1))) {
            self.file.read(i as usize, 0, &mut row)?;
            out.iter_mut().zip(cols).for_each(|(o, &j)| *o = row[j as usize]);
        }
        Ok(())
    }
}

struct FileView<'a> {
    source: &'a FileColumns,
    order: Arc<[u32]>,
    straight: bool,
}

impl FileView<'_> {
    fn copy<T: Scalar>(&self, rows: &[u32], cols: Range<usize>, out: &mut [&mut [T]]) -> Result<()> {
        let width = if self.straight { cols.len() } else { self.source.len() };
        let mut row = vec![0.0; width];
        for (&i, target) in rows.iter().zip(out) {
            match self.straight {
                true => {
                    self.source.file.read(i as usize, cols.start, &mut row)?;
                    target.iter_mut().zip(&row).for_each(|(t, v)| *t = T::from_f64(*v));
                }
                false => {
                    self.source.file.read(i as usize, 0, &mut row)?;
                    let order = &self.order[cols.clone()];
                    target.iter_mut().zip(order).for_each(|(t, &j)| *t = T::from_f64(row[j as usize]));
                }
            }
        }
        Ok(())
    }
}

impl View for FileView<'_> {
    fn fill(&self, rows: &[u32], cols: Range<usize>, out: &mut [&mut [f32]]) -> Result<()> {
        self.copy(rows, cols, out)
    }

    fn fill_exact(&self, rows: &[u32], cols: Range<usize>, out: &mut [&mut [f64]]) -> Result<()> {
        self.copy(rows, cols, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dense, Vectors};
    use crate::gram::Engine;
    use crate::solve::{GramColumns, Limits};
    use mercer_core::kernel::vector::Rbf;
    use mercer_core::learn::{ClassCodes, Learner, Svc};
    use mercer_core::random::Random;

    fn saved(folder: &Path, k: &Dense) -> std::path::PathBuf {
        let path = folder.join("k.npy");
        let bytes: Vec<u8> = k.values().iter().flat_map(|v| v.to_le_bytes()).collect();
        let header = crate::npy_header(k.rows() as u64, k.cols() as u64, "<f8");
        std::fs::write(&path, [header, bytes].concat()).unwrap();
        path
    }

    #[test]
    fn a_file_gives_the_same_model_as_the_matrix() {
        let mut random = Random::new(5);
        let x = Dense::new(90, 3, (0..270).map(|_| random.normal()).collect()).unwrap();
        let target: Vec<usize> =
            (0..90).map(|i| usize::from(x.at(i, 0) + 0.5 * random.normal() > 0.0)).collect();
        let k = Engine::new().gram(&Rbf::new(0.5).unwrap(), &Vectors::from(x)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let columns = FileColumns::open(&saved(folder.path(), &k)).unwrap();
        let limits = Limits { tolerance: 1e-7, ..Limits::default() };
        let (svc, codes) = (Svc::new(3.0).with_limits(limits), ClassCodes::new(target, 2));
        let ours = svc.fit_columns(&columns, &codes).unwrap();
        let theirs = svc.fit_columns(&GramColumns::new(&k).unwrap(), &codes).unwrap();
        let dual =
            |m: &mercer_core::learn::svm::SvcModel| m.classifiers()[0].certificate.as_ref().unwrap().dual;
        assert!((dual(&ours) - dual(&theirs)).abs() <= 1e-6 * dual(&theirs));
        // A subset of the objects, as in a one-vs-one binary classifier.
        let some: Vec<u32> = (0..90).step_by(3).collect();
        let part = crate::solve::Subset::new(&columns, some.clone()).unwrap();
        let mut out = vec![0.0; 4];
        part.exact(&[1, 2], &[3, 4], &mut out).unwrap();
        assert_eq!(out, [k.at(3, 9), k.at(3, 12), k.at(6, 9), k.at(6, 12)]);
    }

    #[test]
    fn bad_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut k = Dense::new(3, 3, vec![1.0; 9]).unwrap();
        *k.row_mut(0).last_mut().unwrap() = 2.0;
        assert!(matches!(FileColumns::open(&saved(folder.path(), &k)), Err(Error::NotSymmetric { .. })));
        *k.row_mut(0).last_mut().unwrap() = f64::NAN;
        assert!(matches!(FileColumns::open(&saved(folder.path(), &k)), Err(Error::NonFinite { .. })));
        let path = saved(folder.path(), &Dense::new(3, 3, vec![1.0; 9]).unwrap());
        let bytes = std::fs::read(&path).unwrap();
        for keep in [0, 9, 70, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..keep]).unwrap();
            assert!(FileColumns::open(&path).is_err(), "{keep}");
        }
        assert!(FileColumns::open(&saved(folder.path(), &Dense::new(2, 3, vec![1.0; 6]).unwrap())).is_err());
        assert!(FileColumns::open(folder.path()).is_err());
        // Truncated after it was opened.
        let path = saved(folder.path(), &Dense::new(3, 3, vec![1.0; 9]).unwrap());
        let columns = FileColumns::open(&path).unwrap();
        std::fs::write(&path, &bytes[..100]).unwrap();
        assert!(matches!(columns.exact(&[2], &[0], &mut [0.0]), Err(Error::Io { .. })));
    }
}
