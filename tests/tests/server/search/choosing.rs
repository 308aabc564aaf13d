//! One chooser: `reassemble` chooses passages from given hits as `search` does from its own, and `skip` pages through both.

use passage_tests::{Cluster, cases};
use std::collections::HashSet;

/// Documents of 40 chunks in sections of five. Of each section two to five chunks have the word.
async fn library() -> Cluster {
    let cluster = Cluster::start().await;
    cluster
        .execute(
            "INSERT INTO rag.documents (uri, media_type) SELECT 'd' || n || '.md', 'text/markdown' FROM generate_series(1, 12) AS n;
            INSERT INTO rag.chunks (document_id, ordinal, section, kind, content, tokens)
            SELECT d.id, n, ARRAY['Part ' || n / 5], 'prose',
                'text ' || n || CASE WHEN n % 5 IN (0, 2) OR (n / 5) % 3 = 0 THEN repeat(' quokka', 1 + n % 4) ELSE '' END || E'.\\n\\n', 20
            FROM rag.documents AS d, generate_series(0, 39) AS n;
            ANALYZE",
        )
        .await;
    cluster
}

#[tokio::test]
async fn reassemble_chooses_the_passages_of_a_search_from_its_hits() {
    let cluster = library().await;
    let strategies = ["auto", "adjacent", "section", "broad", "none"];
    let budgets = ["NULL", "150", "400", "2000", "0"];
    for (strategy, budget) in
        cases(strategies.into_iter().flat_map(|strategy| budgets.map(|budget| (strategy, budget))))
    {
        let difference = format!(
            "WITH hit AS MATERIALIZED (SELECT array_agg(chunk_id ORDER BY rank) AS ids, array_agg(score ORDER BY rank) AS scores
                FROM passage.search_hits('quokka', max_hits => 60, ranking => passage.ranking(candidates => 60))),
            found AS MATERIALIZED (SELECT rank, document_id, content, chunk_ids, truncated
                FROM passage.search('quokka', max_passages => 6, max_tokens => {budget}, strategy => '{strategy}',
                    ranking => passage.ranking(candidates => 60))),
            chosen AS MATERIALIZED (SELECT p.rank, p.document_id, p.content, p.chunk_ids, p.truncated FROM hit,
                passage.reassemble(ids, scores, max_passages => 6, max_tokens => {budget}, strategy => '{strategy}') AS p)
            SELECT (SELECT count(*) FROM found) || ' ' || (SELECT count(*) FROM (TABLE found EXCEPT TABLE chosen) AS a)
                || ' ' || (SELECT count(*) FROM (TABLE chosen EXCEPT TABLE found) AS b)"
        );
        let counts = cluster.query_text(&difference).await;
        assert!(counts.ends_with(" 0 0") && !counts.starts_with('0'), "{counts}");
    }
}

#[tokio::test]
async fn pages_by_skip_have_every_hit_and_no_text_twice() {
    let cluster = library().await;
    let hits =
        cluster.query_text("SELECT count(*) FROM rag.chunks WHERE content LIKE '%quokka%'").await;
    for strategy in cases(["auto", "broad", "section", "none"]) {
        let (mut shown, mut found) = (HashSet::new(), 0);
        for page in 0.. {
            assert!(page < 200, "the pages do not end");
            let skip: Vec<String> = shown.iter().cloned().collect();
            let sql = format!(
                "SELECT coalesce(string_agg(array_to_string(chunk_ids, ' '), ' '), '') || '|' || coalesce(sum(cardinality(hit_ids)), 0)
                FROM passage.search('quokka', max_passages => 5, max_tokens => 300, strategy => '{strategy}', skip => '{{{}}}')",
                skip.join(",")
            );
            let text = cluster.query_text(&sql).await;
            let (chunks, hits) = text.split_once('|').unwrap();
            if chunks.is_empty() {
                break;
            }
            for chunk in chunks.split(' ') {
                assert!(shown.insert(chunk.to_owned()), "page {page} repeats {chunk}");
            }
            found += hits.parse::<u32>().unwrap();
        }
        // A hit can be the context of a hit on an earlier page.
        let missing = cluster
            .query_text(&format!(
                "SELECT count(*) FROM rag.chunks WHERE content LIKE '%quokka%' AND id <> ALL ('{{{}}}')",
                shown.into_iter().collect::<Vec<_>>().join(",")
            ))
            .await;
        assert_eq!(missing, "0", "of {hits} hits, {found} were hits of a page");
    }
}

#[tokio::test]
async fn skipped_chunks_are_neither_hits_nor_context() {
    let cluster = library().await;
    let sql = "WITH hit AS (SELECT id, document_id FROM rag.chunks WHERE ordinal = 10 ORDER BY id LIMIT 1),
        shown AS (SELECT c.id FROM rag.chunks AS c JOIN hit USING (document_id) WHERE ordinal IN (9, 12))
        SELECT string_agg(c.ordinal::text, ',' ORDER BY c.ordinal) FROM hit,
            passage.reassemble(ARRAY[hit.id], strategy => 'adjacent', skip => ARRAY(SELECT id FROM shown)) AS p,
            unnest(p.chunk_ids) AS id JOIN rag.chunks AS c USING (id)";
    assert_eq!(cluster.query_text(sql).await, "8,10,11");
    let sql = "SELECT count(*) FROM rag.chunks AS c, passage.reassemble(ARRAY[c.id], skip => ARRAY[c.id]) WHERE c.ordinal = 10";
    assert_eq!(cluster.query_text(sql).await, "0");
    let sql = "SELECT count(*) FROM passage.search_hits('quokka', max_hits => 100, skip => ARRAY(SELECT id FROM rag.chunks WHERE ordinal % 2 = 0))
        JOIN rag.chunks ON id = chunk_id WHERE ordinal % 2 = 0";
    assert_eq!(cluster.query_text(sql).await, "0");
}

#[tokio::test]
async fn the_explanation_of_passages_has_the_rows_of_explain_context() {
    let cluster = library().await;
    for strategy in cases(["adjacent", "broad", "section", "hierarchical"]) {
        let sql = format!(
            "WITH hit AS MATERIALIZED (SELECT array_agg(id ORDER BY id) AS ids FROM rag.chunks WHERE ordinal = 11),
            explained AS (SELECT e.* FROM hit, passage.explain_context(ids, NULL, '{strategy}', max_tokens => 700) AS e),
            told AS (SELECT r.* FROM hit,
                passage.reassemble(ids, NULL, '{strategy}', max_tokens => 700, output => passage.output(explain => true)) AS p,
                jsonb_populate_recordset(NULL::explained_row, p.explanation) AS r)
            SELECT (SELECT count(*) FROM explained) || ' ' || (SELECT count(*) FROM (TABLE explained EXCEPT TABLE told) AS a)
                || ' ' || (SELECT count(*) FROM (TABLE told EXCEPT TABLE explained) AS b)"
        );
        cluster
            .execute(
                "DROP TYPE IF EXISTS explained_row; CREATE TYPE explained_row AS (hit integer, kept boolean, role text, rule text,
                distance integer, ordinal integer, section text[], tokens integer, tokens_so_far integer, cut_by text,
                chunk_id uuid, hit_id uuid, source_id text)",
            )
            .await;
        let counts = cluster.query_text(&sql).await;
        assert!(counts.ends_with(" 0 0") && !counts.starts_with('0'), "{counts}");
    }
    let sql = "SELECT count(explanation) FROM passage.search('quokka')";
    assert_eq!(cluster.query_text(sql).await, "0", "only on request");
}
