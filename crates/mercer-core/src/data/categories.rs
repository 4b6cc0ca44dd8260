//! Values from a finite set of names.

use std::collections::{HashMap, HashSet};

use crate::error::{Error, Result};

/// A column of categories: each object's value is one of `levels`, or missing.
///
/// ```
/// use mercer_core::data::Categories;
/// let c = Categories::from_values(["red", "blue", "red"].map(Some));
/// assert_eq!(c.levels(), ["red", "blue"]);
/// assert_eq!(c.get(2), Some("red"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Categories {
    codes: Vec<u32>,
    levels: Vec<String>,
    /// Whether a value was missing when the column was created; a selection of it may have no missing value.
    gaps: bool,
}

/// Equal if each object has the same value and the levels are the same.
impl PartialEq for Categories {
    fn eq(&self, other: &Self) -> bool {
        self.codes == other.codes && self.levels == other.levels
    }
}

impl Eq for Categories {}

impl Categories {
    /// The code of a missing value.
    #[doc(hidden)]
    pub const MISSING: u32 = u32::MAX;

    /// Categories from the index of each object's value in `levels`, which must be distinct. Unlike
    /// [`Categories::from_values`] this keeps the order of the levels, and levels without members.
    ///
    /// ```
    /// use mercer_core::data::Categories;
    /// let c = Categories::new(vec![1, 0], vec!["no".into(), "yes".into()])?;
    /// assert_eq!(c.get(0), Some("yes"));
    /// assert!(Categories::new(vec![2], vec!["no".into(), "yes".into()]).is_err());
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn new(codes: Vec<u32>, levels: Vec<String>) -> Result<Self> {
        if let Some(index) = codes.iter().position(|&c| c as usize >= levels.len()) {
            let reason =
                format!("category {} is out of range: there are {} levels", codes[index], levels.len());
            return Err(Error::Object { index, reason, hint: None });
        }
        if levels.iter().collect::<HashSet<_>>().len() < levels.len() {
            return Err(Error::usage("two categories have the same name"));
        }
        Ok(Categories { codes, levels, gaps: false })
    }

    /// Categories from codes below the number of levels, or [`Categories::MISSING`], and distinct levels.
    #[doc(hidden)]
    pub fn from_codes(codes: Vec<u32>, levels: Vec<String>) -> Self {
        debug_assert!(codes.iter().all(|&c| c == Self::MISSING || (c as usize) < levels.len()));
        let gaps = codes.contains(&Self::MISSING);
        Categories { codes, levels, gaps }
    }

    /// Categories from one optional name per object; levels in order of first appearance.
    pub fn from_values<'a>(values: impl IntoIterator<Item = Option<&'a str>>) -> Self {
        let mut seen = HashMap::new();
        let mut levels = Vec::new();
        let codes: Vec<u32> = values
            .into_iter()
            .map(|value| match value {
                None => Self::MISSING,
                Some(name) => *seen.entry(name).or_insert_with(|| {
                    levels.push(name.to_owned());
                    (levels.len() - 1) as u32
                }),
            })
            .collect();
        let gaps = codes.contains(&Self::MISSING);
        Categories { codes, levels, gaps }
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The code of each object's value.
    #[doc(hidden)]
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The names of the levels.
    pub fn levels(&self) -> &[String] {
        &self.levels
    }

    /// Whether values can be missing: one was missing when the column was created, even if none is missing in this
    /// selection.
    pub fn has_gaps(&self) -> bool {
        self.gaps
    }

    /// The index in `levels` of object i's value; `None` if missing.
    pub fn code(&self, i: usize) -> Option<u32> {
        Some(self.codes[i]).filter(|&c| c != Self::MISSING)
    }

    /// The name of object i's value; `None` if missing.
    pub fn get(&self, i: usize) -> Option<&str> {
        self.code(i).map(|c| self.levels[c as usize].as_str())
    }

    /// The same values with other levels: those of the chosen objects, in the order in which they occur among them, then
    /// the others in their old order.
    #[must_use]
    pub fn led_by(&self, rows: &[usize]) -> Self {
        let mut place = vec![Self::MISSING; self.levels.len()];
        let mut order = Vec::with_capacity(self.levels.len());
        for code in rows.iter().filter_map(|&i| self.code(i)).chain(0..self.levels.len() as u32) {
            let at = &mut place[code as usize];
            if *at == Self::MISSING {
                *at = order.len() as u32;
                order.push(code);
            }
        }
        let codes = self.codes.iter().map(|&c| if c == Self::MISSING { c } else { place[c as usize] });
        let levels = order.iter().map(|&c| self.levels[c as usize].clone()).collect();
        Categories { codes: codes.collect(), levels, gaps: self.gaps }
    }

    /// The same values without levels that do not occur; the others keep their order. Nothing tells any more which values
    /// other objects had, of which these are a selection.
    #[must_use]
    pub fn alone(&self) -> Self {
        let mut used = vec![false; self.levels.len()];
        self.codes.iter().filter(|&&c| c != Self::MISSING).for_each(|&c| used[c as usize] = true);
        let mut place = vec![Self::MISSING; self.levels.len()];
        let mut levels = Vec::new();
        for (code, level) in self.levels.iter().enumerate().filter(|&(code, _)| used[code]) {
            place[code] = levels.len() as u32;
            levels.push(level.clone());
        }
        let codes = self.codes.iter().map(|&c| if c == Self::MISSING { c } else { place[c as usize] });
        Self::from_codes(codes.collect(), levels)
    }

    /// The values of both, one after the other: the levels of these first.
    #[must_use]
    pub fn followed_by(&self, other: &Self) -> Self {
        let mut levels = self.levels.clone();
        let known: HashMap<&str, u32> = self.levels.iter().map(String::as_str).zip(0..).collect();
        let mut map = Vec::with_capacity(other.levels.len());
        for level in &other.levels {
            map.push(known.get(level.as_str()).copied().unwrap_or_else(|| {
                levels.push(level.clone());
                levels.len() as u32 - 1
            }));
        }
        let theirs = other.codes.iter().map(|&c| if c == Self::MISSING { c } else { map[c as usize] });
        let codes = self.codes.iter().copied().chain(theirs).collect();
        Categories { codes, levels, gaps: self.gaps || other.gaps }
    }

    /// The chosen objects, in the given order. Levels do not change.
    pub fn select(&self, rows: &[usize]) -> Self {
        let codes = rows.iter().map(|&i| self.codes[i]).collect();
        Categories { codes, levels: self.levels.clone(), gaps: self.gaps }
    }
}
