//! Reading the lexemes of a query, and words that begin with them, from the chunks of a document.

use crate::store::ChunkLexemes;
use passage_core::fragments::{MatchKind, TermVariant, can_be_prefix};
use passage_core::search::bm25::{Candidate, Occurrence};
use passage_core::search::{QueryLexemes, is_syllable};
use std::collections::{HashMap, HashSet};

/// The maximum number of words that match lexemes of a query by their prefix.
const MAX_PREFIX_VARIANTS: usize = 500;

/// The matches that were read so far. Each chunk is read once, since there may be thousands.
pub struct LexemeReader<'q, 'c> {
    lexemes: &'q QueryLexemes,
    /// For each lexeme, the variants that begin with it, with their indexes.
    indexes: Vec<HashMap<&'c str, usize>>,
    pub variants: Vec<TermVariant>,
    /// The occurrences in each chunk.
    pub candidates: Vec<Candidate>,
    /// The number of chunks that have each lexeme.
    pub frequencies: Vec<f64>,
}

impl<'q, 'c> LexemeReader<'q, 'c> {
    pub fn new(lexemes: &'q QueryLexemes) -> Self {
        let count = lexemes.list.len();
        Self {
            lexemes,
            indexes: vec![HashMap::new(); count],
            variants: Vec::new(),
            candidates: Vec::new(),
            frequencies: vec![0.0; count],
        }
    }

    /// Adds a chunk.
    pub fn add(&mut self, ChunkLexemes { tokens, tsv, .. }: &ChunkLexemes<'c>) {
        let own = self.lexemes.list.len();
        let mut occurrences = Vec::new();
        for (origin, lexeme) in self.lexemes.list.iter().enumerate() {
            let (variants, indexes) = (&mut self.variants, &mut self.indexes[origin]);
            let mut add = |lexeme, index| {
                tsv.positions_at(index, |field, position| {
                    occurrences.push(Occurrence { lexeme, field, position });
                });
            };
            let is_syllable = is_syllable(lexeme);
            let mut is_counted = false;
            tsv.with_prefix(lexeme, |text, index| {
                if text == lexeme || is_syllable {
                    self.frequencies[origin] += if is_counted { 0.0 } else { 1.0 };
                    is_counted = true;
                    add(origin, index);
                } else if let Some(variant) = indexes.get(text) {
                    add(own + variant, index);
                } else if can_be_prefix(lexeme) && variants.len() < MAX_PREFIX_VARIANTS {
                    indexes.insert(text, variants.len());
                    add(own + variants.len(), index);
                    variants.push(TermVariant {
                        origin,
                        lexeme: text.to_owned(),
                        kind: MatchKind::Prefix,
                    });
                }
            });
        }
        if occurrences.is_empty() {
            self.candidates.push(Candidate::default());
            return;
        }
        occurrences.sort_unstable_by_key(|one| (one.lexeme, one.position));
        // The stored number of tokens approximates the number of words; counting them takes longer.
        let length = tokens.map_or_else(|| tsv.length(), |tokens| tokens.max(0) as usize);
        self.candidates.push(Candidate { length, occurrences });
    }

    /// Adds variants of lexemes, and their occurrences in the same chunks.
    pub fn add_variants(&mut self, variants: Vec<TermVariant>, rows: &[ChunkLexemes]) {
        let own = self.lexemes.list.len() + self.variants.len();
        for (candidate, row) in self.candidates.iter_mut().zip(rows) {
            for (index, variant) in variants.iter().enumerate() {
                row.tsv.positions(&variant.lexeme, |field, position| {
                    let lexeme = own + index;
                    candidate.occurrences.push(Occurrence { lexeme, field, position });
                });
            }
            if candidate.length == 0 && !candidate.occurrences.is_empty() {
                candidate.length =
                    row.tokens.map_or_else(|| row.tsv.length(), |tokens| tokens.max(0) as usize);
            }
        }
        self.variants.extend(variants);
    }

    /// Returns the lexemes that occur in a chunk, themselves or as a prefix.
    pub fn present(&self) -> HashSet<usize> {
        let exact = (0..self.frequencies.len()).filter(|lexeme| self.frequencies[*lexeme] > 0.0);
        exact.chain(self.variants.iter().map(|variant| variant.origin)).collect()
    }
}
