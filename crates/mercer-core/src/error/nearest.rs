//! Suggestions for misspelt names.

/// The names in `known` closest to `wanted`, best first.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    let limit = (wanted.chars().count() / 3).max(1) + 1;
    let mut scored: Vec<_> = known
        .into_iter()
        .map(|name| (edits(&wanted, &name.to_lowercase()), name))
        .filter(|(d, name)| *d <= limit || name.to_lowercase().contains(&wanted) && wanted.len() > 2)
        .collect();
    scored.sort();
    scored.into_iter().map(|(_, name)| name).take(3).collect()
}

fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut corner = i;
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let next = (corner + usize::from(ca != *cb)).min(row[j] + 1).min(row[j + 1] + 1);
            corner = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_names() {
        assert_eq!(nearest("rgf", ["rbf", "linear", "polynomial"]), ["rbf"]);
        assert_eq!(nearest("poly", ["rbf", "linear", "polynomial"]), ["polynomial"]);
        assert!(nearest("zebra", ["rbf", "linear"]).is_empty());
    }
}
