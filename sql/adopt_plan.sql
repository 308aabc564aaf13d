-- adopt_plan: the objects of an adopted store, each with the statement that creates it.
--
-- Two side tables have what the source lacks: adopted_documents, and adopted_chunks with a row for each adopted row
-- of the source. A row has the key of its source, so views join both. Views join the source on the nullable side:
-- PostgreSQL leaves out such a join where a statement needs only columns of the side table.
--
-- The comment of adopted_chunks has the arguments as JSON. Only the owner can change it, and their expressions run
-- with the owner's rights. The expressions are part of statements: adopt has checked that each is one expression.

-- The key of the source: a unique index over columns that are NOT NULL, the primary key first.

CREATE FUNCTION _passage.adopted_key(source oid)
RETURNS TABLE (place integer, name name, type text, collation_clause text, is_uuid boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT (n + 1)::integer, attname, format_type(atttypid, NULL),
        CASE WHEN attcollation <> typcollation THEN format(' COLLATE %I.%I', nspname, collname) END,
        atttypid = 'uuid'::regtype AND indnkeyatts = 1
    FROM (
        SELECT indkey, indnkeyatts FROM pg_index
        WHERE indrelid = source AND indisunique AND indisvalid AND indimmediate AND indpred IS NULL AND indexprs IS NULL
            AND NOT EXISTS (
                SELECT FROM generate_series(0, indnkeyatts - 1) AS at (n)
                JOIN pg_attribute ON attrelid = source AND attnum = indkey[n]
                WHERE NOT attnotnull)
        ORDER BY indisprimary DESC, indnkeyatts, indexrelid
        LIMIT 1
    ) AS chosen
    CROSS JOIN LATERAL generate_series(0, indnkeyatts - 1) AS at (n)
    JOIN pg_attribute ON attrelid = source AND attnum = indkey[n]
    JOIN pg_type ON pg_type.oid = atttypid
    LEFT JOIN pg_collation ON pg_collation.oid = attcollation
    LEFT JOIN pg_namespace ON pg_namespace.oid = collnamespace
    ORDER BY n
$$;

COMMENT ON FUNCTION _passage.adopted_key(oid) IS 'columns of the key by which rows of a source are adopted';

-- An expression in its place: the line end closes a comment.

CREATE FUNCTION _passage.adopted_expression(given jsonb, argument text, type text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN given ? argument
        THEN format(CASE WHEN given ->> argument LIKE '%--%' THEN E'(%s\n)' ELSE '(%s)' END, given ->> argument) ELSE 'NULL' END
        || coalesce('::' || type, '')
$$;

COMMENT ON FUNCTION _passage.adopted_expression(jsonb, text, text) IS 'expression of an argument of adopt as a type, NULL if it has none';

CREATE FUNCTION _passage.adopted_view_columns(has_section boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format($part$adopted.id, adopted.document_id, adopted.ordinal, %s AS level, %s AS section, NULL::text AS kind, NULL::text AS unit,
        origin.content, origin.title AS preamble, origin.tokens, adopted.start_byte, adopted.end_byte, origin.first_line, origin.last_line,
        coalesce(origin.metadata, '{}') AS metadata$part$,
        CASE WHEN has_section THEN 'cardinality(adopted.section)' ELSE '0' END,
        CASE WHEN has_section THEN 'adopted.section' ELSE '''{}''::text[]' END)
$$;

COMMENT ON FUNCTION _passage.adopted_view_columns(boolean) IS 'columns of chunks in the views of an adopted store';

-- The id of a chunk in its source as a text.

CREATE FUNCTION _passage.adopted_source_id(adoption jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN adoption -> 'expressions' ? 'id' THEN 'adopted.source_id'
        WHEN jsonb_array_length(adoption -> 'key') > 1 THEN format('jsonb_build_array(%s)::text', (
            SELECT string_agg('adopted.key_' || place, ', ' ORDER BY place) FROM generate_series(1, jsonb_array_length(adoption -> 'key')) AS place))
        WHEN (adoption #>> '{key,0,is_uuid}')::boolean THEN 'adopted.id::text'
        ELSE 'adopted.key_1::text' END
$$;

COMMENT ON FUNCTION _passage.adopted_source_id(jsonb) IS 'expression for the id that a chunk has in its source';

CREATE FUNCTION _passage.adoption_layout(store name, adoption jsonb)
RETURNS TABLE (kind text, relation text, name text, ddl text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 40
SET search_path = pg_catalog, pg_temp
AS $function$
#variable_conflict use_column
DECLARE
    source CONSTANT text := adoption ->> 'source';
    given CONSTANT jsonb := (adoption -> 'expressions') - 'described';
    -- Expressions of a framework share its metadata, which is read once for each row.
    described CONSTANT text := adoption #>> '{expressions,described}';
    shared jsonb := given;
    types CONSTANT jsonb := adoption -> 'types';
    has_section CONSTANT boolean := given ? 'section';
    key record;
    -- Lists of the key: columns of the source, of the side table, and comparisons.
    side_keys text;
    own_keys text;
    key_columns text := '';
    key_arguments text;
    key_arrays text;
    key_same text;
    new_keys text;
    touched text;
    touched_columns text;
    touched_side text;
    side_id text;
    key_text text;
    key_null text;
    key_lag text;
    key_lagged text;
    row_columns text;
    row_from text;
    row_from_parallel text;
    -- A place in the text that no expression has.
    barrier CONSTANT text := E'\x01';
    rows_of text;
    placed_order text;
    window_order text;
    chain text := '';
    advances text;
    values_new text;
    changed text;
    set_new text;
    section_type text;
    vectors jsonb := adoption -> 'vectors';
    guarded boolean := (adoption ->> 'row_security')::boolean;
    guard text;
    origin text;
    origin_keys text;
    origin_same text;
    prefix text;
BEGIN
    SELECT string_agg(quote_ident(side), ', '), string_agg(format('source.%I', col), ', '),
        string_agg(CASE WHEN side <> 'id' THEN format(E'    %I %s%s NOT NULL,\n', side, type, collation_clause) ELSE '' END, ''),
        string_agg(format('touched_%s %s[]', place, type), ', '), string_agg('touched_' || place, ', '),
        string_agg(format('source.%I = adopted.%I', col, side), ' AND '),
        string_agg(format('array_agg(%I)', col), ', '),
        string_agg(format('source.%I = touched.touched_key_%s', col, place), ' AND '),
        string_agg('touched_key_' || place, ', '),
        string_agg(format('adopted.%I = touched.touched_key_%s', side, place), ' AND '),
        CASE WHEN bool_and(is_uuid) THEN min(format('source.%I', col))
            ELSE format('_passage.adopted_id(%L, %s)', adoption ->> 'seed',
                CASE WHEN count(*) = 1 THEN min(format('source.%I::text', col))
                    ELSE format('jsonb_build_array(%s)::text', string_agg(format('source.%I', col), ', ')) END) END,
        CASE WHEN count(*) = 1 THEN min(format('source.%I::text', col))
            ELSE format('jsonb_build_array(%s)::text', string_agg(format('source.%I', col), ', ')) END,
        string_agg(format('adopted.%I', side), ', '),
        string_agg(format('lag(%I) OVER placed AS before_%s', side, place), ', '),
        string_agg(format('source.%I = placed.before_%s', col, place), ' AND '),
        string_agg(format('source.%I AS key_%s', col, place), ', '), string_agg(format('origin.key_%s = adopted.%I', place, side), ' AND ')
    INTO side_keys, own_keys, key_columns, key_arguments, key_arrays, key_same, new_keys, touched, touched_columns, touched_side,
        side_id, key_text, key_null, key_lag, key_lagged, origin_keys, origin_same
    FROM (
        SELECT (value ->> 'place')::integer AS place, value ->> 'name' AS col, value ->> 'type' AS type,
            value ->> 'collation' AS collation_clause, (value ->> 'is_uuid')::boolean AS is_uuid,
            CASE WHEN (value ->> 'is_uuid')::boolean THEN 'id' ELSE 'key_' || (value ->> 'place') END AS side
        FROM jsonb_array_elements(adoption -> 'key')
        ORDER BY 1
    ) AS listed;
    prefix := format('%I.', store);

    IF described IS NOT NULL THEN
        SELECT jsonb_object_agg(argument, replace(expression, described, 'described.metadata')) INTO shared
        FROM jsonb_each_text(given) AS listed (argument, expression);
    END IF;

    -- The rows of the source as the store needs them. The subquery computes each expression once.
    section_type := types ->> 'section';
    row_columns := format($part$%s, %s AS id,
            CASE WHEN %s THEN e.document_key::uuid
                ELSE _passage.adopted_id(%L, jsonb_build_array(e.collection, e.version, e.document_key, CASE WHEN e.document_key IS NULL THEN %s END)::text) END AS document_id,
            e.collection, e.version, coalesce(e.uri, e.document_key, %s) AS uri, e.title, e.media_type, e.content,
            e.place, e.previous, e.source_id, e.start_char, e.start_byte, e.section$part$,
        (SELECT string_agg(format('%s AS %s', own, side), ', ')
            FROM unnest(string_to_array(own_keys, ', '), string_to_array(side_keys, ', ')) AS pair (own, side) WHERE side <> 'id'),
        side_id,
        CASE WHEN types ->> 'document' = 'uuid' AND NOT given ?| '{collection,version}' THEN 'e.document_key IS NOT NULL' ELSE 'false' END,
        adoption ->> 'seed', key_text, key_text);
    -- A key of one uuid is the id itself.
    row_columns := regexp_replace(row_columns, '^, ', '');
    row_from := format($part$%s
        CROSS JOIN LATERAL (SELECT
            %s AS document_key, coalesce(%s, '') AS collection, coalesce(%s, '') AS version, %s AS uri, %s AS title, %s AS media_type,
            %s AS content, %s AS place, %s AS previous, %s AS source_id, %s AS start_char, %s AS start_byte, %s AS section
            %s) AS e
        WHERE e.content IS NOT NULL AND %s$part$,
        CASE WHEN described IS NOT NULL THEN format(E'\n        CROSS JOIN LATERAL (SELECT %s AS metadata %s) AS described', described, barrier) END,
        _passage.adopted_expression(shared, 'document', 'text'), _passage.adopted_expression(shared, 'collection', 'text'),
        _passage.adopted_expression(shared, 'version', 'text'), _passage.adopted_expression(shared, 'uri', 'text'),
        _passage.adopted_expression(shared, 'title', 'text'), _passage.adopted_expression(shared, 'media_type', 'text'),
        _passage.adopted_expression(shared, 'content', 'text'), _passage.adopted_expression(shared, 'ordinal', coalesce(types ->> 'ordinal', 'integer')),
        _passage.adopted_expression(shared, 'previous', 'text'), _passage.adopted_expression(shared, 'id', 'text'),
        _passage.adopted_expression(shared, 'start_char', 'bigint'), _passage.adopted_expression(shared, 'start_byte', 'bigint'),
        CASE WHEN NOT has_section THEN 'NULL::text[]'
            WHEN section_type = 'text[]' THEN format('coalesce(%s, ''{}'')', _passage.adopted_expression(shared, 'section', 'text[]'))
            ELSE format('array_remove(ARRAY[%s], NULL)', _passage.adopted_expression(shared, 'section', 'text')) END,
        barrier,
        CASE WHEN given ? 'condition' THEN _passage.adopted_expression(shared, 'condition', 'boolean') ELSE 'true' END);
    row_from_parallel := replace(row_from, barrier, '');
    row_from := replace(row_from, barrier, 'OFFSET 0');

    -- The order in a document: by the expression, then by an integer key, else by arrival.
    placed_order := concat_ws(', ', 'document_id', CASE WHEN given ? 'previous' THEN 'chained NULLS LAST' END,
        CASE WHEN given ? 'ordinal' THEN 'place NULLS LAST' END,
        CASE WHEN adoption #>> '{key,0,type}' IN ('bigint', 'integer', 'smallint') AND jsonb_array_length(adoption -> 'key') = 1 THEN 'key_1' END,
        'arrival NULLS LAST', 'arriving');
    window_order := substr(placed_order, 14);
    -- The ids of the previous chunks form chains.
    chain := CASE WHEN given ? 'previous' THEN format($part$,
        chained AS (
            SELECT merged.*, chain.chained FROM merged LEFT JOIN (
                SELECT unnest(ids) AS id, unnest(_passage.chain_order(names, previous)) AS chained
                FROM (
                    SELECT array_agg(id ORDER BY %1$s) AS ids, array_agg(source_id ORDER BY %1$s) AS names, array_agg(previous ORDER BY %1$s) AS previous
                    FROM merged GROUP BY document_id
                ) AS listed
            ) AS chain USING (id)
        )$part$, replace(window_order, 'chained NULLS LAST, ', '')) ELSE '' END;
    advances := format($part$,
        placed AS (
            SELECT *, (row_number() OVER placed - 1)::integer AS ordinal, lag(id) OVER placed AS after_id, lag(is_new) OVER placed AS after_new,
                lag(content) OVER placed AS before_content, lag(start_char) OVER placed AS before_start, %1$s
            FROM %2$s
            WINDOW placed AS (PARTITION BY document_id ORDER BY %3$s)
        ),
        joined AS (
            SELECT *, CASE WHEN is_new OR after_new OR after_id IS DISTINCT FROM old_after THEN _passage.chunk_advance(
                coalesce(before_content, (SELECT %4$s FROM ONLY %5$s AS source WHERE %6$s)), before_start,
                coalesce(content, (SELECT %4$s FROM ONLY %5$s AS source WHERE %7$s)), start_char) ELSE old_advance END AS advance
            FROM placed
            OFFSET 0
        ),
        spanned AS (
            SELECT *, CASE WHEN is_exact AND first_byte + bytes <= 2147483647 THEN first_byte::integer END AS start_byte,
                CASE WHEN is_exact AND first_byte + bytes <= 2147483647 THEN (first_byte + bytes)::integer END AS end_byte
            FROM (
                SELECT *, %8$s
                FROM joined
                WINDOW positioned AS (PARTITION BY document_id ORDER BY ordinal)
            ) AS summed
        )$part$,
        key_lag, CASE WHEN chain = '' THEN 'merged' ELSE 'chained' END, window_order,
        _passage.adopted_expression(given, 'content', 'text'), source, key_lagged, replace(key_same, 'adopted.', 'placed.'),
        CASE WHEN given ? 'start_byte' THEN 'start_at AS first_byte, start_at >= 0 AS is_exact'
            ELSE 'sum(CASE WHEN after_id IS NULL AND advance < 0 THEN 0 ELSE abs(advance::bigint) END) OVER positioned AS first_byte, '
                'bool_or(advance >= 0) OVER (PARTITION BY document_id) AS is_exact' END);

    RETURN QUERY VALUES
        ('schema', NULL, store::text, format('CREATE SCHEMA %I;', store)),
        ('lock', NULL, NULL, format('LOCK TABLE ONLY %s IN SHARE ROW EXCLUSIVE MODE;', source));

    RETURN QUERY VALUES ('table', 'adopted_documents', 'adopted_documents', format($ddl$CREATE TABLE %sadopted_documents (
    id uuid NOT NULL,
    collection text,
    version text,
    uri text,
    title text,
    media_type text,
    ingested_at timestamp with time zone NOT NULL DEFAULT now()
);$ddl$, prefix)),
        ('table', 'adopted_chunks', 'adopted_chunks', format($ddl$CREATE TABLE %sadopted_chunks (
    id uuid NOT NULL,
%s%s%s%s    document_id uuid NOT NULL,
    ordinal integer NOT NULL,
    arrival bigint GENERATED BY DEFAULT AS IDENTITY,
%s    start_char bigint,
    bytes integer NOT NULL,
    after_id uuid,
    advance integer NOT NULL,
    start_byte integer,
    end_byte integer,
%s    tsv tsvector
);$ddl$, prefix, key_columns,
            CASE WHEN given ? 'id' THEN E'    source_id text,\n' END, CASE WHEN given ? 'previous' THEN E'    previous text,\n' END, '',
            format(E'    place %s,\n', coalesce(types ->> 'ordinal', 'integer')),
            CASE WHEN has_section THEN E'    section text[] NOT NULL,\n' END)),
        ('comment', 'adopted_chunks', NULL, format('COMMENT ON TABLE %sadopted_chunks IS %L;', prefix, 'adopted by pg_passage: ' || (adoption - 'row_security')::text));

    IF has_section THEN
        RETURN QUERY SELECT 'derived', 'adopted_chunks', 'path', format($ddl$ALTER TABLE %sadopted_chunks
    ADD COLUMN path %s GENERATED ALWAYS AS (passage.section_path(section)) STORED,
    ADD COLUMN section_key bigint GENERATED ALWAYS AS (passage.section_key(section)) STORED,
    ADD COLUMN parent_key bigint GENERATED ALWAYS AS (passage.parent_key(section)) STORED;$ddl$, prefix,
            (SELECT format_type(prorettype, NULL) FROM pg_proc WHERE oid = 'passage.section_path(text[])'::regprocedure));
    END IF;

    -- Fills the side tables in the order of the rows on disk, which is the order of arrival.
    values_new := concat_ws(', ', CASE WHEN side_keys <> 'id' THEN 'id' END, side_keys, CASE WHEN given ? 'id' THEN 'source_id' END,
        CASE WHEN given ? 'previous' THEN 'previous' END, 'document_id', 'ordinal', 'place', 'start_char', 'bytes', 'after_id', 'advance',
        'start_byte', 'end_byte', CASE WHEN has_section THEN 'section' END);
    rows_of := format($part$SELECT %1$s, title AS preamble, octet_length(content) AS bytes, content,
                NULL::bigint AS arrival, arriving, true AS is_new, NULL::uuid AS old_after, NULL::integer AS old_advance, start_byte AS start_at,
                source_id, previous, section$part$,
        concat_ws(', ', CASE WHEN side_keys <> 'id' THEN 'id' END, side_keys, 'document_id', 'place', 'start_char'));
    -- CREATE TABLE AS can use parallel workers for the lexemes, which take most of the time; INSERT cannot.
    RETURN QUERY VALUES
        ('fill', 'adopted_words', NULL, format($ddl$CREATE UNLOGGED TABLE %1$sadopted_words AS
    SELECT rows.id, passage.chunk_tsv(%2$L::regconfig, title, section, content) AS tsv
    FROM (SELECT %3$s FROM ONLY %4$s AS source%5$s) AS rows;$ddl$, prefix, adoption ->> 'language', row_columns, source, row_from_parallel)),
        ('fill', 'adopted_chunks', NULL, format($ddl$INSERT INTO %1$sadopted_chunks (%2$s, tsv)
    WITH merged AS (
        %3$s
        FROM (SELECT %4$s, row_number() OVER () AS arriving FROM ONLY %5$s AS source%6$s) AS rows
    )%7$s%8$s
    SELECT %2$s, tsv
    FROM spanned JOIN %1$sadopted_words USING (id) ORDER BY arriving;$ddl$,
            prefix, values_new, rows_of, row_columns, source, row_from, chain, advances)),
        ('fill', 'adopted_words', NULL, format('DROP TABLE %sadopted_words;', prefix)),
        ('fill', 'adopted_documents', NULL, format($ddl$INSERT INTO %1$sadopted_documents (id, collection, version, uri, title, media_type)
    SELECT rows.document_id, rows.collection, rows.version, rows.uri, rows.title, rows.media_type
    FROM (SELECT %2$s FROM ONLY %3$s AS source%4$s AND EXISTS (SELECT FROM %1$sadopted_chunks AS adopted WHERE %5$s AND adopted.ordinal = 0)) AS rows;$ddl$,
            prefix, row_columns, source, row_from, key_same));

    RETURN QUERY SELECT 'index', found.relation, found.name, found.ddl FROM (VALUES
        ('adopted_documents', 'adopted_documents_pkey', format('ALTER TABLE %sadopted_documents ADD CONSTRAINT adopted_documents_pkey PRIMARY KEY (id);', prefix)),
        ('adopted_chunks', 'adopted_chunks_pkey', format('ALTER TABLE %sadopted_chunks ADD CONSTRAINT adopted_chunks_pkey PRIMARY KEY (id);', prefix)),
        ('adopted_chunks', CASE WHEN side_keys <> 'id' THEN 'adopted_chunks_key' END, format('ALTER TABLE %sadopted_chunks ADD CONSTRAINT adopted_chunks_key UNIQUE (%s);', prefix, side_keys)),
        ('adopted_chunks', CASE WHEN given ? 'id' THEN 'adopted_chunks_source_id_idx' END, format('CREATE INDEX adopted_chunks_source_id_idx ON %sadopted_chunks USING hash (source_id);', prefix)),
        ('adopted_chunks', 'adopted_chunks_document_id_ordinal_idx', format('CREATE INDEX adopted_chunks_document_id_ordinal_idx ON %sadopted_chunks USING btree (document_id, ordinal);', prefix)),
        ('adopted_chunks', CASE WHEN has_section THEN 'adopted_chunks_document_id_section_key_ordinal_idx' END, format('CREATE INDEX adopted_chunks_document_id_section_key_ordinal_idx ON %sadopted_chunks USING btree (document_id, section_key, ordinal);', prefix)),
        ('adopted_chunks', CASE WHEN has_section THEN 'adopted_chunks_document_id_parent_key_ordinal_idx' END, format('CREATE INDEX adopted_chunks_document_id_parent_key_ordinal_idx ON %sadopted_chunks USING btree (document_id, parent_key, ordinal);', prefix)),
        ('adopted_chunks', CASE WHEN has_section THEN 'adopted_chunks_path_idx' END, format('CREATE INDEX adopted_chunks_path_idx ON %sadopted_chunks USING gist (path);', prefix)),
        ('adopted_chunks', 'adopted_chunks_tsv_idx', format('CREATE INDEX adopted_chunks_tsv_idx ON %sadopted_chunks USING gin (tsv);', prefix))
    ) AS found (relation, name, ddl)
    WHERE found.name IS NOT NULL;

    -- Brings the rows with some keys in step. The writer's documents are locked first, and a later statement reads
    -- what another writer of the same document has committed before.
    values_new := values_new || ', tsv';
    SELECT string_agg(format('%1$s = excluded.%1$s', col), ', '),
        format('(%s) IS DISTINCT FROM (%s)', string_agg('adopted.' || col, ', '), string_agg('excluded.' || col, ', '))
    INTO set_new, changed
    FROM unnest(string_to_array(values_new, ', ')) AS col
    WHERE col <> 'id' AND NOT col = ANY (string_to_array(side_keys, ', '));
    RETURN QUERY VALUES ('function', 'update_adopted', 'update_adopted', format($ddl$CREATE OR REPLACE FUNCTION %1$supdate_adopted(%2$s, may_lack boolean) RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
SET row_security = off
SET enable_seqscan = off
SET plan_cache_mode = force_generic_plan
SET jit = off
AS $body$
#variable_conflict use_column
DECLARE
    documents uuid[];
BEGIN
    -- Locks the documents of the rows as they were and as they are, in one order.
    WITH locked AS (
        INSERT INTO %1$sadopted_documents AS known (id, collection, version, uri, title, media_type)
        SELECT DISTINCT ON (id) id, collection, version, uri, title, media_type
        FROM (
            SELECT document_id AS id, collection, version, uri, title, media_type
            FROM (SELECT %3$s FROM unnest(%4$s) AS touched (%5$s) JOIN ONLY %6$s AS source ON %7$s%8$s) AS rows
            UNION ALL
            SELECT adopted.document_id, NULL, NULL, NULL, NULL, NULL
            FROM unnest(%4$s) AS touched (%5$s) JOIN %1$sadopted_chunks AS adopted ON %9$s
        ) AS listed
        ORDER BY id, uri NULLS LAST
        ON CONFLICT (id) DO UPDATE SET ingested_at = now(),
            uri = coalesce(excluded.uri, known.uri), title = CASE WHEN excluded.uri IS NULL THEN known.title ELSE excluded.title END,
            media_type = CASE WHEN excluded.uri IS NULL THEN known.media_type ELSE excluded.media_type END
        RETURNING id
    )
    SELECT array_agg(id) INTO documents FROM locked;

    IF may_lack THEN
        DELETE FROM %1$sadopted_chunks AS adopted USING unnest(%4$s) AS touched (%5$s)
        WHERE %9$s AND NOT EXISTS (SELECT FROM ONLY %6$s AS source%10$s AND %11$s);
    END IF;

    WITH merged AS (
        SELECT DISTINCT ON (id) %12$s, preamble, bytes, content, max(arrival) OVER (PARTITION BY id) AS arrival, arriving,
            is_new, old_ordinal, old_after, old_advance, old_start, old_end, start_at, source_id, previous, section
        FROM (
            %13$s, NULL::integer AS old_ordinal, NULL::integer AS old_start, NULL::integer AS old_end
            FROM (
                SELECT %3$s, touched.touched_place AS arriving
                FROM unnest(%4$s) WITH ORDINALITY AS touched (%5$s, touched_place) JOIN ONLY %6$s AS source ON %7$s%8$s
            ) AS rows
            UNION ALL
            SELECT %14$s, NULL, bytes, NULL, arrival, NULL, false, after_id, advance, start_byte, %15$s, NULL, ordinal, start_byte, end_byte
            FROM %1$sadopted_chunks WHERE document_id = ANY (documents)
        ) AS united
        ORDER BY id, is_new DESC
    )%16$s%17$s,
    moved AS (
        UPDATE %1$sadopted_chunks AS adopted
        SET ordinal = spanned.ordinal, after_id = spanned.after_id, advance = spanned.advance, start_byte = spanned.start_byte, end_byte = spanned.end_byte
        FROM spanned
        WHERE adopted.id = spanned.id AND NOT is_new AND (spanned.ordinal, spanned.after_id, spanned.advance, spanned.start_byte, spanned.end_byte)
            IS DISTINCT FROM (old_ordinal, old_after, old_advance, old_start, old_end)
    )
    INSERT INTO %1$sadopted_chunks AS adopted (%18$s)
    SELECT %19$s, passage.chunk_tsv(%20$L::regconfig, preamble, section, content)
    FROM spanned WHERE is_new ORDER BY arriving
    ON CONFLICT (%21$s) DO UPDATE SET %22$s WHERE %23$s;

    IF may_lack THEN
        DELETE FROM %1$sadopted_documents AS known
        WHERE id = ANY (documents) AND NOT EXISTS (SELECT FROM %1$sadopted_chunks WHERE document_id = known.id);
    END IF;
END
$body$;$ddl$,
        prefix, key_arguments, row_columns, key_arrays, touched_columns, source, touched, row_from, touched_side,
        row_from, touched,
        concat_ws(', ', CASE WHEN side_keys <> 'id' THEN 'id' END, side_keys, 'document_id', 'place', 'start_char'),
        rows_of,
        concat_ws(', ', CASE WHEN side_keys <> 'id' THEN 'id' END, side_keys, 'document_id', 'place', 'start_char'),
        concat_ws(', ', CASE WHEN given ? 'id' THEN 'source_id' ELSE 'NULL' END, CASE WHEN given ? 'previous' THEN 'previous' ELSE 'NULL' END),
        chain, advances, values_new, left(values_new, -5), adoption ->> 'language', side_keys, set_new, changed));

    RETURN QUERY VALUES ('function', 'keep_adopted', 'keep_adopted', format($ddl$CREATE OR REPLACE FUNCTION %1$skeep_adopted() RETURNS trigger
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $body$
DECLARE
%2$s
BEGIN
    -- Another table could bring its own types and operators.
    IF TG_RELID IS DISTINCT FROM to_regclass(%3$L) OR to_regclass(%8$L) IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = %4$L, HINT = %9$L;
    ELSIF TG_OP = 'TRUNCATE' THEN
        TRUNCATE %1$sadopted_chunks, %1$sadopted_documents;
        RETURN NULL;
    ELSIF TG_OP = 'INSERT' THEN
        SELECT %5$s INTO %6$s FROM new_rows;
    ELSIF TG_OP = 'DELETE' THEN
        SELECT %5$s INTO %6$s FROM old_rows;
    ELSE
        SELECT %5$s INTO %6$s FROM (SELECT %7$s FROM new_rows UNION SELECT %7$s FROM old_rows) AS rows;
    END IF;
    IF touched_1 IS NOT NULL THEN
        PERFORM %1$supdate_adopted(%6$s, TG_OP <> 'INSERT');
    END IF;
    RETURN NULL;
END
$body$;$ddl$,
        prefix, '    ' || replace(key_arguments, ', ', E';\n    ') || ';', source,
        format('store "%s" or its adopted table %s was renamed', store, source), new_keys, key_arrays,
        replace(own_keys, 'source.', ''), prefix || 'adopted_chunks',
        'Run SELECT passage.adopt(''TABLE'', ''STORE''); with the present names.')),
        ('function', 'refresh_adopted', 'refresh_adopted', format($ddl$CREATE OR REPLACE FUNCTION %1$srefresh_adopted() RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $body$
DECLARE
%2$s
BEGIN
    LOCK TABLE ONLY %3$s IN SHARE ROW EXCLUSIVE MODE;
    SELECT %4$s INTO %5$s FROM (SELECT %6$s FROM ONLY %3$s AS source UNION SELECT %7$s FROM %1$sadopted_chunks AS adopted) AS rows (%8$s);
    IF touched_1 IS NOT NULL THEN
        PERFORM %1$supdate_adopted(%5$s, true);
    END IF;
END
$body$;$ddl$,
        prefix, '    ' || replace(key_arguments, ', ', E';\n    ') || ';', source,
        (SELECT string_agg(format('array_agg(%s)', side), ', ') FROM unnest(string_to_array(side_keys, ', ')) AS side), key_arrays, own_keys, key_null, side_keys));

    RETURN QUERY SELECT 'grant', 'update_adopted', NULL,
        format('REVOKE EXECUTE ON FUNCTION %1$supdate_adopted(%2$s), %1$skeep_adopted(), %1$srefresh_adopted() FROM PUBLIC;', prefix,
            regexp_replace(key_arguments, 'touched_\d+ ', '', 'g') || ', boolean');
    RETURN QUERY SELECT 'extension', 'update_adopted', named,
        format('ALTER FUNCTION %s%s DEPENDS ON EXTENSION pg_passage;', prefix, named)
    FROM unnest(ARRAY[format('update_adopted(%s, boolean)', regexp_replace(key_arguments, 'touched_\d+ ', '', 'g')), 'keep_adopted()', 'refresh_adopted()']) AS named;

    RETURN QUERY SELECT 'trigger', 'keep_adopted', trigger,
        format('CREATE TRIGGER %I AFTER %s ON %s %sFOR EACH STATEMENT EXECUTE FUNCTION %skeep_adopted();', trigger, event, source, transition, prefix)
    FROM (VALUES
        ('insert', 'REFERENCING NEW TABLE AS new_rows '), ('update', 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows '),
        ('delete', 'REFERENCING OLD TABLE AS old_rows '), ('truncate', '')
    ) AS fired (event, transition)
    CROSS JOIN LATERAL (
        SELECT CASE WHEN octet_length(store) <= 40 THEN format('adopted_by_%s_%s', store, event)
            ELSE format('adopted_by_%s_%s', left(encode(sha256(convert_to(store, 'UTF8')), 'hex'), 16), event) END
    ) AS named (trigger);

    -- If row-level security of the source is enabled later, the views show the rows that its policies show.
    origin := format(E'(\n        SELECT %s, %s AS content, %s AS title, %s AS tokens, %s AS first_line, %s AS last_line, %s AS metadata%s FROM ONLY %s AS source\n    ) AS origin',
        origin_keys, _passage.adopted_expression(given, 'content', 'text'), _passage.adopted_expression(given, 'title', 'text'),
        _passage.adopted_expression(given, 'tokens', 'integer'), _passage.adopted_expression(given, 'first_line', 'integer'),
        _passage.adopted_expression(given, 'last_line', 'integer'), _passage.adopted_expression(given, 'metadata', 'jsonb'),
        CASE WHEN given ? 'embedding' THEN format(', %s AS embedding', _passage.adopted_expression(given, 'embedding', NULL)) ELSE '' END, source);
    guard := format('(SELECT NOT row_security_active(%L::regclass)) OR EXISTS (SELECT FROM ONLY %s AS source WHERE %s)', source, source, key_same);
    RETURN QUERY VALUES
        ('view', 'documents', 'documents', format($ddl$CREATE OR REPLACE VIEW %1$sdocuments WITH (security_invoker = true) AS
    SELECT adopted.id, adopted.collection, adopted.version, adopted.uri, adopted.title, adopted.media_type, NULL::text AS source_media_type,
        NULL::bytea AS content_hash, (SELECT count(*)::integer FROM %1$sadopted_chunks AS part WHERE part.document_id = adopted.id) AS chunk_count,
        NULL::timestamp with time zone AS orphaned_at, '{}'::jsonb AS metadata, adopted.ingested_at, NULL::jsonb AS source_row
    FROM %1$sadopted_documents AS adopted%2$s;$ddl$, prefix,
            CASE WHEN guarded THEN '' ELSE format(E'\n    WHERE (SELECT NOT row_security_active(%L::regclass)) OR EXISTS (SELECT FROM ONLY %s AS source JOIN %sadopted_chunks AS part ON %s WHERE part.document_id = adopted.id)',
                source, source, prefix, replace(key_same, 'adopted.', 'part.')) END)),
        ('view', 'chunks', 'chunks', format($ddl$CREATE OR REPLACE VIEW %1$schunks WITH (security_invoker = true) AS
    SELECT %2$s,
        adopted.tsv, %3$s AS source_id
    FROM %1$sadopted_chunks AS adopted LEFT JOIN %4$s ON %5$s%6$s;$ddl$, prefix,
            _passage.adopted_view_columns(has_section) || CASE WHEN has_section THEN E',\n        adopted.path, adopted.section_key, adopted.parent_key' ELSE '' END,
            _passage.adopted_source_id(adoption), origin, origin_same, CASE WHEN guarded THEN '' ELSE E'\n    WHERE ' || guard END));
    IF vectors IS NOT NULL AND vectors <> 'null' THEN
        RETURN QUERY VALUES
            ('view', 'embeddings', 'embeddings', format($ddl$CREATE OR REPLACE VIEW %1$sembeddings WITH (security_invoker = true) AS
    SELECT adopted.id AS chunk_id, adopted.document_id, origin.embedding
    FROM %2$s JOIN %1$sadopted_chunks AS adopted ON %3$s
    WHERE origin.embedding IS NOT NULL;$ddl$, prefix, origin, origin_same)),
            ('view', 'chunks_embedded', 'chunks_embedded', format($ddl$CREATE OR REPLACE VIEW %1$schunks_embedded WITH (security_invoker = true) AS
    SELECT %2$s, %3$s AS source_id, known.uri, known.title, known.collection, known.version, origin.embedding
    FROM %4$s JOIN %1$sadopted_chunks AS adopted ON %5$s JOIN %1$sadopted_documents AS known ON known.id = adopted.document_id
    WHERE origin.embedding IS NOT NULL;$ddl$, prefix, _passage.adopted_view_columns(has_section), _passage.adopted_source_id(adoption), origin, origin_same));
    END IF;

    IF guarded THEN
        RETURN QUERY VALUES
            ('row security', 'adopted_chunks', 'adopted_chunks', format('ALTER TABLE %sadopted_chunks ENABLE ROW LEVEL SECURITY;', prefix)),
            ('row security', 'adopted_documents', 'adopted_documents', format('ALTER TABLE %sadopted_documents ENABLE ROW LEVEL SECURITY;', prefix)),
            ('policy', 'adopted_chunks', 'follow_source', format('CREATE POLICY follow_source ON %sadopted_chunks FOR SELECT USING (EXISTS (SELECT FROM ONLY %s AS source WHERE %s));',
                prefix, source, replace(key_same, 'adopted.', 'adopted_chunks.'))),
            ('policy', 'adopted_documents', 'follow_source', format('CREATE POLICY follow_source ON %1$sadopted_documents FOR SELECT USING (EXISTS (SELECT FROM %1$sadopted_chunks WHERE document_id = adopted_documents.id));', prefix));
    END IF;
END
$function$;

COMMENT ON FUNCTION _passage.adoption_layout(name, jsonb) IS 'objects of an adopted store with the statements that create them';
