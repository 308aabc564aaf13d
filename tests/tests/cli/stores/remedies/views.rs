//! Problems of stores of views, and of adopted ones for other roles than their owner.

use super::case::{Act, Case, READER};
use super::tables::{STALE, STALE_VERSION};
use passage_tests::cluster::{OWNER, SUPERUSER};

/// A table of another program, with two views that have only what all functions need.
const VIEWS: &str = "CREATE SCHEMA s;
    CREATE TABLE aside.piece (id uuid PRIMARY KEY, page uuid, place integer, headings text[], body text, embedding vector(3));
    CREATE INDEX ON aside.piece (page, place);
    INSERT INTO aside.piece VALUES
        ('11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222', 0, '{Tea}', 'Tea needs hot water.', '[1,0,0]');
    CREATE VIEW s.documents AS SELECT DISTINCT page AS id, 'tea.md'::text AS uri, 'Tea'::text AS title, 'text/plain'::text AS media_type,
        ''::text AS collection, ''::text AS version FROM aside.piece;
    CREATE VIEW s.embeddings AS SELECT id AS chunk_id, page AS document_id, embedding FROM aside.piece;
    ALTER TABLE aside.piece
        ADD COLUMN tsv tsvector GENERATED ALWAYS AS (passage.chunk_tsv('english', NULL, headings, body)) STORED,
        ADD COLUMN section_key bigint GENERATED ALWAYS AS (passage.section_key(headings)) STORED,
        ADD COLUMN parent_key bigint GENERATED ALWAYS AS (passage.parent_key(headings)) STORED;
    CREATE INDEX ON aside.piece USING gin (tsv);
    CREATE VIEW s.chunks AS SELECT id, page AS document_id, place AS ordinal, body AS content, headings AS section, section_key, parent_key,
        0 AS start_byte, octet_length(body) AS end_byte, 1 AS first_line, 1 AS last_line, 5 AS tokens, tsv, 'prose'::text AS kind, '{}'::jsonb AS metadata
    FROM aside.piece";

/// Replaces the view of chunks by one with fewer columns.
const FEWER: &str = "DROP VIEW s.chunks; CREATE VIEW s.chunks AS SELECT id, page AS document_id, place AS ordinal, body AS content FROM aside.piece";

/// Adds the columns.
const MORE: &[Act] = &[Act::Sql(
    "CREATE OR REPLACE VIEW s.chunks AS SELECT id, page AS document_id, place AS ordinal, body AS content, headings AS section, section_key, parent_key,
        0 AS start_byte, octet_length(body) AS end_byte, 1 AS first_line, 1 AS last_line, 5 AS tokens, tsv, 'prose'::text AS kind, '{}'::jsonb AS metadata
    FROM aside.piece",
)];

const FEWER_OF_DOCUMENTS: &str =
    "DROP VIEW s.documents; CREATE VIEW s.documents AS SELECT DISTINCT page AS id FROM aside.piece";
const MORE_OF_DOCUMENTS: &[Act] = &[Act::Sql(
    "CREATE OR REPLACE VIEW s.documents AS SELECT DISTINCT page AS id, 'tea.md'::text AS uri, 'Tea'::text AS title, 'text/plain'::text AS media_type,
        ''::text AS collection, ''::text AS version FROM aside.piece",
)];

const ADD: &str = "Add them to the view.";

/// A store that adopted a table.
pub const ADOPTED: &str = "CREATE TABLE aside.note (id integer PRIMARY KEY, page text, body text, place integer); INSERT INTO aside.note VALUES (1, 'tea', 'Hot water.', 0);
    SELECT passage.adopt('aside.note', 's', content => 'body', document => 'page', ordinal => 'place')";

/// Its rows get a column of embeddings, which is NULL.
pub const UNEMBEDDED: &str = "ALTER TABLE aside.note ADD COLUMN embedding vector(3); SELECT passage.unadopt('s');
    SELECT passage.adopt('aside.note', 's', content => 'body', document => 'page', ordinal => 'place', embedding => 'embedding')";

pub const CASES: &[Case] = &[
    Case::sentence(
        VIEWS,
        "section, section_key, parent_key missing: adjacent chunks are the only context",
        FEWER,
        "Add them to the view, the keys as passage.section_key(section) and passage.parent_key(section), with indexes on (document_id, key, ordinal) of the table.",
        MORE,
    ),
    Case::sentence(VIEWS, "start_byte, end_byte missing: chunks are joined by the separator of the media type", FEWER, ADD, MORE),
    Case::sentence(VIEWS, "first_line, last_line missing: no line numbers", FEWER, ADD, MORE),
    Case::sentence(VIEWS, "tokens missing: tokens count as a quarter of the characters", FEWER, ADD, MORE),
    Case::sentence(
        VIEWS,
        "tsv missing: no search by words",
        FEWER,
        "Add passage.chunk_tsv('english', NULL, section, content) to the table as a generated column with a GIN index, and to the view.",
        MORE,
    ),
    Case::sql(ADOPTED, STALE, STALE_VERSION),
    Case::sentence(
        VIEWS,
        STALE,
        "CREATE TABLE s.settings (key text PRIMARY KEY, value jsonb NOT NULL); INSERT INTO s.settings VALUES ('tsv_version', '0')",
        "Compute the column of the table behind the view again, then run UPDATE s.settings SET value = '1' WHERE key = 'tsv_version';",
        &[Act::Sql("UPDATE aside.piece SET body = body; UPDATE s.settings SET value = '1' WHERE key = 'tsv_version'")],
    ),
    Case::sentence(VIEWS, "kind, metadata missing: a filter by them finds nothing", FEWER, ADD, MORE),
    Case::sentence(
        VIEWS,
        "required columns are missing: content",
        "DROP VIEW s.chunks; CREATE VIEW s.chunks AS SELECT id, page AS document_id, place AS ordinal FROM aside.piece",
        ADD,
        MORE,
    ),
    Case::sentence(VIEWS, "media_type missing: every document counts as prose", FEWER_OF_DOCUMENTS, ADD, MORE_OF_DOCUMENTS),
    Case::sentence(VIEWS, "uri, title missing: passages do not name their source", FEWER_OF_DOCUMENTS, ADD, MORE_OF_DOCUMENTS),
    Case::sentence(VIEWS, "collection, version missing: a filter by them finds nothing", FEWER_OF_DOCUMENTS, ADD, MORE_OF_DOCUMENTS),
    Case::sentence(
        VIEWS,
        "column has type text, not integer",
        "DROP VIEW s.chunks; CREATE VIEW s.chunks AS SELECT id, page AS document_id, place AS ordinal, body AS content, '5'::text AS tokens FROM aside.piece",
        "Cast the column in the view.",
        &[Act::Sql("DROP VIEW s.chunks; CREATE VIEW s.chunks AS SELECT id, page AS document_id, place AS ordinal, body AS content, '5'::text::integer AS tokens FROM aside.piece")],
    ),
    Case::sentence(
        VIEWS,
        "column has type real[], not vector or halfvec: no search by embedding",
        "DROP VIEW s.embeddings; CREATE VIEW s.embeddings AS SELECT id AS chunk_id, page AS document_id, embedding::real[] FROM aside.piece",
        "Cast the column in the view, as in embedding::vector(384).",
        &[Act::Sql("DROP VIEW s.embeddings; CREATE VIEW s.embeddings AS SELECT id AS chunk_id, page AS document_id, embedding::real[]::vector(3) AS embedding FROM aside.piece")],
    ),
    Case::sentence(
        VIEWS,
        "view is missing: no search by embedding",
        "DROP VIEW s.embeddings",
        "Create a view s.embeddings with chunk_id, document_id and embedding.",
        &[Act::Sql("CREATE VIEW s.embeddings AS SELECT id AS chunk_id, page AS document_id, embedding FROM aside.piece")],
    ),
    Case::sentence(
        VIEWS,
        "view is missing: passages do not name their source, and every document counts as prose",
        "DROP VIEW s.documents",
        "Create a view s.documents with id, uri, title and media_type.",
        MORE_OF_DOCUMENTS,
    ),
    Case::sentence(
        VIEWS,
        "no index finds chunks by document_id, ordinal",
        "DROP INDEX aside.piece_page_place_idx",
        "Create an index on the columns that s.chunks shows as document_id, ordinal.",
        &[Act::Sql("CREATE INDEX ON aside.piece (page, place)")],
    ),
    Case::sentence(
        VIEWS,
        "no index finds chunks by id",
        "ALTER TABLE aside.piece DROP CONSTRAINT piece_pkey",
        "Create an index on the columns that s.chunks shows as id.",
        &[Act::Sql("CREATE INDEX ON aside.piece (id)")],
    ),
    Case::sentence(
        VIEWS,
        "no index finds chunks by id: s.chunks has a window function, which computes every row",
        "DROP VIEW s.chunks; CREATE VIEW s.chunks AS SELECT id, page AS document_id, (row_number() OVER (PARTITION BY page ORDER BY place) - 1)::integer AS ordinal, body AS content FROM aside.piece",
        "Store the ordinal in a column, or let passage.adopt keep it in a side table.",
        &[Act::Sql("CREATE OR REPLACE VIEW s.chunks AS SELECT id, page AS document_id, place AS ordinal, body AS content FROM aside.piece")],
    ),
    Case::sentence(
        VIEWS,
        "indexes were not checked: ",
        "-- superuser\nDO $$ BEGIN EXECUTE format('ALTER VIEW s.chunks OWNER TO %1$I; ALTER VIEW s.documents OWNER TO %1$I; ALTER VIEW s.embeddings OWNER TO %1$I;
            ALTER SCHEMA s OWNER TO %1$I', current_user); END $$;
            ALTER VIEW s.chunks SET (security_invoker = true); GRANT USAGE ON SCHEMA s TO owner, reader; GRANT SELECT ON ALL TABLES IN SCHEMA s TO owner, reader",
        "Check the store as a role that may read all rows.",
        &[Act::As(OWNER)],
    )
    .by(READER),
    Case::sentence(
        VIEWS,
        "ordinals are not dense from 0: 1 chunks from -3 to -3",
        "UPDATE aside.piece SET place = -3 WHERE place = 0",
        "Let the program that writes the tables of the views write the rows again.",
        &[Act::Sql("UPDATE aside.piece SET place = 0 WHERE place = -3")],
    ),
    Case::sentence(
        ADOPTED,
        "chunks without an embedding: 1 of 1",
        UNEMBEDDED,
        "Let the program that writes the adopted table write the rows again.",
        &[Act::Sql("UPDATE aside.note SET embedding = '[1,0,0]'")],
    ),
    Case::sentence(
        ADOPTED,
        "adoption was not checked: another role owns the store",
        "GRANT USAGE ON SCHEMA s TO reader; GRANT SELECT ON aside.note TO reader",
        "Check the store as its owner.",
        &[Act::As(OWNER)],
    )
    .by(READER),
    Case::sql(ADOPTED, "role \"reader\" may not read table aside.note", "GRANT USAGE ON SCHEMA s TO reader").by(READER),
    Case::sentence(
        "SELECT",
        "rows were not compared with the adopted table",
        "-- superuser\nCREATE TABLE aside.tea (id integer PRIMARY KEY, page text, body text, place integer); GRANT SELECT ON aside.tea TO reader;
            SELECT passage.adopt('aside.tea', 's', content => 'body', document => 'page', ordinal => 'place')",
        "Check the store as its owner.",
        &[Act::As(SUPERUSER)],
    )
    .by(READER),
    Case::sentence(
        VIEWS,
        "not read: ",
        "GRANT USAGE ON SCHEMA s TO reader",
        "Connect as a role that may run that code, and check the store again.",
        &[Act::As(OWNER)],
    )
    .by(READER),
];
