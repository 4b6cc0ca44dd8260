//! Known vulnerabilities of dependencies, from a pinned copy of the RustSec database: no network and no tool is needed.
//!
//! `target/advisories.tsv` has a line for each advisory: its id, the crate, its category, and the unaffected versions.
//! `cargo xtask supply --pin FOLDER` rewrites it from a checkout of the database.

use std::path::Path;

use serde_json::{Value, json};

use crate::{Outcome, root};

/// A copy older than this does not count as a check.
const OLDEST_DAYS: i64 = 365;
const FILE: &str = "target/advisories.tsv";

/// An advisory.
#[derive(Debug, PartialEq)]
struct Advisory {
    number: String,
    package: String,
    /// vulnerability, unsound, unmaintained or notice.
    about: String,
    /// Version requirements; a version that meets one of them is unaffected.
    sound: Vec<String>,
}

/// The pinned copy.
struct Database {
    /// The date of the copy, such as 2026-08-21.
    day: String,
    advisories: Vec<Advisory>,
}

/// The result of the check.
pub(crate) struct Checked {
    /// A description for people and for the report.
    pub(crate) said: String,
    /// Whether it counts as a check.
    pub(crate) is_done: bool,
    /// Dependencies with known vulnerabilities.
    pub(crate) faults: Vec<String>,
    /// Unmaintained dependencies, or ones with a notice.
    pub(crate) notes: Vec<String>,
}

impl Checked {
    pub(crate) fn figures(&self) -> Value {
        json!({"done": self.is_done, "said": self.said, "notes": self.notes.len(), "faults": self.faults.len()})
    }
}

/// Compares packages, by name and version, with the pinned copy.
pub(crate) fn check<'p>(packages: impl Iterator<Item = (&'p str, &'p str)>) -> Checked {
    match Database::read() {
        Ok(database) => database.check(packages, today()),
        Err(reason) => Checked {
            said: format!(
                "NOT DONE: {reason}; cargo xtask supply --pin FOLDER makes it from a checkout of the database"
            ),
            is_done: false,
            faults: Vec::new(),
            notes: Vec::new(),
        },
    }
}

impl Database {
    fn read() -> Outcome<Database> {
        let text = std::fs::read_to_string(root().join(FILE)).map_err(|e| format!("{FILE}: {e}"))?;
        Database::parse(&text)
    }

    fn parse(text: &str) -> Outcome<Database> {
        let mut lines = text.lines();
        let title = lines.next().unwrap_or_default();
        let day = title.split('\t').nth(1).filter(|d| days(d).is_some());
        let day = day.ok_or_else(|| format!("{FILE}: the first line has no date"))?.to_owned();
        let advisory = |line: &str| -> Option<Advisory> {
            let fields: Vec<&str> = line.split('\t').collect();
            let [number, package, about, sound] = fields[..] else { return None };
            let sound = sound.split(" | ").filter(|s| !s.is_empty()).map(str::to_owned).collect();
            Some(Advisory { number: number.into(), package: package.into(), about: about.into(), sound })
        };
        let parsed = |line: &str| advisory(line).ok_or_else(|| format!("{FILE}: {line}"));
        let advisories = lines.filter(|l| !l.starts_with('#')).map(parsed).collect::<Outcome<Vec<_>>>()?;
        if advisories.len() < 500 {
            return Err(format!("{FILE}: {} advisories are not the complete database", advisories.len()));
        }
        Ok(Database { day, advisories })
    }

    fn check<'p>(&self, packages: impl Iterator<Item = (&'p str, &'p str)>, today: i64) -> Checked {
        let (mut faults, mut notes) = (Vec::new(), Vec::new());
        for (name, version) in packages {
            for known in self.advisories.iter().filter(|a| a.package == name) {
                let is_sound = |r: &String| meets(version, r);
                if known.sound.iter().any(is_sound) {
                    continue;
                }
                let text = format!("{name} {version}: {} ({})", known.number, known.about);
                match known.about.as_str() {
                    "unmaintained" | "notice" => notes.push(text),
                    _ => faults.push(text),
                }
            }
        }
        let age = today - days(&self.day).unwrap_or(0);
        let is_done = age <= OLDEST_DAYS;
        let what = format!("{} advisories of {}, {age} days ago", self.advisories.len(), self.day);
        let said = match is_done {
            true => format!("compared with a pinned copy of {what}"),
            false => format!("NOT DONE: the pinned copy is too old ({what})"),
        };
        Checked { said, is_done, faults, notes }
    }
}

/// Writes the pinned copy from a checkout of the database and its date.
pub(crate) fn pin(folder: &Path, day: &str) -> Outcome<()> {
    days(day).ok_or_else(|| format!("{day} is not a date such as 2026-08-21"))?;
    let crates = folder.join("crates");
    let mut lines = Vec::new();
    for package in std::fs::read_dir(&crates).map_err(|e| format!("{}: {e}", crates.display()))?.flatten() {
        for file in std::fs::read_dir(package.path()).into_iter().flatten().flatten() {
            let text = std::fs::read_to_string(file.path()).map_err(|e| e.to_string())?;
            let line = line_of(&text).ok_or_else(|| format!("{}: not an advisory", file.path().display()))?;
            lines.extend(line);
        }
    }
    lines.sort();
    let title = format!("# RustSec advisory database (rustsec.org, CC0-1.0), a copy of\t{day}\n");
    let text = format!("{title}# number\tcrate\tabout\tunaffected versions\n{}\n", lines.join("\n"));
    Database::parse(&text)?;
    std::fs::write(root().join(FILE), text).map_err(|e| format!("{FILE}: {e}"))?;
    println!("{FILE}: {} advisories", lines.len());
    Ok(())
}

/// The line of an advisory; `Some(None)` for a withdrawn one.
fn line_of(text: &str) -> Option<Option<String>> {
    let block = text.split_once("```toml")?.1.split_once("```")?.0;
    let document: toml::Table = block.parse().ok()?;
    let advisory = document.get("advisory")?;
    if advisory.get("withdrawn").is_some() {
        return Some(None);
    }
    let about = advisory.get("informational").and_then(|v| v.as_str()).unwrap_or("vulnerability");
    let versions = |key: &str| document.get("versions").and_then(|v| v.get(key)?.as_array().cloned());
    let sound = ["patched", "unaffected"].into_iter().filter_map(versions).flatten();
    let sound: Vec<String> = sound.filter_map(|v| v.as_str().map(str::to_owned)).collect();
    let (number, package) = (advisory.get("id")?.as_str()?, advisory.get("package")?.as_str()?);
    Some(Some(format!("{number}\t{package}\t{about}\t{}", sound.join(" | "))))
}

/// Whether a version meets a Cargo requirement: comma-separated comparisons, all of which must hold.
fn meets(version: &str, requirement: &str) -> bool {
    let Some((found, pre)) = numbers(version) else { return false };
    requirement.split(',').all(|part| {
        let part = part.trim();
        let at = part.find(|c: char| c.is_ascii_digit()).unwrap_or(part.len());
        let (sign, text) = part.split_at(at);
        let Some((wanted, wanted_pre)) = numbers(text) else { return part == "*" };
        let given = text.split(['-', '+']).next().unwrap_or_default().split('.').count();
        // A pre-release is below its release.
        let order =
            found.cmp(&wanted).then(pre.is_none().cmp(&wanted_pre.is_none())).then(pre.cmp(&wanted_pre));
        // Whether the leading parts of the version are equal.
        let same = |parts: usize| found[..parts] == wanted[..parts];
        match sign.trim() {
            ">=" => order.is_ge(),
            ">" => order.is_gt(),
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            "=" => order.is_eq() || given < 3 && same(given),
            "~" => order.is_ge() && same(given.min(2)),
            "^" | "" => {
                let fixed = wanted.iter().position(|n| *n > 0).unwrap_or(given - 1) + 1;
                order.is_ge() && same(fixed.min(given.max(1)))
            }
            _ => false,
        }
    })
}

/// The three numbers of a version, and the pre-release after a hyphen.
fn numbers(version: &str) -> Option<([u64; 3], Option<&str>)> {
    let version = version.trim().split('+').next()?;
    let (plain, pre) = match version.split_once('-') {
        Some((plain, pre)) => (plain, Some(pre)),
        None => (version, None),
    };
    let mut out = [0; 3];
    for (i, part) in plain.split('.').enumerate() {
        *out.get_mut(i)? = part.parse().ok()?;
    }
    Some((out, pre))
}

/// Days since 1970 of a date such as 2026-08-21.
fn days(day: &str) -> Option<i64> {
    let parts: Vec<i64> = day.split('-').map(|p| p.parse().ok()).collect::<Option<_>>()?;
    let [year, month, day] = parts[..] else { return None };
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Months are counted from March, so that the leap day is the last of a year.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    Some(365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719_468)
}

fn today() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |d| (d.as_secs() / 86_400) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements() {
        for (version, requirement, expected) in [
            ("0.9.1", ">= 0.9.1", true),
            ("0.9.0", ">= 0.9.1", false),
            ("1.2.3", "^1.2", true),
            ("2.0.0", "^1.2", false),
            ("0.3.9", "^0.3.2", true),
            ("0.4.0", "^0.3.2", false),
            ("1.5.0", ">= 1.4, < 1.5", false),
            ("1.4.9", ">= 1.4, < 1.5", true),
            ("1.4.9", "~1.4.2", true),
            ("1.5.0", "~1.4.2", false),
            ("1.4.2", "=1.4.2", true),
            ("1.4.3", "= 1.4.2", false),
            ("2.0.0-rc.1", ">= 2.0.0", false),
            ("2.0.0", ">= 2.0.0-rc.1", true),
            ("2.0.0-rc.2", ">= 2.0.0-rc.1", true),
            ("0.0.0", "< 0.0.0", false),
            ("1.0.0+build", "<= 1.0.0", true),
        ] {
            assert_eq!(meets(version, requirement), expected, "{version} {requirement}");
        }
    }

    #[test]
    fn affected_versions_are_found() {
        let advisory = Advisory {
            number: "RUSTSEC-2020-0071".into(),
            package: "time".into(),
            about: "vulnerability".into(),
            sound: vec![">= 0.2.23".into(), "= 0.2.0".into()],
        };
        let database = Database { day: "2026-08-21".into(), advisories: vec![advisory] };
        let day = days(&database.day).unwrap();
        // time before 0.2.23 may read freed memory; 0.3 is unaffected.
        let old = [("time", "0.2.7"), ("time", "0.3.47"), ("serde", "1.0.228")];
        let checked = database.check(old.into_iter(), day);
        assert!(checked.is_done && checked.faults.len() == 1, "{:?}", checked.faults);
        assert!(checked.faults[0].contains("RUSTSEC-2020-0071"), "{:?}", checked.faults);
        let late = database.check(old.into_iter(), day + 400);
        assert!(!late.is_done && late.said.starts_with("NOT DONE"), "{}", late.said);
    }

    #[test]
    fn advisories_become_lines() {
        let text = "```toml\n[advisory]\nid = \"RUSTSEC-1\"\npackage = \"p\"\ndate = \"2020-01-01\"\n\n[versions]\n\
                    patched = [\">= 2\", \"^1.5\"]\nunaffected = [\"< 1\"]\n```\n# Title\n";
        assert_eq!(line_of(text).unwrap().unwrap(), "RUSTSEC-1\tp\tvulnerability\t>= 2 | ^1.5 | < 1");
        let withdrawn = text.replace("date =", "withdrawn = \"2020-02-01\"\ndate =");
        assert_eq!(line_of(&withdrawn), Some(None));
        assert_eq!(line_of("no advisory"), None);
    }

    #[test]
    fn days_are_counted() {
        assert_eq!(days("1970-01-01"), Some(0));
        assert_eq!(days("2026-08-21"), Some(20_686));
        assert_eq!(days("2024-02-29").unwrap() + 1, days("2024-03-01").unwrap());
        for bad in ["", "2026-13-01", "2026-08", "x-y-z"] {
            assert_eq!(days(bad), None);
        }
    }
}
