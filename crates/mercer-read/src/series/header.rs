//! The header of a `.ts` file.

use std::collections::HashSet;

use super::super::text::{Fault, shown};
use crate::error::{Code, Warning};

/// The tags before `@data`.
#[derive(Debug, Default)]
pub(super) struct Header {
    /// The number of channels, if declared.
    pub(super) channels: Option<usize>,
    /// The number of time steps, if all series are declared to have equal length.
    pub(super) length: Option<usize>,
    pub(super) label: Label,
    pub(super) warnings: Vec<Warning>,
}

/// The label at the end of each line.
#[derive(Debug, Default, PartialEq)]
pub(super) enum Label {
    #[default]
    None,
    /// One of these, or anything if there are none.
    Classes(Classes),
    Number,
}

/// The classes declared in a header.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Classes {
    all: HashSet<String>,
    first: Vec<String>,
}

/// Maximum number of classes in a message.
const MOST_SHOWN: usize = 20;

impl Classes {
    fn of<'t>(words: impl Iterator<Item = &'t str>) -> Self {
        let mut classes = Classes::default();
        for word in words {
            if classes.first.len() < MOST_SHOWN {
                classes.first.push(word.to_owned());
            }
            classes.all.insert(word.to_owned());
        }
        classes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn contains(&self, label: &str) -> bool {
        self.all.contains(label)
    }

    /// A few of the classes, for a message.
    pub(super) fn shown(&self) -> String {
        let more = if self.all.len() > MOST_SHOWN {
            format!(", … ({} in all)", self.all.len())
        } else {
            String::new()
        };
        format!("{}{more}", self.first.join(", "))
    }
}

impl Header {
    /// Parses the header; also returns the offset of the line after `@data`.
    pub(super) fn parse(all: &str) -> Result<(Header, usize), Fault> {
        let fault = |offset, reason: String| Fault::new(offset, Code::TsHeader, reason);
        let mut header = Header::default();
        let (mut offset, mut equal, mut length) = (0, true, None);
        for line in all.split_inclusive('\n') {
            let start = offset;
            offset += line.len();
            let line = line.trim();
            if line.is_empty() || line.starts_with(['#', '%']) {
                continue;
            }
            let Some(tag) = line.strip_prefix('@') else {
                let reason = format!("{} before @data", shown(line));
                return Err(fault(start, reason)
                    .hint("a .ts file starts with tags such as @univariate true, then @data"));
            };
            let (name, rest) = tag.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((tag, ""));
            let rest = rest.trim();
            let yes = || match rest.to_ascii_lowercase().as_str() {
                "true" => Ok(true),
                "false" => Ok(false),
                _ => Err(fault(start, format!("@{name} {}: expected true or false", shown(rest)))),
            };
            let count = || match rest.parse::<usize>() {
                Ok(n) if n > 0 => Ok(n),
                _ => Err(fault(start, format!("@{name} {}: expected a number above 0", shown(rest)))),
            };
            match name.to_ascii_lowercase().as_str() {
                "data" => {
                    header.length = length.filter(|_| equal);
                    return Ok((header, offset));
                }
                "problemname" | "missing" => {}
                "timestamps" if yes()? => {
                    return Err(fault(start, "series with timestamps are not supported".into()).hint(
                        "save them equally spaced without timestamps, or as a long table for `series=long`",
                    ));
                }
                "timestamps" => {}
                "univariate" if yes()? => header.channels = Some(1),
                "univariate" => {}
                "dimension" | "dimensions" => {
                    let n = count()?;
                    if header.channels == Some(1) && n > 1 {
                        return Err(fault(start, format!("{n} dimensions, but the series are univariate")));
                    }
                    header.channels = Some(n);
                }
                "equallength" => equal = yes()?,
                "serieslength" => length = Some(count()?),
                "classlabel" | "targetlabel" => {
                    let mut words = rest.split_ascii_whitespace();
                    let is_class = name.eq_ignore_ascii_case("classlabel");
                    match words.next().map(str::to_ascii_lowercase).as_deref() {
                        Some("true") if is_class => {
                            header.label = Label::Classes(Classes::of(words));
                        }
                        Some("true") => header.label = Label::Number,
                        Some("false") => {}
                        _ => {
                            return Err(fault(
                                start,
                                format!("@{name} {}: expected true or false", shown(rest)),
                            ));
                        }
                    }
                }
                _ => {
                    let message = format!("the tag {} in the header is unknown and ignored", shown(line));
                    header.warnings.push(Warning::new("W_TS_TAG", message));
                }
            }
        }
        Err(fault(0, "no @data".into()).hint("a .ts file has its series after a line @data"))
    }
}
