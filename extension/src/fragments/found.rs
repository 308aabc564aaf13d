/*!
The chunks that may answer: by their words, by words that stand for those, and by the embedding.

How words are looked for depends on where: one document is gone through, a store is asked by its index.
*/

mod in_document;
mod in_store;

use crate::error::Error;
use crate::spi::Connection;
use crate::store::{Filters, Named, Store, Vectors};
use crate::types::Tsvector;
use passage_core::fragments::{
    Coverage, FragmentCandidate, FragmentStrategy, MatchKind, QueryTerms, RankedChunk, TermVariant,
    rank_chunks,
};
use passage_core::search::bm25::Idf;
use passage_core::search::{QueryLexemes, SearchQuery};
use std::collections::HashMap;
use uuid::Uuid;

/// What was found.
pub struct Sought {
    /// The ids of the chunks.
    pub ids: Vec<Uuid>,
    /// What each has of what is asked.
    pub found: Vec<FragmentCandidate>,
    pub terms: QueryTerms,
    /// How many words of the query nothing has, not even a word that is alike.
    lost: usize,
    /// Whether phrases were asked for that nothing has.
    phraseless: bool,
    /// Where chunks of the document stand that were looked at: their ordinals and sections.
    placed: HashMap<Uuid, Place>,
}

/// An ordinal, and what tells a section from others.
type Place = (Option<i32>, Option<(u128, i64)>);

/// How many chunks of a store are wanted: the most near the embedding, and the least by their words.
const NEAREST: usize = 50;

/// The most chunks of a store whose sections are compared.
const SECTIONS: usize = 200;

/// The most bytes of a line that is looked into for words.
const LINE: usize = 65_536;

/// The most bytes of all lines that are looked into: to make lexemes of a megabyte takes a second.
const LINES: usize = 1 << 20;

impl Sought {
    /// Finds what may answer.
    ///
    /// # Errors
    ///
    /// Returns that the store has no words to search by.
    #[expect(clippy::too_many_arguments, reason = "all of it is what a call asks")]
    pub fn find(
        store: &Store,
        connection: &Connection,
        named: Option<&Named>,
        filters: &Filters,
        query: &SearchQuery,
        vectors: Option<&Vectors>,
        strategy: FragmentStrategy,
        threshold: f64,
    ) -> Result<Self, Error> {
        let document = named.map(|named| named.id);
        let words = |query: &SearchQuery| match named {
            _ if query.is_empty() => Ok(Self::nothing()),
            Some(named) => Ok(Self::in_document(store, connection, named, query, threshold)),
            None if vectors.is_some() && !store.has_words() => Ok(Self::nothing()),
            None => Self::in_store(store, connection, filters, query, threshold),
        };
        let mut sought = words(query)?;
        if sought.ids.is_empty() && !query.phrases.is_empty() {
            // A phrase that is nowhere is better answered by its words than not at all.
            sought = words(&SearchQuery { phrases: Vec::new(), ..query.clone() })?;
            sought.phraseless = true;
        }
        let by_vector =
            !matches!(strategy, FragmentStrategy::Adaptive | FragmentStrategy::Proximity);
        if let Some(vectors) = vectors.filter(|_| by_vector || sought.ids.is_empty()) {
            sought.add_near(store, connection, document, filters, vectors);
        }
        if document.is_none()
            && strategy.resolve(sought.terms.words()) == FragmentStrategy::Semantic
        {
            sought.add_sections(store, connection);
        }
        Ok(sought)
    }

    fn nothing() -> Self {
        let terms = QueryTerms::new(QueryLexemes::default(), Idf::new(0.0, &[]), Vec::new());
        Self {
            ids: Vec::new(),
            found: Vec::new(),
            terms,
            lost: 0,
            phraseless: false,
            placed: HashMap::new(),
        }
    }

    /// Adds what is near the embedding: in a document all, else the nearest.
    fn add_near(
        &mut self,
        store: &Store,
        connection: &Connection,
        document: Option<Uuid>,
        filters: &Filters,
        vectors: &Vectors,
    ) {
        let mut places = self.places();
        let mut add = |id: Uuid, near: FragmentCandidate| {
            if let Some(place) = places.get(&id) {
                self.found[*place].similarity = near.similarity;
            } else {
                places.insert(id, self.ids.len());
                self.ids.push(id);
                self.found.push(near);
            }
        };
        if let Some(document) = document {
            for near in store.near(connection, document, self.placed.len(), vectors) {
                let known = self.placed.get(&near.id).copied();
                let section = near.section.map(|section| (document.as_u128(), section));
                let (ordinal, section) = known.unwrap_or((near.ordinal, section));
                let similarity = Some(near.score);
                add(
                    near.id,
                    FragmentCandidate {
                        ordinal,
                        similarity,
                        section,
                        ..FragmentCandidate::default()
                    },
                );
            }
        } else {
            for (id, score) in store.vector_leg(connection, vectors, filters, NEAREST) {
                add(
                    id,
                    FragmentCandidate { similarity: Some(score), ..FragmentCandidate::default() },
                );
            }
        }
    }

    /// Adds the sections of the best chunks of a store.
    fn add_sections(&mut self, store: &Store, connection: &Connection) {
        let (_, ranked) = rank_chunks(FragmentStrategy::Auto, &self.terms, &self.found);
        let best: Vec<_> = ranked.iter().take(SECTIONS).map(|ranked| ranked.chunk).collect();
        let ids: Vec<_> = best.iter().map(|chunk| self.ids[*chunk]).collect();
        let sections = store.sections_of(connection, &ids);
        for chunk in best {
            self.found[chunk].section = sections.get(&self.ids[chunk]).copied();
        }
    }

    fn places(&self) -> HashMap<Uuid, usize> {
        self.ids.iter().copied().zip(0..).collect()
    }

    /// Tells what lines are worth by the words in them; neither very long ones are looked into nor
    /// those after very many.
    pub fn worth_of<'l>(
        &self,
        store: &Store,
        connection: &Connection,
        lines: impl Iterator<Item = &'l str>,
    ) -> Vec<f64> {
        let mut left = LINES;
        let looked_into = |line: &'l str| {
            if line.len() > LINE.min(left) {
                return "";
            }
            left -= line.len();
            line
        };
        let lines: Vec<_> = lines.map(looked_into).collect();
        if self.terms.lexemes().is_empty() {
            return vec![0.0; lines.len()];
        }
        let worth = |words: &Option<Tsvector>| {
            let lexemes = self.terms.lexemes().iter().enumerate();
            let has = |lexeme: &String| words.is_some_and(|words| words.has(lexeme));
            self.terms.weight(lexemes.filter(|(_, lexeme)| has(lexeme)).map(|(place, _)| place))
        };
        store.words_in(connection, &lines).iter().map(worth).collect()
    }

    /// Tells what would answer better, if something would.
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
        if self.phraseless {
            Some("nothing has the quoted phrase, so its words were searched")
        } else if let Some(MatchKind::Fuzzy(_)) = best.match_kind {
            Some("nothing has the words themselves, so words like them were searched")
        } else if strategy == FragmentStrategy::Proximity && few {
            Some(
                "nothing has most of the words together; strategy \"adaptive\" searches them one by one",
            )
        } else if strategy == FragmentStrategy::Semantic && !embedded {
            Some(
                "without an embedding sections are ranked by their words; strategy \"auto\" ranks chunks",
            )
        } else if embedded
            && matches!(strategy, FragmentStrategy::Adaptive | FragmentStrategy::Proximity)
        {
            Some("the embedding was left out; strategy \"auto\" takes it too")
        } else if self.lost > 0 && !embedded {
            Some("nothing has some of the words; an embedding finds what is said in other words")
        } else if few && !embedded {
            Some("nothing has most of the words; fewer words or an embedding find more")
        } else {
            None
        }
    }
}

/// Returns how many words remain that nothing stands for.
fn still_lost(lost: &[usize], lexemes: &QueryLexemes, variants: &[TermVariant]) -> usize {
    let stands = |word: &&usize| {
        let word = &lexemes.words[**word];
        variants
            .iter()
            .any(|variant| word.whole.contains(&variant.of) || word.parts.contains(&variant.of))
    };
    lost.len() - lost.iter().filter(stands).count()
}

/// Returns the lexemes of words, each as it stands in the query.
fn wholes(lexemes: &QueryLexemes, words: &[usize]) -> Vec<usize> {
    let mut places: Vec<_> =
        words.iter().flat_map(|word| lexemes.words[*word].whole.iter().copied()).collect();
    places.sort_unstable();
    places.dedup();
    places
}
