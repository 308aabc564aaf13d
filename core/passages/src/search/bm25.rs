/*!
BM25 scores over fields, with term proximity.

A lexeme in the preamble, or as a part of a compound word, counts half of one in the content. The fields are added
before they saturate, and rare lexemes count more than common ones. Words that are near each other in the query and in
the chunk add to the score.

On all sets of `docs/benchmarks.md` but one, this ranks chunks at least as well as plain BM25 over preamble and content,
with k1 = 1.2 and b = 0.75. With b = 0.5 it did not, because long chunks won on articles, and section titles with half the
weight lost another point there.

# Source

Robertson and Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond* (2009), section 3.6,
for the fields; Rasolofo and Savoy, *Term Proximity Scoring for Keyword-Based Retrieval Systems* (2003),
for the proximity.

Its twin in SQL is `sql/edition/bm25.sql`.
*/

use super::QueryLexemes;
use std::borrow::Borrow;

/// The saturation of term frequency (k1).
const SATURATION: f64 = 1.2;

/// The weight of two adjacent query words that are adjacent in a chunk, relative to the rarer one.
const PROXIMITY: f64 = 0.5;

/// The maximum distance of near words.
const MAX_DISTANCE: u16 = 8;

/// The constants that depend on what is ranked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bm25 {
    /// The length normalization (b), 0 to 1.
    length: f64,
    /// The weight of a lexeme in a section title.
    section: f64,
}

impl Bm25 {
    /// For the chunks of a search.
    pub const CHUNKS: Self = Self { length: 0.75, section: 1.0 };

    /// For the lines of fragments, whose headings and lengths differ more.
    pub const LINES: Self = Self { length: 0.5, section: 0.5 };

    /// Returns the weight of a lexeme in a field.
    fn weight(self, field: Field) -> f64 {
        match field {
            Field::Content => 1.0,
            Field::Section => self.section,
            // The titles of the section are in the preamble too.
            Field::Preamble | Field::Part => 0.5,
        }
    }
}

/// The part of a chunk that contains a lexeme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The document's title or another part of the preamble.
    Preamble,
    /// The section titles.
    Section,
    /// The content.
    Content,
    /// A part of a compound word in the content.
    Part,
}

/// An occurrence of a query lexeme in a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The index of the lexeme.
    pub lexeme: usize,
    /// The field that contains it.
    pub field: Field,
    /// The position of the word in the chunk, from 1. Positions continue across fields.
    pub position: u16,
}

/// A candidate chunk for a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidate {
    /// The number of words.
    pub length: usize,
    /// The occurrences of query lexemes, by lexeme, then by position.
    pub occurrences: Vec<Occurrence>,
}

impl Candidate {
    /// Returns the occurrences of a lexeme.
    pub fn occurrences_of(&self, lexeme: usize) -> &[Occurrence] {
        let start = self.occurrences.partition_point(|one| one.lexeme < lexeme);
        let end = self.occurrences.partition_point(|one| one.lexeme <= lexeme);
        &self.occurrences[start..end]
    }
}

/// The inverse document frequency of each query lexeme.
///
/// ```
/// use passage_core::search::bm25::Idf;
///
/// let idf = Idf::new(1_000.0, &[900.0, 3.0]);
/// assert!(idf.of(1) > idf.of(0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Idf(Vec<f64>);

impl Idf {
    /// Computes the values from the number of chunks, and from the number with each lexeme.
    pub fn new(chunks: f64, frequencies: &[f64]) -> Self {
        let idf = |frequency: &f64| {
            let frequency = frequency.clamp(0.0, chunks);
            (1.0 + (chunks - frequency + 0.5) / (frequency + 0.5)).ln()
        };
        Self(frequencies.iter().map(idf).collect())
    }

    /// Appends a lexeme with a share of the value of another one.
    pub fn add_variant(&mut self, origin: usize, share: f64) {
        self.0.push(self.0[origin] * share);
    }

    /// Returns the value of a lexeme.
    pub fn of(&self, lexeme: usize) -> f64 {
        self.0[lexeme]
    }
}

/// Returns the score of each candidate. Higher is better; candidates with any query lexeme score above 0.
///
/// `lexemes` supplies the order of the query's words for proximity.
pub fn score_candidates<C: Borrow<Candidate>>(
    candidates: &[C],
    lexemes: &QueryLexemes,
    idf: &Idf,
    constants: Bm25,
) -> Vec<f64> {
    let total: usize = candidates.iter().map(|candidate| candidate.borrow().length).sum();
    let mean = (total as f64 / candidates.len().max(1) as f64).max(1.0);
    let score = |candidate: &Candidate| {
        let stretch = 1.0 + constants.length * (candidate.length as f64 / mean - 1.0);
        let each = candidate.occurrences.chunk_by(|one, next| one.lexeme == next.lexeme);
        let single = each.map(|occurrences| {
            let count: f64 =
                occurrences.iter().map(|occurrence| constants.weight(occurrence.field)).sum();
            let idf = idf.of(occurrences[0].lexeme);
            idf * count * (SATURATION + 1.0) / (count + SATURATION * stretch)
        });
        single.sum::<f64>() + proximity(candidate, lexemes, idf)
    };
    candidates.iter().map(|candidate| score(candidate.borrow())).collect()
}

/// Returns the proximity score of query words that are adjacent in the query.
fn proximity(candidate: &Candidate, lexemes: &QueryLexemes, idf: &Idf) -> f64 {
    let pairs = lexemes.words.windows(2).filter_map(|words| {
        let (a, b) = (*words[0].whole.last()?, *words[1].whole.first()?);
        let gap = gap(candidate.occurrences_of(a), candidate.occurrences_of(b))?;
        Some(PROXIMITY * idf.of(a).min(idf.of(b)) / f64::from(gap))
    });
    pairs.sum()
}

/// Returns the smallest distance of two lexemes in one field, up to the maximum.
fn gap(a: &[Occurrence], b: &[Occurrence]) -> Option<u16> {
    let mut best: Option<u16> = None;
    let (mut i, mut j) = (0, 0);
    while let (Some(first), Some(second)) = (a.get(i), b.get(j)) {
        let gap = first.position.abs_diff(second.position);
        if gap > 0 && gap <= MAX_DISTANCE && first.field == second.field {
            best = Some(best.map_or(gap, |best| best.min(gap)));
        }
        if first.position <= second.position { i += 1 } else { j += 1 }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chunk of content with lexemes at positions.
    fn chunk(length: usize, positions: &[(usize, u16)]) -> Candidate {
        let occurrence =
            |&(lexeme, position): &_| Occurrence { lexeme, field: Field::Content, position };
        Candidate { length, occurrences: positions.iter().map(occurrence).collect() }
    }

    fn ranked(candidates: &[Candidate], words: &[&str], frequencies: &[f64]) -> Vec<usize> {
        let idf = Idf::new(1_000.0, frequencies);
        let scores =
            score_candidates(candidates, &QueryLexemes::of_words(words), &idf, Bm25::CHUNKS);
        let mut order: Vec<_> = (0..candidates.len()).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        order
    }

    #[test]
    fn a_rare_word_scores_more_than_a_common_one() {
        let chunks = [chunk(100, &[(0, 3), (0, 9)]), chunk(100, &[(1, 3)])];
        assert_eq!(ranked(&chunks, &["common", "rare"], &[900.0, 2.0]), [1, 0]);
    }

    #[test]
    fn shorter_chunks_and_nearer_words_score_more() {
        let chunks = [chunk(100, &[(0, 1), (1, 60)]), chunk(40, &[(0, 1), (1, 39)])];
        assert_eq!(ranked(&chunks, &["a", "b"], &[9.0, 9.0]), [1, 0]);
        let chunks = [
            chunk(100, &[(0, 1), (1, 60)]),
            chunk(100, &[(0, 1), (1, 3)]),
            chunk(100, &[(0, 50), (1, 51)]),
        ];
        assert_eq!(ranked(&chunks, &["a", "b"], &[9.0, 9.0]), [2, 1, 0]);
    }

    #[test]
    fn any_matching_word_scores_above_zero() {
        let chunks = [chunk(100, &[(0, 1)]), chunk(100, &[])];
        let idf = Idf::new(2.0, &[2.0, 0.0]);
        let scores = score_candidates(
            &chunks,
            &QueryLexemes::of_words(&["everywhere", "nowhere"]),
            &idf,
            Bm25::CHUNKS,
        );
        assert!(scores[0] > 0.0, "{scores:?}");
        assert!(scores[1].abs() < f64::EPSILON);
    }

    #[test]
    fn words_in_different_fields_are_not_near() {
        let title = Occurrence { lexeme: 0, field: Field::Section, position: 4 };
        let content = Occurrence { lexeme: 1, field: Field::Content, position: 5 };
        assert_eq!(gap(&[title], &[content]), None);
        let content = Occurrence { field: Field::Content, ..title };
        assert_eq!(gap(&[content], &[Occurrence { lexeme: 1, position: 5, ..content }]), Some(1));
    }
}
