-- The rows of fragments: text and lines, signals, and the chunks and lines around them, as in extension/src/fragments/rows.rs.

CREATE TYPE _passage.fragment_row AS (
    fragment_id text, document_id uuid, uri text, title text, media_type text, score double precision, content text, first_line integer, last_line integer, tokens integer,
    strategy_used text, signals jsonb, before text, after text, related jsonb, metadata jsonb, source_ids text[]
);

-- A chunk that lines are selected for: its place among the chunks that were read, its score, and its place in the ranking.

CREATE TYPE _passage.best_chunk AS (place integer, score double precision, ranked integer);

CREATE FUNCTION _passage.rounded_score(score double precision) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT CASE WHEN rounded = trunc(rounded) THEN (trunc(rounded)::numeric || '.0')::jsonb ELSE to_jsonb(rounded) END FROM (SELECT sign(score) * floor(abs(score) * 1e6::double precision + 0.5::double precision) / 1e6::double precision) AS listed (rounded) $$;

COMMENT ON FUNCTION _passage.rounded_score(double precision) IS 'score with six digits';

-- The beginning of a text on one line.

CREATE FUNCTION _passage.preview(content text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    preview text := '';
    word text;
BEGIN
    FOR word IN SELECT matched[1] FROM regexp_matches(left(content, 1000), '\S+', 'g') AS matched LOOP
        IF length(word) >= 120 - length(preview) THEN
            RETURN preview || '…';
        END IF;
        preview := preview || CASE preview WHEN '' THEN '' ELSE ' ' END || word;
    END LOOP;
    RETURN preview;
END
$$;

COMMENT ON FUNCTION _passage.preview(text) IS 'beginning of a text on one line';

CREATE FUNCTION _passage.fragment_signals(ranked _passage.ranked_fragment) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN ranked.lexical_rank IS NULL THEN '{}' ELSE jsonb_build_object('lexical', jsonb_build_object('rank', ranked.lexical_rank, 'score', _passage.rounded_score(ranked.lexical_score))) END
        || CASE WHEN ranked.near_rank IS NULL THEN '{}' ELSE jsonb_build_object('proximity', jsonb_build_object('rank', ranked.near_rank, 'score', _passage.rounded_score(ranked.near_score),
            'coverage', ('{any,most,all}'::text[])[ranked.coverage + 1], 'distance', ranked.distance)) END
        || CASE WHEN ranked.vector_rank IS NULL THEN '{}' ELSE jsonb_build_object('vector', jsonb_build_object('rank', ranked.vector_rank, 'score', _passage.rounded_score(ranked.vector_score))) END
        || CASE WHEN ranked.matched IS NULL THEN '{}' ELSE jsonb_build_object('match', CASE WHEN ranked.matched >= 1 THEN 'exact' WHEN ranked.matched >= 0.3 THEN 'prefix' ELSE 'fuzzy' END) END
$$;

COMMENT ON FUNCTION _passage.fragment_signals(_passage.ranked_fragment) IS 'signals of the best hit of a fragment';

-- The nearest line that is not blank, in a direction, within a run.

CREATE FUNCTION _passage.nearest_line(lines _passage.text_line[], at integer, step integer) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    run CONSTANT integer := lines[at].run;
BEGIN
    LOOP
        at := at + step;
        IF lines[at].run IS DISTINCT FROM run THEN
            RETURN NULL;
        ELSIF NOT lines[at].is_blank THEN
            RETURN left(lines[at].content, 200);
        END IF;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.nearest_line(_passage.text_line[], integer, integer) IS 'nearest line that is not blank';

CREATE FUNCTION _passage.related_chunk(relation text, id uuid, first_line integer, last_line integer, content text) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT jsonb_build_object('relation', relation, 'chunk_id', id, 'first_line', first_line, 'last_line', last_line, 'preview', _passage.preview(content)) $$;

COMMENT ON FUNCTION _passage.related_chunk(text, uuid, integer, integer, text) IS 'chunk beside a fragment';

-- The columns of documents, with the number of chunks and the length of the text.

CREATE TYPE _passage.document_info AS (id uuid, uri text, title text, media_type text, metadata jsonb, chunks integer, bytes integer);

CREATE FUNCTION _passage.document_infos(store name, ids uuid[]) RETURNS _passage.document_info[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    infos _passage.document_info[];
BEGIN
    EXECUTE format($sql$
        SELECT array_agg((listed.id, d.uri, d.title, d.media_type, d.metadata, _passage.saturated(last.ordinal::bigint + 1), last.end_byte)::_passage.document_info)
        FROM unnest($1) AS listed (id) LEFT JOIN %1$I.documents AS d ON d.id = listed.id
        LEFT JOIN LATERAL (SELECT c.ordinal, c.end_byte FROM %1$I.chunks AS c WHERE c.document_id = listed.id ORDER BY c.ordinal DESC LIMIT 1) AS last ON true$sql$, store) INTO infos USING ids;
    RETURN coalesce(infos, '{}');
END
$$;

COMMENT ON FUNCTION _passage.document_infos(name, uuid[]) IS 'columns of documents that fragments return';

CREATE FUNCTION _passage.is_markdown(media_type text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT (_passage.known_media_type(media_type)).structure = 'text/markdown' $$;

COMMENT ON FUNCTION _passage.is_markdown(text) IS 'whether a media type has fenced blocks';

-- The rows of fragments. `asked` are the chunks whose parents are shown.

CREATE FUNCTION _passage.fragment_rows(
    store name, text_runs _passage.text_runs, fragments _passage.fragment[], best _passage.best_chunk[], ranked _passage.ranked_fragment[], infos _passage.document_info[], asked uuid[], strategy text, hint text
) RETURNS SETOF _passage.fragment_row
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 5
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    lines CONSTANT _passage.text_line[] := text_runs.lines;
    row _passage.fragment_row;
    fragment _passage.fragment;
    run _passage.text_run;
    info _passage.document_info;
    hit _passage.best_chunk;
    chunk _passage.source_chunk;
    first integer;
    ending integer;
    related jsonb;
    range record;
    parent record;
    returned bigint;
BEGIN
    FOREACH fragment IN ARRAY fragments LOOP
        run := text_runs.runs[fragment.run];
        info := listed FROM unnest(infos) AS listed WHERE listed.id = run.document;
        hit := best[fragment.hits[1]];
        returned := (SELECT sum(other.run_end - other.run_start) FROM unnest(fragments) AS other WHERE (text_runs.runs[other.run]).document = run.document);
        -- The chunks that some of the bytes belong to.
        first := run.first_chunk;
        WHILE first < run.end_chunk - 1 AND text_runs.chunks[first].run_end <= fragment.run_start LOOP
            first := first + 1;
        END LOOP;
        ending := first + 1;
        WHILE ending < run.end_chunk AND text_runs.chunks[ending].run_start < fragment.run_end LOOP
            ending := ending + 1;
        END LOOP;
        related := '[]';
        IF first > run.first_chunk THEN
            chunk := text_runs.chunks[first - 1];
            range := _passage.trimmed_lines(lines, chunk.first_at, chunk.end_at);
            related := related || _passage.related_chunk('previous', chunk.id, CASE WHEN range.first < range.ending THEN lines[range.first].number END, CASE WHEN range.first < range.ending THEN lines[range.ending - 1].number END, chunk.content);
        END IF;
        IF ending < run.end_chunk THEN
            chunk := text_runs.chunks[ending];
            range := _passage.trimmed_lines(lines, chunk.first_at, chunk.end_at);
            related := related || _passage.related_chunk('next', chunk.id, CASE WHEN range.first < range.ending THEN lines[range.first].number END, CASE WHEN range.first < range.ending THEN lines[range.ending - 1].number END, chunk.content);
        END IF;
        EXECUTE format($sql$
            SELECT p.* FROM unnest($1) WITH ORDINALITY AS listed (id, place) JOIN %1$I.chunks AS c ON c.id = listed.id
            CROSS JOIN LATERAL (SELECT k.id, k.content, k.first_line, k.last_line FROM %1$I.chunks AS k WHERE k.document_id = c.document_id AND k.section_key = c.parent_key
                AND k.ordinal < c.ordinal AND k.section = c.section[:cardinality(c.section) - 1] ORDER BY k.ordinal DESC LIMIT 1) AS p
            ORDER BY listed.place LIMIT 1$sql$, store) INTO parent
            USING ARRAY(SELECT inside.id FROM unnest(text_runs.chunks[first:ending - 1]) WITH ORDINALITY AS inside WHERE inside.id = ANY (asked) ORDER BY inside.ordinality);
        IF parent.id IS NOT NULL AND parent.id NOT IN (SELECT inside.id FROM unnest(text_runs.chunks[first:ending - 1]) AS inside) THEN
            related := related || _passage.related_chunk('parent', parent.id, parent.first_line, parent.last_line, parent.content);
        END IF;
        row.first_line := lines[fragment.first_line].number;
        row.last_line := lines[fragment.end_line - 1].number;
        row.fragment_id := text_runs.chunks[first].id || coalesce(format(':%s-%s', row.first_line, nullif(row.last_line, NULL)), '');
        IF row.first_line IS NULL OR row.last_line IS NULL THEN
            row.fragment_id := text_runs.chunks[first].id;
        END IF;
        row.document_id := run.document;
        row.uri := info.uri;
        row.title := info.title;
        row.media_type := info.media_type;
        row.score := coalesce(hit.score, 0);
        row.content := convert_from(substr(convert_to(run.content, 'UTF8'), fragment.run_start + 1, fragment.run_end - fragment.run_start), 'UTF8');
        row.tokens := fragment.tokens;
        row.strategy_used := strategy;
        row.signals := CASE WHEN hit.ranked IS NULL THEN '{}' ELSE _passage.fragment_signals(ranked[hit.ranked]) END
            || jsonb_build_object('line_count', fragment.end_line - fragment.first_line, 'cluster_size', ending - first)
            || CASE WHEN info.bytes > 0 THEN jsonb_build_object('token_reduction', _passage.rounded_score(greatest(1.0::double precision - returned::double precision / info.bytes::double precision, 0))) ELSE '{}' END
            || jsonb_strip_nulls(jsonb_build_object('cut', fragment.truncation, 'hint', hint));
        row.before := _passage.nearest_line(lines, fragment.first_line, -1);
        row.after := _passage.nearest_line(lines, fragment.end_line - 1, 1);
        row.related := related;
        row.metadata := info.metadata;
        RETURN NEXT row;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.fragment_rows(name, _passage.text_runs, _passage.fragment[], _passage.best_chunk[], _passage.ranked_fragment[], _passage.document_info[], uuid[], text, text) IS 'rows of fragments';

-- A document from its first line on: all lines that fit, also blank ones at both ends. `must_fit` is whether all lines are returned
-- or nothing.

CREATE FUNCTION _passage.first_lines(store name, info _passage.document_info, max_fragments integer, max_tokens integer, max_chunks bigint, strategy text, hint text, must_fit boolean) RETURNS SETOF _passage.fragment_row
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    text_runs CONSTANT _passage.text_runs := _passage.text_runs(_passage.first_chunks(store, info.id, max_chunks), CASE WHEN _passage.is_markdown(info.media_type) THEN ARRAY[info.id] ELSE '{}' END);
    lines CONSTANT _passage.text_line[] := text_runs.lines;
    run CONSTANT _passage.text_run := text_runs.runs[1];
    tokens double precision := 0;
    at integer;
    is_whole boolean;
    fragments _passage.fragment[];
BEGIN
    IF max_fragments = 0 OR run.document IS NULL THEN
        RETURN;
    END IF;
    at := run.first_line;
    WHILE at < run.end_line LOOP
        EXIT WHEN NOT lines[at].is_complete OR tokens + lines[at].tokens > max_tokens;
        tokens := tokens + lines[at].tokens;
        at := at + 1;
    END LOOP;
    is_whole := at = run.end_line AND cardinality(text_runs.runs) = 1 AND NOT text_runs.chunks[cardinality(text_runs.chunks)].has_unread_after;
    IF must_fit AND NOT is_whole THEN
        RETURN;
    END IF;
    IF at = run.first_line THEN
        fragments := _passage.select_fragments(store, NULL, text_runs, '{1}', 1, max_tokens);
    ELSE
        fragments := ARRAY[(1, run.first_line, at, 0, CASE WHEN is_whole THEN octet_length(run.content) ELSE lines[at - 1].text_end END, ceil(tokens), '{1}', CASE WHEN NOT is_whole THEN 'document' END)::_passage.fragment];
    END IF;
    RETURN QUERY SELECT * FROM _passage.fragment_rows(store, text_runs, fragments, '{}', '{}', ARRAY[info], '{}', strategy, hint);
END
$$;

COMMENT ON FUNCTION _passage.first_lines(name, _passage.document_info, integer, integer, bigint, text, text, boolean) IS 'document from its first line on';
