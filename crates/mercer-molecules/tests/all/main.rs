//! Molecules from text: what is refused and where, what is perceived, and what does not depend on the notation.

mod perceived;
mod properties;
mod refused;
