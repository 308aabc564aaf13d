/*!
What a chunk is worth for the words of a query.

BM25 over fields: a lexeme in a title counts for more than one in the content, all fields are added
up before they saturate, and a rare lexeme is worth more than a common one. Words that stand beside
each other in the query and in the chunk are worth something more, the nearer the more.

# Source

Robertson and Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond* (2009), section 3.6
for the fields; Rasolofo and Savoy, *Term Proximity Scoring for Keyword-Based Retrieval Systems*
(2003), for the nearness.
*/

use super::QueryLexemes;
use std::borrow::Borrow;

/// How soon more of a lexeme is worth no more.
const SATURATION: f64 = 1.2;

/// How much a long chunk loses, from 0 to 1.
const LENGTH: f64 = 0.5;

/// What two neighbours of the query that stand side by side are worth, beside the rarer of the two.
const NEARNESS: f64 = 0.5;

/// How far apart they may stand.
const NEAR: u16 = 8;

/// Where in a chunk a lexeme stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// In the title of the document or another part of the preamble.
    Preamble,
    /// In the titles of the section.
    Section,
    /// In the content.
    Content,
    /// In the content, as a part of a compound word.
    Part,
}

impl Field {
    /// What a lexeme counts for there.
    fn weight(self) -> f64 {
        match self {
            Self::Content => 1.0,
            Self::Preamble | Self::Section | Self::Part => 0.5,
        }
    }
}

/// A lexeme of the query in a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The lexeme, by its place in the list.
    pub lexeme: usize,
    /// Where it stands.
    pub field: Field,
    /// Which word of the chunk it is, from 1; fields follow one another.
    pub position: u16,
}

/// A chunk that may answer a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidate {
    /// How many words it has.
    pub length: usize,
    /// The lexemes of the query in it, by lexeme and then by position.
    pub occurrences: Vec<Occurrence>,
}

impl Candidate {
    /// Returns where a lexeme stands.
    pub fn occurrences_of(&self, lexeme: usize) -> &[Occurrence] {
        let start = self.occurrences.partition_point(|one| one.lexeme < lexeme);
        let end = self.occurrences.partition_point(|one| one.lexeme <= lexeme);
        &self.occurrences[start..end]
    }
}

/// How rare the lexemes of a query are.
#[derive(Clone, Debug, PartialEq)]
pub struct Idf(Vec<f64>);

impl Idf {
    /// Takes how many chunks there are, and how many of them have each lexeme.
    pub fn new(chunks: f64, frequencies: &[f64]) -> Self {
        let idf = |frequency: &f64| {
            let frequency = frequency.clamp(0.0, chunks);
            (1.0 + (chunks - frequency + 0.5) / (frequency + 0.5)).ln()
        };
        Self(frequencies.iter().map(idf).collect())
    }

    /// Adds a lexeme that is worth a share of another one.
    pub fn add_variant(&mut self, of: usize, share: f64) {
        self.0.push(self.0[of] * share);
    }

    /// Returns the rarity of a lexeme.
    pub fn of(&self, lexeme: usize) -> f64 {
        self.0[lexeme]
    }
}

/// Scores chunks, higher being better, above 0 if they have any lexeme of the query.
pub fn score_candidates<C: Borrow<Candidate>>(
    candidates: &[C],
    lexemes: &QueryLexemes,
    idf: &Idf,
) -> Vec<f64> {
    let total: usize = candidates.iter().map(|candidate| candidate.borrow().length).sum();
    let mean = (total as f64 / candidates.len().max(1) as f64).max(1.0);
    let score = |candidate: &Candidate| {
        let stretch = 1.0 - LENGTH + LENGTH * candidate.length as f64 / mean;
        let each = candidate.occurrences.chunk_by(|one, next| one.lexeme == next.lexeme);
        let single = each.map(|found| {
            let count: f64 = found.iter().map(|found| found.field.weight()).sum();
            let idf = idf.of(found[0].lexeme);
            idf * count * (SATURATION + 1.0) / (count + SATURATION * stretch)
        });
        single.sum::<f64>() + nearness(candidate, lexemes, idf)
    };
    candidates.iter().map(|candidate| score(candidate.borrow())).collect()
}

/// What it is worth that neighbours of the query are near each other.
fn nearness(candidate: &Candidate, lexemes: &QueryLexemes, idf: &Idf) -> f64 {
    let pairs = lexemes.words.windows(2).filter_map(|words| {
        let (a, b) = (*words[0].whole.last()?, *words[1].whole.first()?);
        let gap = gap(candidate.occurrences_of(a), candidate.occurrences_of(b))?;
        Some(NEARNESS * idf.of(a).min(idf.of(b)) / f64::from(gap))
    });
    pairs.sum()
}

/// The smallest distance of two lexemes in one field, if they are near.
fn gap(a: &[Occurrence], b: &[Occurrence]) -> Option<u16> {
    let mut best: Option<u16> = None;
    let (mut i, mut j) = (0, 0);
    while let (Some(first), Some(second)) = (a.get(i), b.get(j)) {
        let gap = first.position.abs_diff(second.position);
        if gap > 0 && gap <= NEAR && first.field == second.field {
            best = Some(best.map_or(gap, |best| best.min(gap)));
        }
        if first.position <= second.position { i += 1 } else { j += 1 }
    }
    best
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

    /// A chunk of content with lexemes at positions.
    fn chunk(length: usize, places: &[(usize, u16)]) -> Candidate {
        let occurrence =
            |&(lexeme, position): &_| Occurrence { lexeme, field: Field::Content, position };
        Candidate { length, occurrences: places.iter().map(occurrence).collect() }
    }

    fn ranked(candidates: &[Candidate], words: &[&str], frequencies: &[f64]) -> Vec<usize> {
        let idf = Idf::new(1_000.0, frequencies);
        let scores = score_candidates(candidates, &query(words), &idf);
        let mut places: Vec<_> = (0..candidates.len()).collect();
        places.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        places
    }

    #[test]
    fn a_rare_word_is_worth_more_than_a_common_one() {
        let chunks = [chunk(100, &[(0, 3), (0, 9)]), chunk(100, &[(1, 3)])];
        assert_eq!(ranked(&chunks, &["common", "rare"], &[900.0, 2.0]), [1, 0]);
    }

    #[test]
    fn of_the_same_words_the_shorter_chunk_and_the_nearer_words_win() {
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
    fn what_has_any_word_scores_above_nothing() {
        let chunks = [chunk(100, &[(0, 1)]), chunk(100, &[])];
        let idf = Idf::new(2.0, &[2.0, 0.0]);
        let scores = score_candidates(&chunks, &query(&["everywhere", "nowhere"]), &idf);
        assert!(scores[0] > 0.0, "{scores:?}");
        assert!(scores[1].abs() < f64::EPSILON);
    }

    #[test]
    fn words_of_two_fields_are_not_near() {
        let title = Occurrence { lexeme: 0, field: Field::Section, position: 4 };
        let content = Occurrence { lexeme: 1, field: Field::Content, position: 5 };
        assert_eq!(gap(&[title], &[content]), None);
        let content = Occurrence { field: Field::Content, ..title };
        assert_eq!(gap(&[content], &[Occurrence { lexeme: 1, position: 5, ..content }]), Some(1));
    }
}
