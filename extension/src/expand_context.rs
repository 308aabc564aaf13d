//! `expand_context` and `expand_contexts`: the context of hits, a row a chunk.

use crate::error::Error;
use crate::settings;
use crate::spi;
use crate::store::{Chunks, Columns, Found, Store, Wanted, pause};
use crate::types::{Ltree, Name, RawText, TextArray, from_sql, to_sql};
use passage_core::Overrides;
use passage_core::expand::{self, Budget, Choice, Hit, Pick, Role, add_imports, choose};
use passage_core::hits::{Scored, rank};
use pgrx::datum::{JsonB, Uuid};
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern};

/// What a call of any expanding function asks for.
pub struct Call {
    pub chunk_ids: Option<Vec<Option<Uuid>>>,
    pub scores: Option<Vec<Option<f64>>>,
    pub strategy: Option<String>,
    pub overrides: Overrides,
    pub store: Option<Name>,
}

/// What a caller wants to know of what was found, beside the context itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Rows of context.
    Context,
    /// Rows of context, and what was left out.
    Explained,
    /// What passages are made of.
    Passage {
        /// Whether what a passage uses of the imports of its document comes, too.
        imports: bool,
    },
}

/// What a call found, while its chunks can still be read.
pub struct Expanded<'a> {
    /// The ids of the call, those that were not found among them.
    pub scored: &'a [Scored<uuid::Uuid>],
    pub found: &'a [Found],
    pub hits: &'a [Hit<'a>],
    pub chunks: &'a Chunks<'a>,
    pub choice: &'a Choice,
}

impl Call {
    /// Finds the hits, reads their context, chooses, and hands all of it to `then`.
    ///
    /// What is told of documents is read for passages alone.
    pub fn expand<R: Default>(
        self,
        extent: Extent,
        then: impl FnOnce(Expanded) -> R,
    ) -> Result<R, Error> {
        let ids = self.chunk_ids.unwrap_or_default();
        let ids: Vec<_> = ids.into_iter().map(|id| id.map(from_sql)).collect();
        let scored = rank(&ids, self.scores.as_deref())?;
        let name = self.strategy.unwrap_or_else(settings::strategy);
        let wanted = Wanted { name, overrides: self.overrides };
        let store = Store::resolve(self.store)?;
        spi::connect(|connection| {
            let columns = match extent {
                Extent::Passage { imports } => Columns::Passage { imports },
                Extent::Context | Extent::Explained => Columns::Context,
            };
            let imports = extent == Extent::Passage { imports: true };
            let Some(read) = store.hits(connection, &scored, &wanted, columns)? else {
                return Ok(R::default());
            };
            let hits: Vec<_> = read.found.iter().map(Found::hit).collect();
            let plan = expand::plan(&hits, imports);
            let chunks = store.chunks(connection, &read, &plan, columns);
            let budget = Budget::of(&hits);
            let explain = extent == Extent::Explained;
            let mut choice = choose(&hits, &plan, &chunks.outlines, &chunks, budget, explain);
            if imports {
                add_imports(&hits, &plan, &chunks.outlines, &chunks, budget, &mut choice);
            }
            let (found, hits, chunks, choice) = (&read.found[..], &hits[..], &chunks, &choice);
            Ok(then(Expanded { scored: &scored, found, hits, chunks, choice }))
        })
    }
}

impl Found {
    /// The hit as expansion needs it.
    fn hit(&self) -> Hit<'_> {
        Hit {
            chunk: self.scored.chunk,
            document: self.document.id,
            ordinal: self.ordinal,
            section: self.section.clone(),
            kind: self.kind,
            unit: self.unit,
            containers: self.containers.clone(),
            json: self.document.is_json(),
            class: self.scored.class,
            strategy: &self.strategy,
        }
    }
}

/// A row of context, as the columns of both functions.
type Context = (
    Uuid,
    Uuid,
    Option<i32>,
    &'static str,
    i32,
    Uuid,
    Option<f64>,
    Option<f64>,
    Option<i32>,
    TextArray,
    Option<Ltree>,
    i32,
    RawText,
);

#[pg_extern(stable, parallel_restricted, schema = "passage")]
#[expect(clippy::too_many_arguments, clippy::type_complexity, reason = "one for each in SQL")]
fn expand_context(
    chunk_id: Option<Uuid>,
    strategy: default!(Option<String>, "NULL"),
    parents: default!(Option<i32>, "NULL"),
    preceding: default!(Option<i32>, "NULL"),
    following: default!(Option<i32>, "NULL"),
    children: default!(Option<i32>, "NULL"),
    before: default!(Option<i32>, "NULL"),
    after: default!(Option<i32>, "NULL"),
    windows: default!(Option<JsonB>, "NULL"),
    siblings: default!(Option<String>, "NULL"),
    within: default!(Option<String>, "NULL"),
    threshold: default!(Option<f64>, "NULL"),
    count_by: default!(Option<String>, "NULL"),
    max_tokens: default!(Option<i32>, "NULL"),
    max_chunks: default!(Option<i32>, "NULL"),
    store: default!(Option<Name>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(chunk_id, Uuid),
            name!(document_id, Uuid),
            name!(ordinal, Option<i32>),
            name!(role, &'static str),
            name!(distance, i32),
            name!(hit_id, Uuid),
            name!(score, Option<f64>),
            name!(decayed_score, Option<f64>),
            name!(level, Option<i32>),
            name!(section, TextArray),
            name!(path, Option<Ltree>),
            name!(tokens, i32),
            name!(content, RawText),
        ),
    >,
    ErrorReport,
> {
    let overrides = Overrides {
        parents,
        preceding,
        following,
        children,
        before,
        after,
        windows: windows.map(|JsonB(windows)| windows),
        siblings,
        within,
        threshold,
        count_by,
        max_tokens,
        max_chunks,
    };
    let call = Call { chunk_ids: Some(vec![chunk_id]), scores: None, strategy, overrides, store };
    Ok(TableIterator::new(call.expand(Extent::Context, rows)?))
}

#[pg_extern(stable, parallel_restricted, schema = "passage")]
#[expect(clippy::too_many_arguments, clippy::type_complexity, reason = "one for each in SQL")]
fn expand_contexts(
    chunk_ids: Option<Vec<Option<Uuid>>>,
    scores: default!(Option<Vec<Option<f64>>>, "NULL"),
    strategy: default!(Option<String>, "NULL"),
    parents: default!(Option<i32>, "NULL"),
    preceding: default!(Option<i32>, "NULL"),
    following: default!(Option<i32>, "NULL"),
    children: default!(Option<i32>, "NULL"),
    before: default!(Option<i32>, "NULL"),
    after: default!(Option<i32>, "NULL"),
    windows: default!(Option<JsonB>, "NULL"),
    siblings: default!(Option<String>, "NULL"),
    within: default!(Option<String>, "NULL"),
    threshold: default!(Option<f64>, "NULL"),
    count_by: default!(Option<String>, "NULL"),
    max_tokens: default!(Option<i32>, "NULL"),
    max_chunks: default!(Option<i32>, "NULL"),
    store: default!(Option<Name>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(chunk_id, Uuid),
            name!(document_id, Uuid),
            name!(ordinal, Option<i32>),
            name!(role, &'static str),
            name!(distance, i32),
            name!(hit_id, Uuid),
            name!(score, Option<f64>),
            name!(decayed_score, Option<f64>),
            name!(level, Option<i32>),
            name!(section, TextArray),
            name!(path, Option<Ltree>),
            name!(tokens, i32),
            name!(content, RawText),
        ),
    >,
    ErrorReport,
> {
    let overrides = Overrides {
        parents,
        preceding,
        following,
        children,
        before,
        after,
        windows: windows.map(|JsonB(windows)| windows),
        siblings,
        within,
        threshold,
        count_by,
        max_tokens,
        max_chunks,
    };
    let call = Call { chunk_ids, scores, strategy, overrides, store };
    Ok(TableIterator::new(call.expand(Extent::Context, rows)?))
}

/// Makes the rows of what was chosen.
fn rows(expanded: Expanded) -> Vec<Context> {
    let Expanded { found, chunks, choice, .. } = expanded;
    let row = |pick: &Pick| {
        let outline = &chunks.outlines[pick.row];
        let chunk = chunks.chunk(pick.row);
        let hit = &found[pick.hit];
        let score = hit.scored.score;
        (
            to_sql(outline.chunk),
            to_sql(hit.document.id),
            outline.ordinal,
            pick.role.name(),
            pick.distance,
            to_sql(hit.scored.chunk),
            score,
            score.map(|score| decayed(score, pick)),
            chunk.level(),
            chunk.section(),
            chunk.path(),
            outline.tokens as i32,
            chunk.raw_content(),
        )
    };
    let picks = choice.picks.iter().enumerate();
    picks
        .map(|(place, pick)| {
            pause(place);
            row(pick)
        })
        .collect()
}

/// The score of a hit as it counts for a chunk of its context (seed 002): half of it, divided by the
/// distance; a chunk at distance zero counts as one at distance one.
fn decayed(score: f64, pick: &Pick) -> f64 {
    match pick.role {
        Role::Hit => score,
        _ => score * 0.5 / f64::from(pick.distance.unsigned_abs().max(1)),
    }
}
