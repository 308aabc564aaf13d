//! What every expanding function does: find the hits, read their context, choose.

use crate::error::Error;
use crate::settings;
use crate::spi;
use crate::store::{Chunks, Columns, Found, Store, Wanted};
use crate::types::{Name, from_sql};
use passage_core::Overrides;
use passage_core::expand::{self, Budget, Choice, Hit, add_imports, choose};
use passage_core::hits::{Scored, rank};
use pgrx::datum::Uuid;

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
