//! Options in messages, formatted for each interface.
//!
//! The library writes an option as `` `missing=drop` `` or `` `directed` ``; the program shows `--missing drop`, the
//! Python package `missing="drop"`.

/// The options mentioned in messages.
const OPTIONS: &[&str] = &[
    "alphabet",
    "class-in-header",
    "data",
    "directed",
    "edges",
    "encoding",
    "format",
    "fresh",
    "group",
    "group-by",
    "header",
    "id",
    "ignore",
    "index-base",
    "keep-case",
    "largest-fragment",
    "max-dim",
    "max-image",
    "max-line",
    "max-ratio",
    "missing",
    "na",
    "node-label",
    "nodes",
    "query",
    "series",
    "series-channel",
    "series-missing",
    "series-time",
    "series-value",
    "sheet",
    "skip-invalid",
    "split-column",
    "strict",
    "table",
    "target",
    "target-kind",
    "type",
];

/// The notation of options in an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Options {
    /// Command-line flags: `--missing drop`.
    Flags,
    /// Keyword arguments: `missing="drop"`.
    Keywords,
}

/// A value as a shell takes it: in single quotes where it has spaces or signs with a meaning there.
fn in_shell(value: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-.,=:/+@%".contains(c);
    match !value.is_empty() && value.chars().all(plain) {
        true => value.to_owned(),
        false => format!("'{}'", value.replace('\'', "'\\''")),
    }
}

impl Options {
    /// A message with its options in this notation.
    ///
    /// ```
    /// use mercer_core::error::Options;
    /// let hint = "leave such rows out with `missing=drop`";
    /// assert_eq!(Options::Flags.write(hint), "leave such rows out with --missing drop");
    /// assert_eq!(Options::Keywords.write(hint), "leave such rows out with missing=\"drop\"");
    /// assert_eq!(Options::Flags.write("the feature `parquet`"), "the feature `parquet`");
    /// assert_eq!(Options::Flags.write("use `type=wavelength in nm=numbers`"), "use --type 'wavelength in nm=numbers'");
    /// ```
    pub fn write(self, message: &str) -> String {
        let mut out = String::with_capacity(message.len());
        let mut rest = message;
        while let Some((before, inside)) = rest.split_once('`') {
            out.push_str(before);
            let Some((marked, after)) = inside.split_once('`') else {
                out.push('`');
                rest = inside;
                continue;
            };
            let (name, value) = marked.split_once('=').map_or((marked, None), |(n, v)| (n, Some(v)));
            if !OPTIONS.contains(&name) {
                // Not an option: the second backtick may start the next one.
                out.push('`');
                rest = inside;
                continue;
            }
            match (self, value) {
                (Options::Flags, None) => out.push_str(&format!("--{name}")),
                (Options::Flags, Some(value)) => out.push_str(&format!("--{name} {}", in_shell(value))),
                (Options::Keywords, None) => out.push_str(&name.replace('-', "_")),
                (Options::Keywords, Some(value)) => {
                    out.push_str(&format!("{}=\"{value}\"", name.replace('-', "_")));
                }
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }
}
