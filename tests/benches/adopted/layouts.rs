//! The table of LangChain, and the stores that show it.

/// Returns the statements that create and fill the table: 70 words a chunk, by a power law out of 20,000, and vectors
/// of 64 dimensions.
pub fn source(documents: usize) -> String {
    format!(
        "CREATE TABLE docs (langchain_id uuid PRIMARY KEY, content text NOT NULL, embedding vector(64) NOT NULL, langchain_metadata json);
        INSERT INTO docs SELECT gen_random_uuid(), (
                SELECT string_agg('w' || translate((20000 * power((abs(hashint4(d * 1000 + n * 77 + i)) % 100000) / 100000.0, 4))::integer::text,
                    '0123456789', 'abcdefghij'), ' ') FROM generate_series(1, 70) AS i), (
                SELECT array_agg(((hashint4(d * 31 + i * 7) % 1000) / 1000.0 + (hashint4(n * 77 + d + i) % 1000) / 3000.0)::real)
                FROM generate_series(1, 64) AS i)::vector,
            json_build_object('source', '/data/' || d || '.md', 'start_index', n * 450, 'Header 1', 'T' || d % 5, 'Header 2', 'S' || n / 2)
        FROM generate_series(1, {documents}) AS d, generate_series(0, 9) AS n;
        ANALYZE docs;"
    )
}

/// Copies the chunks of the adopted store into one of our own, without its vector index.
pub const COPY: &str = "
    DROP INDEX own.embeddings_embedding_idx;
    INSERT INTO own.documents (id, uri, title) SELECT id, uri, title FROM adopted.documents;
    INSERT INTO own.chunks (id, document_id, ordinal, section, content, start_byte, end_byte, metadata)
    SELECT id, document_id, ordinal, section, content, start_byte, end_byte, metadata FROM adopted.chunks ORDER BY document_id, ordinal;";

/// Creates the vector indexes of both stores.
pub const INDEXES: &str = "
    INSERT INTO own.embeddings (chunk_id, document_id, embedding) SELECT chunk_id, document_id, embedding FROM adopted.embeddings;
    CREATE INDEX embeddings_embedding_idx ON own.embeddings USING hnsw (embedding vector_cosine_ops);
    CREATE INDEX ON docs USING hnsw (embedding vector_cosine_ops);";

/// Creates two small tables without a vector index, of which one is adopted.
pub const WRITTEN: &str = "
    CREATE TABLE bare (LIKE docs, PRIMARY KEY (langchain_id));
    INSERT INTO bare SELECT * FROM docs LIMIT 10000;
    CREATE TABLE kept (LIKE docs, PRIMARY KEY (langchain_id));
    INSERT INTO kept SELECT * FROM docs LIMIT 10000;
    SELECT passage.adopt('kept', 'followed');
    ANALYZE bare, kept;";

/// The expressions of views over the table.
macro_rules! columns {
    () => {
        "langchain_id AS id, md5(langchain_metadata ->> 'source')::uuid AS document_id,
        (row_number() OVER (PARTITION BY md5(langchain_metadata ->> 'source')::uuid ORDER BY (langchain_metadata ->> 'start_index')::integer) - 1)::integer AS ordinal,
        ARRAY[langchain_metadata ->> 'Header 1', langchain_metadata ->> 'Header 2'] AS section,
        passage.section_key(ARRAY[langchain_metadata ->> 'Header 1', langchain_metadata ->> 'Header 2']) AS section_key,
        passage.parent_key(ARRAY[langchain_metadata ->> 'Header 1', langchain_metadata ->> 'Header 2']) AS parent_key,
        passage.chunk_tsv('english', NULL, ARRAY[langchain_metadata ->> 'Header 1', langchain_metadata ->> 'Header 2'], content) AS tsv"
    };
}

/// Views over the table that number its rows, views over a copy of the table with indexes, and a joined side table.
pub const OTHERS: &str = concat!(
    "CREATE TABLE indexed_docs AS SELECT * FROM docs;
    ALTER TABLE indexed_docs ADD PRIMARY KEY (langchain_id);
    CREATE INDEX ON indexed_docs (md5(langchain_metadata ->> 'source'));
    CREATE INDEX ON indexed_docs ((md5(langchain_metadata ->> 'source')::uuid));
    CREATE INDEX ON indexed_docs USING gin (passage.chunk_tsv('english', NULL, ARRAY[langchain_metadata ->> 'Header 1', langchain_metadata ->> 'Header 2'], content));
    CREATE SCHEMA plain;
    CREATE VIEW plain.documents AS SELECT DISTINCT md5(langchain_metadata ->> 'source')::uuid AS id, langchain_metadata ->> 'source' AS uri FROM docs;
    CREATE VIEW plain.chunks AS SELECT content, ", columns!(), " FROM docs;
    CREATE VIEW plain.embeddings AS SELECT langchain_id AS chunk_id, md5(langchain_metadata ->> 'source')::uuid AS document_id, embedding FROM docs;
    CREATE SCHEMA indexed;
    CREATE VIEW indexed.documents AS SELECT DISTINCT md5(langchain_metadata ->> 'source')::uuid AS id, langchain_metadata ->> 'source' AS uri FROM indexed_docs;
    CREATE VIEW indexed.chunks AS SELECT content, ", columns!(), " FROM indexed_docs;
    CREATE VIEW indexed.embeddings AS SELECT langchain_id AS chunk_id, md5(langchain_metadata ->> 'source')::uuid AS document_id, embedding FROM indexed_docs;
    CREATE SCHEMA joined;
    CREATE TABLE joined.side AS SELECT ", columns!(), " FROM docs;
    ALTER TABLE joined.side ADD PRIMARY KEY (id), ADD UNIQUE (document_id, ordinal);
    CREATE INDEX ON joined.side (document_id, section_key, ordinal);
    CREATE INDEX ON joined.side (document_id, parent_key, ordinal);
    CREATE INDEX ON joined.side USING gin (tsv);
    CREATE TABLE joined.side_documents AS SELECT md5(uri)::uuid AS id, uri, collection, version FROM own.documents;
    ALTER TABLE joined.side_documents ADD PRIMARY KEY (id);
    CREATE VIEW joined.documents AS SELECT * FROM joined.side_documents;
    CREATE VIEW joined.chunks AS SELECT content, side.* FROM joined.side JOIN docs ON langchain_id = id;
    CREATE VIEW joined.embeddings AS SELECT id AS chunk_id, document_id, embedding FROM joined.side JOIN docs ON langchain_id = id;
    ANALYZE;"
);

/// The arguments of the calls, and the functions that time them.
pub const ARGUMENTS: &str = "
    CREATE TEMP TABLE ids AS SELECT row_number() OVER () AS i, id FROM (SELECT id FROM own.chunks ORDER BY md5(id::text) LIMIT 300) AS chosen;
    CREATE TEMP TABLE vectors AS SELECT row_number() OVER () AS i, embedding::real[] AS vector
        FROM (SELECT embedding FROM own.embeddings ORDER BY md5(chunk_id::text) LIMIT 300) AS chosen;
    CREATE TEMP TABLE words AS SELECT n AS i, 'w' || translate((20000 * power((n * 37 % 100) / 100.0, 4))::integer::text, '0123456789', 'abcdefghij')
            || ' w' || translate((20000 * power(((n * 53 + 11) % 100) / 100.0, 4))::integer::text, '0123456789', 'abcdefghij') AS word
        FROM generate_series(1, 100) AS n;
    CREATE INDEX ON ids (i);
    CREATE INDEX ON vectors (i);
    CREATE INDEX ON words (i);
    CREATE TEMP TABLE new_rows AS SELECT gen_random_uuid() AS id, content, embedding, (number / 10)::integer AS document, (number % 10)::integer AS place
        FROM (SELECT content, embedding, row_number() OVER () - 1 AS number FROM docs LIMIT 3000) AS numbered;
    CREATE INDEX ON new_rows (document, place);
    ANALYZE ids, vectors, words, new_rows;
    CREATE FUNCTION pg_temp.timed(call text, calls integer) RETURNS double precision LANGUAGE plpgsql AS $$
        DECLARE begun CONSTANT timestamptz := clock_timestamp();
        BEGIN
            FOR i IN 1 .. calls LOOP
                EXECUTE call USING i;
            END LOOP;
            RETURN extract(epoch FROM clock_timestamp() - begun) * 1e6 / calls;
        END $$;
    CREATE FUNCTION pg_temp.written(target text, by_row boolean, written integer) RETURNS double precision LANGUAGE plpgsql AS $$
        DECLARE begun timestamptz := clock_timestamp();
        BEGIN
            FOR i IN 0 .. CASE WHEN by_row THEN 9 ELSE 0 END LOOP
                EXECUTE format('INSERT INTO %I SELECT id, content, embedding,
                    json_build_object(''source'', ''/new/'' || document, ''start_index'', place * 450, ''Header 1'', ''T'')
                    FROM new_rows WHERE document = $1 AND (NOT $2 OR place = $3)', target) USING written, by_row, i;
            END LOOP;
            RETURN extract(epoch FROM clock_timestamp() - begun) * 1e6;
        END $$;";

/// Returns what a layout is.
pub fn describe(layout: &str) -> &'static str {
    match layout {
        "plain" => "views with row_number()",
        "indexed" => "views with row_number() and indexes",
        _ => "a joined side table",
    }
}
