CREATE FUNCTION _passage.outline_rows(document uuid, hit_ids uuid[], store name) RETURNS TABLE (
    outline text, section text[], level integer, chunks integer, hits integer, tokens integer, first_ordinal integer, last_ordinal integer, first_line integer, last_line integer
) LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 50
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
BEGIN
    -- Consecutive chunks of a section share a line. Going up adds one line; going down adds one for each new title.
    RETURN QUERY EXECUTE format($sql$
        WITH listed AS (
            SELECT c.id::uuid, c.ordinal::integer, c.section::text[], c.level::integer, c.tokens::integer, c.content::text, c.first_line::integer, c.last_line::integer, lag(c.section::text[]) OVER (ORDER BY c.ordinal) AS before FROM %I.chunks AS c WHERE c.document_id = $1 AND c.ordinal IS NOT NULL
        ), runs AS (
            SELECT *, count(*) FILTER (WHERE before IS DISTINCT FROM section) OVER (ORDER BY ordinal) AS run FROM listed
        ), lines AS (
            SELECT run, section, lag(section) OVER (ORDER BY run) AS before, min(level) AS level, count(*)::integer AS chunks, (count(*) FILTER (WHERE id = ANY ($2)))::integer AS hits,
                _passage.saturated(sum(coalesce(tokens, (char_length(content) + 3) / 4))) AS tokens, min(ordinal) AS first_ordinal, max(ordinal) AS last_ordinal,
                (array_agg(first_line ORDER BY ordinal) FILTER (WHERE first_line IS NOT NULL))[1] AS first_line,
                (array_agg(last_line ORDER BY ordinal DESC) FILTER (WHERE last_line IS NOT NULL))[1] AS last_line
            FROM runs GROUP BY run, section
        ), drawn AS (
            SELECT lines.*, depth, depth = cardinality(section) AS is_own
            FROM lines CROSS JOIN LATERAL (SELECT cardinality(passage.common_section(section, coalesce(before, '{}'))) AS shared) AS compared
            CROSS JOIN LATERAL generate_series(greatest(CASE shared WHEN cardinality(section) THEN shared ELSE shared + 1 END,
                cardinality(section) - least(64, 655360 / greatest(cardinality(section), 1))), cardinality(section)) AS depth
        )
        SELECT concat(repeat('  ', depth - 1), btrim(regexp_replace(section[depth], '\s+', ' ', 'g')), CASE WHEN is_own AND hits > 0 THEN CASE WHEN depth > 0 THEN ' *' ELSE '*' END END),
            section[:depth], CASE WHEN is_own THEN level END, CASE WHEN is_own THEN chunks ELSE 0 END, CASE WHEN is_own THEN hits ELSE 0 END, CASE WHEN is_own THEN tokens ELSE 0 END,
            CASE WHEN is_own THEN first_ordinal END, CASE WHEN is_own THEN last_ordinal END, CASE WHEN is_own THEN first_line END, CASE WHEN is_own THEN last_line END
        FROM drawn ORDER BY run, depth$sql$, store) USING document, hit_ids;
EXCEPTION WHEN @incomplete_errors@ THEN
    PERFORM _passage.refuse_incomplete_store(store);
    RAISE;
END
$$;

COMMENT ON FUNCTION _passage.outline_rows(uuid, uuid[], name) IS 'sections of a document as an indented tree';

-- The document that has a uri, in a collection and a version; the orphaned one if no other has it. NULL with a warning for
-- an unknown uri.

CREATE FUNCTION _passage.document_with_uri(given text, collection text, version text, store name) RETURNS uuid
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
    filter CONSTANT jsonb := jsonb_strip_nulls(jsonb_build_object('uri', given, 'collection', collection, 'version', version));
    ids uuid[];
    places text[];
BEGIN
    PERFORM _passage.store_must_be_readable(store);
    FOR orphaned IN 0 .. 1 LOOP
        EXECUTE format($sql$
            SELECT array_agg(d.id ORDER BY d.collection, d.version, d.id), array_agg(format(CASE d.version WHEN '' THEN 'collection %%L' ELSE 'collection %%L version %%L' END, d.collection, d.version) ORDER BY d.collection, d.version, d.id)
            FROM %I.documents AS d WHERE %s$sql$, store, _passage.document_condition(store, filter || jsonb_build_object('include_orphaned', orphaned = 1))) INTO ids, places;
        EXIT WHEN ids IS NOT NULL;
    END LOOP;
    IF ids IS NULL AND pg_catalog.lower(given) ~ '^(\{([0-9a-f]{4}-?){7}[0-9a-f]{4}\}|([0-9a-f]{4}-?){7}[0-9a-f]{4})$' THEN
        EXECUTE format('SELECT array_agg(d.id) FROM %I.documents AS d WHERE d.id = $1', store) INTO ids USING given::uuid;
    END IF;
    IF cardinality(ids) > 1 THEN
        PERFORM _passage.refuse_argument(format('uri "%s" is in several collections or versions', left(given, 100)),
            format('Add collection, version or document_id. The uri is in %s.', array_to_string(places[:20], ', ')));
    ELSIF ids IS NULL THEN
        RAISE NOTICE USING MESSAGE = format('no document has uri "%s"%s%s', left(given, 100), ' and collection "' || collection || '"', ' and version "' || version || '"'),
            HINT = format('Run SELECT uri, collection, version FROM %I.documents WHERE uri LIKE %L; to find it.', store,
                '%' || replace(replace(replace(regexp_replace(regexp_replace(rtrim(given, '/'), '^.*/', ''), '\.[^.]*$', ''), '\', '\\'), '%', '\%'), '_', '\_') || '%');
    END IF;
    RETURN ids[1];
EXCEPTION WHEN @incomplete_errors@ THEN
    PERFORM _passage.refuse_incomplete_store(store);
    RAISE;
END
$$;

COMMENT ON FUNCTION _passage.document_with_uri(text, text, text, name) IS 'document that has a uri';

CREATE FUNCTION _passage.outlined_document(id uuid, given text, store name) RETURNS uuid
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    is_same boolean;
BEGIN
    PERFORM _passage.store_must_be_readable(store);
    IF id IS NULL AND given IS NOT NULL THEN
        RETURN _passage.document_with_uri(given, NULL, NULL, store);
    ELSIF id IS NOT NULL AND given IS NOT NULL THEN
        EXECUTE format('SELECT uri = $2 FROM %I.documents WHERE id = $1', store) INTO is_same USING id, given;
        RETURN CASE WHEN is_same THEN id END;
    END IF;
    RETURN id;
END
$$;

COMMENT ON FUNCTION _passage.outlined_document(uuid, text, name) IS 'document of an id or a uri';

-- twin: outline_of_uri_wrapper
LANGUAGE sql
BEGIN ATOMIC
    SELECT listed.* FROM (SELECT _passage.store_name(outline.store) AS store) AS named
    CROSS JOIN LATERAL (SELECT _passage.store_must_be_readable(named.store)) AS checked
    CROSS JOIN LATERAL _passage.outline_rows(_passage.document_with_uri(outline.uri, outline.collection, outline.version, named.store), outline.hit_ids, named.store) AS listed
    WHERE outline.uri IS NOT NULL;
END;

-- twin: outline_wrapper
LANGUAGE sql
BEGIN ATOMIC
    SELECT listed.* FROM (SELECT _passage.store_name(outline.store) AS store) AS named
    CROSS JOIN LATERAL _passage.outline_rows(_passage.outlined_document(outline.document_id, outline.uri, named.store), outline.hit_ids, named.store) AS listed;
END;
