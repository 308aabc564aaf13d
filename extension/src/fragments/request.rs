//! What a call asks for, and the way from there to rows.

use super::Row;
use super::found::Sought;
use super::telling::Telling;
use crate::error::Error;
use crate::spi::Connection;
use crate::store::{Filters, Named, Pieces, Store, Told};
use crate::types::from_sql;
use passage_core::fragments::{
    FragmentHit, FragmentLimits, FragmentStrategy, RankedChunk, TextRun, add_neighbor_scores,
    rank_chunks, select_fragments, text_runs, uri_words,
};
use passage_core::search::SearchQuery;
use passage_core::strategy::{check_limit, check_range};
use pgrx::datum::Uuid;
use std::collections::HashMap;

/// The arguments of a call.
pub struct Request {
    pub query: Option<String>,
    pub embedding: Option<Vec<Option<f32>>>,
    pub uri: Option<String>,
    pub document_id: Option<Uuid>,
    pub strategy: Option<String>,
    pub collection: Option<String>,
    pub version: Option<String>,
    pub max_fragments: Option<i32>,
    pub max_tokens: Option<i32>,
    pub fuzzy_threshold: Option<f64>,
    pub return_full: bool,
    pub include_orphaned: bool,
}

/// What a call asks for.
pub struct Checked {
    query: Option<String>,
    embedding: Option<Vec<Option<f32>>>,
    document_id: Option<uuid::Uuid>,
    /// Whether a document is named.
    named: bool,
    filters: Filters,
    strategy: FragmentStrategy,
    pub(super) limits: FragmentLimits,
    fuzzy_threshold: f64,
    return_full: bool,
}

/// The most fragments by default, and the most tokens, of fragments and of a whole document.
const FRAGMENTS: i32 = 5;
const TOKENS: i32 = 700;
const FULL_TOKENS: i32 = 100_000;

/// The most chunks that are read to make fragments of.
const HITS: usize = 200;

impl Request {
    /// Checks the arguments.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with them.
    pub fn checked(self) -> Result<Checked, Error> {
        let strategy = self
            .strategy
            .as_deref()
            .map_or(Ok(FragmentStrategy::Auto), FragmentStrategy::from_name)?;
        let named = self.uri.is_some() || self.document_id.is_some();
        if self.return_full && !named {
            return Err(Error::Lacks {
                what: "\"return_full\"".to_owned(),
                lacks: "a uri or a document_id",
            });
        }
        let tokens = if self.return_full { FULL_TOKENS } else { TOKENS };
        let max_fragments = check_limit("max_fragments", self.max_fragments.unwrap_or(FRAGMENTS))?;
        Ok(Checked {
            query: self.query,
            embedding: self.embedding,
            document_id: self.document_id.map(from_sql),
            named,
            filters: Filters {
                collection: self.collection,
                version: self.version,
                uri: self.uri,
                include_orphaned: self.include_orphaned,
                ..Filters::default()
            },
            strategy,
            limits: FragmentLimits {
                max_fragments: max_fragments as usize,
                max_tokens: check_limit("max_tokens", self.max_tokens.unwrap_or(tokens))?,
            },
            fuzzy_threshold: check_range(
                "fuzzy_threshold",
                self.fuzzy_threshold.unwrap_or(0.8),
                0.0,
                1.0,
            )?,
            return_full: self.return_full,
        })
    }
}

impl Checked {
    /// Answers the call.
    ///
    /// # Errors
    ///
    /// Returns that the store cannot be searched by what is given.
    pub fn answer(self, store: &Store, connection: &Connection) -> Result<Vec<Row>, Error> {
        let named = if self.named {
            let Some(named) = store.named(connection, self.document_id, &self.filters) else {
                return Ok(Vec::new());
            };
            Some(named)
        } else {
            None
        };
        if let Some(named) = named.as_ref().filter(|_| self.return_full) {
            return Ok(self.whole(store, connection, named));
        }
        let query = self.query.as_deref().map(str::trim).filter(|query| !query.is_empty());
        let of_uri = named.as_ref().and_then(|named| named.told.uri.as_deref()).map(uri_words);
        let asked = SearchQuery::parse(query.or(of_uri.as_deref()).unwrap_or_default());
        let vectors = self.embedding.clone().map(|of| store.vectors(connection, of)).transpose()?;
        let sought = Sought::find(
            store,
            connection,
            named.as_ref(),
            &self.filters,
            &asked,
            vectors.as_ref(),
            self.strategy,
            self.fuzzy_threshold,
        )?;
        let (strategy, ranked) = rank_chunks(self.strategy, &sought.terms, &sought.found);
        if ranked.is_empty() {
            let nothing_asked = query.is_none() && vectors.is_none();
            return Ok(match named {
                Some(named) if nothing_asked => self.beginning(store, connection, &named),
                _ => Vec::new(),
            });
        }
        let most = (3 * self.limits.max_fragments).clamp(1, HITS);
        let ids: Vec<_> = ranked.iter().take(most).map(|ranked| sought.ids[ranked.chunk]).collect();
        let read = store.pieces(connection, &ids);
        let told = match named {
            Some(Named { id, told }) => HashMap::from([(id, told)]),
            None => store.told(connection, &read.documents),
        };
        let text_runs = text_runs(&read.list, |document| {
            told.get(&read.documents[document]).is_some_and(Told::is_markdown)
        });
        let best = best(&ranked, &sought.ids, &read, self.strategy, most);
        let places = places(&read, &text_runs);
        let hits: Vec<_> = best.iter().map(|best| places[&read.ids[best.piece]].clone()).collect();
        let fragments = select_fragments(&text_runs, &hits, self.limits, &|lines| {
            let text = |(text_run, line): &(usize, usize)| text_runs[*text_run].line(*line);
            sought.worth_of(store, connection, lines.iter().map(text))
        });
        let hint = sought.hint(strategy, ranked.first(), vectors.is_some());
        let strategy = strategy.name();
        let telling = Telling { read: &read, text_runs: &text_runs, told: &told, strategy, hint };
        Ok(telling.rows(&fragments, &best))
    }
}

/// A chunk that lines are chosen for.
pub struct Best<'a> {
    /// Its place among the pieces.
    pub piece: usize,
    /// What it is worth, with what stands beside it where that counts.
    pub score: f64,
    /// Its signals; a chunk that only stands beside others has none.
    pub ranked: Option<&'a RankedChunk>,
}

/// Ranks the chunks that were read.
fn best<'a>(
    ranked: &'a [RankedChunk],
    ids: &[uuid::Uuid],
    read: &Pieces,
    strategy: FragmentStrategy,
    most: usize,
) -> Vec<Best<'a>> {
    let signals: HashMap<_, _> = ranked.iter().map(|ranked| (ids[ranked.chunk], ranked)).collect();
    let signals: Vec<_> = read.ids.iter().map(|id| signals.get(id).copied()).collect();
    let worth: Vec<_> = signals.iter().map(|ranked| ranked.map(|ranked| ranked.score)).collect();
    // Fused scores fall off as ranks do; those of a signal may all be near to one another.
    let order = if strategy == FragmentStrategy::Auto {
        add_neighbor_scores(&read.list, &worth)
    } else {
        // In the order of the ranking, which the score alone does not tell.
        let places: HashMap<_, _> = read.ids.iter().zip(0..).collect();
        let ranked = ranked.iter().filter_map(|of| Some((*places.get(&ids[of.chunk])?, of.score)));
        ranked.collect()
    };
    let best = |(piece, score)| Best { piece, score, ranked: signals[piece] };
    order.into_iter().take(most).map(best).collect()
}

/// Returns where each chunk stands that was read.
pub fn places(read: &Pieces, text_runs: &[TextRun]) -> HashMap<uuid::Uuid, FragmentHit> {
    let mut places = HashMap::new();
    for (text_run, text) in text_runs.iter().enumerate() {
        for (piece, bytes) in &text.chunks {
            places.insert(read.ids[*piece], FragmentHit { text_run, bytes: bytes.clone() });
        }
    }
    places
}
