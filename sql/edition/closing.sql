-- Closing parts: the brackets and marks at the end of a unit, as in core/split/src/split/closing.rs and
-- core/passages/src/expand/closings.rs.

CREATE FUNCTION _passage.is_closing(part text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce(bool_and(bare = '#endif' OR bare COLLATE "C" ~ '^([})\]]|end)'
        AND regexp_replace(bare COLLATE "C", '(?:^[ \t]*end|[ \t\n\f\r})\];,])*$', '') = ''), false)
    FROM regexp_split_to_table(part COLLATE "C", '[\r\n]+') AS line
    CROSS JOIN LATERAL (SELECT btrim(regexp_replace(btrim(line, E' \t\f') COLLATE "C", '(//|/\*| #).*$', ''), E' \t\f')) AS split (bare)
    WHERE btrim(line, E' \t\f') <> ''
$$;

COMMENT ON FUNCTION _passage.is_closing(text) IS 'whether each line of a text closes something';

CREATE FUNCTION _passage.without_closing_lines(content text, lines integer) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    rest text := rtrim(content, E' \t\n\f\r');
    line text;
    after text;
BEGIN
    FOR i IN 1 .. lines LOOP
        line := substring(rest COLLATE "C" FROM '[\r\n]([^\r\n]*)$');
        IF line IS NULL OR NOT _passage.is_closing(line) THEN
            RETURN NULL;
        END IF;
        rest := rtrim(left(rest, length(rest) - length(line)), E' \t\n\f\r');
    END LOOP;
    -- The line end belongs to the line before.
    after := substr(content, length(rest) + 1);
    RETURN rest || left(after, coalesce(nullif(strpos(after, E'\n'), 0), strpos(after, E'\r')));
END
$$;

COMMENT ON FUNCTION _passage.without_closing_lines(text, integer) IS 'text without its last lines, NULL if one of them is more than closing brackets';

-- Brackets in strings count too, so the result is a guess.

CREATE FUNCTION _passage.closes_outer_unit(content text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    bare CONSTANT text COLLATE "C" := rtrim(content, E' \t\n\f\r');
    line CONSTANT text COLLATE "C" := substring(bare FROM '[^\r\n]*$');
    first CONSTANT text COLLATE "C" := substring(bare FROM '(?:^|\n)([ \t\f\r]*[^ \t\n\f\r][^\n]*)');
BEGIN
    IF NOT _passage.is_closing(line) THEN
        RETURN false;
    ELSIF btrim(line, E' \t\f') = 'end' THEN
        RETURN length(line) - length(ltrim(line, E' \t\f\r')) < length(first) - length(ltrim(first, E' \t\f\r'));
    END IF;
    RETURN length(translate(bare, '})]', '')) < length(translate(bare, '{([', ''));
END
$$;

COMMENT ON FUNCTION _passage.closes_outer_unit(text) IS 'whether a text ends with the closing part of a unit that begins before it';

-- The ordinal of the chunk behind another one that closes a container, NULL if there is none. The names of the statement are
-- found as in _passage.window_claims.

CREATE FUNCTION _passage.closing_ordinal(store name, document uuid, last integer, titles text[]) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
DECLARE
    depth CONSTANT integer := pg_catalog.cardinality(titles);
BEGIN
    PERFORM _passage.use_store(store, false);
    RETURN (
        WITH chunks AS NOT MATERIALIZED (
            SELECT c.document_id::uuid, c.ordinal::integer, c.section::text[], c.level::integer, c.content::text FROM chunks AS c
        )
        SELECT closing.ordinal FROM (
            SELECT c.*, pg_catalog.lead(c.section) OVER (ORDER BY c.ordinal DESC) AS before
            FROM (
                SELECT c.ordinal, c.section, c.level, c.content FROM chunks AS c
                WHERE c.document_id = document AND c.ordinal > last AND c.ordinal < coalesce((
                    SELECT e.ordinal FROM chunks AS e WHERE e.document_id = document AND e.ordinal > last AND NOT _passage.starts_with(e.section, titles)
                    ORDER BY e.ordinal LIMIT 1), 2147483648)
                ORDER BY c.ordinal DESC LIMIT 2
            ) AS c ORDER BY c.ordinal DESC LIMIT 1
        ) AS closing
        WHERE CASE WHEN closing.level >= 1 AND closing.level <= depth THEN pg_catalog.cardinality(closing.section) > depth
            ELSE pg_catalog.cardinality(closing.section) = depth + 1 AND _passage.starts_with(closing.before, closing.section) IS NOT TRUE AND _passage.closes_outer_unit(closing.content) END);
END
$$;

COMMENT ON FUNCTION _passage.closing_ordinal(name, uuid, integer, text[]) IS 'ordinal of the chunk that closes a container';

-- Hits whose containers end with the chunk that closes them: a splitter merges the closing brackets of a container with its
-- last unit, and such a chunk has the section of the unit.

CREATE FUNCTION _passage.with_closings(store name, hits _passage.expanded_hit[]) RETURNS _passage.expanded_hit[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    hit _passage.expanded_hit;
    containers integer[];
    depth integer;
BEGIN
    FOR i IN 1 .. cardinality(hits) LOOP
        hit := hits[i];
        CONTINUE WHEN hit.scope_first IS NULL;
        containers := hit.containers;
        FOR at IN 0 .. cardinality(containers) / 4 - 1 LOOP
            depth := containers[at * 4 + 1];
            CONTINUE WHEN depth < cardinality(hit.scope_section);
            containers[at * 4 + 3] := coalesce(_passage.closing_ordinal(store, hit.document, containers[at * 4 + 3], hit.section[:depth]), containers[at * 4 + 3]);
        END LOOP;
        hits[i].containers := containers;
    END LOOP;
    RETURN hits;
END
$$;

COMMENT ON FUNCTION _passage.with_closings(name, _passage.expanded_hit[]) IS 'hits with the chunks that close their containers';
