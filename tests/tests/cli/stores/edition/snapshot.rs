//! The state that a change of the edition must keep: rows, objects of users, privileges and answers.

use passage_tests::Cluster;

/// The tables and views of the store `rag`.
const RELATIONS: &str = "SELECT relname FROM pg_class WHERE relnamespace = 'rag'::regnamespace AND relkind IN ('r', 'v') ORDER BY relname";

/// Objects of users and of the store.
const OBJECTS: [&str; 6] = [
    "SELECT indexdef FROM pg_indexes WHERE schemaname IN ('rag', 'public') ORDER BY 1",
    "SELECT polname, polpermissive, polcmd, polroles::regrole[], pg_get_expr(polqual, polrelid) FROM pg_policy ORDER BY polname",
    "SELECT relname, pg_get_viewdef(oid), relowner::regrole, relacl, reloptions, obj_description(oid, 'pg_class') FROM pg_class
        WHERE relkind = 'v' AND relnamespace IN ('rag'::regnamespace, 'public'::regnamespace) ORDER BY relname",
    "SELECT attrelid::regclass, attname, attacl, format_type(atttypid, atttypmod), pg_get_expr(adbin, adrelid), col_description(attrelid, attnum)
        FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE attrelid = 'rag.chunks'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attname",
    "SELECT relname, relacl, relrowsecurity FROM pg_class WHERE relnamespace = 'rag'::regnamespace ORDER BY relname",
    "SELECT pg_get_statisticsobjdef(oid) FROM pg_statistic_ext ORDER BY 1",
];

/// Calls whose rows are equal in both editions.
const ANSWERS: [&str; 5] = [
    "SELECT uri, title, content, chunk_ids FROM passage.search('row level security policies of tenants')",
    "SELECT chunk_id, rank FROM passage.search_hits('filter by metadata')",
    "SELECT context.* FROM passage.search_hits('strategy', max_hits => 3) AS hit, passage.expand_context(hit.chunk_id, 'broad') AS context
        ORDER BY hit.chunk_id, context::text",
    "SELECT outline FROM rag.documents, passage.outline(documents.id) ORDER BY uri, first_line",
    "SELECT * FROM public.titles ORDER BY 1",
];

/// Returns everything that a change must keep.
pub async fn kept(cluster: &Cluster) -> Vec<String> {
    // Autovacuum may not have seen the rows yet. The search ranks by statistics of their words.
    cluster.execute("ANALYZE rag.chunks, rag.documents").await;
    let mut lines = Vec::new();
    for relation in cluster.query_lines(RELATIONS).await {
        // A move can change the order of columns.
        let rows = format!(
            "SELECT count(*), md5(string_agg(to_jsonb(listed)::text, '' ORDER BY to_jsonb(listed)::text COLLATE \"C\")) \
             FROM rag.{relation} AS listed"
        );
        lines.push(format!("{relation}: {}", cluster.query_lines(&rows).await.concat()));
    }
    for sql in [&OBJECTS[..], &ANSWERS].concat() {
        let found = cluster.query_lines(sql).await;
        assert!(!found.is_empty(), "no rows: {sql}");
        lines.extend(found);
    }
    lines
}

/// Creates objects that use the columns and the functions.
pub const OBJECTS_OF_USERS: &str = "
    CREATE VIEW public.titles AS SELECT id, path, ordinal FROM rag.chunks WHERE passage.is_ancestor('{}', section);
    CREATE VIEW public.deeper WITH (security_invoker = true) AS SELECT titles.path, tsv FROM public.titles JOIN rag.chunks USING (id);
    CREATE OR REPLACE VIEW public.titles AS SELECT id, path, ordinal, section_key FROM rag.chunks WHERE passage.is_ancestor('{}', section);
    COMMENT ON VIEW public.titles IS 'titles of the team';
    GRANT SELECT ON public.deeper TO PUBLIC;
    GRANT SELECT (path, tsv) ON rag.chunks TO PUBLIC;
    CREATE INDEX team_order ON rag.chunks (path, ordinal) WHERE level > 0;
    CREATE INDEX team_keys ON rag.chunks (passage.section_key(section));
    CREATE STATISTICS team_statistics ON section_key, parent_key FROM rag.chunks;
    ALTER TABLE rag.chunks ENABLE ROW LEVEL SECURITY;
    CREATE POLICY team ON rag.chunks FOR SELECT USING (passage.is_ancestor('{}', section) AND parent_key IS DISTINCT FROM 0);
    INSERT INTO rag.strategies (name, base, max_tokens) VALUES ('mine', 'broad', 900);";

/// Compares what a change must keep with what it was before.
pub async fn assert_kept(cluster: &Cluster, before: &[String]) {
    let after = kept(cluster).await;
    let lost: Vec<_> = before.iter().filter(|line| !after.contains(line)).collect();
    let new: Vec<_> = after.iter().filter(|line| !before.contains(line)).collect();
    assert!(lost.is_empty() && new.is_empty(), "lost: {lost:#?}\nnew: {new:#?}");
}
