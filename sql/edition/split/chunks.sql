-- Chunks of prose: pieces of blocks, which are merged and get preambles, as in core/split/src/split/ pieces.rs, merge.rs, draft.rs and
-- preamble.rs. Sizes are characters.

CREATE TYPE _passage.prose_chunk AS (first integer, ending integer, size integer, section integer, is_shared boolean, level integer, header text, is_joinable boolean);

-- A piece that begins in a word or at a boundary is not joinable to the one before it. Section 1 is the root.

CREATE FUNCTION _passage.common_ancestor(blocks _passage.prose_blocks, one integer, other integer) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    WHILE one <> other LOOP
        IF blocks.depths[one] >= blocks.depths[other] THEN
            one := blocks.parents[one];
        ELSE
            other := blocks.parents[other];
        END IF;
    END LOOP;
    RETURN one;
END
$$;

COMMENT ON FUNCTION _passage.common_ancestor(_passage.prose_blocks, integer, integer) IS 'deepest section that contains two';

CREATE FUNCTION _passage.one_line(value text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT string_agg(btrim(line, E' \t\f\x0b'), ' ' ORDER BY place) FROM regexp_split_to_table(btrim(value, E' \t\r\n\f\x0b'), '[\r\n]') WITH ORDINALITY AS listed (line, place) $$;

COMMENT ON FUNCTION _passage.one_line(text) IS 'text on one line';

CREATE FUNCTION _passage.preamble_title(title text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN _passage.one_line(_passage.shortened_title(title));

COMMENT ON FUNCTION _passage.preamble_title(text) IS 'title of a document as it is in preambles';

-- The preamble of a chunk: the title of the document, the titles of the section, the header, and the end of the chunk before. The
-- outermost titles are dropped first, then the title of the document, then the header, and the innermost title last.

CREATE FUNCTION _passage.chunk_preamble(title text, section text[], header text, size integer, before text, total integer, overlap integer) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    room integer := greatest(total - size, 0);
    own CONSTANT text := CASE WHEN octet_length(header) <= 500 THEN nullif(_passage.one_line(header), '') END;
    document text := nullif(_passage.preamble_title(title), '');
    titles text[] := section;
    used integer;
    preamble text;
    words text := '';
    word text;
BEGIN
    IF document = section[1] THEN
        document := NULL;
    END IF;
    used := (SELECT coalesce(sum(length(one) + 1), 0) FROM unnest(titles || document || own) AS one WHERE one <> '');
    WHILE used > room AND EXISTS (SELECT FROM unnest(titles[2:]) AS one WHERE one <> '') LOOP
        used := used - CASE titles[1] WHEN '' THEN 0 ELSE length(titles[1]) + 1 END;
        titles := titles[2:];
    END LOOP;
    IF used > room AND document IS NOT NULL THEN
        used := used - length(document) - 1;
        document := NULL;
    END IF;
    preamble := CASE WHEN used <= room OR own IS NULL THEN array_to_string(array_remove(document || titles || own, ''), E'\n') ELSE array_to_string(array_remove(document || titles, ''), E'\n') END;
    IF used > room AND used - coalesce(length(own) + 1, 0) > room THEN
        preamble := '';
    END IF;
    IF overlap > 0 AND before <> '' THEN
        room := least(overlap, greatest(room - length(preamble) - 1, 0));
        FOR word IN SELECT one FROM regexp_split_to_table(right(before, 4 * overlap + 4), '[ \t\r\n\f]+') WITH ORDINALITY AS listed (one, place) WHERE one <> '' ORDER BY place DESC LOOP
            EXIT WHEN length(word) + 1 > room;
            room := room - length(word) - 1;
            words := concat_ws(' ', word, nullif(words, ''));
        END LOOP;
        preamble := concat_ws(E'\n', nullif(preamble, ''), nullif(words, ''));
    END IF;
    RETURN coalesce(preamble, '');
END
$$;

COMMENT ON FUNCTION _passage.chunk_preamble(text, text[], text, integer, text, integer, integer) IS 'context of a chunk that its content does not show';

-- The pieces of a document in order. A heading and the block below it are one unit.

CREATE FUNCTION _passage.prose_pieces(value text, blocks _passage.prose_blocks, limits _passage.split_limits) RETURNS SETOF _passage.prose_chunk
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 100
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    list CONSTANT _passage.prose_block[] := blocks.list;
    count CONSTANT integer := cardinality(blocks.list);
    -- To find a character, PostgreSQL reads the text before it. So units are made of lines.
    lines CONSTANT text[] := _passage.divided_lines(_passage.text_lines(value), blocks.boundary_bytes);
    items CONSTANT integer[] := blocks.items;
    item_depths CONSTANT integer[] := blocks.item_depths;
    headers CONSTANT text[] := blocks.headers;
    header_firsts CONSTANT integer[] := blocks.header_firsts;
    header_ends CONSTANT integer[] := blocks.header_ends;
    boundaries CONSTANT integer[] := blocks.boundaries;
    next_boundary integer := 1;
    is_divided boolean;
    line integer := 1;
    first_line_of_unit integer;
    at integer := 0;
    first_item integer;
    last_item integer;
    lengths CONSTANT integer[] := ARRAY(SELECT coalesce(lead(first) OVER (ORDER BY place), length(value)) - first FROM unnest(list) WITH ORDINALITY AS listed (first, section, level, form, rows, place) ORDER BY place);
    first integer := 1;
    last integer;
    ending integer;
    low integer;
    unit text;
    part text;
    part_start integer;
    cuts integer[];
    cut integer;
    before integer;
    next_header integer := 0;
    start integer;
BEGIN
    WHILE first <= count LOOP
        last := first;
        low := list[first].level;
        WHILE boundaries[next_boundary] < list[first].first LOOP
            next_boundary := next_boundary + 1;
        END LOOP;
        is_divided := coalesce(boundaries[next_boundary] = list[first].first, false);
        WHILE last < count AND list[last].form = 'heading' AND (list[last + 1].section = list[last].section OR list[last + 1].level > list[last].level) LOOP
            WHILE boundaries[next_boundary] < list[last + 1].first LOOP
                next_boundary := next_boundary + 1;
            END LOOP;
            EXIT WHEN boundaries[next_boundary] = list[last + 1].first;
            last := last + 1;
            low := least(low, list[last].level);
        END LOOP;
        start := list[first].first;
        ending := list[last].first + lengths[last];
        first_line_of_unit := line;
        WHILE at < ending LOOP
            at := at + length(lines[line]);
            line := line + 1;
        END LOOP;
        IF ending - start <= limits.maximum THEN
            cuts := ARRAY[ending - start];
        ELSE
            unit := array_to_string(lines[first_line_of_unit:line - 1], '');
            first_item := CASE WHEN cardinality(items) > 0 THEN width_bucket(start - 1, items) + 1 ELSE 1 END;
            last_item := CASE WHEN cardinality(items) > 0 THEN width_bucket(ending - 1, items) ELSE 0 END;
            cuts := _passage.cut_unit(unit, ARRAY[list[last].first - start, coalesce(list[last].rows, list[last].first) - start],
                ARRAY(SELECT item - start FROM unnest(items[first_item:last_item]) AS item ORDER BY item), item_depths[first_item:last_item], limits);
        END IF;
        before := 0;
        part_start := 0;
        part := CASE WHEN cardinality(cuts) > 1 THEN left(unit, 30000) END;
        FOREACH cut IN ARRAY cuts LOOP
            IF before > part_start + 30000 THEN
                part_start := before - 1;
                part := substr(unit, before, 30001);
            END IF;
            WHILE header_firsts[next_header + 1] <= start + before LOOP
                next_header := next_header + 1;
            END LOOP;
            RETURN NEXT (start + before, start + cut, cut - before, list[last].section, false, low,
                CASE WHEN next_header > 0 AND start + before < header_ends[next_header] THEN headers[next_header] END,
                CASE WHEN before = 0 THEN start > 0 AND NOT is_divided ELSE substr(part, before - part_start, 1) IN (E'\n', E'\r', ' ', E'\t') END)::_passage.prose_chunk;
            before := cut;
        END LOOP;
        first := last + 1;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.prose_pieces(text, _passage.prose_blocks, _passage.split_limits) IS 'pieces of prose in document order';

-- Merges pieces to chunks by the rules of core/split/src/split/merge.rs.

CREATE FUNCTION _passage.merged_pieces(value text, blocks _passage.prose_blocks, limits _passage.split_limits) RETURNS _passage.prose_chunk[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    chunks _passage.prose_chunk[] := '{}';
    merged _passage.prose_chunk;
    piece _passage.prose_chunk;
    common integer;
    section integer;
    shared boolean;
    joins boolean;
BEGIN
    FOR piece IN SELECT * FROM _passage.prose_pieces(value, blocks, limits) LOOP
        joins := merged.first IS NOT NULL AND merged.size + piece.size <= limits.maximum AND piece.is_joinable;
        IF joins THEN
            common := _passage.common_ancestor(blocks, merged.section, piece.section);
            shared := merged.is_shared OR common <> merged.section AND common <> piece.section;
            section := CASE WHEN NOT merged.is_shared AND common = merged.section THEN piece.section WHEN shared THEN common ELSE merged.section END;
            IF (piece.level IN (1, 2) OR _passage.is_release(blocks.titles[piece.section]) OR _passage.is_release(blocks.titles[merged.section])) AND _passage.common_ancestor(blocks, section, piece.section) <> piece.section THEN
                joins := false;
            END IF;
            joins := joins AND (merged.size + piece.size <= limits.preferred OR merged.size < limits.minimum OR piece.size < limits.minimum);
        END IF;
        IF joins THEN
            merged.ending := piece.ending;
            merged.size := merged.size + piece.size;
            merged.level := least(merged.level, piece.level);
            merged.section := section;
            merged.is_shared := shared;
        ELSE
            IF merged.first IS NOT NULL THEN
                chunks := chunks || merged;
            END IF;
            merged := piece;
        END IF;
    END LOOP;
    RETURN CASE WHEN merged.first IS NULL THEN chunks ELSE chunks || merged END;
END
$$;

COMMENT ON FUNCTION _passage.merged_pieces(text, _passage.prose_blocks, _passage.split_limits) IS 'chunks of prose without preambles';

CREATE FUNCTION _passage.section_titles(blocks _passage.prose_blocks, section integer) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    titles text[] := '{}';
BEGIN
    WHILE section > 1 LOOP
        titles := blocks.titles[section] || titles;
        section := blocks.parents[section];
    END LOOP;
    RETURN titles;
END
$$;

COMMENT ON FUNCTION _passage.section_titles(_passage.prose_blocks, integer) IS 'titles of a section from the root down';
