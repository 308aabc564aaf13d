-- Stores: their name, properties and settings, and the statements that create one.
--
-- The tables of a store are ordinary tables of the role that calls create_store. None is a member of the
-- extension. So pg_dump keeps their indexes, policies and grants, and DROP EXTENSION leaves them.

CREATE FUNCTION _passage.store_name(store name DEFAULT NULL) RETURNS name
LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(
    store,
    CASE WHEN pg_catalog.current_setting('passage.store', true) OPERATOR(pg_catalog.<>) ''
        THEN pg_catalog.current_setting('passage.store', true)::pg_catalog.name END,
    'rag'::pg_catalog.name
);

COMMENT ON FUNCTION _passage.store_name(name) IS 'name of the store of a call: the argument, else the setting passage.store, else rag';

CREATE FUNCTION _passage.missing_store_hint(store name) RETURNS text
LANGUAGE c STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'missing_store_hint_wrapper';

COMMENT ON FUNCTION _passage.missing_store_hint(name) IS 'remedy for a store that does not exist: the most similar name that the caller may use, or create_store';

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
            HINT = _passage.missing_store_hint(store);
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.store_must_exist(name) IS 'raises an error if a store does not exist';

CREATE FUNCTION _passage.transaction_must_write(caller text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF current_setting('transaction_read_only')::boolean THEN
        RAISE EXCEPTION USING ERRCODE = 'read_only_sql_transaction',
            MESSAGE = format('cannot execute passage.%s() in a read-only transaction', caller),
            HINT = CASE WHEN pg_is_in_recovery() THEN 'This server is a standby: connect to the primary.'
                ELSE 'Run it in a transaction that may write.' END;
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.transaction_must_write(text) IS 'raises an error in a read-only transaction and on a standby';

-- The properties of a store, from the catalogs. The table settings is not read: the schema can belong to
-- another role, and nothing of that role may run. pg_get_expr locks the table of an expression for a moment, so
-- expressions of tables that the caller may not read are skipped.
--
-- Each step is a statement of its own: PostgreSQL plans only those that a store needs, and keeps their plans. As one statement
-- they took a third of the first search of a session.

CREATE FUNCTION _passage.store_facts(
    store name,
    OUT dimensions integer, OUT embedding_type text, OUT distance text, OUT language text
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- A relation is found by schema and name at once: all stores have the same names.
    home CONSTANT oid := (SELECT oid FROM pg_namespace WHERE nspname = store);
    embedding record;
    tables oid[];
    columns smallint[];
BEGIN
    SELECT attrelid, attnum, atttypmod, typname, typnamespace, relkind, relnamespace INTO embedding
    FROM pg_attribute
    JOIN pg_class ON pg_class.oid = attrelid
    JOIN pg_type ON pg_type.oid = atttypid
    WHERE relnamespace = home AND relname = 'embeddings' AND attname = 'embedding'
        AND typname IN ('vector', 'halfvec') AND NOT attisdropped
        -- Any role can create a type of that name.
        AND EXISTS (
            SELECT FROM pg_depend JOIN pg_extension ON pg_extension.oid = refobjid
            WHERE refclassid = 'pg_extension'::regclass AND extname = 'vector' AND deptype = 'e'
                AND classid = 'pg_type'::regclass AND objid = atttypid);
    IF FOUND THEN
        dimensions := nullif(embedding.atttypmod, -1);
        embedding_type := embedding.typname;
        tables := ARRAY[embedding.attrelid];
        columns := ARRAY[embedding.attnum];
        IF embedding.relkind = 'v' THEN
            SELECT tables || array_agg(relation), columns || array_agg(number::smallint) INTO tables, columns
            FROM (
                -- The columns that a view reads.
                SELECT refobjid, refobjsubid FROM pg_rewrite JOIN pg_depend ON pg_depend.objid = pg_rewrite.oid
                WHERE classid = 'pg_rewrite'::regclass AND refclassid = 'pg_class'::regclass AND refobjsubid > 0
                    AND ev_class = embedding.attrelid
                UNION ALL
                -- The views of an adopted store depend on the attributes of a type with the names of the columns.
                SELECT known.attrelid, known.attnum FROM pg_attribute AS known
                JOIN pg_attribute AS attribute ON attribute.attname = known.attname
                JOIN pg_class AS type ON type.oid = attribute.attrelid
                WHERE known.attrelid = _passage.named_table(_passage.adoption(store) ->> 'source') AND known.attnum > 0
                    AND type.relnamespace = embedding.relnamespace AND type.relname = 'adopted_row' AND type.relkind = 'c'
            ) AS read (relation, number);
        END IF;
        distance := (
            SELECT CASE
                WHEN opcname LIKE '%\_cosine\_ops' THEN 'cosine'
                WHEN opcname LIKE '%\_l2\_ops' THEN 'l2'
                WHEN opcname LIKE '%\_ip\_ops' THEN 'inner_product'
            END
            FROM unnest(tables, columns) AS read (relation, number)
            JOIN pg_index ON indrelid = relation AND indkey[0] = number
            JOIN pg_class AS index ON index.oid = indexrelid
            JOIN pg_am ON pg_am.oid = index.relam
            JOIN pg_opclass ON pg_opclass.oid = indclass[0]
            -- Without the array PostgreSQL reads the indexes of all stores.
            WHERE indrelid = ANY (tables) AND amname IN ('hnsw', 'ivfflat')
            ORDER BY indisvalid DESC, indexrelid
            LIMIT 1);
        -- The index of the signs, as create_store makes it. An index of the embeddings themselves is preferred.
        IF embedding_type = 'halfvec' AND distance IS NULL AND EXISTS (
            SELECT FROM pg_index
            JOIN pg_class AS index ON index.oid = indexrelid
            JOIN pg_am ON pg_am.oid = index.relam
            JOIN pg_opclass ON pg_opclass.oid = indclass[0]
            WHERE indrelid = embedding.attrelid AND amname = 'hnsw' AND opcname = 'bit_hamming_ops' AND indpred IS NULL
                AND CASE WHEN _passage.may_read(indrelid) THEN pg_get_expr(indexprs, indrelid)
                    = format('(%s.binary_quantize(embedding))::bit(%s)', embedding.typnamespace::regnamespace, embedding.atttypmod) END)
        THEN
            embedding_type := 'binary';
            distance := 'cosine';
        END IF;
    END IF;
    SELECT CASE WHEN _passage.may_read(adrelid) THEN
        replace(substring(pg_get_expr(adbin, adrelid) FROM '''((?:[^'']|'''')*)''::regconfig'), '''''', '''') END INTO language
    FROM pg_attrdef
    JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
    JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = home AND relname = 'chunks' AND attname = 'tsv' AND attgenerated = 's';
    IF NOT FOUND THEN
        -- Compared, not cast: another role may have written the comment.
        language := (
            SELECT pg_ts_config.oid::regconfig::text FROM pg_ts_config JOIN pg_namespace ON pg_namespace.oid = cfgnamespace
            WHERE format('%I.%I', nspname, cfgname) = _passage.adoption(store) ->> 'language');
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.store_facts(name) IS 'dimensions, embedding type, distance and language of a store, from the catalogs';

-- Returns NULL if the table settings is missing or must not be read.

CREATE FUNCTION _passage.store_settings(store name) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    settings jsonb;
BEGIN
    -- A view or a policy could run any code with the caller's rights, so only a plain table is read. A
    -- table of another shape must not make a call fail that lists all stores.
    IF 2 = (
        SELECT count(*) FROM pg_class
        JOIN pg_attribute ON attrelid = pg_class.oid
        WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = store) AND relname = 'settings' AND relkind IN ('r', 'p') AND NOT attisdropped
            AND (attname, atttypid) IN (('key', 'text'::regtype), ('value', 'jsonb'::regtype))
            AND has_schema_privilege(relnamespace, 'USAGE')
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

COMMENT ON FUNCTION _passage.store_settings(name) IS 'settings of a store as one JSON object, NULL if they cannot be read';

-- The facts for administration. Without its vector index a store of type binary has the columns of one of
-- type halfvec, so the setting decides.

CREATE FUNCTION _passage.recorded_facts(
    store name,
    OUT dimensions integer, OUT embedding_type text, OUT distance text, OUT language text
)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT facts.dimensions, CASE WHEN is_binary THEN 'binary' ELSE facts.embedding_type END,
        CASE WHEN is_binary THEN 'cosine' ELSE facts.distance END, facts.language
    FROM _passage.store_facts(store) AS facts
    CROSS JOIN LATERAL (
        SELECT coalesce(facts.embedding_type = 'halfvec' AND facts.distance IS NULL
            AND _passage.store_settings(store) ->> 'embedding_type' = 'binary', false)
    ) AS kind (is_binary)
$$;

COMMENT ON FUNCTION _passage.recorded_facts(name) IS 'dimensions, embedding type, distance and language of a store, also while its vector index is missing';

-- The objects of the layout that a store lacks. Existing objects stay as they are, and an equal index
-- counts under any name. If chunks is a view, then chunks, documents and embeddings are adopted, and only
-- settings and strategies can be missing.

CREATE FUNCTION _passage.store_missing(
    store name, dimensions integer, distance text, embedding_type text, language regconfig, placement jsonb
)
RETURNS TABLE (place bigint, kind text, relation text, name text, ddl text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT place, kind, relation, layout.name, ddl
    FROM _passage.store_layout(store, dimensions, distance, embedding_type, language, placement)
        WITH ORDINALITY AS layout (kind, relation, name, ddl, place)
    LEFT JOIN (
        SELECT pg_class.oid, relname, relkind IN ('r', 'p') AS is_table
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store
    ) AS rel ON relname = relation
    LEFT JOIN pg_attribute ON attrelid = rel.oid AND attname = layout.name AND NOT attisdropped
    WHERE CASE kind
        WHEN 'schema' THEN NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = store)
        -- Somebody can have divided a partition.
        WHEN 'partition' THEN rel.oid IS NULL AND coalesce((
            SELECT round(sum(1.0 / modulus), 6) < 1 FROM _passage.partition_moduli(store) AS modulus), true)
        -- Citus distributes all tables of a schema at once.
        WHEN 'distribution' THEN relation NOT IN (SELECT _passage.distributed_relations(store)::text)
            AND (placement = '{"distributed": "document"}' OR (relation = 'chunks') = NOT EXISTS (SELECT FROM _passage.distributed_relations(store)))
        WHEN 'setting' THEN coalesce(NOT _passage.store_settings(store) ? layout.name, true)
        WHEN 'column' THEN is_table AND attnum IS NULL
        WHEN 'derived' THEN rel.oid IS NULL OR is_table AND attnum IS NULL
        WHEN 'view' THEN rel.oid IS NULL
        -- pg_get_indexdef locks the table for a moment.
        WHEN 'index' THEN rel.oid IS NULL OR is_table AND CASE WHEN _passage.may_read(rel.oid) THEN NOT EXISTS (
            SELECT FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
            WHERE indrelid = rel.oid AND (
                relname = layout.name
                -- Storage parameters do not matter.
                OR regexp_replace(substring(pg_get_indexdef(indexrelid) FROM ' USING (.*)'), ' WITH .*', '')
                    = regexp_replace(substring(ddl FROM ' USING (.*);'), ' WITH .*', '')
            )) END
        WHEN 'comment' THEN rel.oid IS NULL OR (is_table OR relation = 'chunks_embedded')
            AND CASE WHEN layout.name IS NULL THEN obj_description(rel.oid, 'pg_class')
                ELSE col_description(rel.oid, attnum) END IS NULL
        ELSE rel.oid IS NULL
    END AND (relation IN ('strategies', 'settings') OR NOT EXISTS (
        SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname = 'chunks' AND relkind NOT IN ('r', 'p')))
$$;

COMMENT ON FUNCTION _passage.store_missing(name, integer, text, text, regconfig, jsonb) IS 'objects of the layout that a store lacks';

-- One statement adds all columns of a table, since each statement would rewrite every row.

CREATE FUNCTION _passage.store_statements(
    store name, dimensions integer, distance text, embedding_type text, language regconfig, placement jsonb
)
RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE
        WHEN head IS NULL THEN min(ddl)
        ELSE head || string_agg(substr(ddl, length(head) + 1, length(ddl) - length(head) - 1), E',\n    ' ORDER BY place) || ';'
    END
    FROM _passage.store_missing(store, dimensions, distance, embedding_type, language, placement),
        LATERAL (
            SELECT CASE WHEN kind IN ('column', 'derived') THEN format(E'ALTER TABLE %I.%I\n    ', store, relation) END
        ) AS altered (head)
    GROUP BY head, CASE WHEN head IS NULL THEN place END
    ORDER BY min(place)
$$;

COMMENT ON FUNCTION _passage.store_statements(name, integer, text, text, regconfig, jsonb) IS 'statements that create what a store lacks';

CREATE FUNCTION _passage.check_store_arguments(store name, dimensions integer, distance text, embedding_type text)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    max_dimensions CONSTANT integer := CASE embedding_type WHEN 'binary' THEN 16000 WHEN 'halfvec' THEN 4000 ELSE 2000 END;
    column_type CONSTANT text := CASE embedding_type WHEN 'binary' THEN 'halfvec' ELSE embedding_type END;
    pgvector regnamespace;
    unrelated text;
BEGIN
    IF distance NOT IN ('cosine', 'l2', 'inner_product') THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('unrecognized distance "%s"', left(distance, 100)),
            HINT = 'Valid distances are cosine, l2 and inner_product.';
    ELSIF embedding_type NOT IN ('vector', 'halfvec', 'binary') THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('unrecognized embedding type "%s"', left(embedding_type, 100)),
            HINT = 'Valid embedding types are vector, halfvec and binary.';
    ELSIF embedding_type = 'binary' AND distance <> 'cosine' THEN
        -- The signs of two embeddings estimate their angle, and nothing about their lengths.
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('embedding type binary requires distance cosine, not %s', distance),
            HINT = 'Pass distance => ''cosine'', which gives the same order for embeddings of length 1, or embedding_type => ''halfvec''.';
    ELSIF dimensions < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('embeddings cannot have %s dimensions', dimensions),
            HINT = 'Pass the number of dimensions of the model, or NULL for a store without embeddings.';
    ELSIF dimensions > max_dimensions THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('%s cannot have %s dimensions', embedding_type, dimensions),
            DETAIL = CASE embedding_type WHEN 'binary' THEN format('The type halfvec of its column supports at most %s dimensions.', max_dimensions)
                ELSE format('An HNSW index supports at most %s dimensions of %s.', max_dimensions, embedding_type) END,
            HINT = CASE WHEN embedding_type = 'binary' THEN 'Shorten the embeddings to 16000 dimensions.'
                WHEN dimensions <= 4000
                THEN 'Pass embedding_type => ''halfvec'', which supports up to 4000 dimensions.'
                WHEN dimensions <= 16000 AND distance = 'cosine'
                THEN 'Pass embedding_type => ''binary'', which supports up to 16000 dimensions, or shorten the embeddings to 4000 dimensions.'
                ELSE 'Shorten the embeddings to 4000 dimensions and pass embedding_type => ''halfvec''.' END;
    END IF;

    IF dimensions IS NOT NULL THEN
        SELECT extnamespace INTO pgvector FROM pg_extension WHERE extname = 'vector';
        IF pgvector IS NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'undefined_object',
                MESSAGE = 'a store with embeddings requires pgvector',
                HINT = CASE WHEN EXISTS (SELECT FROM pg_available_extensions WHERE pg_available_extensions.name = 'vector')
                    THEN 'Run CREATE EXTENSION vector; or omit dimensions for a store without embeddings.'
                    ELSE 'Install pgvector on the server and run CREATE EXTENSION vector; or omit dimensions for a store without embeddings.' END;
        ELSIF NOT EXISTS (SELECT FROM pg_type WHERE typname = column_type AND typnamespace = pgvector) THEN
            RAISE EXCEPTION USING ERRCODE = 'undefined_object',
                MESSAGE = format('the installed pgvector has no type %s', column_type),
                HINT = 'Run ALTER EXTENSION vector UPDATE; to install version 0.7 or later.';
        END IF;
    END IF;

    -- An unrelated table of the same name must not get columns.
    SELECT format('%I.%I', nspname, relname) INTO unrelated
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    JOIN (VALUES
        ('documents', 'id', 'uuid'), ('documents', 'uri', 'text'),
        ('chunks', 'id', 'uuid'), ('chunks', 'document_id', 'uuid'),
        ('chunks', 'ordinal', 'integer'), ('chunks', 'content', 'text'),
        ('embeddings', 'chunk_id', 'uuid'), ('embeddings', 'embedding', NULL),
        ('links', 'from_chunk', 'uuid'), ('links', 'to_uri', 'text'),
        ('ratings', 'chunk_id', 'uuid'), ('ratings', 'rating', 'real'),
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
            MESSAGE = format('relation %s already exists and does not belong to a store', unrelated),
            HINT = format('Choose another name for the store. If the schema is a store, SELECT * FROM passage.check_store(%L); shows what it lacks.', store);
    ELSIF dimensions IS NOT NULL AND EXISTS (
        SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname = 'chunks' AND relkind NOT IN ('r', 'p')
    ) AND NOT EXISTS (
        SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname = 'embeddings'
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'wrong_object_type',
            MESSAGE = format('%I.chunks is a view', store),
            DETAIL = 'The table embeddings must reference a table of chunks.',
            HINT = format('Create a view %I.embeddings of the existing vectors.', store);
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.check_store_arguments(name, integer, text, text) IS 'raises an error if a store cannot be created with these arguments';
