/*!
The first statement: the hits, their documents and strategies, and the neighborhoods of a few hits.

A custom strategy is a row of the store. It is read with the hits, and so are the rows that `auto` uses
for a media type. Other presets read nothing else from the store. Containers around hits are found in the same
statement if the hits of the last call were in code, else by a statement of their own: to start their subqueries
costs a fifth of a call on prose.
*/

use super::chunk_columns::{ChunkColumns, StoredChunk};
use super::containers;
use super::hit_document::{self, HitDocument};
use super::hit_lookup::{HitLookup, keys};
use super::strategy::{CustomStrategies, StrategyRequest, StrategySource};
use crate::server::error::Error;
use crate::server::spi::{Connection, Rows, Value};
use crate::server::sql_text::EQUAL;
use crate::server::types::{UuidArray, to_sql};
use crate::store::Store;
use crate::store::layout::{Layout, StatementKey};
use crate::store::shards::Route;
use passage_core::Strategy;
use passage_core::expand::{Container, Hit};
use passage_core::hits::ScoredHit;
use passage_split::interrupt::poll_periodically as pause;
use passage_split::{DataFormat, Kind, Unit};
use std::collections::HashMap;
use std::rc::Rc;
use uuid::Uuid;

/// Identifies the statement.
#[derive(Clone, PartialEq)]
struct HitStatement {
    source: StrategySource,
    columns: ChunkColumns,
    lookup: HitLookup,
    containers: bool,
}

impl StatementKey for HitStatement {}

/// The hits of a call that the store holds and the caller may see, best first.
pub struct Hits<'c> {
    pub(super) rows: Rows<'c>,
    pub list: Vec<StoredHit>,
    pub(super) lookup: HitLookup,
}

/// A hit with what the store knows of it.
#[derive(Clone)]
pub struct StoredHit {
    row: usize,
    pub scored: ScoredHit<Uuid>,
    pub ordinal: Option<i32>,
    pub kind: Option<Kind>,
    pub unit: Option<Unit>,
    pub containers: Vec<Container>,
    pub strategy: Strategy,
    /// Shared by the hits of a document, since a call may have a million hits.
    pub document: Rc<HitDocument>,
}

impl Hits<'_> {
    /// Returns a hit as a chunk.
    pub fn chunk(&self, hit: usize) -> StoredChunk<'_> {
        self.row(self.list[hit].row)
    }

    /// Returns the hits as expansion needs them.
    pub fn hits(&self) -> Vec<Hit<'_>> {
        let hits = self.list.iter().enumerate().map(|(index, hit)| {
            pause(index);
            let StoredHit { scored, strategy, document, .. } = hit;
            Hit {
                chunk: scored.chunk,
                document: document.id,
                ordinal: hit.ordinal,
                section: self.chunk(index).section(),
                kind: hit.kind,
                unit: hit.unit,
                containers: hit.containers.clone(),
                format: DataFormat::of(&document.media_type()),
                score_rank: scored.score_rank,
                strategy,
            }
        });
        hits.collect()
    }

    /// Returns the position of the hit in a row among the ids of the call, counted from 1. A neighbor has none, and
    /// neither has the row of a strategy without a hit.
    pub(super) fn position(&self, row: usize) -> Option<i64> {
        self.rows.get(row, POSITION)
    }

    /// Returns the document of a row.
    pub(super) fn document(&self, row: usize) -> Uuid {
        self.rows.uuid(row, DOCUMENT)
    }

    /// Returns the chunk in a row, which may be a neighbor of a hit.
    pub(super) fn row(&self, row: usize) -> StoredChunk<'_> {
        StoredChunk { rows: &self.rows, row, first: FIRST_CHUNK_COLUMN }
    }
}

/// The columns before those of the chunk.
const POSITION: usize = 0;
const DOCUMENT: usize = 1;
const MEDIA_TYPE: usize = 2;
const KIND: usize = 3;
const UNIT: usize = 4;
const CONTAINERS: usize = 5;
const STRATEGIES: usize = 6;
const FIRST_CHUNK_COLUMN: usize = 7;

impl Store {
    /// Reads the hits of a call, best first, and determines the strategy of each.
    ///
    /// Ids that the store does not hold, or that the caller may not see, are left out. Without ids
    /// nothing is read. Of documents, more than the id and the media type is read for passages alone. Of candidates some
    /// are selected later.
    ///
    /// # Errors
    ///
    /// Returns [`UnknownStrategy`] if the name is neither a preset nor a row of the store, and what
    /// [`StrategyOverrides::apply`] returns.
    ///
    /// [`UnknownStrategy`]: passage_core::Error::UnknownStrategy
    /// [`StrategyOverrides::apply`]: passage_core::StrategyOverrides::apply
    pub fn hits<'c>(
        &self,
        connection: &'c Connection,
        scored: &[ScoredHit<Uuid>],
        request: &StrategyRequest,
        columns: ChunkColumns,
        are_candidates: bool,
    ) -> Result<Option<Hits<'c>>, Error> {
        let source = request.source(&self.0)?;
        // A limit out of range is an error whether or not a hit is found.
        let preset = request.preset()?;
        let by_name = source == StrategySource::ByName;
        if scored.is_empty() && !by_name {
            return Ok(None);
        }
        let known = Some(&preset).filter(|_| !source.may_need_containers());
        let lookup = HitLookup::new(&self.0, scored.len(), are_candidates, known);
        let mut values = vec![if lookup.is_single() {
            Value::new(to_sql(scored[0].chunk))
        } else {
            Value::new(scored.iter().map(|hit| hit.chunk).collect::<UuidArray>())
        }];
        if by_name {
            values.push(Value::new(request.name.clone()));
        }
        let containers = source.may_need_containers() && self.expects_containers();
        let key = HitStatement { source, columns, lookup, containers };
        let statement = self.0.statement(key.clone(), || statement(&self.0, key));
        let ids: Vec<_> = scored.iter().map(|hit| hit.chunk).collect();
        let rows = self.read(connection, &statement, values, Route::Chunks(&ids), None);
        // The strategies are the same in every row, and by name there is a row even without a hit.
        let custom = if rows.len() > 0 { rows.get(0, STRATEGIES) } else { None };
        let custom = CustomStrategies::parse(custom, request)?;
        if by_name && custom.is_empty() {
            return Err(request.unknown());
        }
        let has_sections = self.0.has_sections();
        let first_document_column = FIRST_CHUNK_COLUMN + columns.count();
        let mut documents: HashMap<Uuid, Rc<HitDocument>> = HashMap::new();
        let mut list = Vec::with_capacity(rows.len());
        for row in 0..rows.len() {
            pause(row);
            // A strategy without a hit has a row of its own, and so has a neighbor of the hit.
            let Some(position) = rows.get::<i64>(row, POSITION) else { continue };
            let chunk = StoredChunk { rows: &rows, row, first: FIRST_CHUNK_COLUMN };
            let id = rows.uuid(row, DOCUMENT);
            let document = documents.entry(id).or_insert_with(|| {
                let places = [DOCUMENT, MEDIA_TYPE, first_document_column];
                Rc::new(hit_document::read(&rows, row, columns, places))
            });
            let name = |column| rows.get::<String>(row, column);
            let hit = StoredHit {
                row,
                scored: scored[position as usize - 1],
                ordinal: chunk.ordinal(),
                kind: name(KIND).and_then(|kind| Kind::from_name(&kind)),
                unit: name(UNIT).and_then(|unit| Unit::from_name(&unit)),
                containers: containers::read(rows.get(row, CONTAINERS)),
                strategy: request.strategy(source, &custom, document, has_sections)?,
                document: Rc::clone(document),
            };
            list.push((position, hit));
        }
        list.sort_by_key(|(position, _)| *position);
        let mut list: Vec<_> = list.into_iter().map(|(_, hit)| hit).collect();
        if source.may_need_containers() {
            let is_unit =
                |hit: &usize| containers::may_have_containers(list[*hit].kind, list[*hit].unit);
            let units: Vec<_> = (0..list.len()).filter(is_unit).collect();
            self.expect_containers(!units.is_empty());
            let unread = if containers { &[] } else { &units[..] };
            let ids: Vec<_> = unread.iter().map(|hit| list[*hit].scored.chunk).collect();
            for (position, containers) in self.containers(connection, &ids) {
                list[units[position]].containers = containers;
            }
        }
        Ok(Some(Hits { rows, list, lookup }))
    }
}

fn statement(layout: &Layout, key: HitStatement) -> String {
    let HitStatement { source, columns, lookup, containers } = key;
    // Documents are joined only if one of their columns is read.
    let with_documents = matches!(columns, ChunkColumns::Passage { .. });
    let needs_documents = with_documents || source.may_need_containers();
    let documents = layout.documents.as_ref().filter(|_| needs_documents);
    let join = documents.map_or_else(String::new, |documents| {
        format!("LEFT JOIN {} AS d ON d.id {EQUAL} {}", documents.name, lookup.document())
    });
    let media_type = hit_document::media_type(documents);
    let hits = format!("{} {join}", lookup.join(layout));
    let strategies = source.select(layout.strategies.as_ref());
    let (strategies, from) = match source {
        StrategySource::ByName => {
            let from = format!("(SELECT {strategies} AS found) AS s LEFT JOIN ({hits}) ON true");
            ("s.found".to_owned(), from)
        }
        _ => (strategies, hits),
    };
    let text_column = |column| layout.chunks.column("c", column, "text");
    let mut selected = vec![
        lookup.position(),
        layout.chunks.column("c", "document_id", "uuid"),
        media_type,
        text_column("kind"),
        text_column("unit"),
        if containers { containers::select(layout, &lookup.is_hit()) } else { containers::none() },
        strategies,
    ];
    selected.extend(columns.select(layout).into_iter().map(|(_, sql)| sql));
    if with_documents {
        selected.extend(hit_document::select(documents));
    }
    if lookup.has_neighbors {
        selected.extend(keys(layout));
    }
    format!("SELECT {} FROM {from}", selected.join(", "))
}
