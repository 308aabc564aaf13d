//! The page about size: each figure of its tables is measured again on small stores, or computed from the others.

use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;
use passage_tests::markdown::{Page, root, table};
use std::collections::HashMap;

/// The share by which a measured figure may differ from the page. Pages that are not full count more in a small
/// store.
const TOLERANCE: f64 = 0.05;

fn page() -> Page {
    Page::read("docs/guides/size.md")
}

/// Returns a figure of a cell, such as `8,194` or `2.05 GB`, in units of one.
fn number(cell: &str) -> f64 {
    let cell = cell.replace([',', '`'], "");
    let (number, unit) = cell.split_once(' ').unwrap_or((&cell, ""));
    let unit = match unit {
        "" | "B" => 1.0,
        "MB" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        _ => panic!("{cell} has an unknown unit"),
    };
    unit * number.parse::<f64>().unwrap_or_else(|_| panic!("{cell} is not a number"))
}

fn assert_near(what: &str, stated: f64, actual: f64, tolerance: f64) {
    let difference = (actual - stated).abs();
    assert!(difference <= tolerance * stated, "{what}: the page states {stated}, not {actual:.1}");
}

/// A row of the table of embeddings: dimensions, type, and the bytes of column, index and build.
fn rows() -> Vec<(usize, String, [f64; 3])> {
    let table = table(&page().text, "dimensions");
    let row = |cells: &Vec<String>| {
        let bytes = [&cells[2], &cells[3], &cells[4]].map(|cell| number(cell));
        (number(&cells[0]) as usize, cells[1].replace('`', ""), bytes)
    };
    table.rows.iter().map(row).collect()
}

/// Fills the embeddings of a new store, and returns the bytes of a row in the table with its TOAST, and in the index.
async fn measure(
    cluster: &Cluster,
    dimensions: usize,
    embedding_type: &str,
    number: usize,
) -> [f64; 2] {
    // The graph does not get better here, so its build may be fast. Its size is the same.
    let sql = format!(
        "DROP SCHEMA IF EXISTS big CASCADE;
        SELECT passage.create_store('big', {dimensions}, embedding_type => '{embedding_type}');
        DROP INDEX big.chunks_path_idx, big.chunks_tsv_idx, big.embeddings_embedding_idx;
        INSERT INTO big.documents (id, uri) VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 'a');
        INSERT INTO big.chunks (document_id, ordinal, content)
        SELECT 'aaaaaaaa-0000-0000-8000-000000000000', n, 'x' FROM generate_series(1, {number}) AS n;
        INSERT INTO big.embeddings SELECT id, document_id, numbers[ordinal + 1:ordinal + {dimensions}]
        FROM big.chunks, (SELECT array_agg(random() - 0.5)::real[] FROM generate_series(1, {number} + {dimensions})) AS of (numbers);
        DO $$ BEGIN
            EXECUTE (SELECT replace(ddl, 'ef_construction = 200', 'ef_construction = 32')
                FROM passage.upgrade_store('big', dry_run => true) AS ddl WHERE ddl LIKE '% hnsw %');
        END $$"
    );
    cluster.execute(&sql).await;
    let mut bytes = [0.0; 2];
    let sizes = [
        "pg_table_size('big.embeddings') - pg_relation_size('big.embeddings', 'fsm')",
        "pg_relation_size('big.embeddings_embedding_idx')",
    ];
    for (bytes, size) in bytes.iter_mut().zip(sizes) {
        let sql = format!("SELECT ({size})::float8 / {number}");
        *bytes = cluster.query_text(&sql).await.parse().unwrap();
    }
    bytes
}

#[tokio::test]
async fn embeddings_and_their_indexes_take_the_bytes_that_the_page_states() {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector("the bytes of embeddings") {
        return;
    }
    for (dimensions, embedding_type, [column, index, _]) in rows() {
        let measured = measure(&cluster, dimensions, &embedding_type, 2_000).await;
        for (what, stated, actual) in
            [("column", column, measured[0]), ("index", index, measured[1])]
        {
            assert_near(
                &format!("{what} of {dimensions} {embedding_type}"),
                stated,
                actual,
                TOLERANCE,
            );
        }
    }
    // Bytes grow with the number of chunks, so the figures hold for larger stores.
    for embedding_type in ["vector", "halfvec", "binary"] {
        let [small, large] = [
            measure(&cluster, 384, embedding_type, 1_000).await,
            measure(&cluster, 384, embedding_type, 4_000).await,
        ];
        for (small, large) in small.into_iter().zip(large) {
            assert_near(&format!("{embedding_type}, 4,000 chunks"), small, large, TOLERANCE);
        }
    }
}

/// Returns the bytes of a chunk in an index, as the page computes them: an element and its neighbors are on one page.
fn computed_index_bytes(dimensions: usize, embedding_type: &str) -> f64 {
    let aligned = |bytes: usize| bytes.next_multiple_of(8);
    let value = match embedding_type {
        "vector" => 8 + 4 * dimensions,
        "halfvec" => 8 + 2 * dimensions,
        _ => 8 + dimensions.div_ceil(8),
    };
    let (element, neighbors) = (aligned(72 + value), aligned(4 + 6 * 32));
    let of_a_page = 8_160 / (element + neighbors + 8);
    if of_a_page > 0 { 8_192.0 / of_a_page as f64 } else { 2.0 * 8_192.0 }
}

#[test]
fn the_formulas_of_the_page_give_its_figures() {
    let mut index_bytes = HashMap::new();
    for (dimensions, embedding_type, [_, index, build]) in rows() {
        assert_near(
            &format!("formula of {dimensions} {embedding_type}"),
            index,
            computed_index_bytes(dimensions, &embedding_type),
            TOLERANCE,
        );
        let value = match &*embedding_type {
            "vector" => 4 * dimensions,
            "halfvec" => 2 * dimensions,
            _ => dimensions / 8,
        };
        assert_near(
            &format!("memory of {dimensions} {embedding_type}"),
            build,
            value as f64 + 720.0,
            TOLERANCE,
        );
        index_bytes.insert((dimensions, embedding_type), index);
    }
    // A row of larger stores has the products.
    let larger = table(&page().text, "index of");
    for row in &larger.rows {
        let (dimensions, embedding_type) = row[0].split_once(' ').expect("dimensions and type");
        let of_one = index_bytes[&(number(dimensions) as usize, embedding_type.replace('`', ""))];
        for (chunks, cell) in larger.head[1..].iter().zip(&row[1..]) {
            assert_near(
                &format!("{} at {chunks}", row[0]),
                number(cell),
                number(chunks) * of_one,
                0.02,
            );
        }
    }
}

/// The bytes of a chunk in the primary key of embeddings that grew row by row.
const EMBEDDINGS_KEY: f64 = 43.0;

#[test]
fn the_disk_of_a_store_is_the_sum_of_its_relations() {
    let page = page();
    let of_chunk: f64 = table(&page.text, "relation").rows.iter().map(|row| number(&row[1])).sum();
    let disk = table(&page.text, "store of");
    for row in &disk.rows {
        let embedded = rows().into_iter().find(|(dimensions, embedding_type, _)| {
            row[0].replace([',', '`'], "") == format!("{dimensions} {embedding_type}")
        });
        assert!(
            embedded.is_some() || row[0] == "no embeddings",
            "the page has no bytes of {}",
            row[0]
        );
        let of_embedding =
            embedded.map_or(0.0, |(_, _, [column, index, _])| column + index + EMBEDDINGS_KEY);
        assert_near(&row[0], number(&row[1]), of_chunk + of_embedding, 0.001);
        for (chunks, cell) in disk.head[2..].iter().zip(&row[2..]) {
            assert_near(&row[0], number(cell), number(chunks) * number(&row[1]), 0.005);
        }
    }
}

#[test]
fn the_plan_for_a_billion_chunks_follows_its_two_rules() {
    const CHUNKS: f64 = 1e9;
    // Two thirds of the memory of a node, and what a build may take.
    let (of_indexes, of_build) = (256e9 * 2.0 / 3.0, 64e9);
    let page = page();
    let disk = table(&page.text, "store of");
    for row in &table(&page.text, "384 dimensions").rows {
        let embedding_type = row[0].replace('`', "");
        let (_, _, [_, index, build]) = rows()
            .into_iter()
            .find(|(dimensions, of_row, _)| *dimensions == 384 && *of_row == embedding_type)
            .expect("the table of embeddings has the type");
        let nodes = (CHUNKS * index / of_indexes).ceil();
        let shards = ((CHUNKS * build / of_build) / nodes).ceil() * nodes;
        let whole = disk.rows.iter().find(|store| store[0] == format!("384 {}", row[0])).unwrap();
        let expected =
            [CHUNKS * index, nodes, CHUNKS * build, shards, CHUNKS * number(&whole[1]) / nodes];
        for (cell, expected) in row[1..].iter().zip(expected) {
            assert_near(&format!("the plan of {embedding_type}"), number(cell), expected, 0.005);
        }
    }
}

#[tokio::test]
async fn chunks_and_their_indexes_take_the_bytes_that_the_page_states() {
    let cluster = Cluster::start().await;
    let documents = root().join("tests/quality/docs");
    cluster.execute("SELECT passage.create_store('big')").await;
    let client = cluster.client().await;
    let entries = documents.read_dir().expect("the folder can be read");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.sort();
    for path in paths {
        let (name, text) =
            (path.file_name().unwrap().to_str().unwrap(), std::fs::read_to_string(&path).unwrap());
        let sql = "SELECT passage.ingest($1, $2, collection => n::text, store => 'big') FROM generate_series(1, 8) AS n";
        client.query(sql, &[&name, &text]).await.unwrap();
    }
    cluster.execute_as(SUPERUSER, "REINDEX TABLE big.chunks").await;
    for row in &table(&page().text, "relation").rows {
        let relation = row[0].trim_matches('`');
        let size = if relation == "chunks" { "pg_table_size" } else { "pg_relation_size" };
        let sql =
            format!("SELECT {size}('big.{relation}')::float8 / (SELECT count(*) FROM big.chunks)");
        let bytes = cluster.query_text(&sql).await.parse().unwrap();
        // GiST chooses among equal pages at random.
        let tolerance = if relation == "chunks_path_idx" { 2.0 * TOLERANCE } else { TOLERANCE };
        assert_near(relation, number(&row[1]), bytes, tolerance);
    }
}
