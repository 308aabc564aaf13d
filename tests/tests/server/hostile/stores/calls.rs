//! A call of each public function that reads or writes a store.

use super::types::Reach;

/// A call, and the relations of a store that it reads.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub function: &'static str,
    /// The statement, with `@` for the name of the store as a literal, and `§` for the bare name.
    pub sql: &'static str,
    /// The call is made if a column of one of these relations is odd. Empty means all relations.
    pub about: &'static [&'static str],
    /// Whether the call writes; if so, it is rolled back.
    pub writes: bool,
    /// The least reach of a type that the call is made for.
    pub reach: Reach,
}

const ANY: &[&str] = &[];
const HELD: &[&str] = &["documents", "chunks"];
const VECTORS: &[&str] = &["documents", "chunks", "embeddings"];
const OWN: &[&str] = &["strategies"];
const EXPANDED: &[&str] = &["documents", "chunks", "strategies"];
const SEARCHED: &[&str] = &["documents", "chunks", "embeddings", "strategies"];

const fn read(function: &'static str, about: &'static [&'static str], sql: &'static str) -> Call {
    Call { function, sql, about, writes: false, reach: Reach::Tables }
}

const fn write(function: &'static str, about: &'static [&'static str], sql: &'static str) -> Call {
    Call { function, sql, about, writes: true, reach: Reach::Tables }
}

/// A call of administration: SQL over the catalogs, which is slow and reads no values itself.
const fn administer(function: &'static str, sql: &'static str) -> Call {
    Call { function, sql, about: ANY, writes: false, reach: Reach::Everywhere }
}

const fn alter(function: &'static str, sql: &'static str) -> Call {
    Call { function, sql, about: ANY, writes: true, reach: Reach::Everywhere }
}

/// A call that adopts a table of the store. It is slow.
const fn adopt(function: &'static str, about: &'static [&'static str], sql: &'static str) -> Call {
    Call { function, sql, about, writes: true, reach: Reach::Kinds }
}

/// Functions without a store. `arguments.rs` calls them with odd arguments, as it does all functions.
pub const WITHOUT_STORE: &[&str] = &[
    "anchor_letters",
    "check_citations",
    "chunk_tsv",
    "cited_text",
    "common_folders",
    "common_section",
    "decode_section",
    "distributed_size",
    "encode_section",
    "filter",
    "given_document",
    "given_links",
    "has_citus",
    "identifier_parts",
    "link_name",
    "link_path",
    "link_target",
    "ids_of_chunks",
    "is_ancestor",
    "is_own",
    "is_partition_count",
    "is_spread_by_document",
    "is_trusted",
    "is_encoded_data",
    "iso_instant",
    "limits",
    "media_type_of_uri",
    "merge_sections",
    "output",
    "parent_key",
    "preset_strategies",
    "prompt",
    "ranking",
    "searchable_text",
    "section_key",
    "section_path",
    "section_text",
    "section_titles",
    "set_citus_setting",
    "single_line",
    "source_label",
    "split",
    "splitting",
    "text_head",
    "transaction_must_write",
    "tsv_version",
    "words_as_query",
    // Parts of adopt, which calls them, and of the views and triggers that it makes.
    "adopted_columns",
    "adopted_owner_problem",
    "adopted_expression",
    "adopted_framework",
    "adopted_id",
    "adopted_is_readable",
    "adopted_key",
    "adopted_source",
    "adopted_source_id",
    "adopted_statements",
    "adopted_table",
    "adopted_triggers",
    "adopted_view_columns",
    "adopted_write_problem",
    "adoption_hint",
    "adoption_of",
    "adoption_parts",
    "attribute_list",
    "chain_order",
    "check_adopted_expression",
    "check_adopted_source",
    "chunk_advance",
    "column_type",
    "expression_columns",
    "foreign_columns",
    "framework_expressions",
    "keep_adopted",
    "key_column",
    "key_types",
    "may_read",
    "metadata_expressions",
    "metadata_integer",
    "metadata_json",
    "metadata_section",
    "metadata_text",
    "named_table",
    "new_adoption",
    "section_runs",
    "text_settings",
    "trusts",
    "visibility_expressions",
    // Parts of the trigger keep_in_step, which call it.
    "step_arguments",
    "check_step_events",
    "step_ingest",
    "has_step_trigger",
    "step_plan",
    "build_step_plan",
    "step_remove",
    "step_row",
    "step_source_table",
    "step_templates",
    "step_truncate",
    "is_readable_json",
    "is_trusted_by",
    "needed_rights",
    "policy_applies",
    "step_json",
    "step_object",
    "template_parts",
    "tenant_condition",
    "types_of_columns",
    "uri_folders",
];

/// The functions with a call that the SQL edition refuses.
pub const REFUSED: &[&str] = &[
    "adopt",
    "bring_in_step",
    "keep_in_step",
    "refresh_adopted",
    "shard_rows",
    "step_record",
    "step_write",
    "unadopt",
];

macro_rules! prose {
    () => {
        "'{aaaaaaaa-0000-0000-0000-000000000002,aaaaaaaa-0000-0000-0000-000000000004,bbbbbbbb-0000-0000-0000-000000000007}'"
    };
}
macro_rules! document {
    () => {
        "'aaaaaaaa-0000-0000-8000-000000000000'"
    };
}
/// A document of the store and a chunk of it, as the writer takes them.
macro_rules! given_document {
    () => {
        r#"{"id": "aaaaaaaa-0000-0000-8000-000000000000", "is_stored": true, "uri": "guide.md", "collection": "zoo", "version": "1",
        "title": "Guide", "content_hash": "\\x61", "chunks": 1, "metadata": {}}"#
    };
}
macro_rules! given_chunk {
    () => {
        "'{aaaaaaaa-0000-0000-0000-000000000002}', '{0}', '{0}', '{\"{}\"}', '{prose}', '{text}', '{The quokka.}', '{\"\"}', \
        '{3}', '{0}', '{11}', '{1}', '{1}', '{\"{}\"}'"
    };
}
/// A table with one document and a trigger of `keep_in_step`. The call is rolled back. Temporary tables
/// cannot have the trigger. Each store has a table of its own, so sessions do not wait for each other.
macro_rules! notes {
    () => {
        "CREATE TABLE attacker.notes_§ (id pg_catalog.text PRIMARY KEY, body pg_catalog.text);
        DO $do$ BEGIN EXECUTE pg_catalog.format('CREATE TRIGGER step AFTER INSERT OR UPDATE OR DELETE ON attacker.notes_§
            FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step(
                ''text={body}'', ''uri={id}'', ''collection=zoo'', ''version=1'', %L)', pg_catalog.concat('store=', @)); END $do$;
        INSERT INTO attacker.notes_§ VALUES ('guide.md', 'The wombat.')"
    };
}
/// Adopts the table of chunks, whose ids are unique and may be NULL.
macro_rules! adopt_chunks {
    () => {
        "ALTER TABLE §.chunks ADD COLUMN key pg_catalog.int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY;
        SELECT passage.adopt('§.chunks', 'adopted_§', id => 'id', document => 'document_id', ordinal => 'ordinal', section => 'section',
            content => 'content', title => 'preamble', media_type => 'kind', version => 'unit', metadata => 'metadata',
            tokens => 'tokens', start_byte => 'start_byte', first_line => 'first_line', last_line => 'last_line')"
    };
}
macro_rules! facts {
    () => {
        "@, 3, 'cosine', 'vector', 'english', '{}'"
    };
}

pub const CALLS: &[Call] = &[
    read(
        "assemble",
        HELD,
        concat!("SELECT passage.assemble(", document!(), ", ", prose!(), ", store => @)"),
    ),
    read(
        "expand_context",
        EXPANDED,
        "SELECT c::pg_catalog.text FROM passage.expand_context('aaaaaaaa-0000-0000-0000-000000000002', store => @) AS c",
    ),
    read(
        "expand_context",
        HELD,
        "SELECT c::pg_catalog.text FROM passage.expand_context('bbbbbbbb-0000-0000-0000-000000000007', 'hierarchical', store => @) AS c",
    ),
    read(
        "expand_context",
        OWN,
        "SELECT c::pg_catalog.text FROM passage.expand_context('aaaaaaaa-0000-0000-0000-000000000002', 'mine', store => @) AS c",
    ),
    read(
        "expand_context",
        HELD,
        "SELECT c::pg_catalog.text FROM passage.expand_context('aaaaaaaa-0000-0000-0000-000000000002', 'broad', store => @) AS c",
    ),
    read(
        "expand_contexts",
        EXPANDED,
        concat!(
            "SELECT c::pg_catalog.text FROM passage.expand_contexts(",
            prose!(),
            ", '{1,0.5,0.25}', 'broad', store => @) AS c"
        ),
    ),
    read(
        "expand_contexts",
        HELD,
        concat!(
            "SELECT c::pg_catalog.text FROM passage.expand_contexts(",
            prose!(),
            ", strategy => 'merge', limits => passage.limits(count_by => 'tokens'), store => @) AS c"
        ),
    ),
    read(
        "explain_context",
        EXPANDED,
        concat!(
            "SELECT c::pg_catalog.text FROM passage.explain_context(",
            prose!(),
            ", store => @) AS c"
        ),
    ),
    read(
        "explain_context",
        OWN,
        concat!(
            "SELECT c::pg_catalog.text FROM passage.explain_context(",
            prose!(),
            ", strategy => 'mine', store => @) AS c"
        ),
    ),
    read(
        "reassemble",
        EXPANDED,
        concat!(
            "SELECT p::pg_catalog.text FROM passage.reassemble(",
            prose!(),
            ", strategy => 'broad', output => passage.output(gaps => 'comment', imports => true), store => @) AS p"
        ),
    ),
    read(
        "reassemble",
        HELD,
        concat!(
            "SELECT p::pg_catalog.text FROM passage.reassemble(",
            prose!(),
            ", strategy => 'document', store => @) AS p"
        ),
    ),
    read(
        "outline",
        HELD,
        concat!(
            "SELECT o::pg_catalog.text FROM passage.outline(",
            document!(),
            ", hit_ids => ",
            prose!(),
            ", store => @) AS o"
        ),
    ),
    read(
        "outline",
        HELD,
        "SELECT o::pg_catalog.text FROM passage.outline(uri => 'guide.md', store => @) AS o",
    ),
    read("has_links", HELD, "SELECT _passage.has_links(@, false)"),
    read(
        "linked_documents",
        HELD,
        "SELECT _passage.linked_documents(NULL, 'guide.md', @)",
    ),
    read("linked_store", HELD, "SELECT _passage.linked_store(NULL, NULL, 'guide.md', @)"),
    read("label_subqueries", HELD, "SELECT _passage.label_subqueries(@, true)"),
    read(
        "resolved_links",
        HELD,
        "SELECT l::pg_catalog.text FROM _passage.resolved_links(@, NULL, NULL, NULL) AS l WHERE _passage.has_links(@, false)",
    ),
    read(
        "linked_sections",
        HELD,
        "SELECT l::pg_catalog.text FROM (SELECT ARRAY['aaaaaaaa-0000-0000-0000-000000000002'::pg_catalog.uuid]) AS one (hit), _passage.linked_sections(@, hit, hit, 2, true) AS l WHERE _passage.has_links(@, false)",
    ),
    write(
        "write_links",
        HELD,
        concat!(
            "SELECT _passage.write_links(@, false, ",
            document!(),
            ", 'guide.md', '[]', '{}', '{}') WHERE _passage.has_links(@, true)"
        ),
    ),
    write(
        "has_same_links",
        HELD,
        concat!(
            "SELECT _passage.has_same_links(@, false, ",
            document!(),
            ", 'guide.md', '[]', '{}', '{}') WHERE _passage.has_links(@, true)"
        ),
    ),
    read("has_ratings", HELD, "SELECT _passage.has_ratings(@)"),
    read("ratings_must_allow", HELD, "SELECT _passage.ratings_must_allow(@, 'SELECT') WHERE _passage.has_ratings(@)"),
    read("question_lexemes", HELD, "SELECT _passage.question_lexemes(@, 'the quokkas')"),
    read("rating_embeddings", VECTORS, "SELECT r::pg_catalog.text FROM _passage.rating_embeddings(@, 3) AS r"),
    read("ratings_copy", HELD, "SELECT _passage.ratings_copy(@, @, true)"),
    read(
        "rated_chunks",
        VECTORS,
        "SELECT r::pg_catalog.text FROM _passage.rated_chunks(@, 'quokka', '{1,2,3}') AS r WHERE _passage.has_ratings(@)",
    ),
    write(
        "rate",
        VECTORS,
        "SELECT passage.rate('quokka', 'aaaaaaaa-0000-0000-0000-000000000002', 1, store => @) WHERE _passage.has_ratings(@)",
    ),
    read("links", HELD, "SELECT l::pg_catalog.text FROM passage.links(uri => 'guide.md', store => @) AS l"),
    read(
        "backlinks",
        HELD,
        concat!(
            "SELECT l::pg_catalog.text FROM passage.backlinks(document_id => ",
            document!(),
            ", store => @) AS l"
        ),
    ),
    read(
        "search",
        SEARCHED,
        "SELECT p::pg_catalog.text FROM passage.search('quokka', store => @) AS p",
    ),
    read(
        "search",
        VECTORS,
        "SELECT p::pg_catalog.text FROM passage.search('quokka eats', '{1,2,3}', collection => 'zoo', filter => passage.filter(version => '1', uri_pattern => '*', media_type => 'text/*', kind => 'prose', metadata => '{}', min_similarity => 0.1, include_orphaned => true), strategy => 'broad', store => @) AS p",
    ),
    read(
        "search_hits",
        VECTORS,
        "SELECT h::pg_catalog.text FROM passage.search_hits('quokka -wombat \"eats leaves\"', store => @) AS h",
    ),
    read(
        "search_hits",
        VECTORS,
        "SELECT h::pg_catalog.text FROM passage.search_hits(embedding => '{1,2,3}', store => @) AS h",
    ),
    read(
        "search_hits",
        VECTORS,
        "SELECT h::pg_catalog.text FROM passage.search_hits('quokka', '{1,2,3}', filter => passage.filter(path => 'Guide.*'), store => @) AS h",
    ),
    read(
        "similar",
        VECTORS,
        "SELECT s::pg_catalog.text FROM passage.similar('aaaaaaaa-0000-0000-0000-000000000002', store => @) AS s",
    ),
    read(
        "likeness",
        VECTORS,
        concat!("SELECT l::pg_catalog.text FROM _passage.likeness(NULL, ", document!(), ", @) AS l"),
    ),
    read(
        "similar_rows",
        VECTORS,
        "SELECT s::pg_catalog.text FROM _passage.similar_rows('aaaaaaaa-0000-0000-0000-000000000002', NULL, NULL, 3, NULL, NULL, 'content', @) AS s",
    ),
    read(
        "similar",
        VECTORS,
        concat!(
            "SELECT s::pg_catalog.text FROM passage.similar(document_id => ",
            document!(),
            ", by => 'links', store => @) AS s"
        ),
    ),
    read(
        "shared_links",
        VECTORS,
        "SELECT s::pg_catalog.text FROM _passage.shared_links(@, 'aaaaaaaa-0000-0000-0000-000000000002', NULL) AS s",
    ),
    read(
        "linked_rows",
        VECTORS,
        "SELECT r::pg_catalog.text FROM _passage.linked_rows('aaaaaaaa-0000-0000-0000-000000000002', NULL, NULL, 3, NULL, @) AS r",
    ),
    read(
        "listed_chunks",
        VECTORS,
        "SELECT l::pg_catalog.text FROM _passage.listed_chunks('{aaaaaaaa-0000-0000-0000-000000000002}', NULL, passage.filter(path => 'Guide.*'), @) AS l",
    ),
    read(
        "similar",
        VECTORS,
        concat!(
            "SELECT s::pg_catalog.text FROM passage.similar(document_id => ",
            document!(),
            ", filter => passage.filter(min_similarity => 0.1), store => @) AS s"
        ),
    ),
    read(
        "fragments",
        VECTORS,
        "SELECT f::pg_catalog.text FROM passage.fragments('quokka leaves', store => @) AS f",
    ),
    read(
        "fragments",
        VECTORS,
        concat!(
            "SELECT f::pg_catalog.text FROM passage.fragments('quokka leavez', '{1,2,3}', document_id => ",
            document!(),
            ", strategy => 'seed', store => @) AS f"
        ),
    ),
    read(
        "fragments",
        VECTORS,
        "SELECT f::pg_catalog.text FROM passage.fragments('quokka', '{1,2,3}', uri => 'guide.md', strategy => 'semantic', return_full => true, store => @) AS f",
    ),
    read(
        "fragments",
        HELD,
        "SELECT f::pg_catalog.text FROM passage.fragments('quokkas', strategy => 'adaptive', collection => 'zoo', store => @) AS f",
    ),
    read(
        "strategies",
        OWN,
        "SELECT s::pg_catalog.text FROM passage.strategies(@) AS s WHERE name OPERATOR(pg_catalog.=) 'mine'",
    ),
    read("store_stats", ANY, "SELECT s::pg_catalog.text FROM passage.store_stats(@) AS s"),
    administer(
        "stores",
        "SELECT s::pg_catalog.text FROM passage.stores() AS s WHERE store OPERATOR(pg_catalog.=) @",
    ),
    administer("check_store", "SELECT c::pg_catalog.text FROM passage.check_store(@, true) AS c"),
    administer("data_problems", "SELECT c::pg_catalog.text FROM _passage.data_problems(@) AS c"),
    administer(
        "table_problems",
        concat!("SELECT c::pg_catalog.text FROM _passage.table_problems(", facts!(), ") AS c"),
    ),
    administer(
        "column_type_problems",
        "SELECT c::pg_catalog.text FROM _passage.column_type_problems(@, 3, 'vector', 'english', '{}') AS c",
    ),
    administer("view_problems", "SELECT c::pg_catalog.text FROM _passage.view_problems(@) AS c"),
    administer("scanned_relations", "SELECT _passage.scanned_relations(@, false)"),
    administer("store_facts", "SELECT _passage.store_facts(@)"),
    administer("recorded_facts", "SELECT _passage.recorded_facts(@)"),
    administer("store_settings", "SELECT _passage.store_settings(@)"),
    administer("has_stale_tsv", "SELECT _passage.has_stale_tsv(@)"),
    administer("record_tsv_version", "SELECT _passage.record_tsv_version(@)"),
    administer("tsv_statements", "SELECT _passage.tsv_statements(@)"),
    administer("relation_tree", "SELECT pg_catalog.count(*) FROM _passage.relation_tree(pg_catalog.to_regclass(@::pg_catalog.text OPERATOR(pg_catalog.||) '.chunks'))"),
    administer("relation_size", "SELECT _passage.relation_size(pg_catalog.to_regclass(@::pg_catalog.text OPERATOR(pg_catalog.||) '.chunks'))"),
    administer("store_placement", "SELECT _passage.store_placement(@)"),
    administer("partition_moduli", "SELECT _passage.partition_moduli(@)"),
    administer("requested_placement", "SELECT _passage.requested_placement(@, NULL, NULL)"),
    administer("distributed_relations", "SELECT _passage.distributed_relations(@)"),
    administer("is_stranded_schema", "SELECT _passage.is_stranded_schema(@)"),
    administer("node_shards", "SELECT _passage.node_shards(@)"),
    administer("shards", "SELECT s::pg_catalog.text FROM _passage.shards(@) AS s"),
    administer("shard_tables", "SELECT s::pg_catalog.text FROM _passage.shard_tables(@) AS s"),
    administer("shard_indexes", "SELECT s::pg_catalog.text FROM _passage.shard_indexes(@) AS s"),
    administer("shard_problems", "SELECT s::pg_catalog.text FROM _passage.shard_problems(@) AS s"),
    administer(
        "shard_rows",
        "SELECT _passage.shard_rows('00000000-0000-0000-0000-000000000000', NULL, @, '{\"\\\"a\\\".\\\"b\\\"\"}', '{1}', 'SELECT 1', 'any', NULL, '{}', '{}', NULL)::pg_catalog.text",
    ),
    administer("store_name", "SELECT _passage.store_name(@)"),
    administer("store_must_exist", "SELECT _passage.store_must_exist(@)"),
    administer("missing_store_hint", "SELECT _passage.missing_store_hint(@)"),
    administer("store_must_be_tables", "SELECT _passage.store_must_be_tables(@)"),
    administer(
        "check_store_arguments",
        "SELECT _passage.check_store_arguments(@, 3, 'cosine', 'vector')",
    ),
    administer(
        "store_columns",
        "SELECT c::pg_catalog.text FROM _passage.store_columns(@, 3, 'vector', 'english', '{}') AS c LIMIT 1",
    ),
    administer(
        "store_layout",
        concat!(
            "SELECT c::pg_catalog.text FROM _passage.store_layout(",
            facts!(),
            ") AS c LIMIT 1"
        ),
    ),
    administer(
        "store_missing",
        concat!("SELECT c::pg_catalog.text FROM _passage.store_missing(", facts!(), ") AS c"),
    ),
    administer("store_statements", concat!("SELECT _passage.store_statements(", facts!(), ")")),
    administer("rights_template", "SELECT _passage.rights_template(@, true, '{}')"),
    administer("index_problems", "SELECT c::pg_catalog.text FROM _passage.index_problems(@) AS c"),
    administer(
        "restricted_data_problems",
        "SELECT c::pg_catalog.text FROM _passage.restricted_data_problems(@) AS c",
    ),
    administer(
        "restricted_store_counts",
        "SELECT c::pg_catalog.text FROM _passage.restricted_store_counts(@) AS c",
    ),
    administer("store_counts", "SELECT c::pg_catalog.text FROM _passage.store_counts(@) AS c"),
    administer(
        "restricted_row_counts",
        "SELECT c::pg_catalog.text FROM _passage.restricted_row_counts(@) AS c",
    ),
    administer("foreign_objects", "SELECT _passage.foreign_objects(@, true)"),
    administer("store_code", "SELECT s::pg_catalog.text FROM _passage.store_code(@, true, true) AS s"),
    administer(
        "check_step_trust",
        "SELECT pg_catalog.cardinality(t.owners) FROM _passage.check_step_trust('pg_catalog.pg_class'::pg_catalog.regclass, 'x', '{1}', @, 'attacker') AS t",
    ),
    administer(
        "role_rights",
        "SELECT r::pg_catalog.text FROM _passage.role_rights(CURRENT_USER, @) AS r",
    ),
    administer(
        "missing_policy",
        "SELECT _passage.missing_policy(@, 'chunks', CURRENT_USER, '{SELECT}')",
    ),
    administer("refuse", "SELECT _passage.refuse('ingest', @)"),
    administer("unreadable_relations", "SELECT _passage.unreadable_relations(@)"),
    administer("matching_columns", "SELECT pg_catalog.unnest(_passage.matching_columns(@))"),
    administer("is_trusted_store", "SELECT _passage.is_trusted_store(@)"),
    administer("store_must_be_own", "SELECT _passage.store_must_be_own(@)"),
    administer("adopted_append", "SELECT _passage.adopted_append(@, '{}', '{}')"),
    administer("adoption_layout", "SELECT _passage.adoption_layout(@, '{}')"),
    administer("adoption_statements", "SELECT _passage.adoption_statements(@, '{}')"),
    administer("adoption_tables", "SELECT _passage.adoption_tables(@, '{}', '{}')"),
    administer("adoption_triggers", "SELECT _passage.adoption_triggers(@, '{}')"),
    administer("adoption_views", "SELECT _passage.adoption_views(@, '{}', '{}')"),
    administer(
        "adopted_source_problem",
        "SELECT c::pg_catalog.text FROM _passage.adopted_source_problem(@) AS c",
    ),
    administer("adopted_side", "SELECT _passage.adopted_side(@)"),
    administer("adoption", "SELECT _passage.adoption(@)"),
    administer("adoption_grants", "SELECT _passage.adoption_grants(@, 0)"),
    administer(
        "adoption_problems",
        "SELECT c::pg_catalog.text FROM _passage.adoption_problems(@) AS c",
    ),
    administer(
        "adopted_data_problems",
        "SELECT c::pg_catalog.text FROM _passage.adopted_data_problems(@) AS c",
    ),
    read("chunk_id", HELD, "SELECT passage.chunk_id(@, 'aaaaaaaa-0000-0000-0000-000000000002')"),
    read(
        "stored_documents",
        HELD,
        "SELECT pg_catalog.concat_ws(' ', d.id, d.uri, d.collection, d.version, d.is_orphan, d.chunk_count) FROM _passage.stored_documents(@, 'ingest', '{guide.md}', '{zoo}', '{1}') AS d",
    ),
    read(
        "document_changes",
        VECTORS,
        concat!(
            "SELECT c::pg_catalog.text FROM _passage.document_changes(@, '",
            given_document!(),
            "', ",
            given_chunk!(),
            ") AS c"
        ),
    ),
    read(
        "chunk_changes",
        HELD,
        concat!(
            "SELECT c::pg_catalog.text FROM _passage.chunk_changes(@, false, ARRAY[",
            document!(),
            "]::pg_catalog.uuid[], ARRAY[",
            document!(),
            "]::pg_catalog.uuid[], true, ARRAY[",
            document!(),
            "]::pg_catalog.uuid[], ",
            given_chunk!(),
            ") AS c"
        ),
    ),
    administer("has_embeddings", "SELECT _passage.has_embeddings(@)"),
    administer("is_distributed", "SELECT _passage.is_distributed(@)"),
    administer("use_store", "SELECT pg_catalog.left(_passage.use_store(@, false), 10)"),
    write("must_allow_write", HELD, "SELECT _passage.must_allow_write('ingest', 'chunks', 'INSERT', @)"),
    write("must_have_written", HELD, "SELECT _passage.must_have_written('chunks', 1, 1, @)"),
    write(
        "insert_document",
        &["documents"],
        "SELECT _passage.insert_document(@, false, '{\"id\": \"dddddddd-0000-0000-8000-000000000000\", \"uri\": \"other\", \
        \"collection\": \"\", \"version\": \"\", \"chunks\": 0, \"metadata\": {}}')",
    ),
    write(
        "replace_document",
        HELD,
        concat!(
            "SELECT r.kept FROM _passage.replace_document(@, false, '",
            given_document!(),
            "') AS r"
        ),
    ),
    write(
        "insert_chunks",
        HELD,
        concat!(
            "DELETE FROM §.chunks; SELECT _passage.insert_chunks(@, 'ingest', false, NULL, ARRAY[",
            document!(),
            "]::pg_catalog.uuid[], ",
            given_chunk!(),
            ")"
        ),
    ),
    write(
        "insert_embeddings",
        VECTORS,
        concat!(
            "DELETE FROM §.embeddings; SELECT _passage.insert_embeddings(@, 'load', false, '{1}', ARRAY[",
            document!(),
            "]::pg_catalog.uuid[], '{aaaaaaaa-0000-0000-0000-000000000002}', ARRAY['[1,2,3]'])"
        ),
    ),
    write(
        "delete_rows",
        VECTORS,
        concat!(
            "SELECT _passage.delete_rows(@, false, 'chunks', ARRAY[",
            document!(),
            "]::pg_catalog.uuid[], '{aaaaaaaa-0000-0000-0000-000000000002}')"
        ),
    ),
    write(
        "update_chunks",
        HELD,
        concat!(
            "SELECT _passage.update_chunks(@, ARRAY[",
            document!(),
            "]::pg_catalog.uuid[], '{1}', '{1}', ARRAY[",
            document!(),
            "]::pg_catalog.uuid[], '{aaaaaaaa-0000-0000-0000-000000000002}', '{1000}', '{0}', '{prose}', '{text}', '{Guide}', '{3}', \
            '{0}', '{11}', '{1}', '{1}', '{\"{}\"}')"
        ),
    ),
    write(
        "replace_chunks",
        VECTORS,
        concat!(
            "SELECT r::pg_catalog.text FROM _passage.replace_chunks(@, 'ingest', false, ARRAY[",
            document!(),
            "]::pg_catalog.uuid[], '{}', true, NULL, ARRAY[",
            document!(),
            "]::pg_catalog.uuid[], ",
            given_chunk!(),
            ") AS r"
        ),
    ),
    write(
        "write_documents",
        VECTORS,
        concat!(
            "SELECT w::pg_catalog.text FROM _passage.write_documents(@, '[",
            given_document!(),
            "]', '{1}', ",
            given_chunk!(),
            ", '{1}', ARRAY['[1,2,3]']) AS w"
        ),
    ),
    write(
        "ingest",
        VECTORS,
        "SELECT i::pg_catalog.text FROM passage.ingest('guide.md', E'# Guide\\n\\nThe quokka eats leaves.\\n', collection => 'zoo', version => '1', store => @) AS i",
    ),
    write(
        "ingest",
        HELD,
        "SELECT i::pg_catalog.text FROM passage.ingest('other.md', E'# Other\\n\\nThe numbat.\\n', store => @) AS i",
    ),
    write(
        "step_write",
        HELD,
        "SELECT w::pg_catalog.text FROM _passage.step_write('guide.md', 'The quokka.', NULL, NULL, 'zoo', '1', '{}', NULL, NULL, '{}', @) AS w",
    ),
    write("must_be_allowed", HELD, "SELECT _passage.must_be_allowed('ingest', NULL, @)"),
    write(
        "step_record",
        HELD,
        concat!("SELECT _passage.step_record(", document!(), ", '{}', @)"),
    ),
    write("remove", VECTORS, "SELECT passage.remove('guide.md', store => @)"),
    write(
        "remove",
        HELD,
        concat!("SELECT passage.remove(document_id => ", document!(), ", store => @)"),
    ),
    alter("create_store", "SELECT passage.create_store(@, dimensions => 3)"),
    alter("upgrade_store", "SELECT passage.upgrade_store(@)"),
    adopt(
        "adopt",
        &["chunks"],
        concat!(
            adopt_chunks!(),
            "; SELECT h::pg_catalog.text FROM passage.search_hits('quokka', store => 'adopted_§') AS h;
            SELECT c::pg_catalog.text FROM passage.expand_context(
                passage.chunk_id('adopted_§', 'aaaaaaaa-0000-0000-0000-000000000002'), 'broad', store => 'adopted_§') AS c;
            UPDATE §.chunks SET content = content; DELETE FROM §.chunks WHERE key OPERATOR(pg_catalog.=) 3;
            SELECT c::pg_catalog.text FROM passage.check_store('adopted_§', true) AS c; TRUNCATE §.chunks"
        ),
    ),
    adopt(
        "adopt",
        &["embeddings"],
        "ALTER TABLE §.embeddings ADD COLUMN key pg_catalog.int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY;
        SELECT passage.adopt('§.embeddings', 'adopted_§', document => 'document_id', content => 'chunk_id', embedding => 'embedding');
        SELECT h::pg_catalog.text FROM passage.search_hits(embedding => '{1,2,3}', store => 'adopted_§') AS h;
        SELECT passage.upgrade_store('adopted_§')",
    ),
    adopt(
        "refresh_adopted",
        &["chunks"],
        concat!(adopt_chunks!(), "; SELECT _passage.refresh_adopted('adopted_§')"),
    ),
    adopt("unadopt", &["chunks"], concat!(adopt_chunks!(), "; SELECT passage.unadopt('adopted_§')")),
    write(
        "bring_in_step",
        HELD,
        concat!(
            notes!(),
            "; SELECT b::pg_catalog.text FROM passage.bring_in_step('attacker.notes_§') AS b"
        ),
    ),
    write("keep_in_step", VECTORS, notes!()),
];
