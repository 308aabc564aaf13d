-- Sections: the rules of kinship, and what is derived from a section.
--
-- The bodies of SQL functions are bound when the functions are made, so that restores, which run
-- with an empty search_path, find ltree wherever it was installed. The encoding is Rust, and
-- frozen: changing it would rewrite every store.

CREATE FUNCTION passage.encode_section(section text[]) RETURNS text
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'encode_section_wrapper';

COMMENT ON FUNCTION passage.encode_section(text[]) IS 'section titles as the text of an ltree path';

CREATE FUNCTION passage.decode_section(path text) RETURNS text[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'decode_section_wrapper';

COMMENT ON FUNCTION passage.decode_section(text) IS 'section titles of the text of an ltree path';

CREATE FUNCTION passage.section_path(section text[]) RETURNS ltree
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN text2ltree(passage.encode_section(section));

COMMENT ON FUNCTION passage.section_path(text[]) IS 'section titles as an ltree path';

CREATE FUNCTION passage.section_titles(path ltree) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN passage.decode_section(ltree2text(path));

COMMENT ON FUNCTION passage.section_titles(ltree) IS 'section titles of an ltree path; a label that was cut ends in an ellipsis';

CREATE FUNCTION passage.section_key(section text[]) RETURNS bigint
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'section_key_wrapper';

COMMENT ON FUNCTION passage.section_key(text[]) IS 'hash by which an index finds a section';

CREATE FUNCTION passage.parent_key(section text[]) RETURNS bigint
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'parent_key_wrapper';

COMMENT ON FUNCTION passage.parent_key(text[]) IS 'hash of the parent section; null at the root';

CREATE FUNCTION passage.is_ancestor(ancestor text[], section text[]) RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'is_ancestor_wrapper';

COMMENT ON FUNCTION passage.is_ancestor(text[], text[]) IS 'is the first section above the second, at any distance?';

CREATE FUNCTION passage.common_section(a text[], b text[]) RETURNS text[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'common_section_wrapper';

COMMENT ON FUNCTION passage.common_section(text[], text[]) IS 'longest section that both share';

CREATE FUNCTION passage.merge_sections(
    a_level integer, a_section text[], b_level integer, b_section text[]
) RETURNS TABLE (level integer, section text[])
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 1
AS 'MODULE_PATHNAME', 'merge_sections_wrapper';

COMMENT ON FUNCTION passage.merge_sections(integer, text[], integer, text[]) IS 'level and section of two neighbouring chunks merged into one';

-- What full text covers of a chunk: the preamble, the titles, and the beginning of the content.
-- Each is bounded in bytes, since a tsvector takes a megabyte and an INSERT beyond it would fail.

CREATE FUNCTION passage.text_head(text text, bytes integer) RETURNS text
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'text_head_wrapper';

COMMENT ON FUNCTION passage.text_head(text, integer) IS 'beginning of a text, of at most so many bytes';

CREATE FUNCTION passage.section_text(section text[]) RETURNS text
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'section_text_wrapper';

COMMENT ON FUNCTION passage.section_text(text[]) IS 'section titles, one a line';

-- The parser of PostgreSQL takes getUser, array.sort and a sentence in Japanese for one word each, so
-- their parts are indexed beside them: those of titles with their weight, those of the content with C.

CREATE FUNCTION passage.identifier_parts(text text) RETURNS text
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'identifier_parts_wrapper';

COMMENT ON FUNCTION passage.identifier_parts(text) IS 'parts of compound words, and pairs of characters of scripts without spaces';

CREATE FUNCTION passage.chunk_tsv(language regconfig, preamble text, section text[], content text)
RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN pg_catalog.setweight(pg_catalog.to_tsvector(language, passage.text_head(coalesce(preamble, ''), 16384)), 'A')
    OPERATOR(pg_catalog.||) pg_catalog.setweight(pg_catalog.to_tsvector(language, passage.identifier_parts(passage.text_head(coalesce(preamble, ''), 16384))), 'A')
    OPERATOR(pg_catalog.||) pg_catalog.setweight(pg_catalog.to_tsvector(language, passage.text_head(passage.section_text(coalesce(section, '{}')), 16384)), 'B')
    OPERATOR(pg_catalog.||) pg_catalog.setweight(pg_catalog.to_tsvector(language, passage.identifier_parts(passage.text_head(passage.section_text(coalesce(section, '{}')), 16384))), 'B')
    OPERATOR(pg_catalog.||) pg_catalog.setweight(pg_catalog.to_tsvector(language, passage.text_head(coalesce(content, ''), 262144)), 'D')
    OPERATOR(pg_catalog.||) pg_catalog.setweight(pg_catalog.to_tsvector(language, passage.identifier_parts(passage.text_head(coalesce(content, ''), 262144))), 'C');

COMMENT ON FUNCTION passage.chunk_tsv(regconfig, text, text[], text) IS 'what full text covers of a chunk';
