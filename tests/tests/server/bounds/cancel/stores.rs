//! The functions that read a store, on one document of many chunks.

use super::session::Session;
use passage_tests::Cluster;

/// The number of chunks of the document. The bench `scale` uses a million.
const CHUNKS: u32 = 100_000;

const DOCUMENT: &str = "'aaaaaaaa-0000-0000-8000-000000000000'";

/// The hit of calls that take one.
const HIT: &str = "'aaaaaaaa-0000-0000-0000-000000000001'";

/// Two thirds of the chunks of the document, as an array.
const HITS: &str = "(SELECT array_agg(id) FROM rag.chunks WHERE ordinal % 3 > 0)";

/// Fewer chunks, for functions that compare all pairs.
const SOME: &str = "(SELECT array_agg(id) FROM rag.chunks WHERE ordinal % 50 = 0)";

/// The functions that only read, as SQL. `@hit`, `@hits`, `@some` and `@document` are replaced by the
/// constants above, `@all` by a limit that nothing exceeds.
const CALLS: [(&str, &str); 31] = [
    ("assemble", "length(assemble(@document, @some))"),
    ("check_store", "count(*) FROM check_store(data => true)"),
    ("expand_context", "count(content) FROM expand_context(@hit, 'document', @all)"),
    ("expand_context", "count(content) FROM expand_context(@hit, 'section', @all)"),
    ("expand_context", "count(content) FROM expand_context(@hit, 'hierarchical', @all)"),
    ("expand_contexts", "count(content) FROM expand_contexts(@some, NULL, 'broad', @all)"),
    ("expand_contexts", "count(content) FROM expand_contexts(@hits, NULL, 'merge', @all)"),
    ("expand_contexts", "count(content) FROM expand_contexts(@hits, NULL, 'none')"),
    ("explain_context", "count(*) FROM explain_context(ARRAY[@hit::uuid], NULL, 'document', @all)"),
    ("explain_context", "count(*) FROM explain_context(@hits, NULL, 'adjacent', @all)"),
    ("fragments", "count(*) FROM fragments('chunk part7', uri => 'large.md')"),
    ("fragments", "count(*) FROM fragments('chunk part7')"),
    ("fragments", "count(*) FROM fragments('chunk', uri => 'large.md', strategy => 'adaptive')"),
    ("links", "count(*) FROM links(document_id => @document)"),
    ("backlinks", "count(*) FROM backlinks(document_id => @document)"),
    ("outline", "count(*) FROM outline(uri => 'large.md')"),
    ("outline", "count(*) FROM outline(@document, hit_ids => @hits)"),
    ("reassemble", "length(content) FROM reassemble(ARRAY[@hit::uuid], NULL, 'document', @all)"),
    ("reassemble", "sum(length(content)) FROM reassemble(@hits, NULL, 'merge', @all)"),
    (
        "reassemble",
        "sum(length(content)) FROM reassemble(@hits, NULL, 'none', output => passage.output(max_distance => 0))",
    ),
    ("search", "count(*) FROM search('chunk')"),
    ("search", "count(*) FROM search('chunk part7', strategy => 'document', @all)"),
    ("search_hits", "count(*) FROM search_hits('chunk', max_hits => 1000000)"),
    (
        "search_hits",
        "count(*) FROM search_hits('chunk part7 -part8', filter => passage.filter(path => '*.*'))",
    ),
    ("similar", "count(*) FROM similar(@hit, max_hits => 1000000)"),
    ("similar", "count(*) FROM similar(document_id => @document, max_hits => 100000)"),
    ("similar", "count(*) FROM similar(document_id => @document, by => 'links')"),
    ("store_stats", "count(*) FROM store_stats()"),
    ("stores", "count(*) FROM stores()"),
    ("strategies", "count(*) FROM strategies()"),
    ("upgrade_store", "count(*) FROM upgrade_store(dry_run => true)"),
];

/// Functions that write have tests of their own.
const OTHERS: [&str; 6] = ["adopt", "create_store", "ingest", "rate", "remove", "unadopt"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reading_a_store_ends_soon_after_a_cancel() {
    let cluster = Cluster::start().await;
    let functions = cluster
        .query_lines(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'passage'::regnamespace
            AND 'store' = ANY (proargnames) AND pronargdefaults > 0 GROUP BY 1 ORDER BY 1",
        )
        .await;
    for function in functions {
        let is_called = CALLS.iter().any(|(name, _)| *name == function);
        assert!(is_called || OTHERS.contains(&&*function), "no call of {function} is cancelled");
    }
    fill(&cluster).await;

    let mut session = Session::of(&cluster, 2).await;
    session.prepare("SET search_path = passage, public").await;
    for (_, call) in CALLS {
        let sql = call
            .replace("@hits", HITS)
            .replace("@some", SOME)
            .replace("@hit", HIT)
            .replace("@document", DOCUMENT)
            .replace("@all", "max_tokens => 0, limits => passage.limits(max_chunks => 1000000)");
        session.cancel(call, &format!("SELECT {sql}")).await;
    }
    session.report();
}

/// Makes the document: ten chunks for each title, and words that each tenth chunk shares.
async fn fill(cluster: &Cluster) {
    // Building this index takes longer than everything else. Paths are compared without it.
    cluster.execute("DROP INDEX rag.chunks_path_idx").await;
    cluster
        .execute(&format!(
            "INSERT INTO rag.documents (id, uri, media_type) VALUES ({DOCUMENT}, 'large.md', 'text/markdown');
            INSERT INTO rag.chunks (id, document_id, ordinal, section, content, tokens, start_byte, end_byte)
            SELECT ('aaaaaaaa-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid, {DOCUMENT}, n,
                ARRAY['All', 'Part ' || n / 10], rpad('A chunk of part' || n % 10 || E'\\n', 200), 50,
                n * 200, n * 200 + 200
            FROM generate_series(0, {CHUNKS} - 1) AS n;
            INSERT INTO rag.links (document_id, position, from_chunk, to_uri, to_section, kind, to_name)
            SELECT document_id, ordinal, id, 'large.md', 'part-' || ordinal / 20, 'link', 'large' FROM rag.chunks WHERE ordinal < 10000;
            INSERT INTO rag.documents (id, uri, media_type) VALUES ('bbbbbbbb-0000-0000-8000-000000000000', 'small.md', 'text/markdown');
            INSERT INTO rag.chunks (id, document_id, ordinal, content) VALUES ('bbbbbbbb-0000-0000-0000-000000000001', 'bbbbbbbb-0000-0000-8000-000000000000', 0, '');
            INSERT INTO rag.links (document_id, position, from_chunk, to_uri, to_section, kind, to_name)
            SELECT 'bbbbbbbb-0000-0000-8000-000000000000', n, 'bbbbbbbb-0000-0000-0000-000000000001', 'large.md', 'part-' || n, 'link', 'large' FROM generate_series(0, 9999) AS n"
        ))
        .await;
    cluster.execute("VACUUM (ANALYZE) rag.chunks").await;
}
