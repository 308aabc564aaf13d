//! The names of the relations of a store, in queries on the catalogs. They are macros, so that `concat!` takes them.

/// The tables with the rows of documents, as a list in SQL. A store of an earlier layout lacks the last two, and so does one
/// of views.
macro_rules! row_tables {
    () => {
        "'documents', 'chunks', 'embeddings', 'links', 'ratings'"
    };
}

/// The relations that `create_store` makes on one server, as a list in SQL.
macro_rules! store_relations {
    () => {
        concat!($crate::relations::row_tables!(), ", 'strategies', 'settings', 'chunks_embedded'")
    };
}

/// The common table expression `relation`: the relations of the schemas in `store`, which a reindex replaces.
macro_rules! replaced_relations {
    () => {
        concat!(
            "relation AS (
    SELECT pg_class.*, nspname, nspowner, format('%I.%I', $1::name, relname) AS qualified_name
    FROM pg_class JOIN store ON store.oid = relnamespace
    WHERE relname IN (",
            $crate::relations::store_relations!(),
            ")
    -- The partitions that create_store makes are in the schema of the store.
    OR relispartition AND relkind = 'r' AND EXISTS (SELECT FROM pg_inherits JOIN pg_class AS parent ON parent.oid = inhparent
        WHERE inhrelid = pg_class.oid AND parent.relname = 'chunks' AND parent.relnamespace = pg_class.relnamespace)
)"
        )
    };
}

pub(crate) use {replaced_relations, row_tables, store_relations};
