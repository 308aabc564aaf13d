/*!
Similarity of words, so that misspelled queries find the intended word.

One error in a word of ten letters leaves half of its trigrams, and words with a common stem share most of them. So
the similarity is the higher of two measures: the share of common trigrams, and the share of unchanged letters.

# Source

The trigrams are those of `pg_trgm`: each word is padded with two spaces before it and one behind.

Its twin in SQL is `sql/edition/fragments/terms.sql`.
*/

use std::collections::BTreeSet;

/// The maximum length of words compared letter by letter, in characters.
const LETTERS: usize = 64;

/// Returns the similarity of two words, 0 to 1.
///
/// ```
/// use passage_core::fragments::word_similarity;
///
/// assert_eq!(word_similarity("index", "index"), 1.0);
/// assert!(word_similarity("recieve", "receive") > 0.8);
/// ```
pub fn word_similarity(one: &str, other: &str) -> f64 {
    trigrams_in_common(one, other).max(letters_kept(one, other))
}

/// Returns the share of common trigrams among all trigrams of both words.
fn trigrams_in_common(one: &str, other: &str) -> f64 {
    let (one, other) = (trigrams(one), trigrams(other));
    let common = one.intersection(&other).count();
    let all = one.len() + other.len() - common;
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}

fn trigrams(text: &str) -> BTreeSet<[char; 3]> {
    let mut trigrams = BTreeSet::new();
    for word in text.to_lowercase().split(|character: char| !character.is_alphanumeric()) {
        if !word.is_empty() {
            let padded: Vec<_> = "  ".chars().chain(word.chars()).chain([' ']).collect();
            trigrams.extend(padded.windows(3).map(|three| [three[0], three[1], three[2]]));
        }
    }
    trigrams
}

/// Returns the share of the longer word's letters that stay unchanged. Edits add, remove, change or swap
/// letters.
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
            let similarity = trigrams_in_common(one, other);
            assert!((similarity - expected).abs() < 1e-6, "{one} {other}: {similarity}");
        }
    }

    #[test]
    fn one_error_keeps_most_letters() {
        for (one, other, expected) in [
            ("kubernetes", "kubernets", 0.9),
            ("recieve", "receive", 6.0 / 7.0),
            ("colour", "color", 5.0 / 6.0),
            ("日本語", "日本", 2.0 / 3.0),
            ("abc", "xyz", 0.0),
            ("abc", "", 0.0),
        ] {
            let share = letters_kept(one, other);
            assert!((share - expected).abs() < 1e-9, "{one} {other}: {share}");
        }
    }

    proptest::proptest! {
        #[test]
        fn similarity_is_symmetric_and_from_0_to_1(one in "[a-c ]{0,8}", other in "\\PC{0,8}") {
            for (a, b) in [(&one, &other), (&other, &one), (&one, &one)] {
                let similarity = word_similarity(a, b);
                proptest::prop_assert!((0.0..=1.0).contains(&similarity));
                proptest::prop_assert!((similarity - word_similarity(b, a)).abs() < 1e-9);
            }
            proptest::prop_assert!(one.trim().is_empty() || word_similarity(&one, &one) > 0.999);
        }
    }
}
