-- Twins of the functions for sections, and of those for the column tsv.
--
-- Values are equal to those of core, byte for byte: stored columns survive a move to the native extension and back. The
-- rules and their reasons are in core/split/src/label.rs and key.rs, and in core/passages/src/search/ normalize.rs,
-- scripts.rs, searchable_text.rs and identifiers.rs. Variables have the collation C, because a regular expression refuses
-- collations that are not deterministic.

-- The elements of an array of any shape, where a NULL counts as an empty text.

CREATE FUNCTION _passage.titles(section text[]) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF coalesce(array_ndims(section), 1) = 1 AND coalesce(array_lower(section, 1), 1) = 1 THEN
        RETURN array_replace(section, NULL, '');
    END IF;
    RETURN ARRAY(SELECT coalesce(title, '') FROM unnest(section) WITH ORDINALITY AS listed (title, place) ORDER BY place);
END
$$;

COMMENT ON FUNCTION _passage.titles(text[]) IS 'section titles as a list';

CREATE FUNCTION _passage.encode_title(title text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- Each character has at least one byte of the label.
    label text COLLATE "C" := left(title, 256);
    sign text;
BEGIN
    IF label ~ '^[0-9A-Za-z]{1,255}$' THEN
        RETURN label;
    ELSIF label = '' THEN
        RETURN '_';
    END IF;
    -- What replaces a sign is letters, digits and "_", and "_" is replaced first.
    label := replace(label, '_', '__');
    FOR sign IN SELECT DISTINCT matched[1] FROM regexp_matches(label, '[^0-9A-Za-z_]', 'g') AS matched LOOP
        label := replace(label, sign, regexp_replace(upper(encode(convert_to(sign, 'UTF8'), 'hex')), '(..)', '_\1', 'g'));
    END LOOP;
    IF length(label) <= 255 THEN
        RETURN label;
    END IF;
    RETURN substring(left(label, 237) FROM '^(?:[0-9A-Za-z]|__|_[0-9A-F]{2})*')
        || '_h' || encode(substring(sha256(convert_to(title, 'UTF8')) FROM 1 FOR 8), 'hex');
END
$$;

COMMENT ON FUNCTION _passage.encode_title(text) IS 'label of a title';

-- Bytes that are not UTF-8 become U+FFFD, one for each part that no valid character begins with.

CREATE FUNCTION _passage.decode_bytes(hex text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- The longest beginning of a character, and whole characters.
    part CONSTANT text := '..|e0[ab].|e[1-9abcef][89ab].|ed[89].|f0[9ab].|f0[9ab].[89ab].|f[123][89ab].|f[123][89ab].[89ab].|f48.|f48.[89ab].';
    whole CONSTANT text := '[0-7].|c[2-9a-f][89ab].|d.[89ab].|e0[ab].[89ab].|e[1-9abcef][89ab].[89ab].|ed[89].[89ab].'
        '|f0[9ab].[89ab].[89ab].|f[123][89ab].[89ab].[89ab].|f48.[89ab].[89ab].';
BEGIN
    RETURN convert_from(decode((
        SELECT string_agg(CASE WHEN matched[1] COLLATE "C" ~ ('^(?:' || whole || ')$') THEN matched[1] ELSE 'efbfbd' END, '' ORDER BY place)
        FROM regexp_matches(hex COLLATE "C", whole || '|' || part, 'g') WITH ORDINALITY AS listed (matched, place)), 'hex'), 'UTF8');
END
$$;

COMMENT ON FUNCTION _passage.decode_bytes(text) IS 'text of bytes in hexadecimal, with U+FFFD for those that are not UTF-8';

CREATE FUNCTION _passage.decode_label(label text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    bytes CONSTANT integer := octet_length(label);
    token text COLLATE "C";
    done integer := 0;
    hex text := '';
BEGIN
    IF label = '_' THEN
        RETURN '';
    ELSIF strpos(label, '_') = 0 THEN
        RETURN label;
    END IF;
    FOR token IN SELECT matched[1] FROM regexp_matches(label COLLATE "C", '__|_h|_[0-9A-F]{2}|[^_]+|_', 'g') AS matched LOOP
        done := done + octet_length(token);
        IF token = '_h' AND bytes - done = 16 THEN
            hex := hex || 'e280a6';
            EXIT;
        END IF;
        hex := hex || CASE WHEN token = '__' THEN '5f' WHEN token ~ '^_[0-9A-F]' THEN lower(substr(token, 2))
            ELSE encode(convert_to(token, 'UTF8'), 'hex') END;
    END LOOP;
    RETURN _passage.decode_bytes(hex);
END
$$;

COMMENT ON FUNCTION _passage.decode_label(text) IS 'title of a label';

CREATE FUNCTION _passage.hash_titles(titles text[]) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    hashed bytea := 'passage section 1';
    title text;
BEGIN
    FOREACH title IN ARRAY titles LOOP
        hashed := hashed || int8send(octet_length(title)) || convert_to(title, 'UTF8');
    END LOOP;
    RETURN ('x' || encode(substring(sha256(hashed) FROM 1 FOR 8), 'hex'))::bit(64)::bigint;
END
$$;

COMMENT ON FUNCTION _passage.hash_titles(text[]) IS 'hash of a list of titles, which all are texts';

-- Names whose signs the parser drops are words. ".net" comes first: a name behind another one does not stand alone, and no
-- name but this one begins where another one ends.

CREATE FUNCTION _passage.replace_signs(value text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    written text COLLATE "C" := value;
    name text;
    word text;
BEGIN
    IF written !~ '[cCgG]\+\+|[cCfF]#|\.[nN][eE][tT]' THEN
        RETURN value;
    END IF;
    FOR name, word IN VALUES ('\.[nN][eE][tT]', 'dotnet'), ('[cC]\+\+', 'cplusplus'), ('[gG]\+\+', 'gplusplus'), ('[cC]#', 'csharp'), ('[fF]#', 'fsharp') LOOP
        written := regexp_replace(written,
            '(^|[^0-9A-Za-z_.+#' || _passage.class_naming() || '])' || name
                || '(?![' || CASE word WHEN 'dotnet' THEN '0-9' ELSE '' END || 'A-Za-z_+#' || _passage.class_named() || '])',
            '\1 ' || word || ' ', 'g');
    END LOOP;
    RETURN written;
END
$$;

COMMENT ON FUNCTION _passage.replace_signs(text) IS 'text with names such as C++ as words';

CREATE FUNCTION _passage.normalize_text(value text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    written text COLLATE "C" := value;
    invisible CONSTANT text := '[' || _passage.class_invisible() || ']+';
    form CONSTANT text := '[' || _passage.class_form() || ']';
    matched text;
BEGIN
    written := regexp_replace(regexp_replace(written, invisible, '', 'g'), '([\u0900-\u0dff])\u200c+', '\1', 'g');
    written := translate(written, U&'\2010\2011', '--');
    FOR matched IN SELECT DISTINCT match[1] FROM regexp_matches(written, form, 'g') AS match LOOP
        written := replace(written, matched, regexp_replace(normalize(matched, NFKD) COLLATE "C", invisible, '', 'g'));
    END LOOP;
    RETURN normalize(written, NFC);
END
$$;

COMMENT ON FUNCTION _passage.normalize_text(text) IS 'text in normalization form C, with the usual forms of letters and without invisible characters';

-- Each syllable of a run in these texts ends in U+E000, which is not a letter, so no searchable text has it.

CREATE FUNCTION _passage.end_syllables(runs text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    opening CONSTANT text := '[' || _passage.class_opening() || ']';
    -- A character with those that continue its syllable, the last of which can be one that opens the syllable again.
    rest CONSTANT text := '[' || _passage.class_continuing() || ']*';
    again CONSTANT text := rest || '[' || _passage.class_opening_mark() || ']';
    first CONSTANT text := '[' || _passage.class_first() || ']';
    other CONSTANT text := '[' || _passage.class_other() || ']';
BEGIN
    RETURN regexp_replace(runs COLLATE "C",
        '(?:' || opening || '|' || first || again || ')(?:' || opening || '|' || other || again || ')*(?:' || other || rest || ')?|' || first || rest,
        U&'\\&\E000', 'g');
END
$$;

COMMENT ON FUNCTION _passage.end_syllables(text) IS 'text with U+E000 behind each syllable of its runs without spaces';

CREATE FUNCTION _passage.searchable_runs(value text, as_pairs boolean) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    written text COLLATE "C" := value;
BEGIN
    IF octet_length(written) = length(written) THEN
        RETURN _passage.replace_signs(written);
    END IF;
    written := _passage.replace_signs(_passage.normalize_text(written));
    IF octet_length(written) = length(written) THEN
        RETURN written;
    END IF;
    written := regexp_replace(written, '[^\u0001-\u007f' || _passage.class_kept() || ']', ' ', 'g');
    IF written !~ ('[' || _passage.class_unspaced() || ']') THEN
        RETURN written;
    ELSIF NOT as_pairs THEN
        RETURN regexp_replace(written, _passage.pattern_runs(), ' \& ', 'g');
    END IF;
    -- Of the run 1 2 3, each syllable is written twice: "1 12 23 3". Then the first and the last one are removed.
    written := _passage.end_syllables(regexp_replace(written, _passage.pattern_runs(), U&'\E001\\&\E002', 'g'));
    written := regexp_replace(written, U&'\E001([^\E000\E002]*)\E000\E002', ' \1 ', 'g');
    written := regexp_replace(written, U&'([^ \E000\E001]+)\E000', '\1 \1', 'g');
    RETURN regexp_replace(regexp_replace(written, U&'\E001[^ ]* ', ' ', 'g'), U&' [^ ]*\E002', ' ', 'g');
END
$$;

COMMENT ON FUNCTION _passage.searchable_runs(text, boolean) IS 'searchable text, with runs without spaces whole or as pairs of syllables';

-- The last syllables of the runs without spaces of a searchable text, each once. A run of one syllable is a word of its own.

CREATE FUNCTION _passage.last_syllables(searchable text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (
        SELECT string_agg(last, ' ' ORDER BY place)
        FROM (
            SELECT last, min(place) AS place
            FROM regexp_matches(searchable COLLATE "C", '[^\u0009-\u000d ]+', 'g') WITH ORDINALITY AS listed (matched, place)
            CROSS JOIN LATERAL (SELECT _passage.end_syllables(matched[1])) AS ended (run)
            CROSS JOIN LATERAL (SELECT split_part(run, U&'\E000', -2) COLLATE "C") AS cut (last)
            WHERE matched[1] COLLATE "C" ~ ('^[' || _passage.class_unspaced() || ']') AND run COLLATE "C" ~ U&'\E000.*\E000'
            GROUP BY last ORDER BY min(place) LIMIT 2048
        ) AS distinct_last);
END
$$;

COMMENT ON FUNCTION _passage.last_syllables(text) IS 'last syllables of runs without spaces, each once';

-- The numbers within a run that dots or hyphens join, and the beginnings of versions and addresses.

CREATE FUNCTION _passage.run_numbers(run text, letters text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (
        SELECT string_agg(part, ' ' ORDER BY place)
        FROM (
            -- The text before each number and behind it; the last row has no number.
            SELECT place, matched[2] AS number, right(matched[1], 1) COLLATE "C" AS before, left(lead(matched[1]) OVER (ORDER BY place), 1) COLLATE "C" AS behind
            FROM regexp_matches(run COLLATE "C", '([^0-9]*)([0-9]+(?:(?:\.[0-9]+)+|(?:-[0-9]+)+)?|$)', 'g') WITH ORDINALITY AS listed (matched, place)
        ) AS cut
        CROSS JOIN LATERAL (SELECT concat_ws(' ',
            CASE WHEN number ~ '^[0-9]+\.[0-9]+(\.[0-9]+){1,2}$' THEN substring(number FROM '^[0-9]+\.[0-9]+') END,
            CASE WHEN number ~ '^[0-9]+(\.[0-9]+){3}$' THEN substring(number FROM '^[0-9]+\.[0-9]+\.[0-9]+') END,
            CASE WHEN number <> run THEN number END)) AS written (part)
        -- Hyphens also join the hexadecimal digits of a UUID.
        WHERE part <> '' AND (number ~ '\.' OR number ~ '-' AND before !~ ('[' || letters || ']') AND (behind = 'T' OR behind !~ ('[' || letters || ']'))));
END
$$;

COMMENT ON FUNCTION _passage.run_numbers(text, text) IS 'joined numbers of a run';

CREATE FUNCTION _passage.run_parts(run text, letters text, upper text, is_ascii boolean) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    joined CONSTANT boolean := run COLLATE "C" ~ '[./@]'
        AND run COLLATE "C" ~ ('[A-Za-z' || CASE WHEN is_ascii THEN '' ELSE _passage.class_alphabetic() END || ']');
    hump CONSTANT text := '(' || upper || ')(?=' || upper || '[a-z' || CASE WHEN is_ascii THEN '' ELSE _passage.class_lower() END || '])';
    others CONSTANT text := '([^ ' || substr(upper, 2) || ')(?=' || upper || ')';
    segment text COLLATE "C";
    humps text COLLATE "C";
    parts text;
BEGIN
    FOR segment IN SELECT matched[1] FROM regexp_matches(run COLLATE "C", '[' || letters || ']+', 'g') AS matched LOOP
        humps := segment;
        IF NOT is_ascii THEN
            humps := regexp_replace(humps, _passage.pattern_alphabet_change(), '\& ', 'g');
        END IF;
        humps := regexp_replace(regexp_replace(humps, others, '\1 ', 'g'), hump, '\1 ', 'g');
        parts := concat_ws(' ', parts, CASE WHEN joined THEN segment END, CASE WHEN humps <> segment THEN humps END);
    END LOOP;
    RETURN nullif(concat_ws(' ', parts, _passage.run_numbers(run, letters)), '');
END
$$;

COMMENT ON FUNCTION _passage.run_parts(text, text, text, boolean) IS 'parts of a compound word';

-- twin: encode_section_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    title text;
    label text;
    path text := '';
    stored integer := 8;
BEGIN
    FOREACH title IN ARRAY section LOOP
        label := _passage.encode_title(coalesce(title, ''));
        -- ltree stores a length of two bytes before each label, aligned to eight.
        stored := stored + (length(label) + 9) / 8 * 8;
        EXIT WHEN stored > 1000;
        path := path || CASE path WHEN '' THEN '' ELSE '.' END || label;
    END LOOP;
    RETURN path;
END
$$;

-- twin: decode_section_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN ARRAY(
        SELECT _passage.decode_label(label) FROM unnest(string_to_array(path, '.')) WITH ORDINALITY AS listed (label, place)
        WHERE place <= 65535 ORDER BY place);
END
$$;

-- twin: section_key_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN _passage.hash_titles(_passage.titles(section));
END
$$;

-- twin: parent_key_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF cardinality(section) = 0 THEN
        RETURN NULL;
    END IF;
    RETURN _passage.hash_titles(trim_array(_passage.titles(section), 1));
END
$$;

-- twin: is_ancestor_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN cardinality(ancestor) < cardinality(section)
        AND (_passage.titles(section))[:cardinality(ancestor)] COLLATE "C" = _passage.titles(ancestor);
END
$$;

-- twin: common_section_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    one CONSTANT text[] COLLATE "C" := _passage.titles(a);
    other CONSTANT text[] COLLATE "C" := _passage.titles(b);
    shared integer := 0;
BEGIN
    WHILE shared < cardinality(one) AND one[shared + 1] = other[shared + 1] LOOP
        shared := shared + 1;
    END LOOP;
    RETURN one[:shared];
END
$$;

-- twin: merge_sections_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    shared CONSTANT text[] := passage.common_section(a_section, b_section);
BEGIN
    level := greatest(least(a_level, b_level), 0);
    section := CASE cardinality(shared)
        WHEN cardinality(a_section) THEN _passage.titles(b_section)
        WHEN cardinality(b_section) THEN _passage.titles(a_section)
        ELSE shared END;
    RETURN NEXT;
END
$$;

-- twin: text_head_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    kept integer := greatest(bytes, 0);
    encoded bytea;
BEGIN
    IF octet_length(text_head.text) <= kept THEN
        RETURN text_head.text;
    END IF;
    encoded := convert_to(text_head.text, 'UTF8');
    WHILE kept > 0 AND get_byte(encoded, kept) & 192 = 128 LOOP
        kept := kept - 1;
    END LOOP;
    RETURN convert_from(substring(encoded FROM 1 FOR kept), 'UTF8');
END
$$;

-- twin: section_text_wrapper
LANGUAGE sql
RETURN pg_catalog.array_to_string(section, E'\n', '');

-- twin: searchable_text_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN _passage.searchable_runs(searchable_text.text,
        EXISTS (SELECT FROM pg_ts_config WHERE oid = language AND cfgparser = 3722));
END
$$;

-- twin: identifier_parts_wrapper
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    searchable CONSTANT text COLLATE "C" := _passage.searchable_runs(_passage.text_head(identifier_parts.text, 1048576), false);
    is_ascii CONSTANT boolean := octet_length(searchable) = length(searchable);
    letters CONSTANT text := '0-9A-Za-z' || CASE WHEN is_ascii THEN '' ELSE _passage.class_alphanumeric() END;
    upper CONSTANT text := '[A-Z' || CASE WHEN is_ascii THEN '' ELSE _passage.class_upper() END || ']';
    -- A run from its first to its last letter or number.
    run CONSTANT text := '[' || letters || '](?:[' || letters || './@_:~+=-]*[' || letters || '])?';
    -- Most runs of prose have no parts.
    compound CONSTANT text := '[./@]|[0-9]-[0-9]|.' || upper || CASE WHEN is_ascii THEN '' ELSE '|' || _passage.pattern_alphabet_change() END;
    parts text;
BEGIN
    SELECT string_agg(part, ' ' ORDER BY place) INTO parts
    FROM (
        SELECT place, _passage.run_parts(matched[1], letters, upper, is_ascii) AS part
        FROM regexp_matches(searchable, run, 'g') WITH ORDINALITY AS listed (matched, place)
        WHERE matched[1] COLLATE "C" ~ compound
    ) AS given;
    IF NOT is_ascii AND searchable ~ ('[' || _passage.class_unspaced() || ']') THEN
        RETURN concat_ws(' ', parts, _passage.last_syllables(searchable));
    END IF;
    RETURN coalesce(parts, '');
END
$$;
