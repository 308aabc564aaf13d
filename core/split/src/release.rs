/*!
Releases: headings of changelogs.

```text
1.2.0 (2026-01-02)      [1.2.0] - 2026-01-02      Version 1.2, January 2026      v2.0.0-rc.1
Unreleased              tool (1.2-1) unstable; urgency=low                        2026-01-02  A. Name
```

A number that other words follow is a chapter of a manual, such as `1.2 Installation`.

Its twin in SQL is `sql/edition/relatives.sql`.
*/

/// Words that may precede a version in its heading.
const NAMES: [&str; 6] = ["version", "release", "released", "changes", "in", "for"];

/// The maximum number of bytes of a heading.
const MAX_HEADING: usize = 120;

/// Returns whether a title names a release.
///
/// ```
/// use passage_split::is_release;
///
/// assert!(is_release("[1.2.0] - 2026-01-02"));
/// assert!(!is_release("1.2 Installation"));
/// ```
pub fn is_release(title: &str) -> bool {
    let title = title.trim().trim_end_matches([':', '=', '-']).trim_end();
    if title.len() > MAX_HEADING || title.ends_with('.') {
        return false;
    }
    if title.trim_matches(['[', ']']).eq_ignore_ascii_case("unreleased") {
        return true;
    }
    // Most titles have no number.
    if !title.bytes().any(|byte| byte.is_ascii_digit()) {
        return title.contains("; urgency=");
    }
    let mut words = title.split_whitespace().map(bare);
    let is_name = |word: &&str| NAMES.iter().any(|name| word.eq_ignore_ascii_case(name));
    let first = words.find(|word| !is_name(word)).unwrap_or_default();
    if is_version(first) {
        return words.all(is_of_date);
    }
    // The name of the product may come first.
    let second = words.next().unwrap_or_default();
    is_product(first) && is_version(second) && words.all(is_of_date)
        || is_date(first) && title.contains(['@', ' '])
        || title.contains("; urgency=")
}

/// Returns a word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|char: char| "[](){}*_`,:;–—-".contains(char))
}

/// Returns whether a word is a number with at least two parts, such as `v1.2.0-rc.1`.
fn is_version(word: &str) -> bool {
    let number = word.strip_prefix(['v', 'V']).unwrap_or(word);
    let end = number.find(|char: char| !char.is_ascii_digit() && char != '.');
    let (number, suffix) = number.split_at(end.unwrap_or(number.len()));
    let parts = number.trim_end_matches('.').split('.');
    let has_parts =
        parts.clone().count() >= 2 && parts.clone().all(|part| !part.is_empty() && part.len() <= 8);
    let is_suffix = |char: char| char.is_ascii_alphanumeric() || "-+.~_".contains(char);
    has_parts && suffix.len() <= 24 && suffix.chars().all(is_suffix)
}

/// Returns whether a word is a day such as `2026-01-02`.
fn is_date(word: &str) -> bool {
    let parts: Vec<&str> = word.split(['-', '/', '.']).collect();
    parts.len() == 3
        && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
        && parts.iter().map(|part| part.len()).eq([4, 2, 2])
}

/// Returns whether a word may follow a version: a part of a date, or a remark on the release.
fn is_of_date(word: &str) -> bool {
    const MONTHS: &str =
        "jan feb mar apr may jun jul aug sep oct nov dec mon tue wed thu fri sat sun";
    const REMARKS: [&str; 12] = [
        "on",
        "of",
        "unreleased",
        "yanked",
        "released",
        "release",
        "tbd",
        "not",
        "yet",
        "beta",
        "alpha",
        "at",
    ];
    let word = word.to_ascii_lowercase();
    let month = word.get(..3).is_some_and(|start| MONTHS.split(' ').any(|known| known == start));
    word.is_empty()
        || word.starts_with(|char: char| char.is_ascii_digit())
        || month
        || REMARKS.contains(&&*word)
}

/// Returns whether a word is the name of a product.
fn is_product(word: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || "-_.+/@".contains(char);
    !word.is_empty() && word.chars().all(is_part) && word.contains(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_releases_are_recognized() {
        for title in [
            "1.2.0",
            "v1.2.0 (2026-01-02)",
            "[1.2.0] - 2026-01-02",
            "[Unreleased]",
            "Version 1.2, released on January 2nd, 2026",
            "Changes in version 1.2.3:",
            "Release 2.0.0-rc.1",
            "Django 5.1.2",
            "1.0.0 [YANKED]",
            "tool (1.2-1) unstable; urgency=low",
            "2026-01-02  A. Name  <a@example.org>",
        ] {
            assert!(is_release(title), "{title}");
        }
        for title in [
            "1.2 Installation",
            "Version control",
            "Python 3.12 is required",
            "Since 1.2.",
            "Features",
            "2026 in review",
            "3",
            "",
        ] {
            assert!(!is_release(title), "{title}");
        }
    }
}
