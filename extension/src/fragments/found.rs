/*!
The chunks that may answer: by their words, by words that stand for those, and by the embedding.

In a document that is named, words that begin with a word of the query are looked at with it, and for
a word that nothing has the whole vocabulary of the document is gone through. In a store or a
collection both are tried only for words that nothing has.
*/

use super::read::Read;
use crate::error::Error;
use crate::spi::Connection;
use crate::store::{Filters, Matches, Store, Vectors, Words};
use crate::types::Tsvector;
use passage_core::fragments::{
    Coverage, Found, Match, Ranked, Strategy, Stretch, Terms, Variant, alike, beginning,
    begins_others, missing, rank,
};
use passage_core::search::bm25::{Candidate, Occurrence, Rarity};
use passage_core::search::{Lexemes, Query, quoted};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use uuid::Uuid;

/// What was found.
pub struct Sought {
    /// The ids of the chunks.
    pub ids: Vec<Uuid>,
    /// What each has of what is asked.
    pub found: Vec<Found>,
    pub terms: Terms,
    /// How many words of the query nothing has, not even a word that is alike.
    lost: usize,
    /// Whether phrases were asked for that nothing has.
    phraseless: bool,
    /// Where chunks of the document stand that were looked at: their ordinals and sections.
    placed: HashMap<Uuid, Place>,
}

/// An ordinal, and what tells a section from others.
type Place = (Option<i32>, Option<(u128, i64)>);

/// The most chunks near the embedding that are taken of a store.
const NEAREST: usize = 50;

/// The most chunks of a store whose sections are compared.
const SECTIONS: usize = 200;

/// Up to how many chunks of a document all are looked at.
const ALL: i32 = 10_000;

/// The most words of a query that are looked for by likeness in a store, and the least characters of
/// their beginnings.
const ALIKE: usize = 4;
const BEGINNING: usize = 3;

/// The most bytes of a line that is looked into for words.
const LINE: usize = 65_536;

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
        document: Option<Uuid>,
        filters: &Filters,
        query: &Query,
        vectors: Option<&Vectors>,
        strategy: Strategy,
        threshold: f64,
    ) -> Result<Self, Error> {
        let words = |query: &Query| match document {
            _ if query.is_empty() => Ok(Self::nothing()),
            Some(document) => Ok(Self::in_document(store, connection, document, query, threshold)),
            None if vectors.is_some() && !store.has_words() => Ok(Self::nothing()),
            None => Self::in_store(store, connection, filters, query, threshold),
        };
        let mut sought = words(query)?;
        if sought.ids.is_empty() && !query.phrases.is_empty() {
            // A phrase that is nowhere is better answered by its words than not at all.
            sought = words(&Query { phrases: Vec::new(), ..query.clone() })?;
            sought.phraseless = true;
        }
        let by_vector = !matches!(strategy, Strategy::Adaptive | Strategy::Proximity);
        if let Some(vectors) = vectors.filter(|_| by_vector || sought.ids.is_empty()) {
            sought.add_near(store, connection, document, filters, vectors);
        }
        if document.is_none() && strategy.settled(sought.terms.words()) == Strategy::Semantic {
            sought.add_sections(store, connection);
        }
        Ok(sought)
    }

    fn nothing() -> Self {
        let terms = Terms::new(Lexemes::default(), Rarity::new(0.0, &[]), Vec::new());
        Self {
            ids: Vec::new(),
            found: Vec::new(),
            terms,
            lost: 0,
            phraseless: false,
            placed: HashMap::new(),
        }
    }

    fn in_document(
        store: &Store,
        connection: &Connection,
        document: Uuid,
        query: &Query,
        threshold: f64,
    ) -> Self {
        let asked = store.ask(connection, query);
        let (lexemes, required) = (asked.lexemes, asked.required);
        if lexemes.list.is_empty() {
            return Self::nothing();
        }
        let told = store.told(connection, &[document]);
        let chunks = told.get(&document).and_then(|told| told.chunks);
        let required = Some(required).filter(|required| !required.is_empty());
        // Of a document that is not long, to look at all chunks costs less than to match them first.
        let all = chunks.is_some_and(|chunks| chunks <= ALL);
        let matching =
            if all { required.clone() } else { Some(any(&lexemes, required.as_deref())) };
        let mut rows = store.words_of(connection, document, matching.as_deref());

        let mut read = Read::new(&lexemes);
        for row in &rows {
            read.add(row);
        }
        let present = read.present();
        let lost = missing(&lexemes, |lexeme| present.contains(&lexeme));
        if !lost.is_empty() && threshold > 0.0 {
            if !all {
                rows = store.words_of(connection, document, required.as_deref());
                read = Read::new(&lexemes);
                for row in &rows {
                    read.add(row);
                }
            }
            let mut vocabulary = HashSet::new();
            for row in &rows {
                row.tsv.beginning("", |lexeme, _| _ = vocabulary.insert(lexeme));
            }
            let alike = alike(&lexemes, &wholes(&lexemes, &lost), vocabulary, threshold);
            read.add_variants(alike, &rows);
        }
        let Read { variants, candidates, frequencies, .. } = read;
        let mut sought = Self::nothing();
        for (Words { id, ordinal, section, .. }, words) in rows.iter().zip(candidates) {
            let (ordinal, section) = (*ordinal, section.map(|of| (document.as_u128(), of)));
            sought.placed.insert(*id, (ordinal, section));
            if !words.occurrences.is_empty() {
                sought.ids.push(*id);
                sought.found.push(Found { words, ordinal, similarity: None, section });
            }
        }
        let chunks = f64::from(chunks.unwrap_or_default()).max(rows.len() as f64);
        sought.lost = still_lost(&lost, &lexemes, &variants);
        sought.terms = Terms::new(lexemes, Rarity::new(chunks, &frequencies), variants);
        sought
    }

    fn in_store(
        store: &Store,
        connection: &Connection,
        filters: &Filters,
        query: &Query,
        threshold: f64,
    ) -> Result<Self, Error> {
        let asked = store.ask(connection, query);
        if asked.lexemes.list.is_empty() {
            return Ok(Self::nothing());
        }
        let required = asked.required.clone();
        let Matches { ids, candidates, lexemes, rarity } =
            store.matches(connection, asked, filters, None)?;
        let occurrences = candidates.iter().flat_map(|candidate| &candidate.occurrences);
        let present: HashSet<_> = occurrences.map(|occurrence| occurrence.lexeme).collect();
        let lost = missing(&lexemes, |lexeme| present.contains(&lexeme));
        let mut variants = Vec::new();
        let mut rows = Vec::new();
        let begins: Vec<_> = wholes(&lexemes, &lost[..lost.len().min(ALIKE)])
            .into_iter()
            .filter_map(|place| likely_beginning(&lexemes.list[place]))
            .collect();
        if !begins.is_empty() && threshold > 0.0 {
            let any: Vec<_> = begins.iter().map(|begin| format!("{}:*", quoted(begin))).collect();
            let any = any.join("|");
            let matching = if required.is_empty() { any } else { format!("({any})&{required}") };
            rows = store.words_like(connection, &matching, filters);
            let mut vocabulary = BTreeSet::new();
            for (_, row) in &rows {
                for begin in &begins {
                    row.tsv.beginning(begin, |lexeme, _| _ = vocabulary.insert(lexeme));
                }
            }
            let wholes: HashSet<_> = wholes(&lexemes, &lost).into_iter().collect();
            variants = beginning(&lexemes, &vocabulary);
            variants.retain(|variant| wholes.contains(&variant.of));
            let begun: HashSet<_> = variants.iter().map(|variant| variant.of).collect();
            let places: Vec<_> = wholes.difference(&begun).copied().collect();
            variants.extend(alike(&lexemes, &places, vocabulary, threshold));
        }
        let lost = still_lost(&lost, &lexemes, &variants);
        let own = lexemes.list.len();
        let mut sought =
            Self { terms: Terms::new(lexemes, rarity, variants), lost, ..Self::nothing() };
        let found = candidates.into_iter().map(|words| Found { words, ..Found::default() });
        (sought.ids, sought.found) = (ids, found.collect());
        let mut places = sought.places();
        for (document, Words { id, ordinal, section, tsv: words, .. }) in rows {
            let words = candidate(sought.terms.lexemes(), &words);
            if words.occurrences.iter().all(|occurrence| occurrence.lexeme < own) {
                continue;
            }
            let section = section.map(|section| (document.as_u128(), section));
            let new = Found { words, ordinal, similarity: None, section };
            if let Some(place) = places.get(&id) {
                sought.found[*place] = new;
            } else {
                places.insert(id, sought.ids.len());
                sought.ids.push(id);
                sought.found.push(new);
            }
        }
        Ok(sought)
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
        let mut add = |id: Uuid, near: Found| {
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
                add(near.id, Found { ordinal, similarity, section, ..Found::default() });
            }
        } else {
            for (id, score) in store.vector_leg(connection, vectors, filters, NEAREST) {
                add(id, Found { similarity: Some(score), ..Found::default() });
            }
        }
    }

    /// Adds the sections of the best chunks of a store.
    fn add_sections(&mut self, store: &Store, connection: &Connection) {
        let (_, ranked) = rank(Strategy::Auto, &self.terms, &self.found);
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

    /// Tells what lines are worth by the words in them; very long ones are not looked into.
    pub fn worth_of(
        &self,
        store: &Store,
        connection: &Connection,
        stretch: &Stretch,
        lines: Range<usize>,
    ) -> Vec<f64> {
        if self.terms.lexemes().is_empty() {
            return vec![0.0; lines.len()];
        }
        let text = |line| Some(stretch.line(line)).filter(|text| text.len() <= LINE);
        let lines: Vec<_> = lines.map(|line| text(line).unwrap_or_default()).collect();
        let worth = |words: &Option<Tsvector>| {
            let lexemes = self.terms.lexemes().iter().enumerate();
            let has = |lexeme: &String| words.is_some_and(|words| words.has(lexeme));
            self.terms.worth(lexemes.filter(|(_, lexeme)| has(lexeme)).map(|(place, _)| place))
        };
        store.words_in(connection, &lines).iter().map(worth).collect()
    }

    /// Tells what would answer better, if something would.
    pub fn hint(
        &self,
        strategy: Strategy,
        best: Option<&Ranked>,
        embedded: bool,
    ) -> Option<&'static str> {
        let best = best?;
        let few = best.proximity.is_some_and(|(_, proximity)| {
            proximity.coverage == Coverage::Any && self.terms.words() > 1
        });
        if self.phraseless {
            Some("nothing has the quoted phrase, so its words were searched")
        } else if let Some(Match::Fuzzy(_)) = best.matched {
            Some("nothing has the words themselves, so words like them were searched")
        } else if strategy == Strategy::Proximity && few {
            Some(
                "nothing has most of the words together; strategy \"adaptive\" searches them one by one",
            )
        } else if strategy == Strategy::Semantic && !embedded {
            Some(
                "without an embedding sections are ranked by their words; strategy \"auto\" ranks chunks",
            )
        } else if embedded && matches!(strategy, Strategy::Adaptive | Strategy::Proximity) {
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

/// Writes what matches any lexeme or, if it is long enough, words that begin with it.
fn any(lexemes: &Lexemes, required: Option<&str>) -> String {
    let begun = |lexeme: &String| {
        let beginning = if begins_others(lexeme) { ":*" } else { "" };
        format!("{}{beginning}", quoted(lexeme))
    };
    let any: Vec<_> = lexemes.list.iter().map(begun).collect();
    let any = any.join("|");
    required.map_or(any.clone(), |required| format!("({any})&{required}"))
}

/// Returns with what a word probably begins that is like a lexeme, if it is long enough to tell.
fn likely_beginning(lexeme: &str) -> Option<String> {
    let letters = lexeme.chars().count();
    (letters > BEGINNING).then(|| lexeme.chars().take(BEGINNING.max(letters * 2 / 5)).collect())
}

/// Returns how many words remain that nothing stands for.
fn still_lost(lost: &[usize], lexemes: &Lexemes, variants: &[Variant]) -> usize {
    let stands = |word: &&usize| {
        let word = &lexemes.words[**word];
        variants
            .iter()
            .any(|variant| word.whole.contains(&variant.of) || word.parts.contains(&variant.of))
    };
    lost.len() - lost.iter().filter(stands).count()
}

/// Returns the lexemes of words, each as it stands in the query.
fn wholes(lexemes: &Lexemes, words: &[usize]) -> Vec<usize> {
    let mut places: Vec<_> =
        words.iter().flat_map(|word| lexemes.words[*word].whole.iter().copied()).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// Looks for lexemes in a chunk.
fn candidate(lexemes: &[String], words: &Tsvector) -> Candidate {
    let mut candidate = Candidate { length: words.length(), occurrences: Vec::new() };
    for (lexeme, text) in lexemes.iter().enumerate() {
        words.positions(text, |field, position| {
            candidate.occurrences.push(Occurrence { lexeme, field, position });
        });
    }
    candidate
}
