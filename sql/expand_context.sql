-- expand_context, expand_contexts: hits with their context, a row a chunk.
--
-- Two names, because an untyped literal cannot choose between uuid and uuid[].

CREATE FUNCTION passage.expand_context(
    chunk_id uuid,
    strategy text DEFAULT NULL,
    parents integer DEFAULT NULL,
    preceding integer DEFAULT NULL,
    following integer DEFAULT NULL,
    children integer DEFAULT NULL,
    before integer DEFAULT NULL,
    after integer DEFAULT NULL,
    windows jsonb DEFAULT NULL,
    siblings text DEFAULT NULL,
    within text DEFAULT NULL,
    threshold double precision DEFAULT NULL,
    count_by text DEFAULT NULL,
    max_tokens integer DEFAULT NULL,
    max_chunks integer DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS TABLE (
    chunk_id uuid,
    document_id uuid,
    ordinal integer,
    role text,
    distance integer,
    hit_id uuid,
    score double precision,
    decayed_score double precision,
    level integer,
    section text[],
    path ltree,
    tokens integer,
    content text
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 10
AS 'MODULE_PATHNAME', 'expand_context_wrapper';

COMMENT ON FUNCTION passage.expand_context(uuid, text, integer, integer, integer, integer, integer, integer, jsonb, text, text, double precision, text, integer, integer, name) IS 'a hit with its context, ordered by ordinal';

CREATE FUNCTION passage.expand_contexts(
    chunk_ids uuid[],
    scores double precision[] DEFAULT NULL,
    strategy text DEFAULT NULL,
    parents integer DEFAULT NULL,
    preceding integer DEFAULT NULL,
    following integer DEFAULT NULL,
    children integer DEFAULT NULL,
    before integer DEFAULT NULL,
    after integer DEFAULT NULL,
    windows jsonb DEFAULT NULL,
    siblings text DEFAULT NULL,
    within text DEFAULT NULL,
    threshold double precision DEFAULT NULL,
    count_by text DEFAULT NULL,
    max_tokens integer DEFAULT NULL,
    max_chunks integer DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS TABLE (
    chunk_id uuid,
    document_id uuid,
    ordinal integer,
    role text,
    distance integer,
    hit_id uuid,
    score double precision,
    decayed_score double precision,
    level integer,
    section text[],
    path ltree,
    tokens integer,
    content text
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 100
AS 'MODULE_PATHNAME', 'expand_contexts_wrapper';

COMMENT ON FUNCTION passage.expand_contexts(uuid[], double precision[], text, integer, integer, integer, integer, integer, integer, jsonb, text, text, double precision, text, integer, integer, name) IS 'hits with their context, each chunk once, ordered by the best score of the document, then by ordinal';
