-- Formats of data that PostgreSQL can read: whether the entries in a text parse, and the text without the brackets and tags
-- around them, as in core/split/src/data_format.rs and core/passages/src/excerpt.rs.
--
-- Nothing here reads YAML and TOML, so their entries count as valid, and scopes_of calls them incomplete.

CREATE FUNCTION _passage.has_parser(structure text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN structure OPERATOR(pg_catalog.=) ANY ('{application/json,application/jsonl,application/xml}'::pg_catalog.text[]);

COMMENT ON FUNCTION _passage.has_parser(text) IS 'whether texts of a format are parsed';

-- The entries that a text holds whole, by the numbers of the first and the last character, and the brackets that make one
-- value of them. NULL if the text stays unchanged.

CREATE FUNCTION _passage.data_excerpt(structure text, content text, OUT first integer, OUT last integer, OUT opening text, OUT closing text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF structure = 'application/xml' THEN
        SELECT x.first, x.last, '', '' INTO first, last, opening, closing FROM _passage.xml_excerpt(content) AS x;
    ELSIF _passage.has_parser(structure) THEN
        SELECT j.* INTO first, last, opening, closing FROM _passage.json_excerpt(content, structure = 'application/jsonl') AS j;
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.data_excerpt(text, text) IS 'entries of a text of data';

CREATE FUNCTION _passage.data_parses(structure text, content text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN CASE WHEN NOT _passage.has_parser(structure) THEN true WHEN structure = 'application/xml' THEN (_passage.xml_excerpt(content)).parses
        ELSE _passage.is_json(content, structure = 'application/jsonl') END;
END
$$;

COMMENT ON FUNCTION _passage.data_parses(text, text) IS 'whether a text of data parses, as far as PostgreSQL can tell';

CREATE FUNCTION _passage.excerpt_parses(structure text, content text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    excerpt CONSTANT record := _passage.data_excerpt(structure, content);
BEGIN
    RETURN _passage.data_parses(structure, CASE WHEN excerpt.first IS NULL THEN content
        ELSE excerpt.opening || substr(content, excerpt.first, excerpt.last - excerpt.first + 1) || excerpt.closing END);
END
$$;

COMMENT ON FUNCTION _passage.excerpt_parses(text, text) IS 'whether the entries of data in a text parse';

-- Whether the entries in chunks of a document parse, whose common bytes are joined.

CREATE FUNCTION _passage.chunks_parse(store name, structure text, document uuid, ids uuid[]) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    parts record;
BEGIN
    IF NOT _passage.has_parser(structure) THEN
        RETURN true;
    END IF;
    EXECUTE format($sql$
        SELECT array_agg(content ORDER BY ordinal) AS contents, array_agg(start_byte ORDER BY ordinal) AS starts, array_agg(end_byte ORDER BY ordinal) AS ends, array_agg(''::text ORDER BY ordinal) AS separators
        FROM (SELECT c.content::text, c.ordinal::integer, c.start_byte::integer, c.end_byte::integer FROM %I.chunks AS c WHERE c.document_id = $1 AND c.id = ANY ($2)) AS listed$sql$, store)
        INTO parts USING document, ids;
    RETURN _passage.excerpt_parses(structure, convert_from((_passage.join_parts(parts.contents, parts.starts, parts.ends, parts.separators, '{}')).body, 'UTF8'));
END
$$;

COMMENT ON FUNCTION _passage.chunks_parse(name, text, uuid, uuid[]) IS 'whether the entries of data in chunks parse';

-- The ordinals around chunks of a document, up to the next chunk on each side that is not in a section. The names of the
-- statement are found as in _passage.window_claims.

CREATE FUNCTION _passage.ordinals_in_section(store name, document uuid, section text[], ordinals integer[]) RETURNS int8multirange
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
#variable_conflict use_variable
BEGIN
    PERFORM _passage.use_store(store, false);
    RETURN (
        WITH outside AS NOT MATERIALIZED (
            SELECT at FROM (SELECT c.document_id::uuid AS of_document, c.ordinal::integer AS at, c.section::text[] AS titles FROM chunks AS c) AS listed
            WHERE of_document = document AND NOT _passage.starts_with(titles, section)
        )
        SELECT pg_catalog.range_agg(pg_catalog.int8range(
            (SELECT at::bigint FROM outside WHERE at < listed.ordinal ORDER BY outside.at DESC LIMIT 1),
            (SELECT at::bigint FROM outside WHERE at > listed.ordinal ORDER BY outside.at LIMIT 1), '()'))
        FROM pg_catalog.unnest(ordinals) AS listed (ordinal));
END
$$;

COMMENT ON FUNCTION _passage.ordinals_in_section(name, uuid, text[], integer[]) IS 'ordinals around chunks, up to the next chunk on each side that is not in a section';

-- Reduces a text of data to the entries that it holds whole, as one value.

CREATE FUNCTION _passage.excerpt(given _passage.assembly, structure text) RETURNS _passage.assembly
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    result _passage.assembly := given;
    content CONSTANT text := convert_from(given.body, 'UTF8');
    excerpt CONSTANT record := _passage.data_excerpt(structure, content);
    first integer;
    last integer;
BEGIN
    IF excerpt.first IS NULL THEN
        RETURN given;
    END IF;
    first := octet_length(left(content, excerpt.first - 1));
    last := octet_length(left(content, excerpt.last));
    result.body := convert_to(excerpt.opening, 'UTF8') || substring(given.body FROM first + 1 FOR last - first) || convert_to(excerpt.closing, 'UTF8');
    SELECT array_agg(least(greatest(range.first, first), last) - first + octet_length(excerpt.opening) ORDER BY place),
        array_agg(least(greatest(range.last, first), last) - first + octet_length(excerpt.opening) ORDER BY place)
    INTO result.firsts, result.lasts
    FROM unnest(given.firsts, given.lasts) WITH ORDINALITY AS range (first, last, place);
    -- As many bytes are cut off the first and the last spans.
    SELECT coalesce(array_agg(span.first + greatest(first - span.before, 0) ORDER BY place), '{}'), coalesce(array_agg(span.last - greatest(octet_length(given.body) - last - span.after, 0) ORDER BY place), '{}')
    INTO result.span_firsts, result.span_lasts
    FROM (
        SELECT s.first, s.last, s.place, s.last - s.first AS length, sum(s.last - s.first) OVER (ORDER BY s.place) - (s.last - s.first) AS before,
            sum(s.last - s.first) OVER (ORDER BY s.place DESC) - (s.last - s.first) AS after
        FROM unnest(given.span_firsts, given.span_lasts) WITH ORDINALITY AS s (first, last, place)
    ) AS span
    WHERE span.before + span.length > first AND span.after + span.length - greatest(first - span.before, 0) > octet_length(given.body) - last;
    RETURN result;
END
$$;

COMMENT ON FUNCTION _passage.excerpt(_passage.assembly, text) IS 'entries of data in a text';
