//! The steps of every expanding function: read the hits, read their context, select.
//!
//! Its twin in SQL is `sql/edition/budgeted_passages.sql`.

use crate::server::error::Error;
use crate::server::settings;
use crate::server::spi::{self, Connection};
use crate::server::types::{Name, from_sql};
use crate::store::{
    ChunkColumns, ContextChunks, HitDocument, Hits, LinkedSections, Store, StoredHit,
    StrategyRequest,
};
use passage_core::arguments::Output;
use passage_core::expand::{
    self, Budget, DefaultBudget, Hit, LinkedSection, Plan, Role, SelectedChunk, Selection,
    bridge_hits, read_links, select_context,
};
use passage_core::hits::{ScoredHit, rank_hits};
use passage_core::{StrategyOverrides, TableHeader};
use passage_split::interrupt::poll_periodically as pause;
use passage_split::{Family, MediaType};
use pgrx::datum::Uuid as SqlUuid;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use uuid::Uuid;

/// The arguments of an expanding function.
pub struct ExpandRequest {
    pub chunk_ids: Option<Vec<Option<SqlUuid>>>,
    pub scores: Option<Vec<Option<f64>>>,
    pub strategy: Option<String>,
    pub overrides: StrategyOverrides,
    /// The chunks that are neither hits nor context.
    pub skip: HashSet<Uuid>,
    pub store: Option<Name>,
}

/// How hits of a store are expanded.
pub struct Expansion<'a> {
    pub store: &'a Store,
    pub connection: &'a Connection,
    pub kind: ResultKind,
    pub default_budget: DefaultBudget,
    /// Whether hits are candidates of a search, of which some are selected.
    pub are_candidates: bool,
    /// The chunks that are neither hits nor context.
    pub skip: &'a HashSet<Uuid>,
}

/// The kind of a function's result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ResultKind {
    /// Rows of context.
    Context,
    /// Rows of context, and the chunks that were left out.
    Explanation,
    /// Passages.
    Passages {
        /// Whether a passage includes the imports that it uses.
        imports: bool,
        /// Whether a passage includes single chunks between two hits of prose.
        bridges: bool,
        /// Whether the chunks that were left out are needed too.
        explain: bool,
    },
}

impl ResultKind {
    /// Returns the kind of passages. Hits that are joined across a chunk get this chunk.
    pub fn passages(output: &Output) -> Self {
        let bridges = output.max_distance.is_none_or(|max| max >= 2);
        Self::Passages { imports: output.imports, bridges, explain: output.explain }
    }
}

/// The selected context of a request, while its chunks can be read.
pub struct ExpandedContext<'a> {
    /// The ids of the request, also those that were not found.
    pub scored: &'a [ScoredHit<Uuid>],
    pub stored_hits: &'a [StoredHit],
    pub hits: &'a [Hit<'a>],
    pub chunks: &'a ContextChunks<'a>,
    pub selected: &'a Selection,
    pub plan: &'a Plan,
    /// The documents of linked sections.
    pub linked_documents: &'a HashMap<Uuid, Rc<HitDocument>>,
    /// The headers of the documents that are tables.
    pub headers: &'a HashMap<Uuid, TableHeader>,
    /// Whether chunks have the ids of another table, which the store adopted.
    pub has_source_ids: bool,
}

impl ExpandedContext<'_> {
    /// Returns the document of a chunk: that of its hit, or the one that a link leads to.
    pub fn document_of(&self, selected: &SelectedChunk) -> &HitDocument {
        let of_hit = &self.stored_hits[selected.hit].document;
        let is_linked = selected.role == Role::Linked;
        let probe = self.chunks.chunk_rows[selected.row].probe.filter(|_| is_linked);
        probe.map_or(of_hit, |probe| &self.linked_documents[&self.plan.probes[probe].document])
    }
}

impl ExpandRequest {
    /// Reads the hits and their context, selects chunks, and passes the selection to `then` as [`Expansion::select`] does.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the arguments or the store.
    pub fn expand<R: Default>(
        self,
        kind: ResultKind,
        then: impl Fn(ExpandedContext) -> (R, u64),
    ) -> Result<R, Error> {
        let scored = scored_hits(self.chunk_ids, self.scores.as_deref(), &self.skip)?;
        let strategy = strategy(self.strategy, self.overrides);
        let store = Store::resolve(self.store)?;
        spi::connect(|connection| {
            let default_budget = settings::expansion_budget();
            let skip = &self.skip;
            let are_candidates = false;
            let expansion =
                Expansion { store: &store, connection, kind, default_budget, are_candidates, skip };
            let Some(hits) = expansion.hits(&scored, &strategy)? else { return Ok(R::default()) };
            Ok(expansion.select(&scored, &hits, then))
        })
    }
}

impl<'a> Expansion<'a> {
    /// Reads the hits. The columns of documents are read for passages alone.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the strategy. It returns no hits without ids.
    pub fn hits(
        &self,
        scored: &[ScoredHit<Uuid>],
        strategy: &StrategyRequest,
    ) -> Result<Option<Hits<'a>>, Error> {
        let Self { store, connection, are_candidates, .. } = *self;
        let mut hits = store.hits(connection, scored, strategy, self.columns(), are_candidates)?;
        let list = hits.as_mut().map_or(&mut [][..], |hits| &mut hits.list);
        let best = list.first().and_then(|hit| hit.scored.score);
        let min_score = strategy.overrides.min_score.unwrap_or_default();
        for (index, hit) in list.iter_mut().enumerate() {
            pause(index);
            if hit.scored.is_below(min_score, best) {
                hit.strategy = hit.strategy.without_context();
            }
            self.default_budget.apply(&mut hit.strategy);
        }
        Ok(hits)
    }

    /// Reads the context of the hits, selects chunks, and passes the selection to `then`.
    ///
    /// `then` returns its result and the tokens of the result. Lines that passages repeat after gaps and fences that they
    /// close are known only then. If they do not fit into the budget, less context is selected.
    pub fn select<R>(
        &self,
        scored: &[ScoredHit<Uuid>],
        read: &Hits,
        then: impl Fn(ExpandedContext) -> (R, u64),
    ) -> R {
        let hits = read.hits();
        let is_passages = matches!(self.kind, ResultKind::Passages { .. });
        let (imports, bridges, explain) = match self.kind {
            ResultKind::Passages { imports, bridges, explain } => (imports, bridges, explain),
            ResultKind::Context => (false, false, false),
            ResultKind::Explanation => (false, false, true),
        };
        let mut plan = expand::plan(&hits, imports);
        if bridges {
            bridge_hits(&mut plan, &hits);
        }
        let LinkedSections { list, documents: linked_documents } =
            self.store.linked_sections(self.connection, read, self.columns());
        if is_passages {
            read_table_headers(read, &list, &linked_documents, &mut plan);
        }
        read_links(&mut plan, &hits, list);
        plan.skipped.clone_from(self.skip);
        let chunks = self.store.context_chunks(self.connection, read, &plan, self.columns());
        let headers = &table_headers(read, &linked_documents, &plan, &chunks);
        // Each hit may be in a passage of its own, which begins with the header.
        let headers_of = |hit: &Hit| headers.get(&hit.document).map_or(0, |header| header.tokens);
        let mut reserved = hits.iter().map(headers_of).fold(0, u32::saturating_add);
        if is_passages {
            reserved = reserved.saturating_add(repeated_tokens(read, &chunks));
        }
        let budget = self.budget(&hits);
        let (stored_hits, hits, chunks) = (&read.list[..], &hits[..], &chunks);
        let has_source_ids = self.store.has_source_ids();
        let mut least = u64::MAX;
        loop {
            let rest = budget.without(reserved);
            let selected = &select_context(hits, &plan, &chunks.chunk_rows, chunks, rest, explain);
            let (result, tokens) = then(ExpandedContext {
                scored,
                stored_hits,
                hits,
                chunks,
                selected,
                plan: &plan,
                linked_documents: &linked_documents,
                headers,
                has_source_ids,
            });
            let excess = tokens.saturating_sub(budget.max_tokens.map_or(u64::MAX, u64::from));
            // Hits are never dropped, so their tokens can be too many for any budget.
            if excess == 0 || tokens >= least {
                return result;
            }
            least = tokens;
            reserved = reserved.saturating_add(excess.try_into().unwrap_or(u32::MAX));
        }
    }

    /// Returns the budget of hits.
    pub fn budget(&self, hits: &[Hit]) -> Budget {
        Budget::with_default(hits, self.default_budget)
    }

    fn columns(&self) -> ChunkColumns {
        match self.kind {
            ResultKind::Passages { imports, .. } => ChunkColumns::Passage { imports },
            ResultKind::Context | ResultKind::Explanation => ChunkColumns::Context,
        }
    }
}

/// Returns the hits of a call with their ranks, without those that it skips.
///
/// # Errors
///
/// Returns the error of core for a wrong number of scores.
pub fn scored_hits(
    chunk_ids: Option<Vec<Option<SqlUuid>>>,
    scores: Option<&[Option<f64>]>,
    skip: &HashSet<Uuid>,
) -> Result<Vec<ScoredHit<Uuid>>, Error> {
    let id = |id: Option<SqlUuid>| id.map(from_sql).filter(|id| !skip.contains(id));
    let ids: Vec<_> = chunk_ids.unwrap_or_default().into_iter().map(id).collect();
    Ok(rank_hits(&ids, scores)?)
}

/// Returns the strategy of a call, by default that of the setting.
pub fn strategy(name: Option<String>, overrides: StrategyOverrides) -> StrategyRequest {
    StrategyRequest { name: name.unwrap_or_else(settings::strategy), overrides }
}

/// Returns the tokens of the lines that the hits of prose repeat, each of which may be in a passage of its own.
fn repeated_tokens(read: &Hits, chunks: &ContextChunks) -> u32 {
    let tokens = |(row, hit): (usize, &StoredHit)| {
        pause(row);
        let is_prose = hit.document.media_type().family() == Family::Prose;
        let chunk = chunks.chunk(row);
        let title = hit.document.title.as_deref();
        let line = is_prose.then(|| chunk.repeated_line(&chunk.part().content, title)).flatten();
        line.map_or(0, |line| line.len().div_ceil(4) as u32)
    };
    // The hits are the first rows.
    read.list.iter().enumerate().map(tokens).fold(0, u32::saturating_add)
}

/// Adds the first chunks of tables to a plan, because a header is a part of them.
fn read_table_headers(
    read: &Hits,
    links: &[LinkedSection],
    linked_documents: &HashMap<Uuid, Rc<HitDocument>>,
    plan: &mut Plan,
) {
    for link in links {
        let document = &linked_documents[&link.document];
        if link.first != 0 && TableHeader::is_possible(&document.media_type()) {
            plan.read_first_chunk(document.id);
        }
    }
    for (index, hit) in read.list.iter().enumerate() {
        pause(index);
        if hit.ordinal != Some(0) && TableHeader::is_possible(&hit.document.media_type()) {
            plan.read_first_chunk(hit.document.id);
        }
    }
}

/// Returns the header of each table whose first chunk was read.
fn table_headers(
    read: &Hits,
    linked_documents: &HashMap<Uuid, Rc<HitDocument>>,
    plan: &Plan,
    chunks: &ContextChunks,
) -> HashMap<Uuid, TableHeader> {
    if plan.first_chunks.is_empty() {
        return HashMap::new();
    }
    let all = read.list.iter().map(|hit| &hit.document).chain(linked_documents.values());
    let media_types: HashMap<Uuid, MediaType> =
        all.map(|document| (document.id, document.media_type())).collect();
    let documents: HashMap<usize, Uuid> =
        plan.first_chunks.iter().map(|(document, probe)| (*probe, *document)).collect();
    let mut headers = HashMap::new();
    for (index, row) in chunks.chunk_rows.iter().enumerate() {
        pause(index);
        let Some(document) = row.probe.and_then(|probe| documents.get(&probe)) else { continue };
        let chunk = chunks.chunk(index);
        let start = chunk.span().map(|span| span.start);
        let header = TableHeader::of(&media_types[document], &chunk.content(), start, row.tokens);
        headers.extend(header.map(|header| (*document, header)));
    }
    headers
}
