-- limits: the constructor of the argument, written from core/passages/src/arguments/definitions.rs.

CREATE FUNCTION passage.limits(
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
    max_chunks integer DEFAULT NULL,
    max_passage_tokens integer DEFAULT NULL,
    context_share double precision DEFAULT NULL,
    min_score double precision DEFAULT NULL,
    links integer DEFAULT NULL
) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
        'parents', limits.parents,
        'preceding', limits.preceding,
        'following', limits.following,
        'children', limits.children,
        'before', limits.before,
        'after', limits.after,
        'siblings', limits.siblings,
        'within', limits.within,
        'threshold', limits.threshold,
        'count_by', limits.count_by,
        'max_chunks', limits.max_chunks,
        'max_passage_tokens', limits.max_passage_tokens,
        'context_share', limits.context_share,
        'min_score', limits.min_score,
        'links', limits.links))
    OPERATOR(pg_catalog.||) CASE WHEN limits.windows IS NULL THEN '{}'
        ELSE pg_catalog.jsonb_build_object('windows', limits.windows) END;

COMMENT ON FUNCTION passage.limits(integer, integer, integer, integer, integer, integer, jsonb, text, text, double precision, text, integer, integer, double precision, double precision, integer) IS 'returns the argument limits: limits that replace those of the strategy
parents: number of parents; 0 to 1000000
preceding: number of siblings before a hit; 0 to 1000000
following: number of siblings after a hit; 0 to 1000000
children: number of children; 0 to 1000000
before: number of chunks before a hit; 0 to 1000000
after: number of chunks after a hit; 0 to 1000000
windows: numbers of chunks before and after a hit by its kind, such as {"code": 4}
siblings: whether siblings have the same parent or the same section; parent or section
within: the part of the document that before and after do not leave; document, parent or section
threshold: share of a section that hits must exceed for merge; 0 to 1
count_by: what the threshold counts; chunks or tokens
max_chunks: maximum number of hits and context chunks; 0 to 1000000
max_passage_tokens: maximum number of tokens of the context of a hit, 0 for no limit; 0 to 1000000
context_share: share of the budget of search that is kept for context, by default 0.5 if the call names a strategy other than auto, a number of chunks or links, else 0; 0 to 1
min_score: share of the best hit''s score below which a hit brings no context, 0 by default; 0 to 1
links: number of sections to which links of a hit lead and that come as context, 0 by default; 0 to 1000000';
