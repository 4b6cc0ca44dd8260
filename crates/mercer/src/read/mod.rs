//! Files in, [`Dataset`]s out: one file per format, and one place that picks.
//!
//! Readers never trust their input: sizes promised by a header are checked against the file before
//! anything is allocated, compressed data may not grow beyond reason, and every fault is an
//! [`Error`](crate::Error) with file, line and column.

mod assemble;
mod guard;
mod npy;
mod npz;
mod options;
mod parquet;
mod source;

pub(crate) use npy::header as npy_header;
pub use options::{Format, Limits, Missing, Options, TargetKind};
