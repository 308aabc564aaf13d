//! Problems of the rows of a store.

use super::case::{Act, Case, PARTITIONS, READER, TABLES};
use passage_tests::cluster::OWNER;

/// The source of a document that the client has ingested is ingested again.
const AGAIN: &[Act] = &[
    Act::Remedy,
    Act::Client(&[
        "ingest",
        "book",
        "--sizer",
        "characters",
        "--max-size",
        "60",
        "--preferred-size",
        "40",
        "--min-size",
        "0",
    ]),
];

/// A document that SQL has ingested, and a gap in its ordinals.
const GAP_IN_SQL: &str = "SELECT passage.ingest('sql.md', E'# A\\n\\nText.\\n', store => 's');
    UPDATE s.chunks SET ordinal = 5 WHERE document_id = (SELECT id FROM s.documents WHERE uri = 'sql.md')";

const UNEMBEDDED: &str = "Run passage embed. Without the client, INSERT the missing rows into s.embeddings (chunk_id, document_id, embedding).";

pub const CASES: &[Case] = &[
    Case::then(TABLES, "ordinals are not dense from 0: 3 chunks from 0 to 9", "UPDATE s.chunks SET ordinal = 9 WHERE content ~ 'Call it'", AGAIN),
    Case::then(PARTITIONS, "ordinals are not dense from 0: 3 chunks from 0 to 9", "UPDATE s.chunks SET ordinal = 9 WHERE content ~ 'Call it'", AGAIN),
    Case::then(
        TABLES,
        "ordinals are not dense from 0: 1 chunks from 5 to 5",
        GAP_IN_SQL,
        &[Act::Remedy, Act::Sql("SELECT passage.ingest('sql.md', E'# A\\n\\nText.\\n', store => 's')")],
    ),
    Case::then(TABLES, "spans that do not touch the previous span: 1", "UPDATE s.chunks SET start_byte = start_byte + 1 WHERE content ~ 'Call it'", AGAIN),
    Case::then(TABLES, "spans of another length than their content: 1", "UPDATE s.chunks SET content = content || '!' WHERE content ~ 'Call it'", AGAIN),
    Case::then(
        TABLES,
        "sections before the head of their container: ",
        "UPDATE s.chunks SET ordinal = CASE WHEN unit = 'container' AND ordinal = 0 THEN 1 WHEN ordinal = 1 THEN 0 ELSE ordinal END
            WHERE document_id = (SELECT id FROM s.documents WHERE uri = 'book/shape.ts')",
        AGAIN,
    ),
    Case::then(
        PARTITIONS,
        "sections before the head of their container: ",
        "UPDATE s.chunks SET (section, unit) = (SELECT section, unit FROM s.chunks AS other WHERE other.document_id = chunks.document_id AND other.ordinal = 1 - chunks.ordinal)
            WHERE ordinal < 2 AND document_id = (SELECT id FROM s.documents WHERE uri = 'book/shape.ts')",
        AGAIN,
    ),
    Case::sql(
        TABLES,
        "chunks of a missing document: 3",
        "ALTER TABLE s.chunks DROP CONSTRAINT chunks_document_id_fkey; DELETE FROM s.documents WHERE uri = 'book/guide.md'",
    ),
    Case::sql(TABLES, "chunk_count is 7, but there are 3 chunks", "UPDATE s.documents SET chunk_count = 7 WHERE uri = 'book/guide.md'"),
    // Citus has no unique index of uris.
    Case::then(
        TABLES,
        "uri, collection and version are those of 2 documents",
        "ALTER TABLE s.documents DROP CONSTRAINT documents_uri_collection_version_key;
            INSERT INTO s.settings VALUES ('placement', '{\"distributed\": \"document\"}');
            INSERT INTO s.documents (uri) VALUES ('book/guide.md')",
        &[Act::Sql("DELETE FROM s.documents WHERE chunk_count IS NULL")],
    ),
    Case::sentence(TABLES, "chunks without an embedding: 3 of 3", "DELETE FROM s.embeddings", UNEMBEDDED, &[Act::Client(&["embed"])]),
    Case::sentence(
        PARTITIONS,
        "chunks without an embedding: 3 of 3",
        "DELETE FROM s.embeddings",
        UNEMBEDDED,
        &[Act::Sql("INSERT INTO s.embeddings SELECT id, document_id, '[1,2,3,4,5,6,7,8]' FROM s.chunks")],
    ),
    Case::sql(
        TABLES,
        "embeddings that name another document: 3",
        "UPDATE s.embeddings SET document_id = (SELECT id FROM s.documents WHERE uri = 'book/shape.ts') WHERE document_id = (SELECT id FROM s.documents WHERE uri = 'book/guide.md')",
    ),
    Case::sentence(
        TABLES,
        "links to documents or sections that the store lacks: 1",
        "INSERT INTO s.documents (id, uri, chunk_count) VALUES ('cccccccc-0000-0000-8000-000000000000', 'dead.md', 1);
            INSERT INTO s.chunks (id, document_id, ordinal, content) VALUES ('cccccccc-0000-0000-0000-000000000001', 'cccccccc-0000-0000-8000-000000000000', 0, 'See there.');
            INSERT INTO s.links (document_id, position, from_chunk, to_uri, kind, to_name)
            VALUES ('cccccccc-0000-0000-8000-000000000000', 0, 'cccccccc-0000-0000-0000-000000000001', 'nowhere.md', 'link', 'nowhere')",
        "SELECT * FROM passage.links(document_id => 'cccccccc-0000-0000-8000-000000000000', store => 's') WHERE to_chunk IS NULL; lists them.",
        &[Act::Sql("DELETE FROM s.links WHERE to_name = 'nowhere'")],
    ),
    Case::sql(
        TABLES,
        "ratings of chunks that the store lacks: 1",
        "INSERT INTO s.ratings (query, document_id, chunk_id, rating) SELECT 'dead', id, gen_random_uuid(), 1 FROM s.documents LIMIT 1",
    ),
    // A column with the hash is needed to write a document again, but not to check it.
    Case::sentence(
        TABLES,
        "ordinals are not dense from 0: 3 chunks from 0 to 9",
        "UPDATE s.chunks SET ordinal = 9 WHERE content ~ 'Call it'; ALTER TABLE s.documents DROP COLUMN content_hash",
        "Remove the document and ingest it again.",
        &[
            Act::Sql("SELECT passage.upgrade_store('s')"),
            Act::Client(&["remove", "book/guide.md", "--yes"]),
            Act::Client(&["ingest", "book"]),
        ],
    ),
    Case::sentence(
        TABLES,
        "rows were not checked: permission denied for table chunks",
        "GRANT USAGE ON SCHEMA s TO reader; GRANT SELECT ON s.documents, s.embeddings, s.settings, s.strategies TO reader",
        "Check the store as a role that may read all rows.",
        &[Act::As(OWNER)],
    )
    .by(READER),
    Case::sentence(
        TABLES,
        "not read: row-level security filters rows for \"reader\"",
        "GRANT USAGE ON SCHEMA s TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA s TO reader;
            ALTER TABLE s.documents ENABLE ROW LEVEL SECURITY; ALTER TABLE s.chunks ENABLE ROW LEVEL SECURITY; ALTER TABLE s.embeddings ENABLE ROW LEVEL SECURITY",
        "Check the rows as the owner of the store or as a role with BYPASSRLS.",
        &[Act::As(OWNER)],
    )
    .by(READER),
];
