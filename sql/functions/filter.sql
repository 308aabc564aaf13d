-- filter: the constructor of the argument, written from core/passages/src/arguments/definitions.rs.

CREATE FUNCTION passage.filter(
    collection text DEFAULT NULL,
    version text DEFAULT NULL,
    uri text DEFAULT NULL,
    uri_pattern text DEFAULT NULL,
    media_type text DEFAULT NULL,
    kind text DEFAULT NULL,
    path text DEFAULT NULL,
    metadata jsonb DEFAULT NULL,
    min_similarity double precision DEFAULT NULL,
    include_orphaned boolean DEFAULT NULL
) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
        'collection', filter.collection,
        'version', filter.version,
        'uri', filter.uri,
        'uri_pattern', filter.uri_pattern,
        'media_type', filter.media_type,
        'kind', filter.kind,
        'path', filter.path,
        'min_similarity', filter.min_similarity,
        'include_orphaned', filter.include_orphaned))
    OPERATOR(pg_catalog.||) CASE WHEN filter.metadata IS NULL THEN '{}'
        ELSE pg_catalog.jsonb_build_object('metadata', filter.metadata) END;

COMMENT ON FUNCTION passage.filter(text, text, text, text, text, text, text, jsonb, double precision, boolean) IS 'returns the argument filter: the chunks that are searched; all given filters must hold
collection: name of the collection; in JSON also a list
version: version, latest for the highest of each collection, or a pattern such as 8.*; in JSON also a list
uri: uri of the document; in JSON also a list
uri_pattern: pattern of LIKE for the uri
media_type: media type of the document, also text/*; in JSON also a list
kind: prose, code, api-reference or data; in JSON also a list
path: lquery for the path of the section
metadata: object that the metadata of document and chunk together contain, or conditions such as {"year": {"$gte": 2020}}
min_similarity: least cosine similarity to the embedding; -1 to 1
include_orphaned: whether documents whose source is missing are searched, false by default';
