/*!
Which words of a store stand for a word of the query.

A word that begins with it does, and where there is neither the word itself nor one that begins with
it, a word that is alike enough.
*/

use super::terms::{MatchKind, TermVariant};
use super::word_similarity::word_similarity;
use crate::search::QueryLexemes;
use std::collections::BTreeSet;

/// The least characters that are taken for the beginning of other words.
const BEGINNING: usize = 3;

/// The most words that stand for one.
const MOST: usize = 50;

/// Tells whether other words may begin with this one.
pub fn can_be_prefix(lexeme: &str) -> bool {
    lexeme.chars().nth(BEGINNING - 1).is_some()
}

/// Lists the words of a vocabulary that begin with lexemes of the query.
pub fn words_with_prefix(lexemes: &QueryLexemes, vocabulary: &BTreeSet<&str>) -> Vec<TermVariant> {
    let variants = lexemes.list.iter().enumerate().flat_map(|(of, lexeme)| {
        let words =
            vocabulary.range(lexeme.as_str()..).take_while(move |word| word.starts_with(lexeme));
        let words = words.filter(move |word| **word != lexeme && can_be_prefix(lexeme)).take(MOST);
        words.map(move |word| TermVariant {
            of,
            lexeme: (*word).to_owned(),
            kind: MatchKind::Prefix,
        })
    });
    variants.collect()
}

/// Lists the words of a vocabulary that are alike to some lexemes of the query, given by their
/// places.
pub fn similar_words<'v>(
    lexemes: &QueryLexemes,
    places: &[usize],
    vocabulary: impl IntoIterator<Item = &'v str>,
    threshold: f64,
) -> Vec<TermVariant> {
    let wanted: Vec<_> = places.iter().map(|of| (*of, Letters::of(&lexemes.list[*of]))).collect();
    let mut variants = Vec::new();
    for word in vocabulary {
        let letters = Letters::of(word);
        for (of, asked) in &wanted {
            let lexeme = &lexemes.list[*of];
            if word != lexeme && asked.may_be(&letters, threshold) {
                let likeness = word_similarity(lexeme, word);
                if likeness >= threshold {
                    let kind = MatchKind::Fuzzy(likeness);
                    variants.push(TermVariant { of: *of, lexeme: word.to_owned(), kind });
                }
            }
        }
    }
    let by = |variant: &TermVariant| match variant.kind {
        MatchKind::Fuzzy(likeness) => likeness,
        _ => 1.0,
    };
    variants.sort_by(|a, b| by(b).total_cmp(&by(a)).then_with(|| a.lexeme.cmp(&b.lexeme)));
    variants.truncate(MOST);
    variants
}

/// Returns the words of a query, by their places, none of whose lexemes is among some.
pub fn unmatched_words(lexemes: &QueryLexemes, is_found: impl Fn(usize) -> bool) -> Vec<usize> {
    let has = |lexemes: &[usize]| lexemes.iter().any(|lexeme| is_found(*lexeme));
    let words = lexemes.words.iter().enumerate();
    let lost = words.filter(|(_, word)| !has(&word.whole) && !has(&word.parts));
    lost.map(|(place, _)| place).collect()
}

/// What tells soon that two words are not alike: how long they are, and which letters they have.
struct Letters {
    length: usize,
    set: u64,
}

impl Letters {
    fn of(word: &str) -> Self {
        let mut letters = Self { length: 0, set: 0 };
        for letter in word.chars() {
            letters.length += 1;
            letters.set |= 1 << (u32::from(letter) % 64);
        }
        letters
    }

    /// Each letter that the other word lacks takes a trigram and has to be changed.
    fn may_be(&self, other: &Self, threshold: f64) -> bool {
        let longer = self.length.max(other.length);
        let lost = (self.set & !other.set).count_ones().max((other.set & !self.set).count_ones());
        let lost = (lost as usize).max(longer - self.length.min(other.length));
        lost as f64 <= (1.0 - threshold) * (longer + 1) as f64 + 1e-9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(words: &[&str]) -> QueryLexemes {
        let mut lexemes = QueryLexemes::default();
        for word in words {
            lexemes.add(vec![(*word).to_owned()], vec![]);
        }
        lexemes
    }

    fn vocabulary<'w>(words: &[&'w str]) -> BTreeSet<&'w str> {
        words.iter().copied().collect()
    }

    fn words(variants: &[TermVariant]) -> Vec<&str> {
        variants.iter().map(|variant| variant.lexeme.as_str()).collect()
    }

    #[test]
    fn a_word_stands_for_its_beginning() {
        let store = vocabulary(&["config", "configur", "conf", "reconfig", "a", "ab"]);
        assert_eq!(words(&words_with_prefix(&query(&["config", "a"]), &store)), ["configur"]);
    }

    #[test]
    fn a_word_with_a_slip_finds_what_it_means() {
        let store = vocabulary(&["kubernet", "kubern", "postgr", "timeout", "timeouts"]);
        let lexemes = query(&["kubrenet", "timeuot"]);
        assert_eq!(words(&similar_words(&lexemes, &[0], store.iter().copied(), 0.8)), ["kubernet"]);
        assert_eq!(
            words(&similar_words(&lexemes, &[0, 1], store.iter().copied(), 0.8)),
            ["kubernet", "timeout"]
        );
        assert!(similar_words(&lexemes, &[0, 1], store.iter().copied(), 0.95).is_empty());
    }

    #[test]
    fn words_are_missing_where_none_of_their_lexemes_is() {
        let mut lexemes = query(&["one", "two"]);
        lexemes.add(vec!["getus".to_owned()], vec!["get".to_owned(), "user".to_owned()]);
        assert_eq!(unmatched_words(&lexemes, |lexeme| [0, 4].contains(&lexeme)), [1]);
    }

    proptest::proptest! {
        #[test]
        fn no_word_that_is_alike_is_passed_over(one in "[a-e]{1,9}", other in "[a-e]{1,9}", threshold in 0.3_f64..1.0) {
            let alike = !similar_words(&query(&[&one]), &[0], [other.as_str()], threshold).is_empty();
            proptest::prop_assert_eq!(alike, one != other && word_similarity(&one, &other) >= threshold);
        }
    }
}
