/*!
Proximity: how close the words of a query are in a chunk.

Chunks with all words rank before those with most, and these before those with any. Within each class, rarer words
and closer words rank higher. Stop words are not lexemes and do not count.

Its twin in SQL is `sql/edition/fragments/rank.sql`.
*/

use crate::search::QueryLexemes;
use crate::search::bm25::{Candidate, Field, Idf};

/// The share of a query's words in a chunk, as a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coverage {
    /// At least one word.
    Any,
    /// More than half of the words.
    Most,
    /// All words.
    All,
}

impl Coverage {
    /// Returns the name in SQL results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Most => "most",
            Self::All => "all",
        }
    }
}

/// The proximity of a query's words in a chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proximity {
    /// The class of coverage.
    pub coverage: Coverage,
    /// The share of the query in the chunk, weighted by rarity, 0 to 1.
    pub share: f64,
    /// The share, of which half depends on proximity.
    pub score: f64,
    /// The length in words of the shortest window with all matched words; `None` with fewer than two
    /// words.
    pub distance: Option<u16>,
}

impl Proximity {
    /// Returns the sort key: coverage, then score.
    pub fn sort_key(&self) -> (Coverage, f64) {
        (self.coverage, self.score)
    }
}

/// The words of a query that each lexeme matches.
pub struct LexemeWords {
    /// The words of each lexeme, including variants.
    words: Vec<Vec<usize>>,
    /// The weight of each lexeme.
    lexemes: Vec<f64>,
    /// The weight of each word.
    weights: Vec<f64>,
}

impl LexemeWords {
    /// Creates the mapping. `variants` has the index of the query lexeme for each variant.
    pub fn new(lexemes: &QueryLexemes, variants: &[usize], idf: &Idf) -> Self {
        let mut words = vec![Vec::new(); lexemes.list.len()];
        for (index, word) in lexemes.words.iter().enumerate() {
            for lexeme in word.whole.iter().chain(&word.parts) {
                words[*lexeme].push(index);
            }
        }
        let first = lexemes.list.len() - variants.len();
        for (variant, origin) in variants.iter().enumerate() {
            let (own, variants) = words.split_at_mut(first);
            variants[variant].clone_from(&own[*origin]);
        }
        let rarest = |word: &crate::search::QueryWord| {
            let lexemes = word.whole.iter().chain(&word.parts);
            lexemes.map(|lexeme| idf.of(*lexeme)).fold(0.0, f64::max)
        };
        Self {
            words,
            lexemes: (0..lexemes.list.len()).map(|lexeme| idf.of(lexeme)).collect(),
            weights: lexemes.words.iter().map(rarest).collect(),
        }
    }

    /// Returns the words of a lexeme.
    pub fn of(&self, lexeme: usize) -> &[usize] {
        &self.words[lexeme]
    }

    /// Returns the weight of a word.
    pub fn weight(&self, word: usize) -> f64 {
        self.weights[word]
    }

    /// Returns the number of words.
    pub fn count(&self) -> usize {
        self.weights.len()
    }
}

/// Returns the proximity in a candidate, or `None` without any word.
pub fn proximity(candidate: &Candidate, words: &LexemeWords) -> Option<Proximity> {
    let mut has = vec![false; words.count()];
    let mut weights = vec![0.0_f64; words.count()];
    let mut positions: Vec<(u16, usize)> = Vec::new();
    for occurrence in &candidate.occurrences {
        for word in words.of(occurrence.lexeme) {
            has[*word] = true;
            weights[*word] = weights[*word].max(words.lexemes[occurrence.lexeme]);
            if occurrence.field == Field::Content {
                positions.push((occurrence.position, *word));
            }
        }
    }
    let matched = has.iter().filter(|has| **has).count();
    if matched == 0 {
        return None;
    }
    positions.sort_unstable();
    let (distance, near) = shortest(&positions, words.count());
    let all: f64 = words.weights.iter().sum();
    let share = if all > 0.0 { (weights.iter().sum::<f64>() / all).min(1.0) } else { 0.0 };
    let closeness = distance.map_or(0.0, |distance| near as f64 / f64::from(distance.max(1)));
    let coverage = match matched {
        matched if matched == words.count() => Coverage::All,
        matched if 2 * matched > words.count() => Coverage::Most,
        _ => Coverage::Any,
    };
    let score = share * (1.0 + closeness.min(1.0)) / 2.0;
    Some(Proximity { coverage, share, score, distance })
}

/// Returns the length of the shortest window with all words that occur, and the number of these
/// words.
fn shortest(positions: &[(u16, usize)], words: usize) -> (Option<u16>, usize) {
    let mut count = vec![0_usize; words];
    for (_, word) in positions {
        count[*word] += 1;
    }
    let distinct = count.iter().filter(|count| **count > 0).count();
    if distinct < 2 {
        return (None, distinct);
    }
    count.fill(0);
    let (mut first, mut inside, mut best) = (0, 0, None);
    for (position, word) in positions {
        inside += usize::from(count[*word] == 0);
        count[*word] += 1;
        while inside == distinct {
            let (start, leaving) = positions[first];
            let distance = position - start + 1;
            best = Some(best.map_or(distance, |best: u16| best.min(distance)));
            count[leaving] -= 1;
            inside -= usize::from(count[leaving] == 0);
            first += 1;
        }
    }
    (best, distinct)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::bm25::Occurrence;

    fn measured(positions: &[(usize, u16)], words: usize) -> Option<Proximity> {
        let mut lexemes = QueryLexemes::default();
        (0..words).for_each(|word| lexemes.add("w", vec![format!("w{word}")], vec![]));
        let idf = Idf::new(100.0, &vec![5.0; words]);
        let occurrence =
            |&(lexeme, position): &_| Occurrence { lexeme, field: Field::Content, position };
        let candidate =
            Candidate { length: 50, occurrences: positions.iter().map(occurrence).collect() };
        proximity(&candidate, &LexemeWords::new(&lexemes, &[], &idf))
    }

    #[test]
    fn all_words_rank_before_most_and_most_before_any() {
        let sort_key = |positions: &[(usize, u16)]| measured(positions, 3).unwrap().sort_key();
        let all = sort_key(&[(0, 1), (1, 40), (2, 90)]);
        let many = sort_key(&[(0, 1), (1, 2)]);
        let any = sort_key(&[(0, 1), (0, 2), (0, 3)]);
        assert!(all > many && many > any, "{all:?} {many:?} {any:?}");
        assert_eq!(measured(&[], 3), None);
    }

    #[test]
    fn closer_words_rank_higher() {
        let near = measured(&[(0, 1), (0, 30), (1, 31), (1, 60)], 2).unwrap();
        let far = measured(&[(0, 1), (1, 31)], 2).unwrap();
        assert_eq!((near.distance, far.distance), (Some(2), Some(31)));
        assert!(near.sort_key() > far.sort_key() && (near.score - 1.0).abs() < 1e-9);
        assert_eq!(measured(&[(0, 7)], 2).unwrap().distance, None);
    }
}
