-- Passages: scores and orders the groups of selected chunks, and writes their text, as in core/passages/src/reassemble.rs and
-- extension/src/expansion/passage_rows.rs.

CREATE TYPE _passage.passage_row AS (
    rank integer, score double precision, document_id uuid, collection text, version text, uri text, title text, media_type text, section text[],
    content text, tokens integer, chunk_ids uuid[], hit_ids uuid[], first_line integer, last_line integer, spans int4range[], citations jsonb,
    truncated boolean, complete boolean, metadata jsonb, source_ids text[], explanation jsonb
);

-- The score of a passage, from those of its hits, the best first. A sum beyond all numbers is infinite; infinite scores of
-- both signs have no sum.

CREATE FUNCTION _passage.passage_score(score_by text, scores double precision[], hits integer[]) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    total double precision := 0;
    count integer := 0;
    own double precision;
BEGIN
    IF score_by = 'max' THEN
        RETURN scores[1];
    ELSIF score_by = 'rank' THEN
        RETURN (SELECT sum(1.0::double precision / (60.0::double precision + hit) ORDER BY place) FROM unnest(hits) WITH ORDINALITY AS listed (hit, place));
    END IF;
    FOREACH own IN ARRAY scores LOOP
        CONTINUE WHEN own IS NULL;
        count := count + 1;
        IF greatest(abs(total), abs(own)) BETWEEN 1e307 AND 1.7976931348623157e308 AND abs(total / 2.0::double precision + own / 2.0::double precision) >= 8.98846567431158e307 THEN
            total := sign(own) * 'Infinity'::double precision;
        ELSE
            total := total + own;
        END IF;
    END LOOP;
    IF score_by = 'mean' THEN
        -- PostgreSQL has an error for a quotient that is nearly 0.
        total := CASE WHEN count = 0 OR abs(total) < 1e-300 AND abs(total) * 2.0::double precision <= count * 5e-324::double precision THEN total * 0.0::double precision ELSE total / count END;
    END IF;
    RETURN CASE WHEN count > 0 THEN nullif(total, 'NaN') END;
END
$$;

COMMENT ON FUNCTION _passage.passage_score(text, double precision[], integer[]) IS 'score of a passage from those of its hits';

-- The passages of selected chunks, best first.

CREATE FUNCTION _passage.passage_rows(
    store name, expanded _passage.expansion, output jsonb, score_by text, max_passages integer, ids uuid[], scores double precision[]
) RETURNS _passage.passage_row[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    max_distance CONSTANT integer := CASE WHEN output -> 'max_distance' = '"document"' THEN NULL ELSE coalesce((output ->> 'max_distance')::integer, 3) END;
    hits CONSTANT _passage.expanded_hit[] := expanded.hits;
    chunks _passage.passage_chunk[];
    grouped record;
    lines _passage.passage_chunk[] := '{}';
    own _passage.passage_chunk[];
    parts _passage.passage_chunk[];
    with_lines _passage.passage_chunk[];
    -- The columns of the hits, by their numbers.
    hit_ids uuid[] := '{}';
    hit_documents uuid[] := '{}';
    hit_scores double precision[] := '{}';
    score_ranks integer[] := '{}';
    scope_names text[] := array_fill(NULL::text, ARRAY[cardinality(hits)]);
    broken boolean[] := array_fill(false, ARRAY[cardinality(hits)]);
    firsts integer[] := array_fill(NULL::integer, ARRAY[cardinality(hits)]);
    lasts integer[] := firsts;
    has_scopes boolean := coalesce(cardinality(expanded.merged) > 0, false) OR cardinality(expanded.records) > 0;
    has_code boolean := false;
    scope record;
    -- An array in a variable changes in place, one in a row is copied.
    own_scopes text[];
    chunk_ids uuid[];
    own_hits uuid[];
    spans int4range[];
    span_firsts integer[];
    span_lasts integer[];
    firsts_in_text integer[];
    lasts_in_text integer[];
    citations jsonb[];
    rows _passage.passage_row[] := '{}';
    row _passage.passage_row;
    listed record;
    part _passage.passage_chunk;
    hit _passage.expanded_hit;
    at integer;
    selected record;
    documents _passage.passage_document[];
    document_ids uuid[] := '{}';
    document _passage.passage_document;
    written record;
    kept text;
    outer_lines integer;
    last integer;
    explained jsonb;
    own_count integer;
    linked _passage.passage_chunk[];
BEGIN
    IF expanded.hits IS NULL THEN
        RETURN rows;
    END IF;
    FOREACH hit IN ARRAY hits LOOP
        hit_ids := hit_ids || hit.id;
        hit_documents := hit_documents || hit.document;
        hit_scores := hit_scores || hit.score;
        score_ranks := score_ranks || hit.score_rank;
        has_scopes := has_scopes OR hit.scope_group IS NOT NULL;
        has_code := has_code OR hit.scope_group IS NOT NULL AND hit.kind = 'code';
    END LOOP;
    selected := _passage.selected_chunks(store, hit_documents, expanded.decisions);
    chunks := selected.chunks;
    -- The chunks of linked sections are last.
    IF chunks[cardinality(chunks)].role = 8 THEN
        own_count := (SELECT count(*) FROM unnest(chunks) AS c WHERE c.role <> 8);
        linked := chunks[own_count + 1:];
        chunks := chunks[:own_count];
    END IF;
    documents := selected.documents;
    FOREACH document IN ARRAY coalesce(documents, '{}') LOOP
        document_ids := document_ids || document.id;
    END LOOP;
    IF has_scopes THEN
        FOR scope IN SELECT * FROM _passage.scopes_of(store, expanded) LOOP
            scope_names[scope.hit] := scope.scope;
            broken[scope.hit] := scope.is_broken;
            firsts[scope.hit] := scope.first;
            lasts[scope.hit] := scope.last;
        END LOOP;
    END IF;
    grouped := _passage.group_chunks(chunks, scope_names, max_distance);
    IF has_code THEN
        lines := _passage.closing_lines(store, expanded, chunks);
    END IF;
    IF (output ->> 'explain')::boolean THEN
        SELECT jsonb_object_agg(by_hit.id, by_hit.objects) INTO explained FROM (
            SELECT e.hit_id AS id, jsonb_agg(to_jsonb(e) - 'number' ORDER BY number) AS objects
            FROM _passage.explanation_rows(expanded, ids, scores) WITH ORDINALITY AS e (hit, kept, role, rule, distance, ordinal, section, tokens, tokens_so_far, cut_by, chunk_id, hit_id, source_id, number)
            WHERE e.tokens IS NOT NULL GROUP BY e.hit_id) AS by_hit;
    END IF;
    FOR listed IN
        SELECT *, row_number() OVER (ORDER BY CASE score_by WHEN 'max' THEN NULL ELSE score END DESC NULLS LAST, score_rank, first_place)::integer AS rank
        FROM (
            SELECT c.passage, min(c.place)::integer AS first_place, max(c.place)::integer AS last_place, array_agg(c.place::integer ORDER BY c.place) AS places,
                array_agg(c.hit ORDER BY c.hit) FILTER (WHERE c.role = 0) AS hits, min(score_ranks[c.hit]) FILTER (WHERE c.role = 0) AS score_rank,
                CASE score_by WHEN 'max' THEN hit_scores[min(c.hit) FILTER (WHERE c.role = 0)] ELSE _passage.passage_score(score_by, array_agg(hit_scores[c.hit] ORDER BY c.hit) FILTER (WHERE c.role = 0),
                    array_agg(c.hit ORDER BY c.hit) FILTER (WHERE c.role = 0)) END AS score
            FROM unnest(grouped.passages, grouped.hits, grouped.roles) WITH ORDINALITY AS c (passage, hit, role, place) GROUP BY c.passage
        ) AS scored
        ORDER BY rank LIMIT max_passages
    LOOP
        hit := hits[listed.hits[1]];
        row := NULL;
        row.rank := listed.rank;
        row.score := listed.score;
        row.document_id := hit.document;
        document := documents[array_position(document_ids, hit.document)];
        row.truncated := false;
        row.complete := true;
        row.tokens := 0;
        chunk_ids := '{}';
        own_hits := '{}';
        parts := '{}';
        last := NULL;
        -- The chunks of a passage mostly follow one another, and a slice is one copy of the array.
        own := '{}';
        IF listed.last_place - listed.first_place + 1 = cardinality(listed.places) THEN
            own := chunks[listed.first_place:listed.last_place];
        ELSE
            FOREACH at IN ARRAY listed.places LOOP
                own := own || chunks[at];
            END LOOP;
        END IF;
        FOREACH part IN ARRAY own LOOP
            IF part.rule <> 'imports' THEN
                row.complete := row.complete AND (last IS NULL OR coalesce(part.ordinal - last::bigint = 1, false));
                last := part.ordinal;
                row.section := CASE WHEN row.section IS NULL OR row.section = part.section THEN part.section WHEN row.section = '{}' THEN row.section ELSE passage.common_section(row.section, part.section) END;
            END IF;
            outer_lines := CASE WHEN has_code THEN _passage.outer_closings(hits, part) ELSE 0 END;
            kept := CASE WHEN outer_lines > 0 THEN _passage.without_closing_lines(part.content, outer_lines) END;
            IF kept IS NOT NULL THEN
                part.last_line := _passage.distance(_passage.line_count(substr(part.content, length(kept) + 1)), part.last_line);
                part.end_byte := greatest(part.end_byte::bigint - octet_length(part.content) + octet_length(kept), part.start_byte);
                part.content := kept;
            END IF;
            row.tokens := _passage.saturated(row.tokens::bigint + part.tokens);
            chunk_ids := chunk_ids || part.id;
            row.first_line := least(row.first_line, part.first_line);
            row.last_line := greatest(row.last_line, part.last_line);
            parts := parts || part;
        END LOOP;
        row.section := coalesce(row.section, '{}');
        own_scopes := '{}';
        FOREACH at IN ARRAY listed.hits LOOP
            own_hits := own_hits || hit_ids[at];
            row.truncated := row.truncated OR expanded.truncated[at];
            row.complete := row.complete AND NOT (broken[at] OR expanded.fell_back[at]);
            own_scopes := own_scopes || scope_names[at];
            -- All chunks of its scopes.
            IF scope_names[at] NOT LIKE 'merged/%' THEN
                row.complete := row.complete AND coalesce(firsts[at] >= parts[1].ordinal AND lasts[at] <= parts[cardinality(parts)].ordinal, true);
            END IF;
        END LOOP;
        row.complete := row.complete AND NOT row.truncated;
        -- A linked section is not a part of the passage.
        FOREACH at IN ARRAY listed.hits LOOP
            row.truncated := row.truncated OR expanded.cut_links[at];
        END LOOP;
        row.chunk_ids := chunk_ids;
        row.hit_ids := own_hits;
        -- PL/pgSQL starts a query for each expression with a subquery, also if it is not evaluated.
        with_lines := parts;
        IF cardinality(lines) > 0 THEN
            with_lines := (SELECT array_agg(c ORDER BY (c).ordinal, (c).id IS NULL DESC) FROM unnest(parts || ARRAY(SELECT l FROM unnest(lines) AS l WHERE l.hit = ANY (listed.hits))) AS c);
        END IF;
        written := _passage.passage_text(store, with_lines, hit, document.title, output);
        row.tokens := _passage.saturated(row.tokens::bigint + written.added);
        -- Records side by side may be on different levels.
        IF hit.family = 'data' AND row.complete AND has_scopes THEN
            IF (SELECT count(DISTINCT name) FROM unnest(own_scopes) AS name) > 1 THEN
                row.complete := _passage.data_parses(hit.structure, convert_from((written.assembly).body, 'UTF8'));
            END IF;
        END IF;
        IF output ? 'marks' THEN
            written.assembly := _passage.highlight(written.assembly, ARRAY(SELECT c.role = 0 FROM unnest(parts) AS c), output -> 'marks' ->> 0, output -> 'marks' ->> 1);
        END IF;
        row.content := convert_from((written.assembly).body, 'UTF8');
        spans := '{}';
        span_firsts := (written.assembly).span_firsts;
        span_lasts := (written.assembly).span_lasts;
        FOR place IN 1 .. coalesce(cardinality(span_firsts), 0) LOOP
            spans := spans || int4range(span_firsts[place], span_lasts[place]);
        END LOOP;
        row.spans := spans;
        firsts_in_text := (written.assembly).firsts;
        lasts_in_text := (written.assembly).lasts;
        citations := '{}';
        FOREACH part IN ARRAY parts LOOP
            at := cardinality(citations) + 1;
            citations := citations || (jsonb_build_object('chunk_id', part.id, 'ordinal', part.ordinal, 'role', coalesce((_passage.role_names())[part.role], 'hit'),
                'start', firsts_in_text[at], 'end', lasts_in_text[at], 'first_line', part.first_line, 'last_line', part.last_line) || coalesce(part.place, '{}'));
        END LOOP;
        row.citations := to_jsonb(citations);
        row.collection := document.collection;
        row.version := document.version;
        row.uri := document.uri;
        row.title := document.title;
        row.media_type := document.media_type;
        row.metadata := document.metadata;
        IF (output ->> 'explain')::boolean THEN
            row.explanation := (
                SELECT coalesce(jsonb_agg(object ORDER BY h.place, o.place), '[]') FROM unnest(row.hit_ids) WITH ORDINALITY AS h (id, place)
                CROSS JOIN LATERAL jsonb_array_elements(explained -> h.id::text) WITH ORDINALITY AS o (object, place));
        END IF;
        rows := rows || row;
    END LOOP;
    IF output ->> 'order_by' = 'document' THEN
        rows := ARRAY(SELECT r FROM (SELECT r, min((r).rank) OVER (PARTITION BY (r).document_id) AS best FROM unnest(rows) AS r) AS ranked
            ORDER BY best, ((r).citations -> 0 ->> 'ordinal')::integer);
    END IF;
    IF linked IS NOT NULL THEN
        RETURN _passage.with_linked_passages(store, rows, linked, hit_ids, expanded.cut_links, output);
    END IF;
    RETURN rows;
END
$$;

COMMENT ON FUNCTION _passage.passage_rows(name, _passage.expansion, jsonb, text, integer, uuid[], double precision[]) IS 'passages of selected chunks, best first';
