//! The lexemes of a query in the chunks of a document, and the words that begin with them.

use crate::store::Words;
use passage_core::fragments::{MatchKind, TermVariant, can_be_prefix};
use passage_core::search::QueryLexemes;
use passage_core::search::bm25::{Candidate, Occurrence};
use std::collections::{HashMap, HashSet};

/// The most words that stand for those of a query by how they begin.
const MOST: usize = 500;

/// What was found so far. Each chunk is gone through once, for there may be thousands.
pub struct Read<'q, 'c> {
    lexemes: &'q QueryLexemes,
    /// For each lexeme, the variants that begin with it, by their places.
    places: Vec<HashMap<&'c str, usize>>,
    pub variants: Vec<TermVariant>,
    /// What each chunk has of the query.
    pub candidates: Vec<Candidate>,
    /// How many chunks have each lexeme.
    pub frequencies: Vec<f64>,
}

impl<'q, 'c> Read<'q, 'c> {
    pub fn new(lexemes: &'q QueryLexemes) -> Self {
        let count = lexemes.list.len();
        Self {
            lexemes,
            places: vec![HashMap::new(); count],
            variants: Vec::new(),
            candidates: Vec::new(),
            frequencies: vec![0.0; count],
        }
    }

    /// Adds a chunk.
    pub fn add(&mut self, Words { tokens, tsv: words, .. }: &Words<'c>) {
        let own = self.lexemes.list.len();
        let mut occurrences = Vec::new();
        for (of, lexeme) in self.lexemes.list.iter().enumerate() {
            let (variants, places) = (&mut self.variants, &mut self.places[of]);
            let mut add = |lexeme, place| {
                words.walk(place, |field, position| {
                    occurrences.push(Occurrence { lexeme, field, position });
                });
            };
            words.beginning(lexeme, |text, place| {
                if text == lexeme {
                    self.frequencies[of] += 1.0;
                    add(of, place);
                } else if let Some(variant) = places.get(text) {
                    add(own + variant, place);
                } else if can_be_prefix(lexeme) && variants.len() < MOST {
                    places.insert(text, variants.len());
                    add(own + variants.len(), place);
                    variants.push(TermVariant {
                        of,
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
        // What the store counts in a chunk stands for its words; to count those takes longer.
        let length = tokens.map_or_else(|| words.length(), |tokens| tokens.max(0) as usize);
        self.candidates.push(Candidate { length, occurrences });
    }

    /// Adds words that stand for others, and looks for them in the same chunks.
    pub fn add_variants(&mut self, variants: Vec<TermVariant>, rows: &[Words]) {
        let own = self.lexemes.list.len() + self.variants.len();
        for (candidate, row) in self.candidates.iter_mut().zip(rows) {
            for (place, variant) in variants.iter().enumerate() {
                row.tsv.positions(&variant.lexeme, |field, position| {
                    let lexeme = own + place;
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

    /// Returns the lexemes that some chunk has, or a word that begins with them.
    pub fn present(&self) -> HashSet<usize> {
        let exact = (0..self.frequencies.len()).filter(|lexeme| self.frequencies[*lexeme] > 0.0);
        exact.chain(self.variants.iter().map(|variant| variant.of)).collect()
    }
}
