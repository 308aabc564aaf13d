/*!
The first statement: the hits, their documents, and the strategy of each.

A user's own strategy is a row of the store; it is read with the hits, and so are the rows that
`auto` takes for a media type. Any other preset asks nothing of the store.
*/

use super::{Relation, Store};
use crate::error::Error;
use crate::spi::{Connection, Rows, Value};
use crate::types::RawJsonb;
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

/// A hit as the store knows it.
pub struct Found {
    pub scored: Scored<uuid::Uuid>,
    pub ordinal: Option<i32>,
    pub section: Option<Section>,
    pub kind: Option<Kind>,
    pub strategy: Strategy,
    pub document: Document,
}

/// The document of a hit; all but the id may be unknown.
#[derive(Clone)]
pub struct Document {
    pub id: uuid::Uuid,
    pub media_type: Option<String>,
    pub collection: Option<String>,
    pub version: Option<String>,
    pub uri: Option<String>,
    pub title: Option<String>,
    pub metadata: Option<RawJsonb>,
}

/// What is read of a document; behind the place, document, ordinal, section and kind of its hit.
const OF_DOCUMENT: [(&str, &str); 6] = [
    ("media_type", "text"),
    ("collection", "text"),
    ("version", "text"),
    ("uri", "text"),
    ("title", "text"),
    ("metadata", "jsonb"),
];

/// What is read of a strategy; behind the document.
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
enum Source<'a> {
    Preset,
    ByName(&'a Relation),
    ByMediaType(&'a Relation),
}

impl Store {
    /// Reads the hits of a call, best first, and settles the strategy of each.
    ///
    /// Ids that the store does not hold, or that the caller may not see, give nothing.
    ///
    /// # Errors
    ///
    /// Returns [`Request::UnknownStrategy`] if the name is neither a preset nor a row of the
    /// store, and what [`Overrides::apply`] returns.
    pub fn hits(
        &self,
        connection: &Connection,
        scored: &[Scored<uuid::Uuid>],
        wanted: &Wanted,
    ) -> Result<Vec<Found>, Error> {
        let unknown = || Error::from(Request::UnknownStrategy(wanted.name.clone()));
        let preset = Strategy::preset(&wanted.name);
        let source = match (&preset, &self.strategies) {
            (Some(_), Some(rows)) if wanted.name == "auto" => Source::ByMediaType(rows),
            (Some(_), _) => Source::Preset,
            (None, Some(rows)) => Source::ByName(rows),
            (None, None) => return Err(unknown()),
        };
        let base = preset.unwrap_or_else(|| Strategy::preset("none").expect("it is a preset"));
        // A limit out of range is an error whether or not a hit is found.
        wanted.overrides.apply(&mut base.clone())?;

        let by_name = matches!(source, Source::ByName(_));
        if scored.is_empty() && !by_name {
            return Ok(Vec::new());
        }
        let ids = scored.iter().map(|hit| Uuid::from_bytes(*hit.chunk.as_bytes()));
        let mut values = vec![Value::new(ids.collect::<Vec<_>>())];
        if by_name {
            values.push(Value::new(wanted.name.clone()));
        }
        let rows = connection.read(&self.hits_statement(&source), values);
        if by_name && rows.len() == 0 {
            return Err(unknown());
        }
        let mut found = Vec::with_capacity(rows.len());
        for row in 0..rows.len() {
            // A strategy without a hit has a row of its own.
            let Some(place) = rows.get::<i64>(row, 0) else { continue };
            let mut strategy = of_store(&rows, row)?.unwrap_or_else(|| base.clone());
            wanted.overrides.apply(&mut strategy)?;
            found.push((place, hit(&rows, row, scored[place as usize - 1], strategy)));
        }
        found.sort_by_key(|(place, _)| *place);
        Ok(found.into_iter().map(|(_, found)| found).collect())
    }

    fn hits_statement(&self, source: &Source) -> String {
        let section = if self.has_kin() { "c.section" } else { "NULL::text[]" };
        let kind = self.chunks.column("c", "kind", "text");
        let of_document = columns(self.documents.as_ref(), "d", &OF_DOCUMENT);
        let of_strategy = match source {
            Source::Preset => columns(None, "s", &OF_STRATEGY),
            Source::ByName(rows) | Source::ByMediaType(rows) => {
                columns(Some(*rows), "s", &OF_STRATEGY)
            }
        };
        let documents = self.documents.as_ref().map_or_else(String::new, |documents| {
            format!("LEFT JOIN {} AS d ON d.id = c.document_id", documents.name)
        });
        let hits = format!(
            "unnest($1::uuid[]) WITH ORDINALITY AS h (chunk_id, place) \
             JOIN {} AS c ON c.id = h.chunk_id {documents}",
            self.chunks.name
        );
        let from = match source {
            Source::Preset => hits,
            Source::ByName(rows) => {
                format!("{} AS s LEFT JOIN ({hits}) ON true WHERE s.name = $2", rows.name)
            }
            // Of several rows for one media type the first by name counts.
            Source::ByMediaType(rows) => format!(
                "{hits} LEFT JOIN LATERAL (SELECT * FROM {} AS s WHERE {media_type} = ANY (s.default_for) \
                 ORDER BY s.name LIMIT 1) AS s ON true",
                rows.name,
                media_type = of_document[0],
            ),
        };
        format!(
            "SELECT h.place, c.document_id, c.ordinal, {section}, {kind}, {}, {} FROM {from}",
            of_document.join(", "),
            of_strategy.join(", ")
        )
    }
}

/// Names the columns of a relation, NULL where it or the column is missing.
fn columns(relation: Option<&Relation>, alias: &str, wanted: &[(&str, &str)]) -> Vec<String> {
    let name = |&(column, sql_type): &(&str, &str)| match relation {
        Some(relation) => relation.column(alias, column, sql_type),
        None => format!("NULL::{sql_type}"),
    };
    wanted.iter().map(name).collect()
}

/// Reads a hit from its row.
fn hit(rows: &Rows, row: usize, scored: Scored<uuid::Uuid>, strategy: Strategy) -> Found {
    let titles = rows.get::<Vec<Option<String>>>(row, 3);
    let document = Document {
        id: uuid(rows.get(row, 1)),
        media_type: rows.get(row, 5),
        collection: rows.get(row, 6),
        version: rows.get(row, 7),
        uri: rows.get(row, 8),
        title: rows.get(row, 9),
        metadata: rows.get(row, 10),
    };
    Found {
        scored,
        ordinal: rows.get(row, 2),
        section: titles.map(|titles| titles.into_iter().map(Option::unwrap_or_default).collect()),
        kind: rows.get::<String>(row, 4).and_then(|kind| Kind::from_name(&kind)),
        strategy,
        document,
    }
}

/// Reads the strategy of a hit, if it comes from the store.
fn of_store(rows: &Rows, row: usize) -> Result<Option<Strategy>, Error> {
    let first = 5 + OF_DOCUMENT.len();
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
    value.map_or(uuid::Uuid::nil(), |value| uuid::Uuid::from_bytes(*value.as_bytes()))
}

impl Document {
    /// Returns the media type, plain text where it is unknown.
    pub fn media_type(&self) -> MediaType {
        self.media_type.as_deref().map_or(MediaType::PLAIN, MediaType::new)
    }
}
