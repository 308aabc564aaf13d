//! Reading the candidates of a text search, and counting their lexemes.

use crate::server::types::Tsvector;
use passage_core::search::bm25::{Candidate, Idf, Occurrence};
use passage_core::search::{LexemeCounts, QueryLexemes, Subquery};
use std::collections::HashSet;
use uuid::Uuid;

/// The candidates that were read so far, and the counts of their lexemes.
pub struct MatchReader<'a> {
    lexemes: &'a QueryLexemes,
    seen: HashSet<Uuid>,
    pub ids: Vec<Uuid>,
    pub candidates: Vec<Candidate>,
    /// The number of rows of each subquery, and of rows with each lexeme.
    rows: Vec<u32>,
    rows_with: Vec<Vec<u32>>,
    /// For each lexeme the number of chunks that have it, if all of them were read.
    counted: Vec<Option<u32>>,
}

impl<'a> MatchReader<'a> {
    pub fn new(lexemes: &'a QueryLexemes) -> Self {
        let counted = vec![None; lexemes.list.len()];
        let (rows, rows_with) = Default::default();
        Self {
            lexemes,
            seen: HashSet::new(),
            ids: Vec::new(),
            candidates: Vec::new(),
            rows,
            rows_with,
            counted,
        }
    }

    /// Adds a chunk that a subquery found.
    pub fn add(&mut self, subquery: usize, id: Uuid, tsv: &Tsvector) {
        if self.rows.len() <= subquery {
            self.rows.resize(subquery + 1, 0);
            self.rows_with.resize(subquery + 1, vec![0; self.lexemes.list.len()]);
        }
        self.rows[subquery] += 1;
        let mut occurrences: Vec<Occurrence> = Vec::new();
        for (lexeme, text) in self.lexemes.list.iter().enumerate() {
            let before = occurrences.len();
            tsv.positions(text, |field, position| {
                occurrences.push(Occurrence { lexeme, field, position });
            });
            self.rows_with[subquery][lexeme] += u32::from(occurrences.len() > before);
        }
        if self.seen.insert(id) {
            self.ids.push(id);
            self.candidates.push(Candidate { length: tsv.length(), occurrences });
        }
    }

    /// Counts the lexemes of words whose chunks were all read.
    pub fn count(&mut self, subqueries: &[Subquery]) {
        for (index, subquery) in subqueries.iter().enumerate() {
            let rows = self.rows.get(index).copied().unwrap_or_default();
            if rows < subquery.limit {
                let word = |word: &usize| &self.lexemes.words[*word];
                let lexemes = subquery.complete_words.iter().map(word);
                for lexeme in lexemes.flat_map(|word| word.whole.iter().chain(&word.parts)) {
                    self.counted[*lexeme] =
                        Some(self.rows_with.get(index).map_or(0, |rows| rows[*lexeme]));
                }
            }
        }
        self.rows.clear();
        self.rows_with.clear();
    }

    /// Returns the number of chunks with each lexeme: by the counts of the reader, else by the statistics, else by
    /// the candidates.
    pub fn frequencies(&self, counts: Option<&LexemeCounts>) -> Vec<f64> {
        let among = |lexeme: usize| {
            let with = |candidate: &&Candidate| !candidate.occurrences_of(lexeme).is_empty();
            self.candidates.iter().filter(with).count() as f64
        };
        let frequency = |lexeme: usize| match (self.counted[lexeme], counts) {
            (Some(counted), _) => f64::from(counted),
            (None, Some(counts)) => counts.chunks_with[lexeme],
            (None, None) => among(lexeme),
        };
        (0..self.lexemes.list.len()).map(frequency).collect()
    }

    /// Returns the inverse document frequency of lexemes that so many chunks have.
    pub fn idf(&self, counts: Option<&LexemeCounts>, frequencies: &[f64]) -> Idf {
        let chunks = counts.map_or(self.candidates.len() as f64, |counts| counts.chunks);
        Idf::new(frequencies.iter().copied().fold(chunks, f64::max), frequencies)
    }
}
