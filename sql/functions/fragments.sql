-- fragments: returns the whole lines of documents that answer a query.

CREATE FUNCTION passage.fragments(
    query text DEFAULT NULL,
    embedding real[] DEFAULT NULL,
    uri text DEFAULT NULL,
    document_id uuid DEFAULT NULL,
    strategy text DEFAULT 'auto',
    collection text DEFAULT NULL,
    max_fragments integer DEFAULT 5,
    max_tokens integer DEFAULT NULL,
    fuzzy_threshold double precision DEFAULT 0.8,
    return_full boolean DEFAULT NULL,
    filter jsonb DEFAULT NULL,
    store name DEFAULT NULL
) RETURNS TABLE (
    fragment_id text,
    document_id uuid,
    uri text,
    title text,
    media_type text,
    score double precision,
    content text,
    first_line integer,
    last_line integer,
    tokens integer,
    strategy_used text,
    signals jsonb,
    before text,
    after text,
    related jsonb,
    metadata jsonb,
    source_ids text[]
) LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 5
AS 'MODULE_PATHNAME', 'fragments_wrapper';

COMMENT ON FUNCTION passage.fragments(text, real[], text, uuid, text, text, integer, integer, double precision, boolean, jsonb, name) IS 'returns the whole lines of documents that answer a query, best first
query: words and "phrases"; embedding: vector of the query
uri, document_id: one document to look at; NULL searches the store
strategy: auto, adaptive, proximity, semantic or seed, auto by default
collection: the collection of the documents; NULL looks in all
max_fragments: maximum number of rows, 5 by default
max_tokens: maximum number of tokens of all rows, 700 by default, 100000 with return_full
fuzzy_threshold: least similarity of a misspelled word, 0 to 1, 0.8 by default
return_full: whether to return the whole of the named document; NULL returns it if it fits into max_tokens
filter: the documents and chunks to look at, as passage.filter(version => ''8.*'') or {"version": "8.*"}, without min_similarity
store: schema of the store; NULL takes the setting passage.store (rag)';
