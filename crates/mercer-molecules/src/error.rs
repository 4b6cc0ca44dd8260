//! Why a text is not a molecule, and where.

use std::fmt;

/// Why a text is not a molecule, with the place for a caret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoleculeError {
    /// The first byte of the text that is wrong; the length of the text if something is missing at its end.
    pub at: usize,
    /// What is wrong there.
    pub reason: String,
}

impl MoleculeError {
    pub(crate) fn new(at: usize, reason: impl Into<String>) -> Self {
        MoleculeError { at, reason: reason.into() }
    }

    /// The text with a caret below the place; long texts are cut around it.
    ///
    /// ```
    /// use mercer_molecules::Molecule;
    /// let error = "CC(C".parse::<Molecule>().unwrap_err();
    /// assert_eq!(error.with_caret("CC(C"), "CC(C\n  ^");
    /// ```
    pub fn with_caret(&self, text: &str) -> String {
        const AROUND: usize = 30;
        let characters: Vec<char> = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let at = text.char_indices().take_while(|(byte, _)| *byte < self.at).count();
        let (from, to) = (at.saturating_sub(AROUND), (at + AROUND).min(characters.len()));
        let cut = |is_cut: bool| if is_cut { "…" } else { "" };
        let shown: String = characters[from..to].iter().collect();
        let indent = at - from + usize::from(from > 0);
        let (left, right) = (cut(from > 0), cut(to < characters.len()));
        format!("{left}{shown}{right}\n{:indent$}^", "")
    }
}

impl fmt::Display for MoleculeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at character {}", self.reason, self.at + 1)
    }
}

impl std::error::Error for MoleculeError {}
