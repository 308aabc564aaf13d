/*!
The first statement: the hits themselves, their documents, and the strategy of each; where there is
one hit, with the chunks around it.

A user's own strategy is a row of the store; it is read with the hits, and so are the rows that
`auto` takes for a media type. Any other preset asks nothing of the store.
*/

use super::Store;
use super::around::{self, Lookup};
use super::columns::{Chunk, Columns};
use super::layout::{Layout, Purpose, Relation};
use crate::error::Error;
use crate::spi::{Connection, Rows, Value};
use crate::types::{RawJsonb, from_sql, to_sql};
use passage_core::hits::Scored;
use passage_core::section::Section;
use passage_core::{Error as Request, Kind, MediaType, Overrides, Strategy};
use pgrx::datum::Uuid;

/// The strategy that a call asks for.
pub struct Wanted {
    /// Its name, of a preset or of a row of the store.
    pub name: String,
    /// The named arguments of the call.
    pub overrides: Overrides,
}

/// The hits of a call that the store holds and the caller may see, best first.
pub struct Hits<'c> {
    pub(super) rows: Rows<'c>,
    pub found: Vec<Found>,
    pub(super) lookup: Lookup,
}

/// A hit as the store knows it.
pub struct Found {
    row: usize,
    pub scored: Scored<uuid::Uuid>,
    pub ordinal: Option<i32>,
    pub section: Option<Section>,
    pub kind: Option<Kind>,
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

/// The document of a hit; all but the id may be unknown.
#[derive(Clone, Default)]
pub struct Document {
    pub id: uuid::Uuid,
    pub media_type: Option<String>,
    pub collection: Option<String>,
    pub version: Option<String>,
    pub uri: Option<String>,
    pub title: Option<String>,
    pub metadata: Option<RawJsonb>,
}

/// How many columns stand before those of the chunk: place, document and kind.
const OF_HIT: usize = 3;

/// What is read of a document; behind the strategy.
const OF_DOCUMENT: [(&str, &str); 6] = [
    ("media_type", "text"),
    ("collection", "text"),
    ("version", "text"),
    ("uri", "text"),
    ("title", "text"),
    ("metadata", "jsonb"),
];

/// What is read of a strategy.
const OF_STRATEGY: [(&str, &str); 11] = [
    ("base", "text"),
    ("parents", "integer"),
    ("preceding", "integer"),
    ("following", "integer"),
    ("children", "integer"),
    ("before", "integer"),
    ("after", "integer"),
    ("siblings", "text"),
    ("within", "text"),
    ("max_tokens", "integer"),
    ("max_chunks", "integer"),
];

/// Where the limits of a call's strategy stand.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// In the extension.
    Preset,
    /// In the row of the strategy's name.
    ByName,
    /// In the row that is the default for the document's media type, else in the extension.
    ByMediaType,
}

impl Store {
    /// Reads the hits of a call, best first, and settles the strategy of each.
    ///
    /// Ids that the store does not hold, or that the caller may not see, give nothing, and where
    /// there are no ids nothing is read. Of documents more than the id is read for passages alone.
    ///
    /// # Errors
    ///
    /// Returns [`Request::UnknownStrategy`] if the name is neither a preset nor a row of the
    /// store, and what [`Overrides::apply`] returns.
    pub fn hits<'c>(
        &self,
        connection: &'c Connection,
        scored: &[Scored<uuid::Uuid>],
        wanted: &Wanted,
        columns: Columns,
    ) -> Result<Option<Hits<'c>>, Error> {
        let unknown = || Error::from(Request::UnknownStrategy(wanted.name.clone()));
        let preset = Strategy::preset(&wanted.name);
        let source = match (&preset, &self.0.strategies) {
            (Some(_), Some(rows)) if wanted.name == "auto" && rows.has("default_for") => {
                Source::ByMediaType
            }
            (Some(_), _) => Source::Preset,
            (None, Some(_)) => Source::ByName,
            (None, None) => return Err(unknown()),
        };
        let base = preset.unwrap_or_else(|| Strategy::preset("none").expect("it is a preset"));
        // A limit out of range is an error whether or not a hit is found.
        let mut asked = base.clone();
        wanted.overrides.apply(&mut asked)?;

        let by_name = source == Source::ByName;
        if scored.is_empty() && !by_name {
            return Ok(None);
        }
        let ids: Vec<_> = scored.iter().map(|hit| to_sql(hit.chunk)).collect();
        let lookup = match (&ids[..], source) {
            ([_], Source::Preset) => Lookup::one(&self.0, Some(&asked)),
            ([_], _) => Lookup::one(&self.0, None),
            _ => Lookup::Many,
        };
        let mut values =
            vec![if lookup == Lookup::Many { Value::new(ids) } else { Value::new(ids[0]) }];
        if by_name {
            values.push(Value::new(wanted.name.clone()));
        }
        let purpose = Purpose::Hits { source, columns, lookup };
        let statement = self.0.statement(purpose, || statement(&self.0, source, columns, lookup));
        let rows = connection.read(&statement, values);
        if by_name && rows.len() == 0 {
            return Err(unknown());
        }
        let first_strategy = OF_HIT + columns.count();
        let strategies = if source == Source::Preset { 0 } else { OF_STRATEGY.len() };
        let documents = (columns == Columns::Passage).then_some(first_strategy + strategies);
        let mut found = Vec::with_capacity(rows.len());
        for row in 0..rows.len() {
            // A strategy without a hit has a row of its own, and so has a chunk around the hit.
            let Some(place) = rows.get::<i64>(row, 0) else { continue };
            let chunk = Chunk { rows: &rows, row, first: OF_HIT };
            let (ordinal, section) = (chunk.ordinal(), chunk.titles());
            let kind = rows.get::<String>(row, 2).and_then(|kind| Kind::from_name(&kind));
            let own = if strategies > 0 { of_store(&rows, row, first_strategy)? } else { None };
            let mut strategy = own.unwrap_or_else(|| base.clone());
            wanted.overrides.apply(&mut strategy)?;
            let scored = scored[place as usize - 1];
            let document = document(&rows, row, documents);
            found.push((place, Found { row, scored, ordinal, section, kind, strategy, document }));
        }
        found.sort_by_key(|(place, _)| *place);
        let found = found.into_iter().map(|(_, found)| found).collect();
        Ok(Some(Hits { rows, found, lookup }))
    }
}

fn statement(layout: &Layout, source: Source, columns: Columns, lookup: Lookup) -> String {
    let strategies = layout.strategies.as_ref().map_or("", |strategies| &strategies.name);
    let with_documents = columns == Columns::Passage;
    // The join with documents is left out where nothing of them is asked for.
    let documents =
        layout.documents.as_ref().filter(|_| with_documents || source == Source::ByMediaType);
    let join = documents.map_or_else(String::new, |documents| {
        format!("LEFT JOIN {} AS d ON d.id = c.document_id", documents.name)
    });
    let of_document = all(documents, "d", &OF_DOCUMENT);
    let (place, found) = lookup.write(&layout.chunks.name);
    let hits = format!("{found} {join}");
    let from = match source {
        Source::Preset => hits,
        Source::ByName => {
            format!("{strategies} AS s LEFT JOIN ({hits}) ON true WHERE s.name = $2")
        }
        // Of several rows for one media type the first by name counts.
        Source::ByMediaType => format!(
            "{hits} LEFT JOIN LATERAL (SELECT * FROM {strategies} AS s \
             WHERE {media_type} = ANY (s.default_for) ORDER BY s.name LIMIT 1) AS s ON true",
            media_type = of_document[0],
        ),
    };
    let mut selected = vec![
        place.to_owned(),
        layout.chunks.column("c", "document_id", "uuid"),
        layout.chunks.column("c", "kind", "text"),
    ];
    selected.extend(columns.select(layout).into_iter().map(|(_, sql)| sql));
    if source != Source::Preset {
        selected.extend(all(layout.strategies.as_ref(), "s", &OF_STRATEGY));
    }
    if with_documents {
        selected.extend(of_document);
    }
    if lookup == Lookup::Around {
        selected.extend(around::keys(layout));
    }
    format!("SELECT {} FROM {from}", selected.join(", "))
}

/// Names the columns of a relation, NULL where it or the column is missing.
fn all(relation: Option<&Relation>, alias: &str, wanted: &[(&str, &str)]) -> Vec<String> {
    let name = |&(column, sql_type): &(&str, &str)| match relation {
        Some(relation) => relation.column(alias, column, sql_type),
        None => format!("NULL::{sql_type}"),
    };
    wanted.iter().map(name).collect()
}

/// Reads the document of a hit; what is told of it begins at a column, if it was read.
fn document(rows: &Rows, row: usize, first: Option<usize>) -> Document {
    let id = uuid(rows.get(row, 1));
    let Some(first) = first else { return Document { id, ..Document::default() } };
    Document {
        id,
        media_type: rows.get(row, first),
        collection: rows.get(row, first + 1),
        version: rows.get(row, first + 2),
        uri: rows.get(row, first + 3),
        title: rows.get(row, first + 4),
        metadata: rows.get(row, first + 5),
    }
}

/// Reads the strategy of a hit, if it comes from the store.
fn of_store(rows: &Rows, row: usize, first: usize) -> Result<Option<Strategy>, Error> {
    let Some(base) = rows.get::<String>(row, first) else { return Ok(None) };
    let limit = |column: usize| rows.get::<i32>(row, first + column);
    let stored = Overrides {
        parents: limit(1),
        preceding: limit(2),
        following: limit(3),
        children: limit(4),
        before: limit(5),
        after: limit(6),
        siblings: rows.get(row, first + 7),
        within: rows.get(row, first + 8),
        max_tokens: limit(9),
        max_chunks: limit(10),
    };
    let mut strategy = Strategy::preset(&base).ok_or(Request::UnknownStrategy(base))?;
    stored.apply(&mut strategy)?;
    Ok(Some(strategy))
}

/// A uuid that is not NULL; a view may have one, and then nothing matches it.
pub(super) fn uuid(value: Option<Uuid>) -> uuid::Uuid {
    value.map_or(uuid::Uuid::nil(), from_sql)
}

impl Document {
    /// Returns the media type, plain text where it is unknown.
    pub fn media_type(&self) -> MediaType {
        self.media_type.as_deref().map_or(MediaType::PLAIN, MediaType::new)
    }
}
