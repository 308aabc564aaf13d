/*!
Corrections: the words from which a misspelled word differs by one slip.

An index has stems, and a slip often changes what the stemmer removes: `encodng` keeps its ending, while `encoding`
becomes `encod`. So words are compared as they are written. A slip adds, omits, changes or swaps one letter, and all
words that differ by one slip are few hundred. The caller turns each of them into its lexeme and looks it up.

A word that was meant can be misspelled in as many ways as it has letters by omitting one or swapping two, and in 26
times as many by adding or changing one. So a certain one of the latter is the less likely explanation: `striat` is
`strait` rather than `strict`. Both are corrections, with different weights.

# Source

Damerau, *A Technique for Computer Detection and Correction of Spelling Errors* (1964): four of five errors are one
slip of these kinds. Kernighan, Church and Gale, *A Spelling Correction Program Based on a Noisy Channel Model*
(1990): corrections are ranked by how likely their slip is.

Its twin in SQL is `sql/edition/corrections.sql`.
*/

use passage_split::interrupt;
use std::collections::HashMap;

/// The minimum and maximum length of a corrected word, in characters.
const LENGTH: std::ops::RangeInclusive<usize> = 4..=24;

/// The letters of other scripts, each from the first to the last, which are tried in words of this script.
const SCRIPTS: [[char; 2]; 3] = [['à', 'ÿ'], ['ά', 'ώ'], ['а', 'ё']];

/// A word that differs from a misspelled one by one slip.
#[derive(Clone, Debug, PartialEq)]
pub struct Correction {
    /// The corrected word, in lower case.
    pub text: String,
    /// How likely this word was meant, relative to other corrections: the similarity of both words as written,
    /// from 0 to 1, and less for a slip with 26 alternatives.
    pub weight: f64,
}

/// The number of letters from which an added or changed one is chosen.
const ALTERNATIVES: f64 = 26.0;

/// Returns the corrections of a word whose similarity is at least `threshold`, most likely first.
///
/// Punctuation around the word is ignored. A word with punctuation or digits inside, or with fewer than 4 or more
/// than 24 letters, has no corrections.
///
/// ```
/// use passage_core::fragments::corrections;
///
/// let found = corrections("seraching", 0.8);
/// assert!(found.iter().any(|correction| correction.text == "searching"));
/// ```
pub fn corrections(word: &str, threshold: f64) -> Vec<Correction> {
    let word = word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    let letters: Vec<_> = word.chars().collect();
    if !LENGTH.contains(&letters.len()) || !letters.iter().all(|letter| letter.is_alphabetic()) {
        return Vec::new();
    }
    let mut weights: HashMap<String, f64> = HashMap::new();
    for (number, Slip { letters: correct, alternatives }) in slips(&letters).enumerate() {
        interrupt::poll_periodically(number);
        let likeness = 1.0 - 1.0 / correct.len().max(letters.len()) as f64;
        let text: String = correct.into_iter().collect();
        if text != word && likeness >= threshold {
            let weight = weights.entry(text).or_default();
            *weight = weight.max(likeness / alternatives);
        }
    }
    let mut found: Vec<_> =
        weights.into_iter().map(|(text, weight)| Correction { text, weight }).collect();
    found.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.text.cmp(&b.text)));
    found
}

/// A correct word, and how many slips of this kind at this letter there are.
struct Slip {
    letters: Vec<char>,
    alternatives: f64,
}

/// Returns all words from which `letters` differ by one slip.
fn slips(letters: &[char]) -> impl Iterator<Item = Slip> {
    let alphabet = alphabet(letters);
    let slip = |letters, alternatives| Slip { letters, alternatives };
    let added = |at: usize| {
        // A letter that was typed twice has no alternatives.
        let is_repeated = at > 0 && letters[at] == letters[at - 1];
        let correct = [&letters[..at], &letters[at + 1..]].concat();
        slip(correct, if is_repeated { 1.0 } else { ALTERNATIVES })
    };
    let swapped = |at: usize| {
        let mut correct = letters.to_vec();
        correct.swap(at, at + 1);
        slip(correct, 1.0)
    };
    let added: Vec<_> = (0..letters.len()).map(added).collect();
    let swaps: Vec<_> = (0..letters.len() - 1).map(swapped).collect();
    let letters = letters.to_vec();
    let others = (0..=letters.len()).flat_map(move |at| {
        let letters = letters.clone();
        alphabet.clone().into_iter().flat_map(move |letter| {
            let omitted = slip([&letters[..at], &[letter], &letters[at..]].concat(), 1.0);
            let changed = (at < letters.len()).then(|| {
                slip([&letters[..at], &[letter], &letters[at + 1..]].concat(), ALTERNATIVES)
            });
            std::iter::once(omitted).chain(changed)
        })
    });
    swaps.into_iter().chain(added).chain(others)
}

/// Returns the letters that a slip may replace or omit: those of English, of the word, and of its script.
fn alphabet(letters: &[char]) -> Vec<char> {
    let mut alphabet: Vec<_> = ('a'..='z').chain(letters.iter().copied()).collect();
    for [first, last] in SCRIPTS {
        if letters.iter().any(|letter| (first..=last).contains(letter)) {
            alphabet.extend((first..=last).filter(|letter| letter.is_lowercase()));
        }
    }
    alphabet.sort_unstable();
    alphabet.dedup();
    alphabet
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(word: &str) -> Vec<String> {
        corrections(word, 0.8).into_iter().map(|correction| correction.text).collect()
    }

    #[test]
    fn a_word_with_one_slip_is_corrected() {
        for (misspelled, intended) in [
            ("encodng", "encoding"),
            ("configuraton", "configuration"),
            ("binray", "binary"),
            ("memroy", "memory"),
            ("automaticaly", "automatically"),
            ("seraching", "searching"),
            ("\"Threshhold\",", "threshold"),
            ("nicode", "unicode"),
            ("configuratiom", "configuration"),
            ("gardinen", "gardinen2"),
            ("слоао", "слово"),
            ("grosse", "große"),
        ] {
            let found = texts(misspelled).iter().any(|text| text == intended);
            assert_eq!(found, !["gardinen2", "große"].contains(&intended), "{misspelled}");
        }
    }

    #[test]
    fn the_threshold_is_the_share_of_unchanged_letters() {
        assert!(!texts("memroy").is_empty());
        assert!(corrections("memroy", 0.9).is_empty());
        let long = corrections("automaticaly", 0.9);
        assert!(long.iter().all(|correction| correction.text.len() >= 11));
        assert!(texts("tets").iter().all(|text| text.len() == 5), "one of four is a quarter");
    }

    #[test]
    fn a_slip_with_fewer_alternatives_is_more_likely() {
        let place = |word: &str, intended: &str| {
            let found = corrections(word, 0.8);
            let weight = found.iter().find(|one| one.text == intended).unwrap().weight;
            found.iter().filter(|one| one.weight > weight).count()
        };
        for (misspelled, likely, unlikely) in [
            ("striat", "strait", "strict"),
            ("guinaa", "guiana", "guinea"),
            ("uwait", "kuwait", "await"),
            ("languagee", "language", "languages"),
        ] {
            assert!(place(misspelled, likely) < place(misspelled, unlikely), "{misspelled}");
        }
    }

    #[test]
    fn other_tokens_have_no_corrections() {
        for word in ["", "abc", "utf8x", "foo_bar", "getUser()x", "日本語", "!!!", &"x".repeat(25)]
        {
            assert!(texts(word).is_empty(), "{word}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_slip_in_a_word_is_corrected(word in "[a-z]{6,12}", at in 0_usize..6, kind in 0..4, letter in "[a-z]") {
            let mut letters: Vec<_> = word.chars().collect();
            let letter = letter.chars().next().unwrap();
            match kind {
                0 => { letters.remove(at); }
                1 => letters.insert(at, letter),
                2 => letters[at] = letter,
                _ => letters.swap(at.min(4), at.min(4) + 1),
            }
            let misspelled: String = letters.into_iter().collect();
            if misspelled != word {
                proptest::prop_assert!(corrections(&misspelled, 0.8).iter().any(|one| one.text == word));
            }
        }
    }
}
