//! Words of the formats, used by the mutations and as libFuzzer's dictionary.

/// The words of a target: those in `words/TARGET`, one in quotes per line as libFuzzer requires, with `\xNN` for bytes.
pub fn words(target: &str) -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(crate::folder().join("words").join(target)).unwrap_or_default();
    text.lines().filter_map(|l| l.strip_prefix('"')?.strip_suffix('"')).filter_map(unescaped).collect()
}

fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match rest.next()? {
            b'x' => {
                let digits = [rest.next()?, rest.next()?];
                out.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
            }
            other => out.push(other),
        }
    }
    Some(out)
}
