//! Breaking text into lines.

/// Whether a character has no width on a terminal: the marks of styles.
fn is_mark(c: char) -> bool {
    ('\u{FDD0}'..='\u{FDD4}').contains(&c)
}

/// The number of characters of a text that take room on a terminal.
pub(crate) fn shown_width(text: &str) -> usize {
    text.chars().filter(|&c| !is_mark(c)).count()
}

/// Breaks text into lines of at most `width` characters; lines after the first begin with `indent` spaces.
///
/// Lines break at spaces, otherwise after a comma, an opening parenthesis, a slash or a bar. Only a word that offers none of
/// these is cut anywhere. Text that fits is returned unchanged.
pub(crate) fn wrap(text: &str, width: usize, indent: usize) -> Vec<String> {
    broken(text, width, indent, true)
}

/// Breaks prose at spaces only: paths and other long words stay whole even if they exceed the line.
pub(crate) fn wrap_prose(text: &str, width: usize, indent: usize) -> Vec<String> {
    broken(text, width, indent, false)
}

fn broken(text: &str, width: usize, indent: usize, within_words: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text;
    loop {
        let indent = if lines.is_empty() || indent + 8 > width { 0 } else { indent };
        let room = (width - indent.min(width)).max(1);
        let Some(end) = end_of_line(rest, room, within_words) else {
            lines.push(" ".repeat(indent) + rest);
            return lines;
        };
        lines.push(" ".repeat(indent) + rest[..end].trim_end());
        rest = rest[end..].trim_start();
    }
}

/// The byte at which a line of `room` characters has to end; `None` if the text fits.
fn end_of_line(text: &str, room: usize, within_words: bool) -> Option<usize> {
    let (mut seen, mut begun, mut space, mut joint, mut cut) = (0, false, None, None, None);
    for (at, c) in text.char_indices() {
        seen += usize::from(!is_mark(c));
        if seen > room {
            // A space right after the last character that fits ends the line too.
            if c == ' ' {
                return text[at..].trim_start().is_empty().then_some(()).map_or(Some(at), |()| None);
            }
            let end = space.or(if within_words { joint.or(cut) } else { None });
            // Prose without an earlier space continues to the next one.
            return end.or_else(|| if within_words { None } else { text[at..].find(' ').map(|s| at + s) });
        }
        match c {
            ' ' if begun => space = Some(at),
            ',' | '(' | '/' | '|' if begun => joint = Some(at + c.len_utf8()),
            _ => {}
        }
        begun |= c != ' ' && !is_mark(c);
        cut = Some(at + c.len_utf8());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_fits_stays() {
        assert_eq!(wrap("rbf(gamma=1)", 12, 2), ["rbf(gamma=1)"]);
        assert_eq!(wrap("", 5, 2), [""]);
    }

    #[test]
    fn lines_break_at_spaces_then_in_expressions_then_anywhere() {
        assert_eq!(wrap("one two three", 7, 0), ["one two", "three"]);
        assert_eq!(
            wrap("normalize(shortest-path(h=3,k=4))", 24, 2),
            ["normalize(shortest-path(", "  h=3,k=4))"]
        );
        assert_eq!(wrap("abcdefghij", 4, 0), ["abcd", "efgh", "ij"]);
    }

    #[test]
    fn prose_never_breaks_a_word() {
        let path = "see /a/very/long/path/that/nobody/may/break for more";
        assert_eq!(wrap_prose(path, 12, 0), ["see", "/a/very/long/path/that/nobody/may/break", "for more"]);
    }

    #[test]
    fn style_marks_have_no_width() {
        assert_eq!(wrap("\u{FDD0}ab cd\u{FDD4} ef", 5, 0), ["\u{FDD0}ab cd\u{FDD4}", "ef"]);
    }

    #[test]
    fn every_width_terminates() {
        for width in 0..6 {
            assert!(!wrap("ab (cd, ef) ghijklmnop", width, 2).is_empty());
        }
    }
}
