-- The problems of the tables and views of a store, from the catalogs.

CREATE FUNCTION _passage.table_problems(
    store name, dimensions integer, distance text, embedding_type text, language regconfig, placement jsonb
)
RETURNS TABLE (object text, problem text, remedy text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
    WITH rel AS (
        SELECT pg_class.oid, relname, relkind IN ('r', 'p') AS is_table, relrowsecurity, relacl, relowner, ARRAY(
                SELECT attname::text FROM pg_partitioned_table CROSS JOIN LATERAL unnest(partattrs) AS key
                JOIN pg_attribute ON attrelid = partrelid AND attnum = key
                WHERE partrelid = pg_class.oid) AS partitioned_by
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname IN ('documents', 'chunks', 'embeddings', 'links', 'ratings', 'strategies', 'settings', 'shard_keys')
    ),
    keys (relation, columns, tail) AS (VALUES
        ('documents', ARRAY['id'], 'ADD PRIMARY KEY (id)'),
        ('documents', ARRAY['uri', 'collection', 'version'], 'ADD UNIQUE (uri, collection, version)'),
        ('chunks', ARRAY['id'], 'ADD PRIMARY KEY (id)'),
        ('chunks', ARRAY['document_id', 'ordinal'], 'ADD UNIQUE (document_id, ordinal) DEFERRABLE INITIALLY IMMEDIATE'),
        ('embeddings', ARRAY['chunk_id'], 'ADD PRIMARY KEY (chunk_id)'),
        ('links', ARRAY['document_id', 'position'], 'ADD PRIMARY KEY (document_id, position)'),
        ('ratings', ARRAY['chunk_id', 'rated_by', 'query_key'], 'ADD PRIMARY KEY (chunk_id, rated_by, query_key)'),
        -- With two equal keys, a shard would be read twice.
        ('shard_keys', ARRAY['document_id'], 'ADD PRIMARY KEY (document_id)')
    )
    SELECT CASE WHEN kind IN ('column', 'derived') THEN format('%I.%I.%I', store, relation, missing.name)
            ELSE format('%I.%I', store, missing.name) END,
        CASE kind WHEN 'derived' THEN 'column' ELSE kind END || ' is missing',
        CASE WHEN kind = 'column' AND ddl ~ ' (NOT NULL|PRIMARY KEY)' AND ddl !~ ' NOT NULL DEFAULT '
            THEN 'Restore the column from a backup: its content cannot be derived.'
            ELSE format('SELECT passage.upgrade_store(%L);', store) END
    FROM _passage.store_missing(store, dimensions, distance, embedding_type, language, placement) AS missing
    WHERE kind IN ('table', 'partition', 'distribution', 'view', 'column', 'derived', 'index')
    UNION ALL
    SELECT format('%I.settings', store), 'missing: ' || string_agg(missing.name, ', ' ORDER BY place),
        format('SELECT passage.upgrade_store(%L);', store)
    FROM _passage.store_missing(store, dimensions, distance, embedding_type, language, placement) AS missing
    WHERE kind = 'setting' AND EXISTS (
        SELECT FROM rel WHERE relname = 'settings' AND has_table_privilege(rel.oid, 'SELECT') AND NOT row_security_active(rel.oid))
    HAVING count(*) > 0
    UNION ALL
    SELECT * FROM _passage.column_type_problems(store, dimensions, embedding_type, language, placement)
    UNION ALL
    SELECT format('%I.%I.%I', store, relation, col.name), 'column is not generated',
        format('ALTER TABLE %I.%I DROP COLUMN %I; SELECT passage.upgrade_store(%L);', store, relation, col.name, store)
    FROM _passage.store_columns(store, dimensions, embedding_type, language, placement) AS col
    JOIN rel ON relname = relation
    JOIN pg_attribute ON attrelid = rel.oid AND attname = col.name AND NOT attisdropped
    WHERE derived AND is_table AND attgenerated = ''
    UNION ALL
    SELECT format('%I.%I', store, relation), format('no unique index on (%s)', array_to_string(columns, ', ')),
        format('ALTER TABLE %I.%I %s;', store, relation, CASE WHEN partitioned_by = '{}' THEN tail
            ELSE format('ADD UNIQUE (%s)', (SELECT string_agg(quote_ident(name), ', ' ORDER BY place)
                FROM (SELECT name, min(place) AS place FROM unnest(partitioned_by || columns) WITH ORDINALITY AS key (name, place) GROUP BY name) AS key)) END)
    FROM keys JOIN rel ON relname = relation
    -- Citus has no unique index without the distribution column.
    WHERE is_table AND NOT (placement = '{"distributed": "document"}' AND columns[1] = 'uri') AND NOT EXISTS (
        SELECT FROM pg_index
        CROSS JOIN LATERAL (SELECT ARRAY(
            SELECT attname::text FROM unnest(indkey) WITH ORDINALITY AS key (attnum, place)
            JOIN pg_attribute ON attrelid = rel.oid AND pg_attribute.attnum = key.attnum
            ORDER BY place)) AS key (names)
        WHERE indrelid = rel.oid AND indisunique AND (
            -- A distributed table has document_id before id.
            names IN (columns, ARRAY['document_id'] || columns)
            -- A unique index of a partitioned table contains the key of its partitions.
            OR partitioned_by <> '{}' AND names @> columns AND names <@ (columns || 'document_id'::text || partitioned_by)))
    UNION ALL
    -- Without it, each look-up of a chunk reads all chunks, or an index whose first column is another one.
    SELECT format('%I.%I', store, relname), 'no index on (id)', format('CREATE INDEX ON %I.%I (id);', store, relname)
    FROM rel JOIN pg_attribute AS id ON id.attrelid = rel.oid AND id.attname = 'id' AND NOT id.attisdropped
    WHERE is_table AND relname = 'chunks'
        AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = rel.oid AND indkey[0] = id.attnum AND indpred IS NULL)
        -- Else the remedy is the unique index.
        AND (partitioned_by <> '{}' OR EXISTS (SELECT FROM pg_index WHERE indrelid = rel.oid AND indisunique AND id.attnum = ANY (indkey)))
        -- Else it is a missing index of the layout.
        AND NOT _passage.is_spread_by_document(placement)
    UNION ALL
    -- PostgreSQL names the copies that REINDEX CONCURRENTLY leaves when it ends early.
    SELECT format('%s', indexrelid::regclass), 'index is invalid', CASE
        WHEN idx.relname ~ '_cc(new|old)[0-9]*$' THEN format('DROP INDEX CONCURRENTLY %s;', indexrelid::regclass)
        WHEN idx.relkind <> 'I' THEN format('REINDEX INDEX CONCURRENTLY %s;', indexrelid::regclass)
        -- An index of a partitioned table is valid once each partition has one. REINDEX creates none.
        WHEN conname IS NOT NULL THEN format('ALTER TABLE %1$I.%2$I DROP CONSTRAINT %3$I; ALTER TABLE %1$I.%2$I ADD CONSTRAINT %3$I %4$s;',
            store, rel.relname, conname, pg_get_constraintdef(pg_constraint.oid))
        ELSE format('DROP INDEX %s; CREATE %sINDEX %I ON %I.%I%s;', indexrelid::regclass, CASE WHEN indisunique THEN 'UNIQUE ' END,
            idx.relname, store, rel.relname, substring(pg_get_indexdef(indexrelid) FROM ' USING .*')) END
    FROM pg_index JOIN rel ON rel.oid = indrelid JOIN pg_class AS idx ON idx.oid = indexrelid
    LEFT JOIN pg_constraint ON conindid = indexrelid AND conrelid = indrelid
    WHERE NOT (indisvalid AND indisready) AND _passage.may_read(rel.oid)
    UNION ALL
    SELECT format('%I.%I', store, relname), format('indexes were not checked: role "%s" may not read the table', current_user),
        'Check the store as its owner.'
    FROM rel WHERE is_table AND NOT _passage.may_read(rel.oid)
    UNION ALL
    SELECT format('%I.%I', store, relname), 'row-level security is off, and on for ' || guarded,
        format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY; -- Then add policies for it: a dry run of create_store prints a template.', store, relname)
    FROM rel, (
        SELECT string_agg(relname, ' and ' ORDER BY relname) FROM rel WHERE relrowsecurity
    ) AS guards (guarded)
    WHERE is_table AND NOT relrowsecurity AND guarded IS NOT NULL AND (relname IN ('documents', 'chunks', 'embeddings')
        -- An upgrade adds the tables of links and ratings without a right of another role.
        OR relname IN ('links', 'ratings') AND EXISTS (SELECT FROM aclexplode(relacl) AS acl WHERE acl.grantee <> relowner))
    UNION ALL
    SELECT format('%I.%I', nspname, part.relname), format('policies of %I.%I do not apply to a query of this partition, on which roles have privileges', store, rel.relname),
        format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY;', nspname, part.relname)
    FROM rel CROSS JOIN LATERAL _passage.relation_tree(rel.oid) AS tree
    JOIN pg_class AS part ON part.oid = tree AND part.oid <> rel.oid JOIN pg_namespace ON pg_namespace.oid = part.relnamespace
    WHERE rel.relrowsecurity AND NOT part.relrowsecurity AND EXISTS (
        SELECT FROM aclexplode(part.relacl) AS acl WHERE acl.grantee <> part.relowner)
$$;

COMMENT ON FUNCTION _passage.table_problems(name, integer, text, text, regconfig, jsonb) IS 'problems of the tables of a store';

-- A view can show any table of chunks. Missing columns reduce the functions, and indexes belong to the
-- tables behind the view. The planner shows which tables lack one: it scans them although sequential scans
-- are off.

CREATE FUNCTION _passage.scanned_relations(store name, by_id boolean)
RETURNS TABLE (relation text, is_windowed boolean)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 1
SET search_path = pg_catalog, pg_temp
SET row_security = off
SET enable_seqscan = off
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE format('EXPLAIN (VERBOSE, FORMAT JSON) SELECT ordinal, content FROM %I.chunks WHERE %s', store,
        CASE WHEN by_id THEN $c$id = '00000000-0000-0000-0000-000000000000'::uuid$c$
            ELSE $c$document_id = '00000000-0000-0000-0000-000000000000'::uuid AND ordinal = 0$c$ END) INTO plan;
    -- No condition is applied before a window function, except on its partitions. PostgreSQL omits one whose column is not read.
    RETURN QUERY
        SELECT DISTINCT format('%I.%I', node ->> 'Schema', node ->> 'Relation Name'), windowed
        FROM jsonb_path_query(plan::jsonb, '$.** ? (exists (@."Relation Name"))') AS node,
            jsonb_path_exists(plan::jsonb, '$.** ? (@."Node Type" == "WindowAgg")') AS windowed
        WHERE node ->> 'Node Type' = 'Seq Scan' OR windowed AND node ->> 'Node Type' LIKE 'Index%' AND NOT node ? 'Index Cond';
END
$$;

COMMENT ON FUNCTION _passage.scanned_relations(name, boolean) IS 'tables that a look-up of a chunk by id, or else by document and ordinal, scans sequentially, and whether a window function is the reason';

CREATE FUNCTION _passage.view_problems(store name)
RETURNS TABLE (object text, problem text, remedy text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
    WITH optional (place, relation, columns, effect) AS (VALUES
        (1, 'chunks', '{id,document_id,ordinal,content}'::text[], NULL),
        (2, 'documents', '{id}', NULL),
        (3, 'chunks', '{section,section_key,parent_key}', 'adjacent chunks are the only context'),
        (4, 'chunks', '{start_byte,end_byte}', 'chunks are joined by the separator of the media type'),
        (5, 'chunks', '{first_line,last_line}', 'no line numbers'),
        (6, 'chunks', '{tokens}', 'tokens count as a quarter of the characters'),
        (7, 'documents', '{media_type}', 'every document counts as prose'),
        (8, 'documents', '{uri,title}', 'passages do not name their source'),
        (9, 'documents', '{collection,version}', 'a filter by them finds nothing'),
        (10, 'chunks', '{tsv}', 'no search by words'),
        (11, 'chunks', '{kind,metadata}', 'a filter by them finds nothing'),
        (12, 'embeddings', '{chunk_id,document_id,embedding}', NULL)
    ),
    absent AS (
        SELECT optional.place, relation, effect,
            string_agg(column_name, ', ' ORDER BY ordinality) AS columns
        FROM optional
        CROSS JOIN LATERAL unnest(columns) WITH ORDINALITY AS column_name (column_name, ordinality)
        JOIN pg_namespace ON nspname = store
        JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = relation
        LEFT JOIN pg_attribute ON attrelid = pg_class.oid AND attname = column_name AND NOT attisdropped
        WHERE attnum IS NULL
        GROUP BY optional.place, relation, effect
    )
    SELECT format('%I.%I', store, relation),
        CASE WHEN effect IS NULL THEN 'required columns are missing: ' || columns ELSE format('%s missing: %s', columns, effect) END,
        CASE WHEN columns ~ '(^|, )(section_key|parent_key)'
            THEN 'Add them to the view, the keys as passage.section_key(section) and passage.parent_key(section), with indexes on (document_id, key, ordinal) of the table.'
            WHEN columns = 'tsv' THEN format('Add passage.chunk_tsv(''english'', NULL, section, content) to the table as a generated column with a GIN index, and to the view.')
            ELSE 'Add them to the view.' END
    FROM absent
    UNION ALL
    SELECT format('%I.embeddings.embedding', store), format('column has type %s, not vector or halfvec: no search by embedding', format_type(atttypid, NULL)),
        'Cast the column in the view, as in embedding::vector(384).'
    FROM pg_attribute
    WHERE attrelid = to_regclass(format('%I.embeddings', store)) AND attname = 'embedding' AND NOT attisdropped
        -- Any role can create a type of that name.
        AND NOT EXISTS (
            SELECT FROM pg_type JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = pg_type.oid JOIN pg_extension ON pg_extension.oid = refobjid
            WHERE pg_type.oid = atttypid AND typname IN ('vector', 'halfvec') AND extname = 'vector' AND deptype = 'e'
                AND refclassid = 'pg_extension'::regclass)
    UNION ALL
    SELECT format('%I.embeddings', store), 'view is missing: no search by embedding',
        format('Create a view %I.embeddings with chunk_id, document_id and embedding.', store)
    WHERE to_regclass(format('%I.embeddings', store)) IS NULL
    UNION ALL
    SELECT format('%I.documents', store), 'view is missing: passages do not name their source, and every document counts as prose',
        format('Create a view %I.documents with id, uri, title and media_type.', store)
    WHERE to_regclass(format('%I.documents', store)) IS NULL
$$;

COMMENT ON FUNCTION _passage.view_problems(name) IS 'columns and relations that a store of views lacks';

CREATE FUNCTION _passage.index_problems(store name)
RETURNS TABLE (object text, problem text, remedy text)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 2
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF _passage.matching_columns(store) @> '{chunks.id,chunks.document_id,chunks.ordinal,chunks.content}' THEN
        RETURN QUERY
            SELECT scanned.relation,
                CASE WHEN is_windowed THEN format('no index finds chunks by %s: %I.chunks has a window function, which computes every row', how, store)
                    ELSE format('no index finds chunks by %s', how) END,
                CASE WHEN is_windowed THEN 'Store the ordinal in a column, or let passage.adopt keep it in a side table.'
                    ELSE format('Create an index on the columns that %I.chunks shows as %s.', store, how) END
            FROM (VALUES
                ('id', true),
                ('document_id, ordinal', false)
            ) AS probe (how, by_id),
                _passage.scanned_relations(store, by_id) AS scanned;
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    -- Planning requires the right to read, and fails where a policy would filter rows.
    RETURN QUERY SELECT format('%I.chunks', store), 'indexes were not checked: ' || SQLERRM,
        'Check the store as a role that may read all rows.';
END
$$;

COMMENT ON FUNCTION _passage.index_problems(name) IS 'indexes that a store of views lacks';
