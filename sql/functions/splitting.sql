-- splitting: the constructor of the argument, written from core/passages/src/arguments/definitions.rs.

CREATE FUNCTION passage.splitting(
    max_size integer DEFAULT NULL,
    preferred_size integer DEFAULT NULL,
    min_size integer DEFAULT NULL,
    max_with_preamble integer DEFAULT NULL,
    overlap integer DEFAULT NULL,
    split_at text DEFAULT NULL,
    split_offsets integer[] DEFAULT NULL
) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
        'max_size', splitting.max_size,
        'preferred_size', splitting.preferred_size,
        'min_size', splitting.min_size,
        'max_with_preamble', splitting.max_with_preamble,
        'overlap', splitting.overlap,
        'split_at', splitting.split_at,
        'split_offsets', splitting.split_offsets));

COMMENT ON FUNCTION passage.splitting(integer, integer, integer, integer, integer, text, integer[]) IS 'returns the argument splitting: how a document is split, with sizes in characters; a size that is not given keeps its proportion to the others
max_size: maximum size of a chunk, 1000 by default; 0 to 1000000
preferred_size: preferred size of a chunk, 600 by default; 0 to 1000000
min_size: size below which chunks are merged if possible, 200 by default; 0 to 1000000
max_with_preamble: maximum size of a chunk with its preamble, 1250 by default; 0 to 1000000
overlap: size of the end of the previous chunk that the preamble repeats, 0 by default; 0 to 1000000
split_at: regular expression for the lines before which the text is divided, such as ^===; none by default
split_offsets: offsets at which the text is divided, in bytes of the text as it is stored; none by default; at most 100000';
