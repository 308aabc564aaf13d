//! Every reading function on both layouts from three nodes.

use crate::citus::{Citus, DIMENSIONS, STORES};
use crate::nodes::{Sessions, recall};
use std::fmt::Write;
use std::path::Path;

/// How a result must agree with that of the plain store.
#[derive(Clone, Copy, PartialEq)]
enum Agreement {
    /// All rows are equal.
    Equal,
    /// At least this share of the rows is found, by their first column.
    Recall(f64),
}
use Agreement::{Equal, Recall};

/// The functions. `$ONE` is a chunk, `$MANY` are twelve of several documents, `$DOCUMENT` and `$URI` name the
/// document of the first, and `$EMBEDDING` is its embedding.
const QUERIES: [(&str, Agreement, &str); 35] = [
    ("expand_context auto", Equal, "SELECT * FROM passage.expand_context($ONE, store => '$STORE')"),
    (
        "expand_context broad",
        Equal,
        "SELECT * FROM passage.expand_context($ONE, 'broad', store => '$STORE')",
    ),
    (
        "expand_context hierarchical",
        Equal,
        "SELECT * FROM passage.expand_context($ONE, 'hierarchical', store => '$STORE')",
    ),
    (
        "expand_context document",
        Equal,
        "SELECT * FROM passage.expand_context($ONE, 'document', store => '$STORE')",
    ),
    (
        "expand_context own strategy",
        Equal,
        "SELECT * FROM passage.expand_context($ONE, 'wide', store => '$STORE')",
    ),
    (
        "expand_contexts auto",
        Equal,
        "SELECT * FROM passage.expand_contexts($MANY, store => '$STORE')",
    ),
    (
        "expand_contexts broad",
        Equal,
        "SELECT * FROM passage.expand_contexts($MANY, NULL, 'broad', store => '$STORE')",
    ),
    (
        "expand_contexts merge",
        Equal,
        "SELECT * FROM passage.expand_contexts($MANY, NULL, 'merge', store => '$STORE')",
    ),
    (
        "expand_contexts budget",
        Equal,
        "SELECT * FROM passage.expand_contexts($MANY, NULL, 'section', max_tokens => 1000, store => '$STORE')",
    ),
    ("explain_context", Equal, "SELECT * FROM passage.explain_context($MANY, store => '$STORE')"),
    ("reassemble", Equal, "SELECT * FROM passage.reassemble($MANY, store => '$STORE')"),
    (
        "reassemble imports",
        Equal,
        "SELECT * FROM passage.reassemble($MANY, NULL, 'hierarchical', imports => true, store => '$STORE')",
    ),
    (
        "reassemble unknown ids",
        Equal,
        "SELECT * FROM passage.reassemble(ARRAY[NULL, gen_random_uuid()], store => '$STORE')",
    ),
    ("assemble", Equal, "SELECT passage.assemble($DOCUMENT, $MANY, store => '$STORE')"),
    ("outline by id", Equal, "SELECT * FROM passage.outline($DOCUMENT, store => '$STORE')"),
    ("outline by uri", Equal, "SELECT * FROM passage.outline($URI, store => '$STORE')"),
    (
        "search words",
        Equal,
        "SELECT * FROM passage.search('the index of a document', store => '$STORE')",
    ),
    (
        "search rare words",
        Equal,
        "SELECT * FROM passage.search('pgbouncer advisory lock', store => '$STORE')",
    ),
    (
        "search phrase",
        Equal,
        "SELECT * FROM passage.search('\"full text\" search', store => '$STORE')",
    ),
    (
        "search filters",
        Equal,
        "SELECT * FROM passage.search('split a document', uri_pattern => '%guide%', media_type => 'text/*', store => '$STORE')",
    ),
    (
        "search embedding",
        Recall(0.9),
        "SELECT uri, content FROM passage.search(embedding => $EMBEDDING, store => '$STORE')",
    ),
    (
        "search both",
        Recall(0.9),
        "SELECT uri, content FROM passage.search('layout of a store', $EMBEDDING, store => '$STORE')",
    ),
    (
        "search_hits words at 10",
        Recall(0.95),
        "SELECT chunk_id FROM passage.search_hits('reindex a collection', max_hits => 10, store => '$STORE')",
    ),
    (
        "search_hits common words at 10",
        Recall(0.95),
        "SELECT chunk_id FROM passage.search_hits('the store of a document', max_hits => 10, store => '$STORE')",
    ),
    (
        "search_hits embedding at 50",
        Recall(0.98),
        "SELECT chunk_id FROM passage.search_hits(embedding => $EMBEDDING, max_hits => 50, store => '$STORE')",
    ),
    (
        "search_hits both at 10",
        Recall(0.9),
        "SELECT chunk_id FROM passage.search_hits('embed chunks', $EMBEDDING, store => '$STORE')",
    ),
    (
        "fragments of the store",
        Equal,
        "SELECT * FROM passage.fragments('how to remove a document', store => '$STORE')",
    ),
    (
        "fragments of a document",
        Equal,
        "SELECT * FROM passage.fragments('the', document_id => $DOCUMENT, return_full => false, store => '$STORE')",
    ),
    (
        "fragments by uri",
        Equal,
        "SELECT * FROM passage.fragments('the', uri => $URI, store => '$STORE')",
    ),
    (
        "fragments embedding",
        Equal,
        "SELECT * FROM passage.fragments('chunk', $EMBEDDING, document_id => $DOCUMENT, return_full => false, store => '$STORE')",
    ),
    (
        "fragments full document",
        Equal,
        "SELECT * FROM passage.fragments(uri => $URI, return_full => true, store => '$STORE')",
    ),
    ("strategies", Equal, "SELECT * FROM passage.strategies('$STORE')"),
    (
        "store_stats",
        Equal,
        "SELECT scope, collection, version, documents, orphaned, chunks, tokens, embedded, missing FROM passage.store_stats('$STORE')",
    ),
    (
        "stores",
        Equal,
        "SELECT documents, chunks, embeddings, dimensions, distance, language FROM passage.stores() WHERE store = '$STORE'",
    ),
    (
        "check_store with data",
        Equal,
        "SELECT object, problem FROM passage.check_store('$STORE', true)",
    ),
];

/// The folders whose documents fill the stores.
const SOURCES: [&str; 3] = ["../docs", "../core/src", "../client/src/store"];

/// The largest document.
const MAX_BYTES: u64 = 60_000;

#[tokio::test]
async fn every_reading_function_returns_the_rows_of_a_plain_store() {
    let Some(citus) = Citus::start("reading from stores on Citus", DIMENSIONS).await else {
        return;
    };
    fill(&citus).await;
    let coordinator = citus.coordinator();
    let one = coordinator
        .query_text("SELECT id FROM plain.chunks WHERE kind = 'prose' AND cardinality(section) = 2 ORDER BY md5(id::text) LIMIT 1")
        .await;
    let of_one = |what: &str| {
        format!(
            "SELECT {what} FROM plain.chunks JOIN plain.documents ON documents.id = document_id JOIN plain.embeddings ON chunk_id = chunks.id WHERE chunks.id = '{one}'"
        )
    };
    let document = coordinator.query_text(&of_one("documents.id")).await;
    let uri = coordinator.query_text(&of_one("uri")).await;
    let embedding = coordinator.query_text(&of_one("embedding::real[]")).await;
    let many = coordinator
        .query_text("SELECT array_agg(id) FROM (SELECT id FROM plain.chunks ORDER BY md5(id::text) LIMIT 12) AS chosen")
        .await;
    let sessions = Sessions::open(&citus.nodes).await;
    let mut table = String::from(
        "| function | plain, ms | layout | coordinator | worker 1 | worker 2 |\n|---|---|---|---|---|---|\n",
    );
    let mut failures = Vec::new();
    for (name, agreement, query) in QUERIES {
        let query = query
            .replace("$ONE", &format!("'{one}'::uuid"))
            .replace("$MANY", &format!("'{many}'::uuid[]"))
            .replace("$DOCUMENT", &format!("'{document}'::uuid"))
            .replace("$URI", &format!("'{uri}'"))
            .replace("$EMBEDDING", &format!("'{embedding}'::real[]"));
        let plain = sessions.answer(0, &query, STORES[0]).await;
        let expected = plain.rows.unwrap_or_else(|error| panic!("{name}: {error}"));
        for store in &STORES[1..] {
            write!(table, "| {name} | {:.2} | {store} |", plain.milliseconds).unwrap();
            for node in 0..citus.nodes.len() {
                let answer = sessions.answer(node, &query, store).await;
                let verdict = match answer.rows {
                    Err(error) => Err(error),
                    Ok(rows) if rows == expected => Ok("equal".to_owned()),
                    Ok(rows) => {
                        let recall = recall(&expected, &rows);
                        match agreement {
                            Recall(least) if recall >= least => Ok(format!("recall {recall:.2}")),
                            _ => Err(format!("differs: recall {recall:.2}")),
                        }
                    }
                };
                let ratio = answer.milliseconds / plain.milliseconds;
                match verdict {
                    Ok(verdict) => write!(table, " {verdict}, {ratio:.1}x |").unwrap(),
                    Err(error) => {
                        write!(table, " {error} |").unwrap();
                        failures.push(format!("{name} of {store} on node {node}: {error}"));
                    }
                }
            }
            table.push('\n');
        }
    }
    println!("{table}");
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Ingests the same documents into all stores, and gives their chunks the same embeddings.
async fn fill(citus: &Citus) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for source in SOURCES {
        collect(&root.join(source), &mut paths);
    }
    paths.sort();
    assert!(paths.len() > 100, "{} documents", paths.len());
    let coordinator = citus.coordinator();
    let client = coordinator.client().await;
    for store in STORES {
        let ingest = client.prepare("SELECT outcome FROM passage.ingest($1, $2, collection => $3, store => $4::text::name)").await.unwrap();
        for path in &paths {
            let text = std::fs::read_to_string(path).unwrap();
            let uri = path.strip_prefix(root).unwrap().display().to_string();
            let collection = uri.split('/').nth(1).unwrap_or_default().to_owned();
            let row = client.query_one(&ingest, &[&uri, &text, &collection, &store]).await.unwrap();
            assert_eq!(row.get::<_, String>(0), "added");
        }
        let strategy = format!(
            "INSERT INTO {store}.strategies (name, base, before, after) VALUES ('wide', 'none', 3, 3)"
        );
        coordinator.execute(&strategy).await;
    }
    let embeddings = format!(
        "INSERT INTO plain.embeddings SELECT id, document_id, (SELECT array_agg(sin(hashtext(id::text || n)::float8)) FROM generate_series(1, {DIMENSIONS}) AS n)::vector FROM plain.chunks"
    );
    coordinator.execute(&embeddings).await;
    for store in STORES {
        if store != "plain" {
            let copy = format!("INSERT INTO {store}.embeddings SELECT * FROM plain.embeddings");
            coordinator.execute(&copy).await;
        }
        for table in ["documents", "chunks", "embeddings"] {
            coordinator.execute(&format!("ANALYZE {store}.{table}")).await;
        }
    }
}

fn collect(folder: &Path, paths: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let is_text = path.extension().is_some_and(|of| of == "md" || of == "rs");
        if path.is_dir() {
            collect(&path, paths);
        } else if is_text && entry.metadata().unwrap().len() < MAX_BYTES {
            paths.push(path);
        }
    }
}
