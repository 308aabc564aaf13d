/*!
The first statement: the hits themselves, their documents, and the strategy of each; where there is
one hit, with the chunks around it.

A user's own strategy is a row of the store; it is read with the hits, and so are the rows that
`auto` takes for a media type. Where a strategy may want containers, those around each hit are found
along with it. Any other preset asks nothing of the store.
*/

use super::Store;
use super::around::{self, Lookup};
use super::columns::{Chunk, Columns};
use super::containers;
use super::document::{self, Document};
use super::layout::{Layout, Purpose};
use super::operators::EQUAL;
use super::strategy::{Rows as Strategies, Source, Wanted};
use crate::error::Error;
use crate::interrupt::pause;
use crate::spi::{Connection, Rows, Value};
use crate::types::{UuidArray, from_sql, to_sql};
use passage_core::expand::Container;
use passage_core::hits::ScoredHit;
use passage_core::section::Section;
use passage_core::{Kind, Strategy, Unit};
use pgrx::datum::Uuid;

/// The hits of a call that the store holds and the caller may see, best first.
pub struct Hits<'c> {
    pub(super) rows: Rows<'c>,
    pub found: Vec<Found>,
    pub(super) lookup: Lookup,
}

/// A hit as the store knows it.
pub struct Found {
    row: usize,
    pub scored: ScoredHit<uuid::Uuid>,
    pub ordinal: Option<i32>,
    pub section: Option<Section>,
    pub kind: Option<Kind>,
    pub unit: Option<Unit>,
    pub containers: Vec<Container>,
    pub strategy: Strategy,
    pub document: Document,
}

impl Hits<'_> {
    /// Returns a hit as a chunk.
    pub fn chunk(&self, hit: usize) -> Chunk<'_> {
        self.row(self.found[hit].row)
    }

    /// Returns the chunk in a row, which may be one around the hit.
    pub(super) fn row(&self, row: usize) -> Chunk<'_> {
        Chunk { rows: &self.rows, row, first: OF_HIT }
    }
}

/// How many columns stand before those of the chunk: place, document, media type, kind, unit,
/// containers and strategies.
const OF_HIT: usize = 7;

/// The column of the strategies.
const STRATEGIES: usize = 6;

impl Store {
    /// Reads the hits of a call, best first, and settles the strategy of each.
    ///
    /// Ids that the store does not hold, or that the caller may not see, give nothing, and where
    /// there are no ids nothing is read. Of documents more than the id and the media type is read
    /// for passages alone.
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
        scored: &[ScoredHit<uuid::Uuid>],
        wanted: &Wanted,
        columns: Columns,
    ) -> Result<Option<Hits<'c>>, Error> {
        let source = wanted.source(self.0.strategies.as_ref())?;
        // A limit out of range is an error whether or not a hit is found.
        let asked = wanted.preset()?;
        let by_name = source == Source::ByName;
        if scored.is_empty() && !by_name {
            return Ok(None);
        }
        let lookup = match (scored, source) {
            ([_], Source::Preset { container: false }) => Lookup::one(&self.0, Some(&asked)),
            ([_], _) => Lookup::one(&self.0, None),
            _ => Lookup::Many,
        };
        let mut values = vec![if lookup == Lookup::Many {
            Value::new(scored.iter().map(|hit| hit.chunk).collect::<UuidArray>())
        } else {
            Value::new(to_sql(scored[0].chunk))
        }];
        if by_name {
            values.push(Value::new(wanted.name.clone()));
        }
        let purpose = Purpose::Hits { source, columns, lookup };
        let statement = self.0.statement(purpose, || statement(&self.0, source, columns, lookup));
        let rows = connection.read(&statement, values);
        // The strategies are the same in every row, and there is a row even without a hit by name.
        let own = if rows.len() > 0 { rows.get(0, STRATEGIES) } else { None };
        let own = Strategies::read(own, wanted)?;
        if by_name && own.is_empty() {
            return Err(wanted.unknown());
        }
        let first_document = OF_HIT + columns.count();
        let mut found = Vec::with_capacity(rows.len());
        for row in 0..rows.len() {
            pause(row);
            // A strategy without a hit has a row of its own, and so has a chunk around the hit.
            let Some(place) = rows.get::<i64>(row, 0) else { continue };
            let chunk = Chunk { rows: &rows, row, first: OF_HIT };
            let document = Document {
                id: uuid(rows.get(row, 1)),
                media_type: rows.get(row, 2),
                ..document::read(&rows, row, columns, first_document)
            };
            let name = |column| rows.get::<String>(row, column);
            let strategy = wanted.strategy(source, &own, &document)?;
            let found_here = Found {
                row,
                scored: scored[place as usize - 1],
                ordinal: chunk.ordinal(),
                section: chunk.titles(),
                kind: name(3).and_then(|kind| Kind::from_name(&kind)),
                unit: name(4).and_then(|unit| Unit::from_name(&unit)),
                containers: containers::read(rows.get(row, 5)),
                strategy,
                document,
            };
            found.push((place, found_here));
        }
        found.sort_by_key(|(place, _)| *place);
        let found = found.into_iter().map(|(_, found)| found).collect();
        Ok(Some(Hits { rows, found, lookup }))
    }
}

fn statement(layout: &Layout, source: Source, columns: Columns, lookup: Lookup) -> String {
    let container = source.may_want_containers();
    // The join with documents is left out where nothing of them is asked for.
    let with_documents = matches!(columns, Columns::Passage { .. });
    let documents = layout.documents.as_ref().filter(|_| with_documents || container);
    let join = documents.map_or_else(String::new, |documents| {
        format!("LEFT JOIN {} AS d ON d.id {EQUAL} {}", documents.name, lookup.document())
    });
    let media_type = document::media_type(documents);
    let (place, found) = lookup.write(&layout.chunks.name);
    let hits = format!("{found} {join}");
    let strategies = source.select(layout.strategies.as_ref());
    let (strategies, from) = match source {
        Source::ByName => {
            let from = format!("(SELECT {strategies} AS found) AS s LEFT JOIN ({hits}) ON true");
            ("s.found".to_owned(), from)
        }
        _ => (strategies, hits),
    };
    let of_chunk = |column| layout.chunks.column("c", column, "text");
    let mut selected = vec![
        place,
        layout.chunks.column("c", "document_id", "uuid"),
        media_type,
        of_chunk("kind"),
        of_chunk("unit"),
        if container { containers::select(layout, &lookup.is_hit()) } else { containers::none() },
        strategies,
    ];
    selected.extend(columns.select(layout).into_iter().map(|(_, sql)| sql));
    if with_documents {
        selected.extend(document::select(documents));
    }
    if lookup == Lookup::Around {
        selected.extend(around::keys(layout));
    }
    format!("SELECT {} FROM {from}", selected.join(", "))
}

/// A uuid that is not NULL; a view may have one, and then nothing matches it.
pub(super) fn uuid(value: Option<Uuid>) -> uuid::Uuid {
    value.map_or(uuid::Uuid::nil(), from_sql)
}
