-- The sections that links of hits lead to, which expansion adds as context.

-- For each hit the first sections in the order of its links, each once: of a link without a section, or with one that the document
-- lacks, that of the first chunk of the document. Sections that hits of the call are in are left out. `ordinal` is that of the
-- chunk that the link leads to. With imports, those of the document whose names a hit uses are links of this hit too, after its own.

CREATE FUNCTION _passage.linked_sections(store name, hits uuid[], from_hits uuid[], max_sections integer, with_imports boolean) RETURNS TABLE (
    hit uuid, document_id uuid, section text[], ordinal integer
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 20
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    sources uuid[];
    documents uuid[];
    targets uuid[];
BEGIN
    SELECT array_agg(from_chunk ORDER BY place), array_agg(to_document ORDER BY place), array_agg(to_chunk ORDER BY place) INTO sources, documents, targets
    FROM _passage.resolved_links(store, from_hits, NULL, NULL) WITH ORDINALITY AS link (kind, text, from_chunk, from_document, from_uri, from_title, to_chunk, to_document, to_uri, to_title, to_section, place)
    WHERE to_document IS NOT NULL;
    IF with_imports AND _passage.has_links(store, false) THEN
        EXECUTE format($sql$
            WITH hit AS MATERIALIZED (
                SELECT c.id, c.document_id, ARRAY(SELECT DISTINCT word[1] FROM regexp_matches(c.content, '[\w$]+', 'g') AS word) AS words
                FROM %I.chunks AS c WHERE c.id = ANY ($1)
            )
            SELECT $2 || array_agg(h.id ORDER BY l.place), $3 || array_agg(l.to_document ORDER BY l.place), $4 || array_agg(l.to_chunk ORDER BY l.place)
            FROM _passage.resolved_links($5, NULL, ARRAY(SELECT DISTINCT hit.document_id FROM hit), NULL) WITH ORDINALITY
                AS l (kind, text, from_chunk, from_document, from_uri, from_title, to_chunk, to_document, to_uri, to_title, to_section, place)
            JOIN hit AS h ON h.document_id = l.from_document
            WHERE l.kind = 'import' AND l.to_section = ANY (h.words) AND l.to_chunk IS NOT NULL AND l.from_chunk <> h.id$sql$, store)
        INTO sources, documents, targets USING from_hits, sources, documents, targets, store;
    END IF;
    -- A store without links has none.
    IF sources IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY EXECUTE format($sql$
        WITH hit_section AS MATERIALIZED (
            SELECT c.document_id, array_replace(c.section::text[], NULL, '') AS section FROM %1$I.chunks AS c WHERE c.id = ANY ($1)
        ),
        named AS MATERIALIZED (
            SELECT c.id, c.document_id, array_replace(c.section::text[], NULL, '') AS section, c.ordinal::integer FROM %1$I.chunks AS c WHERE c.id = ANY ($4)
        ),
        beginning AS MATERIALIZED (
            SELECT DISTINCT ON (c.document_id) c.document_id, array_replace(c.section::text[], NULL, '') AS section, c.ordinal::integer
            FROM %1$I.chunks AS c WHERE c.document_id = ANY ($3) ORDER BY c.document_id, c.ordinal
        ),
        target AS (
            SELECT l.from_chunk, named.document_id, named.section, named.ordinal, l.place
            FROM unnest($2, $4) WITH ORDINALITY AS l (from_chunk, to_chunk, place) JOIN named ON named.id = l.to_chunk
            UNION ALL
            SELECT l.from_chunk, beginning.document_id, beginning.section, beginning.ordinal, l.place
            FROM unnest($2, $4, $5) WITH ORDINALITY AS l (from_chunk, to_chunk, to_document, place) JOIN beginning ON beginning.document_id = l.to_document
            WHERE l.to_chunk IS NULL
        ),
        once AS (
            SELECT DISTINCT ON (t.from_chunk, t.document_id, t.section) t.* FROM target AS t
            WHERE t.ordinal IS NOT NULL AND t.section IS NOT NULL
                AND NOT EXISTS (SELECT FROM hit_section AS h WHERE h.document_id = t.document_id AND h.section = t.section)
            ORDER BY t.from_chunk, t.document_id, t.section, t.place
        ),
        numbered AS (
            SELECT once.*, row_number() OVER (PARTITION BY once.from_chunk ORDER BY once.place) AS number FROM once
        )
        SELECT n.from_chunk, n.document_id, n.section, n.ordinal FROM numbered AS n WHERE n.number <= $6 ORDER BY n.place$sql$, store)
    USING hits, sources, ARRAY(SELECT DISTINCT listed.document FROM unnest(documents, targets) AS listed (document, target) WHERE target IS NULL), targets, documents, max_sections;
END
$$;

COMMENT ON FUNCTION _passage.linked_sections(name, uuid[], uuid[], integer, boolean) IS 'sections that links of hits lead to';
