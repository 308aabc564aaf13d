-- output: the constructor of the argument, written from core/passages/src/arguments/definitions.rs.

CREATE FUNCTION passage.output(
    separator text DEFAULT NULL,
    gaps text DEFAULT NULL,
    imports boolean DEFAULT NULL,
    marks text[] DEFAULT NULL,
    explain boolean DEFAULT NULL,
    order_by text DEFAULT NULL,
    max_distance integer DEFAULT NULL
) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
        'separator', output.separator,
        'gaps', output.gaps,
        'imports', output.imports,
        'marks', output.marks,
        'explain', output.explain,
        'order_by', output.order_by,
        'max_distance', output.max_distance));

COMMENT ON FUNCTION passage.output(text, text, boolean, text[], boolean, text, integer) IS 'returns the argument output: how passages are formed and written
separator: text between chunks that do not touch, by default that of the media type
gaps: comment marks omitted text, by a comment in code and data and by [...] in prose; none does not; by default code and prose are marked; comment or none
imports: whether to add the imports that a passage uses, false by default
marks: texts before and after each hit, none by default; two texts
explain: whether to return the column explanation, false by default
order_by: the order of passages, score by default; score or document
max_distance: maximum number of ordinals between hits of one passage, 3 by default; document makes one passage of a document; 0 to 1000000, in JSON also document';
