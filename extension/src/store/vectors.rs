/*!
The vector leg of a search: the chunks nearest to an embedding.

The index is walked in the order of nearness until enough chunks pass the filters: pgvector's
iterative scan, which is on for the time of the statement, as policies and views filter, too. It gives
up after `hnsw.max_scan_tuples`, and an index may miss a chunk; so where fewer came than were asked
for, what passes the filters is compared one by one, up to a bound. If there is more than that, the
caller is told.
*/

use super::Store;
use super::facts::Distance;
use super::filters::{Filters, Shape};
use super::hits::uuid;
use super::layout::{Layout, Purpose};
use super::matches::Ranked;
use super::operators::EQUAL;
use crate::error::Error;
use crate::interrupt::pause;
use crate::spi::{Connection, Setting, Value};
use pgrx::{PgLogLevel, PgSqlErrorCode, function_name, pg_sys};
use std::ffi::{CStr, CString};

/// An embedding to search by, and how the store compares it with its own.
pub struct Vectors {
    numbers: Vec<f32>,
    distance: Distance,
    schema: String,
    embedding_type: &'static str,
}

/// How nearest chunks are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Search {
    /// By the index.
    Indexed,
    /// One by one.
    Exact,
}

/// The most chunks that are compared one by one.
const COMPARED: usize = 20_000;

/// How wide the index is walked, if the caller does not walk it wider: twice what is asked for, and
/// at least 200. Walked no wider than asked, indexes of a store of source code missed one to eight points
/// of recall; with 200 none.
const EF_SEARCH: std::ops::RangeInclusive<usize> = 200..=1_000;

impl Vectors {
    /// Returns the embedding as a value, of the type `real[]`.
    pub fn value(&self) -> Value {
        Value::new(self.numbers.clone())
    }

    /// Writes the distance of the alias `e` to the embedding, which is `$1`.
    fn distance(&self) -> String {
        self.compared(self.distance)
    }

    /// Returns a score for a distance, higher being better.
    pub fn score(&self, distance: f64) -> f64 {
        self.distance.score(distance)
    }

    /// Writes the distance for a statement that compares one by one: there the embedding is taken
    /// from its array once, and not for each row.
    pub fn distance_to_each(&self) -> String {
        let Self { schema, embedding_type, distance, .. } = self;
        let operator = distance.operator();
        format!("e.embedding OPERATOR({schema}.{operator}) (SELECT $1::{schema}.{embedding_type})")
    }

    /// Writes the cosine distance.
    pub fn cosine(&self) -> String {
        self.compared(Distance::Cosine)
    }

    fn compared(&self, distance: Distance) -> String {
        let Self { schema, embedding_type, .. } = self;
        let operator = distance.operator();
        format!("e.embedding OPERATOR({schema}.{operator}) $1::{schema}.{embedding_type}")
    }
}

impl Store {
    /// Takes an embedding to search by.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoEmbeddings`] if the store has none, and [`Error::Embedding`] if this one
    /// is not of its dimensions or holds what is no number.
    pub fn vectors(
        &self,
        connection: &Connection,
        embedding: Vec<Option<f32>>,
    ) -> Result<Vectors, Error> {
        let embeddings = self.0.embeddings.as_ref();
        let found =
            embeddings.and_then(|of| of.schema_of("embedding", c"vector", &["vector", "halfvec"]));
        let Some((schema, embedding_type)) = found else {
            return Err(Error::NoEmbeddings { store: self.0.store.clone() });
        };
        let facts = self.facts(connection);
        let (given, dimensions) = (embedding.len(), facts.dimensions);
        let store = || self.0.store.clone();
        if dimensions.is_some_and(|dimensions| dimensions as usize != given) || given == 0 {
            return Err(Error::Dimensions { store: store(), given, dimensions });
        }
        let numbers: Option<Vec<_>> = embedding
            .into_iter()
            .map(|number| number.filter(|number| number.is_finite()))
            .collect();
        let numbers = numbers.ok_or(Error::NoNumber)?;
        Ok(Vectors { numbers, distance: facts.distance, schema, embedding_type })
    }

    /// Finds the chunks nearest to an embedding, best first, at most so many, with the score that the
    /// store's distance gives.
    pub fn vector_leg(
        &self,
        connection: &Connection,
        vectors: &Vectors,
        filters: &Filters,
        most: usize,
    ) -> Ranked {
        // By cosine what is not similar enough comes last, so it need not be looked for.
        let by_cosine = vectors.distance == Distance::Cosine;
        let asked =
            if by_cosine { &Filters { min_similarity: None, ..filters.clone() } } else { filters };
        let mut found = self.nearest(connection, vectors, asked, Search::Indexed, most);
        if found.len() < most {
            let exact = self.nearest(connection, vectors, asked, Search::Exact, COMPARED + 1);
            if exact.len() > COMPARED && found.len() < most {
                shortfall(found.len(), most);
            }
            if exact.len() > found.len() {
                found = exact;
            }
        }
        found.sort_by(|(a, first), (b, second)| first.total_cmp(second).then(a.cmp(b)));
        found.truncate(most);
        let score = |(chunk, distance)| (chunk, vectors.distance.score(distance));
        let least = filters.min_similarity.filter(|_| by_cosine);
        let near = |(_, score): &(_, f64)| least.is_none_or(|least| *score >= least);
        found.into_iter().map(score).filter(near).collect()
    }

    /// Reads chunks with their distances.
    fn nearest(
        &self,
        connection: &Connection,
        vectors: &Vectors,
        filters: &Filters,
        search: Search,
        most: usize,
    ) -> Ranked {
        let shape = filters.shape();
        let purpose = Purpose::Nearest { search, filters: shape };
        let statement = self.0.statement(purpose, || statement(&self.0, vectors, search, shape));
        let mut values = vec![vectors.value(), Value::new(most as i64)];
        values.extend(filters.values());
        let settings = if search == Search::Indexed { settings(most) } else { Vec::new() };
        let rows = connection.read_with(&statement, values, &settings);
        let chunk = |row| {
            pause(row);
            let distance: f64 = rows.get(row, 1)?;
            // The zero vector has no cosine to anything.
            (!distance.is_nan()).then(|| (uuid(rows.get(row, 0)), distance))
        };
        (0..rows.len()).filter_map(chunk).collect()
    }
}

fn statement(layout: &Layout, vectors: &Vectors, search: Search, filters: Shape) -> String {
    let embeddings = layout.embeddings.as_ref().expect("there are embeddings");
    // Embeddings that do not say their document are asked through their chunk.
    let says = embeddings.tells_document();
    let document = if says { "e.document_id" } else { "c.document_id" };
    let conditions = filters.conditions(layout, document, Some(vectors), 3);
    let documents = filters.join(layout, document);
    let chunks = if filters.asks_chunk() || !says {
        format!(" JOIN {} AS c ON c.id {EQUAL} e.chunk_id", layout.chunks.name)
    } else {
        String::new()
    };
    let distance = vectors.distance();
    let order = match search {
        Search::Indexed => format!(" ORDER BY {distance}"),
        Search::Exact => String::new(),
    };
    format!(
        "SELECT {id}, {distance} FROM {embeddings} AS e{chunks}{documents} WHERE true{conditions}{order} LIMIT $2",
        id = embeddings.column("e", "chunk_id", "uuid"),
        embeddings = embeddings.name,
    )
}

/// How the index is walked: until so many are found, and widely.
fn settings(most: usize) -> Vec<Setting> {
    let current = |name: &CStr| {
        // SAFETY: a look-up by a string that ends in NUL, which gives NULL for what is missing; what it
        // returns is a string that is copied before anything is set.
        unsafe {
            let value = pg_sys::GetConfigOption(name.as_ptr(), true, false);
            (!value.is_null()).then(|| CStr::from_ptr(value).to_owned())
        }
    };
    if current(c"hnsw.ef_search").is_none() {
        // SAFETY: the path is a string that ends in NUL; the library is there, for the store has a type
        // that is a member of its extension; loading it twice does nothing, and a failure is an error.
        unsafe { pg_sys::load_file(c"$libdir/vector".as_ptr(), false) };
    }
    let mut settings = Vec::new();
    let wide = (2 * most).clamp(*EF_SEARCH.start(), *EF_SEARCH.end());
    let ef_search = current(c"hnsw.ef_search")
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok())
        .filter(|ef_search| *ef_search < wide);
    if ef_search.is_some() {
        let value = CString::new(wide.to_string()).expect("digits hold no NUL");
        settings.push(Setting { name: c"hnsw.ef_search", value });
    }
    // Known since pgvector 0.8. What comes is sorted here.
    for name in [c"hnsw.iterative_scan", c"ivfflat.iterative_scan"] {
        if current(name).is_some_and(|value| value.as_c_str() == c"off") {
            settings.push(Setting { name, value: c"relaxed_order".to_owned() });
        }
    }
    settings
}

/// Tells the caller that there is more than was found.
fn shortfall(found: usize, most: usize) {
    let message = format!("only {found} of {most} nearest chunks were found");
    pgrx::pg_sys::panic::ErrorReport::new(
        PgSqlErrorCode::ERRCODE_SUCCESSFUL_COMPLETION,
        message,
        function_name!(),
    )
    .set_detail("Few of the chunks near the embedding pass the filters or policies.")
    .set_hint("Raise hnsw.max_scan_tuples.")
    .report(PgLogLevel::NOTICE);
}
