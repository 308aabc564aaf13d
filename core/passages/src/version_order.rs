/*!
The order of versions, as people read them: 8.10 is after 8.9.

A version is a row of numbers and words. Numbers compare by their value, also dates such as `2024-05`, and a leading
`v` does not count. A word for a test release is before the release, any other word after it:

```text
8.9 < 8.10-alpha < 8.10-rc1 < 8.10-rc2 < 8.10 < 8.10.1 < 8.10.1-hotfix < v9
```

Versions without a number, such as the name of a branch, are before all numbers. `latest` is after all of them: a
collection with this version names it so.

Its twin in SQL is `sql/edition/filters.sql`.
*/

use std::cmp::Ordering;

/// Words for releases before the release, the earliest first. Of one number, words in a group are equal.
const EARLIER: [&[&str]; 6] = [
    &["dev", "snapshot", "nightly", "canary"],
    &["alpha", "a"],
    &["beta", "b"],
    &["milestone", "m"],
    &["pre", "preview", "next"],
    &["rc", "cr", "c"],
];

/// The version that is after all others.
pub const LATEST: &str = "latest";

/// A part of a version. Parts compare in the order of the variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'v> {
    /// A test release, by its place among [`EARLIER`].
    Earlier(usize),
    /// The end of the version.
    End,
    Word(&'v str),
    Number(&'v str),
}

/// Compares two versions.
///
/// ```
/// use passage_core::version_order::compare;
/// use std::cmp::Ordering;
///
/// assert_eq!(compare("8.10", "8.9"), Ordering::Greater);
/// assert_eq!(compare("9.0-rc1", "9.0"), Ordering::Less);
/// ```
pub fn compare(a: &str, b: &str) -> Ordering {
    let [mut a_parts, mut b_parts] = [a, b].map(|version| Parts(without_v(version)));
    let is_latest = |version: &str| version.eq_ignore_ascii_case(LATEST);
    let mut order = is_latest(a).cmp(&is_latest(b));
    while order.is_eq() {
        let (a, b) = (a_parts.next_part(), b_parts.next_part());
        order = compare_parts(a, b);
        if (a, b) == (Part::End, Part::End) {
            break;
        }
    }
    // Versions of the same meaning, such as 8.1 and v8.1, still have an order.
    order.then_with(|| a.cmp(b))
}

/// Returns the version without the letter before its first number.
fn without_v(version: &str) -> &str {
    let bare = version.strip_prefix(['v', 'V']);
    bare.filter(|bare| bare.starts_with(|first: char| first.is_ascii_digit())).unwrap_or(version)
}

/// The rest of a version.
struct Parts<'v>(&'v str);

impl<'v> Parts<'v> {
    fn next_part(&mut self) -> Part<'v> {
        let is_word = |c: char| c.is_alphanumeric() && !c.is_ascii_digit();
        let rest = self.0.trim_start_matches(|c: char| !c.is_alphanumeric());
        let Some(first) = rest.chars().next() else { return Part::End };
        let is_number = first.is_ascii_digit();
        let is_other = |c: char| if is_number { !c.is_ascii_digit() } else { !is_word(c) };
        let (part, behind) = rest.split_at(rest.find(is_other).unwrap_or(rest.len()));
        self.0 = behind;
        if is_number {
            return Part::Number(part.trim_start_matches('0'));
        }
        let is_part = |word: &&str| word.eq_ignore_ascii_case(part);
        let earlier = EARLIER.iter().position(|words| words.iter().any(&is_part));
        earlier.map_or(Part::Word(part), Part::Earlier)
    }
}

fn compare_parts(a: Part, b: Part) -> Ordering {
    let place = |part: Part| match part {
        Part::Earlier(_) => 0,
        Part::End => 1,
        Part::Word(_) => 2,
        Part::Number(_) => 3,
    };
    match (a, b) {
        (Part::Earlier(a), Part::Earlier(b)) => a.cmp(&b),
        (Part::Word(a), Part::Word(b)) => a.to_lowercase().cmp(&b.to_lowercase()),
        // Without leading zeros, the number with more digits is larger.
        (Part::Number(a), Part::Number(b)) => a.len().cmp(&b.len()).then_with(|| a.cmp(b)),
        (a, b) => place(a).cmp(&place(b)),
    }
}

#[cfg(test)]
mod tests {
    use super::compare;
    use proptest::prelude::*;
    use std::cmp::Ordering;

    #[test]
    fn versions_have_the_order_that_people_read() {
        let ordered = [
            "",
            "main",
            "stable",
            "0.9",
            "1-alpha",
            "1-beta2",
            "1-beta10",
            "1",
            "1-hotfix",
            "1.0rc1",
            "1.0",
            "1.0.1",
            "8.9",
            "8.10-dev",
            "8.10-rc1",
            "8.10-RC2",
            "8.10",
            "v9",
            "9.0",
            "2023-12",
            "2024-02",
            "2024-11-30",
            "20240101",
            "99999999999999999999999",
            "latest",
        ];
        for (at, a) in ordered.iter().enumerate() {
            for (other, b) in ordered.iter().enumerate() {
                assert_eq!(compare(a, b), at.cmp(&other), "{a} {b}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_versions_have_one_order(
            versions in prop::collection::vec("(v|)[0-9a-c.]{0,4}(-rc|-x|é|\\+)?[0-9]{0,2}", 3)
        ) {
            let [a, b, c] = [0, 1, 2].map(|at| versions[at].as_str());
            prop_assert_eq!(compare(a, b), compare(b, a).reverse());
            prop_assert_eq!(compare(a, b) == Ordering::Equal, a == b);
            if compare(a, b).is_le() && compare(b, c).is_le() {
                prop_assert!(compare(a, c).is_le(), "{} {} {}", a, b, c);
            }
        }
    }
}
