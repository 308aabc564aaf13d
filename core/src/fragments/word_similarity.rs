/*!
How alike two words are, so that a query with a slip of the pen finds what it means.

One slip in a word of ten letters leaves half of its trigrams, and two words with a common stem share
most of theirs. So the likeness is what either measure says at its best: the share of trigrams in
common, or the share of letters that need no change.

# Source

The trigrams are those of `pg_trgm`: each word is padded with two spaces before it and one behind.
*/

use std::collections::BTreeSet;

/// The longest word, in characters, that is compared letter by letter.
const LETTERS: usize = 64;

/// Returns how alike two words are, from 0 to 1.
pub fn word_similarity(one: &str, other: &str) -> f64 {
    trigrams_in_common(one, other).max(letters_kept(one, other))
}

/// The share of the trigrams of both that both have.
fn trigrams_in_common(one: &str, other: &str) -> f64 {
    let (one, other) = (trigrams(one), trigrams(other));
    let common = one.intersection(&other).count();
    let all = one.len() + other.len() - common;
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}

fn trigrams(text: &str) -> BTreeSet<[char; 3]> {
    let mut trigrams = BTreeSet::new();
    for word in text.to_lowercase().split(|found: char| !found.is_alphanumeric()) {
        if !word.is_empty() {
            let padded: Vec<_> = "  ".chars().chain(word.chars()).chain([' ']).collect();
            trigrams.extend(padded.windows(3).map(|three| [three[0], three[1], three[2]]));
        }
    }
    trigrams
}

/// The share of the longer word's letters that stay when it becomes the other one, letters being
/// added, left out, changed or swapped with their neighbour.
fn letters_kept(one: &str, other: &str) -> f64 {
    let (one, other): (Vec<_>, Vec<_>) = (one.chars().collect(), other.chars().collect());
    let longer = one.len().max(other.len());
    if longer == 0 || longer > LETTERS {
        return 0.0;
    }
    let width = other.len() + 1;
    let mut rows: [Vec<usize>; 3] = [vec![0; width], (0..width).collect(), vec![0; width]];
    for i in 1..=one.len() {
        let [older, last, row] = &mut rows;
        row[0] = i;
        for j in 1..width {
            let changed = usize::from(one[i - 1] != other[j - 1]);
            row[j] = (last[j - 1] + changed).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                row[j] = row[j].min(older[j - 2] + 1);
            }
        }
        rows.rotate_left(1);
    }
    1.0 - rows[1][width - 1] as f64 / longer as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trigrams_are_those_of_pg_trgm() {
        // As `similarity` of pg_trgm gives them.
        for (one, other, expected) in [
            ("word", "words", 0.571_428_6),
            ("kubernetes", "kubernets", 0.615_384_6),
            ("word", "word", 1.0),
            ("a", "b", 0.0),
            ("two words", "words", 0.6),
            ("", "", 0.0),
        ] {
            let found = trigrams_in_common(one, other);
            assert!((found - expected).abs() < 1e-6, "{one} {other}: {found}");
        }
    }

    #[test]
    fn one_slip_leaves_most_letters() {
        for (one, other, expected) in [
            ("kubernetes", "kubernets", 0.9),
            ("recieve", "receive", 6.0 / 7.0),
            ("colour", "color", 5.0 / 6.0),
            ("日本語", "日本", 2.0 / 3.0),
            ("abc", "xyz", 0.0),
            ("abc", "", 0.0),
        ] {
            let found = letters_kept(one, other);
            assert!((found - expected).abs() < 1e-9, "{one} {other}: {found}");
        }
    }

    proptest::proptest! {
        #[test]
        fn likeness_is_a_share_and_the_same_both_ways(one in "[a-c ]{0,8}", other in "\\PC{0,8}") {
            for (a, b) in [(&one, &other), (&other, &one), (&one, &one)] {
                let found = word_similarity(a, b);
                proptest::prop_assert!((0.0..=1.0).contains(&found));
                proptest::prop_assert!((found - word_similarity(b, a)).abs() < 1e-9);
            }
            proptest::prop_assert!(one.trim().is_empty() || word_similarity(&one, &one) > 0.999);
        }
    }
}
