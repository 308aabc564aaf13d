-- The parts of statements that several objects of an adopted store share.
--
-- The expressions of adopt are parts of statements. adopt has checked that each is one expression.

-- The types of a key. Ids are hashes of the text of a key, so equal keys must have equal texts. Types that can break
-- this are left out: intervals ("1 mon" equals "30 days"), jsonb and arrays (1 equals 1.0), ranges and composite types,
-- labels of an enum (ALTER TYPE renames them), texts whose collation ignores case, and types of extensions.

CREATE FUNCTION _passage.key_types() RETURNS TABLE (type regtype, as_text text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 24
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT unnest('{bigint,bit,boolean,bytea,character,"character varying",cidr,date,inet,integer,macaddr,macaddr8,name,oid,smallint,text,time,timestamp,timestamptz,timetz,uuid,"bit varying"}'::regtype[]), '%s::text'
    UNION ALL
    VALUES ('numeric'::regtype, 'trim_scale(%s)::text'),
        -- -0 equals 0.
        ('real', '(%s + ''0'')::text'), ('double precision', '(%s + ''0'')::text')
$$;

COMMENT ON FUNCTION _passage.key_types() IS 'types that the key of an adopted table can have, and the text of a value';

-- Of a domain, a key has the type below. format_type(..., -1) writes types without a length, as "bit" is any number of
-- bits, and bit is one.

CREATE FUNCTION _passage.key_column(relation oid, number smallint, OUT type text, OUT collation_clause text, OUT as_text text, OUT problem text)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE col AS (
        SELECT attname, atttypid, attcollation FROM pg_attribute WHERE attrelid = relation AND attnum = number
    ),
    based (type) AS (
        SELECT atttypid FROM col
        UNION
        SELECT typbasetype FROM based JOIN pg_type ON pg_type.oid = based.type WHERE typtype = 'd'
    )
    SELECT format_type(pg_type.oid, -1),
        CASE WHEN attcollation <> typcollation THEN format(' COLLATE %I.%I', nspname, collname) END,
        format(known.as_text, format('source.%I', attname)),
        CASE WHEN known.type IS NULL THEN format('has type %s', format_type(atttypid, NULL))
            WHEN NOT collisdeterministic THEN format('has collation "%s", which is not deterministic', collname) END
    FROM col CROSS JOIN based JOIN pg_type ON pg_type.oid = based.type AND typtype <> 'd'
    LEFT JOIN pg_collation ON pg_collation.oid = attcollation
    LEFT JOIN pg_namespace ON pg_namespace.oid = collnamespace
    LEFT JOIN _passage.key_types() AS known ON known.type = pg_type.oid
$$;

COMMENT ON FUNCTION _passage.key_column(oid, smallint) IS 'type and text of a column of a key, and why it cannot be one';

-- The key of the source: a unique index over columns that are NOT NULL, the primary key first. A key WITHOUT OVERLAPS
-- has another kind of index, and does not identify a row.

CREATE FUNCTION _passage.adopted_key(source oid)
RETURNS TABLE (place integer, name name, type text, collation_clause text, is_uuid boolean, as_text text, problem text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT place::integer, attname, col.type, col.collation_clause, col.type = 'uuid' AND cardinality(chosen.numbers) = 1, col.as_text, col.problem
    FROM (
        SELECT numbers
        FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
        CROSS JOIN LATERAL (SELECT indkey[0:indnkeyatts - 1]::smallint[]) AS keyed (numbers)
        CROSS JOIN LATERAL (
            SELECT bool_and(attnotnull), bool_or((_passage.key_column(source, attnum)).problem IS NOT NULL)
            FROM pg_attribute WHERE attrelid = source AND attnum = ANY (numbers)
        ) AS checked (is_not_null, is_refused)
        WHERE indrelid = source AND indisunique AND indisvalid AND indimmediate AND indpred IS NULL AND indexprs IS NULL AND amname = 'btree' AND is_not_null
        ORDER BY is_refused, indisprimary DESC, indnkeyatts, indexrelid
        LIMIT 1
    ) AS chosen
    CROSS JOIN LATERAL unnest(numbers) WITH ORDINALITY AS listed (number, place)
    JOIN pg_attribute ON attrelid = source AND attnum = number
    CROSS JOIN LATERAL _passage.key_column(source, number) AS col
    ORDER BY place
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

-- The columns of the source that the views read: those of the key, and those of some expressions.

CREATE FUNCTION _passage.adopted_columns(adoption jsonb) RETURNS name[]
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT array_agg(DISTINCT col ORDER BY col)
    FROM (
        SELECT key ->> 'name' FROM jsonb_array_elements(adoption -> 'key') AS key
        UNION ALL
        SELECT jsonb_array_elements_text(adoption -> 'reads' -> argument) FROM unnest('{title,metadata,embedding}'::text[]) AS argument
    ) AS listed (col)
$$;

COMMENT ON FUNCTION _passage.adopted_columns(jsonb) IS 'columns of a source that the views of its store read';

-- The attributes of a table or type, as CREATE TYPE writes them.

CREATE FUNCTION _passage.attribute_list(relation oid, names name[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT string_agg(format('%I %s%s', attname, format_type(atttypid, atttypmod),
        CASE WHEN attcollation <> typcollation THEN format(' COLLATE %I.%I', nspname, collname) END), ', ' ORDER BY attname)
    FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
    LEFT JOIN pg_collation ON pg_collation.oid = attcollation
    LEFT JOIN pg_namespace ON pg_namespace.oid = collnamespace
    WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped AND (names IS NULL
        -- No table has more columns.
        OR attname = ANY (names[:1600]))
$$;

COMMENT ON FUNCTION _passage.attribute_list(oid, name[]) IS 'attributes of a relation with their types';

CREATE FUNCTION _passage.adoption_parts(adoption jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
#variable_conflict use_column
DECLARE
    source CONSTANT text := adoption ->> 'source';
    given CONSTANT jsonb := (adoption -> 'expressions') - 'described';
    -- Expressions of a framework share its metadata, which is read once for each row. The source has no column of that
    -- name, so an expression of the caller that names a column without its table stays unambiguous.
    described CONSTANT text := adoption #>> '{expressions,described}';
    shared jsonb := given;
    types CONSTANT jsonb := adoption -> 'types';
    -- Lists of the key: columns of the source and of the side table, and comparisons.
    keys jsonb;
    -- What results show of each chunk is copied: to look up each row in the source would double the time of a read.
    copied CONSTANT text[] := ARRAY(SELECT argument FROM unnest('{tokens,first_line,last_line}'::text[]) AS argument WHERE given ? argument);
    by_section CONSTANT boolean := adoption ->> 'by_section';
    -- Rows that differ in these expressions can be visible to different readers, so they are in different documents.
    visibility CONSTANT text[] := ARRAY(SELECT jsonb_array_elements_text(adoption -> 'visibility'));
    -- With and without a barrier for the planner.
    row_from text[];
    arrival_order text;
    window_order text;
    chain text := '';
BEGIN
    SELECT jsonb_build_object(
        'side_keys', string_agg(quote_ident(side), ', '),
        'all_keys', concat_ws(', ', CASE WHEN NOT bool_and(is_uuid) THEN 'id' END, string_agg(quote_ident(side), ', ')),
        'own_keys', string_agg(format('source.%I', col), ', '),
        'own_columns', CASE WHEN bool_and(is_uuid) THEN '' ELSE string_agg(format('source.%I::%s AS %I, ', col, type, side), '') END,
        'key_columns', CASE WHEN bool_and(is_uuid) THEN '' ELSE string_agg(format(E'    %I %s%s NOT NULL,\n', side, type, collation_clause), '') END,
        -- The parameters of the trigger's statements begin with an array of each column.
        'arrays', string_agg('$' || place, ', '),
        'count', count(*),
        'aggregates', string_agg(format('array_agg(%I::%s)', col, type), ', '),
        'row_keys', string_agg(format('%I', col), ', '),
        'side_aggregates', string_agg(format('array_agg(%I)', side), ', '),
        'same', string_agg(format('source.%I = adopted.%I', col, side), ' AND '),
        'same_placed', string_agg(format('source.%I = placed.%I', col, side), ' AND '),
        'same_before', string_agg(format('source.%I = placed.before_%s', col, place), ' AND '),
        'same_touched', string_agg(format('source.%I = touched.touched_key_%s', col, place), ' AND '),
        'same_first', string_agg(format('source.%I = ($%s)[1]', col, place), ' AND '),
        'same_policy', string_agg(format('source.%I = adopted_chunks.%I', col, side), ' AND '),
        'same_origin', string_agg(format('origin.key_%s = adopted.%I', place, side), ' AND '),
        'origin_keys', string_agg(format('source.%I AS key_%s', col, place), ', '),
        'touched_columns', string_agg('touched_key_' || place, ', '),
        'side_touched', string_agg(format('adopted.%I = touched.touched_key_%s', side, place), ' AND '),
        'adopted_keys', string_agg(format('adopted.%I', side), ', '),
        'lags', string_agg(format('lag(%I) OVER placed AS before_%s', side, place), ', '),
        'text', CASE WHEN count(*) = 1 THEN min(as_text) ELSE format('jsonb_build_array(%s)::text', string_agg(as_text, ', ')) END,
        'id', CASE WHEN bool_and(is_uuid) THEN min(format('source.%I::uuid', col)) END,
        'is_after', CASE WHEN count(*) = 1 AND bool_and(type IN ('bigint', 'integer', 'smallint')) THEN 'rows.key_1 > last.key_1' ELSE 'true' END,
        'is_integer', count(*) = 1 AND bool_and(type IN ('bigint', 'integer', 'smallint')))
    INTO keys
    FROM (
        SELECT (value ->> 'place')::integer AS place, value ->> 'name' AS col, value ->> 'type' AS type,
            value ->> 'collation' AS collation_clause, (value ->> 'is_uuid')::boolean AS is_uuid, value ->> 'as_text' AS as_text,
            CASE WHEN (value ->> 'is_uuid')::boolean THEN 'id' ELSE 'key_' || (value ->> 'place') END AS side
        FROM jsonb_array_elements(adoption -> 'key')
        ORDER BY 1
    ) AS listed;
    keys := keys || jsonb_build_object('id', coalesce(keys ->> 'id', format('_passage.adopted_id(%L, %s)', adoption ->> 'seed', keys ->> 'text')));

    IF described IS NOT NULL THEN
        SELECT jsonb_object_agg(argument, replace(expression, described, 'described.shared_metadata')) INTO shared
        FROM jsonb_each_text(given) AS listed (argument, expression);
    END IF;

    -- The rows of the source as the store needs them. The subquery computes each expression once.
    row_from := ARRAY(SELECT format($part$%s
        CROSS JOIN LATERAL (SELECT
            %s AS document_key, coalesce(%s, '') AS collection, coalesce(%s, '') AS version, %s AS uri, %s AS title, %s AS media_type,
            %s AS content, %s AS place, %s AS previous, %s AS source_id, %s AS start_char, %s AS start_byte, %s AS section%s%s
            %s) AS e
        WHERE e.content IS NOT NULL AND %s$part$,
        CASE WHEN described IS NOT NULL THEN format(E'\n        CROSS JOIN LATERAL (SELECT %s AS shared_metadata %s) AS described', described, barrier) END,
        _passage.adopted_expression(shared, 'document', 'text'), _passage.adopted_expression(shared, 'collection', 'text'),
        _passage.adopted_expression(shared, 'version', 'text'), _passage.adopted_expression(shared, 'uri', 'text'),
        _passage.adopted_expression(shared, 'title', 'text'), _passage.adopted_expression(shared, 'media_type', 'text'),
        _passage.adopted_expression(shared, 'content', 'text'), _passage.adopted_expression(shared, 'ordinal', coalesce(types ->> 'ordinal', 'integer')),
        _passage.adopted_expression(shared, 'previous', 'text'), _passage.adopted_expression(shared, 'id', 'text'),
        _passage.adopted_expression(shared, 'start_char', 'bigint'), _passage.adopted_expression(shared, 'start_byte', 'bigint'),
        CASE WHEN NOT given ? 'section' THEN 'NULL::text[]'
            WHEN types ->> 'section' = 'text[]' THEN format('coalesce(%s, ''{}'')', _passage.adopted_expression(shared, 'section', 'text[]'))
            ELSE format('array_remove(ARRAY[%s], NULL)', _passage.adopted_expression(shared, 'section', 'text')) END,
        (SELECT string_agg(format(', %s AS %s', _passage.adopted_expression(shared, argument, 'integer'), argument), '') FROM unnest(copied) AS argument),
        CASE WHEN visibility <> '{}' THEN format(', ARRAY[%s] AS visibility', (
            SELECT string_agg(CASE expression WHEN '*' THEN keys ->> 'text' ELSE format('(%s)::text', expression) END, ', ' ORDER BY place)
            FROM unnest(visibility) WITH ORDINALITY AS listed (expression, place))) END,
        barrier,
        CASE WHEN given ? 'condition' THEN _passage.adopted_expression(shared, 'condition', 'boolean') ELSE 'true' END)
        FROM unnest(ARRAY['OFFSET 0', '']) WITH ORDINALITY AS barriers (barrier, choice) ORDER BY choice);

    -- The order in a document: by the expression, then by an integer key, else by arrival.
    arrival_order := concat_ws(', ', CASE WHEN (keys ->> 'is_integer')::boolean THEN 'key_1' END, 'arrival NULLS LAST', 'arriving');
    window_order := concat_ws(', ', CASE WHEN given ? 'ordinal' THEN 'place NULLS LAST' END, arrival_order);
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
        )$part$, window_order)
    -- Offsets can begin again in each section.
    WHEN by_section THEN format($part$,
        chained AS (
            SELECT merged.*, runs.section_run FROM merged JOIN (
                SELECT unnest(ids) AS id, unnest(_passage.section_runs(pages, sections, offsets, texts)) AS section_run
                FROM (
                    SELECT array_agg(id) AS ids, array_agg(place[1]) AS pages, array_agg(passage.section_key(section)) AS sections,
                        array_agg(CASE WHEN place[2] IS NULL THEN place[3] END) AS offsets, array_agg(text_hash) AS texts
                    FROM (SELECT id, document_id, place, section, text_hash FROM merged ORDER BY document_id, %s) AS arrived
                    GROUP BY document_id
                ) AS listed
            ) AS runs USING (id)
        )$part$, arrival_order) ELSE '' END;

    RETURN keys || jsonb_build_object(
        'chain', chain,
        -- Whether a row follows the last chunk of its document, and so all others.
        'follows', CASE WHEN by_section THEN format('(last.section_run = 0 AND CASE WHEN rows.place[2] IS NULL AND rows.place[3] IS NOT NULL '
                'THEN rows.place > last.place AND rows.place[1:3] IS DISTINCT FROM last.place[1:3] '
                'ELSE rows.place > last.place OR rows.place = last.place AND %1$s END)', keys ->> 'is_after')
            WHEN given ? 'ordinal' THEN format('CASE WHEN last.place IS NULL THEN rows.place IS NULL AND %1$s WHEN rows.place IS NULL THEN true '
                'ELSE rows.place > last.place OR rows.place = last.place AND %1$s END', keys ->> 'is_after')
            ELSE keys ->> 'is_after' END,
        'row_from', row_from[1],
        'row_from_parallel', row_from[2],
        'row_columns', format($part$%s%s AS id,
            CASE WHEN %s THEN e.document_key::uuid
                ELSE _passage.adopted_id(%L, jsonb_build_array(e.collection, e.version, e.document_key, CASE WHEN e.document_key IS NULL THEN %s END%s)::text) END AS document_id,
            e.collection, e.version, coalesce(e.uri, e.document_key, %s) AS uri, e.title,
            coalesce(e.media_type, _passage.media_type_of_uri(coalesce(e.uri, e.document_key))) AS media_type, e.content,
            e.place, e.previous, e.source_id, e.start_char, e.start_byte, e.section%s$part$,
            keys ->> 'own_columns', keys ->> 'id',
            CASE WHEN types ->> 'document' = 'uuid' AND NOT given ?| '{collection,version}' AND visibility = '{}' THEN 'e.document_key IS NOT NULL' ELSE 'false' END,
            adoption ->> 'seed', keys ->> 'text', CASE WHEN visibility <> '{}' THEN ', e.visibility' ELSE '' END, keys ->> 'text', (SELECT string_agg(', e.' || argument, '') FROM unnest(copied) AS argument)),
        -- The order in which transactions and their commands wrote the rows. Their order on disk can differ.
        'written_at', '(((2147483648 - age(source.xmin)) << 30) | (source.cmin::text::bigint & 1073741823))',
        -- The columns of a row that is written, before those of its order.
        'merged', format($part$SELECT %s, document_id, place, start_char, title AS preamble, octet_length(content) AS bytes, content,
                NULL::bigint AS arrival, arriving, true AS is_new, NULL::uuid AS old_after, NULL::integer AS old_advance, start_byte AS start_at,
                NULL::integer AS base, NULL::integer AS old_start, source_id, previous, section%s%s$part$,
            keys ->> 'all_keys', (SELECT string_agg(', ' || argument, '') FROM unnest(copied) AS argument), CASE WHEN by_section THEN ', hashtext(content) AS text_hash, NULL::integer AS old_run' END),
        'copied', coalesce((SELECT string_agg(', ' || argument, '') FROM unnest(copied) AS argument), ''),
        'copied_columns', coalesce((SELECT string_agg(format(E'    %s integer,\n', argument), '') FROM unnest(copied) AS argument), ''),
        'not_copied', repeat(', NULL', cardinality(copied)),
        -- Columns of a written row in the side table, without its lexemes.
        'written', concat_ws(', ', keys ->> 'all_keys', CASE WHEN given ? 'id' THEN 'source_id' END, CASE WHEN given ? 'previous' THEN 'previous' END,
            'document_id, ordinal, place, start_char, bytes, content', nullif(array_to_string(copied, ', '), ''), 'after_id, advance',
            CASE WHEN by_section THEN 'section_run' END, 'start_byte, end_byte', CASE WHEN given ? 'section' THEN 'section' END),
        'spanned', format($part$,
        placed AS (
            SELECT *, (row_number() OVER placed - 1 + coalesce(max(base) OVER (PARTITION BY document_id), 0))::integer AS ordinal,
                CASE WHEN base IS NULL THEN lag(id) OVER placed ELSE old_after END AS after_id, lag(is_new) OVER placed AS after_new,
                lag(content) OVER placed AS before_content, %9$s, %1$s
            FROM %2$s
            WINDOW placed AS (PARTITION BY document_id ORDER BY %3$s)
        ),
        joined AS (
            SELECT *, CASE WHEN is_new OR after_new OR after_id IS DISTINCT FROM old_after%10$s THEN _passage.chunk_advance(
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
            keys ->> 'lags', CASE WHEN chain = '' THEN 'merged' ELSE 'chained' END, CASE WHEN by_section THEN 'section_run, ' WHEN chain = '' THEN '' ELSE 'chained NULLS LAST, ' END || window_order,
            _passage.adopted_expression(given, 'content', 'text'), source, keys ->> 'same_before', keys ->> 'same_placed',
            CASE WHEN given ? 'start_byte' THEN 'start_at AS first_byte, start_at >= 0 AS is_exact'
            ELSE 'sum(CASE WHEN base IS NOT NULL THEN coalesce(old_start, 0) WHEN after_id IS NULL AND advance < 0 THEN 0 ELSE abs(advance::bigint) END) OVER positioned AS first_byte, '
                'bool_or(CASE WHEN base IS NULL THEN advance >= 0 ELSE old_start IS NOT NULL END) OVER (PARTITION BY document_id) AS is_exact' END,
            -- Offsets of two sections that begin again cannot be compared.
            CASE WHEN by_section THEN 'CASE WHEN lag(section_run) OVER placed = section_run THEN lag(start_char) OVER placed END AS before_start, '
                'lag(section_run) OVER placed = section_run AS goes_on, lag(old_run) OVER placed = old_run AS went_on'
            ELSE 'lag(start_char) OVER placed AS before_start' END,
            CASE WHEN by_section THEN ' OR goes_on IS DISTINCT FROM went_on' ELSE '' END));
END
$function$;

COMMENT ON FUNCTION _passage.adoption_parts(jsonb) IS 'parts of the statements of an adopted store, by name';
