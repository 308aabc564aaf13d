-- Sections: the rules of kinship, and the values that a store derives from a section.
--
-- PostgreSQL resolves the names in these SQL bodies when the functions are created. So a restore, which
-- runs with an empty search_path, finds ltree in any schema. The encoding is Rust, and frozen as version 1:
-- a change would rewrite every store.

CREATE FUNCTION _passage.encode_section(section text[]) RETURNS text
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'encode_section_wrapper';

COMMENT ON FUNCTION _passage.encode_section(text[]) IS 'text form of the ltree path of a section';

CREATE FUNCTION _passage.decode_section(path text) RETURNS text[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'decode_section_wrapper';

COMMENT ON FUNCTION _passage.decode_section(text) IS 'section titles of the text form of an ltree path';

CREATE FUNCTION passage.section_path(section text[]) RETURNS ltree
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN text2ltree(_passage.encode_section(section));

COMMENT ON FUNCTION passage.section_path(text[]) IS 'returns a section as an ltree path, of at most 1000 bytes
section: titles from the root down; a NULL title counts as empty';

CREATE FUNCTION passage.section_titles(path ltree) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN _passage.decode_section(ltree2text(path));

COMMENT ON FUNCTION passage.section_titles(ltree) IS 'returns the section titles of an ltree path; a label that was cut ends in an ellipsis
path: what section_path returned';

CREATE FUNCTION passage.section_key(section text[]) RETURNS bigint
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'section_key_wrapper';

COMMENT ON FUNCTION passage.section_key(text[]) IS 'returns a 64-bit hash of a section, by which an index finds its chunks; for the column section_key of a store
section: titles from the root down; a NULL title counts as empty';

CREATE FUNCTION passage.parent_key(section text[]) RETURNS bigint
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'parent_key_wrapper';

COMMENT ON FUNCTION passage.parent_key(text[]) IS 'returns a 64-bit hash of the parent section, NULL at the root; for the column parent_key of a store
section: titles from the root down; a NULL title counts as empty';

CREATE FUNCTION passage.is_ancestor(ancestor text[], section text[]) RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'is_ancestor_wrapper';

COMMENT ON FUNCTION passage.is_ancestor(text[], text[]) IS 'returns whether a section is above another, at any distance
ancestor: titles of the upper section; section: titles of the lower one';

CREATE FUNCTION passage.common_section(a text[], b text[]) RETURNS text[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'common_section_wrapper';

COMMENT ON FUNCTION passage.common_section(text[], text[]) IS 'returns the longest section that two sections share
a, b: titles from the root down';

CREATE FUNCTION passage.merge_sections(
    a_level integer, a_section text[], b_level integer, b_section text[]
) RETURNS TABLE (level integer, section text[])
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 1
AS 'MODULE_PATHNAME', 'merge_sections_wrapper';

COMMENT ON FUNCTION passage.merge_sections(integer, text[], integer, text[]) IS 'returns level and section of two neighbouring chunks merged into one
a_level, b_level: depths that the splitter gave, 0 is the root
a_section, b_section: titles from the root down';

-- Full text covers the preamble, the titles and the beginning of the content. Each is limited in bytes,
-- since a tsvector holds at most 1 MB and a larger one would make the INSERT fail.

CREATE FUNCTION _passage.text_head(text text, bytes integer) RETURNS text
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'text_head_wrapper';

COMMENT ON FUNCTION _passage.text_head(text, integer) IS 'beginning of a text, of at most so many bytes, cut between characters';

CREATE FUNCTION _passage.section_text(section text[]) RETURNS text
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'section_text_wrapper';

COMMENT ON FUNCTION _passage.section_text(text[]) IS 'section titles, one a line';

-- Equal text in other forms of its characters is one text, and a script without spaces is written as pairs of
-- syllables, unless the parser of the configuration finds its words. Queries pass through the same function.

CREATE FUNCTION _passage.searchable_text(language regconfig, text text) RETURNS text
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'searchable_text_wrapper';

COMMENT ON FUNCTION _passage.searchable_text(regconfig, text) IS 'text as it is indexed and searched: normalized, and split where the script changes';

-- PostgreSQL's parser treats getUser, array.sort and v2.3.0-rc.1 as one word each. So their parts are indexed as
-- well: parts of titles with the weight of titles, parts of the content with C.

CREATE FUNCTION _passage.identifier_parts(text text) RETURNS text
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'identifier_parts_wrapper';

COMMENT ON FUNCTION _passage.identifier_parts(text) IS 'parts of compound words in the first 1048576 bytes';

-- The version of what chunk_tsv returns. A store records the one that computed its column tsv, and check_store reports
-- another one.

CREATE FUNCTION _passage.tsv_version() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 1;

COMMENT ON FUNCTION _passage.tsv_version() IS 'version of what chunk_tsv returns';

CREATE FUNCTION passage.chunk_tsv(language regconfig, preamble text, section text[], content text)
RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN pg_catalog.setweight(pg_catalog.to_tsvector(language, _passage.searchable_text(language, _passage.text_head(coalesce(preamble, ''), 16384))), 'A')
    OPERATOR(pg_catalog.||) pg_catalog.setweight(pg_catalog.to_tsvector(language, _passage.identifier_parts(_passage.text_head(coalesce(preamble, ''), 16384))), 'A')
    OPERATOR(pg_catalog.||) pg_catalog.setweight(pg_catalog.to_tsvector(language, _passage.searchable_text(language, _passage.text_head(_passage.section_text(coalesce(section, '{}')), 16384))), 'B')
    OPERATOR(pg_catalog.||) pg_catalog.setweight(pg_catalog.to_tsvector(language, _passage.identifier_parts(_passage.text_head(_passage.section_text(coalesce(section, '{}')), 16384))), 'B')
    OPERATOR(pg_catalog.||) pg_catalog.setweight(pg_catalog.to_tsvector(language, _passage.searchable_text(language, _passage.text_head(coalesce(content, ''), 262144))), 'D')
    OPERATOR(pg_catalog.||) pg_catalog.setweight(pg_catalog.to_tsvector(language, _passage.identifier_parts(_passage.text_head(coalesce(content, ''), 262144))), 'C');

COMMENT ON FUNCTION passage.chunk_tsv(regconfig, text, text[], text) IS 'returns the tsvector of a chunk: preamble with weight A, section B, content D, and parts of its compound words C; for the column tsv of a store
language: text search configuration
preamble: text before the content, its first 16384 bytes; NULL counts as empty
section: titles, their first 16384 bytes; NULL counts as empty
content: its first 262144 bytes; NULL counts as empty';
