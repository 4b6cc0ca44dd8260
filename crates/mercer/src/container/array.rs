//! Arrays of numbers as a model file holds them.

use serde::Deserialize;

use crate::error::{Error, Result};

/// The maximum number of dimensions of an array.
pub(super) const MAX_DIMENSIONS: usize = 8;

/// The types of numbers a model file holds, by their names in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(super) enum Dtype {
    F64,
    U64,
    F32,
    U32,
    U8,
}

impl Dtype {
    pub(super) fn name(self) -> &'static str {
        match self {
            Dtype::F64 => "F64",
            Dtype::U64 => "U64",
            Dtype::F32 => "F32",
            Dtype::U32 => "U32",
            Dtype::U8 => "U8",
        }
    }

    pub(super) fn size(self) -> usize {
        match self {
            Dtype::F64 | Dtype::U64 => 8,
            Dtype::F32 | Dtype::U32 => 4,
            Dtype::U8 => 1,
        }
    }
}

/// Numbers of one type.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Numbers {
    /// Doubles.
    F64(Vec<f64>),
    /// Single-precision numbers.
    F32(Vec<f32>),
    /// Counts and offsets.
    U64(Vec<u64>),
    /// Indices and codes.
    U32(Vec<u32>),
    /// Bytes.
    U8(Vec<u8>),
}

impl Numbers {
    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Numbers::F64(v) => v.len(),
            Numbers::F32(v) => v.len(),
            Numbers::U64(v) => v.len(),
            Numbers::U32(v) => v.len(),
            Numbers::U8(v) => v.len(),
        }
    }

    /// True when there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn dtype(&self) -> Dtype {
        match self {
            Numbers::F64(_) => Dtype::F64,
            Numbers::F32(_) => Dtype::F32,
            Numbers::U64(_) => Dtype::U64,
            Numbers::U32(_) => Dtype::U32,
            Numbers::U8(_) => Dtype::U8,
        }
    }

    /// Appends the numbers as little-endian bytes.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Numbers::F64(v) => v.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes())),
            Numbers::F32(v) => v.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes())),
            Numbers::U64(v) => v.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes())),
            Numbers::U32(v) => v.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes())),
            Numbers::U8(v) => out.extend_from_slice(v),
        }
    }

    /// Decodes little-endian bytes, whose number is a multiple of the type's size.
    pub(super) fn decode(dtype: Dtype, bytes: &[u8]) -> Self {
        let eights = || bytes.as_chunks::<8>().0.iter().copied();
        let fours = || bytes.as_chunks::<4>().0.iter().copied();
        match dtype {
            Dtype::F64 => Numbers::F64(eights().map(f64::from_le_bytes).collect()),
            Dtype::U64 => Numbers::U64(eights().map(u64::from_le_bytes).collect()),
            Dtype::F32 => Numbers::F32(fours().map(f32::from_le_bytes).collect()),
            Dtype::U32 => Numbers::U32(fours().map(u32::from_le_bytes).collect()),
            Dtype::U8 => Numbers::U8(bytes.to_vec()),
        }
    }
}

macro_rules! from {
    ($($variant:ident($type:ty)),*) => {$(
        impl From<Vec<$type>> for Numbers {
            fn from(values: Vec<$type>) -> Self {
                Numbers::$variant(values)
            }
        }
    )*};
}

from!(F64(f64), F32(f32), U64(u64), U32(u32), U8(u8));

/// Numbers with a shape; the last dimension varies fastest.
///
/// ```
/// use mercer::model::Array;
/// let a = Array::new(&[2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// assert_eq!(a.shape(), [2, 3]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    shape: Vec<usize>,
    numbers: Numbers,
}

impl Array {
    /// An array of that shape, with at most 8 dimensions; the shape must match the number of values.
    pub fn new(shape: &[usize], numbers: impl Into<Numbers>) -> Result<Self> {
        let numbers = numbers.into();
        if shape.len() > MAX_DIMENSIONS || product(shape) != Some(numbers.len()) {
            return Err(Error::Shape {
                expected: format!("numbers for an array of shape {shape:?}"),
                found: format!("{} numbers", numbers.len()),
            });
        }
        Ok(Array { shape: shape.to_vec(), numbers })
    }

    /// An array of one dimension.
    pub fn list(numbers: impl Into<Numbers>) -> Self {
        let numbers = numbers.into();
        Array { shape: vec![numbers.len()], numbers }
    }

    /// The length in each dimension.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The numbers.
    pub fn numbers(&self) -> &Numbers {
        &self.numbers
    }
}

/// The number of entries of an array, unless it overflows.
pub(super) fn product(shape: &[usize]) -> Option<usize> {
    // Zeros count as 1 here, so that a zero dimension does not hide an overflow of the others.
    let whole = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d.max(1)))?;
    Some(if shape.contains(&0) { 0 } else { whole })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_match_the_number_of_values() {
        assert!(Array::new(&[2, 2], vec![1u8, 2, 3]).is_err());
        assert!(Array::new(&[], vec![1u32]).is_ok());
        assert!(Array::new(&[usize::MAX, 2], Vec::<u8>::new()).is_err());
        assert!(Array::new(&[usize::MAX, 2, 0], Vec::<u8>::new()).is_err());
        assert!(Array::new(&[1; 9], vec![1u8]).is_err());
        assert_eq!(Array::list(vec![1.0f32, 2.0]).shape(), [2]);
    }

    #[test]
    fn encoded_numbers_decode_unchanged() {
        let all: [Numbers; 5] = [
            vec![1.5f64, -0.0, f64::NAN].into(),
            vec![1.5f32, f32::MAX].into(),
            vec![u64::MAX, 1].into(),
            vec![u32::MAX, 7].into(),
            vec![0u8, 255].into(),
        ];
        for numbers in all {
            let (mut bytes, mut again) = (Vec::new(), Vec::new());
            numbers.encode(&mut bytes);
            assert_eq!(bytes.len(), numbers.len() * numbers.dtype().size());
            Numbers::decode(numbers.dtype(), &bytes).encode(&mut again);
            assert_eq!(bytes, again);
        }
    }
}
