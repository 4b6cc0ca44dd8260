//! The kernel language: text into kernels over a data set, and back.
//!
//! `0.5*rbf(gamma=0.1)@age,weight + polynomial(degree=2)` reads as it looks: kernels by name with named
//! parameters, `+` and `*` between them, a positive number in front, and `@` before the columns a kernel
//! looks at. Without `@` a kernel takes every column that suits it. Ranges (`2^-5..2^15`, `1..7`) and lists
//! (`[1, 3, 5]`) in place of a value mark what a search may vary.
//!
//! The dynamic layer of the library is here alone: everything outside is typed and static.

mod columns;
mod fit;
mod lex;
mod parse;
mod parts;
mod registry;
mod scaling;
mod tree;
mod value;
mod wrappers;

pub use fit::Fitted;
pub use registry::{Entry, entries, find, names, operators};
pub use tree::{Call, Expression};
pub use value::{Choice, Range, Setting, Value};
