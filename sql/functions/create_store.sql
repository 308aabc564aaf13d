-- create_store: creates the tables of a store.
--
-- An argument that is NULL takes the value of the store; a new store gets no embeddings, or cosine, vector
-- and english. An argument that contradicts the store is an error: embeddings of another model need
-- another store.

-- The caller decides who may use the store, so a dry run ends with grants and policies to copy. Rights decide who writes,
-- and policies which rows. The name of a store can have line breaks, and each line of the template must stay a comment.

CREATE FUNCTION _passage.rights_template(store name, embeddings boolean, placement jsonb) RETURNS SETOF text
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1
SET search_path = pg_catalog, pg_temp
AS $$
    WITH granted AS (
        SELECT relation, string_agg(command, ', ' ORDER BY strpos('INSERT UPDATE DELETE', command)) AS commands
        FROM (SELECT DISTINCT relation, command FROM _passage.needed_rights(), unnest(commands) AS command) AS needed
        WHERE command <> 'SELECT' AND (embeddings OR relation <> 'embeddings') AND (relation <> 'ratings' OR NOT placement ? 'distributed')
        GROUP BY relation
    ),
    tables (place, relation, condition) AS (
        VALUES (1, 'documents', CASE WHEN placement ? 'distributed' THEN 'reader = current_user' ELSE _passage.tenant_condition() END),
            (2, 'chunks', NULL), (3, 'embeddings', NULL), (4, 'links', NULL), (5, 'ratings', NULL)
    ),
    protected AS (
        SELECT place, relation, coalesce(condition, CASE WHEN placement ? 'distributed' THEN 'reader = current_user'
            ELSE format('EXISTS (SELECT FROM %I.documents WHERE documents.id = %I.document_id)', store, relation) END) AS condition
        FROM tables WHERE (embeddings OR relation <> 'embeddings') AND (relation <> 'ratings' OR NOT placement ? 'distributed')
    ),
    lines AS (
        SELECT 1 AS part, 0 AS place, '' AS sorted, 'Rights of other roles: "app" writes, "reader" searches. Replace the names by those of your roles.' AS line
        UNION ALL
        SELECT 2, 0, '', format('GRANT USAGE ON SCHEMA %I TO app, reader;', store)
        UNION ALL
        SELECT 3, 0, '', format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO app, reader;', store)
        UNION ALL
        SELECT 3, 1, commands, format('GRANT %s ON %s TO app;', commands, string_agg(format('%I.%I', store, relation), ', ' ORDER BY relation))
        FROM granted GROUP BY commands
        UNION ALL
        SELECT 4, 0, '', 'Row-level security, for tenants who share a store: documents, chunks, embeddings, links and ratings alike.'
        UNION ALL
        SELECT 5, 0, '', CASE WHEN placement ? 'distributed'
            THEN 'Citus accepts no query in a policy, and sends no setting to the nodes. So each tenant has a role, and each row its reader.'
            ELSE 'Put your own condition in the first policy; the others follow it. Tenants see and write their rows, "app" those of all.' END
        UNION ALL
        SELECT 6, protected.place, '', format('ALTER TABLE %I.%I ADD COLUMN reader text NOT NULL DEFAULT current_user;', store, relation)
        FROM protected WHERE placement ? 'distributed'
        UNION ALL
        SELECT 7, protected.place, '', format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY;', store, relation) FROM protected
        UNION ALL
        -- The policies of a partitioned table do not apply to a query that names a partition. Without a policy, such a query returns no rows.
        SELECT 8, remainder, '', format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY;', store, concat('chunks_', remainder))
        FROM generate_series(0, (placement ->> 'partitions')::int4 - 1) AS remainder
        UNION ALL
        SELECT 9, protected.place, '', format('CREATE POLICY tenants ON %I.%I USING (%s);', store, relation, protected.condition) FROM protected
        UNION ALL
        SELECT 10, 0, '', format('CREATE POLICY application ON %I.documents TO app USING (true);', store) WHERE NOT placement ? 'distributed'
    )
    SELECT regexp_replace(string_agg('-- ' || line, E'\n' ORDER BY part, place, sorted), E'([\n\r])(?!-- )', E'\\1-- ', 'g') FROM lines
$$;

COMMENT ON FUNCTION _passage.rights_template(name, boolean, jsonb) IS 'grants and policies for the roles that use a store, as an SQL comment';

CREATE FUNCTION passage.create_store(
    store name DEFAULT NULL,
    dimensions integer DEFAULT NULL,
    distance text DEFAULT NULL,
    embedding_type text DEFAULT NULL,
    language regconfig DEFAULT NULL,
    dry_run boolean DEFAULT false,
    partitions integer DEFAULT NULL,
    distributed text DEFAULT NULL
)
RETURNS SETOF text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 100
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    facts record;
    settings jsonb;
    placement jsonb;
    stored_language regconfig;
    statement text;
    locked boolean := false;
    former_sharding text;
BEGIN
    store := _passage.store_name(store);
    PERFORM _passage.store_must_be_own(store);
    facts := _passage.recorded_facts(store);
    settings := _passage.store_settings(store);
    distance := coalesce(distance, facts.distance, settings ->> 'distance', 'cosine');
    -- From 1000 dimensions on, half precision is the default: half the memory, and an index of up to 4000 dimensions.
    -- pgvector has the type since 0.7.
    embedding_type := coalesce(embedding_type, facts.embedding_type,
        CASE WHEN settings ->> 'embedding_type' IN ('vector', 'halfvec', 'binary') THEN settings ->> 'embedding_type' END,
        CASE WHEN coalesce(dimensions, facts.dimensions) >= 1000 AND NOT EXISTS (
            SELECT FROM pg_extension WHERE extname = 'vector' AND NOT EXISTS (
                SELECT FROM pg_type WHERE typname = 'halfvec' AND typnamespace = extnamespace)) THEN 'halfvec' END,
        'vector');
    -- Compared, not cast: the error of a cast would show the value.
    SELECT pg_ts_config.oid INTO stored_language FROM pg_ts_config JOIN pg_namespace ON pg_namespace.oid = cfgnamespace
    WHERE settings ->> 'language' = format('%I.%I', nspname, cfgname)
        OR nspname = 'pg_catalog' AND settings ->> 'language' = quote_ident(cfgname);
    IF facts.language IS NULL AND settings ? 'language' AND stored_language IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('setting "language" of store "%s" does not name a text search configuration', store),
            HINT = format('Run SELECT * FROM passage.check_store(%L); for the value to set.', store);
    END IF;
    language := coalesce(language, facts.language::regconfig, stored_language, 'pg_catalog.english');

    PERFORM _passage.check_store_arguments(store, dimensions, distance, embedding_type);
    placement := _passage.requested_placement(store, partitions, distributed);
    IF jsonb_typeof(settings -> 'layout_version') = 'number' AND settings -> 'layout_version' > '1' THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('store "%s" has layout version %s, but this pg_passage supports version 1', store, settings ->> 'layout_version'),
            HINT = 'Install a newer pg_passage on the server, then run ALTER EXTENSION pg_passage UPDATE.';
    END IF;

    SELECT format('store "%s" has %s %s, not %s', store, what, actual, requested) INTO statement
    FROM (VALUES
        (1, 'dimensions', facts.dimensions::text, dimensions::text),
        (2, 'embedding type', facts.embedding_type, embedding_type),
        (3, 'distance', facts.distance, distance),
        (4, 'language', coalesce(facts.language, stored_language::text), language::text)
    ) AS property (place, what, actual, requested)
    WHERE actual <> requested
    ORDER BY place
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = statement,
            HINT = 'Create another store, fill it, and rename the schemas.';
    END IF;

    dimensions := coalesce(dimensions, facts.dimensions);

    IF dry_run THEN
        RETURN QUERY SELECT * FROM _passage.store_statements(store, dimensions, distance, embedding_type, language, placement);
        RETURN QUERY SELECT * FROM _passage.rights_template(store, dimensions IS NOT NULL, placement);
        RETURN;
    END IF;

    IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = store) AND NOT has_database_privilege(current_database(), 'CREATE') THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
            MESSAGE = format('role "%s" may not create schema "%s"', current_user, store),
            HINT = format('As the owner of the database, run GRANT CREATE ON DATABASE %I TO %I; or CREATE SCHEMA %I AUTHORIZATION %I;',
                current_database(), current_user, store, current_user);
    END IF;

    -- Of two concurrent calls for one store, the second waits and finds the store complete.
    PERFORM pg_advisory_xact_lock(hashtextextended('passage.create_store ' || store, 0));
    former_sharding := _passage.set_citus_setting('citus.enable_schema_based_sharding', 'off');
    FOR statement IN
        SELECT * FROM _passage.store_statements(store, dimensions, distance, embedding_type, language, placement)
    LOOP
        PERFORM _passage.transaction_must_write('create_store');
        -- Without the lock, another role could add a trigger between two statements.
        IF statement LIKE 'INSERT INTO %' AND NOT locked THEN
            EXECUTE format('LOCK TABLE %I.settings IN SHARE ROW EXCLUSIVE MODE', store);
            PERFORM _passage.store_must_be_own(store);
            locked := true;
        END IF;
        EXECUTE statement;
        RETURN NEXT statement;
    END LOOP;
    PERFORM _passage.set_citus_setting('citus.enable_schema_based_sharding', former_sharding);
END
$$;

COMMENT ON FUNCTION passage.create_store(name, integer, text, text, regconfig, boolean, integer, text) IS 'creates the tables of a store, or those parts that it lacks, and returns the statements
store: schema of the store; NULL takes the setting passage.store (rag)
dimensions: of the embeddings, 1 to 4000, of vector to 2000, of binary to 16000; NULL takes those of the store, for a new one no embeddings
distance: cosine, l2 or inner_product; NULL takes that of the store, for a new one cosine
embedding_type: vector, halfvec or binary, which is halfvec with an index of the signs; NULL takes that of the store, for a new one vector, and halfvec from 1000 dimensions on
language: text search configuration; NULL takes that of the store, for a new one english
dry_run: whether to return the statements without executing them, false by default
partitions: number of partitions of chunks, 2 to 1024; NULL takes that of the store, for a new one a single table
distributed: schema or document, which need Citus; NULL takes that of the store, for a new one not distributed';
