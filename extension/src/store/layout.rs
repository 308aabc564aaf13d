/*!
The relations and columns of a store, read from the catalogs and cached between calls.

A layout also holds what other modules derive from the relations: the statements that they write for
them, each with its plan, and values of their own types in [`Layout::slot`]. It is cached by the store's
name and the oids that the relations have now, and dropped when PostgreSQL reports that one of them
has changed.
*/

mod cache;
mod casts;
mod relation;
mod statement_cache;

use crate::server::relation_watch::RelationWatch;
use crate::server::settings;
use crate::server::spi::Statement;
use crate::server::sql_text::{ADD, CONCATENATE, DIVIDE, EQUAL, NO_KEY, quote_identifier};
use cache::{LayoutCache, RelationOids};
use pgrx::pg_sys;
pub use relation::{Relation, may_select};
pub use statement_cache::{StatementCache, StatementKey};
use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
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
    /// The side table of a store that `adopt` made: what its views show of chunks beside the source.
    pub adopted: Option<Relation>,
    /// Whether Citus may distribute the store: it is installed, and chunks are a table.
    pub may_have_shards: bool,
    /// Whether the columns that every store must have were found.
    pub is_checked: Cell<bool>,
    slots: RefCell<HashMap<TypeId, Rc<dyn Any>>>,
    statements: RefCell<StatementCache>,
}

static WATCH: RelationWatch = RelationWatch::new();

thread_local! {
    static LAYOUTS: RefCell<LayoutCache<Layout>> = RefCell::default();
}

/// Asks PostgreSQL to report changes of relations. Must be called once in a backend.
pub fn register() {
    WATCH.register();
}

/// Returns the layout of a store, or `None` if the schema has no relation `chunks`.
///
/// # Panics
///
/// Panics with PostgreSQL's own error if the caller lacks USAGE on the schema, before a relation is locked.
pub fn find(store: &str) -> Option<Rc<Layout>> {
    let name = CString::new(store).ok()?;
    loop {
        let oids = relations_of(&name)?;
        let changed = WATCH.take_changed();
        if !changed.is_empty() {
            drop(LAYOUTS.with_borrow_mut(|layouts| layouts.remove(&changed)));
        }
        if let Some(layout) = LAYOUTS.with_borrow_mut(|layouts| layouts.get(store, &oids)) {
            return Some(layout);
        }
        WATCH.add(oids);
        let layout = Layout::read(store, oids);
        // Before each was locked, another session may have replaced the store.
        if let Some(layout) = layout.filter(|_| relations_of(&name) == Some(oids)) {
            return Some(keep(store, oids, layout));
        }
        pgrx::check_for_interrupts!();
    }
}

/// Returns the oids of the relations that a schema has now, 0 for those that it lacks, or `None` without `chunks`.
fn relations_of(schema: &CStr) -> Option<RelationOids> {
    // SAFETY: look-ups in the catalog by strings that end in NUL, which raise no error for what is missing; neither
    // reads the search_path. Then a look-up of a schema that exists, which raises the error of a statement that names it.
    unsafe {
        let oid = pg_sys::get_namespace_oid(schema.as_ptr(), true);
        let relation = |name: &CStr| pg_sys::get_relname_relid(name.as_ptr(), oid);
        let names = [c"chunks", c"documents", c"strategies", c"embeddings", c"adopted_chunks"];
        let oids = names.map(relation);
        if oids[0] == pg_sys::InvalidOid {
            return None;
        }
        pg_sys::LookupExplicitNamespace(schema.as_ptr(), true);
        Some(oids)
    }
}

/// Keeps a layout for later calls, instead of the one that was not used for longest if there are too many.
fn keep(store: &str, oids: RelationOids, layout: Layout) -> Rc<Layout> {
    let layout = Rc::new(layout);
    let (capacity, added) = (settings::max_cached_stores(), Rc::clone(&layout));
    let removed = LAYOUTS.with_borrow_mut(|layouts| layouts.insert(store, oids, added, capacity));
    if !removed.is_empty() {
        WATCH.clear();
        LAYOUTS.with_borrow(|layouts| WATCH.add(layouts.relations()));
    }
    layout
}

/// Returns whether a relation is the side table of an adopted store: a table with the columns that are read from
/// it, in exactly their types.
fn is_side_table(relation: &Relation) -> bool {
    relation.has_ordinals
        && relation.is_of("id", pg_sys::UUIDOID)
        && relation.is_of("document_id", pg_sys::UUIDOID)
        && relation.is_of("tsv", pg_sys::TSVECTOROID)
}

/// Returns whether the database has Citus.
fn has_citus() -> bool {
    // SAFETY: a look-up in the catalog by a string that ends in NUL, which gives 0 for a missing extension.
    unsafe { pg_sys::get_extension_oid(c"citus".as_ptr(), true) != pg_sys::InvalidOid }
}

/// Returns the id of the document of a chunk, whose first half is that of the chunk's id.
fn document_of(id: &str) -> String {
    format!(
        "(pg_catalog.left(({id})::pg_catalog.text, 18) {CONCATENATE} '-8000-000000000000')::pg_catalog.uuid"
    )
}

impl Layout {
    /// Reads a layout from the catalogs. Returns `None` if another session has dropped a relation meanwhile.
    fn read(
        store: &str,
        [chunks, documents, strategies, embeddings, adopted]: RelationOids,
    ) -> Option<Self> {
        let relation = |oid, name: &str| {
            Relation::read(oid, format!("{}.{}", quote_identifier(store), quote_identifier(name)))
        };
        // The outer value is missing if the relation was dropped, the inner one if the store has none with the column.
        let with = |oid, name, column: &str| {
            if oid == pg_sys::InvalidOid {
                return Some(None);
            }
            relation(oid, name).map(|relation| Some(relation).filter(|found| found.has(column)))
        };
        let chunks = relation(chunks, "chunks")?;
        Some(Self {
            store: store.to_owned(),
            may_have_shards: chunks.is_table && has_citus(),
            adopted: with(adopted, "adopted_chunks", "document_id")?
                .filter(|adopted| is_side_table(adopted) && !chunks.is_table),
            chunks,
            documents: with(documents, "documents", "id")?,
            strategies: with(strategies, "strategies", "name")?,
            embeddings: with(embeddings, "embeddings", "embedding")?
                .filter(|embeddings| embeddings.has("chunk_id")),
            is_checked: Cell::new(false),
            slots: RefCell::default(),
            statements: RefCell::default(),
        })
    }

    /// Returns whether chunks have ordinals that an index on `(document_id, ordinal)` finds. A view may
    /// compute ordinals with a window function, unless it shows those of a side table.
    pub fn has_ordinals(&self) -> bool {
        self.chunks.has_ordinals || self.adopted.is_some()
    }

    /// Returns the table that has the lexemes of chunks, if it is known.
    pub fn lexeme_table(&self) -> Option<&Relation> {
        self.adopted.as_ref().or_else(|| Some(&self.chunks).filter(|chunks| chunks.is_table))
    }

    /// Returns whether the table `strategies` may have rows. Most stores have none, and a statement starts faster
    /// without a look at it.
    pub fn has_strategies(&self) -> bool {
        let may_have_rows =
            |strategies: &Relation| self.may_have_shards || strategies.may_have_rows();
        self.strategies.as_ref().is_some_and(may_have_rows)
    }

    /// Returns whether sections can be searched: chunks have sections and the keys of an index on them.
    pub fn has_sections(&self) -> bool {
        // The views of an adopted store have these columns in any case.
        let keyed = self.adopted.as_ref().unwrap_or(&self.chunks);
        keyed.is_of("section", pg_sys::TEXTARRAYOID)
            && keyed.is_of("section_key", pg_sys::INT8OID)
            && keyed.is_of("parent_key", pg_sys::INT8OID)
    }

    /// Returns the section of a chunk as SQL, NULL where sections cannot be searched.
    pub fn section(&self, alias: &str) -> String {
        if self.has_sections() {
            format!("{alias}.section")
        } else {
            "NULL::pg_catalog.text[]".to_owned()
        }
    }

    /// Returns the section key of a chunk as SQL, NULL where sections cannot be searched.
    pub fn section_key(&self, alias: &str) -> String {
        if self.has_sections() { format!("{alias}.section_key") } else { NO_KEY.to_owned() }
    }

    /// Returns the path of a chunk as SQL, NULL where `chunks` has no `path` of the type `ltree`.
    pub fn path(&self, alias: &str) -> String {
        match self.ltree_schema() {
            Some(_) => format!("{alias}.path"),
            None => "NULL".to_owned(),
        }
    }

    /// Returns the schema of `ltree`, quoted, if chunks have a path of that type.
    pub fn ltree_schema(&self) -> Option<String> {
        self.chunks.extension_type("path", c"ltree", &["ltree"]).map(|(schema, _)| schema)
    }

    /// Returns the schema of pgvector, quoted, and the type of the embeddings, if the store has any.
    pub fn embedding_type(&self) -> Option<(String, &'static str)> {
        let embeddings = self.embeddings.as_ref()?;
        embeddings.extension_type("embedding", c"vector", &["vector", "halfvec"])
    }

    /// Returns whether `chunks` has a column `tsv` for full-text search.
    pub fn has_lexemes(&self) -> bool {
        self.chunks.is_of("tsv", pg_sys::TSVECTOROID)
    }

    /// Returns the join of the ids in `$1`, as `{ids}.id`, with their chunks. With `has_place`, `{ids}.place` is
    /// the position of an id, from 1.
    ///
    /// If an id names its document, it is looked up in one partition. The document is computed in a subquery,
    /// since under row-level security a condition that computes is never an index condition.
    pub fn chunks_of_ids(&self, ids: &str, has_place: bool, chunk: &str) -> String {
        let (ordinality, place) =
            if has_place { (" WITH ORDINALITY", ", place") } else { ("", "") };
        let chunks = &self.chunks.name;
        if !self.chunks.ids_name_documents {
            return format!(
                "pg_catalog.unnest($1){ordinality} AS {ids} (id{place}) \
                 JOIN {chunks} AS {chunk} ON {chunk}.id {EQUAL} {ids}.id"
            );
        }
        format!(
            "(SELECT *, {} AS document_id FROM pg_catalog.unnest($1){ordinality} AS u (id{place}) OFFSET 0) AS {ids} \
             JOIN {chunks} AS {chunk} ON {chunk}.document_id {EQUAL} {ids}.document_id AND {chunk}.id {EQUAL} {ids}.id",
            document_of("u.id")
        )
    }

    /// Returns the condition that a chunk has the id `$1`.
    pub fn is_chunk(&self, chunk: &str) -> String {
        let is_chunk = format!("{chunk}.id {EQUAL} $1");
        if !self.chunks.ids_name_documents {
            return is_chunk;
        }
        format!("{chunk}.document_id {EQUAL} {} AND {is_chunk}", document_of("$1"))
    }

    /// Returns the tokens of a chunk as SQL. A chunk without a count has a quarter of its characters.
    pub fn tokens(&self, alias: &str) -> String {
        let counted = self.chunks.column(alias, "tokens", "integer");
        let content = self.chunks.column(alias, "content", "text");
        format!("coalesce({counted}, (pg_catalog.char_length({content}) {ADD} 3) {DIVIDE} 4)")
    }

    /// Returns the statement of a key. `write` returns the text of a statement that is not cached.
    pub fn statement(
        &self,
        key: impl StatementKey,
        write: impl FnOnce() -> String,
    ) -> Rc<Statement> {
        self.statements.borrow_mut().get(&self.store, key, write)
    }

    /// Returns the value of a type that a module keeps with the layout.
    pub fn slot<T: Default + 'static>(&self) -> Rc<T> {
        let mut slots = self.slots.borrow_mut();
        let slot = slots.entry(TypeId::of::<T>()).or_insert_with(|| Rc::new(T::default()));
        Rc::clone(slot).downcast().expect("a slot holds a value of its type")
    }
}
