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
            Given::Word(word) => T::from_word(word),
            Given::Number(_) => None,
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
