/*!
Coverage: how many words of a query one chunk has.

A chunk with all of five words is hardly found by chance, so the words alone nearly decide. If the best chunk has
two of six, the query is phrased in other words than the text, and the embedding knows more. One word says little in
both cases. So the coverage weights the text leg when rankings are fused.
*/

use super::bm25::Candidate;
use super::lexemes::QueryLexemes;

/// Returns the number of the query's words that a chunk has, divided by one more than all words.
///
/// So it grows with the share of the words, and with their number. A chunk has a word if it has the whole or all of
/// its parts. A chunk that was found has at least one.
///
/// ```
/// use passage_core::search::{QueryLexemes, coverage};
/// use passage_core::search::bm25::{Candidate, Field, Occurrence};
///
/// let mut query = QueryLexemes::default();
/// for word in ["rotate", "log"] {
///     query.add(word, vec![word.to_owned()], vec![]);
/// }
/// let occurrence = |lexeme| Occurrence { lexeme, field: Field::Content, position: 1 };
/// let chunk = |lexemes: &[usize]| Candidate {
///     length: 9,
///     occurrences: lexemes.iter().copied().map(occurrence).collect(),
/// };
/// assert_eq!(coverage(&query, &chunk(&[0])), 1.0 / 3.0);
/// assert_eq!(coverage(&query, &chunk(&[0, 1])), 2.0 / 3.0);
/// ```
pub fn coverage(query: &QueryLexemes, chunk: &Candidate) -> f64 {
    let has = |lexemes: &[usize]| {
        !lexemes.is_empty()
            && lexemes.iter().all(|lexeme| !chunk.occurrences_of(*lexeme).is_empty())
    };
    let words = query.words.iter().filter(|word| has(&word.whole) || has(&word.parts));
    words.count().max(1) as f64 / (query.words.len() + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::bm25::{Field, Occurrence};

    fn chunk(lexemes: &[usize]) -> Candidate {
        let occurrence =
            |lexeme: &usize| Occurrence { lexeme: *lexeme, field: Field::Content, position: 1 };
        Candidate { length: 9, occurrences: lexemes.iter().map(occurrence).collect() }
    }

    #[test]
    fn more_words_and_a_larger_share_of_them_cover_more() {
        let words = ["a", "b", "c", "d", "e"];
        let weight = |count: usize, found: usize| {
            let found: Vec<_> = (0..found).collect();
            coverage(&QueryLexemes::of_words(&words[..count]), &chunk(&found))
        };
        assert!(weight(1, 1) < weight(2, 2) && weight(2, 2) < weight(5, 5));
        assert!(weight(5, 2) < weight(5, 4) && weight(5, 5) < 1.0);
    }

    #[test]
    fn a_compound_counts_once_by_the_whole_or_all_parts() {
        let mut query = QueryLexemes::default();
        query.add("getUser", vec!["getus".into()], vec!["get".into(), "user".into()]);
        query.add("id", vec!["id".into()], vec![]);
        let weight = |lexemes: &[usize]| coverage(&query, &chunk(lexemes));
        let expected = [2.0, 2.0, 1.0].map(|n| n / 3.0);
        for (found, expected) in
            [weight(&[0, 3]), weight(&[1, 2, 3]), weight(&[1, 3])].iter().zip(expected)
        {
            assert!((found - expected).abs() < f64::EPSILON);
        }
    }

    #[test]
    fn a_query_without_words_is_covered() {
        // The phrase of such a query has only stop words, but a chunk must have it.
        assert!((coverage(&QueryLexemes::default(), &chunk(&[])) - 1.0).abs() < f64::EPSILON);
    }
}
