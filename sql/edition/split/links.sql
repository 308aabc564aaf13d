-- The links of Markdown, as in core/split/src/links/markdown.rs, by patterns instead of a parser.

-- A text whose lines in fences are blank, with the same number of characters.

CREATE FUNCTION _passage.text_without_fences(value text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    line text;
    lines text[] := '{}';
    fence text;
    found text;
BEGIN
    IF value !~ '```|~~~' THEN
        RETURN value;
    END IF;
    FOREACH line IN ARRAY _passage.text_lines(value) LOOP
        found := substring(line FROM E'^[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*(`{3,}|~{3,})');
        IF fence IS NOT NULL OR found IS NOT NULL THEN
            lines := lines || regexp_replace(line, '[^\r\n]', ' ', 'g');
        ELSE
            lines := lines || line;
        END IF;
        IF fence IS NULL THEN
            fence := found;
        ELSIF starts_with(found, fence) AND line ~ E'^[ \t>]*[`~]+[ \t\r\n]*$' THEN
            fence := NULL;
        END IF;
    END LOOP;
    RETURN array_to_string(lines, '');
END
$$;

COMMENT ON FUNCTION _passage.text_without_fences(text) IS 'text with blanks in place of its fenced code';

-- The chunks of a document concatenate to its text.

CREATE FUNCTION _passage.markdown_links(value text, contents text[]) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    prose CONSTANT text := _passage.text_without_fences(value);
    definitions CONSTANT jsonb := coalesce((
        SELECT jsonb_object_agg(lower(found[1]), coalesce(found[2], found[3]) ORDER BY place DESC)
        FROM regexp_matches(prose, E'^ {0,3}\\[([^\\[\\]\\n]+)\\]:[ \\t]*(?:<([^<>\\n]*)>|([^\\s<]\\S*))', 'gn') WITH ORDINALITY AS listed (found, place)), '{}');
BEGIN
    RETURN coalesce((
        SELECT jsonb_agg(jsonb_build_array(ordinal, kind, target, section, left(btrim(regexp_replace(coalesce(label, ''), '\s+', ' ', 'g')), 200)) ORDER BY ordinal, place)
        FROM (
            SELECT n - 1 AS ordinal, sum(char_length(content)) OVER (ORDER BY n) - char_length(content) AS before, char_length(content) AS length
            FROM unnest(contents) WITH ORDINALITY AS listed (content, n)
        ) AS chunk
        CROSS JOIN LATERAL regexp_matches(substr(prose, before::integer + 1, length),
            '`[^`\n]+`|(!?)\[\[([^\[\]\n|]+)(?:\|([^\[\]\n]*))?\]\]'
            '|(!?)\[((?:[^\[\]\n]|\n(?!\s*\n)|\[[^\[\]\n]*\])*)\]\((?:<([^<>\n]*)>|([^()\s<][^()\s]*(?:\([^()\s]*\)[^()\s]*)*))(?:\s+(?:"[^"]*"|''[^'']*''))?\)'
            '|(!?)\[([^\[\]\n]+)\](?:\[([^\[\]\n]*)\])?(?![:(])|<(https?://[^<>\s]+)>|\yhref="([^"]*)"', 'g') WITH ORDINALITY AS matched (found, place)
        CROSS JOIN LATERAL (
            SELECT CASE WHEN found[2] IS NOT NULL THEN 'wiki' ELSE 'link' END,
                coalesce(rtrim(found[2], '\'), found[6], found[7], definitions ->> lower(coalesce(nullif(found[10], ''), found[9])), found[11], found[12]),
                regexp_replace(coalesce(found[3], found[2], found[5], found[9], found[11]), '!?\[([^\[\]]*)\](?:\([^()]*\))?|[`*]', '\1', 'g')
        ) AS link (kind, address, label)
        CROSS JOIN LATERAL (SELECT btrim(split_part(address, '#', 1)), btrim(CASE WHEN strpos(address, '#') > 0 THEN substr(address, strpos(address, '#') + 1) ELSE '' END)) AS part (target, section)
        WHERE coalesce(found[1], found[4], found[8], '') = '' AND address <> '' AND (target <> '' OR section <> '')
            AND octet_length(target) <= 1000 AND octet_length(section) <= 1000 AND address !~ '[[:cntrl:]]'
            AND target !~* '^(?!https?:)[a-z][a-z0-9+.-]+:' AND place <= 10000), '[]');
END
$$;

COMMENT ON FUNCTION _passage.markdown_links(text, text[]) IS 'links of a Markdown document, as write_documents takes them';
