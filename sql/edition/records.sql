-- Records: the entries of structured data to which hits are widened, as in core/passages/src/expand/ records.rs and
-- record_candidates.rs.

-- The rows around a hit of data, and the scopes that it may be widened to: the ordinals of the first and the last row, the
-- widest last. `is_required` scopes are the record and the hit's own entry, and not a parent.

CREATE TYPE _passage.record_window AS (
    hit integer, rows _passage.claim[], firsts integer[], lasts integer[], is_required boolean[], has_gap boolean[], is_cut boolean, is_broken boolean
);

CREATE FUNCTION _passage.record_run(rows _passage.claim[], place integer, section text[], titles integer, max_tokens bigint, reach integer,
    OUT first integer, OUT last integer, OUT tokens bigint, OUT has_gap boolean, OUT is_too_large boolean)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    at integer;
    next integer;
BEGIN
    tokens := rows[place].tokens;
    has_gap := false;
    is_too_large := false;
    first := place;
    last := place;
    FOR side IN 0 .. 1 LOOP
        LOOP
            at := CASE side WHEN 0 THEN first ELSE last END;
            next := CASE side WHEN 0 THEN at - 1 ELSE at + 1 END;
            EXIT WHEN next < 1 OR next > cardinality(rows) OR is_too_large;
            IF abs(rows[next].ordinal::bigint - rows[at].ordinal) <> 1 THEN
                has_gap := true;
                EXIT;
            END IF;
            EXIT WHEN cardinality(section) < titles OR rows[next].section[:titles] <> section[:titles];
            tokens := tokens + rows[next].tokens;
            is_too_large := abs(rows[next].ordinal::bigint - rows[place].ordinal) > reach OR tokens > max_tokens;
            IF side = 0 THEN
                first := next;
            ELSE
                last := next;
            END IF;
        END LOOP;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.record_run(_passage.claim[], integer, text[], integer, bigint, integer) IS 'rows around a hit that share so many of its titles';

CREATE FUNCTION _passage.record_windows(store name, hits _passage.expanded_hit[], skip uuid[]) RETURNS _passage.record_window[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    windows _passage.record_window[] := '{}';
    found_window _passage.record_window;
    hit _passage.expanded_hit;
    budget bigint;
    share bigint;
    reach integer;
    place integer;
    depth integer;
    root integer;
    record integer;
    parent integer;
    run record;
    tries integer[];
BEGIN
    FOREACH hit IN ARRAY hits LOOP
        CONTINUE WHEN NOT hit.is_record;
        budget := coalesce((hit.strategy).max_passage_tokens, (hit.strategy).max_tokens, 2048);
        budget := CASE budget WHEN 0 THEN 4294967295 ELSE budget END;
        share := least(budget, 2048) / 5;
        reach := least(greatest(budget / 32, 1), greatest(hit.reach, 1));
        found_window := (hit.hit, NULL, '{}', '{}', '{}', '{}', false, false);
        EXECUTE format($sql$
            SELECT array_agg(($1, c.id, c.ordinal, greatest(coalesce(c.tokens, (char_length(c.content) + 3) / 4), 0), array_replace(c.section, NULL, ''), c.unit, c.level, 'container', 7, _passage.distance($3, c.ordinal), false)::_passage.claim ORDER BY c.ordinal)
            FROM %I.chunks AS c WHERE c.document_id = $2 AND c.ordinal BETWEEN $3::bigint - $4 - 1 AND $3::bigint + $4 + 1 AND c.id <> ALL ($5)$sql$, store)
            INTO found_window.rows USING hit.hit, hit.document, hit.ordinal, reach, skip;
        SELECT number INTO place FROM unnest(found_window.rows) WITH ORDINALITY AS row (of_hit, id, ordinal, tokens, section, unit, level, rule, role, distance, is_bridge, number) WHERE row.id = hit.id;
        depth := cardinality(hit.section);
        root := _passage.root_depth(hit.structure);
        record := CASE hit.unit WHEN 'value' THEN greatest(depth - 1, 0) WHEN 'member' THEN 0 ELSE depth END;
        record := CASE WHEN record > root THEN record END;
        parent := greatest(coalesce(record, CASE hit.unit WHEN 'value' THEN depth END, depth + 1) - 1, 0);
        -- The hit's own entry is its chunk, of a long value all its chunks; then the record, then its parents.
        tries := ARRAY[CASE hit.unit WHEN 'value' THEN depth END, record];
        FOR try IN 1 .. 2 LOOP
            CONTINUE WHEN try = 2 AND record IS NULL;
            IF tries[try] IS NULL THEN
                SELECT place AS first, place AS last, false AS has_gap, false AS is_too_large INTO run;
            ELSE
                run := _passage.record_run(found_window.rows, place, hit.section, tries[try], budget, reach);
            END IF;
            IF run.is_too_large THEN
                found_window.is_cut := true;
            ELSE
                found_window.firsts := found_window.firsts || run.first;
                found_window.lasts := found_window.lasts || run.last;
                found_window.is_required := found_window.is_required || true;
                found_window.has_gap := found_window.has_gap || run.has_gap;
            END IF;
        END LOOP;
        -- The root counts only for its own entries, and never for the lines of a file.
        FOR titles IN REVERSE parent .. CASE WHEN parent = root AND hit.structure <> 'application/jsonl' AND record IS NULL THEN root ELSE root + 1 END LOOP
            run := _passage.record_run(found_window.rows, place, hit.section, titles, share, reach);
            EXIT WHEN run.is_too_large OR run.tokens > share;
            found_window.firsts := found_window.firsts || run.first;
            found_window.lasts := found_window.lasts || run.last;
            found_window.is_required := found_window.is_required || false;
            found_window.has_gap := found_window.has_gap || run.has_gap;
        END LOOP;
        windows := windows || found_window;
    END LOOP;
    RETURN windows;
END
$$;

COMMENT ON FUNCTION _passage.record_windows(name, _passage.expanded_hit[], uuid[]) IS 'scopes that hits of data may be widened to';

-- The rows that hits of data are widened to at present.

CREATE FUNCTION _passage.record_claims(windows _passage.record_window[]) RETURNS _passage.claim[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    one _passage.record_window;
    claims _passage.claim[] := '{}';
BEGIN
    FOREACH one IN ARRAY windows LOOP
        IF cardinality(one.firsts) > 0 THEN
            claims := claims || one.rows[one.firsts[cardinality(one.firsts)]:one.lasts[cardinality(one.lasts)]];
        END IF;
    END LOOP;
    RETURN claims;
END
$$;

COMMENT ON FUNCTION _passage.record_claims(_passage.record_window[]) IS 'rows of the records of hits';

-- Narrows the hits that lost a part of their scope to the budget, or whose scope does not parse. A record that was cut gives
-- way to the hit's own entry.

CREATE FUNCTION _passage.narrow_records(
    store name, hits _passage.expanded_hit[], decisions _passage.decision[], INOUT windows _passage.record_window[], OUT any_changed boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    lost CONSTANT integer[] := ARRAY(SELECT DISTINCT (claim).hit FROM unnest(decisions) WHERE (claim).rule = 'container' AND verdict IS NOT NULL);
    names text[];
    last integer;
    one _passage.record_window;
    cut text[];
    broken text[] := '{}';
    valid text[] := '{}';
BEGIN
    any_changed := false;
    -- Hits in one document with the same rows share a scope.
    names := ARRAY(SELECT format('%s/%s/%s', hits[w.hit].document, (w.rows[w.firsts[cardinality(w.firsts)]]).ordinal, (w.rows[w.lasts[cardinality(w.lasts)]]).ordinal)
        FROM unnest(windows) AS w);
    cut := ARRAY(SELECT names[place] FROM unnest(windows) WITH ORDINALITY AS w (hit, rows, firsts, lasts, is_required, has_gap, is_cut, is_broken, place) WHERE w.hit = ANY (lost));
    FOR i IN 1 .. cardinality(windows) LOOP
        one := windows[i];
        last := cardinality(one.firsts);
        CONTINUE WHEN last = 0;
        IF names[i] <> ALL (cut) AND names[i] <> ALL (broken) AND names[i] <> ALL (valid) THEN
            IF _passage.chunks_parse(store, hits[one.hit].structure, hits[one.hit].document, ARRAY(SELECT id FROM unnest(one.rows[one.firsts[last]:one.lasts[last]]))) THEN
                valid := valid || names[i];
            ELSE
                broken := broken || names[i];
            END IF;
        END IF;
        IF names[i] = ANY (broken) AND one.is_required[last] THEN
            one.firsts := '{}';
            one.lasts := '{}';
            one.is_required := '{}';
            one.has_gap := '{}';
        ELSIF names[i] = ANY (cut || broken) THEN
            one.is_cut := one.is_cut OR one.is_required[last];
            one.firsts := one.firsts[:last - 1];
            one.lasts := one.lasts[:last - 1];
            one.is_required := one.is_required[:last - 1];
            one.has_gap := one.has_gap[:last - 1];
        ELSE
            CONTINUE;
        END IF;
        windows[i] := one;
        any_changed := true;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.narrow_records(name, _passage.expanded_hit[], _passage.decision[], _passage.record_window[]) IS 'scopes of hits of data without those that do not fit or do not parse';
