-- Stores: making one, and bringing it up to date.
--
-- The tables are ordinary ones and belong to whoever calls create_store. None is a member of the
-- extension: pg_dump keeps their indexes, policies and grants, and DROP EXTENSION leaves them.

CREATE FUNCTION _passage.store_name(store name DEFAULT NULL) RETURNS name
LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(
    store,
    CASE WHEN pg_catalog.current_setting('passage.store', true) OPERATOR(pg_catalog.<>) ''
        THEN pg_catalog.current_setting('passage.store', true)::pg_catalog.name END,
    'rag'::pg_catalog.name
);

COMMENT ON FUNCTION _passage.store_name(name) IS 'the store that a call means: the named one, else the setting passage.store, else rag';

CREATE FUNCTION _passage.store_must_exist(store name) RETURNS void
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

COMMENT ON FUNCTION _passage.store_must_exist(name) IS 'raise an error where there is no such store';

-- What a store was made with, as the catalogs show it. The table settings is not asked: where
-- somebody else's schema is looked at, nothing of his may run.

CREATE FUNCTION _passage.store_facts(
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
            -- Anybody can give a type of their own that name.
            AND EXISTS (
                SELECT FROM pg_depend JOIN pg_extension ON pg_extension.oid = refobjid
                WHERE refclassid = 'pg_extension'::regclass AND extname = 'vector' AND deptype = 'e'
                    AND classid = 'pg_type'::regclass AND objid = atttypid)
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

COMMENT ON FUNCTION _passage.store_facts(name) IS 'dimensions, type, distance and language of a store, from the catalogs';

-- Its settings as one object; null where there are none to read.

CREATE FUNCTION _passage.store_settings(store name) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    settings jsonb;
BEGIN
    -- A view or a policy could run anything with the caller's rights; only a bare table is read, and a
    -- malformed one must not fail whoever lists all stores.
    IF 2 = (
        SELECT count(*) FROM pg_class
        JOIN pg_namespace ON pg_namespace.oid = relnamespace
        JOIN pg_attribute ON attrelid = pg_class.oid
        WHERE nspname = store AND relname = 'settings' AND relkind IN ('r', 'p') AND NOT attisdropped
            AND (attname, atttypid) IN (('key', 'text'::regtype), ('value', 'jsonb'::regtype))
            AND has_schema_privilege(pg_namespace.oid, 'USAGE')
            AND has_column_privilege(attrelid, attnum, 'SELECT')
            AND NOT row_security_active(attrelid)
            AND NOT EXISTS (
                SELECT FROM pg_inherits JOIN pg_class AS part ON part.oid = inhrelid
                WHERE inhparent = attrelid AND part.relkind <> 'r')
    ) THEN
        EXECUTE format('SELECT jsonb_object_agg(key, value) FROM %I.settings WHERE key IS NOT NULL', store) INTO settings;
    END IF;
    RETURN settings;
END
$$;

COMMENT ON FUNCTION _passage.store_settings(name) IS 'settings of a store as one object';

-- What of the layout a store does not have yet. An object that is there is left as it is, under
-- whatever name an equal index goes. Where chunks is a view, it, its documents and its vectors are
-- somebody else's, and only the store's own settings and strategies can be missing.

CREATE FUNCTION _passage.store_missing(
    store name, dimensions integer, distance text, embedding_type text, language regconfig
)
RETURNS TABLE (place bigint, kind text, relation text, name text, ddl text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT place, kind, relation, layout.name, ddl
    FROM _passage.store_layout(store, dimensions, distance, embedding_type, language)
        WITH ORDINALITY AS layout (kind, relation, name, ddl, place)
    LEFT JOIN (
        SELECT pg_class.oid, relname, relkind IN ('r', 'p') AS is_table
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store
    ) AS rel ON relname = relation
    LEFT JOIN pg_attribute ON attrelid = rel.oid AND attname = layout.name AND NOT attisdropped
    WHERE CASE kind
        WHEN 'schema' THEN NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = store)
        WHEN 'setting' THEN coalesce(NOT _passage.store_settings(store) ? layout.name, true)
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

COMMENT ON FUNCTION _passage.store_missing(name, integer, text, text, regconfig) IS 'objects that a store does not have yet';

-- The columns of a table come in one statement: each one apart would write every row again.

CREATE FUNCTION _passage.store_statements(
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
    FROM _passage.store_missing(store, dimensions, distance, embedding_type, language),
        LATERAL (
            SELECT CASE WHEN kind IN ('column', 'derived') THEN format(E'ALTER TABLE %I.%I\n    ', store, relation) END
        ) AS altered (head)
    GROUP BY head, CASE WHEN head IS NULL THEN place END
    ORDER BY min(place)
$$;

COMMENT ON FUNCTION _passage.store_statements(name, integer, text, text, regconfig) IS 'statements that make what a store does not have yet';

-- Refuses what would not become a store, with what to do instead.

CREATE FUNCTION _passage.check_store_arguments(store name, dimensions integer, distance text, embedding_type text)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    most CONSTANT integer := CASE embedding_type WHEN 'halfvec' THEN 4000 ELSE 2000 END;
    pgvector regnamespace;
    foreigner text;
BEGIN
    IF distance NOT IN ('cosine', 'l2', 'inner_product') THEN
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

COMMENT ON FUNCTION _passage.check_store_arguments(name, integer, text, text) IS 'raise an error for what cannot become a store';
