-- Notices of a search that finds nothing: names in filters that the store does not have, unknown operators, and queries without
-- words, as in extension/src/store/search/missing_names.rs. Statements run as the caller, so they name only what the caller sees.

CREATE FUNCTION _passage.report(message text, hint text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE NOTICE USING MESSAGE = message, HINT = hint;
END
$$;

COMMENT ON FUNCTION _passage.report(text, text) IS 'raises a notice';

CREATE FUNCTION _passage.nearest_name(misspelt text, names text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT name FROM unnest(names) AS name CROSS JOIN LATERAL (SELECT _passage.edits(misspelt, name)) AS compared (edits)
    WHERE edits IS NOT NULL ORDER BY edits, name COLLATE "C" LIMIT 1
$$;

COMMENT ON FUNCTION _passage.nearest_name(text, text[]) IS 'name that a misspelt one resembles most';

-- Names that resemble the missing one, else some others, else a statement that lists them.

CREATE FUNCTION _passage.report_missing_name(what text, name text, first integer, similar_names text[], others text[], listing text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    listed CONSTANT text := (
        SELECT string_agg(format('"%s"', left(known, 100)), ', ' ORDER BY place)
        FROM unnest(CASE WHEN cardinality(similar_names) > 0 THEN similar_names ELSE others END) WITH ORDINALITY AS names (known, place));
BEGIN
    PERFORM _passage.report(format('no document%s has %s "%s"', ' of the first ' || first, what, left(name, 100)),
        CASE WHEN listed IS NULL THEN format('%s lists those that you may see.', listing)
            WHEN cardinality(similar_names) > 0 THEN format('Perhaps you mean %s.', listed)
            ELSE format('Documents have %s.', listed) END);
END
$$;

COMMENT ON FUNCTION _passage.report_missing_name(text, text, integer, text[], text[], text) IS 'raises a notice for a name that no document has';

-- Collections and versions are those of at most 100,000 documents.

CREATE FUNCTION _passage.report_missing_editions(store name, filter jsonb) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    listing CONSTANT text := format('SELECT DISTINCT collection, version FROM "%s"."documents";', replace(store, '"', '""'));
    given CONSTANT text[] := coalesce(_passage.filter_values(filter, 'collection'), '{}');
    asked CONSTANT text[] := ARRAY(SELECT version FROM unnest(_passage.filter_values(filter, 'version')) AS version WHERE version <> 'latest' AND strpos(version, '*') = 0);
    collections text[];
    versions text[];
    missing text[];
    missing_versions text[];
    counted bigint;
    cut integer;
    name text;
BEGIN
    IF NOT filter ? 'collection' AND cardinality(asked) = 0 THEN
        RETURN false;
    END IF;
    EXECUTE format('SELECT array_agg(coalesce(collection, '''')), array_agg(coalesce(version, '''')), sum(number) FROM (
        SELECT s.collection, s.version, count(*) AS number FROM (SELECT d.collection, d.version FROM %I.documents AS d LIMIT 100001) AS s GROUP BY 1, 2) AS editions', store)
        INTO collections, versions, counted;
    cut := CASE WHEN counted > 100000 THEN 100000 END;
    missing := (ARRAY(SELECT listed FROM unnest(given) WITH ORDINALITY AS names (listed, place) WHERE (listed = ANY (collections)) IS NOT TRUE ORDER BY place))[:5];
    -- The versions of the given collections, or of all if one is missing.
    versions := ARRAY(
        SELECT version FROM unnest(collections, versions) AS editions (collection, version)
        WHERE cardinality(missing) > 0 OR cardinality(given) = 0 OR collection = ANY (given)
        GROUP BY version ORDER BY _passage.version_key(version) COLLATE "C" DESC, version COLLATE "C" DESC);
    collections := ARRAY(SELECT collection FROM unnest(collections) AS collection GROUP BY 1 ORDER BY collection COLLATE "C");
    FOREACH name IN ARRAY missing LOOP
        PERFORM _passage.report_missing_name('collection', name, cut, array_remove(ARRAY[_passage.nearest_name(name, collections)], NULL), collections[:5], listing);
    END LOOP;
    missing_versions := (ARRAY(SELECT listed FROM unnest(asked) WITH ORDINALITY AS names (listed, place) WHERE listed <> ALL (versions) ORDER BY place))[:5];
    FOREACH name IN ARRAY missing_versions LOOP
        -- Other versions resemble it as much as the one that is meant.
        PERFORM _passage.report_missing_name('version', name, cut, '{}', versions[:5], listing);
    END LOOP;
    RETURN cardinality(missing || missing_versions) > 0;
END
$$;

COMMENT ON FUNCTION _passage.report_missing_editions(name, jsonb) IS 'raises notices for collections and versions that no document has';

CREATE FUNCTION _passage.report_missing_names(store name, filter jsonb) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    given CONSTANT text[] := (_passage.filter_values(filter, 'uri'))[:5];
    missing text[] := '{}';
    known text[];
    name text;
    is_missing boolean;
BEGIN
    IF given IS NOT NULL THEN
        EXECUTE format('SELECT array_agg(u.uri ORDER BY u.place) FROM unnest($1) WITH ORDINALITY AS u (uri, place) WHERE NOT EXISTS (SELECT FROM %I.documents AS d WHERE d.uri = u.uri)', store)
            INTO missing USING given;
        missing := coalesce(missing, '{}');
    END IF;
    is_missing := _passage.report_missing_editions(store, filter) OR cardinality(missing) > 0;
    IF cardinality(missing) > 0 THEN
        EXECUTE format('SELECT array_agg(listed.uri) FROM (SELECT d.uri FROM %I.documents AS d LIMIT 20000) AS listed', store) INTO known;
    END IF;
    FOREACH name IN ARRAY missing LOOP
        -- Those with a slip, and those of the same file.
        PERFORM _passage.report_missing_name('uri', name, NULL, (ARRAY(
            SELECT listed.uri FROM (
                SELECT _passage.nearest_name(name, known)
                UNION
                (SELECT uri FROM unnest(known) WITH ORDINALITY AS names (uri, place)
                WHERE lower(regexp_replace(uri COLLATE "C", '^.*/', '')) = lower(regexp_replace(name COLLATE "C", '^.*/', '')) ORDER BY place LIMIT 5)
            ) AS listed (uri) WHERE listed.uri IS NOT NULL ORDER BY listed.uri COLLATE "C"))[:5], '{}', format('SELECT uri FROM "%s"."documents";', replace(store, '"', '""')));
    END LOOP;
    RETURN is_missing;
END
$$;

COMMENT ON FUNCTION _passage.report_missing_names(name, jsonb) IS 'raises notices for names of a filter that no document has';

-- The words with a dollar sign in the filter metadata that are keys. An object without operators is compared as a whole.

CREATE FUNCTION _passage.unknown_operators(value jsonb, is_whole boolean) RETURNS SETOF text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 3
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key text;
    part jsonb;
BEGIN
    FOR key, part IN SELECT * FROM jsonb_each(CASE jsonb_typeof(value) WHEN 'object' THEN value ELSE '{}' END) LOOP
        IF NOT is_whole AND key IN ('$and', '$or', '$not') THEN
            RETURN QUERY SELECT below.* FROM jsonb_array_elements(CASE jsonb_typeof(part) WHEN 'array' THEN part ELSE jsonb_build_array(part) END) AS listed (one)
                CROSS JOIN LATERAL _passage.unknown_operators(listed.one, false) AS below;
        ELSIF is_whole OR key <> ALL (_passage.metadata_operators()) THEN
            IF starts_with(key, '$') THEN
                RETURN NEXT key;
            END IF;
            RETURN QUERY SELECT * FROM _passage.unknown_operators(part, is_whole OR NOT _passage.has_operators(part));
        END IF;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.unknown_operators(jsonb, boolean) IS 'words with a dollar sign in a filter that are not operators';

CREATE FUNCTION _passage.explain_nothing(store name, filter jsonb, query text, is_embedded boolean) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    parsed record;
    word text;
    nearest text;
BEGIN
    PERFORM _passage.report_missing_names(store, filter);
    FOR word IN SELECT * FROM _passage.unknown_operators(filter -> 'metadata', NOT _passage.has_operators(filter -> 'metadata')) LIMIT 3 LOOP
        nearest := _passage.nearest_name(word, _passage.metadata_operators());
        PERFORM _passage.report(format('"%s" in "metadata" is not an operator, so it was compared as a key', left(word, 100)),
            CASE WHEN nearest IS NOT NULL THEN format('Perhaps you mean "%s".', nearest) ELSE format('Operators are %s.', array_to_string(_passage.metadata_operators(), ', ')) END);
    END LOOP;
    IF is_embedded OR query IS NULL OR query !~ '\S' THEN
        RETURN;
    END IF;
    parsed := _passage.query_words(query);
    IF cardinality(parsed.words || parsed.phrases) = 0 THEN
        IF cardinality(parsed.excluded) > 0 THEN
            PERFORM _passage.report('the query has only exclusions', 'Add words that a chunk should have.');
        END IF;
    ELSIF cardinality((_passage.parse_query(store, query)).lexemes) = 0 THEN
        PERFORM _passage.report('the query has only stop words of the language of the store', 'Use other words, or pass an embedding of the query.');
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.explain_nothing(name, jsonb, text, boolean) IS 'raises notices for what a search that finds nothing can lack';
