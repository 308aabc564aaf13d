/*!
What a store consists of, remembered between calls.

A layout holds the relations of a store, their columns, and the statements that were written for
them, each with its plan. It is remembered under the store's name and the relations it has under
that name now, and forgotten when PostgreSQL says that some relation has changed its shape.
*/

use super::around::Lookup;
use super::casts::converts;
use super::chunks::Signature;
use super::columns::Columns;
use super::facts::Facts;
use super::filters::Shape;
use super::frequencies::Known;
use super::operators::{ADD, DIVIDE};
use super::replace::Write;
use super::statements::Statements;
use super::strategy::Source;
use super::vectors::Search;
use crate::spi::{Access, Statement};
use crate::types::brought_by;
use pgrx::pg_sys;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, CString};
use std::rc::Rc;

/// The relations of a store.
pub struct Layout {
    /// The name of the schema.
    pub store: String,
    pub chunks: Relation,
    pub documents: Option<Relation>,
    pub strategies: Option<Relation>,
    pub embeddings: Option<Relation>,
    /// Whether it was found to have what every store must have.
    pub is_checked: Cell<bool>,
    /// What is known of it beyond its relations, read when it is asked for.
    pub facts: OnceCell<Facts>,
    /// How common the words of its chunks are, for each role that asked.
    pub known: Known,
    statements: RefCell<Statements>,
}

/// What a statement is for; each is written once.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    Hits { source: Source, columns: Columns, lookup: Lookup },
    Chunks { signature: Signature, columns: Columns },
    Parts { hashed: bool },
    Outline { by_uri: bool },
    Facts,
    Lexemes,
    Frequencies,
    Counts,
    Matches { arms: usize, filters: Shape, sampled: bool },
    Nearest { search: Search, filters: Shape },
    Listing,
    Units,
    Named { filters: Shape, by_id: bool },
    Told,
    WordsOf { matching: bool },
    WordsLike { filters: Shape },
    WordsIn,
    Near { together: bool },
    SectionsOf,
    Pieces,
    Whole,
    Write(Write),
}

impl Purpose {
    /// Returns how its statement finds rows.
    pub fn access(self) -> Access {
        match self {
            Self::Matches { sampled: false, .. }
            | Self::Counts
            | Self::WordsLike { .. }
            | Self::Parts { hashed: true } => Access::Matches,
            Self::Matches { .. }
            | Self::Frequencies
            | Self::Nearest { search: Search::Exact, .. } => Access::Any,
            Self::Write(write) => write.access(),
            _ => Access::Index,
        }
    }
}

/// A table or view.
pub struct Relation {
    /// Its oid.
    pub oid: pg_sys::Oid,
    /// Its quoted name, for a statement.
    pub name: String,
    /// Whether it is a table, partitioned or not.
    pub is_table: bool,
    /// Whether it is a table that numbers each of its rows.
    pub has_ordinals: bool,
    /// Its columns with their types.
    columns: HashMap<String, pg_sys::Oid>,
}

/// The name of a store, and what lies behind it: chunks, documents, strategies and embeddings.
type Place = (String, [pg_sys::Oid; 4]);

/// The most layouts that are remembered.
const REMEMBERED: usize = 64;

thread_local! {
    static LAYOUTS: RefCell<HashMap<Place, Rc<Layout>>> = RefCell::new(HashMap::new());
    static WATCHED: RefCell<HashSet<pg_sys::Oid>> = RefCell::default();
    static STALE: Cell<bool> = const { Cell::new(false) };
}

/// Asks PostgreSQL to tell when a relation changes; once for a backend.
pub fn watch() {
    #[pgrx::pg_guard]
    unsafe extern "C-unwind" fn changed(_argument: pg_sys::Datum, relation: pg_sys::Oid) {
        // The catalog must not be read here, nor a plan be freed that is running. An invalid oid
        // stands for every relation.
        let concerns = relation == pg_sys::InvalidOid
            || WATCHED.with_borrow(|watched| watched.contains(&relation));
        if concerns {
            STALE.set(true);
        }
    }
    // SAFETY: the function lives as long as the backend, and touches nothing but our own variables.
    unsafe { pg_sys::CacheRegisterRelcacheCallback(Some(changed), pg_sys::Datum::null()) }
}

/// Finds the layout of a store, or `None` if the schema has no relation `chunks`.
pub fn find(store: &str) -> Option<Rc<Layout>> {
    let schema = CString::new(store).ok()?;
    // SAFETY: look-ups in the catalog by strings that end in NUL, which raise no error for what is
    // missing; neither asks the search_path.
    let oids = unsafe {
        let schema = pg_sys::get_namespace_oid(schema.as_ptr(), true);
        let relation = |name: &CStr| pg_sys::get_relname_relid(name.as_ptr(), schema);
        [c"chunks", c"documents", c"strategies", c"embeddings"].map(relation)
    };
    if oids[0] == pg_sys::InvalidOid {
        return None;
    }
    let place = (store.to_owned(), oids);
    let known = LAYOUTS.with_borrow_mut(|layouts| {
        if STALE.replace(false) || layouts.len() >= REMEMBERED {
            layouts.clear();
            WATCHED.with_borrow_mut(HashSet::clear);
        }
        layouts.get(&place).map(Rc::clone)
    });
    if known.is_some() {
        return known;
    }
    WATCHED.with_borrow_mut(|watched| watched.extend(oids));
    let layout = Rc::new(Layout::read(store, oids));
    LAYOUTS.with_borrow_mut(|layouts| layouts.insert(place, Rc::clone(&layout)));
    Some(layout)
}

impl Layout {
    fn read(store: &str, [chunks, documents, strategies, embeddings]: [pg_sys::Oid; 4]) -> Self {
        let relation =
            |oid, name: &str| Relation::read(oid, format!("{}.{}", quoted(store), quoted(name)));
        let with = |oid, name, column: &str| {
            (oid != pg_sys::InvalidOid)
                .then(|| relation(oid, name))
                .filter(|relation| relation.has(column))
        };
        Self {
            store: store.to_owned(),
            chunks: relation(chunks, "chunks"),
            documents: with(documents, "documents", "id"),
            strategies: with(strategies, "strategies", "name"),
            embeddings: with(embeddings, "embeddings", "embedding")
                .filter(|embeddings| embeddings.has("chunk_id")),
            is_checked: Cell::new(false),
            facts: OnceCell::new(),
            known: Known::default(),
            statements: RefCell::default(),
        }
    }

    /// Tells whether kin can be found: by sections and the keys that an index finds them by.
    pub fn has_kin(&self) -> bool {
        [
            ("section", pg_sys::TEXTARRAYOID),
            ("section_key", pg_sys::INT8OID),
            ("parent_key", pg_sys::INT8OID),
        ]
        .iter()
        .all(|(column, oid)| self.chunks.columns.get(*column) == Some(oid))
    }

    /// Returns the titles of a chunk, NULL where kin cannot be found.
    pub fn section(&self, alias: &str) -> String {
        if self.has_kin() {
            format!("{alias}.section")
        } else {
            "NULL::pg_catalog.text[]".to_owned()
        }
    }

    /// Returns the path of a chunk, NULL where there is none of the type `ltree`.
    pub fn path(&self, alias: &str) -> String {
        match self.ltree() {
            Some(_) => format!("{alias}.path"),
            None => "NULL".to_owned(),
        }
    }

    /// Returns the schema of `ltree`, quoted, if chunks have a path of that type.
    pub fn ltree(&self) -> Option<String> {
        self.chunks.schema_of("path", c"ltree", &["ltree"]).map(|(schema, _)| schema)
    }

    /// Tells whether chunks can be found by their words.
    pub fn has_words(&self) -> bool {
        self.chunks.columns.get("tsv") == Some(&pg_sys::TSVECTOROID)
    }

    /// Returns the tokens of a chunk; without a count, a quarter of the characters stands for it.
    pub fn tokens(&self, alias: &str) -> String {
        let counted = self.chunks.column(alias, "tokens", "integer");
        let content = self.chunks.column(alias, "content", "text");
        format!("coalesce({counted}, (pg_catalog.char_length({content}) {ADD} 3) {DIVIDE} 4)")
    }

    /// Returns the statement for a purpose, which `write` gives the text of.
    pub fn statement(&self, purpose: Purpose, write: impl FnOnce() -> String) -> Rc<Statement> {
        self.statements.borrow_mut().get(&self.store, purpose, write)
    }
}

impl Relation {
    /// Reads a relation of the catalog.
    fn read(oid: pg_sys::Oid, name: String) -> Self {
        // SAFETY: the relation is open while its descriptor is read, and locked against its removal;
        // what is kept of the descriptor is copied.
        let relation = unsafe { pgrx::PgRelation::with_lock(oid, pg_sys::AccessShareLock as i32) };
        let description = relation.tuple_desc();
        let columns = || description.iter().filter(|column| !column.attisdropped);
        let numbers = |column: &pg_sys::FormData_pg_attribute| {
            column.name() == "ordinal" && column.attnotnull && column.atttypid == pg_sys::INT4OID
        };
        let is_table = relation.is_table() || relation.is_partitioned_table();
        Self {
            oid,
            name,
            is_table,
            has_ordinals: relation.is_table() && columns().any(numbers),
            columns: columns().map(|column| (column.name().to_owned(), column.atttypid)).collect(),
        }
    }

    /// Tells whether there is a column of this name.
    pub fn has(&self, column: &str) -> bool {
        self.columns.contains_key(column)
    }

    /// Returns the schema, quoted, and the name of a column's type, if it is one of some types that
    /// an extension brings, in whatever schema.
    pub fn schema_of(
        &self,
        column: &str,
        extension: &CStr,
        types: &[&'static str],
    ) -> Option<(String, &'static str)> {
        let oid = self.columns.get(column)?;
        let name = brought_by(*oid, extension)?;
        let name = types.iter().find(|of| **of == name)?;
        // SAFETY: a look-up that gives "???" for a type that is missing, as a string in memory of the
        // call.
        let qualified = unsafe {
            let qualified = pg_sys::FORMAT_TYPE_FORCE_QUALIFY as pg_sys::bits16;
            CStr::from_ptr(pg_sys::format_type_extended(*oid, -1, qualified))
        };
        let schema = qualified.to_str().ok()?.strip_suffix(name)?.strip_suffix('.')?;
        Some((schema.to_owned(), name))
    }

    /// Tells whether there is a column of this name that is of one of some types, or of a domain over
    /// one.
    ///
    /// Columns that are compared must be: for others PostgreSQL has no operator, or takes one that
    /// somebody made.
    pub fn has_base(&self, column: &str, oids: &[pg_sys::Oid]) -> bool {
        self.columns.get(column).is_some_and(|of| {
            // SAFETY: a look-up of a type, which raises an error where it is missing.
            oids.contains(&unsafe { pg_sys::getBaseType(*of) })
        })
    }

    /// Tells whether there is a column of this name that can be read as a type.
    pub fn gives(&self, column: &str, sql_type: &str) -> bool {
        self.columns.get(column).is_some_and(|of| converts(*of, builtin(sql_type).0))
    }

    /// Tells whether an embedding says which document it is of.
    pub fn tells_document(&self) -> bool {
        self.has_base("document_id", &[pg_sys::UUIDOID])
    }

    /// Names columns of an alias, NULL where the relation or a column is missing.
    pub fn all(relation: Option<&Self>, alias: &str, wanted: &[(&str, &str)]) -> Vec<String> {
        let name = |&(column, sql_type): &(&str, &str)| match relation {
            Some(relation) => relation.column(alias, column, sql_type),
            None => null(sql_type),
        };
        wanted.iter().map(name).collect()
    }

    /// Returns the column of an alias as a type, or a NULL of it where the relation lacks it.
    pub fn column(&self, alias: &str, column: &str, sql_type: &str) -> String {
        if self.gives(column, sql_type) {
            format!("{alias}.{column}::{}", builtin(sql_type).1)
        } else {
            null(sql_type)
        }
    }
}

/// The types that are read, each with its name for a statement.
fn builtin(sql_type: &str) -> (pg_sys::Oid, &'static str) {
    match sql_type {
        "uuid" => (pg_sys::UUIDOID, "pg_catalog.uuid"),
        "integer" => (pg_sys::INT4OID, "pg_catalog.int4"),
        "double precision" => (pg_sys::FLOAT8OID, "pg_catalog.float8"),
        "text" => (pg_sys::TEXTOID, "pg_catalog.text"),
        "text[]" => (pg_sys::TEXTARRAYOID, "pg_catalog.text[]"),
        "jsonb" => (pg_sys::JSONBOID, "pg_catalog.jsonb"),
        _ => unreachable!("no statement reads another type"),
    }
}

/// A NULL of a type that is read.
fn null(sql_type: &str) -> String {
    format!("NULL::{}", builtin(sql_type).1)
}

/// An identifier for a statement.
fn quoted(identifier: &str) -> String {
    format!("\"{}\"", identifier.replace('"', "\"\""))
}
