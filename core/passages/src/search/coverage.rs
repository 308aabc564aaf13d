/*!
Coverage: which share of a query one chunk has.

A chunk with all of five words is hardly found by chance, so the words alone nearly decide. If the best chunk has
two of six, the query is phrased in other words than the text, and the embedding knows more. So the coverage of the best
chunk weights the words when rankings are fused, and the coverage of each chunk adds to its score.

Words count by their rarity: a chunk that lacks only "effect" of "effect of metformin" has nearly all that was asked for.

Its twin in SQL is `sql/edition/bm25.sql`.
*/

use super::bm25::{Candidate, Idf};
use super::lexemes::{QueryLexemes, QueryWord};

/// Returns the share of the query's words that a chunk has, 0 to 1, each word by its inverse document frequency.
///
/// A chunk has a word if it has the whole or all of its parts. A query without words is covered: its phrase has only stop
/// words, but a chunk must have it.
///
/// ```
/// use passage_core::search::{QueryLexemes, coverage};
/// use passage_core::search::bm25::{Candidate, Field, Idf, Occurrence};
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
/// let idf = Idf::new(1_000.0, &[7.0, 7.0]);
/// assert_eq!(coverage(&query, &idf, &chunk(&[0])), 0.5);
/// assert_eq!(coverage(&query, &idf, &chunk(&[0, 1])), 1.0);
/// ```
pub fn coverage(query: &QueryLexemes, idf: &Idf, chunk: &Candidate) -> f64 {
    let has = |lexemes: &[usize]| {
        !lexemes.is_empty()
            && lexemes.iter().all(|lexeme| !chunk.occurrences_of(*lexeme).is_empty())
    };
    let (mut found, mut all) = (0.0, 0.0);
    for word in &query.words {
        let weight = weight(word, idf);
        all += weight;
        if has(&word.whole) || has(&word.parts) {
            found += weight;
        }
    }
    if all > 0.0 { found / all } else { 1.0 }
}

/// Returns the inverse document frequency of a word: that of its rarest lexeme.
fn weight(word: &QueryWord, idf: &Idf) -> f64 {
    let lexemes = if word.whole.is_empty() { &word.parts } else { &word.whole };
    lexemes.iter().map(|lexeme| idf.of(*lexeme)).fold(0.0, f64::max)
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
    fn a_rare_word_covers_more_than_a_common_one() {
        let query = QueryLexemes::of_words(&["effect", "metformin"]);
        let idf = Idf::new(1_000.0, &[400.0, 3.0]);
        let share = |lexemes: &[usize]| coverage(&query, &idf, &chunk(lexemes));
        assert!(share(&[1]) > 0.8 && share(&[0]) < 0.2, "{} {}", share(&[1]), share(&[0]));
        assert!((share(&[0, 1]) - 1.0).abs() < f64::EPSILON);
        assert!(share(&[]).abs() < f64::EPSILON);
    }

    #[test]
    fn a_compound_counts_once_by_the_whole_or_all_parts() {
        let mut query = QueryLexemes::default();
        query.add("getUser", vec!["getus".into()], vec!["get".into(), "user".into()]);
        query.add("id", vec!["id".into()], vec![]);
        let idf = Idf::new(1_000.0, &[9.0; 4]);
        let share = |lexemes: &[usize]| coverage(&query, &idf, &chunk(lexemes));
        for (found, expected) in
            [share(&[0, 3]), share(&[1, 2, 3]), share(&[1, 3])].iter().zip([1.0, 1.0, 0.5])
        {
            assert!((found - expected).abs() < f64::EPSILON);
        }
    }

    #[test]
    fn a_query_without_words_is_covered() {
        let covered = coverage(&QueryLexemes::default(), &Idf::new(9.0, &[]), &chunk(&[]));
        assert!((covered - 1.0).abs() < f64::EPSILON);
    }
}
