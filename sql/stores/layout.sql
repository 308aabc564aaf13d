-- The layout of a store: each object with the statement that creates it.
--
-- This is the only description of a store. create_store executes the statements of missing objects,
-- upgrade_store adds what an earlier layout lacked, and check_store compares.
--
-- A store whose placement spreads chunks by document has document_id in the keys of chunks, because a unique
-- index of such a table contains it. The first half of a chunk's id is that of its document's id, and a CHECK
-- enforces this. So the id of a chunk names its document, and is unique in the store. The expressions use
-- functions of PostgreSQL alone: DROP EXTENSION leaves them.
--
-- A store that Citus distributes by document has a table shard_keys with some rows in each shard, for a query calls a
-- function on a shard only for a row of it.
--
-- The functions of administration run with pg_catalog alone on the search_path, so no object of a hostile
-- schema replaces one that they name. Types of ltree and pgvector are qualified with the schema that the
-- catalogs give, since these extensions can be in any schema.

CREATE FUNCTION _passage.is_spread_by_document(placement jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (placement OPERATOR(pg_catalog.?) 'partitions')
    OR (placement OPERATOR(pg_catalog.@>) '{"distributed": "document"}'::pg_catalog.jsonb);

COMMENT ON FUNCTION _passage.is_spread_by_document(jsonb) IS 'whether a placement spreads the chunks of a store over several tables by their document';

CREATE FUNCTION _passage.is_partition_count(partitions integer) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN partitions OPERATOR(pg_catalog.>=) 2 AND partitions OPERATOR(pg_catalog.<=) 1024;

COMMENT ON FUNCTION _passage.is_partition_count(integer) IS 'whether chunks can have so many partitions';

CREATE FUNCTION _passage.store_columns(
    store name, dimensions integer, embedding_type text, language regconfig, placement jsonb
)
RETURNS TABLE (place bigint, relation text, name text, type text, definition text, derived boolean, comment text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 50
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT row_number() OVER (), relation, name, type,
        concat_ws(' ', type, definition), derived, comment
    FROM (
        SELECT _passage.is_spread_by_document(placement), placement = '{"distributed": "document"}', (
            -- The signs are only in the index. The column has the numbers, for exact distances.
            SELECT format('%I.%I(%s)', nspname, CASE embedding_type WHEN 'binary' THEN 'halfvec' ELSE embedding_type END, dimensions)
            FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
            WHERE extname = 'vector')
    ) AS placed (is_spread, is_distributed, vector_type)
    CROSS JOIN LATERAL (VALUES
        ('documents', 'id', 'uuid', CASE WHEN is_spread THEN $d$PRIMARY KEY DEFAULT (left(gen_random_uuid()::text, 18) || '-8000-000000000000')::uuid$d$
            ELSE 'PRIMARY KEY DEFAULT gen_random_uuid()' END, false, 'id of the document'),
        ('documents', 'collection', 'text', $d$NOT NULL DEFAULT ''$d$, false, 'project or library of the document'),
        ('documents', 'version', 'text', $d$NOT NULL DEFAULT ''$d$, false, 'version of the collection'),
        ('documents', 'uri', 'text', 'NOT NULL', false, 'URL or path; unique with collection and version'),
        ('documents', 'title', 'text', NULL, false, 'title of the document'),
        ('documents', 'media_type', 'text', NULL, false, 'media type of the stored text'),
        ('documents', 'source_media_type', 'text', NULL, false, 'media type of the source, if the text was converted; else NULL'),
        ('documents', 'content_hash', 'bytea', NULL, false, 'hash of source, splitter version, limits, model, title and metadata'),
        ('documents', 'chunk_count', 'integer', NULL, false, 'number of chunks'),
        ('documents', 'orphaned_at', 'timestamp with time zone', NULL, false, 'when the source was found missing; NULL while it exists'),
        ('documents', 'metadata', 'jsonb', $d$NOT NULL DEFAULT '{}'$d$, false, 'other properties of the document'),
        ('documents', 'ingested_at', 'timestamp with time zone', 'NOT NULL DEFAULT now()', false, 'when the chunks were written'),
        ('documents', 'source_row', 'jsonb', NULL, false, 'table and key of the row from which keep_in_step ingested the document'),

        ('chunks', 'id', 'uuid', CASE WHEN is_spread THEN 'NOT NULL' ELSE 'PRIMARY KEY DEFAULT gen_random_uuid()' END, false, 'id of the chunk'),
        ('chunks', 'document_id', 'uuid', format('NOT NULL REFERENCES %I.documents ON DELETE CASCADE', store), false, 'document of the chunk'),
        ('chunks', 'ordinal', 'integer', 'NOT NULL', false, 'position in the document, from 0, without gaps'),
        ('chunks', 'level', 'integer', 'NOT NULL DEFAULT 0', false, 'depth assigned by the splitter; 0 is the root'),
        ('chunks', 'section', 'text[]', $d$NOT NULL DEFAULT '{}'$d$, false, 'titles from the root down to the chunk, as written'),
        ('chunks', 'kind', 'text', NULL, false, 'prose, code, api-reference or data'),
        ('chunks', 'unit', 'text', NULL, false, 'module, container, member, value or text; NULL if unknown'),
        ('chunks', 'content', 'text', 'NOT NULL', false, 'slice of the source, byte for byte'),
        ('chunks', 'preamble', 'text', NULL, false, 'text before the content for embedding and full text; never returned'),
        ('chunks', 'tokens', 'integer', NULL, false, 'size of the content in tokens; NULL counts as a quarter of the characters'),
        ('chunks', 'start_byte', 'integer', NULL, false, 'offset of the first byte of the content in the source'),
        ('chunks', 'end_byte', 'integer', NULL, false, 'offset of the byte after the last one'),
        ('chunks', 'first_line', 'integer', NULL, false, 'first line of the content in the source, from 1'),
        ('chunks', 'last_line', 'integer', NULL, false, 'last line of the content in the source'),
        ('chunks', 'metadata', 'jsonb', $d$NOT NULL DEFAULT '{}'$d$, false, 'other properties of the chunk'),
        ('chunks', 'path', (SELECT format_type(prorettype, NULL) FROM pg_proc WHERE oid = 'passage.section_path(text[])'::regprocedure),
            'GENERATED ALWAYS AS (passage.section_path(section)) STORED', true, 'the section as an ltree path'),
        ('chunks', 'section_key', 'bigint', 'GENERATED ALWAYS AS (passage.section_key(section)) STORED', true, 'hash of the section, for indexes'),
        ('chunks', 'parent_key', 'bigint', 'GENERATED ALWAYS AS (passage.parent_key(section)) STORED', true, 'hash of the parent section, for indexes; NULL at the root'),
        ('chunks', 'tsv', 'tsvector', (
                SELECT format('GENERATED ALWAYS AS (passage.chunk_tsv(%L::regconfig, preamble, section, content)) STORED',
                    format('%I.%I', nspname, cfgname))
                FROM pg_ts_config JOIN pg_namespace ON pg_namespace.oid = cfgnamespace
                WHERE pg_ts_config.oid = language
            ), true, 'tsvector of preamble, section and content'),

        ('embeddings', 'chunk_id', 'uuid', CASE WHEN is_distributed THEN 'NOT NULL' WHEN is_spread THEN 'PRIMARY KEY'
            ELSE format('PRIMARY KEY REFERENCES %I.chunks ON DELETE CASCADE', store) END, false, 'id of the chunk'),
        ('embeddings', 'document_id', 'uuid', 'NOT NULL', false, 'document of the chunk'),
        ('embeddings', 'embedding', vector_type, 'NOT NULL', false, 'embedding of preamble and content'),

        ('links', 'document_id', 'uuid', 'NOT NULL', false, 'document with the link'),
        ('links', 'position', 'integer', 'NOT NULL', false, 'place among the links of the document, from 0'),
        ('links', 'from_chunk', 'uuid', CASE WHEN is_spread OR EXISTS (
                -- A table of chunks that somebody made can lack the key.
                SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                WHERE nspname = store AND relname = 'chunks' AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = pg_class.oid AND indisprimary))
            THEN 'NOT NULL' ELSE format('NOT NULL REFERENCES %I.chunks ON DELETE CASCADE', store) END, false, 'chunk with the link'),
        ('links', 'to_uri', 'text', $d$NOT NULL DEFAULT ''$d$, false, 'target, joined with the uri of the document; empty for a section of the same document'),
        ('links', 'to_section', 'text', $d$NOT NULL DEFAULT ''$d$, false, 'anchor, heading or imported name, as written, or the label'),
        ('links', 'kind', 'text', 'NOT NULL', false, 'link, wiki, reference, import or include; label for a name that others refer to'),
        ('links', 'text', 'text', $d$NOT NULL DEFAULT ''$d$, false, 'text of the link'),
        ('links', 'to_name', 'text', $d$NOT NULL DEFAULT ''$d$, false, 'passage.link_name of the target, or the label'),

        ('ratings', 'rated_by', 'text', 'NOT NULL DEFAULT current_user', false, 'role, or user of an application, whose opinion it is'),
        ('ratings', 'rated_at', 'timestamp with time zone', 'NOT NULL DEFAULT now()', false, 'when it was given'),
        ('ratings', 'query', 'text', 'NOT NULL', false, 'question that the chunk was found for'),
        ('ratings', 'query_key', 'bigint', 'GENERATED ALWAYS AS (hashtextextended(query, 0)) STORED', false, 'hash of the question, for the key'),
        ('ratings', 'lexemes', 'text[]', $d$NOT NULL DEFAULT '{}'$d$, false, 'lexemes of the question, at most 64'),
        ('ratings', 'embedding', vector_type, NULL, false, 'embedding of the question; NULL if it was not given'),
        ('ratings', 'document_id', 'uuid', 'NOT NULL', false, 'document of the chunk'),
        ('ratings', 'chunk_id', 'uuid', 'NOT NULL', false, 'chunk that is rated, which may be removed'),
        ('ratings', 'rating', 'real', 'NOT NULL CHECK (rating BETWEEN -1 AND 1)', false, 'how well the chunk answers the question, from -1 to 1'),

        ('strategies', 'name', 'text', $d$PRIMARY KEY CHECK (name NOT IN ('auto', 'none', 'adjacent', 'broad', 'reassembly', 'section', 'hierarchical', 'merge', 'document'))$d$, false, 'name of the strategy in a call'),
        ('strategies', 'base', 'text', $d$NOT NULL DEFAULT 'none' CHECK (base IN ('none', 'adjacent', 'broad', 'reassembly', 'section', 'hierarchical', 'merge', 'document'))$d$, false, 'preset whose limits replace NULL in this row'),
        ('strategies', 'description', 'text', NULL, false, 'description in one line'),
        ('strategies', 'default_for', 'text[]', $d$NOT NULL DEFAULT '{}' CHECK (array_position(default_for, NULL) IS NULL AND coalesce(array_ndims(default_for), 1) = 1)$d$, false, 'media types for which auto chooses the strategy; text/* for all of text, */* for all'),
        ('strategies', 'parents', 'integer', 'CHECK (parents BETWEEN 0 AND 1000000)', false, 'number of sections above the hit, one chunk of each'),
        ('strategies', 'preceding', 'integer', 'CHECK (preceding BETWEEN 0 AND 1000000)', false, 'number of siblings before the hit'),
        ('strategies', 'following', 'integer', 'CHECK (following BETWEEN 0 AND 1000000)', false, 'number of siblings after the hit'),
        ('strategies', 'children', 'integer', 'CHECK (children BETWEEN 0 AND 1000000)', false, 'number of chunks one title below the hit'),
        ('strategies', 'before', 'integer', 'CHECK (before BETWEEN 0 AND 1000000)', false, 'number of chunks directly before the hit'),
        ('strategies', 'after', 'integer', 'CHECK (after BETWEEN 0 AND 1000000)', false, 'number of chunks directly after the hit'),
        ('strategies', 'windows', 'jsonb', $d$CHECK (windows - '{prose,code,api-reference}'::text[] = '{}' AND NOT windows @? '$.* ? (@.type() != "number" || @ < 0 || @ > 1000000 || @.floor() != @)')$d$, false, 'number of chunks before and after a hit by its kind, as in {"code": 4}'),
        ('strategies', 'siblings', 'text', $d$CHECK (siblings IN ('parent', 'section'))$d$, false, 'parent: siblings share the parent section; section: they share their own section'),
        ('strategies', 'within', 'text', $d$CHECK (within IN ('document', 'parent', 'section'))$d$, false, 'what limits before and after: document, parent or section'),
        ('strategies', 'threshold', 'double precision', 'CHECK (threshold BETWEEN 0 AND 1)', false, 'share of a section that hits must exceed for merge, 0 to 1'),
        ('strategies', 'count_by', 'text', $d$CHECK (count_by IN ('chunks', 'tokens'))$d$, false, 'unit of that share: chunks or tokens'),
        ('strategies', 'max_tokens', 'integer', 'CHECK (max_tokens BETWEEN 0 AND 1000000)', false, 'maximum number of tokens of hits and context together'),
        ('strategies', 'max_chunks', 'integer', 'CHECK (max_chunks BETWEEN 0 AND 1000000)', false, 'maximum number of chunks of hits and context together'),

        ('settings', 'key', 'text', 'PRIMARY KEY', false, 'name of the setting'),
        ('settings', 'value', 'jsonb', 'NOT NULL', false, 'value of the setting'),

        ('shard_keys', 'document_id', 'uuid', 'PRIMARY KEY', false, 'id of no document')
    ) AS listed (relation, name, type, definition, derived, comment)
    WHERE (relation <> 'embeddings' AND name <> 'embedding' OR dimensions IS NOT NULL) AND (relation <> 'shard_keys' OR is_distributed)
        AND (relation <> 'ratings' OR NOT placement ? 'distributed')
$$;

COMMENT ON FUNCTION _passage.store_columns(name, integer, text, regconfig, jsonb) IS 'columns of the tables of a store';

-- Derived columns are added after CREATE TABLE, always last and in the same order. DROP EXTENSION drops
-- them, and upgrade_store adds them again at the same positions.

CREATE FUNCTION _passage.store_layout(
    store name, dimensions integer, distance text, embedding_type text, language regconfig, placement jsonb
)
RETURNS TABLE (kind text, relation text, name text, ddl text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 120
SET search_path = pg_catalog, pg_temp
AS $$
    WITH col AS (
        SELECT * FROM _passage.store_columns(store, dimensions, embedding_type, language, placement)
    ),
    placed (is_spread, partitions, distributed) AS (
        SELECT _passage.is_spread_by_document(placement), (placement ->> 'partitions')::integer, placement ->> 'distributed'
    ),
    tables (place, relation, tail, partition_by, comment) AS (
        SELECT listed.* FROM placed CROSS JOIN LATERAL (VALUES
            -- Citus has no unique index without the distribution column. Derived ids are unique like what they are a hash of.
            (1, 'documents', CASE WHEN distributed = 'document' THEN NULL ELSE 'UNIQUE (uri, collection, version)' END, NULL, 'documents that were split into chunks'),
            (2, 'chunks', concat_ws(E',\n    ', CASE WHEN is_spread THEN 'PRIMARY KEY (document_id, id)' END,
                    'UNIQUE (document_id, ordinal) DEFERRABLE INITIALLY IMMEDIATE',
                    CASE WHEN is_spread THEN $d$CONSTRAINT chunks_id_names_document CHECK (document_id = (left(id::text, 18) || '-8000-000000000000')::uuid)$d$ END),
                CASE WHEN partitions IS NOT NULL THEN ' PARTITION BY HASH (document_id)' END, 'pieces of documents, in document order'),
            (3, 'embeddings', concat_ws(E',\n    ', CASE WHEN distributed = 'document' THEN 'PRIMARY KEY (document_id, chunk_id)' END,
                    CASE WHEN is_spread THEN format('FOREIGN KEY (document_id, chunk_id) REFERENCES %I.chunks ON DELETE CASCADE', store) END),
                NULL, 'vectors of chunks'),
            (7, 'links', concat_ws(E',\n    ', 'PRIMARY KEY (document_id, position)',
                    CASE WHEN is_spread THEN format('FOREIGN KEY (document_id, from_chunk) REFERENCES %I.chunks ON DELETE CASCADE', store) END),
                NULL, 'references of documents to others, as written'),
            -- A chunk that is written again keeps its ratings, also if its row was deleted in between. So nothing refers to it.
            (8, 'ratings', 'PRIMARY KEY (chunk_id, rated_by, query_key)', NULL, 'opinions on how well chunks answer questions'),
            (4, 'strategies', NULL, NULL, 'strategies of this store, in addition to the presets'),
            (5, 'settings', NULL, NULL, 'settings of the store'),
            (6, 'shard_keys', NULL, NULL, 'ids that lead to the shards, some to each')
        ) AS listed (place, relation, tail, partition_by, comment)
        WHERE (relation <> 'shard_keys' OR distributed = 'document') AND (relation <> 'ratings' OR distributed IS NULL)
    ),
    indexes (place, relation, name, target) AS (VALUES
        (1, 'chunks', 'chunks_document_id_section_key_ordinal_idx', 'btree (document_id, section_key, ordinal)'),
        (2, 'chunks', 'chunks_document_id_parent_key_ordinal_idx', 'btree (document_id, parent_key, ordinal)'),
        (3, 'chunks', 'chunks_path_idx', 'gist (path)'),
        (4, 'chunks', 'chunks_tsv_idx', 'gin (tsv)'),
        (7, 'chunks', 'chunks_id_idx', (SELECT CASE WHEN is_spread THEN 'btree (id)' END FROM placed)),
        (8, 'documents', 'documents_uri_collection_version_idx', (SELECT CASE WHEN distributed = 'document' THEN 'btree (uri, collection, version)' END FROM placed)),
        (9, 'links', 'links_from_chunk_idx', 'btree (from_chunk)'),
        (10, 'links', 'links_to_name_idx', 'btree (to_name)'),
        (11, 'documents', 'documents_link_name_idx', 'btree (passage.link_name(uri))'),
        (12, 'ratings', 'ratings_rated_at_idx', (SELECT CASE WHEN distributed IS NULL THEN 'btree (rated_at)' END FROM placed)),
        (6, 'documents', 'documents_orphaned_idx', 'btree (id) WHERE (orphaned_at IS NOT NULL)'),
        -- With pgvector's default of 64, the index of a store of source code lost a tenth of the nearest
        -- neighbours. With 200 it lost none, and the build took 1.5 times as long.
        (5, 'embeddings', 'embeddings_embedding_idx', (
                SELECT CASE WHEN embedding_type = 'binary'
                    THEN format('hnsw (((%1$I.binary_quantize(embedding))::bit(%2$s)) %1$I.bit_hamming_ops) WITH (ef_construction = 200)', nspname, dimensions)
                    ELSE format('hnsw (embedding %I.%I) WITH (ef_construction = 200)', nspname,
                        embedding_type || CASE distance WHEN 'cosine' THEN '_cosine_ops' WHEN 'l2' THEN '_l2_ops' ELSE '_ip_ops' END) END
                FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
                WHERE extname = 'vector'
            ))
    ),
    settings (place, name, value, vectors) AS (VALUES
        (1, 'layout_version', to_jsonb(1), false),
        (2, 'language', to_jsonb(language::text), false),
        (3, 'dimensions', to_jsonb(dimensions), true),
        (4, 'embedding_type', to_jsonb(embedding_type), true),
        (5, 'distance', to_jsonb(distance), true),
        (6, 'placement', nullif(placement, '{}'), false),
        (7, 'tsv_version', to_jsonb(_passage.tsv_version()), false)
    ),
    layout (stage, place, kind, relation, name, ddl) AS (
        SELECT 1, 1, 'schema', NULL, store::text, format('CREATE SCHEMA %I;', store)
        UNION ALL
        SELECT 2, tables.place, 'table', tables.relation, tables.relation,
            format(E'CREATE TABLE %I.%I (\n    %s%s\n)%s;', store, tables.relation,
                string_agg(format('%I %s', col.name, col.definition), E',\n    ' ORDER BY col.place),
                E',\n    ' || nullif(tables.tail, ''), tables.partition_by)
        FROM tables JOIN col USING (relation)
        WHERE NOT col.derived
        GROUP BY tables.place, tables.relation, tables.tail, tables.partition_by
        UNION ALL
        SELECT 2, 10 + remainder, 'partition', 'chunks_' || remainder, 'chunks_' || remainder,
            format('CREATE TABLE %1$I.%2$I PARTITION OF %1$I.chunks FOR VALUES WITH (MODULUS %3$s, REMAINDER %4$s);',
                store, 'chunks_' || remainder, partitions, remainder)
        FROM placed CROSS JOIN LATERAL generate_series(0, partitions - 1) AS remainder
        UNION ALL
        SELECT 3, col.place, CASE WHEN col.derived THEN 'derived' ELSE 'column' END, relation, col.name,
            format(E'ALTER TABLE %I.%I\n    ADD COLUMN %I %s;', store, relation, col.name, col.definition)
        FROM col
        UNION ALL
        SELECT 4, indexes.place, 'index', relation, indexes.name,
            format('CREATE INDEX %I ON %I.%I USING %s;', indexes.name, store, relation, indexes.target)
        FROM indexes
        WHERE (relation <> 'embeddings' OR dimensions IS NOT NULL) AND target IS NOT NULL
        UNION ALL
        -- Before the view: Citus creates a view on other nodes only if they have its tables.
        SELECT 4, 100 + tables.place, 'distribution', relation, relation, CASE
            WHEN distributed = 'schema' AND relation = 'chunks' THEN format('SELECT pg_catalog.citus_schema_distribute(%L);', quote_ident(store))
            WHEN distributed = 'schema'
                THEN format('SELECT pg_catalog.create_distributed_table(%L, NULL, colocate_with => %L);', format('%I.%I', store, relation), format('%I.chunks', store))
            WHEN relation = 'documents' THEN format('SELECT pg_catalog.create_distributed_table(%L, %L, colocate_with => %L);', format('%I.documents', store), 'id', 'none')
            WHEN relation IN ('chunks', 'embeddings', 'links', 'shard_keys')
                THEN format('SELECT pg_catalog.create_distributed_table(%L, %L, colocate_with => %L);', format('%I.%I', store, relation), 'document_id', format('%I.documents', store))
            ELSE format('SELECT pg_catalog.create_reference_table(%L);', format('%I.%I', store, relation)) END
        FROM placed CROSS JOIN tables
        WHERE distributed IS NOT NULL AND (relation <> 'embeddings' OR dimensions IS NOT NULL)
        UNION ALL
        SELECT 5, 1, 'view', 'chunks_embedded', 'chunks_embedded',
            -- Columns of documents are last, as CREATE OR REPLACE VIEW can add them only there.
            format(E'CREATE OR REPLACE VIEW %1$I.chunks_embedded WITH (security_invoker = true) AS\n'
                '    SELECT %2$s, embeddings.embedding, documents.uri, documents.title, documents.collection, documents.version\n'
                '    FROM %1$I.chunks JOIN %1$I.embeddings ON embeddings.chunk_id = chunks.id%3$s\n'
                '        JOIN %1$I.documents ON documents.id = chunks.document_id\n'
                '    WHERE documents.orphaned_at IS NULL;', store,
                string_agg(format('chunks.%I', col.name), ', ' ORDER BY col.place),
                (SELECT CASE WHEN is_spread THEN ' AND embeddings.document_id = chunks.document_id' END FROM placed))
        FROM col
        WHERE col.relation = 'chunks' AND NOT col.derived AND dimensions IS NOT NULL
        HAVING count(*) > 0
        UNION ALL
        SELECT 6, settings.place, 'setting', 'settings', settings.name,
            format('INSERT INTO %I.settings (key, value) VALUES (%L, %L);', store, settings.name, settings.value)
        FROM settings
        WHERE (NOT vectors OR dimensions IS NOT NULL) AND value IS NOT NULL
        UNION ALL
        -- The first ids, as many as reach each shard, also if it is divided later. Their rows tell nothing.
        SELECT 6, 10 + place, 'keys', 'shard_keys', NULL, format(statement, store)
        FROM placed CROSS JOIN (VALUES
            (1, $d$INSERT INTO %I.shard_keys (document_id) SELECT lpad(to_hex(number), 32, '0')::uuid FROM generate_series(0, greatest(4095, 32 * current_setting('citus.shard_count')::integer)) AS number;$d$),
            (2, 'GRANT SELECT ON %I.shard_keys TO PUBLIC;')
        ) AS filling (place, statement)
        WHERE distributed = 'document'
        UNION ALL
        SELECT 7, tables.place, 'comment', relation, NULL,
            format('COMMENT ON TABLE %I.%I IS %L;', store, relation, tables.comment)
        FROM tables
        WHERE relation <> 'embeddings' OR dimensions IS NOT NULL
        UNION ALL
        SELECT 7, 6, 'comment', 'chunks_embedded', NULL,
            format('COMMENT ON VIEW %I.chunks_embedded IS %L;', store, 'chunks of documents that have a source, with their embeddings')
        WHERE dimensions IS NOT NULL
        UNION ALL
        SELECT 8, col.place, 'comment', relation, col.name,
            format('COMMENT ON COLUMN %I.%I.%I IS %L;', store, relation, col.name, col.comment)
        FROM col
    )
    SELECT kind, relation, name, ddl FROM layout ORDER BY stage, place
$$;

COMMENT ON FUNCTION _passage.store_layout(name, integer, text, text, regconfig, jsonb) IS 'objects of a store with the statements that create them';
