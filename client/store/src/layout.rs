//! The layout of a store: which relations and columns it has, and the table that it was adopted from.
//!
//! A store can consist of views over tables of another program, which `passage.adopt` or a user defines. It then
//! has as many columns as these tables have, and only that program writes it.

use super::connection::Store;
use super::error::Error;
use std::collections::{HashMap, HashSet};

/// The relations and columns of a store.
pub(super) struct Layout {
    /// The type of each column, such as `chunks.id`.
    columns: HashMap<String, String>,
    /// The columns that have no NULL.
    not_null: HashSet<String>,
    /// The relations that are tables.
    tables: HashSet<String>,
    /// The table from which `passage.adopt` made the store.
    pub(super) source: Option<String>,
    /// Whether Citus distributes the tables.
    pub(super) is_distributed: bool,
}

impl Layout {
    /// Returns whether a relation has a column.
    pub(super) fn has(&self, relation: &str, column: &str) -> bool {
        self.columns.contains_key(&format!("{relation}.{column}"))
    }

    /// Returns whether the store has a relation with the key by which others refer to it.
    pub(super) fn has_relation(&self, relation: &str) -> bool {
        let key = match relation {
            "embeddings" => "chunk_id",
            "settings" => "key",
            _ => "id",
        };
        self.has(relation, key)
    }

    /// Returns whether a relation is a table, which the client may write.
    pub(super) fn is_table(&self, relation: &str) -> bool {
        self.tables.contains(relation)
    }

    /// Returns whether documents and chunks are views, so that another program writes them.
    pub(super) fn is_read_only(&self) -> bool {
        let is_view = |relation| self.has_relation(relation) && !self.is_table(relation);
        is_view("chunks") || is_view("documents")
    }

    /// Returns an expression for a column as a text; NULL if the relation has no such column.
    pub(super) fn text(&self, relation: &str, column: &str) -> String {
        if self.has(relation, column) {
            format!("{relation}.{column}::text")
        } else {
            "NULL::text".into()
        }
    }

    /// Returns an expression for the titles of a chunk's section. A view of another program may show NULL for the section
    /// or for a title.
    pub(super) fn titles(&self) -> &'static str {
        if self.has("chunks", "section") {
            "array_remove(coalesce(chunks.section::text[], '{}'), NULL)"
        } else {
            "'{}'::text[]"
        }
    }

    /// Returns whether a column exists and has no NULL. Columns of views may have it.
    pub(super) fn is_not_null(&self, relation: &str, column: &str) -> bool {
        self.not_null.contains(&format!("{relation}.{column}"))
    }

    /// Returns an expression for a column as a text without NULL. It is the column itself where possible, so that an
    /// index can answer.
    pub(super) fn key(&self, relation: &str, column: &str) -> String {
        let text = self.text(relation, column);
        if self.is_not_null(relation, column) { text } else { format!("coalesce({text}, '')") }
    }

    /// Returns an expression for a column of times; NULL if the relation has no such column.
    pub(super) fn time(&self, relation: &str, column: &str) -> String {
        match self.columns.get(&format!("{relation}.{column}")) {
            Some(sql_type) if sql_type.starts_with("timestamp") => {
                format!("{relation}.{column}::timestamp with time zone")
            }
            _ => "NULL::timestamp with time zone".into(),
        }
    }

    /// Returns a subquery `documents` with ids, for a store that may lack the relation.
    pub(super) fn documents(&self, schema: &str) -> String {
        if self.has_relation("documents") {
            format!("{schema}.documents AS documents")
        } else {
            format!("(SELECT DISTINCT document_id AS id FROM {schema}.chunks) AS documents")
        }
    }
}

impl Store {
    /// Reads the layout of the store from the catalogs.
    pub(super) async fn layout(&self) -> Result<Layout, Error> {
        self.must_exist().await?;
        let sql = "SELECT relname::text || '.' || attname, pg_catalog.format_type(atttypid, NULL), relname::text, \
                   relkind IN ('r', 'p'), (SELECT _passage.adoption($1::text::name) ->> 'source'), \
                   EXISTS (SELECT FROM _passage.distributed_relations($1::text::name)), attnotnull \
                   FROM pg_catalog.pg_attribute JOIN pg_catalog.pg_class ON pg_class.oid = attrelid \
                   JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace \
                   WHERE nspname = $1 AND attnum > 0 AND NOT attisdropped \
                   AND relname IN ('documents', 'chunks', 'embeddings', 'settings')";
        let rows = self.query(sql, &[&self.name]).await?;
        let tables = rows.iter().filter(|row| row.get(3)).map(|row| row.get(2)).collect();
        let source = rows.first().and_then(|row| row.get(4));
        let is_distributed = rows.first().is_some_and(|row| row.get(5));
        let columns = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        let not_null = rows.iter().filter(|row| row.get(6)).map(|row| row.get(0)).collect();
        Ok(Layout { columns, not_null, tables, source, is_distributed })
    }

    /// Returns whether Citus distributes the tables of the store.
    pub(super) async fn is_distributed(&self) -> Result<bool, Error> {
        Ok(self.layout().await?.is_distributed)
    }

    /// Checks that documents and chunks are tables, which the client can write.
    ///
    /// # Errors
    ///
    /// Returns [`Error::ReadOnly`] for a store of views, such as one that `passage.adopt` made.
    pub async fn must_be_writable(&self) -> Result<(), Error> {
        self.writable_layout().await.map(drop)
    }

    /// Reads the layout of a store that the client can write.
    pub(super) async fn writable_layout(&self) -> Result<Layout, Error> {
        let layout = self.layout().await?;
        if layout.is_read_only() {
            return Err(Error::ReadOnly { store: self.name.clone(), table: layout.source });
        }
        Ok(layout)
    }

    /// Checks that the client can write the embeddings of the store.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoEmbeddings`] for a store without embeddings, and [`Error::ForeignEmbeddings`] if they are a
    /// view of the embeddings of another program.
    pub async fn must_take_embeddings(&self) -> Result<(), Error> {
        let layout = self.layout().await?;
        if !layout.has_relation("embeddings") {
            return Err(self.no_embeddings(&layout));
        }
        if !layout.is_table("embeddings") {
            return Err(Error::ForeignEmbeddings {
                store: self.name.clone(),
                table: layout.source,
            });
        }
        Ok(())
    }

    /// Returns the error for a store without embeddings.
    pub(super) fn no_embeddings(&self, layout: &Layout) -> Error {
        let (store, is_read_only) = (self.name.clone(), layout.is_read_only());
        Error::NoEmbeddings { store, is_read_only }
    }
}
