-- The chunks of passages, in the order of the text, and how they are grouped, as in core/passages/src/reassemble.rs and
-- table_header.rs.

CREATE TYPE _passage.passage_chunk AS (
    hit integer, document uuid, id uuid, ordinal integer, role integer, rule text, tokens integer, section text[], unit text, level integer,
    content text, start_byte integer, end_byte integer, first_line integer, last_line integer, preamble text, place jsonb
);

-- Pages, slides and sheets of a chunk in a converted document, as citations name them.

CREATE FUNCTION _passage.place_of(metadata jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    kind text;
    first jsonb;
    last jsonb;
BEGIN
    IF NOT metadata ?| '{page,slide,sheet}' THEN
        RETURN NULL;
    ELSIF metadata ? 'total_pages' THEN
        RETURN CASE WHEN jsonb_path_match(metadata, '$.page.type() == "number" && $.page >= 0 && $.page.floor() == $.page') THEN jsonb_build_object('page', (metadata ->> 'page')::bigint + 1) END;
    END IF;
    FOREACH kind IN ARRAY '{page,slide,sheet}'::text[] LOOP
        first := metadata -> kind;
        last := metadata -> ('last_' || kind);
        CONTINUE WHEN first IS NULL;
        IF kind = 'sheet' THEN
            CONTINUE WHEN jsonb_typeof(first) <> 'string';
            last := CASE jsonb_typeof(last) WHEN 'string' THEN last ELSE first END;
        ELSE
            CONTINUE WHEN jsonb_typeof(first) <> 'number' OR first::numeric % 1 <> 0 OR first::numeric < 1;
            last := CASE WHEN jsonb_typeof(last) <> 'number' THEN first WHEN last::numeric % 1 = 0 AND last::numeric >= 1 THEN last ELSE first END;
        END IF;
        RETURN jsonb_build_object(kind, first) || CASE WHEN coalesce(last, first) <> first THEN jsonb_build_object('last_' || kind, last) ELSE '{}' END;
    END LOOP;
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION _passage.place_of(jsonb) IS 'place of a chunk in a converted document';

-- A document as its passages show it.

CREATE TYPE _passage.passage_document AS (id uuid, collection text, version text, uri text, title text, media_type text, metadata jsonb);

-- The selected chunks in the order of passages, those of linked sections last, and the documents of the others. The names of the statements are found as in
-- _passage.window_claims.

CREATE FUNCTION _passage.selected_chunks(
    store name, hit_documents uuid[], decisions _passage.decision[], OUT chunks _passage.passage_chunk[], OUT documents _passage.passage_document[]
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
DECLARE
    found_chunks _passage.passage_chunk[];
    found_documents _passage.passage_document[];
    first_hits CONSTANT integer[] := _passage.first_hits(hit_documents);
BEGIN
    PERFORM _passage.use_store(store, false);
    WITH chunks AS NOT MATERIALIZED (
        SELECT c.id::uuid, c.document_id::uuid, c.ordinal::integer, c.section::text[], c.unit::text, c.level::integer, c.content::text, c.start_byte::integer, c.end_byte::integer,
            c.first_line::integer, c.last_line::integer, c.preamble::text, c.metadata::jsonb FROM chunks AS c
    )
    SELECT pg_catalog.array_agg(((kept.claim).hit, c.document_id, c.id, c.ordinal, (kept.claim).role, (kept.claim).rule, (kept.claim).tokens, c.section, c.unit, c.level, c.content,
        c.start_byte, c.end_byte, c.first_line, c.last_line, c.preamble, CASE WHEN c.metadata ?| '{page,slide,sheet}'::text[] THEN _passage.place_of(c.metadata) END)::_passage.passage_chunk
        ORDER BY (kept.claim).role = 8, CASE WHEN (kept.claim).role = 8 THEN (kept.claim).hit ELSE first_hits[(kept.claim).hit] END,
            CASE WHEN (kept.claim).role = 8 THEN (kept.claim).distance ELSE c.ordinal END, (kept.claim).hit)
    INTO found_chunks
    FROM pg_catalog.unnest(decisions) AS kept JOIN chunks AS c ON c.id = (kept.claim).id AND ((kept.claim).role = 8 OR c.document_id = hit_documents[(kept.claim).hit])
    WHERE kept.verdict IS NULL;
    SELECT pg_catalog.array_agg((d.id::uuid, d.collection::text, d.version::text, d.uri::text, d.title::text, d.media_type::text, d.metadata::jsonb)::_passage.passage_document)
    INTO found_documents
    FROM documents AS d WHERE d.id::uuid = ANY (hit_documents);
    chunks := found_chunks;
    documents := found_documents;
END
$$;

COMMENT ON FUNCTION _passage.selected_chunks(name, uuid[], _passage.decision[]) IS 'selected chunks and their documents';

-- The header of a table, which later chunks have in their preamble: its first and last byte in the first chunk, and its
-- tokens as a share of those of this chunk.

CREATE FUNCTION _passage.table_header(store name, document uuid, preamble text, OUT content text, OUT start_byte integer, OUT tokens integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    line CONSTANT text := substring(preamble COLLATE "C" FROM '([^\r\n]+)[\r\n]*$');
    first record;
    at integer;
BEGIN
    EXECUTE format('SELECT c.content::text, c.start_byte::integer, coalesce(c.tokens::integer, (char_length(c.content) + 3) / 4) AS tokens FROM %I.chunks AS c WHERE c.document_id = $1 AND c.ordinal = 0', store)
        INTO first USING document;
    at := strpos(first.content, line);
    IF (at > 0) IS NOT TRUE THEN
        RETURN;
    END IF;
    content := line || coalesce(substring(substr(first.content, at + length(line)) COLLATE "C" FROM '^[ \t]*(?:\r\n|\n|\r)'), '');
    start_byte := _passage.saturated(first.start_byte::bigint + octet_length(left(first.content, at - 1)));
    tokens := ceil(first.tokens::numeric * octet_length(content) / octet_length(first.content));
END
$$;

COMMENT ON FUNCTION _passage.table_header(name, uuid, text) IS 'names of the columns of a table';

-- The tokens of the whole result that headers of tables and repeated lines may take: each hit may be in a passage of its own.

CREATE FUNCTION _passage.reserved_tokens(store name, hits _passage.expanded_hit[]) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    reserved bigint;
BEGIN
    EXECUTE format($sql$
        SELECT sum(CASE WHEN h.family = 'prose' THEN CASE WHEN _passage.may_repeat(c.preamble) THEN coalesce((octet_length(_passage.repeated_line(c.preamble, c.content,
                c.section || _passage.preamble_title((SELECT d.title FROM %1$I.documents AS d WHERE d.id = h.document)))) + 3) / 4, 0) ELSE 0 END
            WHEN h.structure = 'text/csv' THEN coalesce((SELECT tokens FROM _passage.table_header($2, h.document, coalesce((
                SELECT e.preamble FROM %1$I.chunks AS e WHERE e.document_id = h.document AND e.ordinal = greatest(h.ordinal, 1)), ''))), 0) ELSE 0 END)
        FROM unnest($1) AS h JOIN %1$I.chunks AS c ON c.document_id = h.document AND c.id = h.id
        WHERE h.family = 'prose' AND c.preamble IS NOT NULL OR h.structure = 'text/csv'$sql$, store) INTO reserved USING hits, store;
    RETURN coalesce(_passage.saturated(reserved), 0);
END
$$;

COMMENT ON FUNCTION _passage.reserved_tokens(name, _passage.expanded_hit[]) IS 'tokens that headers and repeated lines may take';

-- Groups the chunks of documents into passages: the number of the passage of each chunk, and its hit and role. Hits share a passage if they were widened to the same scope,
-- if they are at most so many ordinals apart, or if all chunks between them are selected.

CREATE FUNCTION _passage.group_chunks(
    chunks _passage.passage_chunk[], scopes text[], max_distance integer, OUT passages integer[], OUT hits integer[], OUT roles integer[]
)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    chunk _passage.passage_chunk;
    document uuid;
    i integer := 0;
    before integer;
    before_ordinal integer;
    passage integer;
    count integer := 0;
    of_hits integer[] := array_fill(NULL::integer, ARRAY[cardinality(scopes)]);
    names text[] := '{}';
    of_names integer[] := '{}';
    gap bigint;
BEGIN
    passages := '{}';
    hits := '{}';
    roles := '{}';
    FOREACH chunk IN ARRAY chunks LOOP
        i := i + 1;
        hits := hits || chunk.hit;
        roles := roles || chunk.role;
        IF chunk.document IS DISTINCT FROM document THEN
            document := chunk.document;
            before := NULL;
        END IF;
        CONTINUE WHEN chunk.role <> 0;
        passage := of_names[array_position(names, scopes[chunk.hit])];
        IF passage IS NULL AND before IS NOT NULL THEN
            gap := abs(chunk.ordinal::bigint - before_ordinal);
            IF max_distance IS NULL OR gap <= max_distance OR gap = i - before THEN
                passage := of_hits[hits[before]];
            END IF;
        END IF;
        IF passage IS NULL THEN
            count := count + 1;
            passage := count;
        END IF;
        of_hits[chunk.hit] := passage;
        IF scopes[chunk.hit] IS NOT NULL AND array_position(names, scopes[chunk.hit]) IS NULL THEN
            names := names || scopes[chunk.hit];
            of_names := of_names || passage;
        END IF;
        before := i;
        before_ordinal := chunk.ordinal;
    END LOOP;
    FOR place IN 1 .. i LOOP
        passages[place] := of_hits[hits[place]];
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.group_chunks(_passage.passage_chunk[], text[], integer) IS 'numbers of the passages of chunks';
