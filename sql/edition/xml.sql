-- XML: whether a text is well-formed, and the elements that it holds whole, as in core/split/src/split/xml/tokens.rs and
-- excerpt.rs. Nothing resolves entities.

-- The tokens of a text of XML: the text before each, its kind and its name. The kinds are those of core, `characters` for
-- text without markup, and NULL for invalid markup; at the end of a text the kind is `finish`.

CREATE FUNCTION _passage.xml_tokens(content text) RETURNS TABLE (before text, kind text, name text, length integer)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT pieces[1], CASE WHEN pieces[2] = '' THEN 'finish' WHEN pieces[2] LIKE '<!--%' OR pieces[2] LIKE '<?_%' THEN 'comment' WHEN pieces[2] LIKE '<![%' THEN 'characters'
            WHEN pieces[2] LIKE '<!D%' THEN 'document type' WHEN pieces[3] IS NOT NULL THEN 'end' WHEN pieces[5] = '/' THEN 'empty' WHEN pieces[4] IS NOT NULL THEN 'start' END,
        coalesce(pieces[3], pieces[4]), length(pieces[2])
    FROM regexp_matches(content COLLATE "C", replace(replace(replace(replace(
        '([^<]*)($|COMMENT|<\?(?!>)(?:[^?]|\?(?!>))*\?>|<!\[CDATA\[(?:[^]]|\](?!\]>))*\]\]>'
        '|<!DOCTYPE~*NAME(?:[^]["''<>]|QUOTED|COMMENT|\[(?:[^]"'']|QUOTED|COMMENT)*\])*>'
        '|</(NAME)~*>|<(NAME)(?:~+[^ \t\n\f\r=/><"'']+~*=~*QUOTED)*~*(/?)>|<)',
        'COMMENT', '<!--(?:[^-]|-(?!->))*-->'), 'QUOTED', '(?:"[^"]*"|''[^'']*'')'), 'NAME', '[A-Za-z_:\u0080-\U0010ffff][^ \t\n\f\r/><''"=&]*'), '~', '[ \t\n\f\r]'), 'g') AS listed (pieces)
$$;

COMMENT ON FUNCTION _passage.xml_tokens(text) IS 'tokens of a text of XML';

-- The elements without the tags around them whose counterparts are missing, by the numbers of the first and the last
-- character, and whether the text is well-formed without a change: a document, or the content of an element.

CREATE FUNCTION _passage.xml_excerpt(content text, OUT first integer, OUT last integer, OUT parses boolean)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    blanks CONSTANT text := E' \t\n\f\r';
    token record;
    at integer := 1;
    -- The open elements up to `depth`: their names, the character after each tag, and whether content precedes it.
    names text[] := '{}';
    starts integer[] := '{}';
    follow_content boolean[] := '{}';
    depth integer := 0;
    has_content boolean := false;
    -- The first tag that closes an element outside of the text.
    ending integer;
    -- A document has at most a document type before its only element, and no text around it.
    has_type boolean := false;
    is_document boolean := true;
    elements integer := 0;
    has_text boolean;
    inside text;
BEGIN
    parses := false;
    FOR token IN SELECT * FROM _passage.xml_tokens(content) LOOP
        has_text := btrim(token.before, CASE at WHEN 1 THEN U&'\FEFF' ELSE '' END || blanks) <> '';
        IF token.kind IS NULL OR ending IS NOT NULL AND (has_text OR token.kind IN ('start', 'empty', 'characters')) THEN
            RETURN;
        END IF;
        at := at + length(token.before);
        has_content := has_content OR has_text;
        is_document := is_document AND NOT (depth = 0 AND (has_text OR token.kind = 'characters' OR token.kind = 'document type' AND elements > 0))
            AND NOT (depth > 0 AND token.kind = 'document type');
        has_type := has_type OR token.kind = 'document type';
        elements := elements + (depth = 0 AND token.kind IN ('start', 'empty'))::integer;
        IF token.kind = 'start' THEN
            depth := depth + 1;
            names[depth] := token.name;
            starts[depth] := at + token.length;
            follow_content[depth] := has_content;
        ELSIF token.kind = 'end' AND depth = 0 THEN
            ending := coalesce(ending, at);
        ELSIF token.kind = 'end' THEN
            IF names[depth] <> token.name THEN
                RETURN;
            END IF;
            depth := depth - 1;
            has_content := true;
        ELSIF token.kind IN ('empty', 'characters') THEN
            has_content := true;
        END IF;
        at := at + token.length;
    END LOOP;
    IF depth = 0 AND ending IS NULL THEN
        parses := NOT has_type OR is_document AND elements = 1;
    ELSIF has_content AND true <> ALL (follow_content[:depth]) THEN
        first := CASE depth WHEN 0 THEN 1 ELSE starts[depth] END;
        last := coalesce(ending - 1, length(content));
        inside := ltrim(substr(content, first, last - first + 1), blanks);
        first := last - length(inside) + 1;
        last := first + length(rtrim(inside, blanks)) - 1;
        IF last < first THEN
            first := NULL;
            last := NULL;
        END IF;
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.xml_excerpt(text) IS 'elements of a text of XML';
