-- similar: chunks like a chunk, and documents like a document.
--
-- By content both search by the words and by the embedding of the original, for a document by the mean of the embeddings of its chunks.
-- By links they are the chunks and documents that links connect with the original.

CREATE FUNCTION _passage.likeness(chunk_id uuid, document_id uuid, store name) RETURNS TABLE (
    words text,
    embedding real[],
    chunk_ids uuid[]
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 1
AS 'MODULE_PATHNAME', 'likeness_wrapper';

COMMENT ON FUNCTION _passage.likeness(uuid, uuid, name) IS 'titles and text of a chunk, or of the first thousand of a document, the mean of their embeddings, and their ids';

-- The words of a text as a query. A search reads 64 words, and long ones are mostly rarer.

CREATE FUNCTION _passage.words_as_query(text text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT string_agg(word, ' ' ORDER BY length(word) DESC, place)
    FROM (
        -- Without quotes and hyphens there are no phrases and no exclusions.
        SELECT word, min(place) AS place FROM regexp_split_to_table(translate(text, '"-', '  '), '\s+') WITH ORDINALITY AS listed (word, place)
        WHERE length(word) > 2 GROUP BY word ORDER BY length(word) DESC, min(place) LIMIT 64
    ) AS longest
$$;

COMMENT ON FUNCTION _passage.words_as_query(text) IS 'the longest words of a text';

CREATE FUNCTION _passage.listed_chunks(chunk_ids uuid[], collection text, filter jsonb, store name) RETURNS TABLE (
    chunk_id uuid,
    document_id uuid,
    uri text,
    title text,
    section text[],
    tokens integer,
    content text,
    source_id text
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 10
AS 'MODULE_PATHNAME', 'listed_chunks_wrapper';

COMMENT ON FUNCTION _passage.listed_chunks(uuid[], text, jsonb, name) IS 'those of some chunks that pass a filter, as a list of hits shows them';

CREATE FUNCTION _passage.linked_rows(of_chunk uuid, of_document uuid, collection text, max_hits integer, filter jsonb, store name) RETURNS TABLE (
    rank integer, chunk_id uuid, document_id uuid, uri text, title text, section text[], score double precision, vector_rank integer, vector_score double precision,
    text_rank integer, text_score double precision, tokens integer, content text, source_id text
) LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
    WITH shared AS MATERIALIZED (
        SELECT s.*, CASE WHEN of_chunk IS NULL THEN s.document_id ELSE s.chunk_id END AS unit FROM _passage.shared_links(_passage.store_name(store), of_chunk, of_document) AS s
    ), listed AS MATERIALIZED (
        SELECT l.* FROM _passage.listed_chunks(ARRAY(SELECT DISTINCT chunk_id FROM shared), collection, filter, store) AS l
    ), passing AS (
        SELECT s.* FROM shared AS s JOIN listed AS l USING (chunk_id)
    ), scored AS (
        SELECT unit, sum(weight) AS score FROM (SELECT DISTINCT unit, target, weight FROM passing) AS counted GROUP BY 1
    ), best AS (
        -- The chunk with most of the links stands for its document.
        SELECT DISTINCT ON (unit) unit, chunk_id FROM (SELECT unit, chunk_id, sum(weight) AS weight FROM passing GROUP BY 1, 2) AS of_chunks ORDER BY unit, weight DESC, chunk_id
    )
    SELECT (row_number() OVER in_order)::integer, l.chunk_id, l.document_id, l.uri, l.title, l.section, scored.score, NULL::integer, NULL::double precision, NULL::integer,
        NULL::double precision, l.tokens, l.content, l.source_id
    FROM scored JOIN best USING (unit) JOIN listed AS l USING (chunk_id)
    WINDOW in_order AS (ORDER BY scored.score DESC, l.uri COLLATE "C", l.chunk_id)
    ORDER BY row_number() OVER in_order LIMIT max_hits
$$;

COMMENT ON FUNCTION _passage.linked_rows(uuid, uuid, text, integer, jsonb, name) IS 'rows of similar by links';

CREATE FUNCTION _passage.similar_rows(of_chunk uuid, of_document uuid, collection text, max_hits integer, filter jsonb, ranking jsonb, by text, store name) RETURNS TABLE (
    rank integer, chunk_id uuid, document_id uuid, uri text, title text, section text[], score double precision, vector_rank integer, vector_score double precision,
    text_rank integer, text_score double precision, tokens integer, content text, source_id text
) LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    likeness record;
    requested CONSTANT integer := coalesce(max_hits, 10);
BEGIN
    IF (of_chunk IS NULL) = (of_document IS NULL) THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'similar requires either "chunk_id" or "document_id"',
            HINT = 'Pass chunk_id => ... for chunks like a chunk, or document_id => ... for documents like a document.';
    END IF;
    IF by NOT IN ('content', 'links') THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('unrecognized value for "by": "%s"', left(by, 100)),
            HINT = 'Valid values are "content" and "links".';
    ELSIF by = 'links' AND ranking IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = '"ranking" cannot be given with by => ''links''',
            HINT = 'Omit ranking, which ranks by words and embeddings.';
    ELSIF by = 'links' AND requested NOT BETWEEN 0 AND 1000000 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('"max_hits" is out of range: %s', requested), HINT = 'Use a number from 0 to 1000000.';
    END IF;
    IF by = 'links' THEN
        RETURN QUERY SELECT * FROM _passage.linked_rows(of_chunk, of_document, collection, requested, filter, store);
        IF FOUND THEN
            RETURN;
        END IF;
    END IF;
    SELECT * INTO likeness FROM _passage.likeness(of_chunk, of_document, store);
    IF coalesce(cardinality(likeness.chunk_ids), 0) = 0 THEN
        RAISE NOTICE USING MESSAGE = format('no %s was found', CASE WHEN of_chunk IS NULL THEN 'document' ELSE 'chunk' END),
            DETAIL = 'No row that you may see has this id.';
        RETURN;
    ELSIF by = 'links' THEN
        IF NOT EXISTS (SELECT FROM _passage.shared_links(_passage.store_name(store), of_chunk, of_document)) THEN
            RAISE NOTICE USING MESSAGE = 'no links were found', HINT = 'passage.links() and passage.backlinks() return the links that you may see.';
        END IF;
        RETURN;
    END IF;
    RETURN QUERY
        WITH hits AS (
            SELECT h.*, row_number() OVER (PARTITION BY CASE WHEN of_chunk IS NULL THEN h.document_id ELSE h.chunk_id END ORDER BY h.rank) AS place
            FROM passage.search_hits(_passage.words_as_query(likeness.words), likeness.embedding, collection,
                -- Several chunks of a document may be hits, and those beyond the first thousand of its own.
                CASE WHEN of_document IS NOT NULL AND requested BETWEEN 0 AND 100000 THEN 10 * requested ELSE requested END,
                filter, ranking, likeness.chunk_ids, store) AS h
            WHERE of_document IS NULL OR h.document_id <> of_document
        )
        SELECT row_number() OVER (ORDER BY h.rank)::integer, h.chunk_id, h.document_id, h.uri, h.title, h.section, h.score, h.vector_rank, h.vector_score, h.text_rank,
            h.text_score, h.tokens, h.content, h.source_id
        FROM hits AS h WHERE h.place = 1 ORDER BY h.rank LIMIT requested;
END
$$;

COMMENT ON FUNCTION _passage.similar_rows(uuid, uuid, text, integer, jsonb, jsonb, text, name) IS 'rows of similar';

CREATE FUNCTION passage.similar(
    chunk_id uuid DEFAULT NULL,
    document_id uuid DEFAULT NULL,
    collection text DEFAULT NULL,
    max_hits integer DEFAULT 10,
    filter jsonb DEFAULT NULL,
    ranking jsonb DEFAULT NULL,
    by text DEFAULT 'content',
    store name DEFAULT NULL
) RETURNS TABLE (
    rank integer,
    chunk_id uuid,
    document_id uuid,
    uri text,
    title text,
    section text[],
    score double precision,
    vector_rank integer,
    vector_score double precision,
    text_rank integer,
    text_score double precision,
    tokens integer,
    content text,
    source_id text
) LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 10
BEGIN ATOMIC
    SELECT * FROM _passage.similar_rows("similar".chunk_id, "similar".document_id, "similar".collection, "similar".max_hits, "similar".filter, "similar".ranking, "similar".by, "similar".store);
END;

COMMENT ON FUNCTION passage.similar(uuid, uuid, text, integer, jsonb, jsonb, text, name) IS 'returns chunks like a chunk, or for each document like a document its most similar chunk, best first
chunk_id: chunk that others are compared with; either chunk_id or document_id is needed
document_id: document that others are compared with, by its first thousand chunks
collection: the collection to search; NULL searches all
max_hits: maximum number of rows, 0 to 1000000, 10 by default
filter: the chunks to search, as passage.filter(kind => ''code'') or {"min_similarity": 0.9}; NULL searches all
ranking: how chunks are compared, as passage.ranking(mode => ''vector'') or {"mode": "text"}, without score_by; by default by words and by embedding
by: content, or links for what links to the original, what it links to, and what links to the same targets
store: schema of the store; NULL takes the setting passage.store (rag)';
