//! Kernels made from the settings of the parameters that their facts declare, and printed with them.

use std::fmt;
use std::slice::Iter;

use super::{Facts, Parameter};
use crate::data::Alphabet;
use crate::error::{Error, Result};
use crate::numeric::Short;

/// A kernel or distance that its parameters determine: it can be made from a setting for each of them, and prints them.
///
/// Its facts are the only declaration of names, order, defaults and domains; [`declared!`](crate::declared) implements
/// the rest.
pub trait Declared: fmt::Display + Sized {
    /// The name and the parameters.
    const FACTS: &'static Facts;

    /// Makes the kernel from settings, one for each parameter in the order of the facts.
    fn read(settings: &mut Settings<'_>) -> Result<Self>;
}

/// The value of a parameter, or of several consecutive ones, in a kernel: read from settings and printed.
pub trait ParameterValue {
    /// Takes the next settings.
    fn read(settings: &mut Settings<'_>) -> Result<Self>
    where
        Self: Sized;

    /// Prints as many parameters as [`ParameterValue::read`] takes.
    fn print(&self, out: &mut Printer<'_, '_>) -> fmt::Result;
}

/// A value that is written as one of a few words.
pub trait OneOf: Copy + PartialEq + 'static {
    /// The words, for the domain of the parameter.
    const WORDS: &'static [&'static str];

    /// The value of each word.
    const ALL: &'static [Self];

    /// The word of this value.
    fn word(self) -> &'static str {
        Self::ALL.iter().zip(Self::WORDS).find(|(value, _)| **value == self).map_or("", |(_, word)| word)
    }

    /// The value of a word.
    fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().zip(Self::ALL).find(|(known, _)| **known == word).map(|(_, value)| *value)
    }
}

/// What a parameter is set to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Given<'a> {
    /// A number.
    Number(f64),
    /// A word.
    Word(&'a str),
}

/// The settings of consecutive parameters, taken one after the other.
pub struct Settings<'a> {
    parameters: Iter<'a, Parameter>,
    given: &'a dyn Fn(&Parameter) -> Result<Given<'a>>,
}

impl<'a> Settings<'a> {
    /// Settings of these parameters; `given` finds what one is set to.
    pub fn new(parameters: &'a [Parameter], given: &'a dyn Fn(&Parameter) -> Result<Given<'a>>) -> Self {
        Settings { parameters: parameters.iter(), given }
    }

    /// The next value, of one or several parameters.
    pub fn read<T: ParameterValue>(&mut self) -> Result<T> {
        T::read(self)
    }

    /// The next setting, a number in its domain.
    pub fn number(&mut self) -> Result<f64> {
        match self.next()? {
            (parameter, Given::Number(value)) => parameter.check(value),
            (parameter, Given::Word(word)) => Err(Error::param(parameter.name, word, "a number here")),
        }
    }

    /// The next setting, a word of its domain.
    pub fn word(&mut self) -> Result<&'a str> {
        match self.next()? {
            (parameter, Given::Word(word)) if parameter.domain.has_word(word) => Ok(word),
            (parameter, given) => Err(parameter.refuse(given)),
        }
    }

    fn next(&mut self) -> Result<(&'a Parameter, Given<'a>)> {
        let parameter = self.parameters.next();
        let parameter = parameter.ok_or_else(|| Error::usage("a kernel reads more settings than it has"))?;
        Ok((parameter, (self.given)(parameter)?))
    }
}

impl Parameter {
    /// Returns the number if it is valid. A word in place of a number is not: it stands for one that is computed first.
    pub fn check(&self, value: f64) -> Result<f64> {
        self.domain.of_numbers().check(self.name, value)
    }

    fn refuse(&self, given: Given<'_>) -> Error {
        let domain = self.domain.describe();
        match given {
            Given::Number(value) => Error::param(self.name, value, &domain),
            Given::Word(word) => Error::param(self.name, word, &domain),
        }
    }
}

impl Facts {
    /// Returns the number if it is a valid value of the parameter of this name.
    ///
    /// ```
    /// use mercer_core::kernel::vector::Rbf;
    /// assert_eq!(Rbf::FACTS.check("gamma", 0.5)?, 0.5);
    /// assert!(Rbf::FACTS.check("gamma", -1.0).is_err());
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn check(&self, name: &str, value: f64) -> Result<f64> {
        let parameter = self.parameters.iter().find(|p| p.name == name);
        let unknown = || Error::usage(format!("{} has no parameter {name}", self.name));
        parameter.ok_or_else(unknown)?.check(value)
    }

    /// Prints the name, the kernels inside and the parameters with these values: `rbf-of(linear, gamma=0.5)`.
    pub fn print(
        &self,
        f: &mut fmt::Formatter<'_>,
        inner: &[&dyn fmt::Display],
        values: &[&dyn ParameterValue],
    ) -> fmt::Result {
        f.write_str(self.name)?;
        let mut out = Printer { f, parameters: self.parameters.iter(), before: "(" };
        inner.iter().try_for_each(|kernel| out.item(format_args!("{kernel}")))?;
        values.iter().try_for_each(|value| value.print(&mut out))?;
        out.f.write_str(if out.before == "(" { "" } else { ")" })
    }
}

/// Prints the parameters of a kernel, one after the other.
pub struct Printer<'a, 'f> {
    f: &'a mut fmt::Formatter<'f>,
    parameters: Iter<'a, Parameter>,
    before: &'static str,
}

impl Printer<'_, '_> {
    /// Prints the next parameter with this value.
    pub fn put(&mut self, value: impl fmt::Display) -> fmt::Result {
        let name = self.parameters.next().map_or("", |parameter| parameter.name);
        self.item(format_args!("{name}={value}"))
    }

    /// Prints something in place of the next parameter.
    pub(crate) fn put_instead(&mut self, text: fmt::Arguments<'_>) -> fmt::Result {
        self.skip()?;
        self.item(text)
    }

    /// Omits the next parameter, which has its default value.
    pub fn skip(&mut self) -> fmt::Result {
        self.parameters.next();
        Ok(())
    }

    fn item(&mut self, text: fmt::Arguments<'_>) -> fmt::Result {
        let before = std::mem::replace(&mut self.before, ", ");
        write!(self.f, "{before}{text}")
    }
}

impl<T: OneOf> ParameterValue for T {
    fn read(settings: &mut Settings<'_>) -> Result<Self> {
        let (parameter, given) = settings.next()?;
        let value = match given {
            Given::Word(word) if parameter.domain.has_word(word) => T::from_word(word),
            _ => None,
        };
        value.ok_or_else(|| parameter.refuse(given))
    }

    fn print(&self, out: &mut Printer<'_, '_>) -> fmt::Result {
        out.put(self.word())
    }
}

/// Numbers; their domain is that of the parameter.
macro_rules! numbers {
    ($($type:ty: $from:expr),*) => {$(
        impl ParameterValue for $type {
            fn read(settings: &mut Settings<'_>) -> Result<Self> {
                let from: fn(f64) -> $type = $from;
                settings.number().map(from)
            }

            fn print(&self, out: &mut Printer<'_, '_>) -> fmt::Result {
                out.put(self)
            }
        }
    )*};
}

numbers!(f64: |v| v, Short: Short, u32: |v| v as u32, u64: |v| v as u64, usize: |v| v as usize);

impl OneOf for bool {
    const WORDS: &'static [&'static str] = &["no", "yes"];
    const ALL: &'static [bool] = &[false, true];
}

impl OneOf for Alphabet {
    const WORDS: &'static [&'static str] = Alphabet::WORDS;
    const ALL: &'static [Alphabet] = &Alphabet::ALL;
}

/// Implements [`Declared`] and `Display` for a kernel with `FACTS`.
///
/// The fields are named in the order of the parameters; a field of a type such as `Band` covers several of them.
/// `Kernel { a, b }` is made as a struct of these fields, `Kernel(a, b) => expression` by the expression, which returns
/// a `Result`, and `Kernel` has no parameters. `field as Type` prints `Type(field)`.
///
/// ```
/// use mercer_core::kernel::{Domain, Facts, Parameter, declared, vector::Rbf};
///
/// struct Bell {
///     width: f64,
/// }
///
/// impl Bell {
///     const FACTS: Facts = Facts {
///         name: "bell",
///         parameters: &[Parameter {
///             name: "width",
///             default: "1",
///             domain: Domain::Positive,
///             doc: "the standard deviation",
///             alias: None,
///         }],
///         ..Rbf::FACTS
///     };
/// }
///
/// declared!(Bell { width });
/// assert_eq!(Bell { width: 0.5 }.to_string(), "bell(width=0.5)");
/// ```
#[macro_export]
macro_rules! declared {
    ($kernel:ident) => {
        $crate::declared!($kernel() => Ok($kernel));
    };
    ($kernel:ident { $($field:ident $(as $shown:path)?),+ }) => {
        $crate::declared!($kernel($($field $(as $shown)?),+) => Ok($kernel { $($field),+ }));
    };
    ($kernel:ident($($field:ident $(as $shown:path)?),*) => $made:expr) => {
        impl $crate::traits::Declared for $kernel {
            const FACTS: &'static $crate::traits::Facts = &$kernel::FACTS;

            fn read(_settings: &mut $crate::traits::Settings<'_>) -> $crate::Result<Self> {
                $(let $field = _settings.read()?;)*
                $made
            }
        }

        impl ::std::fmt::Display for $kernel {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                $kernel::FACTS.print(f, &[], &[$(&$($shown)?(self.$field)),*])
            }
        }
    };
}
pub use declared;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Alphabet;
    use crate::distance::series::{Band, ChannelChoice, Dtw, Twe};
    use crate::kernel::graph::{Graphlet, Ignore, Metric, Propagation, PyramidMatch, RandomWalk};
    use crate::kernel::string::{GappedKmer, LocalAlignment, Scores, Substring};
    use crate::kernel::vector::{ClosedChain, Fourier, Polynomial, Rbf, Shape, TensorSketch};
    use crate::series::GlobalAlignment;

    /// Fields are printed under the right names, which a swap in reading and printing would not show in a round trip.
    #[test]
    fn values_belong_to_their_parameters() -> Result<()> {
        let texts = [
            (Polynomial::new(3, 2.0, 0.5)?.to_string(), "polynomial(degree=3, c=2, gamma=0.5)"),
            (ClosedChain::new(24, 1e-7)?.to_string(), "closed-chain(n=24, beta=1e-7)"),
            (Rbf::new(1e-7)?.to_string(), "rbf(gamma=0.0000001)"),
            (
                Fourier::new(0.5, 64, Shape::FastGaussian, 7)?.to_string(),
                "fourier(gamma=0.5, features=64, of=rbf-fast, seed=7)",
            ),
            (
                TensorSketch::new(2, 1.0, 0.5, 64, 7)?.to_string(),
                "tensor-sketch(degree=2, c=1, gamma=0.5, features=64, seed=7)",
            ),
            (
                GappedKmer::over(6, 4, Alphabet::Rna, true)?.to_string(),
                "gapped-kmer(l=6, k=4, alphabet=rna, reverse-complement=yes)",
            ),
            (
                Substring::new(0.5)?.of_lengths(2, 9)?.to_string(),
                "substring(decay=0.5, shortest=2, longest=9, alphabet=unicode)",
            ),
            (
                LocalAlignment::with(0.5, 11.0, 2.0, Scores::Blosum62, Alphabet::Protein)?.to_string(),
                "local-alignment(beta=0.5, open=11, extend=2, scores=blosum62, match=1, mismatch=-1, log=no, alphabet=protein)",
            ),
            (
                Graphlet::new(4)?.with_connected(false).with_samples(5, 6).to_string(),
                "graphlet(size=4, connected=no, samples=5, seed=6, ignore=nothing)",
            ),
            (
                Propagation::new(3, 0.5)?
                    .with_metric(Metric::Hellinger)
                    .with_attributes(true, 2.0)?
                    .to_string(),
                "propagation(t=3, w=0.5, metric=hellinger, attributes=yes, wa=2, seed=0, ignore=nothing)",
            ),
            (
                PyramidMatch::new(4, 6)?.ignoring(Ignore::Others).to_string(),
                "pyramid-match(levels=4, dimensions=6, labels=yes, ignore=others)",
            ),
            (
                RandomWalk::weighted(vec![1.0, 0.5])?.to_string(),
                "random-walk(kind=k-step, steps=1, weights=[1.0, 0.5], labels=yes, ignore=nothing)",
            ),
            (Twe::new(0.5, 2.0)?.on(3).to_string(), "twe(nu=0.5, lambda=2, window=1, channel=3)"),
            (GlobalAlignment::new(2.0)?.triangular(5).to_string(), "gak(sigma=2, triangular=5)"),
            (
                Dtw::default()
                    .within(Band::itakura(3.0)?)
                    .on(ChannelChoice::INDEPENDENT)
                    .single(true)
                    .to_string(),
                "dtw(shape=itakura, slope=3, channels=independent, precision=single)",
            ),
        ];
        texts.iter().for_each(|(printed, expected)| assert_eq!(printed, expected));
        Ok(())
    }

    #[test]
    fn settings_are_read_in_order_and_checked() {
        let read = |given: [Given<'static>; 3]| {
            let find = |parameter: &Parameter| {
                let at = Polynomial::FACTS.parameters.iter().position(|p| p.name == parameter.name);
                Ok(given[at.unwrap_or(0)])
            };
            Polynomial::read(&mut Settings::new(Polynomial::FACTS.parameters, &find))
        };
        let numbers = [Given::Number(3.0), Given::Number(2.0), Given::Number(0.5)];
        assert_eq!(read(numbers).unwrap(), Polynomial::new(3, 2.0, 0.5).unwrap());
        let message = |at: usize, wrong| {
            let mut given = numbers;
            given[at] = wrong;
            read(given).unwrap_err().to_string()
        };
        assert!(message(0, Given::Number(65.0)).contains("a whole number from 1 to 64"));
        assert!(message(2, Given::Word("scale")).contains("a number here"));
        // A constructor takes no words.
        assert_eq!(message(2, Given::Number(0.0)), Polynomial::new(3, 2.0, 0.0).unwrap_err().to_string());
    }
}
