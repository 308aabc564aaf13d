//! Every reading function on both layouts from three nodes.

use crate::citus::{Citus, DIMENSIONS, STORES};
use crate::nodes::{Sessions, recall};
use passage_tests::Cluster;
use passage_tests::cases;
use std::fmt::Write;
use std::path::Path;

/// How a result must agree with that of the plain store.
#[derive(Clone, Copy, PartialEq)]
enum Agreement {
    /// All rows are equal.
    Equal,
    /// At least this share of the rows is found, by their first column, as the mean of all variants.
    Recall(f64),
}
use Agreement::{Equal, Recall};

/// The functions. `$ONE` is a chunk, `$MANY` are twelve of several documents, `$DOCUMENT` and `$URI` name the
/// document of the first, and `$EMBEDDING` is its embedding. Each variant has other ones, and other words.
const QUERIES: [(&str, Agreement, &str); 35] = [
    (
        "`expand_context`, auto",
        Equal,
        "SELECT * FROM passage.expand_context($ONE, store => '$STORE')",
    ),
    (
        "`expand_context`, broad",
        Equal,
        "SELECT * FROM passage.expand_context($ONE, 'broad', store => '$STORE')",
    ),
    (
        "`expand_context`, hierarchical",
        Equal,
        "SELECT * FROM passage.expand_context($ONE, 'hierarchical', store => '$STORE')",
    ),
    (
        "`expand_context`, document",
        Equal,
        "SELECT * FROM passage.expand_context($ONE, 'document', store => '$STORE')",
    ),
    (
        "`expand_context`, own strategy",
        Equal,
        "SELECT * FROM passage.expand_context($ONE, 'wide', store => '$STORE')",
    ),
    (
        "`expand_contexts` of 12 hits, auto",
        Equal,
        "SELECT * FROM passage.expand_contexts($MANY, store => '$STORE')",
    ),
    (
        "`expand_contexts` of 12 hits, broad",
        Equal,
        "SELECT * FROM passage.expand_contexts($MANY, NULL, 'broad', store => '$STORE')",
    ),
    (
        "`expand_contexts` of 12 hits, merge",
        Equal,
        "SELECT * FROM passage.expand_contexts($MANY, NULL, 'merge', store => '$STORE')",
    ),
    (
        "`expand_contexts` of 12 hits, budget",
        Equal,
        "SELECT * FROM passage.expand_contexts($MANY, NULL, 'section', max_tokens => 1000, store => '$STORE')",
    ),
    (
        "`explain_context` of 12 hits",
        Equal,
        "SELECT * FROM passage.explain_context($MANY, store => '$STORE')",
    ),
    (
        "`reassemble` of 12 hits",
        Equal,
        "SELECT * FROM passage.reassemble($MANY, store => '$STORE')",
    ),
    (
        "`reassemble` of 12 hits, imports",
        Equal,
        "SELECT * FROM passage.reassemble($MANY, NULL, 'hierarchical', output => passage.output(imports => true), store => '$STORE')",
    ),
    (
        "`reassemble` with unknown ids",
        Equal,
        "SELECT * FROM passage.reassemble(ARRAY[NULL, gen_random_uuid(), $ONE], store => '$STORE')",
    ),
    ("`assemble`", Equal, "SELECT passage.assemble($DOCUMENT, $MANY, store => '$STORE')"),
    ("`outline` by id", Equal, "SELECT * FROM passage.outline($DOCUMENT, store => '$STORE')"),
    ("`outline` by uri", Equal, "SELECT * FROM passage.outline($URI, store => '$STORE')"),
    ("`search` by words", Equal, "SELECT * FROM passage.search('$QUESTION', store => '$STORE')"),
    ("`search` by rare words", Equal, "SELECT * FROM passage.search('$RARE', store => '$STORE')"),
    (
        "`search` by a phrase",
        Equal,
        "SELECT * FROM passage.search('\"$PHRASE\"', store => '$STORE')",
    ),
    (
        "`search` by words with filters",
        Equal,
        "SELECT * FROM passage.search('$QUESTION', filter => passage.filter(uri_pattern => '%guide%', media_type => 'text/*'), store => '$STORE')",
    ),
    (
        "`search` by embedding",
        Equal,
        "SELECT uri, content FROM passage.search(embedding => $EMBEDDING, store => '$STORE')",
    ),
    (
        "`search` by both",
        Equal,
        "SELECT uri, content FROM passage.search('$QUESTION', $EMBEDDING, store => '$STORE')",
    ),
    (
        "`search_hits` by words, 10 hits",
        Recall(0.95),
        "SELECT chunk_id FROM passage.search_hits('$QUESTION', max_hits => 10, store => '$STORE')",
    ),
    (
        "`search_hits` by common words, 10 hits",
        Recall(0.95),
        "SELECT chunk_id FROM passage.search_hits('the $WORD of a document', max_hits => 10, store => '$STORE')",
    ),
    (
        "`search_hits` by embedding, 50 hits",
        Recall(0.98),
        "SELECT chunk_id FROM passage.search_hits(embedding => $EMBEDDING, max_hits => 50, store => '$STORE')",
    ),
    (
        "`search_hits` by both, 10 hits",
        Equal,
        "SELECT chunk_id FROM passage.search_hits('$QUESTION', $EMBEDDING, store => '$STORE')",
    ),
    (
        "`fragments` of the store",
        Equal,
        "SELECT * FROM passage.fragments('$QUESTION', store => '$STORE')",
    ),
    (
        "`fragments` of a document",
        Equal,
        "SELECT * FROM passage.fragments('$WORD', document_id => $DOCUMENT, return_full => false, store => '$STORE')",
    ),
    (
        "`fragments` by uri",
        Equal,
        "SELECT * FROM passage.fragments('$WORD', uri => $URI, store => '$STORE')",
    ),
    (
        "`fragments` by embedding",
        Equal,
        "SELECT * FROM passage.fragments('$WORD', $EMBEDDING, document_id => $DOCUMENT, return_full => false, store => '$STORE')",
    ),
    (
        "`fragments`, full document",
        Equal,
        "SELECT * FROM passage.fragments(uri => $URI, return_full => true, store => '$STORE')",
    ),
    ("`strategies`", Equal, "SELECT * FROM passage.strategies('$STORE')"),
    (
        "`store_stats`",
        Equal,
        "SELECT scope, collection, version, documents, orphaned, chunks, tokens, embedded, missing FROM passage.store_stats('$STORE')",
    ),
    (
        "`stores`",
        Equal,
        "SELECT documents, chunks, embeddings, dimensions, distance, language FROM passage.stores() WHERE store = '$STORE'",
    ),
    (
        "`check_store` with data",
        Equal,
        "SELECT object, problem FROM passage.check_store('$STORE', true)",
    ),
];

/// The number of variants of each query.
const VARIANTS: usize = 20;

/// The words of a variant: a question, rare words, a phrase, and a word that many chunks have.
const WORDS: [(&str, &str, &str, &str); VARIANTS] = [
    ("the index of a document", "pgbouncer advisory lock", "full text", "store"),
    ("split a document", "hnsw halfvec", "row-level security", "chunk"),
    ("layout of a store", "ltree lquery", "vector index", "section"),
    ("reindex a collection", "loopback proxy", "primary key", "index"),
    ("embed chunks", "wordpieces", "reciprocal rank", "text"),
    ("how to remove a document", "savepoint rollback", "foreign key", "hit"),
    ("which role may read a store", "bypassrls", "superuser", "role"),
    ("what does a passage cite", "citations spans", "media type", "source"),
    ("budget of tokens", "truncated complete", "context of", "tokens"),
    ("hierarchical context of code", "tree-sitter grammar", "nearest container", "context"),
    ("how are headings of Markdown merged", "setext frontmatter", "front matter", "heading"),
    ("parse a table of CSV", "delimiter quoting", "table header", "row"),
    ("retry of a failed request", "exponential back-off", "connection", "error"),
    ("backup and restore", "pg_dump pg_restore", "logical replication", "table"),
    ("fragments of a long line", "corrections misspelled", "whole lines", "line"),
    ("strategy of a media type", "default_for", "own strategies", "strategy"),
    ("memory of a vector index", "maintenance_work_mem", "shared buffers", "vector"),
    ("what changes in an update", "downgrade", "alter extension", "version"),
    ("errors and their hints", "sqlstate", "error", "function"),
    ("filter documents by metadata", "jsonb containment", "json", "metadata"),
];

/// The folders whose documents fill the stores.
const SOURCES: [&str; 3] = ["../docs", "../core", "../client/store/src"];

/// The largest document.
const MAX_BYTES: u64 = 60_000;

#[tokio::test]
async fn every_reading_function_returns_the_rows_of_a_plain_store() {
    let Some(citus) = Citus::start(DIMENSIONS).await else {
        return;
    };
    fill(&citus).await;
    let mut variants = Vec::new();
    for number in 0..VARIANTS {
        variants.push(variant(citus.coordinator(), number).await);
    }
    let sessions = Sessions::open(&citus.nodes).await;
    let mut table = Table::new();
    let mut failures = Vec::new();
    for (name, agreement, query) in QUERIES {
        let mut plain_times = Vec::new();
        // Of each layout on each node.
        let mut cells = vec![Cell::default(); (STORES.len() - 1) * citus.nodes.len()];
        let mut returned = 0;
        for (number, variant) in variants.iter().enumerate() {
            let query = variant.iter().fold(query.to_owned(), |query, (parameter, value)| {
                query.replace(parameter, value)
            });
            let plain = sessions.answer(0, &query, STORES[0]).await;
            let expected = plain.rows.unwrap_or_else(|error| panic!("{name}: {error}"));
            plain_times.push(plain.milliseconds);
            returned += usize::from(!expected.is_empty());
            for (index, cell) in cells.iter_mut().enumerate() {
                let (store, node) =
                    (STORES[1 + index / citus.nodes.len()], index % citus.nodes.len());
                let answer = sessions.answer(node, &query, store).await;
                cell.ratios.push(answer.milliseconds / plain.milliseconds);
                let place = format!("{name} of {store} on node {node}, variant {number}");
                match answer.rows {
                    Err(error) => failures.push(format!("{place}: {error}")),
                    // Two empty results do not count. Rows where the plain store has none differ.
                    Ok(rows) if expected.is_empty() && rows.is_empty() => {}
                    Ok(rows) if agreement == Equal && rows != expected => {
                        let recall = recall(&expected, &rows);
                        failures.push(format!("{place}: differs, recall {recall:.2}"));
                    }
                    Ok(rows) => cell.recalls.push(recall(&expected, &rows)),
                }
            }
        }
        if returned == 0 {
            failures.push(format!("{name}: no variant returns a row"));
        }
        table.add(name, &mut plain_times, &mut cells);
        let Recall(least) = agreement else { continue };
        for (index, cell) in cells.iter().enumerate() {
            let mean = cell.mean_recall();
            table.recalls.push(mean);
            if mean < least {
                failures.push(format!("{name} in column {index}: mean recall {mean:.3}"));
            }
        }
    }
    let chunks = citus.coordinator().query_text("SELECT count(*) FROM plain.chunks").await;
    println!("{}\n{chunks} chunks, {VARIANTS} variants", table.text);
    let least = table.recalls.iter().copied().fold(1.0, f64::min);
    println!("least mean recall or overlap: {least:.3}");
    assert!(failures.is_empty(), "{failures:#?}");
}

/// The measurements of a function on a layout and a node, one for each variant.
#[derive(Clone, Default)]
struct Cell {
    ratios: Vec<f64>,
    recalls: Vec<f64>,
}

impl Cell {
    fn mean_recall(&self) -> f64 {
        self.recalls.iter().sum::<f64>() / self.recalls.len().max(1) as f64
    }
}

/// The table of `docs/guides/citus.md`.
struct Table {
    text: String,
    recalls: Vec<f64>,
}

impl Table {
    fn new() -> Self {
        let text = "| function | one server, ms | `schema`, coordinator | worker 1 | worker 2 | `document`, coordinator | worker 1 | worker 2 |\n|---|---|---|---|---|---|---|---|\n";
        Self { text: text.to_owned(), recalls: Vec::new() }
    }

    fn add(&mut self, name: &str, plain_times: &mut [f64], cells: &mut [Cell]) {
        write!(self.text, "| {name} | {:.2} |", median(plain_times)).unwrap();
        for cell in cells {
            write!(self.text, " {:.1} |", median(&mut cell.ratios)).unwrap();
        }
        self.text.push('\n');
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}

/// Returns the parameters of a variant, and their values.
async fn variant(coordinator: &Cluster, number: usize) -> Vec<(&'static str, String)> {
    let chunks = |what: &str, limit: u32| {
        format!(
            "SELECT {what} FROM (SELECT id FROM plain.chunks ORDER BY md5(id::text || {number}) LIMIT {limit}) AS chosen"
        )
    };
    let one = coordinator.query_text(&chunks("id", 1)).await;
    let many = coordinator.query_text(&chunks("array_agg(id)", 12)).await;
    let of_one = |what: &str| {
        format!(
            "SELECT {what} FROM plain.chunks JOIN plain.documents ON documents.id = document_id JOIN plain.embeddings ON chunk_id = chunks.id WHERE chunks.id = '{one}'"
        )
    };
    let document = coordinator.query_text(&of_one("documents.id")).await;
    let uri = coordinator.query_text(&of_one("uri")).await;
    let embedding = coordinator.query_text(&of_one("embedding::real[]")).await;
    let (question, rare, phrase, word) = WORDS[number];
    vec![
        ("$ONE", format!("'{one}'::uuid")),
        ("$MANY", format!("'{many}'::uuid[]")),
        ("$DOCUMENT", format!("'{document}'::uuid")),
        ("$URI", format!("'{uri}'")),
        ("$EMBEDDING", format!("'{embedding}'::real[]")),
        ("$QUESTION", question.to_owned()),
        ("$RARE", rare.to_owned()),
        ("$PHRASE", phrase.to_owned()),
        ("$WORD", word.to_owned()),
    ]
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
    for store in cases(STORES) {
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
        // For check_store, which returns no row for a store without problems.
        let fault =
            format!("UPDATE {store}.documents SET chunk_count = 0 WHERE uri LIKE '%concepts.md'");
        coordinator.execute(&fault).await;
        for table in ["documents", "chunks", "embeddings"] {
            coordinator.execute(&format!("ANALYZE {store}.{table}")).await;
        }
    }
}

fn collect(folder: &Path, paths: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let is_text =
            path.extension().is_some_and(|extension| extension == "md" || extension == "rs");
        if path.is_dir() {
            collect(&path, paths);
        } else if is_text && entry.metadata().unwrap().len() < MAX_BYTES {
            paths.push(path);
        }
    }
}
