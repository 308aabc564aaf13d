-- Filters: which chunks are searched, as conditions on documents d, chunks c and embeddings e. A list means any of its values.

-- The order of versions, as in core/passages/src/version_order.rs: words for test releases, the end, other words, numbers.

CREATE FUNCTION _passage.version_key(version text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ARRAY[(lower(version) = 'latest')::integer::text] || coalesce(array_agg(CASE
        WHEN part ~ '^[0-9]' THEN '3' || lpad(length(ltrim(part, '0'))::text, 5, '0') || ltrim(part, '0')
        WHEN part IN ('dev', 'snapshot', 'nightly', 'canary') THEN '00'
        WHEN part IN ('alpha', 'a') THEN '01'
        WHEN part IN ('beta', 'b') THEN '02'
        WHEN part IN ('milestone', 'm') THEN '03'
        WHEN part IN ('pre', 'preview', 'next') THEN '04'
        WHEN part IN ('rc', 'cr', 'c') THEN '05'
        ELSE '2' || part END ORDER BY place), '{}') || '1'::text
    FROM regexp_matches(lower(regexp_replace(version, '^[vV](?=[0-9])', '')), '[0-9]+|[^\W\d_]+', 'g') WITH ORDINALITY AS listed (matched, place)
    CROSS JOIN LATERAL (SELECT matched[1]) AS split (part)
$$;

COMMENT ON FUNCTION _passage.version_key(text) IS 'parts of a version, in the order in which people read versions';

CREATE FUNCTION _passage.like_pattern(given text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT replace(replace(replace(replace(given, '\', '\\'), '%', '\%'), '_', '\_'), '*', '%') $$;

COMMENT ON FUNCTION _passage.like_pattern(text) IS 'pattern of LIKE in which a star stands for any text';

-- The values of a key of a filter as a list, NULL without the key.

CREATE FUNCTION _passage.filter_values(filter jsonb, key text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT CASE jsonb_typeof(filter -> key) WHEN 'string' THEN ARRAY[filter ->> key] WHEN 'array' THEN ARRAY(SELECT jsonb_array_elements_text(filter -> key)) END $$;

COMMENT ON FUNCTION _passage.filter_values(jsonb, text) IS 'values of a key of a filter';

CREATE FUNCTION _passage.document_condition(store name, filter jsonb) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    collections CONSTANT text[] := _passage.filter_values(filter, 'collection');
    versions CONSTANT text[] := _passage.filter_values(filter, 'version');
    include_orphaned CONSTANT boolean := coalesce((filter ->> 'include_orphaned')::boolean, false);
    conditions text[] := '{}';
    latest text;
    any_of text;
BEGIN
    IF collections IS NOT NULL THEN
        conditions := conditions || format('d.collection = ANY (%L::text[])', collections);
    END IF;
    IF versions IS NOT NULL THEN
        any_of := format('d.version = ANY (%L::text[]) OR d.version LIKE ANY (%L::text[])',
            ARRAY(SELECT version FROM unnest(versions) AS version WHERE version <> 'latest' AND strpos(version, '*') = 0),
            ARRAY(SELECT _passage.like_pattern(version) FROM unnest(versions) AS version WHERE version <> 'latest' AND strpos(version, '*') > 0));
        IF 'latest' = ANY (versions) THEN
            EXECUTE format($sql$
                SELECT string_agg(format('(%%L, %%L)', collection, version), ', ') FROM (
                    SELECT DISTINCT ON (collection) collection, version FROM (SELECT DISTINCT collection, version FROM %I.documents AS d WHERE ($1 IS NULL OR d.collection = ANY ($1)) AND ($2 OR d.orphaned_at IS NULL)) AS listed
                    ORDER BY collection, _passage.version_key(version) COLLATE "C" DESC, version COLLATE "C" DESC) AS highest$sql$, store)
                INTO latest USING collections, include_orphaned;
            any_of := concat(any_of, ' OR (d.collection, d.version) IN (' || latest || ')');
        END IF;
        conditions := conditions || format('(%s)', any_of);
    END IF;
    IF filter ? 'uri' THEN
        conditions := conditions || format('d.uri = ANY (%L::text[])', _passage.filter_values(filter, 'uri'));
    END IF;
    IF filter ? 'uri_pattern' THEN
        conditions := conditions || format('d.uri LIKE %L', filter ->> 'uri_pattern');
    END IF;
    IF filter ? 'media_type' THEN
        conditions := conditions || format('d.media_type LIKE ANY (%L::text[])', ARRAY(SELECT _passage.like_pattern(pattern) FROM unnest(_passage.filter_values(filter, 'media_type')) AS pattern));
    END IF;
    IF NOT include_orphaned THEN
        conditions := conditions || 'd.orphaned_at IS NULL'::text;
    END IF;
    RETURN coalesce(nullif(array_to_string(conditions, ' AND '), ''), 'true');
END
$$;

COMMENT ON FUNCTION _passage.document_condition(name, jsonb) IS 'condition on documents d';

-- The joins and conditions of a filter, behind "FROM ... AS c" or, with the embeddings, "FROM ... AS e". A search without a
-- filter reads no documents but those without a source.

CREATE FUNCTION _passage.filter_clause(store name, filter jsonb, of_embeddings boolean, cosine text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    document CONSTANT text := CASE WHEN of_embeddings THEN 'e.document_id' ELSE 'c.document_id' END;
    has_metadata CONSTANT boolean := coalesce(filter -> 'metadata', '{}') <> '{}';
    needs_document CONSTANT boolean := filter ?| '{collection,version,uri,uri_pattern,media_type}' OR has_metadata;
    needs_chunk CONSTANT boolean := filter ?| '{kind,path}' OR has_metadata;
    joins text := '';
    conditions text[] := '{}';
BEGIN
    IF of_embeddings AND needs_chunk THEN
        joins := joins || format(' JOIN %I.chunks AS c ON c.id = e.chunk_id AND c.document_id = e.document_id', store);
    ELSIF NOT of_embeddings AND cosine IS NOT NULL AND filter ? 'min_similarity' THEN
        joins := joins || format(' JOIN %I.embeddings AS e ON e.chunk_id = c.id', store);
    END IF;
    IF needs_document THEN
        joins := joins || format(' JOIN %I.documents AS d ON d.id = %s', store, document);
        conditions := conditions || _passage.document_condition(store, filter);
    ELSIF NOT coalesce((filter ->> 'include_orphaned')::boolean, false) THEN
        conditions := conditions || format('%s <> ALL (ARRAY(SELECT d.id FROM %I.documents AS d WHERE d.orphaned_at IS NOT NULL))', document, store);
    END IF;
    IF filter ? 'kind' THEN
        conditions := conditions || format('c.kind = ANY (%L::text[])', _passage.filter_values(filter, 'kind'));
    END IF;
    IF filter ? 'path' THEN
        conditions := conditions || (SELECT format('c.path OPERATOR(%1$I.~) %2$L::text::%1$I.lquery', nspname, filter ->> 'path')
            FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'ltree');
    END IF;
    IF has_metadata THEN
        -- A filter without operators is one condition, which keys of an empty object meet.
        conditions := conditions || CASE WHEN _passage.has_operators(filter -> 'metadata') THEN format('(%s)', _passage.metadata_condition(filter -> 'metadata', '{}', false, 0))
            ELSE format('coalesce(d.metadata, ''{}'') || coalesce(c.metadata, ''{}'') @> %L::jsonb', filter -> 'metadata') END;
    END IF;
    IF filter ? 'min_similarity' AND cosine IS NOT NULL THEN
        conditions := conditions || format('1 - (%s) >= %s', cosine, filter ->> 'min_similarity');
    END IF;
    RETURN joins || ' WHERE ' || coalesce(nullif(array_to_string(conditions, ' AND '), ''), 'true');
END
$$;

COMMENT ON FUNCTION _passage.filter_clause(name, jsonb, boolean, text) IS 'joins and conditions of a filter';

-- Any media type may be that of a document, also an unknown one, but each has a slash.

CREATE FUNCTION _passage.check_media_type(given text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF strpos(given, '/') = 0 THEN
        PERFORM _passage.refuse_argument(format('unrecognized value for "media type": "%s"', left(given, 100)),
            format('Valid values are %s.', (SELECT string_agg(listed.name, ', ' ORDER BY place) FROM _passage.media_types() WITH ORDINALITY AS listed (name, a, f, e, files, p, s, b, place))));
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.check_media_type(text) IS 'raises an error for a text that is not a media type';

CREATE FUNCTION _passage.read_filter(collection text, filter jsonb, uri text DEFAULT NULL, unused text[] DEFAULT '{}') RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    given jsonb := _passage.read_group('filter', filter, unused);
    key text;
    value text;
    count integer;
BEGIN
    FOR key, value IN VALUES ('collection', collection), ('uri', uri) LOOP
        CONTINUE WHEN value IS NULL;
        IF given ? key THEN
            PERFORM _passage.refuse_argument(format('"%s" is given twice, as an argument and in "filter"', key), 'Pass it once.');
        END IF;
        given := given || jsonb_build_object(key, value);
    END LOOP;
    FOREACH key IN ARRAY '{collection,version,uri,uri_pattern,media_type,kind,path}'::text[] LOOP
        count := cardinality(_passage.filter_values(given, key));
        IF count > 1000 THEN
            PERFORM _passage.refuse_argument(format('"%s" in "filter" must have at most 1000 values, not %s', key, count), 'Pass fewer values, or a pattern.');
        END IF;
        FOREACH value IN ARRAY coalesce(_passage.filter_values(given, key), '{}') LOOP
            IF octet_length(value) > 65536 THEN
                PERFORM _passage.refuse_argument(format('"%s" must have at most 65536 bytes, not %s', key, octet_length(value)), 'Pass a shorter text.');
            ELSIF key = 'kind' AND value NOT IN ('prose', 'code', 'api-reference', 'data') THEN
                PERFORM _passage.refuse_argument(format('unrecognized value for "kind": "%s"', left(value, 100)),
                    'Valid values are "prose", "code", "api-reference" and "data".');
            ELSIF key = 'media_type' THEN
                PERFORM _passage.check_media_type(value);
            END IF;
        END LOOP;
    END LOOP;
    RETURN given;
END
$$;

COMMENT ON FUNCTION _passage.read_filter(text, jsonb, text, text[]) IS 'filter of a call, or an error';
