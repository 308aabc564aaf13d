-- The words of a query, as in core/passages/src/search/ query.rs, file_names.rs and lexemes.rs. Double quotes delimit a phrase,
-- a minus excludes, and all other words are optional.

-- A word has the numbers of its own lexemes and of those of its parts. Lexemes of `is_prefix` are the beginning of others.

CREATE TYPE _passage.query_word AS (content text, whole integer[], parts integer[]);

CREATE TYPE _passage.parsed_query AS (lexemes text[], is_prefix boolean[], words _passage.query_word[], required text);

-- The parts of a compound word of a query: those of the index, without numbers, and the number of a version as one.

CREATE FUNCTION _passage.query_parts(word text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    searchable CONSTANT text COLLATE "C" := _passage.searchable_runs(word, false);
    is_ascii CONSTANT boolean := octet_length(searchable) = length(searchable);
    letters CONSTANT text := '0-9A-Za-z' || CASE WHEN is_ascii THEN '' ELSE _passage.class_alphanumeric() END;
    upper CONSTANT text := '[A-Z' || CASE WHEN is_ascii THEN '' ELSE _passage.class_upper() END || ']';
    hump CONSTANT text := '(' || upper || ')(?=' || upper || '[a-z' || CASE WHEN is_ascii THEN '' ELSE _passage.class_lower() END || '])';
    others CONSTANT text := '([^ ' || substr(upper, 2) || ')(?=' || upper || ')';
    run text COLLATE "C";
    segment text COLLATE "C";
    humps text COLLATE "C";
    number text;
    joined boolean;
    parts text;
BEGIN
    FOR run IN SELECT matched[1] FROM regexp_matches(searchable, '[' || letters || '](?:[' || letters || './@_:~+=-]*[' || letters || '])?', 'g') AS matched LOOP
        joined := run ~ '[./@]' AND run ~ ('[A-Za-z' || CASE WHEN is_ascii THEN '' ELSE _passage.class_alphabetic() END || ']');
        number := CASE WHEN joined THEN substring(run FROM '^[vV]?([0-9][0-9]*\.[0-9.]*)(?![' || letters || '.])') END;
        IF number IS NOT NULL THEN
            parts := concat_ws(' ', parts, number);
            run := substr(run, strpos(run, number) + length(number));
        END IF;
        FOR segment IN SELECT matched[1] FROM regexp_matches(run, '[' || letters || ']+', 'g') AS matched LOOP
            humps := segment;
            IF NOT is_ascii THEN
                humps := regexp_replace(humps, _passage.pattern_alphabet_change(), '\& ', 'g');
            END IF;
            humps := regexp_replace(regexp_replace(humps, others, '\1 ', 'g'), hump, '\1 ', 'g');
            parts := concat_ws(' ', parts, CASE WHEN joined THEN segment END, CASE WHEN humps <> segment THEN humps END);
        END LOOP;
    END LOOP;
    RETURN coalesce(parts, '');
END
$$;

COMMENT ON FUNCTION _passage.query_parts(text) IS 'parts of a compound word of a query';

-- The words of the path of a uri, without scheme, host and ending.

CREATE FUNCTION _passage.uri_words(uri text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce(string_agg(coalesce(nullif(_passage.query_parts(part), ''), part), ' ' ORDER BY place), '')
    FROM regexp_replace(regexp_replace(regexp_replace(uri COLLATE "C", '^.*?://(?:[^/]*/)?', ''), '[?#].*$', ''), '^(.*/)?([^/]+)\.[^./]{0,8}$', '\1\2') AS path
    CROSS JOIN LATERAL regexp_split_to_table(path COLLATE "C", '[^0-9A-Za-z' || _passage.class_alphanumeric() || ']+') WITH ORDINALITY AS listed (part, place)
    WHERE part <> ''
$$;

COMMENT ON FUNCTION _passage.uri_words(text) IS 'words of the path of a uri';

-- The words that the title of a file of prose may have, if a word is its name.

CREATE FUNCTION _passage.title_words(word text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    name text := coalesce(_passage.file_name(word), word);
    base text;
BEGIN
    IF name LIKE '%://%' THEN
        name := substring(regexp_replace(name, '[?#].*$', '') FROM '://[^/]*/(.*)$');
    END IF;
    base := lower(regexp_replace(name, '^.*[/\\]', ''));
    IF name IS NULL OR NOT EXISTS (
        SELECT FROM _passage.media_types() AS known WHERE known.family = 'prose' AND (base = ANY (known.files) OR base LIKE '_%.%' AND substring(base FROM '\.([^.]*)$') = ANY (known.extensions))
            AND NOT EXISTS (SELECT FROM _passage.media_types() AS other WHERE base = ANY (other.files) AND other.name <> known.name)) THEN
        RETURN '';
    END IF;
    RETURN _passage.uri_words(name);
END
$$;

COMMENT ON FUNCTION _passage.title_words(text) IS 'words of the name of a file of prose';

CREATE FUNCTION _passage.file_name(word text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    letters CONSTANT text := '0-9A-Za-z' || CASE WHEN octet_length(word) = length(word) THEN '' ELSE _passage.class_alphanumeric() END;
    path CONSTANT text[] := regexp_match(regexp_replace(word COLLATE "C", '^[^' || letters || ']+|[^' || letters || ']+$', '', 'g') COLLATE "C", '^(.*)[/\\]([^/\\]*)$');
    name CONSTANT text := split_part(path[2], ':', 1);
BEGIN
    RETURN CASE WHEN path[1] !~ ':' AND name ~ '\.' AND name COLLATE "C" ~ ('[A-Za-z' || _passage.class_alphabetic() || ']') THEN name END;
END
$$;

COMMENT ON FUNCTION _passage.file_name(text) IS 'name of the file of a path, NULL for another word';

CREATE FUNCTION _passage.is_syllable(lexeme text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN octet_length(lexeme) > length(lexeme) AND lexeme COLLATE "C" ~ ('^[' || _passage.class_unspaced() || ']')
        AND length(regexp_replace(_passage.end_syllables(lexeme) COLLATE "C", U&'[^\E000]', '', 'g')) <= 1
        AND _passage.end_syllables(lexeme) COLLATE "C" !~ U&'\E000.';
END
$$;

COMMENT ON FUNCTION _passage.is_syllable(text) IS 'whether a lexeme is one syllable of a script without spaces';

CREATE FUNCTION _passage.quoted_lexeme(lexeme text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT '''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''' $$;

COMMENT ON FUNCTION _passage.quoted_lexeme(text) IS 'lexeme as the text of a tsquery';

CREATE FUNCTION _passage.query_words(query text, OUT words text[], OUT phrases text[], OUT excluded text[])
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    rest text COLLATE "C" := _passage.text_head(query, 16384);
    part text;
    is_minus boolean;
    is_phrase boolean;
    others text[] := '{}';
    seen text[] := '{}';
    added text[];
    alphanumeric CONSTANT text := '[0-9A-Za-z' || CASE WHEN octet_length(query) = length(query) THEN '' ELSE _passage.class_alphanumeric() END || ']';
    given text[] := '{}';
    unquoted boolean[] := '{}';
    at integer;
BEGIN
    words := '{}';
    phrases := '{}';
    excluded := '{}';
    IF octet_length(rest) > length(rest) THEN
        rest := _passage.normalize_text(rest);
    END IF;
    LOOP
        rest := ltrim(rest, E' \t\n\f\r\x0b' || U&'\00A0\3000\2003');
        EXIT WHEN rest = '';
        is_minus := rest ~ ('^-("|' || alphanumeric || ')');
        IF is_minus THEN
            rest := substr(rest, 2);
        END IF;
        part := substring(rest FROM '^"([^"]*)"');
        is_phrase := part IS NOT NULL;
        IF is_phrase THEN
            rest := substr(rest, length(part) + 3);
        ELSE
            part := substring(rest FROM '^[^\s\u00a0\u2003\u3000]+');
            -- A quote that is closed begins a phrase.
            at := strpos(substr(part, 2), '"');
            IF at > 0 AND strpos(substr(rest, at + 2), '"') > 0 THEN
                part := left(part, at);
            END IF;
            rest := substr(rest, length(part) + 1);
        END IF;
        IF is_minus THEN
            others := others || part;
            unquoted := unquoted || NOT is_phrase;
        ELSE
            IF is_phrase AND octet_length(part) <= 1024 AND part ~ alphanumeric AND cardinality(phrases) < 8 THEN
                phrases := phrases || part;
            END IF;
            given := given || part;
        END IF;
    END LOOP;
    words := _passage.add_words('{}', given);
    added := '{}';
    FOR i IN 1 .. cardinality(others) LOOP
        -- Someone who enters an option and nothing else looks for it.
        IF cardinality(words) = 0 AND unquoted[i] THEN
            added := added || others[i];
        ELSIF octet_length(others[i]) <= 1024 AND others[i] ~ alphanumeric AND cardinality(excluded) < 8 THEN
            excluded := excluded || others[i];
        END IF;
    END LOOP;
    words := _passage.add_words(words, added);
    IF cardinality(words) = 1 THEN
        words := _passage.add_words(words, ARRAY[_passage.title_words(words[1])]);
    END IF;
    words := _passage.add_words(words, ARRAY[(SELECT string_agg(name, ' ' ORDER BY place) FROM unnest(words) WITH ORDINALITY AS listed (word, place)
        CROSS JOIN LATERAL (SELECT _passage.file_name(word)) AS named (name))]);
END
$$;

COMMENT ON FUNCTION _passage.query_words(text) IS 'words, phrases and exclusions of a query';

CREATE FUNCTION _passage.add_words(words text[], parts text[]) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    seen text[] := ARRAY(SELECT lower(word) FROM unnest(words) AS word);
    word text;
BEGIN
    FOR word IN
        SELECT one_word FROM unnest(parts) WITH ORDINALITY AS listed (part, place)
        CROSS JOIN LATERAL regexp_split_to_table(_passage.searchable_runs(part, false) COLLATE "C", '\s+') WITH ORDINALITY AS split (one_word, number)
        WHERE one_word <> '' ORDER BY place, number
    LOOP
        IF octet_length(word) > 1024 THEN
            CONTINUE WHEN word COLLATE "C" !~ ('^[' || _passage.class_unspaced() || ']');
            word := _passage.text_head(word, 1024);
        END IF;
        IF lower(word) <> ALL (seen) THEN
            seen := seen || lower(word);
            words := words || word;
        END IF;
    END LOOP;
    RETURN words[:64];
END
$$;

COMMENT ON FUNCTION _passage.add_words(text[], text[]) IS 'words with those of other texts, each once';

CREATE FUNCTION _passage.parse_query(store name, query text, with_phrases boolean DEFAULT true) RETURNS _passage.parsed_query
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    language CONSTANT regconfig := coalesce((_passage.store_facts(store)).language::regconfig, get_current_ts_config());
    parsed CONSTANT record := _passage.query_words(query);
    result _passage.parsed_query;
    own text[];
    of_parts text[];
    required text[] := '{}';
    phrase text;
    tsquery text;
    word text;
BEGIN
    result.lexemes := '{}';
    result.words := '{}';
    FOREACH word IN ARRAY parsed.words LOOP
        own := _passage.ordered_lexemes(language, word);
        of_parts := _passage.ordered_lexemes(language, _passage.query_parts(word));
        IF octet_length(word) > length(word) AND word COLLATE "C" ~ ('^[' || _passage.class_unspaced() || ']') THEN
            -- Nobody knows which of the lexemes of a run are words, so each is one.
            FOREACH phrase IN ARRAY own LOOP
                IF phrase <> ALL (result.lexemes) AND cardinality(result.lexemes) < 64 THEN
                    result.lexemes := result.lexemes || phrase;
                    result.words := result.words || (phrase, ARRAY[cardinality(result.lexemes)], '{}')::_passage.query_word;
                END IF;
            END LOOP;
        ELSE
            FOREACH phrase IN ARRAY own || of_parts LOOP
                IF phrase <> ALL (result.lexemes) AND cardinality(result.lexemes) < 64 THEN
                    result.lexemes := result.lexemes || phrase;
                END IF;
            END LOOP;
            own := ARRAY(SELECT array_position(result.lexemes, lexeme) FROM unnest(own) WITH ORDINALITY AS listed (lexeme, place) WHERE lexeme = ANY (result.lexemes) ORDER BY place);
            of_parts := ARRAY(SELECT array_position(result.lexemes, lexeme) FROM unnest(of_parts) WITH ORDINALITY AS listed (lexeme, place) WHERE lexeme = ANY (result.lexemes) ORDER BY place);
            IF cardinality(own || of_parts) > 0 THEN
                result.words := result.words || (word, own::integer[], of_parts::integer[])::_passage.query_word;
            END IF;
        END IF;
    END LOOP;
    result.is_prefix := ARRAY(SELECT _passage.is_syllable(lexeme) FROM unnest(result.lexemes) WITH ORDINALITY AS listed (lexeme, place) ORDER BY place);
    FOR i IN CASE WHEN with_phrases THEN 1 ELSE cardinality(parsed.phrases) + 1 END .. cardinality(parsed.phrases) + cardinality(parsed.excluded) LOOP
        phrase := coalesce(parsed.phrases[i], parsed.excluded[i - cardinality(parsed.phrases)]);
        tsquery := phraseto_tsquery(language, _passage.searchable_text(language, phrase))::text;
        CONTINUE WHEN tsquery = '';
        IF tsquery ~ '^''[^'']*''$' AND _passage.is_syllable(btrim(tsquery, '''')) THEN
            tsquery := tsquery || ':*';
        END IF;
        required := required || (CASE WHEN i > cardinality(parsed.phrases) THEN '!(' ELSE '(' END || tsquery || ')');
    END LOOP;
    result.required := array_to_string(required, '&');
    RETURN result;
END
$$;

COMMENT ON FUNCTION _passage.parse_query(name, text, boolean) IS 'lexemes of a query';

CREATE FUNCTION _passage.ordered_lexemes(language regconfig, word text) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ARRAY(SELECT lexeme FROM unnest(to_tsvector(language, _passage.searchable_text(language, word))) AS listed (lexeme, positions, weights)
        ORDER BY positions[1], lexeme COLLATE "C")
$$;

COMMENT ON FUNCTION _passage.ordered_lexemes(regconfig, text) IS 'lexemes of a word, in their order';

CREATE FUNCTION _passage.word_query(parsed _passage.parsed_query, place integer) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    word CONSTANT _passage.query_word := parsed.words[place];
BEGIN
    RETURN format('(%s)', concat_ws('|',
        (SELECT string_agg(_passage.quoted_lexeme(parsed.lexemes[at]) || CASE WHEN parsed.is_prefix[at] THEN ':*' ELSE '' END, '&' ORDER BY number) FROM unnest(word.whole) WITH ORDINALITY AS listed (at, number)),
        (SELECT string_agg(_passage.quoted_lexeme(parsed.lexemes[at]) || CASE WHEN parsed.is_prefix[at] THEN ':*' ELSE '' END, '&' ORDER BY number) FROM unnest(word.parts) WITH ORDINALITY AS listed (at, number))));
END
$$;

COMMENT ON FUNCTION _passage.word_query(_passage.parsed_query, integer) IS 'tsquery for the chunks that have a word';
