-- Cuts of a unit that is too long for one chunk, as in core/split/src/split/cut.rs, which explains the rules. Sizes are characters, so
-- nothing is estimated. Offsets are characters of the unit, from 0.

CREATE TYPE _passage.split_limits AS (minimum integer, preferred integer, maximum integer, total integer, overlap integer, split_at text, split_offsets integer[]);

CREATE FUNCTION _passage.parts_of_size(size integer, limits _passage.split_limits) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT greatest((size + greatest(limits.maximum, 1) - 1) / greatest(limits.maximum, 1), (size + greatest(limits.preferred, 1) / 2) / greatest(limits.preferred, 1), 1) $$;

COMMENT ON FUNCTION _passage.parts_of_size(integer, _passage.split_limits) IS 'number of pieces of a size';

CREATE FUNCTION _passage.ends_sentence(value text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT coalesce(right(rtrim(right(value, 16), E' \t"'')]*_'), 1) IN ('.', '!', '?', ':'), false) $$;

COMMENT ON FUNCTION _passage.ends_sentence(text) IS 'whether a text ends with a sentence';

-- The rank of a cut before a line: 3 after a blank line, 2 after a sentence, 1 after another line, 0 before a bracket. NULL before a
-- blank line, which stays with the text before it.

CREATE FUNCTION _passage.line_rank(before text, line text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN coalesce(ltrim(line, E' \t>\r\n'), '') = '' THEN NULL WHEN ltrim(line, E' \t>') ~ '^[]{})]' THEN 0
        WHEN ltrim(before, E' \t>\r\n') = '' THEN 3 ELSE 1 + _passage.ends_sentence(rtrim(before, E'\r\n'))::integer END
$$;

COMMENT ON FUNCTION _passage.line_rank(text, text) IS 'rank of a cut before a line';

-- The best of some cuts: the highest rank, then the nearest to the goal. One before half of the goal is used only without others.

CREATE FUNCTION _passage.best_cut(points integer[], ranks integer[], goal integer, least_end integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT point FROM unnest(points, ranks) AS listed (point, rank) WHERE rank IS NOT NULL
    ORDER BY point >= least_end DESC, CASE WHEN point >= least_end THEN rank END DESC, CASE WHEN point >= least_end THEN abs(point - goal) END, point DESC LIMIT 1
$$;

COMMENT ON FUNCTION _passage.best_cut(integer[], integer[], integer, integer) IS 'best cut of a text';

-- The offset of the next item that is not inside of an item, or the end.

CREATE FUNCTION _passage.next_item(items integer[], item_depths integer[], place integer, ending integer) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    FOR other IN place + 1 .. cardinality(items) LOOP
        EXIT WHEN items[other] >= ending;
        IF item_depths[other] <= item_depths[place] THEN
            RETURN items[other];
        END IF;
    END LOOP;
    RETURN ending;
END
$$;

COMMENT ON FUNCTION _passage.next_item(integer[], integer[], integer, integer) IS 'next item that is not inside of an item';

-- The best cut of a unit behind an offset and up to another one, coarse ones first: items, lines, words.

CREATE FUNCTION _passage.cut_between(
    part_of_unit text, part_start integer, ending integer, lines text[], line_starts integer[], items integer[], item_depths integer[], at integer, after integer, reach integer, minimum integer, goal integer, full_reach integer, closing integer
) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    least_end CONSTANT integer := greatest(at + (goal - at) / 2, at + 1);
    -- Only the lines and the items that are near are looked at.
    first_item CONSTANT integer := CASE WHEN cardinality(items) > 0 THEN width_bucket(after, items) + 1 ELSE 1 END;
    near_items CONSTANT integer[] := CASE WHEN cardinality(items) > 0 THEN items[first_item:width_bucket(reach, items)] ELSE '{}' END;
    near_depths CONSTANT integer[] := CASE WHEN cardinality(items) > 0 THEN item_depths[first_item:width_bucket(reach, items)] ELSE '{}' END;
    first_line CONSTANT integer := width_bucket(after, line_starts);
    depth integer;
    next_item integer;
    early record;
    cut integer;
    part text;
BEGIN
    IF after >= reach THEN
        RETURN NULL;
    END IF;
    SELECT min(item_depth) INTO depth FROM unnest(near_items, near_depths) AS listed (item, item_depth) WHERE item >= least_end;
    SELECT item, item_depth INTO early FROM unnest(near_items, near_depths) AS listed (item, item_depth)
    WHERE item >= at + minimum AND item < least_end AND item_depth < depth ORDER BY item DESC LIMIT 1;
    IF early.item IS NOT NULL THEN
        -- An item is whole if the next one, which is not inside of it, is near.
        next_item := _passage.next_item(items, item_depths, width_bucket(early.item, items), closing);
        IF next_item <= early.item + (full_reach - at) THEN
            RETURN early.item;
        END IF;
    END IF;
    cut := _passage.best_cut(near_items, ARRAY(SELECT -item_depth FROM unnest(near_depths) WITH ORDINALITY AS listed (item_depth, place) ORDER BY place), goal, least_end);
    IF cut IS NULL AND width_bucket(reach, line_starts) > first_line THEN
        SELECT _passage.best_cut(array_agg(start), array_agg(_passage.line_rank(before, line)), goal, least_end) INTO cut
        FROM (SELECT start, line, lag(line) OVER (ORDER BY start) AS before FROM unnest(line_starts[first_line:width_bucket(reach, line_starts)], lines[first_line:width_bucket(reach, line_starts)]) AS listed (start, line)) AS listed
        WHERE start > after AND before IS NOT NULL;
    END IF;
    IF cut IS NULL THEN
        FOR attempt IN 1 .. 2 LOOP
            part := substr(part_of_unit, CASE attempt WHEN 1 THEN greatest(after, least_end - 1) ELSE after END + 1 - part_start, reach + 1 - CASE attempt WHEN 1 THEN greatest(after, least_end - 1) ELSE after END);
            -- What follows a word and what it ends are read from its neighbors, because each call of substr reads the text before it.
            SELECT _passage.best_cut(array_agg(point), array_agg(rank), goal, least_end) INTO cut
            FROM (
                SELECT start + ends AS point, CASE WHEN word ~ '[　。！？]' THEN (word !~ '　')::integer
                    ELSE (next_sign !~ '[a-z]' AND _passage.ends_sentence(words_before || word))::integer END AS rank
                FROM (
                    SELECT word, ends, CASE attempt WHEN 1 THEN greatest(after, least_end - 1) ELSE after END AS start,
                        concat(lag(word, 3) OVER words, lag(word, 2) OVER words, lag(word) OVER words) AS words_before,
                        coalesce(left(lead(word) OVER words, 1), substr(part, ends + 1, 1)) AS next_sign
                    FROM (
                        SELECT matched[1] AS word, place, (sum(length(matched[1])) OVER (ORDER BY place))::integer AS ends
                        FROM regexp_matches(part COLLATE "C", '[^ \t　。！？]*(?:[ \t]+|[　。！？])', 'g') WITH ORDINALITY AS listed (matched, place)
                    ) AS listed WINDOW words AS (ORDER BY place)
                ) AS cuts
                WHERE start + ends > after AND start + ends <= reach AND next_sign !~ '[ \t\r\n]' AND start + ends < ending
            ) AS words;
            EXIT WHEN cut IS NOT NULL;
        END LOOP;
    END IF;
    RETURN cut;
END
$$;

COMMENT ON FUNCTION _passage.cut_between(text, integer, integer, text[], integer[], integer[], integer[], integer, integer, integer, integer, integer, integer, integer) IS 'best cut of a unit';

-- The ends of the pieces of a unit. Before the ties, its body and the rows of its table, it is cut only if too little would fit.

CREATE FUNCTION _passage.cut_unit(unit text, ties integer[], items integer[], item_depths integer[], limits _passage.split_limits) RETURNS integer[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ending CONSTANT integer := length(unit);
    lines CONSTANT text[] := _passage.text_lines(unit);
    line_starts CONSTANT integer[] := ARRAY(SELECT sum(length(line)) OVER (ORDER BY place) - length(line) FROM unnest(lines) WITH ORDINALITY AS listed (line, place) ORDER BY place);
    before_ties CONSTANT integer[] := ARRAY(SELECT length(rtrim(left(unit, tie), E' \t\r\n')) FROM unnest(ties) WITH ORDINALITY AS listed (tie, place) ORDER BY place);
    closing integer := length(rtrim(unit, E' \t\r\n})];,'));
    ends integer[] := '{}';
    at integer := 0;
    remaining integer := CASE WHEN ending <= 32 * greatest(limits.maximum, 1) THEN ending END;
    share integer;
    goal integer;
    reach integer;
    full_reach integer;
    stop integer;
    next integer;
    coarser integer;
    visible integer;
    is_last boolean;
    part text;
    part_start integer := 0;
    place integer;
    is_line boolean;
BEGIN
    IF rtrim(substr(unit, closing + 1), E' \t\r\n') = '' THEN
        closing := ending;
    END IF;
    WHILE at < ending LOOP
        place := CASE WHEN cardinality(items) > 0 THEN width_bucket(at, items) ELSE 0 END;
        is_last := coalesce(items[place] = at, false) AND _passage.next_item(items, item_depths, place, closing) >= closing;
        IF ending - at <= 32 * greatest(limits.maximum, 1) AND (remaining IS NULL OR is_last OR _passage.parts_of_size(remaining, limits) < 2) THEN
            IF _passage.parts_of_size(ending - at, limits) < 2 OR is_last AND ending - at <= limits.maximum THEN
                RETURN ends || ending;
            END IF;
            remaining := ending - at;
        END IF;
        share := greatest(1, CASE WHEN remaining IS NULL THEN limits.preferred ELSE (remaining + _passage.parts_of_size(remaining, limits) - 1) / _passage.parts_of_size(remaining, limits) END);
        goal := least(at + share, ending);
        full_reach := least(at + greatest(limits.maximum, 1), ending);
        reach := full_reach;
        IF at < closing AND closing <= reach THEN
            reach := greatest(closing - 1, at);
        END IF;
        -- To find a character, PostgreSQL reads the text before it. So a part of the unit is read at once.
        IF part IS NULL OR reach + 2 > part_start + 30000 THEN
            part_start := at;
            part := substr(unit, at + 1, 30000 + limits.maximum);
        END IF;
        visible := reach - length(ltrim(substr(part, at + 1 - part_start, reach - at), E' \t\r\n'));
        next := NULL;
        stop := reach;
        FOR tie IN REVERSE 3 .. 1 LOOP
            next := _passage.cut_between(part, part_start, ending, lines, line_starts, items, item_depths, at, greatest(at, coalesce((0 || ties)[tie], 0), visible), stop, greatest(limits.minimum / 4, 1), goal, full_reach, closing);
            EXIT WHEN next IS NOT NULL;
            next := least(goal, stop);
            EXIT WHEN next > greatest(at, (0 || ties)[tie]);
            next := stop;
            EXIT WHEN next > greatest(at, (0 || ties)[tie]);
            next := NULL;
            stop := least(reach, CASE tie WHEN 1 THEN 0 ELSE before_ties[tie - 1] - 1 END);
        END LOOP;
        next := coalesce(next, CASE WHEN reach > at THEN reach ELSE at + 1 END);
        IF substr(part, next - part_start, 2) = E'\r\n' THEN
            next := CASE WHEN next - 1 > at THEN next - 1 ELSE next + 1 END;
        END IF;
        -- A coarser cut may be a little behind a fine one.
        stop := least(CASE WHEN at < closing THEN closing ELSE ending END - 1 - at, limits.maximum + limits.maximum / 4) + at;
        coarser := NULL;
        is_line := line_starts[width_bucket(next, line_starts)] = next;
        IF cardinality(items) > 0 THEN
            place := width_bucket(next - 1, items) + 1;
            SELECT item INTO coarser FROM unnest(items[place:width_bucket(stop, items)], item_depths[place:width_bucket(stop, items)]) AS listed (item, item_depth)
            WHERE NOT is_line OR item_depth < coalesce(CASE WHEN items[place] = next THEN item_depths[place] END, 2147483647) ORDER BY item LIMIT 1;
            coarser := CASE WHEN coarser > ties[2] AND coarser - at <= limits.maximum THEN coarser END;
        END IF;
        IF coarser IS NULL AND NOT is_line THEN
            coarser := line_starts[width_bucket(next, line_starts) + 1];
            coarser := CASE WHEN coarser <= stop AND coarser > ties[2] AND coarser - at <= limits.maximum THEN coarser END;
        END IF;
        next := coalesce(coarser, next);
        remaining := remaining - (next - at);
        ends := ends || next;
        at := next;
    END LOOP;
    RETURN ends;
END
$$;

COMMENT ON FUNCTION _passage.cut_unit(text, integer[], integer[], integer[], _passage.split_limits) IS 'ends of the pieces of a unit that is too long';
