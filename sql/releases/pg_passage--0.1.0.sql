-- The schema of pg_passage: functions and views, and not one table.
--
-- Made here and not by the control file, so that DROP EXTENSION takes it along. Tables are the
-- user's own: passage.create_store makes them.

\echo Use "CREATE EXTENSION pg_passage" to load this file. \quit

DO $$
BEGIN
    IF getdatabaseencoding() <> 'UTF8' THEN
        RAISE feature_not_supported USING
            MESSAGE = 'pg_passage needs a database with the encoding UTF8',
            DETAIL = format('This database has the encoding %s.', getdatabaseencoding()),
            HINT = 'CREATE DATABASE ... TEMPLATE template0 ENCODING ''UTF8'' makes one that fits.';
    END IF;
END
$$;

CREATE SCHEMA passage;

COMMENT ON SCHEMA passage IS 'passages of documents: the context that search hits belong to';

GRANT USAGE ON SCHEMA passage TO PUBLIC;

-- Sections: the rules of kinship, and what is derived from a section.
--
-- The bodies of SQL functions are bound when the functions are made, so that restores, which run
-- with an empty search_path, find ltree wherever it was installed. The encoding is Rust, and
-- frozen: changing it would rewrite every store.

CREATE FUNCTION passage.encode_section(section text[]) RETURNS text
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'encode_section_wrapper';

COMMENT ON FUNCTION passage.encode_section(text[]) IS 'section titles as the text of an ltree path';

CREATE FUNCTION passage.decode_section(path text) RETURNS text[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'decode_section_wrapper';

COMMENT ON FUNCTION passage.decode_section(text) IS 'section titles of the text of an ltree path';

CREATE FUNCTION passage.section_path(section text[]) RETURNS ltree
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN text2ltree(passage.encode_section(section));

COMMENT ON FUNCTION passage.section_path(text[]) IS 'section titles as an ltree path';

CREATE FUNCTION passage.section_titles(path ltree) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN passage.decode_section(ltree2text(path));

COMMENT ON FUNCTION passage.section_titles(ltree) IS 'section titles of an ltree path; a label that was cut ends in an ellipsis';

CREATE FUNCTION passage.section_key(section text[]) RETURNS bigint
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'section_key_wrapper';

COMMENT ON FUNCTION passage.section_key(text[]) IS 'hash by which an index finds a section';

CREATE FUNCTION passage.parent_key(section text[]) RETURNS bigint
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'parent_key_wrapper';

COMMENT ON FUNCTION passage.parent_key(text[]) IS 'hash of the parent section; null at the root';

CREATE FUNCTION passage.is_ancestor(ancestor text[], section text[]) RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'is_ancestor_wrapper';

COMMENT ON FUNCTION passage.is_ancestor(text[], text[]) IS 'is the first section above the second, at any distance?';

CREATE FUNCTION passage.common_section(a text[], b text[]) RETURNS text[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'common_section_wrapper';

COMMENT ON FUNCTION passage.common_section(text[], text[]) IS 'longest section that both share';

CREATE FUNCTION passage.merge_sections(
    a_level integer, a_section text[], b_level integer, b_section text[]
) RETURNS TABLE (level integer, section text[])
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 1
AS 'MODULE_PATHNAME', 'merge_sections_wrapper';

COMMENT ON FUNCTION passage.merge_sections(integer, text[], integer, text[]) IS 'level and section of two neighbouring chunks merged into one';

-- What full text covers of a chunk: the preamble, the titles, and the beginning of the content.
-- Each is bounded in bytes, since a tsvector takes a megabyte and an INSERT beyond it would fail.

CREATE FUNCTION passage.text_head(text text, bytes integer) RETURNS text
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'text_head_wrapper';

COMMENT ON FUNCTION passage.text_head(text, integer) IS 'beginning of a text, of at most so many bytes';

CREATE FUNCTION passage.section_text(section text[]) RETURNS text
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'section_text_wrapper';

COMMENT ON FUNCTION passage.section_text(text[]) IS 'section titles, one a line';

-- The parser of PostgreSQL takes getUser, array.sort and a sentence in Japanese for one word each, so
-- their parts are indexed beside them: those of titles with their weight, those of the content with C.

CREATE FUNCTION passage.identifier_parts(text text) RETURNS text
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'identifier_parts_wrapper';

COMMENT ON FUNCTION passage.identifier_parts(text) IS 'parts of compound words, and pairs of characters of scripts without spaces';

CREATE FUNCTION passage.chunk_tsv(language regconfig, preamble text, section text[], content text)
RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN setweight(to_tsvector(language, passage.text_head(coalesce(preamble, ''), 16384)), 'A')
    || setweight(to_tsvector(language, passage.identifier_parts(passage.text_head(coalesce(preamble, ''), 16384))), 'A')
    || setweight(to_tsvector(language, passage.text_head(passage.section_text(coalesce(section, '{}')), 16384)), 'B')
    || setweight(to_tsvector(language, passage.identifier_parts(passage.text_head(passage.section_text(coalesce(section, '{}')), 16384))), 'B')
    || setweight(to_tsvector(language, passage.text_head(coalesce(content, ''), 262144)), 'D')
    || setweight(to_tsvector(language, passage.identifier_parts(passage.text_head(coalesce(content, ''), 262144))), 'C');

COMMENT ON FUNCTION passage.chunk_tsv(regconfig, text, text[], text) IS 'what full text covers of a chunk';

-- The layout of a store: every object it has, with the statement that makes it.
--
-- This is the one description of a store. create_store executes what is missing of it,
-- upgrade_store what an earlier layout did not have, and check_store compares.
--
-- The functions of administration run with an empty search_path but for pg_catalog, so that
-- nothing in a hostile schema can be taken for what they name. Types of ltree and pgvector are
-- written with the schema that the catalog says, wherever they were installed.

CREATE FUNCTION passage.store_columns(
    store name, dimensions integer, embedding_type text, language regconfig
)
RETURNS TABLE (place bigint, relation text, name text, type text, definition text, derived boolean, comment text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 50
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT row_number() OVER (), relation, name, type,
        concat_ws(' ', type, definition), derived, comment
    FROM (VALUES
        ('documents', 'id', 'uuid', 'PRIMARY KEY DEFAULT gen_random_uuid()', false, 'identity of the document'),
        ('documents', 'collection', 'text', $d$NOT NULL DEFAULT ''$d$, false, 'the project or library it belongs to'),
        ('documents', 'version', 'text', $d$NOT NULL DEFAULT ''$d$, false, 'version of the collection'),
        ('documents', 'uri', 'text', 'NOT NULL', false, 'url or path; unique with collection and version'),
        ('documents', 'title', 'text', NULL, false, 'title for people'),
        ('documents', 'media_type', 'text', NULL, false, 'media type of the stored text'),
        ('documents', 'source_media_type', 'text', NULL, false, 'media type of the source, when the text was converted'),
        ('documents', 'content_hash', 'bytea', NULL, false, 'hash of all that the chunks were made from'),
        ('documents', 'chunk_count', 'integer', NULL, false, 'number of its chunks'),
        ('documents', 'orphaned_at', 'timestamp with time zone', NULL, false, 'when its source was found gone; null while it is there'),
        ('documents', 'metadata', 'jsonb', $d$NOT NULL DEFAULT '{}'$d$, false, 'whatever else is known of it'),
        ('documents', 'ingested_at', 'timestamp with time zone', 'NOT NULL DEFAULT now()', false, 'when its chunks were written'),

        ('chunks', 'id', 'uuid', 'PRIMARY KEY DEFAULT gen_random_uuid()', false, 'identity of the chunk'),
        ('chunks', 'document_id', 'uuid', format('NOT NULL REFERENCES %I.documents ON DELETE CASCADE', store), false, 'the document it is a piece of'),
        ('chunks', 'ordinal', 'integer', 'NOT NULL', false, 'position in the document, from 0, without gaps'),
        ('chunks', 'level', 'integer', 'NOT NULL DEFAULT 0', false, 'depth that the splitter gave; 0 is the root'),
        ('chunks', 'section', 'text[]', $d$NOT NULL DEFAULT '{}'$d$, false, 'titles from the root down to the chunk, as written'),
        ('chunks', 'kind', 'text', NULL, false, 'prose, code, api-reference or data'),
        ('chunks', 'unit', 'text', NULL, false, 'module, container, member, value or text; null where unknown'),
        ('chunks', 'content', 'text', 'NOT NULL', false, 'slice of the source, byte for byte'),
        ('chunks', 'preamble', 'text', NULL, false, 'what goes before the content for embedding and full text'),
        ('chunks', 'tokens', 'integer', NULL, false, 'size of the content; null counts as a quarter of its characters'),
        ('chunks', 'start_byte', 'integer', NULL, false, 'first byte of the content in the source'),
        ('chunks', 'end_byte', 'integer', NULL, false, 'byte after its last'),
        ('chunks', 'first_line', 'integer', NULL, false, 'first line of the content in the source, from 1'),
        ('chunks', 'last_line', 'integer', NULL, false, 'last line of it'),
        ('chunks', 'metadata', 'jsonb', $d$NOT NULL DEFAULT '{}'$d$, false, 'whatever else is known of it'),
        ('chunks', 'path', (SELECT format_type(prorettype, NULL) FROM pg_proc WHERE oid = 'passage.section_path(text[])'::regprocedure),
            'GENERATED ALWAYS AS (passage.section_path(section)) STORED', true, 'the section as an ltree path'),
        ('chunks', 'section_key', 'bigint', 'GENERATED ALWAYS AS (passage.section_key(section)) STORED', true, 'hash by which an index finds the section'),
        ('chunks', 'parent_key', 'bigint', 'GENERATED ALWAYS AS (passage.parent_key(section)) STORED', true, 'hash of the parent section; null at the root'),
        ('chunks', 'tsv', 'tsvector', (
                SELECT format('GENERATED ALWAYS AS (passage.chunk_tsv(%L::regconfig, preamble, section, content)) STORED',
                    format('%I.%I', nspname, cfgname))
                FROM pg_ts_config JOIN pg_namespace ON pg_namespace.oid = cfgnamespace
                WHERE pg_ts_config.oid = language
            ), true, 'what full text covers of it'),

        ('embeddings', 'chunk_id', 'uuid', format('PRIMARY KEY REFERENCES %I.chunks ON DELETE CASCADE', store), false, 'the chunk'),
        ('embeddings', 'document_id', 'uuid', 'NOT NULL', false, 'the document of the chunk'),
        ('embeddings', 'embedding', (
                SELECT format('%I.%I(%s)', nspname, embedding_type, dimensions)
                FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
                WHERE extname = 'vector'
            ), 'NOT NULL', false, 'vector of its preamble and content'),

        ('strategies', 'name', 'text', $d$PRIMARY KEY CHECK (name NOT IN ('auto', 'none', 'adjacent', 'broad', 'reassembly', 'section', 'hierarchical', 'merge', 'document'))$d$, false, 'name that a call gives'),
        ('strategies', 'base', 'text', $d$NOT NULL DEFAULT 'none' CHECK (base IN ('none', 'adjacent', 'broad', 'reassembly', 'section', 'hierarchical', 'merge', 'document'))$d$, false, 'preset that gives what is null here'),
        ('strategies', 'description', 'text', NULL, false, 'one line for people'),
        ('strategies', 'default_for', 'text[]', $d$NOT NULL DEFAULT '{}' CHECK (array_position(default_for, NULL) IS NULL AND coalesce(array_ndims(default_for), 1) = 1)$d$, false, 'media types for which auto takes it; text/* for all of text, */* for all'),
        ('strategies', 'parents', 'integer', 'CHECK (parents BETWEEN 0 AND 1000000)', false, 'sections above the hit of which one chunk comes'),
        ('strategies', 'preceding', 'integer', 'CHECK (preceding BETWEEN 0 AND 1000000)', false, 'siblings before the hit'),
        ('strategies', 'following', 'integer', 'CHECK (following BETWEEN 0 AND 1000000)', false, 'siblings after the hit'),
        ('strategies', 'children', 'integer', 'CHECK (children BETWEEN 0 AND 1000000)', false, 'chunks one title below the hit'),
        ('strategies', 'before', 'integer', 'CHECK (before BETWEEN 0 AND 1000000)', false, 'chunks directly before the hit'),
        ('strategies', 'after', 'integer', 'CHECK (after BETWEEN 0 AND 1000000)', false, 'chunks directly after the hit'),
        ('strategies', 'windows', 'jsonb', $d$CHECK (windows - '{prose,code,api-reference}'::text[] = '{}' AND NOT windows @? '$.* ? (@.type() != "number" || @ < 0 || @ > 1000000 || @.floor() != @)')$d$, false, 'chunks directly before and after a hit of a kind, as in {"code": 4}'),
        ('strategies', 'siblings', 'text', $d$CHECK (siblings IN ('parent', 'section'))$d$, false, 'parent: siblings share the parent section; section: their own'),
        ('strategies', 'within', 'text', $d$CHECK (within IN ('document', 'parent', 'section'))$d$, false, 'what bounds before and after: document, parent or section'),
        ('strategies', 'threshold', 'double precision', 'CHECK (threshold BETWEEN 0 AND 1)', false, 'share of a section that hits must exceed for merge'),
        ('strategies', 'count_by', 'text', $d$CHECK (count_by IN ('chunks', 'tokens'))$d$, false, 'what that share is counted in'),
        ('strategies', 'max_tokens', 'integer', 'CHECK (max_tokens BETWEEN 0 AND 1000000)', false, 'most tokens of hits and context together'),
        ('strategies', 'max_chunks', 'integer', 'CHECK (max_chunks BETWEEN 0 AND 1000000)', false, 'most chunks of hits and context together'),

        ('settings', 'key', 'text', 'PRIMARY KEY', false, 'name of the setting'),
        ('settings', 'value', 'jsonb', 'NOT NULL', false, 'its value')
    ) AS listed (relation, name, type, definition, derived, comment)
    WHERE relation <> 'embeddings' OR dimensions IS NOT NULL
$$;

COMMENT ON FUNCTION passage.store_columns(name, integer, text, regconfig) IS 'columns that the tables of a store have';

-- Derived columns are added after the table is made, always last and in one order: DROP EXTENSION
-- takes them, and when upgrade_store adds them again the table is as it was.

CREATE FUNCTION passage.store_layout(
    store name, dimensions integer, distance text, embedding_type text, language regconfig
)
RETURNS TABLE (kind text, relation text, name text, ddl text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 120
SET search_path = pg_catalog, pg_temp
AS $$
    WITH col AS (
        SELECT * FROM passage.store_columns(store, dimensions, embedding_type, language)
    ),
    tables (place, relation, tail, comment) AS (VALUES
        (1, 'documents', 'UNIQUE (uri, collection, version)', 'sources that were split into chunks'),
        (2, 'chunks', 'UNIQUE (document_id, ordinal) DEFERRABLE INITIALLY IMMEDIATE', 'pieces of documents, in document order'),
        (3, 'embeddings', NULL, 'vectors of chunks'),
        (4, 'strategies', NULL, 'strategies of this store, beside the built-in ones'),
        (5, 'settings', NULL, 'what the store was made with')
    ),
    indexes (place, relation, name, target) AS (VALUES
        (1, 'chunks', 'chunks_document_id_section_key_ordinal_idx', 'btree (document_id, section_key, ordinal)'),
        (2, 'chunks', 'chunks_document_id_parent_key_ordinal_idx', 'btree (document_id, parent_key, ordinal)'),
        (3, 'chunks', 'chunks_path_idx', 'gist (path)'),
        (4, 'chunks', 'chunks_tsv_idx', 'gin (tsv)'),
        (6, 'documents', 'documents_orphaned_idx', 'btree (id) WHERE (orphaned_at IS NOT NULL)'),
        -- With pgvector's 64 the graph of a store of source code lost a tenth of the nearest, with 200
        -- none, for half as much time again to build it.
        (5, 'embeddings', 'embeddings_embedding_idx', (
                SELECT format('hnsw (embedding %I.%I) WITH (ef_construction = 200)', nspname,
                    embedding_type || CASE distance WHEN 'cosine' THEN '_cosine_ops' WHEN 'l2' THEN '_l2_ops' ELSE '_ip_ops' END)
                FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
                WHERE extname = 'vector'
            ))
    ),
    settings (place, name, value, vectors) AS (VALUES
        (1, 'layout_version', to_jsonb(1), false),
        (2, 'language', to_jsonb(language::text), false),
        (3, 'dimensions', to_jsonb(dimensions), true),
        (4, 'embedding_type', to_jsonb(embedding_type), true),
        (5, 'distance', to_jsonb(distance), true)
    ),
    layout (stage, place, kind, relation, name, ddl) AS (
        SELECT 1, 1, 'schema', NULL, store::text, format('CREATE SCHEMA %I;', store)
        UNION ALL
        SELECT 2, tables.place, 'table', tables.relation, tables.relation,
            format(E'CREATE TABLE %I.%I (\n    %s%s\n);', store, tables.relation,
                string_agg(format('%I %s', col.name, col.definition), E',\n    ' ORDER BY col.place),
                E',\n    ' || tables.tail)
        FROM tables JOIN col USING (relation)
        WHERE NOT col.derived
        GROUP BY tables.place, tables.relation, tables.tail
        UNION ALL
        SELECT 3, col.place, CASE WHEN col.derived THEN 'derived' ELSE 'column' END, relation, col.name,
            format(E'ALTER TABLE %I.%I\n    ADD COLUMN %I %s;', store, relation, col.name, col.definition)
        FROM col
        UNION ALL
        SELECT 4, indexes.place, 'index', relation, indexes.name,
            format('CREATE INDEX %I ON %I.%I USING %s;', indexes.name, store, relation, indexes.target)
        FROM indexes
        WHERE relation <> 'embeddings' OR dimensions IS NOT NULL
        UNION ALL
        SELECT 5, 1, 'view', 'chunks_embedded', 'chunks_embedded',
            format(E'CREATE VIEW %1$I.chunks_embedded WITH (security_invoker = true) AS\n'
                '    SELECT %2$s, embeddings.embedding\n'
                '    FROM %1$I.chunks JOIN %1$I.embeddings ON embeddings.chunk_id = chunks.id;', store,
                string_agg(format('chunks.%I', col.name), ', ' ORDER BY col.place))
        FROM col
        WHERE col.relation = 'chunks' AND NOT col.derived AND dimensions IS NOT NULL
        HAVING count(*) > 0
        UNION ALL
        SELECT 6, settings.place, 'setting', 'settings', settings.name,
            format('INSERT INTO %I.settings (key, value) VALUES (%L, %L);', store, settings.name, settings.value)
        FROM settings
        WHERE NOT vectors OR dimensions IS NOT NULL
        UNION ALL
        SELECT 7, tables.place, 'comment', relation, NULL,
            format('COMMENT ON TABLE %I.%I IS %L;', store, relation, tables.comment)
        FROM tables
        WHERE relation <> 'embeddings' OR dimensions IS NOT NULL
        UNION ALL
        SELECT 7, 6, 'comment', 'chunks_embedded', NULL,
            format('COMMENT ON VIEW %I.chunks_embedded IS %L;', store, 'chunks that have an embedding, with it')
        WHERE dimensions IS NOT NULL
        UNION ALL
        SELECT 8, col.place, 'comment', relation, col.name,
            format('COMMENT ON COLUMN %I.%I.%I IS %L;', store, relation, col.name, col.comment)
        FROM col
    )
    SELECT kind, relation, name, ddl FROM layout ORDER BY stage, place
$$;

COMMENT ON FUNCTION passage.store_layout(name, integer, text, text, regconfig) IS 'objects of a store and the statements that make them';

-- Stores: making one, and bringing it up to date.
--
-- The tables are ordinary ones and belong to whoever calls create_store. None is a member of the
-- extension: pg_dump keeps their indexes, policies and grants, and DROP EXTENSION leaves them.

CREATE FUNCTION passage.store_name(store name DEFAULT NULL) RETURNS name
LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(store, nullif(current_setting('passage.store', true), '')::name, 'rag'::name);

COMMENT ON FUNCTION passage.store_name(name) IS 'the store that a call means: the named one, else the setting passage.store, else rag';

CREATE FUNCTION passage.store_must_exist(store name) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname = 'chunks'
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_schema_name',
            MESSAGE = format('store "%s" does not exist', store),
            HINT = format('SELECT passage.create_store(%L); makes it.', store);
    END IF;
END
$$;

COMMENT ON FUNCTION passage.store_must_exist(name) IS 'raise an error where there is no such store';

-- What a store was made with, as the catalogs show it. The table settings is not asked: where
-- somebody else's schema is looked at, nothing of his may run.

CREATE FUNCTION passage.store_facts(
    store name,
    OUT dimensions integer, OUT embedding_type text, OUT distance text, OUT language text
)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT vector.dimensions, vector.embedding_type, vector.distance, tsv.language
    FROM (SELECT) AS one
    LEFT JOIN (
        SELECT nullif(atttypmod, -1), typname::text,
            (
                SELECT CASE
                    WHEN opcname LIKE '%\_cosine\_ops' THEN 'cosine'
                    WHEN opcname LIKE '%\_l2\_ops' THEN 'l2'
                    WHEN opcname LIKE '%\_ip\_ops' THEN 'inner_product'
                END
                FROM pg_index
                JOIN pg_class AS index ON index.oid = indexrelid
                JOIN pg_am ON pg_am.oid = relam
                JOIN pg_opclass ON pg_opclass.oid = indclass[0]
                WHERE indrelid = attrelid AND indkey[0] = attnum AND amname IN ('hnsw', 'ivfflat')
                ORDER BY indisvalid DESC, indexrelid
                LIMIT 1
            )
        FROM pg_attribute
        JOIN pg_class ON pg_class.oid = attrelid
        JOIN pg_namespace ON pg_namespace.oid = relnamespace
        JOIN pg_type ON pg_type.oid = atttypid
        WHERE nspname = store AND relname = 'embeddings' AND attname = 'embedding'
            AND typname IN ('vector', 'halfvec') AND NOT attisdropped
    ) AS vector (dimensions, embedding_type, distance) ON true
    LEFT JOIN (
        SELECT replace(substring(pg_get_expr(adbin, adrelid) FROM '''((?:[^'']|'''')*)''::regconfig'), '''''', '''')
        FROM pg_attrdef
        JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
        JOIN pg_class ON pg_class.oid = attrelid
        JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname = 'chunks' AND attname = 'tsv' AND attgenerated = 's'
    ) AS tsv (language) ON true
$$;

COMMENT ON FUNCTION passage.store_facts(name) IS 'dimensions, type, distance and language of a store, from the catalogs';

-- Its settings as one object; null where there are none to read.

CREATE FUNCTION passage.store_settings(store name) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    settings jsonb;
BEGIN
    -- A view could run anything with the caller's rights; only a table is read.
    IF 2 = (
        SELECT count(*) FROM pg_class
        JOIN pg_namespace ON pg_namespace.oid = relnamespace
        JOIN pg_attribute ON attrelid = pg_class.oid
        WHERE nspname = store AND relname = 'settings' AND relkind IN ('r', 'p') AND NOT attisdropped
            AND (attname, atttypid) IN (('key', 'text'::regtype), ('value', 'jsonb'::regtype))
            AND has_schema_privilege(pg_namespace.oid, 'USAGE')
            AND has_column_privilege(attrelid, attnum, 'SELECT')
    ) THEN
        EXECUTE format('SELECT jsonb_object_agg(key, value) FROM %I.settings', store) INTO settings;
    END IF;
    RETURN settings;
END
$$;

COMMENT ON FUNCTION passage.store_settings(name) IS 'settings of a store as one object';

-- What of the layout a store does not have yet. An object that is there is left as it is, under
-- whatever name an equal index goes. Where chunks is a view, it, its documents and its vectors are
-- somebody else's, and only the store's own settings and strategies can be missing.

CREATE FUNCTION passage.store_missing(
    store name, dimensions integer, distance text, embedding_type text, language regconfig
)
RETURNS TABLE (place bigint, kind text, relation text, name text, ddl text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT place, kind, relation, layout.name, ddl
    FROM passage.store_layout(store, dimensions, distance, embedding_type, language)
        WITH ORDINALITY AS layout (kind, relation, name, ddl, place)
    LEFT JOIN (
        SELECT pg_class.oid, relname, relkind IN ('r', 'p') AS is_table
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store
    ) AS rel ON relname = relation
    LEFT JOIN pg_attribute ON attrelid = rel.oid AND attname = layout.name AND NOT attisdropped
    WHERE CASE kind
        WHEN 'schema' THEN NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = store)
        WHEN 'setting' THEN coalesce(NOT passage.store_settings(store) ? layout.name, true)
        WHEN 'column' THEN is_table AND attnum IS NULL
        WHEN 'derived' THEN rel.oid IS NULL OR is_table AND attnum IS NULL
        WHEN 'index' THEN rel.oid IS NULL OR is_table AND NOT EXISTS (
            SELECT FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
            WHERE indrelid = rel.oid AND (
                relname = layout.name
                -- Whatever its parameters are.
                OR regexp_replace(substring(pg_get_indexdef(indexrelid) FROM ' USING (.*)'), ' WITH .*', '')
                    = regexp_replace(substring(ddl FROM ' USING (.*);'), ' WITH .*', '')
            ))
        WHEN 'comment' THEN rel.oid IS NULL OR (is_table OR relation = 'chunks_embedded')
            AND CASE WHEN layout.name IS NULL THEN obj_description(rel.oid, 'pg_class')
                ELSE col_description(rel.oid, attnum) END IS NULL
        ELSE rel.oid IS NULL
    END AND (relation IN ('strategies', 'settings') OR NOT EXISTS (
        SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname = 'chunks' AND relkind NOT IN ('r', 'p')))
$$;

COMMENT ON FUNCTION passage.store_missing(name, integer, text, text, regconfig) IS 'objects that a store does not have yet';

-- The columns of a table come in one statement: each one apart would write every row again.

CREATE FUNCTION passage.store_statements(
    store name, dimensions integer, distance text, embedding_type text, language regconfig
)
RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE
        WHEN head IS NULL THEN min(ddl)
        ELSE head || string_agg(substr(ddl, length(head) + 1, length(ddl) - length(head) - 1), E',\n    ' ORDER BY place) || ';'
    END
    FROM passage.store_missing(store, dimensions, distance, embedding_type, language),
        LATERAL (
            SELECT CASE WHEN kind IN ('column', 'derived') THEN format(E'ALTER TABLE %I.%I\n    ', store, relation) END
        ) AS altered (head)
    GROUP BY head, CASE WHEN head IS NULL THEN place END
    ORDER BY min(place)
$$;

COMMENT ON FUNCTION passage.store_statements(name, integer, text, text, regconfig) IS 'statements that make what a store does not have yet';

-- Refuses what would not become a store, with what to do instead.

CREATE FUNCTION passage.store_refusal(store name, dimensions integer, distance text, embedding_type text)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    most CONSTANT integer := CASE embedding_type WHEN 'halfvec' THEN 4000 ELSE 2000 END;
    pgvector regnamespace;
    foreigner text;
BEGIN
    IF store = '' OR store LIKE 'pg\_%' OR store IN ('passage', 'information_schema') THEN
        RAISE EXCEPTION USING ERRCODE = 'reserved_name',
            MESSAGE = format('"%s" cannot be a store', store),
            HINT = 'Take the name of a schema of your own, or of one that is yet to be made.';
    ELSIF distance NOT IN ('cosine', 'l2', 'inner_product') THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('unrecognized distance "%s"', distance),
            HINT = 'The valid ones are cosine, l2 and inner_product.';
    ELSIF embedding_type NOT IN ('vector', 'halfvec') THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('unrecognized embedding type "%s"', embedding_type),
            HINT = 'The valid ones are vector and halfvec.';
    ELSIF dimensions < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('embeddings cannot have %s dimensions', dimensions),
            HINT = 'Pass the number of dimensions that the model gives, or none for a store without embeddings.';
    ELSIF dimensions > most THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('%s cannot have %s dimensions', embedding_type, dimensions),
            DETAIL = format('An HNSW index takes at most %s dimensions of %s.', most, embedding_type),
            HINT = CASE WHEN dimensions <= 4000
                THEN 'Pass embedding_type => ''halfvec'', which takes up to 4000.'
                ELSE 'Shorten the embeddings to 4000 dimensions and pass embedding_type => ''halfvec''.' END;
    END IF;

    IF dimensions IS NOT NULL THEN
        SELECT extnamespace INTO pgvector FROM pg_extension WHERE extname = 'vector';
        IF pgvector IS NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'undefined_object',
                MESSAGE = 'a store with embeddings needs pgvector',
                HINT = CASE WHEN EXISTS (SELECT FROM pg_available_extensions WHERE pg_available_extensions.name = 'vector')
                    THEN 'CREATE EXTENSION vector; brings it. Without dimensions a store needs none.'
                    ELSE 'Install pgvector on the server, then CREATE EXTENSION vector. Without dimensions a store needs none.' END;
        ELSIF NOT EXISTS (SELECT FROM pg_type WHERE typname = embedding_type AND typnamespace = pgvector) THEN
            RAISE EXCEPTION USING ERRCODE = 'undefined_object',
                MESSAGE = format('this pgvector has no type %s', embedding_type),
                HINT = 'ALTER EXTENSION vector UPDATE; brings it from version 0.7 on.';
        END IF;
    END IF;

    -- A table that only shares its name with one of ours must not be given columns.
    SELECT format('%I.%I', nspname, relname) INTO foreigner
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    JOIN (VALUES
        ('documents', 'id', 'uuid'), ('documents', 'uri', 'text'),
        ('chunks', 'id', 'uuid'), ('chunks', 'document_id', 'uuid'),
        ('chunks', 'ordinal', 'integer'), ('chunks', 'content', 'text'),
        ('embeddings', 'chunk_id', 'uuid'), ('embeddings', 'embedding', NULL),
        ('strategies', 'name', 'text'), ('settings', 'key', 'text'), ('settings', 'value', 'jsonb')
    ) AS needed (relation, name, type) ON relation = relname
    WHERE nspname = store AND (relation <> 'embeddings' OR dimensions IS NOT NULL) AND NOT EXISTS (
        SELECT FROM pg_attribute
        WHERE attrelid = pg_class.oid AND attname = needed.name AND NOT attisdropped
            AND (type IS NULL OR atttypid = type::regtype OR EXISTS (
                SELECT FROM pg_cast WHERE castsource = atttypid AND casttarget = type::regtype AND castmethod = 'b')))
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'duplicate_table',
            MESSAGE = format('%s exists and is no part of a store', foreigner),
            HINT = format('Take another name for the store. If it is one, SELECT * FROM passage.check_store(%L); says what it lacks.', store);
    ELSIF dimensions IS NOT NULL AND EXISTS (
        SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname = 'chunks' AND relkind NOT IN ('r', 'p')
    ) AND NOT EXISTS (
        SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname = 'embeddings'
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'wrong_object_type',
            MESSAGE = format('%I.chunks is a view', store),
            DETAIL = 'The table embeddings refers to a table of chunks.',
            HINT = format('Make a view %I.embeddings over the vectors that are there.', store);
    END IF;
END
$$;

COMMENT ON FUNCTION passage.store_refusal(name, integer, text, text) IS 'raise an error for what cannot become a store';

-- create_store and upgrade_store.
--
-- An argument that is NULL means what the store has, and for a new one no embeddings, or cosine,
-- vector and english. One that contradicts what the store has is an error: embeddings of another
-- model belong into another store.

-- Row-level security is the caller's to decide, so a dry run ends with how it is done.

CREATE FUNCTION passage.policy_template(store name, embeddings boolean) RETURNS SETOF text
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1
RETURN format($template$-- Row-level security, for tenants who share a store: documents, chunks and embeddings alike.
-- Put your own condition in the first policy; the others follow it.
-- ALTER TABLE %1$I.documents ENABLE ROW LEVEL SECURITY;
-- ALTER TABLE %1$I.chunks ENABLE ROW LEVEL SECURITY;%2$s
-- CREATE POLICY readers ON %1$I.documents FOR SELECT
--     USING (collection = current_setting('app.collection', true));
-- CREATE POLICY readers ON %1$I.chunks FOR SELECT
--     USING (EXISTS (SELECT FROM %1$I.documents WHERE documents.id = chunks.document_id));%3$s$template$,
    store,
    CASE WHEN embeddings THEN format(E'\n-- ALTER TABLE %I.embeddings ENABLE ROW LEVEL SECURITY;', store) END,
    CASE WHEN embeddings THEN format(E'\n-- CREATE POLICY readers ON %1$I.embeddings FOR SELECT\n'
        '--     USING (EXISTS (SELECT FROM %1$I.documents WHERE documents.id = embeddings.document_id));', store) END);

COMMENT ON FUNCTION passage.policy_template(name, boolean) IS 'policies for a store that tenants share, as a comment';

CREATE FUNCTION passage.create_store(
    store name DEFAULT NULL,
    dimensions integer DEFAULT NULL,
    distance text DEFAULT NULL,
    embedding_type text DEFAULT NULL,
    language regconfig DEFAULT NULL,
    dry_run boolean DEFAULT false
)
RETURNS SETOF text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 100
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    made CONSTANT record := passage.store_facts(passage.store_name(store));
    settings CONSTANT jsonb := passage.store_settings(passage.store_name(store));
    statement text;
BEGIN
    store := passage.store_name(store);
    distance := coalesce(distance, made.distance, settings ->> 'distance', 'cosine');
    embedding_type := coalesce(embedding_type, made.embedding_type, 'vector');
    language := coalesce(language, made.language::regconfig, (settings ->> 'language')::regconfig, 'pg_catalog.english');

    PERFORM passage.store_refusal(store, dimensions, distance, embedding_type);
    IF (settings ->> 'layout_version')::integer > 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('store "%s" has layout %s, and this pg_passage knows layout 1', store, settings ->> 'layout_version'),
            HINT = 'ALTER EXTENSION pg_passage UPDATE; brings one that knows it.';
    END IF;

    SELECT format('store "%s" was made with %s %s, not %s', store, what, has, asked) INTO statement
    FROM (VALUES
        (1, 'dimensions', made.dimensions::text, dimensions::text),
        (2, 'embedding type', made.embedding_type, embedding_type),
        (3, 'distance', made.distance, distance),
        (4, 'language', coalesce(made.language, settings ->> 'language'), language::text)
    ) AS property (place, what, has, asked)
    WHERE has <> asked
    ORDER BY place
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = statement,
            HINT = 'Make another store for it, fill that, and rename: each store is a schema.';
    END IF;

    dimensions := coalesce(dimensions, made.dimensions);

    IF dry_run THEN
        RETURN QUERY SELECT * FROM passage.store_statements(store, dimensions, distance, embedding_type, language);
        RETURN QUERY SELECT * FROM passage.policy_template(store, dimensions IS NOT NULL);
        RETURN;
    END IF;

    -- Of two who make the same store at once, the second waits and finds it made.
    PERFORM pg_advisory_xact_lock(hashtextextended('passage.create_store ' || store, 0));
    FOR statement IN
        SELECT * FROM passage.store_statements(store, dimensions, distance, embedding_type, language)
    LOOP
        EXECUTE statement;
        RETURN NEXT statement;
    END LOOP;
END
$$;

COMMENT ON FUNCTION passage.create_store(name, integer, text, text, regconfig, boolean) IS 'make the tables of a store, or what it lacks of them, and return the statements';

-- DROP EXTENSION ... CASCADE takes the derived columns and their indexes and nothing else. This
-- brings them back, computed from what stayed, and the table is as it was.

CREATE FUNCTION passage.upgrade_store(store name DEFAULT NULL, dry_run boolean DEFAULT false)
RETURNS SETOF text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    statement text;
BEGIN
    store := passage.store_name(store);
    PERFORM passage.store_must_exist(store);
    FOR statement IN SELECT * FROM passage.create_store(store, dry_run => upgrade_store.dry_run) LOOP
        IF statement NOT LIKE '--%' THEN
            RETURN NEXT statement;
        END IF;
    END LOOP;
END
$$;

COMMENT ON FUNCTION passage.upgrade_store(name, boolean) IS 'bring a store up to date and return the statements';

-- What is wrong with the rows of a store: each problem with its document and how often.
--
-- Sections are asked for a parent in code and data alone. In prose a heading is merged with what
-- follows it, so that a parent section without a chunk of its own, or with a later one, is no
-- fault.

CREATE FUNCTION passage.data_problems(store name)
RETURNS TABLE (object text, problem text, remedy text)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    again CONSTANT text := 'Ingest the document again.';
    has text[] := ARRAY(
        SELECT relname || '.' || attname
        FROM pg_namespace JOIN pg_class ON relnamespace = pg_namespace.oid JOIN pg_attribute ON attrelid = pg_class.oid
        WHERE nspname = store AND relname IN ('documents', 'chunks', 'embeddings') AND attnum > 0 AND NOT attisdropped);
BEGIN
    IF NOT has @> '{chunks.id,chunks.document_id,chunks.ordinal,chunks.content}' THEN
        RETURN;
    END IF;

    RETURN QUERY EXECUTE format($query$
        SELECT 'document ' || document_id,
            format('ordinals not from 0 without gaps: %%s chunks from %%s to %%s', count(*), min(ordinal), max(ordinal)), $1
        FROM %I.chunks
        GROUP BY document_id
        HAVING min(ordinal) <> 0 OR max(ordinal) + 1::bigint <> count(*) OR count(DISTINCT ordinal) <> count(*)
        ORDER BY document_id
        $query$, store) USING again;

    IF has @> '{chunks.start_byte,chunks.end_byte}' THEN
        RETURN QUERY EXECUTE format($query$
            SELECT 'document ' || document_id, 'spans that do not touch the one before: ' || count(*), $1
            FROM (
                SELECT document_id, start_byte <> lag(end_byte) OVER (PARTITION BY document_id ORDER BY ordinal) AS apart
                FROM %I.chunks
            ) AS spans
            WHERE apart
            GROUP BY document_id
            ORDER BY document_id
            $query$, store) USING again;
        RETURN QUERY EXECUTE format($query$
            SELECT 'document ' || document_id, 'spans not as long as their content: ' || count(*), $1
            FROM %I.chunks
            WHERE end_byte - start_byte <> octet_length(content)
            GROUP BY document_id
            ORDER BY document_id
            $query$, store) USING again;
    END IF;

    IF has @> '{chunks.section,chunks.kind}' THEN
        RETURN QUERY EXECUTE format($query$
            WITH opened AS (
                SELECT document_id, section, min(ordinal) AS ordinal, bool_or(kind IN ('code', 'data')) AS strict
                FROM %I.chunks
                GROUP BY document_id, section
            )
            SELECT 'document ' || child.document_id, 'sections without a parent before them: ' || count(*), $1
            FROM opened AS child
            LEFT JOIN opened AS parent ON parent.document_id = child.document_id
                AND parent.section = child.section[:cardinality(child.section) - 1]
                AND parent.ordinal < child.ordinal
            WHERE cardinality(child.section) > 1 AND child.strict AND parent.document_id IS NULL
            GROUP BY child.document_id
            ORDER BY child.document_id
            $query$, store) USING again;
    END IF;

    IF has @> '{documents.id}' THEN
        RETURN QUERY EXECUTE format($query$
            SELECT 'document ' || document_id, 'chunks of a document that does not exist: ' || count(*),
                format('DELETE FROM %%I.chunks WHERE document_id = %%L;', $1, document_id)
            FROM %1$I.chunks
            WHERE NOT EXISTS (SELECT FROM %1$I.documents WHERE documents.id = chunks.document_id)
            GROUP BY document_id
            ORDER BY document_id
            $query$, store) USING store;
    END IF;

    IF has @> '{documents.id,documents.chunk_count}' THEN
        RETURN QUERY EXECUTE format($query$
            SELECT 'document ' || documents.id, format('chunk_count is %%s, and there are %%s', chunk_count, coalesce(counted, 0)),
                format('UPDATE %%I.documents SET chunk_count = %%s WHERE id = %%L;', $1, coalesce(counted, 0), documents.id)
            FROM %1$I.documents
            LEFT JOIN (SELECT document_id, count(*) FROM %1$I.chunks GROUP BY document_id) AS counts (document_id, counted)
                ON document_id = documents.id
            WHERE chunk_count <> coalesce(counted, 0)
            ORDER BY documents.id
            $query$, store) USING store;
    END IF;

    IF has @> '{embeddings.chunk_id,embeddings.document_id}' THEN
        RETURN QUERY EXECUTE format($query$
            SELECT 'document ' || chunks.document_id,
                format('chunks without embedding: %%s of %%s', count(*) - count(chunk_id), count(*)), $1
            FROM %1$I.chunks LEFT JOIN %1$I.embeddings ON chunk_id = chunks.id
            GROUP BY chunks.document_id
            HAVING count(*) > count(chunk_id)
            ORDER BY chunks.document_id
            $query$, store) USING again;
        RETURN QUERY EXECUTE format($query$
            SELECT 'document ' || chunks.document_id, 'embeddings that name another document: ' || count(*), $1
            FROM %1$I.chunks JOIN %1$I.embeddings ON chunk_id = chunks.id
            WHERE embeddings.document_id <> chunks.document_id
            GROUP BY chunks.document_id
            ORDER BY chunks.document_id
            $query$, store) USING again;
    END IF;
END
$$;

COMMENT ON FUNCTION passage.data_problems(name) IS 'what is wrong with the rows of a store';

-- check_store: what is wrong with a store, or out of date, and what mends it.
--
-- The shape of a store is compared with the layout, from the catalogs. Its data is looked at only
-- when asked for, one pass a question over the whole store. Nothing is written, and no text of a
-- document is shown.

-- What a store of tables lacks or has otherwise.

CREATE FUNCTION passage.table_problems(
    store name, dimensions integer, distance text, embedding_type text, language regconfig
)
RETURNS TABLE (object text, problem text, remedy text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
    WITH rel AS (
        SELECT pg_class.oid, relname, relkind IN ('r', 'p') AS is_table, relrowsecurity
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname IN ('documents', 'chunks', 'embeddings', 'strategies', 'settings')
    ),
    keys (relation, columns, tail) AS (VALUES
        ('documents', ARRAY['id'], 'ADD PRIMARY KEY (id)'),
        ('documents', ARRAY['uri', 'collection', 'version'], 'ADD UNIQUE (uri, collection, version)'),
        ('chunks', ARRAY['id'], 'ADD PRIMARY KEY (id)'),
        ('chunks', ARRAY['document_id', 'ordinal'], 'ADD UNIQUE (document_id, ordinal) DEFERRABLE INITIALLY IMMEDIATE'),
        ('embeddings', ARRAY['chunk_id'], 'ADD PRIMARY KEY (chunk_id)')
    )
    SELECT CASE WHEN kind IN ('column', 'derived') THEN format('%I.%I.%I', store, relation, missing.name)
            ELSE format('%I.%I', store, missing.name) END,
        CASE kind WHEN 'derived' THEN 'column' ELSE kind END || ' is missing',
        CASE WHEN kind = 'column' AND ddl ~ ' (NOT NULL|PRIMARY KEY)' AND ddl !~ ' NOT NULL DEFAULT '
            THEN 'Bring the column back from a backup: nothing else holds what was in it.'
            ELSE format('SELECT passage.upgrade_store(%L);', store) END
    FROM passage.store_missing(store, dimensions, distance, embedding_type, language) AS missing
    WHERE kind IN ('table', 'view', 'column', 'derived', 'index')
    UNION ALL
    SELECT format('%I.settings', store), 'missing: ' || string_agg(missing.name, ', ' ORDER BY place),
        format('SELECT passage.upgrade_store(%L);', store)
    FROM passage.store_missing(store, dimensions, distance, embedding_type, language) AS missing
    WHERE kind = 'setting' AND EXISTS (SELECT FROM rel WHERE relname = 'settings' AND has_table_privilege(rel.oid, 'SELECT'))
    HAVING count(*) > 0
    UNION ALL
    SELECT format('%I.%I.%I', store, relation, col.name),
        format('column has type %s, not %s', format_type(atttypid, NULL), format_type(to_regtype(type), NULL)),
        CASE WHEN is_table THEN format('ALTER TABLE %I.%I ALTER COLUMN %I TYPE %s USING %I::%s;', store, relation, col.name, type, col.name, type)
            ELSE 'Cast the column in the view.' END
    FROM passage.store_columns(store, dimensions, embedding_type, language) AS col
    JOIN rel ON relname = relation
    JOIN pg_attribute ON attrelid = rel.oid AND attname = col.name AND NOT attisdropped
    WHERE atttypid <> to_regtype(type) AND NOT EXISTS (
        SELECT FROM pg_cast WHERE castsource = atttypid AND casttarget = to_regtype(type) AND castmethod = 'b')
    UNION ALL
    SELECT format('%I.%I.%I', store, relation, col.name), 'column is not generated',
        format('ALTER TABLE %I.%I DROP COLUMN %I; SELECT passage.upgrade_store(%L);', store, relation, col.name, store)
    FROM passage.store_columns(store, dimensions, embedding_type, language) AS col
    JOIN rel ON relname = relation
    JOIN pg_attribute ON attrelid = rel.oid AND attname = col.name AND NOT attisdropped
    WHERE derived AND is_table AND attgenerated = ''
    UNION ALL
    SELECT format('%I.%I', store, relation), format('no unique index on (%s)', array_to_string(columns, ', ')),
        format('ALTER TABLE %I.%I %s;', store, relation, tail)
    FROM keys JOIN rel ON relname = relation
    WHERE is_table AND NOT EXISTS (
        -- A distributed table has document_id before the id.
        SELECT FROM pg_index WHERE indrelid = rel.oid AND indisunique AND ARRAY(
            SELECT attname::text FROM unnest(indkey) WITH ORDINALITY AS key (attnum, place)
            JOIN pg_attribute ON attrelid = rel.oid AND pg_attribute.attnum = key.attnum
            ORDER BY place
        ) IN (columns, ARRAY['document_id'] || columns))
    UNION ALL
    SELECT format('%s', indexrelid::regclass), 'index is invalid', format('REINDEX INDEX CONCURRENTLY %s;', indexrelid::regclass)
    FROM pg_index JOIN rel ON rel.oid = indrelid
    WHERE NOT (indisvalid AND indisready)
    UNION ALL
    SELECT format('%I.%I', store, relname), 'row-level security is off, and on for ' || guarded,
        format('Give it policies such as those that SELECT passage.create_store(%L, dry_run => true); ends with.', store)
    FROM rel, (
        SELECT string_agg(relname, ' and ' ORDER BY relname) FROM rel WHERE relrowsecurity
    ) AS guards (guarded)
    WHERE is_table AND NOT relrowsecurity AND relname IN ('documents', 'chunks', 'embeddings') AND guarded IS NOT NULL
$$;

COMMENT ON FUNCTION passage.table_problems(name, integer, text, text, regconfig) IS 'what is wrong with the tables of a store';

-- A view may hold any table of chunks. What it lacks degrades, and an index that would be needed
-- lies on a table behind it; the planner, with sequential scans turned off, tells which.

CREATE FUNCTION passage.scanned_relations(store name, condition text) RETURNS SETOF text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 1
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE format('EXPLAIN (VERBOSE, FORMAT JSON) SELECT content FROM %I.chunks WHERE %s', store, condition) INTO plan;
    RETURN QUERY
        SELECT DISTINCT format('%I.%I', node ->> 'Schema', node ->> 'Relation Name')
        FROM jsonb_path_query(plan::jsonb, '$.** ? (@."Node Type" == "Seq Scan")') AS node;
END
$$;

COMMENT ON FUNCTION passage.scanned_relations(name, text) IS 'tables that are read as a whole to find chunks';

CREATE FUNCTION passage.view_problems(store name)
RETURNS TABLE (object text, problem text, remedy text)
LANGUAGE sql VOLATILE PARALLEL UNSAFE ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
    WITH lost (place, relation, columns, effect) AS (VALUES
        (1, 'chunks', '{id,document_id,ordinal,content}'::text[], NULL),
        (2, 'documents', '{id}', NULL),
        (3, 'chunks', '{section,section_key,parent_key}', 'adjacent chunks are the only context'),
        (4, 'chunks', '{start_byte,end_byte}', 'chunks are joined by the separator of the media type'),
        (5, 'chunks', '{first_line,last_line}', 'no line numbers'),
        (6, 'chunks', '{tokens}', 'a quarter of the characters is counted'),
        (7, 'documents', '{media_type}', 'every document is taken for prose'),
        (8, 'documents', '{uri,title}', 'passages do not say where they come from')
    ),
    lacking AS (
        SELECT lost.place, relation, effect,
            string_agg(wanted, ', ' ORDER BY ordinality) AS columns
        FROM lost
        CROSS JOIN LATERAL unnest(columns) WITH ORDINALITY AS wanted (wanted, ordinality)
        JOIN pg_namespace ON nspname = store
        JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = relation
        LEFT JOIN pg_attribute ON attrelid = pg_class.oid AND attname = wanted AND NOT attisdropped
        WHERE attnum IS NULL
        GROUP BY lost.place, relation, effect
    )
    SELECT format('%I.%I', store, relation),
        CASE WHEN effect IS NULL THEN 'needed and missing: ' || columns ELSE format('without %s: %s', columns, effect) END,
        CASE WHEN columns ~ '(^|, )(section_key|parent_key)'
            THEN 'Add them to the view, the keys as passage.section_key(section) and passage.parent_key(section) with an index on each behind document_id.'
            ELSE 'Add them to the view.' END
    FROM lacking
    UNION ALL
    SELECT format('%I.documents', store), 'missing: passages do not say where they come from, and every document is taken for prose',
        format('Make a view %I.documents with id, uri, title and media_type.', store)
    WHERE to_regclass(format('%I.documents', store)) IS NULL
    UNION ALL
    SELECT scanned, format('no index finds chunks by %s', how), format('Make an index on what %I.chunks has as %s.', store, how)
    FROM (VALUES
        ('id', $c$id = '00000000-0000-0000-0000-000000000000'::uuid$c$),
        ('document_id, ordinal', $c$document_id = '00000000-0000-0000-0000-000000000000'::uuid AND ordinal = 0$c$)
    ) AS probe (how, condition),
        passage.scanned_relations(store, condition) AS scanned
    WHERE NOT EXISTS (SELECT FROM lacking WHERE relation = 'chunks' AND effect IS NULL)
$$;

COMMENT ON FUNCTION passage.view_problems(name) IS 'what a store of views does without';

CREATE FUNCTION passage.check_store(store name DEFAULT NULL, data boolean DEFAULT false)
RETURNS TABLE (object text, problem text, remedy text)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 20
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    made CONSTANT record := passage.store_facts(passage.store_name(store));
    settings CONSTANT jsonb := passage.store_settings(passage.store_name(store));
    adopted boolean;
BEGIN
    store := passage.store_name(store);
    PERFORM passage.store_must_exist(store);
    adopted := EXISTS (
        SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname = 'chunks' AND relkind NOT IN ('r', 'p'));

    RETURN QUERY
        SELECT format('%I.settings', store), format('layout %s is newer than this pg_passage', settings ->> 'layout_version'),
            'ALTER EXTENSION pg_passage UPDATE;'
        WHERE (settings ->> 'layout_version')::integer > 1;
    RETURN QUERY
        SELECT format('%I.settings', store), format('setting %s is %s, and the store has %s', key, settings -> key, to_jsonb(has)),
            format('UPDATE %I.settings SET value = %L WHERE key = %L;', store, to_jsonb(has), key)
        FROM (VALUES
            ('language', made.language), ('embedding_type', made.embedding_type), ('distance', made.distance)
        ) AS property (key, has)
        WHERE settings ->> key <> has
        UNION ALL
        SELECT format('%I.settings', store), format('setting dimensions is %s, and the store has %s', settings -> 'dimensions', made.dimensions),
            format('UPDATE %I.settings SET value = %L WHERE key = %L;', store, to_jsonb(made.dimensions), 'dimensions')
        WHERE settings -> 'dimensions' <> to_jsonb(made.dimensions);
    RETURN QUERY
        SELECT * FROM passage.table_problems(store, made.dimensions,
            coalesce(made.distance, settings ->> 'distance', 'cosine'), coalesce(made.embedding_type, 'vector'),
            coalesce(made.language, settings ->> 'language', 'pg_catalog.english')::regconfig) AS found
        -- Adopted chunks need no settings and strategies of their own.
        WHERE NOT (adopted AND (found.problem = 'table is missing' OR found.problem LIKE 'missing: %'))
        ORDER BY found.object COLLATE "C", found.problem COLLATE "C";
    IF adopted THEN
        RETURN QUERY SELECT * FROM passage.view_problems(store);
    END IF;
    IF data THEN
        RETURN QUERY SELECT * FROM passage.data_problems(store);
    END IF;
END
$$;

COMMENT ON FUNCTION passage.check_store(name, boolean) IS 'what is wrong with a store or out of date, and what mends it';

-- stores: what there is, at a prompt.
--
-- From the catalogs alone: anybody may make a schema that looks like a store, and listing it must
-- run nothing of it. Numbers of rows are the planner's, as of the last ANALYZE.

CREATE FUNCTION passage.stores()
RETURNS TABLE (
    store name, documents bigint, chunks bigint, embeddings bigint,
    dimensions integer, embedding_type text, distance text, language text, size text
)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT nspname, held.documents, held.chunks, held.embeddings,
        facts.dimensions, facts.embedding_type, facts.distance, facts.language, pg_size_pretty(held.size)
    FROM pg_namespace
    JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = 'chunks' AND relkind IN ('r', 'p', 'v', 'm', 'f')
    CROSS JOIN LATERAL passage.store_facts(nspname) AS facts
    CROSS JOIN LATERAL (
        SELECT
            max(reltuples::bigint) FILTER (WHERE relname = 'documents'),
            max(reltuples::bigint) FILTER (WHERE relname = 'chunks'),
            max(reltuples::bigint) FILTER (WHERE relname = 'embeddings'),
            sum(pg_total_relation_size(rel.oid))
        FROM (
            -- A view has no rows of its own, and a table that was never analysed says -1.
            SELECT oid, relname, CASE WHEN relkind IN ('r', 'p', 'm') THEN nullif(reltuples, -1) END AS reltuples
            FROM pg_class AS rel
            WHERE relnamespace = pg_namespace.oid
                AND relname IN ('documents', 'chunks', 'embeddings', 'strategies', 'settings')
        ) AS rel
    ) AS held (documents, chunks, embeddings, size)
    WHERE has_schema_privilege(pg_namespace.oid, 'USAGE') AND 4 = (
        SELECT count(*) FROM pg_attribute
        WHERE attrelid = pg_class.oid AND NOT attisdropped
            AND (attname, atttypid) IN (
                ('id', 'uuid'::regtype), ('document_id', 'uuid'::regtype),
                ('ordinal', 'integer'::regtype), ('content', 'text'::regtype)))
    ORDER BY nspname
$$;

COMMENT ON FUNCTION passage.stores() IS 'stores that you may use, with numbers of rows as the planner knows them';

-- store_stats: what a store holds, counted.
--
-- Beside stores(), which knows all stores from the catalogs and runs nothing of them, this reads one:
-- exact counts, of what the caller may see. What a store of views does not have is NULL.

CREATE FUNCTION passage.store_stats(store name DEFAULT NULL)
RETURNS TABLE (
    collection text, version text, documents bigint, orphaned bigint, chunks bigint, tokens bigint,
    embedded bigint, missing bigint, last_ingested timestamp with time zone, size text, settings jsonb
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    made record;
    has text[];
    has_embeddings boolean;
    held text;
    told jsonb;
BEGIN
    store := passage.store_name(store);
    PERFORM passage.store_must_exist(store);
    made := passage.store_facts(store);
    SELECT array_agg(relname || '.' || attname) INTO has
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
    WHERE nspname = store AND relname IN ('documents', 'chunks', 'embeddings');
    -- Who may not read embeddings gets the other numbers.
    has_embeddings := has @> '{embeddings.chunk_id}' AND has_column_privilege(format('%I.embeddings', store), 'chunk_id', 'SELECT');

    SELECT pg_size_pretty(sum(pg_total_relation_size(pg_class.oid))) INTO held
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = store AND relkind IN ('r', 'm') AND relname IN ('documents', 'chunks', 'embeddings', 'strategies', 'settings');
    told := jsonb_strip_nulls(jsonb_build_object('dimensions', made.dimensions, 'embedding_type', made.embedding_type,
        'distance', made.distance, 'language', made.language)) || coalesce(passage.store_settings(store), '{}');

    RETURN QUERY EXECUTE format($query$
        WITH counted AS (
            SELECT c.document_id, count(*) AS chunks, sum(%1$s) AS tokens, %2$s AS embedded
            FROM %3$I.chunks AS c %4$s
            GROUP BY c.document_id
        )
        SELECT d.collection, d.version, count(d.id), %5$s, coalesce(sum(chunks), 0)::bigint, coalesce(sum(tokens), 0)::bigint,
            %8$s, %9$s, %6$s,
            CASE WHEN grouping(d.collection) = 1 THEN $1 END, CASE WHEN grouping(d.collection) = 1 THEN $2 END
        FROM (SELECT %7$s) AS d FULL JOIN counted ON counted.document_id = d.id
        GROUP BY GROUPING SETS ((), (d.collection, d.version))
        ORDER BY grouping(d.collection) DESC, d.collection, d.version $query$,
        CASE WHEN has @> '{chunks.tokens}' THEN 'coalesce(c.tokens, (char_length(c.content) + 3) / 4)'
            ELSE '(char_length(c.content) + 3) / 4' END,
        CASE WHEN has_embeddings THEN 'count(e.chunk_id)' ELSE 'NULL::bigint' END,
        store,
        CASE WHEN has_embeddings THEN format('LEFT JOIN %I.embeddings AS e ON e.chunk_id = c.id', store) ELSE '' END,
        CASE WHEN has @> '{documents.orphaned_at}' THEN 'count(d.orphaned_at)' ELSE 'NULL::bigint' END,
        CASE WHEN has @> '{documents.ingested_at}' THEN 'max(d.ingested_at)' ELSE 'NULL::timestamptz' END,
        CASE WHEN has @> '{documents.id}' THEN concat_ws(', ', 'id',
                CASE WHEN has @> '{documents.collection}' THEN 'collection' ELSE 'NULL::text AS collection' END,
                CASE WHEN has @> '{documents.version}' THEN 'version' ELSE 'NULL::text AS version' END,
                CASE WHEN has @> '{documents.orphaned_at}' THEN 'orphaned_at' END,
                CASE WHEN has @> '{documents.ingested_at}' THEN 'ingested_at' END) || format(' FROM %I.documents', store)
            ELSE format('DISTINCT document_id AS id, NULL::text AS collection, NULL::text AS version FROM %I.chunks', store) END,
        CASE WHEN has_embeddings THEN 'coalesce(sum(embedded), 0)::bigint' ELSE 'NULL::bigint' END,
        CASE WHEN has_embeddings THEN '(coalesce(sum(chunks), 0) - coalesce(sum(embedded), 0))::bigint' ELSE 'NULL::bigint' END)
        USING held, told;
END
$$;

COMMENT ON FUNCTION passage.store_stats(name) IS 'what a store holds: first the whole of it, then each collection and version';

-- strategies: the presets, and a store's own behind them.

CREATE FUNCTION passage.preset_strategies() RETURNS TABLE (
    name text,
    description text,
    parents integer,
    preceding integer,
    following integer,
    children integer,
    before integer,
    after integer,
    windows jsonb,
    siblings text,
    within text,
    threshold double precision,
    count_by text,
    max_tokens integer,
    max_chunks integer
) LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 10
AS 'MODULE_PATHNAME', 'preset_strategies_wrapper';

COMMENT ON FUNCTION passage.preset_strategies() IS 'strategies that every store has, with their limits for prose';

CREATE FUNCTION passage.strategies(store name DEFAULT NULL) RETURNS TABLE (
    name text,
    base text,
    default_for text[],
    parents integer,
    preceding integer,
    following integer,
    children integer,
    before integer,
    after integer,
    windows jsonb,
    siblings text,
    within text,
    threshold double precision,
    count_by text,
    max_tokens integer,
    max_chunks integer,
    description text
) LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 20
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    schema name := coalesce(store, nullif(current_setting('passage.store', true), ''), 'rag');
BEGIN
    -- Without a store at all the presets still answer who asks what there is.
    IF store IS NOT NULL THEN
        PERFORM passage.store_must_exist(store);
    END IF;
    RETURN QUERY
        SELECT p.name, NULL::text, NULL::text[], p.parents, p.preceding, p.following, p.children,
            p.before, p.after, p.windows, p.siblings, p.within, p.threshold, p.count_by,
            p.max_tokens, p.max_chunks, p.description
        FROM passage.preset_strategies() AS p;
    -- A store without the table, such as one of views, has the presets alone.
    IF to_regclass(format('%I.strategies', schema)) IS NOT NULL THEN
        RETURN QUERY EXECUTE format($query$
            SELECT s.name, s.base, s.default_for,
                coalesce(s.parents, p.parents), coalesce(s.preceding, p.preceding),
                coalesce(s.following, p.following), coalesce(s.children, p.children),
                coalesce(s.before, p.before), coalesce(s.after, p.after),
                coalesce(s.windows, p.windows), coalesce(s.siblings, p.siblings),
                coalesce(s.within, p.within), coalesce(s.threshold, p.threshold),
                coalesce(s.count_by, p.count_by),
                coalesce(s.max_tokens, p.max_tokens), coalesce(s.max_chunks, p.max_chunks),
                s.description
            FROM %I.strategies AS s LEFT JOIN passage.preset_strategies() AS p ON p.name = s.base
            ORDER BY s.name
            $query$, schema);
    END IF;
END
$$;

COMMENT ON FUNCTION passage.strategies(name) IS 'the strategies that a call can name: the presets and the store''s own, with their limits';

-- expand_context, expand_contexts: hits with their context, a row a chunk.
--
-- Two names, because an untyped literal cannot choose between uuid and uuid[].

CREATE FUNCTION passage.expand_context(
    chunk_id uuid,
    strategy text DEFAULT NULL,
    parents integer DEFAULT NULL,
    preceding integer DEFAULT NULL,
    following integer DEFAULT NULL,
    children integer DEFAULT NULL,
    before integer DEFAULT NULL,
    after integer DEFAULT NULL,
    windows jsonb DEFAULT NULL,
    siblings text DEFAULT NULL,
    within text DEFAULT NULL,
    threshold double precision DEFAULT NULL,
    count_by text DEFAULT NULL,
    max_tokens integer DEFAULT NULL,
    max_chunks integer DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS TABLE (
    chunk_id uuid,
    document_id uuid,
    ordinal integer,
    role text,
    distance integer,
    hit_id uuid,
    score double precision,
    decayed_score double precision,
    level integer,
    section text[],
    path ltree,
    tokens integer,
    content text
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 10
AS 'MODULE_PATHNAME', 'expand_context_wrapper';

COMMENT ON FUNCTION passage.expand_context(uuid, text, integer, integer, integer, integer, integer, integer, jsonb, text, text, double precision, text, integer, integer, name) IS 'a hit with its context, ordered by ordinal';

CREATE FUNCTION passage.expand_contexts(
    chunk_ids uuid[],
    scores double precision[] DEFAULT NULL,
    strategy text DEFAULT NULL,
    parents integer DEFAULT NULL,
    preceding integer DEFAULT NULL,
    following integer DEFAULT NULL,
    children integer DEFAULT NULL,
    before integer DEFAULT NULL,
    after integer DEFAULT NULL,
    windows jsonb DEFAULT NULL,
    siblings text DEFAULT NULL,
    within text DEFAULT NULL,
    threshold double precision DEFAULT NULL,
    count_by text DEFAULT NULL,
    max_tokens integer DEFAULT NULL,
    max_chunks integer DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS TABLE (
    chunk_id uuid,
    document_id uuid,
    ordinal integer,
    role text,
    distance integer,
    hit_id uuid,
    score double precision,
    decayed_score double precision,
    level integer,
    section text[],
    path ltree,
    tokens integer,
    content text
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 100
AS 'MODULE_PATHNAME', 'expand_contexts_wrapper';

COMMENT ON FUNCTION passage.expand_contexts(uuid[], double precision[], text, integer, integer, integer, integer, integer, integer, jsonb, text, text, double precision, text, integer, integer, name) IS 'hits with their context, each chunk once, ordered by the best score of the document, then by ordinal';

-- explain_context: why each chunk is or is not in the context.

CREATE FUNCTION passage.explain_context(
    chunk_ids uuid[],
    scores double precision[] DEFAULT NULL,
    strategy text DEFAULT NULL,
    parents integer DEFAULT NULL,
    preceding integer DEFAULT NULL,
    following integer DEFAULT NULL,
    children integer DEFAULT NULL,
    before integer DEFAULT NULL,
    after integer DEFAULT NULL,
    windows jsonb DEFAULT NULL,
    siblings text DEFAULT NULL,
    within text DEFAULT NULL,
    threshold double precision DEFAULT NULL,
    count_by text DEFAULT NULL,
    max_tokens integer DEFAULT NULL,
    max_chunks integer DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS TABLE (
    hit integer,
    kept boolean,
    role text,
    rule text,
    distance integer,
    ordinal integer,
    section text[],
    tokens integer,
    tokens_so_far bigint,
    cut_by text,
    chunk_id uuid,
    hit_id uuid
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 100
AS 'MODULE_PATHNAME', 'explain_context_wrapper';

COMMENT ON FUNCTION passage.explain_context(uuid[], double precision[], text, integer, integer, integer, integer, integer, integer, jsonb, text, text, double precision, text, integer, integer, name) IS 'the chunks that expansion considers, in the order in which a budget is spent: by which rule, whether kept, and what cut them';

-- assemble: one text of chosen chunks of a document.

CREATE FUNCTION passage.assemble(
    document_id uuid,
    chunk_ids uuid[],
    separator text DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS text
LANGUAGE c STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'assemble_wrapper';

COMMENT ON FUNCTION passage.assemble(uuid, uuid[], text, name) IS 'text of chunks of a document, in its order; the separator stands where chunks do not touch';

-- reassemble: hits with their context as passages, best first.

CREATE FUNCTION passage.reassemble(
    chunk_ids uuid[],
    scores double precision[] DEFAULT NULL,
    strategy text DEFAULT NULL,
    parents integer DEFAULT NULL,
    preceding integer DEFAULT NULL,
    following integer DEFAULT NULL,
    children integer DEFAULT NULL,
    before integer DEFAULT NULL,
    after integer DEFAULT NULL,
    windows jsonb DEFAULT NULL,
    siblings text DEFAULT NULL,
    within text DEFAULT NULL,
    threshold double precision DEFAULT NULL,
    count_by text DEFAULT NULL,
    max_tokens integer DEFAULT NULL,
    max_chunks integer DEFAULT NULL,
    max_distance integer DEFAULT 3,
    score_by text DEFAULT 'max',
    order_by text DEFAULT 'score',
    separator text DEFAULT NULL,
    gaps text DEFAULT NULL,
    imports boolean DEFAULT false,
    mark_start text DEFAULT NULL,
    mark_end text DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS TABLE (
    rank integer,
    score double precision,
    document_id uuid,
    collection text,
    version text,
    uri text,
    title text,
    media_type text,
    section text[],
    content text,
    tokens bigint,
    chunk_ids uuid[],
    hit_ids uuid[],
    first_line integer,
    last_line integer,
    spans int4range[],
    citations jsonb,
    truncated boolean,
    complete boolean,
    metadata jsonb
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 10
AS 'MODULE_PATHNAME', 'reassemble_wrapper';

COMMENT ON FUNCTION passage.reassemble(uuid[], double precision[], text, integer, integer, integer, integer, integer, integer, jsonb, text, text, double precision, text, integer, integer, integer, text, text, text, text, boolean, text, text, name) IS 'passages that hits belong to, best first: near hits of a document in one, distant ones apart';

-- search and search_hits: hybrid search, as passages and as bare hits.
--
-- What is NULL is not asked. Of the embedding only real[] is taken, to which pgvector casts vector.

CREATE FUNCTION passage.search_hits(
    query text DEFAULT NULL,
    embedding real[] DEFAULT NULL,
    mode text DEFAULT NULL,
    max_hits integer DEFAULT 10,
    candidates integer DEFAULT NULL,
    collection text DEFAULT NULL,
    version text DEFAULT NULL,
    uri_pattern text DEFAULT NULL,
    media_type text DEFAULT NULL,
    kind text DEFAULT NULL,
    path text DEFAULT NULL,
    metadata jsonb DEFAULT NULL,
    min_similarity double precision DEFAULT NULL,
    include_orphaned boolean DEFAULT false,
    vector_weight double precision DEFAULT 1,
    text_weight double precision DEFAULT 1,
    rrf_k integer DEFAULT 60,
    store name DEFAULT NULL
) RETURNS TABLE (
    rank integer,
    chunk_id uuid,
    document_id uuid,
    uri text,
    title text,
    section text[],
    score double precision,
    vector_rank integer,
    vector_score double precision,
    text_rank integer,
    text_score double precision,
    tokens integer,
    content text
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 10
AS 'MODULE_PATHNAME', 'search_hits_wrapper';

COMMENT ON FUNCTION passage.search_hits(text, real[], text, integer, integer, text, text, text, text, text, text, jsonb, double precision, boolean, double precision, double precision, integer, name) IS 'chunks that answer a query by words, by embedding or by both, best first';

CREATE FUNCTION passage.search(
    query text DEFAULT NULL,
    embedding real[] DEFAULT NULL,
    mode text DEFAULT NULL,
    max_passages integer DEFAULT 10,
    candidates integer DEFAULT NULL,
    collection text DEFAULT NULL,
    version text DEFAULT NULL,
    uri_pattern text DEFAULT NULL,
    media_type text DEFAULT NULL,
    kind text DEFAULT NULL,
    path text DEFAULT NULL,
    metadata jsonb DEFAULT NULL,
    min_similarity double precision DEFAULT NULL,
    include_orphaned boolean DEFAULT false,
    vector_weight double precision DEFAULT 1,
    text_weight double precision DEFAULT 1,
    rrf_k integer DEFAULT 60,
    strategy text DEFAULT NULL,
    max_tokens integer DEFAULT NULL,
    max_chunks integer DEFAULT NULL,
    max_distance integer DEFAULT 3,
    score_by text DEFAULT 'max',
    order_by text DEFAULT 'score',
    separator text DEFAULT NULL,
    gaps text DEFAULT NULL,
    imports boolean DEFAULT false,
    mark_start text DEFAULT NULL,
    mark_end text DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS TABLE (
    rank integer,
    score double precision,
    document_id uuid,
    collection text,
    version text,
    uri text,
    title text,
    media_type text,
    section text[],
    content text,
    tokens bigint,
    chunk_ids uuid[],
    hit_ids uuid[],
    first_line integer,
    last_line integer,
    spans int4range[],
    citations jsonb,
    truncated boolean,
    complete boolean,
    metadata jsonb
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 10
AS 'MODULE_PATHNAME', 'search_wrapper';

COMMENT ON FUNCTION passage.search(text, real[], text, integer, integer, text, text, text, text, text, text, jsonb, double precision, boolean, double precision, double precision, integer, text, integer, integer, integer, text, text, text, text, boolean, text, text, name) IS 'passages that answer a query by words, by embedding or by both, best first';

-- fragments: the whole lines that answer a query.

CREATE FUNCTION passage.fragments(
    query text DEFAULT NULL,
    embedding real[] DEFAULT NULL,
    uri text DEFAULT NULL,
    document_id uuid DEFAULT NULL,
    strategy text DEFAULT 'auto',
    collection text DEFAULT NULL,
    version text DEFAULT NULL,
    max_fragments integer DEFAULT 5,
    max_tokens integer DEFAULT NULL,
    fuzzy_threshold double precision DEFAULT 0.8,
    return_full boolean DEFAULT false,
    include_orphaned boolean DEFAULT false,
    store name DEFAULT NULL
) RETURNS TABLE (
    fragment_id text,
    document_id uuid,
    uri text,
    title text,
    media_type text,
    score double precision,
    content text,
    first_line integer,
    last_line integer,
    tokens integer,
    strategy_used text,
    signals jsonb,
    before text,
    after text,
    related jsonb,
    metadata jsonb
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 5
AS 'MODULE_PATHNAME', 'fragments_wrapper';

COMMENT ON FUNCTION passage.fragments(text, real[], text, uuid, text, text, text, integer, integer, double precision, boolean, boolean, name) IS 'whole lines of documents that answer a query, best first';

-- outline: the tree of a document.

CREATE FUNCTION passage.outline(
    document_id uuid DEFAULT NULL,
    uri text DEFAULT NULL,
    hit_ids uuid[] DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS TABLE (
    outline text,
    section text[],
    level integer,
    chunks bigint,
    hits bigint,
    tokens bigint,
    first_ordinal integer,
    last_ordinal integer,
    first_line integer,
    last_line integer
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 50
AS 'MODULE_PATHNAME', 'outline_wrapper';

COMMENT ON FUNCTION passage.outline(uuid, text, uuid[], name) IS 'sections of a document as an indented tree, those with hits marked by an asterisk';

-- split: the chunks of a text, without a store.
--
-- Sizes are in characters. One that is NULL keeps the proportion to the others that it has among
-- the defaults, which are 200, 600, 1000 and 1250.

CREATE FUNCTION passage.split(
    text text,
    media_type text DEFAULT NULL,
    title text DEFAULT NULL,
    uri text DEFAULT NULL,
    kind text DEFAULT NULL,
    base_url text DEFAULT NULL,
    max_size integer DEFAULT NULL,
    preferred_size integer DEFAULT NULL,
    min_size integer DEFAULT NULL,
    max_with_preamble integer DEFAULT NULL,
    overlap integer DEFAULT 0
) RETURNS TABLE (
    ordinal integer,
    level integer,
    section text[],
    kind text,
    unit text,
    content text,
    preamble text,
    tokens integer,
    start_byte integer,
    end_byte integer,
    first_line integer,
    last_line integer,
    metadata jsonb
) LANGUAGE c IMMUTABLE PARALLEL SAFE ROWS 50 COST 10000
AS 'MODULE_PATHNAME', 'split_wrapper';

COMMENT ON FUNCTION passage.split(text, text, text, text, text, text, integer, integer, integer, integer, integer) IS 'chunks that a document is split into, in its order';

-- ingest: split a document and put it into a store in place of what was there.

CREATE FUNCTION passage.ingest(
    uri text,
    text text,
    media_type text DEFAULT NULL,
    title text DEFAULT NULL,
    collection text DEFAULT '',
    version text DEFAULT '',
    metadata jsonb DEFAULT '{}',
    kind text DEFAULT NULL,
    base_url text DEFAULT NULL,
    max_size integer DEFAULT NULL,
    preferred_size integer DEFAULT NULL,
    min_size integer DEFAULT NULL,
    max_with_preamble integer DEFAULT NULL,
    overlap integer DEFAULT 0,
    store name DEFAULT NULL
) RETURNS TABLE (
    document_id uuid,
    outcome text,
    chunks integer,
    kept integer,
    moved integer,
    added integer,
    removed integer
) LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 1 COST 10000
AS 'MODULE_PATHNAME', 'ingest_wrapper';

COMMENT ON FUNCTION passage.ingest(text, text, text, text, text, text, jsonb, text, text, integer, integer, integer, integer, integer, name) IS 'split a document and put it into a store, keeping the chunks that have not changed';

-- remove: take documents out of a store, with their chunks and embeddings.
--
-- What is meant has to be said: one document by its uri or id, or a whole collection, or one version
-- of it. A uri that several documents have is refused rather than taken for all of them.

CREATE FUNCTION passage.store_must_be_tables(store name) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    wrong record;
BEGIN
    PERFORM passage.store_must_exist(store);
    SELECT needed, pg_class.oid IS NULL AS missing INTO wrong
    FROM unnest('{documents,chunks}'::name[]) WITH ORDINALITY AS needed (needed, place)
    JOIN pg_namespace ON nspname = store
    LEFT JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = needed
    WHERE relkind IS NULL OR relkind NOT IN ('r', 'p')
    ORDER BY place
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'wrong_object_type',
            MESSAGE = CASE WHEN wrong.missing THEN format('store "%s" has no table %s to write to', store, wrong.needed)
                ELSE format('%s of store "%s" is a view', wrong.needed, store) END,
            HINT = 'Write to the tables that the store shows, or name a store that passage.create_store made.';
    END IF;
END
$$;

COMMENT ON FUNCTION passage.store_must_be_tables(name) IS 'raise an error where a store cannot be written to';

CREATE FUNCTION passage.remove(
    uri text DEFAULT NULL,
    collection text DEFAULT NULL,
    version text DEFAULT NULL,
    document_id uuid DEFAULT NULL,
    store name DEFAULT NULL,
    OUT documents bigint, OUT chunks bigint
)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ids uuid[];
BEGIN
    store := passage.store_name(store);
    PERFORM passage.store_must_be_tables(store);
    IF current_setting('transaction_read_only')::boolean THEN
        RAISE EXCEPTION USING ERRCODE = 'read_only_sql_transaction',
            MESSAGE = 'cannot execute passage.remove() in a read-only transaction';
    END IF;
    IF uri IS NULL AND collection IS NULL AND document_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'nothing says which documents are to be removed',
            HINT = 'Give uri, collection, collection and version, or document_id.';
    END IF;

    -- In one order, so that of two who remove the same documents one waits for the other.
    EXECUTE format(
        'SELECT array_agg(id) FROM (SELECT id FROM %I.documents '
        'WHERE ($1 IS NULL OR uri = $1) AND ($2 IS NULL OR collection = $2) '
        'AND ($3 IS NULL OR version = $3) AND ($4 IS NULL OR id = $4) ORDER BY id FOR UPDATE) AS found', store)
        INTO ids USING uri, collection, version, document_id;
    IF uri IS NOT NULL AND cardinality(ids) > 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('%s documents have the uri "%s"', cardinality(ids), left(uri, 100)),
            HINT = 'Name the collection and the version, too.';
    END IF;

    EXECUTE format('DELETE FROM %I.chunks WHERE document_id = ANY ($1)', store) USING ids;
    GET DIAGNOSTICS chunks = ROW_COUNT;
    EXECUTE format('DELETE FROM %I.documents WHERE id = ANY ($1)', store) USING ids;
    GET DIAGNOSTICS documents = ROW_COUNT;
    IF documents < cardinality(ids) THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
            MESSAGE = format('row-level security of store "%s" keeps documents from being removed', store),
            HINT = 'Whoever removes a document needs a policy for DELETE on it and its chunks.';
    END IF;
END
$$;

COMMENT ON FUNCTION passage.remove(text, text, text, uuid, name) IS 'remove a document, a collection or one version of it, and count what went';

-- keep_in_step: a trigger that keeps a store in step with the texts of a table.
--
-- Its arguments are NAME=VALUE as ingest names them; in a value {column} stands for the column of the
-- row, so a uri is made of a key and a text of several columns. A row whose text or uri is NULL has no
-- document. What cannot be done is an error of the statement that wrote the row, which is then undone.

-- A value with the columns of a row in it, NULL if one of them is NULL; {{ and }} stand for braces.

CREATE FUNCTION passage.filled(template text, columns jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN bool_and(piece IS NOT NULL) OR count(*) = 0 THEN coalesce(string_agg(piece, '' ORDER BY place), '') END
    FROM (
        SELECT place, CASE
            WHEN parts[1] IN ('{{', '}}') THEN left(parts[1], 1)
            WHEN parts[1] LIKE '{%' THEN columns ->> substr(parts[1], 2, length(parts[1]) - 2)
            ELSE parts[1] END AS piece
        FROM regexp_matches(template, '(\{\{|\}\}|\{[^{}]*\}|[^{}]+|.)', 'g') WITH ORDINALITY AS matched (parts, place)
    ) AS pieces
$$;

COMMENT ON FUNCTION passage.filled(text, jsonb) IS 'a template with columns of a row in it';

CREATE FUNCTION passage.keep_in_step() RETURNS trigger
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    known CONSTANT text[] := '{text,uri,title,collection,version,media_type,metadata,kind,base_url,store}';
    told jsonb := '{}';
    argument text;
    wrong text;
    row_was CONSTANT jsonb := CASE WHEN TG_OP IN ('UPDATE', 'DELETE') THEN to_jsonb(OLD) END;
    row_is CONSTANT jsonb := CASE WHEN TG_OP IN ('INSERT', 'UPDATE') THEN to_jsonb(NEW) END;
    was jsonb;
    now_is jsonb;
    pattern text;
    meant name;
    taken boolean := false;
BEGIN
    IF TG_WHEN <> 'AFTER' OR (TG_LEVEL = 'STATEMENT' AND TG_OP <> 'TRUNCATE') THEN
        RAISE EXCEPTION USING ERRCODE = 'trigger_protocol_violated',
            MESSAGE = 'passage.keep_in_step is a trigger AFTER INSERT OR UPDATE OR DELETE ... FOR EACH ROW',
            HINT = 'For TRUNCATE make another one, AFTER TRUNCATE ... FOR EACH STATEMENT, with the same arguments.';
    END IF;
    FOR place IN 0 .. TG_NARGS - 1 LOOP
        argument := split_part(TG_ARGV[place], '=', 1);
        IF NOT argument = ANY (known) OR TG_ARGV[place] NOT LIKE '%=%' OR told ? argument THEN
            RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
                MESSAGE = format('trigger "%s": unrecognized argument "%s"', TG_NAME, left(TG_ARGV[place], 100)),
                HINT = format('Arguments are NAME=VALUE, each name once: %s.', array_to_string(known, ', '));
        END IF;
        told := told || jsonb_build_object(argument, substr(TG_ARGV[place], length(argument) + 2));
    END LOOP;
    IF NOT told ?& '{text,uri}' OR told ->> 'uri' !~ '\{[^{}]+\}' THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('trigger "%s" needs the arguments text and uri, and a column in uri', TG_NAME),
            HINT = 'Write them as ''text={body}'' and ''uri=articles/{id}'', with columns of the table in braces.';
    END IF;
    SELECT matched.parts[1] INTO wrong
    FROM jsonb_each_text(told) AS argument (name, value),
        regexp_matches(replace(replace(value, '{{', ''), '}}', ''), '\{([^{}]*)\}', 'g') AS matched (parts)
    WHERE NOT EXISTS (
        SELECT FROM pg_attribute WHERE attrelid = TG_RELID AND attname = matched.parts[1] AND attnum > 0 AND NOT attisdropped)
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'undefined_column',
            MESSAGE = format('trigger "%s": table %I.%I has no column "%s"', TG_NAME, TG_TABLE_SCHEMA, TG_TABLE_NAME, wrong),
            HINT = 'A brace that is no column is written twice.';
    END IF;
    meant := passage.store_name(told ->> 'store');

    IF TG_OP = 'TRUNCATE' THEN
        -- The rows are gone, so their documents are known by what all of their uris begin with.
        pattern := passage.filled(substring(told ->> 'uri' FROM '^((?:[^{}]|\{\{|\}\})*)'), '{}');
        IF pattern = '' OR concat(told ->> 'collection', told ->> 'version') ~ '[{]' THEN
            RAISE EXCEPTION USING ERRCODE = 'feature_not_supported',
                MESSAGE = format('trigger "%s" cannot tell which documents come from %I.%I', TG_NAME, TG_TABLE_SCHEMA, TG_TABLE_NAME),
                HINT = 'Delete the rows instead, or let uri begin with a text of its own, as in ''uri=articles/{id}'', and collection and version be without columns.';
        END IF;
        PERFORM passage.store_must_be_tables(meant);
        EXECUTE format('SELECT count(removed) FROM (SELECT id FROM %I.documents '
            'WHERE starts_with(uri, $1) AND collection = $2 AND version = $3 ORDER BY id) AS there, '
            'LATERAL passage.remove(document_id => there.id, store => $4) AS removed', meant)
            USING pattern, coalesce(told ->> 'collection', ''), coalesce(told ->> 'version', ''), meant;
        RETURN NULL;
    END IF;

    -- Each argument as the row before and after has it.
    SELECT jsonb_object_agg(name, passage.filled(value, row_was)) INTO was
    FROM jsonb_each_text(told) AS argument (name, value) WHERE row_was IS NOT NULL;
    SELECT jsonb_object_agg(name, passage.filled(value, row_is)) INTO now_is
    FROM jsonb_each_text(told) AS argument (name, value) WHERE row_is IS NOT NULL;
    IF was ->> 'uri' IS NOT NULL AND (now_is IS NULL
        OR (was ->> 'uri', coalesce(was ->> 'collection', ''), coalesce(was ->> 'version', ''))
            IS DISTINCT FROM (now_is ->> 'uri', coalesce(now_is ->> 'collection', ''), coalesce(now_is ->> 'version', '')))
    THEN
        -- A statement may give the key of one row to another one, as where two are swapped.
        IF TG_OP = 'UPDATE' THEN
            SELECT string_agg(DISTINCT format('row_of.%1$I IS NOT DISTINCT FROM ($1).%1$I', matched.parts[1])
                || CASE name WHEN 'uri' THEN format(' AND row_of.%1$I = ($1).%1$I', matched.parts[1]) ELSE '' END, ' AND ') INTO pattern
            FROM jsonb_each_text(told) AS argument (name, value),
                regexp_matches(replace(replace(value, '{{', ''), '}}', ''), '\{([^{}]*)\}', 'g') AS matched (parts)
            WHERE name IN ('uri', 'collection', 'version');
            EXECUTE format('SELECT EXISTS (SELECT FROM %I.%I AS row_of WHERE %s)', TG_TABLE_SCHEMA, TG_TABLE_NAME, pattern)
                INTO taken USING OLD;
        END IF;
        IF NOT taken THEN
            PERFORM passage.remove(was ->> 'uri', coalesce(was ->> 'collection', ''), coalesce(was ->> 'version', ''), store => meant);
        END IF;
    END IF;
    IF now_is ->> 'text' IS NOT NULL AND now_is ->> 'uri' IS NOT NULL THEN
        PERFORM passage.ingest(now_is ->> 'uri', now_is ->> 'text', now_is ->> 'media_type', now_is ->> 'title',
            now_is ->> 'collection', now_is ->> 'version', coalesce((now_is ->> 'metadata')::jsonb, '{}'),
            now_is ->> 'kind', now_is ->> 'base_url', store => meant);
    ELSIF now_is ->> 'uri' IS NOT NULL THEN
        PERFORM passage.remove(now_is ->> 'uri', coalesce(now_is ->> 'collection', ''), coalesce(now_is ->> 'version', ''), store => meant);
    END IF;
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION passage.keep_in_step() IS 'trigger that keeps a store in step with the texts of a table';

-- The last word of CREATE EXTENSION: where the tables come from.
--
-- A script runs with client_min_messages at warning where the session wants less. For this one
-- message the level that the session began with is given back; with the script that ends.

DO $$
BEGIN
    PERFORM pg_catalog.set_config(name, reset_val, true)
    FROM pg_catalog.pg_settings WHERE name = 'client_min_messages' AND setting = 'warning';
    RAISE NOTICE 'pg_passage brings functions and no tables'
        USING HINT = 'SELECT passage.create_store(); makes the tables of a store, which are yours.';
END
$$;

