-- From 0.1.0 to 0.2.0: the changes that CREATE OR REPLACE FUNCTION cannot make.
--
-- These are DROP FUNCTION for a function that was removed or takes other arguments, and ALTER FUNCTION for
-- one that moves or gets another name.

DROP FUNCTION passage.filled(text, jsonb);

COMMENT ON SCHEMA passage IS 'pg_passage: search in documents and expansion of hits to readable passages';

-- Release 0.1.0 had one schema. CREATE SCHEMA fails where somebody else has created "_passage": functions
-- in it could be theirs.

CREATE SCHEMA _passage;

COMMENT ON SCHEMA _passage IS 'internal functions of pg_passage, which can change in any release';

GRANT USAGE ON SCHEMA _passage TO PUBLIC;

ALTER FUNCTION passage.store_refusal(name, integer, text, text) RENAME TO check_store_arguments;

ALTER FUNCTION passage.encode_section(text[]) SET SCHEMA _passage;
ALTER FUNCTION passage.decode_section(text) SET SCHEMA _passage;
ALTER FUNCTION passage.text_head(text, integer) SET SCHEMA _passage;
ALTER FUNCTION passage.section_text(text[]) SET SCHEMA _passage;
ALTER FUNCTION passage.identifier_parts(text) SET SCHEMA _passage;
ALTER FUNCTION passage.store_columns(name, integer, text, regconfig) SET SCHEMA _passage;
ALTER FUNCTION passage.store_layout(name, integer, text, text, regconfig) SET SCHEMA _passage;
ALTER FUNCTION passage.store_name(name) SET SCHEMA _passage;
ALTER FUNCTION passage.store_must_exist(name) SET SCHEMA _passage;
ALTER FUNCTION passage.store_must_be_tables(name) SET SCHEMA _passage;
ALTER FUNCTION passage.store_facts(name) SET SCHEMA _passage;
ALTER FUNCTION passage.store_settings(name) SET SCHEMA _passage;
ALTER FUNCTION passage.store_missing(name, integer, text, text, regconfig) SET SCHEMA _passage;
ALTER FUNCTION passage.store_statements(name, integer, text, text, regconfig) SET SCHEMA _passage;
ALTER FUNCTION passage.check_store_arguments(name, integer, text, text) SET SCHEMA _passage;
ALTER FUNCTION passage.policy_template(name, boolean) SET SCHEMA _passage;
ALTER FUNCTION passage.data_problems(name) SET SCHEMA _passage;
ALTER FUNCTION passage.table_problems(name, integer, text, text, regconfig) SET SCHEMA _passage;
ALTER FUNCTION passage.view_problems(name) SET SCHEMA _passage;
ALTER FUNCTION passage.scanned_relations(name, text) SET SCHEMA _passage;
ALTER FUNCTION passage.preset_strategies() SET SCHEMA _passage;
