-- Corrections of misspelled words, as in core/passages/src/fragments/corrections.rs, which explains the rules, and
-- extension/src/corrections/.
--
-- A word counts only if a chunk that the caller sees has it. So words of chunks that a policy hides change nothing.

-- A word that may be meant instead of a misspelled one: the number of the lexeme of the latter, its own lexeme and text, and how
-- likely it is.

CREATE TYPE _passage.correction AS (origin integer, lexeme text, weight double precision, content text);

-- The words from which a word differs by one slip: a letter that was swapped, added, omitted or changed. There are 26 times as
-- many ways to add or change a letter, so a certain one of them is less likely.

CREATE FUNCTION _passage.slips(word text, threshold double precision) RETURNS TABLE (content text, weight double precision)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 500
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    is_ascii CONSTANT boolean := octet_length(word) = length(word);
    other CONSTANT text := '[^0-9A-Za-z' || CASE WHEN is_ascii THEN '' ELSE _passage.class_alphanumeric() END || ']+';
    letters CONSTANT text COLLATE "C" := lower(regexp_replace(word COLLATE "C", format('^%1$s|%1$s$', other), '', 'g') COLLATE "default");
    count CONSTANT integer := length(letters);
    alphabet text[];
BEGIN
    IF letters !~ ('^[A-Za-z' || CASE WHEN is_ascii THEN '' ELSE _passage.class_alphabetic() END || ']{4,24}$') THEN
        RETURN;
    END IF;
    -- The letters of English, of the word, and of its script.
    alphabet := ARRAY(
        SELECT chr(code) FROM generate_series(97, 122) AS code
        UNION
        SELECT regexp_split_to_table(letters, '')
        UNION
        SELECT chr(code) FROM (VALUES (224, 255), (940, 974), (1072, 1105)) AS script (first, last) CROSS JOIN LATERAL generate_series(first, last) AS code
        WHERE NOT is_ascii AND letters ~ format('[%s-%s]', chr(first), chr(last)) AND chr(code) COLLATE "C" ~ ('[' || _passage.class_lower() || ']'));
    RETURN QUERY
        SELECT slip.content, max(likeness / slip.alternatives) AS likely
        FROM (
            SELECT left(letters, at - 1) || substr(letters, at + 1, 1) || substr(letters, at, 1) || substr(letters, at + 2), 1 FROM generate_series(1, count - 1) AS at
            UNION ALL
            -- A letter that was typed twice has no alternatives.
            SELECT left(letters, at - 1) || substr(letters, at + 1), CASE WHEN at > 1 AND substr(letters, at, 1) = substr(letters, at - 1, 1) THEN 1 ELSE 26 END FROM generate_series(1, count) AS at
            UNION ALL
            SELECT left(letters, at) || letter || substr(letters, at + 1), 1 FROM generate_series(0, count) AS at CROSS JOIN unnest(alphabet) AS letter
            UNION ALL
            SELECT left(letters, at - 1) || letter || substr(letters, at + 1), 26 FROM generate_series(1, count) AS at CROSS JOIN unnest(alphabet) AS letter
        ) AS slip (content, alternatives)
        CROSS JOIN LATERAL (SELECT 1.0::double precision - 1.0::double precision / greatest(length(slip.content), count)) AS compared (likeness)
        WHERE slip.content COLLATE "C" <> letters AND likeness >= threshold
        GROUP BY slip.content;
END
$$;

COMMENT ON FUNCTION _passage.slips(text, double precision) IS 'words from which a word differs by one slip';

-- The words of a query without a lexeme that any chunk has. Most pairs of a run without spaces cross the end of a word, so a
-- missing one is not misspelled.

CREATE FUNCTION _passage.unmatched_words(parsed _passage.parsed_query, is_found boolean[]) RETURNS integer[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ARRAY(
        SELECT place::integer FROM unnest(parsed.words) WITH ORDINALITY AS listed (content, whole, parts, place)
        WHERE NOT EXISTS (SELECT FROM unnest(whole || parts) AS lexeme WHERE is_found[lexeme])
            AND NOT (octet_length(content) > length(content) AND content COLLATE "C" ~ ('^[' || _passage.class_unspaced() || ']'))
        ORDER BY place)
$$;

COMMENT ON FUNCTION _passage.unmatched_words(_passage.parsed_query, boolean[]) IS 'words of a query that no chunk has';

-- The corrections of at most four words, most likely first. A word of several lexemes is a compound, whose parts are other words.

CREATE FUNCTION _passage.corrected_words(store name, parsed _passage.parsed_query, words integer[], threshold double precision) RETURNS _passage.correction[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    language CONSTANT regconfig := coalesce((_passage.store_facts(store)).language::regconfig, get_current_ts_config());
BEGIN
    RETURN ARRAY(
        SELECT (best.origin, best.lexeme, best.weight, best.content)::_passage.correction
        FROM (
            SELECT DISTINCT ON (misspelled.origin, found.lexeme COLLATE "C") misspelled.origin, found.lexeme, slip.weight, slip.content
            FROM (
                SELECT whole[1] AS origin, content FROM unnest(parsed.words) WITH ORDINALITY AS listed (content, whole, parts, place)
                WHERE place = ANY (words) AND cardinality(whole) = 1 ORDER BY array_position(words, place::integer) LIMIT 4
            ) AS misspelled
            CROSS JOIN LATERAL _passage.slips(misspelled.content, threshold) AS slip
            CROSS JOIN LATERAL unnest(to_tsvector(language, slip.content)) AS found (lexeme, positions, weights)
            WHERE found.lexeme <> parsed.lexemes[misspelled.origin]
            ORDER BY misspelled.origin, found.lexeme COLLATE "C", slip.weight DESC, slip.content COLLATE "C"
        ) AS best
        ORDER BY best.weight DESC, best.lexeme COLLATE "C");
END
$$;

COMMENT ON FUNCTION _passage.corrected_words(name, _passage.parsed_query, integer[], double precision) IS 'corrections of words of a query, most likely first';

-- Those of some lexemes that chunks have which the caller sees, how many of the read chunks have each, and these chunks. Common
-- words may take all chunks of a statement, so the others are searched again without them.
--
-- A policy excludes the index, and hundreds of words would be compared with every chunk. So the lexemes of at most 20,000
-- chunks are read and looked up in the words.

CREATE FUNCTION _passage.present_lexemes(store name, lexemes text[], filter jsonb, required text, OUT present text[], OUT counts bigint[], OUT ids uuid[])
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET max_parallel_workers_per_gather = 0
AS $$
DECLARE
    has_policies CONSTANT boolean := row_security_active(format('%I.chunks', store)::regclass);
    clause CONSTANT text := _passage.filter_clause(store, filter, false, NULL);
    rest text[] := lexemes;
    query text;
    found jsonb;
    all_found jsonb := '{}';
    new_ids uuid[];
BEGIN
    ids := '{}';
    FOR round IN 1 .. CASE WHEN has_policies THEN 1 ELSE 3 END LOOP
        EXIT WHEN coalesce(cardinality(rest), 0) = 0;
        query := CASE WHEN has_policies THEN nullif(required, '')
            ELSE (SELECT string_agg(_passage.quoted_lexeme(lexeme), '|') FROM unnest(rest) AS lexeme) END;
        IF NOT has_policies AND required <> '' THEN
            query := format('(%s)&%s', query, required);
        END IF;
        EXECUTE format($sql$
            WITH listed AS MATERIALIZED (SELECT c.id, c.tsv FROM %I.chunks AS c%s%s LIMIT %s)
            SELECT ARRAY(SELECT id FROM listed WHERE NOT $2 OR tsvector_to_array(tsv) && $1),
                (SELECT jsonb_object_agg(lexeme, number) FROM (SELECT lexeme, count(*) AS number FROM listed CROSS JOIN LATERAL unnest(tsvector_to_array(tsv)) AS lexeme WHERE lexeme = ANY ($1) GROUP BY 1) AS counted)$sql$,
            store, clause, ' AND c.tsv @@ ' || quote_literal(query) || '::tsquery', CASE WHEN has_policies THEN 20000 ELSE 500 END) INTO new_ids, found USING lexemes, has_policies;
        found := coalesce(found, '{}');
        ids := ids || new_ids;
        all_found := (SELECT coalesce(jsonb_object_agg(key, number), '{}') FROM (
            SELECT key, sum(value::bigint) AS number FROM (SELECT * FROM jsonb_each_text(all_found) UNION ALL SELECT * FROM jsonb_each_text(found)) AS listed GROUP BY key) AS added);
        EXIT WHEN cardinality(new_ids) < 500 OR NOT EXISTS (SELECT FROM unnest(rest) AS lexeme WHERE found ? lexeme);
        rest := ARRAY(SELECT lexeme FROM unnest(rest) AS lexeme WHERE NOT found ? lexeme);
    END LOOP;
    SELECT coalesce(array_agg(lexeme), '{}'), coalesce(array_agg((all_found ->> lexeme)::bigint), '{}') INTO present, counts
    FROM unnest(lexemes) AS lexeme WHERE all_found ? lexeme;
END
$$;

COMMENT ON FUNCTION _passage.present_lexemes(name, text[], jsonb, text) IS 'lexemes that chunks have which the caller sees';

-- The query whose words that no chunk has are replaced by their most likely corrections, with a notice for each; NULL without.
-- A short word that differs by a less likely slip is another word, unless nothing else is found.

CREATE FUNCTION _passage.corrected_query(store name, parsed _passage.parsed_query, filter jsonb, unmatched integer[], is_alone boolean) RETURNS _passage.parsed_query
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    likely CONSTANT _passage.correction[] := ARRAY(
        SELECT (origin, lexeme, weight, content)::_passage.correction FROM unnest(_passage.corrected_words(store, parsed, unmatched, 0.8)) WITH ORDINALITY AS listed (origin, lexeme, weight, content, place)
        WHERE is_alone OR weight >= 0.5 OR length(content) >= 7 ORDER BY place);
    present record;
    word _passage.query_word;
    correction record;
    at integer;
    is_corrected boolean := false;
BEGIN
    IF cardinality(likely) = 0 THEN
        RETURN NULL;
    END IF;
    present := _passage.present_lexemes(store, ARRAY(SELECT DISTINCT lexeme FROM unnest(likely) AS listed), filter, parsed.required);
    FOR correction IN
        SELECT * FROM (
            SELECT DISTINCT ON (origin) origin, lexeme, weight, content, number, place
            FROM unnest(likely) WITH ORDINALITY AS listed (origin, lexeme, weight, content, place) JOIN unnest(present.present, present.counts) AS known (lexeme, number) USING (lexeme)
            ORDER BY origin, weight DESC, number DESC, place
        ) AS best ORDER BY weight DESC, number DESC, place
    LOOP
        is_corrected := true;
        at := array_position(parsed.lexemes, correction.lexeme);
        IF at IS NULL THEN
            CONTINUE WHEN cardinality(parsed.lexemes) >= 64;
            parsed.lexemes := parsed.lexemes || correction.lexeme;
            parsed.is_prefix := parsed.is_prefix || _passage.is_syllable(correction.lexeme);
            at := cardinality(parsed.lexemes);
        END IF;
        FOR i IN 1 .. cardinality(parsed.words) LOOP
            word := parsed.words[i];
            IF word.whole = ARRAY[correction.origin] THEN
                PERFORM _passage.report(format('no chunk has "%s", so "%s" was searched', left(word.content, 100), left(correction.content, 100)),
                    'Put the word in double quotes to search for it as it is written.');
                word.whole := ARRAY[at];
                word.content := correction.content;
                parsed.words[i] := word;
            END IF;
        END LOOP;
    END LOOP;
    RETURN CASE WHEN is_corrected THEN parsed END;
END
$$;

COMMENT ON FUNCTION _passage.corrected_query(name, _passage.parsed_query, jsonb, integer[], boolean) IS 'query with its misspelled words corrected';
