-- The lines that fragments return, as in core/passages/src/fragments/select_fragments.rs, which explains the rules: hits best first,
-- each with the whole lines that its chunk touches, until the budget is spent. A hit that does not fit is narrowed to its best
-- lines. Ranges of lines and bytes end behind the last one.

CREATE TYPE _passage.fragment AS (run integer, first_line integer, end_line integer, run_start integer, run_end integer, tokens integer, hits integer[], truncation text);

-- A hit: its chunk, the lines that it touches, and these with their blocks. `whole` is whether all lines were read and fit alone,
-- and `growth` how many times as many tokens they have as the chunk.

CREATE TYPE _passage.hit_lines AS (
    run integer, run_start integer, run_end integer, touched_first integer, touched_end integer, first_line integer, end_line integer, is_whole boolean, growth double precision
);

CREATE FUNCTION _passage.trimmed_lines(lines _passage.text_line[], INOUT first integer, INOUT ending integer)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    WHILE first < ending AND lines[ending - 1].is_blank LOOP
        ending := ending - 1;
    END LOOP;
    WHILE first < ending AND lines[first].is_blank LOOP
        first := first + 1;
    END LOOP;
END
$$;

COMMENT ON FUNCTION _passage.trimmed_lines(_passage.text_line[], integer, integer) IS 'lines without blank ones at the ends';

CREATE FUNCTION _passage.line_tokens(lines _passage.text_line[], first integer, ending integer) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    tokens double precision := 0;
BEGIN
    FOR at IN first .. ending - 1 LOOP
        tokens := tokens + lines[at].tokens;
    END LOOP;
    RETURN tokens;
END
$$;

COMMENT ON FUNCTION _passage.line_tokens(_passage.text_line[], integer, integer) IS 'tokens of lines';

-- The tokens of a range of bytes, from a line on that it touches.

CREATE FUNCTION _passage.byte_tokens(lines _passage.text_line[], first integer, run_start integer, run_end integer) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    tokens double precision := 0;
    line _passage.text_line;
    at integer := first;
    run CONSTANT integer := lines[first].run;
BEGIN
    LOOP
        line := lines[at];
        EXIT WHEN (line.run = run AND line.run_start < byte_tokens.run_end) IS NOT TRUE;
        tokens := tokens + line.tokens * (least(byte_tokens.run_end, line.run_end) - greatest(byte_tokens.run_start, line.run_start))::double precision / (line.run_end - line.run_start)::double precision;
        at := at + 1;
    END LOOP;
    RETURN tokens;
END
$$;

COMMENT ON FUNCTION _passage.byte_tokens(_passage.text_line[], integer, integer, integer) IS 'tokens of a range of bytes';

-- The block of a line if it was read and fits into the budget, else the line alone.

CREATE FUNCTION _passage.fitting_block(lines _passage.text_line[], at integer, max_tokens integer, OUT first integer, OUT ending integer)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    fits boolean;
BEGIN
    first := lines[at].block_first;
    ending := lines[at].block_end;
    fits := _passage.line_tokens(lines, first, ending) <= max_tokens;
    FOR i IN first .. ending - 1 LOOP
        EXIT WHEN NOT fits;
        fits := lines[i].is_complete;
    END LOOP;
    IF NOT fits THEN
        first := at;
        ending := at + 1;
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.fitting_block(_passage.text_line[], integer, integer) IS 'block of a line that fits into the budget';

CREATE FUNCTION _passage.hit_lines(lines _passage.text_line[], chunk _passage.source_chunk, max_tokens integer) RETURNS _passage.hit_lines
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    hit _passage.hit_lines;
    range record := _passage.trimmed_lines(lines, chunk.first_at, chunk.end_at);
    above record;
    below record;
BEGIN
    hit.run := chunk.run;
    hit.run_start := chunk.run_start;
    hit.run_end := chunk.run_end;
    hit.touched_first := range.first;
    hit.touched_end := range.ending;
    hit.is_whole := true;
    hit.growth := 1;
    IF range.first < range.ending THEN
        above := _passage.fitting_block(lines, range.first, max_tokens);
        below := _passage.fitting_block(lines, range.ending - 1, max_tokens);
        range := _passage.trimmed_lines(lines, least(above.first, range.first), greatest(below.ending, range.ending));
        FOR at IN range.first .. range.ending - 1 LOOP
            hit.is_whole := hit.is_whole AND lines[at].is_complete AND lines[at].tokens <= max_tokens;
        END LOOP;
        hit.growth := greatest(1, _passage.line_tokens(lines, range.first, range.ending) / greatest(1, _passage.byte_tokens(lines, chunk.first_at, chunk.run_start, chunk.run_end)));
    END IF;
    hit.first_line := range.first;
    hit.end_line := range.ending;
    RETURN hit;
END
$$;

COMMENT ON FUNCTION _passage.hit_lines(_passage.text_line[], _passage.source_chunk, integer) IS 'lines of a hit';

-- The lines of a hit as units, in pairs: blocks, and single lines of blocks that are too long.

CREATE FUNCTION _passage.line_units(lines _passage.text_line[], hit _passage.hit_lines, max_tokens integer) RETURNS integer[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ending CONSTANT integer := least(hit.end_line, hit.first_line + 16384);
    units integer[] := '{}';
    unit record;
    at integer := hit.first_line;
BEGIN
    WHILE at < ending LOOP
        unit := _passage.fitting_block(lines, at, max_tokens);
        IF unit.first = lines[at].block_first AND unit.ending = lines[at].block_end THEN
            units := units || unit.first || unit.ending;
            at := unit.ending;
        ELSE
            -- The block is examined once and not for each line.
            FOR line IN at .. least(lines[at].block_end, ending) - 1 LOOP
                units := units || line || (line + 1);
            END LOOP;
            at := least(lines[at].block_end, ending);
        END IF;
    END LOOP;
    RETURN units;
END
$$;

COMMENT ON FUNCTION _passage.line_units(_passage.text_line[], _passage.hit_lines, integer) IS 'lines of a hit as units';

-- The most relevant window of lines among those that fit. Lines without relevance represent the hit only if they are most of it,
-- or the only result.

CREATE FUNCTION _passage.best_window(lines _passage.text_line[], hit _passage.hit_lines, weights double precision[], room integer, max_tokens integer, must_be_relevant boolean, OUT first integer, OUT ending integer)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    units CONSTANT integer[] := _passage.line_units(lines, hit, max_tokens);
    count CONSTANT integer := cardinality(units) / 2;
    unit_tokens double precision[] := '{}';
    unit_weights double precision[] := '{}';
    fits boolean[] := '{}';
    fit boolean;
    weight double precision;
    total double precision := 0;
    tokens double precision;
    score double precision;
    weighted double precision;
    aside double precision;
    last integer;
    best_score double precision;
    best_aside double precision;
    best_first integer;
    best_last integer;
    range record;
BEGIN
    FOR unit IN 1 .. count LOOP
        fit := true;
        weight := 0;
        FOR at IN units[2 * unit - 1] .. units[2 * unit] - 1 LOOP
            fit := fit AND lines[at].is_complete AND lines[at].tokens <= max_tokens;
            weight := weight + coalesce(weights[at], 0);
        END LOOP;
        fits[unit] := fit;
        unit_weights[unit] := weight;
        unit_tokens[unit] := _passage.line_tokens(lines, units[2 * unit - 1], units[2 * unit]);
        total := total + weight;
    END LOOP;
    FOR start IN 1 .. count LOOP
        tokens := 0;
        score := 0;
        weighted := 0;
        last := NULL;
        FOR unit IN start .. count LOOP
            EXIT WHEN NOT fits[unit] OR tokens + unit_tokens[unit] > room;
            weighted := weighted + unit_weights[unit] * (tokens + unit_tokens[unit] / 2.0::double precision);
            tokens := tokens + unit_tokens[unit];
            score := score + unit_weights[unit];
            last := unit;
        END LOOP;
        CONTINUE WHEN last IS NULL;
        aside := CASE WHEN score > 0 THEN abs(weighted / score - tokens / 2.0::double precision) ELSE start - 1 END;
        IF best_score IS NULL OR score > best_score OR score = best_score AND aside <= best_aside THEN
            best_score := score;
            best_aside := aside;
            best_first := start;
            best_last := last;
        END IF;
    END LOOP;
    IF best_score IS NULL THEN
        RETURN;
    END IF;
    range := _passage.trimmed_lines(lines, units[2 * best_first - 1], units[2 * best_last]);
    IF range.first < range.ending AND (NOT must_be_relevant OR best_score > 0
            OR total <= 0 AND 2 * _passage.line_tokens(lines, range.first, range.ending) >= _passage.line_tokens(lines, hit.first_line, hit.end_line)) THEN
        first := range.first;
        ending := range.ending;
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.best_window(_passage.text_line[], _passage.hit_lines, double precision[], integer, integer, boolean) IS 'most relevant lines of a hit that fit';

-- The part of a hit in a line that is too long. It is cut to the remaining tokens if it is the only fragment.

CREATE FUNCTION _passage.part_of_line(lines _passage.text_line[], content text, hit _passage.hit_lines, weights double precision[], room integer, max_tokens integer, is_only boolean, OUT line integer, OUT run_start integer, OUT run_end integer)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    best double precision;
    long _passage.text_line;
    tokens double precision;
    bytes bytea;
BEGIN
    FOR at IN hit.touched_first .. hit.touched_end - 1 LOOP
        long := lines[at];
        IF NOT (long.is_complete AND long.tokens <= max_tokens) AND (best IS NULL OR coalesce(weights[at], 0) >= best) THEN
            best := coalesce(weights[at], 0);
            line := at;
        END IF;
    END LOOP;
    IF line IS NULL THEN
        RETURN;
    END IF;
    long := lines[line];
    run_start := greatest(long.run_start, hit.run_start);
    run_end := least(long.text_end, hit.run_end);
    tokens := _passage.byte_tokens(lines, line, run_start, run_end);
    IF tokens > room AND NOT is_only OR run_end <= run_start THEN
        line := NULL;
        RETURN;
    END IF;
    run_end := run_start + trunc((run_end - run_start)::double precision * CASE WHEN tokens > 0 THEN least(room / tokens, 1) ELSE 1 END)::integer;
    bytes := convert_to(content, 'UTF8');
    WHILE run_end < length(bytes) AND run_end > 0 AND get_byte(bytes, run_end) & 192 = 128 LOOP
        run_end := run_end - 1;
    END LOOP;
    IF run_end <= run_start THEN
        line := NULL;
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.part_of_line(_passage.text_line[], text, _passage.hit_lines, double precision[], integer, integer, boolean) IS 'part of a hit in a line that is too long';

CREATE FUNCTION _passage.spent_tokens(fragments _passage.fragment[]) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT coalesce(sum(tokens), 0)::bigint FROM unnest(fragments) AS fragment $$;

COMMENT ON FUNCTION _passage.spent_tokens(_passage.fragment[]) IS 'tokens of fragments';

-- The fragments with lines for a hit, merged with those that only blank lines separate from them. NULL if the limits do not allow it.

CREATE FUNCTION _passage.fragments_with_lines(fragments _passage.fragment[], lines _passage.text_line[], hit integer, run integer, first integer, ending integer, max_fragments integer, max_tokens integer) RETURNS _passage.fragment[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    new _passage.fragment := (run, first, ending, lines[first].run_start, lines[ending - 1].text_end, 0, ARRAY[hit], NULL);
    others _passage.fragment[] := '{}';
    one _passage.fragment;
    touches boolean;
BEGIN
    FOREACH one IN ARRAY fragments LOOP
        touches := one.run = run AND one.truncation IS DISTINCT FROM 'line';
        IF touches THEN
            FOR at IN CASE WHEN one.first_line <= first THEN one.end_line ELSE ending END .. CASE WHEN one.first_line <= first THEN first ELSE one.first_line END - 1 LOOP
                touches := touches AND lines[at].is_blank;
            END LOOP;
        END IF;
        IF touches THEN
            new.first_line := least(new.first_line, one.first_line);
            new.end_line := greatest(new.end_line, one.end_line);
            new.run_start := least(new.run_start, one.run_start);
            new.run_end := greatest(new.run_end, one.run_end);
            new.hits := new.hits || one.hits;
        ELSE
            others := others || one;
        END IF;
    END LOOP;
    new.hits := ARRAY(SELECT listed FROM unnest(new.hits) AS listed ORDER BY listed);
    new.tokens := ceil(_passage.line_tokens(lines, new.first_line, new.end_line));
    IF lines[new.first_line].block_first < new.first_line OR new.end_line < lines[new.first_line].block_end
            OR lines[new.end_line - 1].block_first < new.first_line OR new.end_line < lines[new.end_line - 1].block_end THEN
        new.truncation := 'block';
    END IF;
    RETURN _passage.accepted_fragments(others || new, max_fragments, max_tokens);
END
$$;

COMMENT ON FUNCTION _passage.fragments_with_lines(_passage.fragment[], _passage.text_line[], integer, integer, integer, integer, integer, integer) IS 'fragments with more lines, if they fit';

CREATE FUNCTION _passage.fragments_with_part(fragments _passage.fragment[], lines _passage.text_line[], hit integer, run integer, line integer, run_start integer, run_end integer, max_fragments integer, max_tokens integer) RETURNS _passage.fragment[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    one _passage.fragment;
BEGIN
    FOR i IN 1 .. cardinality(fragments) LOOP
        one := fragments[i];
        IF one.run = run AND one.truncation = 'line' AND one.first_line = line AND (one.run_end = run_start OR run_end = one.run_start) THEN
            one.run_start := least(one.run_start, fragments_with_part.run_start);
            one.run_end := greatest(one.run_end, fragments_with_part.run_end);
            one.tokens := ceil(_passage.byte_tokens(lines, line, one.run_start, one.run_end));
            one.hits := one.hits || hit;
            fragments[i] := one;
            RETURN _passage.accepted_fragments(fragments, max_fragments, max_tokens);
        END IF;
    END LOOP;
    one := (run, line, line + 1, run_start, run_end, ceil(_passage.byte_tokens(lines, line, run_start, run_end)), ARRAY[hit], 'line');
    RETURN _passage.accepted_fragments(fragments || one, max_fragments, max_tokens);
END
$$;

COMMENT ON FUNCTION _passage.fragments_with_part(_passage.fragment[], _passage.text_line[], integer, integer, integer, integer, integer, integer, integer) IS 'fragments with a part of a line, if it fits';

CREATE FUNCTION _passage.accepted_fragments(fragments _passage.fragment[], max_fragments integer, max_tokens integer) RETURNS _passage.fragment[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN cardinality(fragments) <= max_fragments AND _passage.spent_tokens(fragments) <= max_tokens
        THEN ARRAY(SELECT one FROM unnest(fragments) AS one ORDER BY one.hits[1]) END
$$;

COMMENT ON FUNCTION _passage.accepted_fragments(_passage.fragment[], integer, integer) IS 'fragments in the order of their hits, NULL beyond the limits';

-- The weights of lines by the words in them, at the places of the lines. Very long lines, and those behind the first megabyte, have
-- none: to find the lexemes of a megabyte takes a second.

CREATE FUNCTION _passage.line_weights(store name, terms _passage.query_terms, lines _passage.text_line[], places integer[]) RETURNS double precision[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    language CONSTANT regconfig := coalesce((_passage.store_facts(store)).language::regconfig, get_current_ts_config());
    lexemes CONSTANT text[] := (terms.parsed).lexemes;
    -- A syllable is the beginning of the pairs that a line has.
    are_syllables CONSTANT boolean[] := ARRAY(SELECT _passage.is_syllable(lexeme) FROM unnest(lexemes) WITH ORDINALITY AS listed (lexeme, number) ORDER BY number);
    room integer := 1048576;
    weights double precision[] := '{}';
    found text[];
    content text;
    place integer;
BEGIN
    IF coalesce(cardinality(lexemes), 0) = 0 THEN
        RETURN weights;
    END IF;
    FOREACH place IN ARRAY places LOOP
        content := lines[place].content;
        CONTINUE WHEN octet_length(content) > least(65536, room);
        room := room - octet_length(content);
        found := tsvector_to_array(to_tsvector(language, _passage.searchable_text(language, content || ' ' || _passage.identifier_parts(content))));
        weights[place] := (SELECT sum(terms.word_weights[word] ORDER BY word) FROM (
            SELECT DISTINCT own.word FROM unnest(lexemes, are_syllables) WITH ORDINALITY AS listed (lexeme, is_syllable, number) JOIN _passage.lexeme_words(terms) AS own ON own.lexeme = number
            WHERE listed.lexeme = ANY (found) OR listed.is_syllable AND EXISTS (SELECT FROM unnest(found) AS pair WHERE starts_with(pair, listed.lexeme))) AS of_line);
    END LOOP;
    RETURN weights;
END
$$;

COMMENT ON FUNCTION _passage.line_weights(name, _passage.query_terms, _passage.text_line[], integer[]) IS 'weights of lines by their words';

-- Hits are places of chunks. Without terms, as for the beginning of a document, no line has a weight.

CREATE FUNCTION _passage.select_fragments(store name, terms _passage.query_terms, text_runs _passage.text_runs, hits integer[], max_fragments integer, max_tokens integer) RETURNS _passage.fragment[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    lines CONSTANT _passage.text_line[] := text_runs.lines;
    hit_lines _passage.hit_lines[] := '{}';
    turns integer[];
    fragments _passage.fragment[] := '{}';
    accepted _passage.fragment[];
    one _passage.fragment;
    candidate _passage.hit_lines;
    weights double precision[];
    scored integer[];
    units integer[];
    range record;
    room integer;
    is_covered boolean;
    can_be_cut boolean;
    hit integer;
BEGIN
    IF max_fragments = 0 THEN
        RETURN fragments;
    END IF;
    FOR i IN 1 .. cardinality(hits) LOOP
        hit_lines[i] := _passage.hit_lines(lines, text_runs.chunks[hits[i]], max_tokens);
    END LOOP;
    -- A hit that grows far beyond its chunk has less relevant text for each token.
    turns := ARRAY(SELECT place::integer FROM unnest(hit_lines) WITH ORDINALITY AS listed (run, run_start, run_end, touched_first, touched_end, first_line, end_line, is_whole, growth, place)
        ORDER BY (5.0::double precision + (place - 1)::double precision) * growth, place);
    FOR turn IN 1 .. cardinality(turns) LOOP
        hit := turns[turn];
        candidate := hit_lines[hit];
        CONTINUE WHEN candidate.touched_first >= candidate.touched_end;
        is_covered := false;
        FOR i IN 1 .. cardinality(fragments) LOOP
            one := fragments[i];
            IF one.run = candidate.run AND one.truncation IS DISTINCT FROM 'line' AND one.first_line <= candidate.touched_first AND candidate.touched_end <= one.end_line THEN
                one.hits := one.hits || hit;
                fragments[i] := one;
                is_covered := true;
                EXIT;
            END IF;
        END LOOP;
        CONTINUE WHEN is_covered;
        IF candidate.is_whole THEN
            accepted := _passage.fragments_with_lines(fragments, lines, hit, candidate.run, candidate.first_line, candidate.end_line, max_fragments, max_tokens);
            IF accepted IS NOT NULL THEN
                fragments := accepted;
                CONTINUE;
            END IF;
        END IF;
        room := greatest(max_tokens - _passage.spent_tokens(fragments), 0);
        CONTINUE WHEN cardinality(fragments) > 0 AND room < max_tokens / 16;
        can_be_cut := false;
        FOR at IN candidate.touched_first .. candidate.touched_end - 1 LOOP
            can_be_cut := can_be_cut OR NOT (lines[at].is_complete AND lines[at].tokens <= max_tokens);
        END LOOP;
        units := CASE WHEN can_be_cut THEN '{}' ELSE _passage.line_units(lines, candidate, max_tokens) END;
        FOR unit IN 1 .. cardinality(units) / 2 LOOP
            EXIT WHEN can_be_cut;
            can_be_cut := _passage.line_tokens(lines, units[2 * unit - 1], units[2 * unit]) <= room;
        END LOOP;
        CONTINUE WHEN NOT can_be_cut;
        IF scored IS NULL THEN
            -- Lines are scored once, because it takes long: those of this hit and of as many behind it as fragments may follow.
            scored := ARRAY(SELECT DISTINCT line FROM unnest(turns[turn:turn + max_fragments - 1]) AS listed (number)
                CROSS JOIN LATERAL generate_series(hit_lines[number].first_line, least(hit_lines[number].end_line, hit_lines[number].first_line + 16384) - 1) AS line ORDER BY line);
            weights := _passage.line_weights(store, terms, lines, scored);
        END IF;
        CONTINUE WHEN NOT ARRAY(SELECT generate_series(candidate.first_line, least(candidate.end_line, candidate.first_line + 16384) - 1)) <@ scored;
        range := _passage.best_window(lines, candidate, weights, room, max_tokens, true);
        IF range.first IS NOT NULL THEN
            fragments := coalesce(_passage.fragments_with_lines(fragments, lines, hit, candidate.run, range.first, range.ending, max_fragments, max_tokens), fragments);
            CONTINUE;
        END IF;
        range := _passage.part_of_line(lines, (text_runs.runs[candidate.run]).content, candidate, weights, room, max_tokens, cardinality(fragments) = 0);
        IF range.line IS NOT NULL THEN
            fragments := coalesce(_passage.fragments_with_part(fragments, lines, hit, candidate.run, range.line, range.run_start, range.run_end, max_fragments, max_tokens), fragments);
        END IF;
    END LOOP;
    IF cardinality(fragments) = 0 AND scored IS NOT NULL THEN
        -- A few lines of a document that was found are more useful than an empty result.
        FOREACH hit IN ARRAY turns LOOP
            candidate := hit_lines[hit];
            CONTINUE WHEN NOT ARRAY(SELECT generate_series(candidate.first_line, least(candidate.end_line, candidate.first_line + 16384) - 1)) <@ scored;
            range := _passage.best_window(lines, candidate, weights, max_tokens, max_tokens, false);
            CONTINUE WHEN range.first IS NULL;
            accepted := _passage.fragments_with_lines(fragments, lines, hit, candidate.run, range.first, range.ending, max_fragments, max_tokens);
            EXIT WHEN accepted IS NOT NULL;
        END LOOP;
        fragments := coalesce(accepted, fragments);
    END IF;
    RETURN fragments;
END
$$;

COMMENT ON FUNCTION _passage.select_fragments(name, _passage.query_terms, _passage.text_runs, integer[], integer, integer) IS 'lines for hits, in the order of their best hits';
