//! How the cells of a column are written in a file.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

#[cfg(feature = "serde")]
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How the numbers, times or truth values of a column are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum CellForm {
    /// Numbers in decimal or scientific notation.
    Plain,
    /// `true` and `false`, or `yes` and `no`, which are 1 and 0.
    Truth,
    /// Amounts, percentages, groups of thousands, decimal commas.
    Written {
        /// The character between whole and fraction.
        mark: DecimalMark,
        /// Whether they are percentages, read as shares.
        #[cfg_attr(feature = "serde", serde(default))]
        percent: bool,
        /// The currency or unit of amounts.
        #[cfg_attr(feature = "serde", serde(default))]
        unit: Option<Unit>,
    },
    /// Dates, in seconds since 1970.
    Dates(DateOrder),
    /// Durations, in seconds.
    Duration,
}

/// The character between the whole and the fraction of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum DecimalMark {
    /// `1.5`
    Point,
    /// `1,5`
    Comma,
}

/// What comes first in a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum DateOrder {
    /// `2024-01-31`; also with the name of the month.
    Year,
    /// `31/01/2024`, `31.1.24`.
    Day,
    /// `01/31/2024`.
    Month,
}

impl DateOrder {
    /// The orders.
    pub const ALL: [DateOrder; 3] = [DateOrder::Year, DateOrder::Day, DateOrder::Month];
}

/// A unit that is written with numbers: a currency before or after them, another unit after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unit(u8);

/// The number of currencies among [`Unit::SIGNS`], which come first.
const CURRENCIES: u8 = 12;

impl Unit {
    /// The known signs.
    #[rustfmt::skip]
    pub const SIGNS: [&str; 58] = [
        "$", "€", "£", "¥", "₹", "₽", "USD", "EUR", "GBP", "CHF", "JPY", "CAD",
        "kg", "g", "mg", "t", "lb", "lbs", "oz", "km", "cm", "mm", "in", "ft", "mi", "m²", "m2", "sqm", "sqft",
        "ml", "l", "L", "°C", "°F", "mmHg", "bpm", "kcal", "cal", "kWh", "kW", "MW", "W", "V", "Hz", "kHz", "MHz",
        "GHz", "kB", "KB", "MB", "GB", "TB", "px", "mph", "km/h", "m/s", "years", "yrs",
    ];

    /// All units, in the order of their signs.
    pub fn all() -> impl Iterator<Item = Unit> {
        (0..Unit::SIGNS.len() as u8).map(Unit)
    }

    /// The unit with this sign.
    pub fn of(sign: &str) -> Option<Self> {
        Unit::all().find(|c| c.sign() == sign)
    }

    /// Its sign.
    pub fn sign(self) -> &'static str {
        Unit::SIGNS.get(self.index()).copied().unwrap_or_default()
    }

    /// Its place among [`Unit::SIGNS`].
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Whether it is a currency.
    pub fn is_currency(self) -> bool {
        self.0 < CURRENCIES
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sign())
    }
}

#[cfg(feature = "serde")]
impl Serialize for Unit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.sign())
    }
}

#[cfg(feature = "serde")]
impl<'de> Deserialize<'de> for Unit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let sign = String::deserialize(deserializer)?;
        Unit::of(&sign).ok_or_else(|| serde::de::Error::custom(format!("no unit '{sign}'")))
    }
}

/// The forms of columns that are not plain, by name. They describe a file, not its objects, so that they are equal for
/// equal data.
#[derive(Clone, Debug, Default)]
pub(super) struct Forms(pub(super) Option<Arc<BTreeMap<String, CellForm>>>);

impl PartialEq for Forms {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::*;

    #[test]
    fn forms_survive_json() {
        let euro = Unit::of("€");
        for form in [
            CellForm::Plain,
            CellForm::Truth,
            CellForm::Duration,
            CellForm::Dates(DateOrder::Month),
            CellForm::Written { mark: DecimalMark::Comma, percent: false, unit: euro },
            CellForm::Written { mark: DecimalMark::Point, percent: true, unit: None },
        ] {
            let text = serde_json::to_string(&form).unwrap();
            assert_eq!(serde_json::from_str::<CellForm>(&text).unwrap(), form, "{text}");
        }
        let short: CellForm = serde_json::from_str(r#"{"written": {"mark": "comma"}}"#).unwrap();
        assert_eq!(short, CellForm::Written { mark: DecimalMark::Comma, percent: false, unit: None });
        assert!(serde_json::from_str::<CellForm>(r#"{"written": {"mark": "comma", "unit": "x"}}"#).is_err());
        assert_eq!(Unit::all().filter_map(|c| Unit::of(c.sign())).count(), Unit::SIGNS.len());
    }
}
