-- Linked sections: the context that links of hits lead to, as in core/passages/src/expand/links.rs, and their passages.

-- The chunks of the sections that links of hits lead to, from the chunk of the link on, numbered for each hit. The names of the
-- statement are found as in _passage.window_claims.

CREATE FUNCTION _passage.link_claims(store name, hits _passage.expanded_hit[], imports boolean, skip uuid[]) RETURNS _passage.claim[]
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    hit _passage.expanded_hit;
    hit_ids uuid[] := '{}';
    from_ids uuid[] := '{}';
    max_sections integer := 0;
    numbers integer[];
    documents uuid[];
    -- As text, because an array has no arrays of several lengths.
    sections text[];
    keys bigint[];
    firsts integer[];
BEGIN
    FOREACH hit IN ARRAY hits LOOP
        hit_ids := hit_ids || hit.id;
        IF (hit.strategy).links > 0 AND hit.ordinal IS NOT NULL THEN
            from_ids := from_ids || hit.id;
            max_sections := (hit.strategy).links;
        END IF;
    END LOOP;
    SELECT array_agg(array_position(hit_ids, s.hit) ORDER BY s.place), array_agg(s.document_id ORDER BY s.place), array_agg(s.section::text ORDER BY s.place),
        array_agg(passage.section_key(s.section) ORDER BY s.place), array_agg(s.ordinal ORDER BY s.place)
    INTO numbers, documents, sections, keys, firsts
    FROM _passage.linked_sections(store, hit_ids, from_ids, max_sections, imports) WITH ORDINALITY AS s (hit, document_id, section, ordinal, place);
    IF numbers IS NULL THEN
        RETURN '{}';
    END IF;
    PERFORM _passage.use_store(store, false);
    RETURN coalesce((
        WITH chunks AS NOT MATERIALIZED (
            @typed_chunks@
        )
        SELECT pg_catalog.array_agg((l.hit, l.id, l.ordinal, l.tokens, l.section, l.unit, l.level, 'links', 8, l.number::integer, false)::_passage.claim)
        FROM (
            SELECT l.hit, c.*, row_number() OVER (PARTITION BY l.hit ORDER BY l.place, c.ordinal) AS number
            FROM unnest(numbers, documents, sections, keys, firsts) WITH ORDINALITY AS l (hit, document, section, key, first, place)
            CROSS JOIN LATERAL (
                SELECT c.id, c.ordinal, c.tokens, c.section, c.unit, c.level FROM chunks AS c WHERE c.document_id = l.document AND (c.section_key, c.ordinal) >= (l.key, l.first) AND (c.section_key, c.ordinal) <= (l.key, 2147483647)
                    AND c.section OPERATOR(pg_catalog.=) l.section::pg_catalog.text[] ORDER BY c.section_key, c.ordinal LIMIT 50) AS c
            WHERE c.id <> ALL (skip)
        ) AS l), '{}');
END
$$;

COMMENT ON FUNCTION _passage.link_claims(name, _passage.expanded_hit[], boolean, uuid[]) IS 'chunks of sections that links of hits lead to';

-- The passage of one linked section. A section with as many chunks as are read may have more.

CREATE FUNCTION _passage.linked_passage(store name, chunks _passage.passage_chunk[], document _passage.passage_document, output jsonb, is_cut boolean)
RETURNS _passage.passage_row
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    row _passage.passage_row;
    hit _passage.expanded_hit;
    chunk _passage.passage_chunk;
    written record;
    chunk_ids uuid[] := '{}';
    spans int4range[] := '{}';
    citations jsonb[] := '{}';
    last integer;
    at integer;
BEGIN
    hit.document := document.id;
    hit.media_type := _passage.known_media_type(document.media_type);
    row.document_id := document.id;
    row.collection := document.collection;
    row.version := document.version;
    row.uri := document.uri;
    row.title := document.title;
    row.media_type := document.media_type;
    row.metadata := document.metadata;
    row.section := array_replace(chunks[1].section, NULL, '');
    row.tokens := 0;
    row.truncated := is_cut;
    row.complete := NOT is_cut AND cardinality(chunks) < 50;
    row.hit_ids := '{}';
    written := _passage.passage_text(store, chunks, hit, document.title, output);
    FOREACH chunk IN ARRAY chunks LOOP
        row.complete := row.complete AND (last IS NULL OR coalesce(chunk.ordinal - last::bigint = 1, false));
        last := chunk.ordinal;
        row.tokens := _passage.saturated(row.tokens::bigint + chunk.tokens);
        row.first_line := least(row.first_line, chunk.first_line);
        row.last_line := greatest(row.last_line, chunk.last_line);
        chunk_ids := chunk_ids || chunk.id;
        at := cardinality(chunk_ids);
        citations := citations || (jsonb_build_object('chunk_id', chunk.id, 'ordinal', chunk.ordinal, 'role', 'linked', 'start', (written.assembly).firsts[at],
            'end', (written.assembly).lasts[at], 'first_line', chunk.first_line, 'last_line', chunk.last_line) || coalesce(chunk.place, '{}'));
    END LOOP;
    FOR place IN 1 .. coalesce(cardinality((written.assembly).span_firsts), 0) LOOP
        spans := spans || int4range((written.assembly).span_firsts[place], (written.assembly).span_lasts[place]);
    END LOOP;
    row.tokens := _passage.saturated(row.tokens::bigint + written.added);
    row.chunk_ids := chunk_ids;
    row.spans := spans;
    row.citations := to_jsonb(citations);
    row.content := convert_from((written.assembly).body, 'UTF8');
    IF (output ->> 'explain')::boolean THEN
        row.explanation := '[]';
    END IF;
    RETURN row;
END
$$;

COMMENT ON FUNCTION _passage.linked_passage(name, _passage.passage_chunk[], _passage.passage_document, jsonb, boolean) IS 'passage of a linked section';

-- Adds the passages of linked sections behind those of their hits. Chunks are in the order of hits and links.

CREATE FUNCTION _passage.with_linked_passages(
    store name, rows _passage.passage_row[], chunks _passage.passage_chunk[], hit_ids uuid[], cut_links boolean[], output jsonb
) RETURNS _passage.passage_row[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    documents _passage.passage_document[];
    document _passage.passage_document;
    sections _passage.passage_row[] := '{}';
    hit_of integer[] := '{}';
    own _passage.passage_chunk[] := '{}';
    chunk _passage.passage_chunk;
    first _passage.passage_chunk;
    all_rows _passage.passage_row[] := '{}';
    row _passage.passage_row;
    section _passage.passage_row;
    -- The number of sections behind the passage of each rank.
    counts integer[] := array_fill(0, ARRAY[cardinality(rows)]);
    hit integer;
    next integer;
BEGIN
    EXECUTE format($sql$
        SELECT array_agg((d.id::uuid, d.collection::text, d.version::text, d.uri::text, d.title::text, d.media_type::text, d.metadata::jsonb)::_passage.passage_document)
        FROM %I.documents AS d WHERE d.id = ANY ($1)$sql$, store) INTO documents USING ARRAY(SELECT DISTINCT c.document FROM unnest(chunks) AS c);
    FOR i IN 1 .. cardinality(chunks) + 1 LOOP
        chunk := chunks[i];
        first := own[1];
        IF cardinality(own) > 0 AND (i > cardinality(chunks) OR chunk.hit <> first.hit OR chunk.document <> first.document
            OR array_replace(chunk.section, NULL, '') <> array_replace(first.section, NULL, '')) THEN
            document := NULL;
            document.id := first.document;
            FOR at IN 1 .. coalesce(cardinality(documents), 0) LOOP
                IF documents[at].id = first.document THEN
                    document := documents[at];
                END IF;
            END LOOP;
            sections := sections || _passage.linked_passage(store, own, document, output, cut_links[first.hit]);
            hit_of := hit_of || first.hit;
            own := '{}';
        END IF;
        own := own || chunk;
    END LOOP;
    FOREACH row IN ARRAY rows LOOP
        counts[row.rank] := (SELECT count(*) FROM unnest(hit_of) AS of_section (hit) WHERE hit_ids[of_section.hit] = ANY (row.hit_ids));
    END LOOP;
    FOREACH row IN ARRAY rows LOOP
        row.rank := row.rank + (SELECT coalesce(sum(listed.count), 0) FROM unnest(counts[:row.rank - 1]) AS listed (count));
        all_rows := all_rows || row;
        next := row.rank;
        FOREACH hit IN ARRAY ARRAY(SELECT array_position(hit_ids, listed.id) FROM unnest(row.hit_ids) WITH ORDINALITY AS listed (id, place) ORDER BY place) LOOP
            FOR i IN 1 .. cardinality(sections) LOOP
                CONTINUE WHEN hit_of[i] <> hit;
                next := next + 1;
                section := sections[i];
                section.rank := next;
                section.score := row.score;
                all_rows := all_rows || section;
            END LOOP;
        END LOOP;
    END LOOP;
    RETURN all_rows;
END
$$;

COMMENT ON FUNCTION _passage.with_linked_passages(name, _passage.passage_row[], _passage.passage_chunk[], uuid[], boolean[], jsonb) IS 'passages with those of linked sections behind them';

-- The number of passages with hits.

CREATE FUNCTION _passage.passage_count(rows _passage.passage_row[], given jsonb) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF given ? 'links' THEN
        RETURN (SELECT count(*) FROM unnest(rows) AS r WHERE r.hit_ids <> '{}');
    END IF;
    RETURN cardinality(rows);
END
$$;

COMMENT ON FUNCTION _passage.passage_count(_passage.passage_row[], jsonb) IS 'number of passages with hits';
