-- Blocks of Markdown and plain text, as in core/split/src/split/ markdown.rs, plain.rs, log.rs, blocks.rs and titles.rs.
--
-- Markdown is read line by line, because PostgreSQL has no parser for it: headings, fences, lists, quotes, tables, HTML and
-- paragraphs at the top. Offsets are characters of the document, from 0.

-- `rows` is the offset of the rows below the header of a table.

CREATE TYPE _passage.prose_block AS (first integer, section integer, level integer, form text, rows integer);

-- Sections are numbered from 1, the root. Headers are lines that chunks between two offsets repeat. No chunk extends across a boundary.
-- `boundary_bytes` are the boundaries in bytes, if a caller passes offsets.

CREATE TYPE _passage.prose_blocks AS (
    list _passage.prose_block[], titles text[], parents integer[], depths integer[], items integer[], item_depths integer[], headers text[], header_firsts integer[], header_ends integer[], boundaries integer[], boundary_bytes integer[]
);

CREATE FUNCTION _passage.text_lines(value text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT ARRAY(SELECT matched[1] FROM regexp_matches(value COLLATE "C", '[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+', 'g') WITH ORDINALITY AS listed (matched, place) ORDER BY place) $$;

COMMENT ON FUNCTION _passage.text_lines(text) IS 'lines of a text with their ends';

CREATE FUNCTION _passage.shortened_title(title text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT CASE WHEN length(trimmed) <= 500 THEN trimmed ELSE left(trimmed, 499) || '…' END FROM (SELECT btrim(title, E' \t\n\r\f\x0b')) AS listed (trimmed) $$;

COMMENT ON FUNCTION _passage.shortened_title(text) IS 'title with at most 500 characters';

-- The text of a heading without markup, invisible characters and attributes at its end.

CREATE FUNCTION _passage.heading_title(markup text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    title text COLLATE "C" := '';
    rest text COLLATE "C" := left(markup, 4096);
    part text COLLATE "C";
    code text[];
    attributes text;
BEGIN
    LOOP
        code := regexp_match(rest, '^(.*?)(`+)([^`]|[^`].*?[^`])\2(?!`)(.*)$');
        part := coalesce(code[1], rest);
        part := regexp_replace(part, '!?\[((?:[^][]|\[[^][]*\])*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^][]*\])', '\1', 'g');
        part := regexp_replace(part, '<([a-zA-Z][a-zA-Z0-9+.-]*:[^<>[:space:]]*)>', '\1', 'g');
        part := regexp_replace(part, '</?[a-zA-Z][^<>]*>|<!--.*?-->', '', 'g');
        part := regexp_replace(part, '(?<!\\)(\*{1,3})(?=\S)(.*?\S)\1', '\2', 'g');
        part := regexp_replace(part, '(?<![\\[:alnum:]])(_{1,3})(?=\S)(.*?\S)\1(?![[:alnum:]])', '\2', 'g');
        part := regexp_replace(part, '~~(.*?)~~', '\1', 'g');
        part := regexp_replace(part, '\\([!-/:-@[-`{-~])', '\1', 'g');
        part := replace(replace(replace(replace(replace(part, '&lt;', '<'), '&gt;', '>'), '&quot;', '"'), '&nbsp;', U&'\00A0'), '&amp;', '&');
        title := title || part || coalesce(CASE WHEN code[3] ~ '^ .* $' AND code[3] ~ '\S' THEN substr(code[3], 2, length(code[3]) - 2) ELSE code[3] END, '');
        EXIT WHEN code IS NULL;
        rest := code[4];
    END LOOP;
    title := btrim(regexp_replace(title, U&'[\200B\2060\FEFF\00AD\200E\200F]', '', 'g'), E' \t\n\r\f\x0b');
    attributes := substring(title FROM '\{([^{}]*)\}$');
    IF attributes IS NOT NULL AND title !~ '\$\{[^{}]*\}$' THEN
        attributes := btrim(regexp_replace(btrim(attributes), '^/\*(.*)\*/$|^:', '\1'));
        IF attributes <> '' AND attributes ~ '^(?:(?:-|[#.]\S+|\S*=\S*)(?:\s+|$))+$' THEN
            title := rtrim(regexp_replace(title, '\{[^{}]*\}$', ''));
        END IF;
    END IF;
    RETURN title;
END
$$;

COMMENT ON FUNCTION _passage.heading_title(text) IS 'title of a heading without markup';

-- The level and title of a block of HTML that begins with a heading, before which only tags may be.

CREATE FUNCTION _passage.html_heading(block text, OUT level integer, OUT title text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    found CONSTANT text[] := regexp_match(left(block, 65536) COLLATE "C", '^\s*(?:<(?!h[1-6][^a-zA-Z0-9])[^>]*>\s*)*<h([1-6])(?:[^a-zA-Z0-9>][^>]*)?>(.*?)</h\1', 'i');
BEGIN
    title := regexp_replace(regexp_replace(found[2] COLLATE "C", '<(?:br|BR)[^>]*>', ' ', 'g'), '<[^>]*>', '', 'g');
    title := btrim(regexp_replace(replace(replace(replace(replace(replace(replace(title, '&lt;', '<'), '&gt;', '>'), '&quot;', '"'), '&#39;', ''''), '&nbsp;', ' '), '&amp;', '&'), '\s+', ' ', 'g'));
    IF title <> '' THEN
        level := found[1];
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.html_heading(text) IS 'heading with which a block of HTML begins';

CREATE FUNCTION _passage.front_matter_lines(lines text[]) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    mark CONSTANT text := rtrim(ltrim(lines[1], U&'\FEFF'), E' \t\r\n');
BEGIN
    IF mark NOT IN ('---', '+++') OR lines[2] !~ '\S' THEN
        RETURN 0;
    END IF;
    FOR at IN 2 .. cardinality(lines) LOOP
        IF rtrim(lines[at], E' \t\r\n') = mark OR mark = '---' AND rtrim(lines[at], E' \t\r\n') = '...' THEN
            RETURN at;
        END IF;
    END LOOP;
    RETURN 0;
END
$$;

COMMENT ON FUNCTION _passage.front_matter_lines(text[]) IS 'number of lines of the front matter';

-- Opens a section below another one. A title that is in use there gets the next free number.

CREATE FUNCTION _passage.open_section(INOUT blocks _passage.prose_blocks, INOUT used jsonb, parent integer, title text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    short CONSTANT text := _passage.shortened_title(title);
    given text := short;
    number integer := (used ->> format('%s %s', parent, short))::integer;
BEGIN
    WHILE used ? format('%s %s', parent, given) LOOP
        given := format('%s (%s)', short, number);
        number := number + 1;
    END LOOP;
    used := used || jsonb_build_object(format('%s %s', parent, short), coalesce(number, 2)) || CASE WHEN given <> short THEN jsonb_build_object(format('%s %s', parent, given), 2) ELSE '{}' END;
    blocks.titles := blocks.titles || given;
    blocks.parents := blocks.parents || parent;
    blocks.depths := blocks.depths || (blocks.depths[parent] + 1);
END
$$;

COMMENT ON FUNCTION _passage.open_section(_passage.prose_blocks, jsonb, integer, text) IS 'adds a section';

-- Whether a line begins a block that ends the paragraph before it.

CREATE FUNCTION _passage.interrupts_paragraph(line text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT line COLLATE "C" ~ '^ {0,3}(?:#{1,6}(?:[ \t]|$)|>|(?:`{3,}[^`]*|~{3,}.*)$|(?:[-*_][ \t]*){3,}$|[-+*][ \t]+\S|1[.)][ \t]+\S)'
            AND line COLLATE "C" !~ '^ {0,3}(?:[-*_][ \t]*){3,}$'
        OR line COLLATE "C" ~ '^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$'
        OR line COLLATE "C" ~* '^ {0,3}<(?:(?:script|pre|style|textarea)(?:[[:space:]>]|$)|!--|\?|![a-z]|!\[CDATA\[|/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:[[:space:]]|/?>|$))'
$$;

COMMENT ON FUNCTION _passage.interrupts_paragraph(text) IS 'whether a line ends the paragraph before it';

CREATE FUNCTION _passage.markdown_blocks(value text) RETURNS _passage.prose_blocks
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    lines CONSTANT text[] COLLATE "C" := _passage.text_lines(value);
    starts CONSTANT integer[] := ARRAY(SELECT sum(length(line)) OVER (ORDER BY place) - length(line) FROM unnest(lines) WITH ORDINALITY AS listed (line, place) ORDER BY place);
    count CONSTANT integer := cardinality(lines);
    front CONSTANT integer := CASE WHEN count > 0 THEN _passage.front_matter_lines(lines) ELSE 0 END;
    blocks _passage.prose_blocks := ('{}', '{""}', '{1}', '{0}', '{}', '{}', '{}', '{}', '{}', '{}', NULL);
    list _passage.prose_block[] := '{}';
    used jsonb := '{}';
    levels integer[] := '{}';
    above integer[] := '{}';
    state text;
    line text COLLATE "C";
    found text[];
    first_line integer;
    fence text;
    fence_line integer;
    html_end text;
    marker text;
    indent integer;
    indents integer[];
    was_blank boolean;
    is_lazy boolean;
    is_html boolean;
    heading record;
    opened record;
    new_level integer;
    new_title text;
    form text;
    rows integer;
    block _passage.prose_block;
BEGIN
    FOR at IN front + 1 .. count LOOP
        line := rtrim(lines[at], E'\r\n');
        IF at = 1 THEN
            line := ltrim(line, U&'\FEFF');
        END IF;
        form := NULL;
        rows := NULL;
        new_level := NULL;
        is_html := false;
        -- Lines of an open block.
        IF state = 'fence' THEN
            IF line ~ ('^ {0,3}' || left(fence, 1) || '{' || length(fence) || ',}[ \t]*$') THEN
                state := NULL;
            END IF;
            IF state IS NULL OR at = count THEN
                blocks.headers := blocks.headers || btrim(rtrim(lines[fence_line], E'\r\n'));
                blocks.header_firsts := blocks.header_firsts || (starts[fence_line] + length(lines[fence_line]));
                blocks.header_ends := blocks.header_ends || (starts[at] + CASE WHEN state IS NULL THEN 0 ELSE length(lines[at]) END);
            END IF;
            CONTINUE;
        ELSIF state = 'html' THEN
            IF html_end IS NULL AND line !~ '\S' OR line ~* html_end THEN
                state := NULL;
            END IF;
            CONTINUE;
        ELSIF line !~ '\S' THEN
            IF state = 'table' AND blocks.header_firsts[cardinality(blocks.header_firsts)] > list[cardinality(list)].first THEN
                blocks.header_ends[cardinality(blocks.header_ends)] := starts[at];
            END IF;
            was_blank := true;
            state := CASE WHEN state IN ('list', 'code') THEN state END;
            CONTINUE;
        END IF;
        indent := length(substring(replace(line, E'\t', '    ') FROM '^ *'));
        IF state = 'list' THEN
            found := regexp_match(line, '^\s*([-+*]|[0-9]{1,9}([.)]))(?:([ \t]+)\S|[ \t]*$)');
            IF fence IS NOT NULL AND indent >= indents[1] THEN
                IF line ~ ('^\s*' || left(fence, 1) || '{' || length(fence) || ',}[ \t]*$') THEN
                    blocks.headers := blocks.headers || btrim(rtrim(lines[fence_line], E'\r\n'));
                    blocks.header_firsts := blocks.header_firsts || (starts[fence_line] + length(lines[fence_line]));
                    blocks.header_ends := blocks.header_ends || starts[at];
                    fence := NULL;
                END IF;
                was_blank := false;
                CONTINUE;
            END IF;
            fence := NULL;
            IF found IS NOT NULL AND line !~ '^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,})$' AND (indent >= indents[1] AND indent < indents[cardinality(indents)] + 4 OR indent < indents[1] AND coalesce(found[2], found[1]) = marker) THEN
                WHILE cardinality(indents) > 1 AND indent < indents[cardinality(indents)] LOOP
                    indents := trim_array(indents, 1);
                END LOOP;
                IF indent < indents[1] THEN
                    indents := '{}';
                END IF;
                blocks.items := blocks.items || starts[at];
                blocks.item_depths := blocks.item_depths || 2 * cardinality(indents);
                indents := indents || (indent + length(found[1]) + CASE WHEN length(found[3]) BETWEEN 1 AND 4 THEN length(found[3]) ELSE 1 END);
                was_blank := false;
                is_lazy := true;
                CONTINUE;
            ELSIF indent >= indents[1] OR NOT was_blank AND is_lazy AND NOT _passage.interrupts_paragraph(line) THEN
                IF _passage.fence_marks(line) IS NOT NULL AND line !~ '^\s*>' THEN
                    fence := _passage.fence_marks(line);
                    fence_line := at;
                END IF;
                was_blank := false;
                CONTINUE;
            END IF;
            state := NULL;
        ELSIF state = 'quote' THEN
            CONTINUE WHEN line ~ '^ {0,3}>' OR NOT _passage.interrupts_paragraph(line);
            state := NULL;
        ELSIF state = 'code' THEN
            CONTINUE WHEN indent >= 4;
            state := NULL;
        ELSIF state = 'table' THEN
            CONTINUE WHEN NOT _passage.interrupts_paragraph(line);
            state := NULL;
        ELSIF state = 'definition' THEN
            CONTINUE WHEN line ~ '^ {0,3}\[[^]^[][^][]*\]:[ \t]*\S' OR line ~ '^\s+\S';
            state := NULL;
        ELSIF state = 'paragraph' THEN
            IF line ~ '^ {0,3}(?:=+|-+)[ \t]*$' THEN
                state := NULL;
                new_level := CASE WHEN line ~ '=' THEN 1 ELSE 2 END;
                new_title := (SELECT string_agg(btrim(one, E' \t\r\n'), ' ' ORDER BY place) FROM unnest(lines[first_line:at - 1]) WITH ORDINALITY AS listed (one, place));
                list := trim_array(list, 1);
            ELSIF NOT _passage.interrupts_paragraph(line) THEN
                CONTINUE;
            ELSE
                state := NULL;
            END IF;
        END IF;
        fence := NULL;
        was_blank := false;
        -- Lines that begin a block.
        IF new_level IS NOT NULL THEN
            form := 'heading';
        ELSE
            first_line := at;
            form := 'body';
            found := regexp_match(line, '^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#*)?[ \t]*$');
            IF found IS NOT NULL AND line ~ '^ {0,3}#{1,6}(?:[ \t]|$)' THEN
                new_level := length(found[1]);
                new_title := CASE WHEN found[2] ~ '^#+$' THEN '' ELSE coalesce(found[2], '') END;
                form := 'heading';
            ELSIF indent >= 4 THEN
                state := 'code';
            ELSIF _passage.fence_marks(line) IS NOT NULL AND line !~ '^\s*>' THEN
                state := 'fence';
                fence := _passage.fence_marks(line);
                fence_line := at;
            ELSIF line ~ '^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$' THEN
                state := NULL;
            ELSIF line ~ '^ {0,3}>' THEN
                state := 'quote';
            ELSIF line ~ '^ {0,3}(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]|$)' THEN
                state := 'list';
                found := regexp_match(line, '^\s*([-+*]|[0-9]{1,9}([.)]))(?:([ \t]+)\S|[ \t]*$)');
                marker := coalesce(found[2], found[1]);
                indents := ARRAY[indent + length(found[1]) + CASE WHEN length(found[3]) BETWEEN 1 AND 4 THEN length(found[3]) ELSE 1 END];
                is_lazy := true;
            ELSIF line ~ '^ {0,3}<' AND (_passage.interrupts_paragraph(line) OR line ~ '^ {0,3}(?:<[a-zA-Z][a-zA-Z0-9-]*(?:\s+[^<>]*)?/?>|</[a-zA-Z][a-zA-Z0-9-]*\s*>)[ \t]*$') THEN
                state := 'html';
                html_end := CASE WHEN line ~* '^ {0,3}<(?:script|pre|style|textarea)' THEN '</(?:script|pre|style|textarea)>' WHEN line ~ '^ {0,3}<!--' THEN '-->'
                    WHEN line ~ '^ {0,3}<\?' THEN '\?>' WHEN line ~ '^ {0,3}<!\[CDATA' THEN '\]\]>' WHEN line ~ '^ {0,3}<![a-zA-Z]' THEN '>' END;
                heading := _passage.html_heading((SELECT string_agg(one, '' ORDER BY place) FROM unnest(lines[at:least(at + 200, count)]) WITH ORDINALITY AS listed (one, place)
                    WHERE place < coalesce((SELECT min(other) FROM unnest(lines[at:least(at + 200, count)]) WITH ORDINALITY AS blank (text, other) WHERE blank.text !~ '\S'), 1000)));
                IF heading.level IS NOT NULL THEN
                    new_level := heading.level;
                    new_title := heading.title;
                    is_html := true;
                    form := 'heading';
                END IF;
                IF line ~* html_end THEN
                    state := NULL;
                END IF;
            ELSIF line ~ '^ {0,3}\[[^]^[][^][]*\]:[ \t]*\S' THEN
                state := 'definition';
            ELSE
                state := 'paragraph';
                IF strpos(line, '|') > 0 AND lines[at + 1] ~ '^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*[\r\n]*$' AND strpos(lines[at + 1], '-') > 0
                    AND regexp_count(regexp_replace(btrim(line), '^\||\|$|\\\|', '', 'g'), '\|') = regexp_count(regexp_replace(btrim(lines[at + 1], E' \t\r\n'), '^\||\|$', '', 'g'), '\|') THEN
                    state := 'table';
                    form := 'table';
                    rows := CASE WHEN at + 2 <= count AND lines[at + 2] ~ '\S' THEN starts[at + 2] END;
                END IF;
            END IF;
        END IF;
        IF new_level IS NOT NULL THEN
            WHILE levels[cardinality(levels)] >= new_level LOOP
                levels := trim_array(levels, 1);
                above := trim_array(above, 1);
            END LOOP;
            opened := _passage.open_section(blocks, used, coalesce(above[cardinality(above)], 1), CASE WHEN is_html THEN new_title ELSE _passage.heading_title(new_title) END);
            blocks := opened.blocks;
            used := opened.used;
            levels := levels || new_level;
            above := above || cardinality(blocks.titles);
        END IF;
        IF state = 'definition' AND list[cardinality(list)].form = 'definition' THEN
            CONTINUE;
        END IF;
        list := list || (CASE WHEN cardinality(list) = 0 AND front = 0 THEN 0 ELSE starts[first_line] END, coalesce(above[cardinality(above)], 1), coalesce(levels[cardinality(levels)], 0),
            CASE WHEN state = 'definition' THEN 'definition' ELSE form END, rows)::_passage.prose_block;
        IF state = 'list' THEN
            blocks.items := blocks.items || starts[at];
            blocks.item_depths := blocks.item_depths || 0;
        ELSIF state = 'table' AND rows IS NOT NULL THEN
            blocks.headers := blocks.headers || btrim(line);
            blocks.header_firsts := blocks.header_firsts || rows;
            blocks.header_ends := blocks.header_ends || NULL::integer;
        END IF;
    END LOOP;
    IF front > 0 OR cardinality(list) = 0 AND count > 0 THEN
        list := (0, 1, 0, 'body', NULL)::_passage.prose_block || list;
    END IF;
    -- A table without a blank line behind it ends where the next block begins.
    FOR i IN 1 .. coalesce(cardinality(blocks.headers), 0) LOOP
        IF blocks.header_ends[i] IS NULL THEN
            blocks.header_ends[i] := coalesce((SELECT min(one.first) FROM unnest(list) AS one WHERE one.first > blocks.header_firsts[i]), length(value));
        END IF;
    END LOOP;
    blocks.list := list;
    RETURN blocks;
END
$$;

COMMENT ON FUNCTION _passage.markdown_blocks(text) IS 'blocks of Markdown';

-- Whether a line of a log begins with its time, perhaps after its level or the address of a client.

CREATE FUNCTION _passage.begins_record(line text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT left(line, 100) COLLATE "C" ~* '^(?:[ \t|,]*[][()"]*(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL):*[][()"]*(?=[ \t|,]))*[ \t|,]*[][()"]*(?:\d{4}-\d\d-\d\d|\d{4}/\d\d/\d\d|\d\d:\d\d:\d\d|\d\d/[a-z]{3}/\d{4}|time=|[a-z]\d{4}\S*[ \t|,]+\d\d:\d\d:\d\d)'
        OR line COLLATE "C" ~ '^\[ *\d+\.\d+\]|^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d{1,2}\s+\d\d:\d\d:\d\d|^[^[]* \[\d\d/[a-zA-Z]{3}/\d{4}:\d\d:\d\d:\d\d'
$$;

COMMENT ON FUNCTION _passage.begins_record(text) IS 'whether a line begins a record of a log';

CREATE FUNCTION _passage.plain_blocks(value text) RETURNS _passage.prose_blocks
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    lines CONSTANT text[] COLLATE "C" := _passage.text_lines(value);
    blocks _passage.prose_blocks := ('{}', '{""}', '{1}', '{0}', '{}', '{}', '{}', '{}', '{}', '{}', NULL);
    records integer;
    others integer;
BEGIN
    SELECT count(*) FILTER (WHERE _passage.begins_record(line)), count(*) FILTER (WHERE NOT _passage.begins_record(line)) INTO records, others FROM (
        SELECT line FROM unnest(lines) WITH ORDINALITY AS listed (line, place) WHERE line ~ '^[^ \t\r\n]' ORDER BY place LIMIT 64) AS sample;
    blocks.list := ARRAY(
        SELECT (CASE WHEN row_number() OVER (ORDER BY place) = 1 THEN 0 ELSE first END, 1, 0, 'body', NULL)::_passage.prose_block
        FROM (
            SELECT place, line, sum(length(line)) OVER (ORDER BY place) - length(line) AS first, lag(line) OVER (ORDER BY place) !~ '\S' AS is_parted
            FROM unnest(lines) WITH ORDINALITY AS listed (line, place)
        ) AS listed
        WHERE CASE WHEN records >= 3 AND records > others THEN place = 1 OR _passage.begins_record(line) ELSE line ~ '\S' AND coalesce(is_parted, true) END
        ORDER BY place);
    IF records >= 3 AND records > others THEN
        blocks.items := ARRAY(SELECT first FROM (
            SELECT line, sum(length(line)) OVER (ORDER BY place) - length(line) AS first FROM unnest(lines) WITH ORDINALITY AS listed (line, place)
        ) AS listed WHERE NOT _passage.begins_record(line) AND line ~ '^\s*(?:Caused by:|Traceback \(most recent|During handling of|The above exception|goroutine )' ORDER BY first);
        blocks.item_depths := array_fill(0, ARRAY[cardinality(blocks.items)]);
    ELSIF cardinality(blocks.list) = 0 AND value <> '' THEN
        blocks.list := ARRAY[(0, 1, 0, 'body', NULL)::_passage.prose_block];
    END IF;
    RETURN blocks;
END
$$;

COMMENT ON FUNCTION _passage.plain_blocks(text) IS 'paragraphs of a text, or records of a log';
