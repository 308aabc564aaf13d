/*!
Variants: words of a store that match a word of the query.

A word with the query word as prefix matches. If neither the word nor a longer one exists, a similar word
matches.

Its twin in SQL is `sql/edition/fragments/terms.sql`.
*/

use super::terms::{MatchKind, TermVariant};
use super::word_similarity::word_similarity;
use crate::search::{QueryLexemes, is_unspaced_run};
use std::collections::BTreeSet;

/// The minimum length of a prefix, in characters.
const MIN_PREFIX: usize = 3;

/// The maximum number of variants of a word.
const MAX_VARIANTS: usize = 50;

/// Returns whether a lexeme is long enough to match as a prefix, that is, at least 3 characters.
///
/// ```
/// use passage_core::fragments::can_be_prefix;
///
/// assert!(can_be_prefix("ind") && !can_be_prefix("in"));
/// ```
pub fn can_be_prefix(lexeme: &str) -> bool {
    lexeme.chars().nth(MIN_PREFIX - 1).is_some()
}

/// Returns the words of a vocabulary that begin with lexemes of the query, at most 50 for each.
pub fn words_with_prefix(lexemes: &QueryLexemes, vocabulary: &BTreeSet<&str>) -> Vec<TermVariant> {
    let variants = lexemes.list.iter().enumerate().flat_map(|(origin, lexeme)| {
        let words =
            vocabulary.range(lexeme.as_str()..).take_while(move |word| word.starts_with(lexeme));
        let words =
            words.filter(move |word| **word != lexeme && can_be_prefix(lexeme)).take(MAX_VARIANTS);
        words.map(move |word| TermVariant {
            origin,
            lexeme: (*word).to_owned(),
            kind: MatchKind::Prefix,
        })
    });
    variants.collect()
}

/// Returns the words of a vocabulary that are similar to lexemes of the query, at most 50, best first.
///
/// `indexes` are those of the lexemes; `threshold` is the minimum similarity, 0 to 1.
pub fn similar_words<'v>(
    lexemes: &QueryLexemes,
    indexes: &[usize],
    vocabulary: impl IntoIterator<Item = &'v str>,
    threshold: f64,
) -> Vec<TermVariant> {
    let lexeme_letters: Vec<_> =
        indexes.iter().map(|index| (*index, Letters::of(&lexemes.list[*index]))).collect();
    let mut variants = Vec::new();
    for word in vocabulary {
        let letters = Letters::of(word);
        for (origin, asked) in &lexeme_letters {
            let lexeme = &lexemes.list[*origin];
            if word != lexeme && asked.may_be(&letters, threshold) {
                let likeness = word_similarity(lexeme, word);
                if likeness >= threshold {
                    let kind = MatchKind::Fuzzy(likeness);
                    variants.push(TermVariant { origin: *origin, lexeme: word.to_owned(), kind });
                }
            }
        }
    }
    let by = |variant: &TermVariant| match variant.kind {
        MatchKind::Fuzzy(likeness) => likeness,
        _ => 1.0,
    };
    variants.sort_by(|a, b| by(b).total_cmp(&by(a)).then_with(|| a.lexeme.cmp(&b.lexeme)));
    variants.truncate(MAX_VARIANTS);
    variants
}

/// Returns the indexes of the query's words without any lexeme for which `is_found` is true.
///
/// Most pairs of a run without spaces cross the end of a word, so a missing one does not count as misspelled.
pub fn unmatched_words(lexemes: &QueryLexemes, is_found: impl Fn(usize) -> bool) -> Vec<usize> {
    let has = |lexemes: &[usize]| lexemes.iter().any(|lexeme| is_found(*lexeme));
    let words = lexemes.words.iter().enumerate();
    let lost = words
        .filter(|(_, word)| !has(&word.whole) && !has(&word.parts) && !is_unspaced_run(&word.text));
    lost.map(|(index, _)| index).collect()
}

/// The length and the letter set of a word. They quickly exclude words that are not similar.
struct Letters<'w> {
    word: &'w str,
    length: usize,
    set: u64,
}

impl<'w> Letters<'w> {
    fn of(word: &'w str) -> Self {
        let mut letters = Self { word, length: 0, set: 0 };
        for letter in word.chars() {
            letters.length += 1;
            // A trigram has no other characters.
            letters.set |= u64::from(letter.is_alphanumeric()) << (u32::from(letter) % 64);
        }
        letters
    }

    /// Returns whether two words may reach a threshold. Each letter missing in the other word costs a trigram
    /// and an edit. So does each letter that a word is longer, unless its trigrams are repeated ones.
    fn may_be(&self, other: &Self, threshold: f64) -> bool {
        let (longer, shorter) =
            if self.length < other.length { (other, self) } else { (self, other) };
        let max_lost = (1.0 - threshold) * (longer.length + 1) as f64 + 1e-9;
        let lost = (self.set & !other.set).count_ones().max((other.set & !self.set).count_ones());
        f64::from(lost) <= max_lost
            && ((longer.length - shorter.length) as f64 <= max_lost || longer.may_repeat_trigrams())
    }

    /// Returns whether the word may have fewer different trigrams than one more than it has letters.
    fn may_repeat_trigrams(&self) -> bool {
        let pairs = || self.word.as_bytes().windows(2);
        pairs().enumerate().any(|(index, pair)| pairs().skip(index + 1).any(|other| other == pair))
            || !self.word.chars().all(char::is_alphanumeric)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary<'w>(words: &[&'w str]) -> BTreeSet<&'w str> {
        words.iter().copied().collect()
    }

    fn words(variants: &[TermVariant]) -> Vec<&str> {
        variants.iter().map(|variant| variant.lexeme.as_str()).collect()
    }

    #[test]
    fn a_word_matches_its_prefix() {
        let store = vocabulary(&["config", "configur", "conf", "reconfig", "a", "ab"]);
        assert_eq!(
            words(&words_with_prefix(&QueryLexemes::of_words(&["config", "a"]), &store)),
            ["configur"]
        );
    }

    #[test]
    fn a_misspelled_word_matches_the_intended_one() {
        let store = vocabulary(&["kubernet", "kubern", "postgr", "timeout", "timeouts"]);
        let lexemes = QueryLexemes::of_words(&["kubrenet", "timeuot"]);
        assert_eq!(words(&similar_words(&lexemes, &[0], store.iter().copied(), 0.8)), ["kubernet"]);
        assert_eq!(
            words(&similar_words(&lexemes, &[0, 1], store.iter().copied(), 0.8)),
            ["kubernet", "timeout"]
        );
        assert!(similar_words(&lexemes, &[0, 1], store.iter().copied(), 0.95).is_empty());
    }

    #[test]
    fn words_without_any_found_lexeme_are_unmatched() {
        let mut lexemes = QueryLexemes::of_words(&["one", "two"]);
        lexemes.add("getUser", vec!["getus".to_owned()], vec!["get".to_owned(), "user".to_owned()]);
        assert_eq!(unmatched_words(&lexemes, |lexeme| [0, 4].contains(&lexeme)), [1]);
    }

    #[test]
    fn a_longer_word_of_repeated_trigrams_is_similar() {
        let lexemes = QueryLexemes::of_words(&["ccccd"]);
        assert_eq!(similar_words(&lexemes, &[0], ["ccd"], 0.75).len(), 1);
    }

    proptest::proptest! {
        #[test]
        fn the_letter_filter_never_excludes_a_similar_word(one in "[a-e-]{1,9}", other in "[a-e-]{1,9}", threshold in 0.3_f64..1.0) {
            let alike = !similar_words(&QueryLexemes::of_words(&[&one]), &[0], [other.as_str()], threshold).is_empty();
            proptest::prop_assert_eq!(alike, one != other && word_similarity(&one, &other) >= threshold);
        }
    }
}
