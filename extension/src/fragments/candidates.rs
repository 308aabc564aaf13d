/*!
The chunks that may answer a query: by its words, by similar words, and by the embedding.

In a given document all chunks are read; in a store the full-text index finds them.

Its twin in SQL is `sql/edition/fragments/candidates.sql`.
*/

mod in_document;
mod in_store;
mod lexeme_reader;

use crate::server::error::Error;
use crate::server::spi::Connection;
use crate::server::types::Tsvector;
use crate::store::{Filters, NamedDocument, QueryEmbedding, Store};
use passage_core::fragments::{
    Coverage, FragmentCandidate, FragmentStrategy, MatchKind, QueryTerms, RankedChunk, TermVariant,
    rank_chunks,
};
use passage_core::search::bm25::Idf;
use passage_core::search::{QueryLexemes, SearchQuery};
use std::collections::HashMap;
use uuid::Uuid;

/// The conditions by which candidates are found.
pub struct CandidateQuery<'a> {
    pub named: Option<&'a NamedDocument>,
    pub filters: &'a Filters,
    pub words: &'a SearchQuery,
    pub embedding: Option<&'a QueryEmbedding>,
    pub strategy: FragmentStrategy,
    pub fuzzy_threshold: f64,
}

/// Chunks that may answer a query.
pub struct Candidates {
    /// The ids of the chunks.
    pub ids: Vec<Uuid>,
    /// How each chunk matches the query.
    pub list: Vec<FragmentCandidate>,
    pub terms: QueryTerms,
    /// The number of words of the query for which no chunk has a word, nor a similar one.
    unmatched: usize,
    /// Whether the phrases of the query were dropped, since no chunk has them.
    without_phrases: bool,
    /// The positions of the chunks of the document that were read.
    positions: HashMap<Uuid, Position>,
}

/// An ordinal, and the document and key of a section.
type Position = (Option<i32>, Option<(u128, i64)>);

/// The number of chunks of a store: the most by the embedding, and the least by their words.
const STORE_CHUNKS: usize = 50;

/// The maximum number of chunks of a store whose sections are compared.
const MAX_SECTIONS: usize = 200;

/// The longest line whose words count, in bytes.
const MAX_LINE: usize = 65_536;

/// The maximum number of bytes of all lines whose words count: computing the lexemes of a megabyte takes a second.
const MAX_LINES: usize = 1 << 20;

impl Candidates {
    /// Finds the chunks that may answer a query.
    ///
    /// # Errors
    ///
    /// Returns that the store does not support full-text search.
    pub fn find(
        store: &Store,
        connection: &Connection,
        query: &CandidateQuery<'_>,
    ) -> Result<Self, Error> {
        let CandidateQuery { named, filters, words, embedding, strategy, fuzzy_threshold } = *query;
        let document = named.map(|named| named.id);
        let by_words = |words: &SearchQuery| match named {
            _ if words.is_empty() => Ok(Self::empty()),
            Some(named) => Ok(Self::in_document(store, connection, named, words, fuzzy_threshold)),
            None if embedding.is_some() && !store.has_lexemes() => Ok(Self::empty()),
            None => Self::in_store(store, connection, filters, words, fuzzy_threshold),
        };
        let mut candidates = by_words(words)?;
        if candidates.ids.is_empty() && !words.phrases.is_empty() {
            // For a phrase without a match, the words are a better answer than none.
            candidates = by_words(&SearchQuery { phrases: Vec::new(), ..words.clone() })?;
            candidates.without_phrases = true;
        }
        let by_vector =
            !matches!(strategy, FragmentStrategy::Adaptive | FragmentStrategy::Proximity);
        if let Some(embedding) = embedding.filter(|_| by_vector || candidates.ids.is_empty()) {
            candidates.add_similar(store, connection, document, filters, embedding);
        }
        if document.is_none() && strategy == FragmentStrategy::Semantic {
            candidates.add_sections(store, connection);
        }
        Ok(candidates.in_order())
    }

    /// Orders the chunks by their ids, so that equal ones rank the same wherever their rows were found.
    fn in_order(mut self) -> Self {
        let mut chunks: Vec<_> = self.ids.into_iter().zip(self.list).collect();
        chunks.sort_by_key(|(id, _)| *id);
        (self.ids, self.list) = chunks.into_iter().unzip();
        self
    }

    fn empty() -> Self {
        let terms = QueryTerms::new(QueryLexemes::default(), Idf::new(0.0, &[]), Vec::new());
        Self {
            ids: Vec::new(),
            list: Vec::new(),
            terms,
            unmatched: 0,
            without_phrases: false,
            positions: HashMap::new(),
        }
    }

    /// Adds the chunks nearest to the embedding; of a given document all chunks.
    fn add_similar(
        &mut self,
        store: &Store,
        connection: &Connection,
        document: Option<Uuid>,
        filters: &Filters,
        embedding: &QueryEmbedding,
    ) {
        let mut index_by_id = self.index_by_id();
        let mut add = |id: Uuid, similar: FragmentCandidate| {
            if let Some(index) = index_by_id.get(&id) {
                self.list[*index].similarity = similar.similarity;
            } else {
                index_by_id.insert(id, self.ids.len());
                self.ids.push(id);
                self.list.push(similar);
            }
        };
        if let Some(document) = document {
            let expected = self.positions.len();
            for chunk in store.similarities(connection, document, expected, embedding) {
                let known = self.positions.get(&chunk.id).copied();
                let section = chunk.section.map(|section| (document.as_u128(), section));
                let (ordinal, section) = known.unwrap_or((chunk.ordinal, section));
                let similarity = Some(chunk.score);
                add(
                    chunk.id,
                    FragmentCandidate {
                        ordinal,
                        similarity,
                        section,
                        ..FragmentCandidate::default()
                    },
                );
            }
        } else {
            for (id, score) in store.vector_search(connection, embedding, filters, STORE_CHUNKS) {
                add(
                    id,
                    FragmentCandidate { similarity: Some(score), ..FragmentCandidate::default() },
                );
            }
        }
    }

    /// Adds the sections of the best chunks of a store.
    fn add_sections(&mut self, store: &Store, connection: &Connection) {
        let (_, ranked) = rank_chunks(FragmentStrategy::Auto, &self.terms, &self.list);
        let best: Vec<_> = ranked.iter().take(MAX_SECTIONS).map(|ranked| ranked.chunk).collect();
        let ids: Vec<_> = best.iter().map(|chunk| self.ids[*chunk]).collect();
        let sections = store.sections(connection, &ids);
        for chunk in best {
            self.list[chunk].section = sections.get(&self.ids[chunk]).copied();
        }
    }

    fn index_by_id(&self) -> HashMap<Uuid, usize> {
        self.ids.iter().copied().zip(0..).collect()
    }

    /// Returns the weights of lines by the words in them. Very long lines, and lines after the first
    /// megabyte, have weight 0.
    pub fn line_weights<'l>(
        &self,
        store: &Store,
        connection: &Connection,
        lines: impl Iterator<Item = &'l str>,
    ) -> Vec<f64> {
        let mut left = MAX_LINES;
        let clipped = |line: &'l str| {
            if line.len() > MAX_LINE.min(left) {
                return "";
            }
            left -= line.len();
            line
        };
        let lines: Vec<_> = lines.map(clipped).collect();
        if self.terms.lexemes().is_empty() {
            return vec![0.0; lines.len()];
        }
        let weight = |tsv: &Option<Tsvector>| {
            let lexemes = self.terms.lexemes().iter().enumerate();
            let has = |lexeme: &String| tsv.is_some_and(|tsv| tsv.has(lexeme));
            self.terms.weight(lexemes.filter(|(_, lexeme)| has(lexeme)).map(|(index, _)| index))
        };
        store.line_lexemes(connection, &lines).iter().map(weight).collect()
    }

    /// Returns what the caller can do for a better answer, or how the query was changed.
    pub fn hint(
        &self,
        strategy: FragmentStrategy,
        best: Option<&RankedChunk>,
        embedded: bool,
    ) -> Option<&'static str> {
        let best = best?;
        let few = best.proximity.is_some_and(|(_, proximity)| {
            proximity.coverage == Coverage::Any && self.terms.words() > 1
        });
        if self.without_phrases {
            Some("no chunk has the quoted phrase, so its words were searched")
        } else if let Some(MatchKind::Fuzzy(_)) = best.match_kind {
            Some("no chunk has the words themselves, so similar words were searched")
        } else if strategy == FragmentStrategy::Proximity && few {
            Some(
                "no chunk has most of the words together; strategy \"adaptive\" searches them one by one",
            )
        } else if strategy == FragmentStrategy::Semantic && !embedded {
            Some(
                "without an embedding sections are ranked by their words; strategy \"auto\" ranks chunks",
            )
        } else if embedded
            && matches!(strategy, FragmentStrategy::Adaptive | FragmentStrategy::Proximity)
        {
            Some("the embedding was not used; strategy \"auto\" uses it too")
        } else if self.unmatched > 0 && !embedded {
            Some("no chunk has some of the words; an embedding also finds other words for the same")
        } else if few && !embedded {
            Some("no chunk has most of the words; fewer words or an embedding find more")
        } else {
            None
        }
    }
}

/// Returns the number of unmatched words that have no variant.
fn without_variant(unmatched: &[usize], lexemes: &QueryLexemes, variants: &[TermVariant]) -> usize {
    let has_variant = |word: &&usize| {
        let word = &lexemes.words[**word];
        variants.iter().any(|variant| {
            word.whole.contains(&variant.origin) || word.parts.contains(&variant.origin)
        })
    };
    unmatched.len() - unmatched.iter().filter(has_variant).count()
}

/// Returns the lexemes of whole words, without those of their parts.
fn whole_lexemes(lexemes: &QueryLexemes, words: &[usize]) -> Vec<usize> {
    let mut indexes: Vec<_> =
        words.iter().flat_map(|word| lexemes.words[*word].whole.iter().copied()).collect();
    indexes.sort_unstable();
    indexes.dedup();
    indexes
}
