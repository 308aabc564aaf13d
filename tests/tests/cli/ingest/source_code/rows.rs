//! The rows that SQL writes for source code, compared with those of the client.

use super::files::{File, LANGUAGES, files};
use object::{Object, ObjectSymbol};
use passage_tests::Cluster;
use std::collections::{HashMap, HashSet};

/// Every column of documents and chunks, except the time and the row that a document comes from, by store.
pub fn rows_of(store: &str) -> String {
    format!(
        "SELECT to_jsonb(documents) - '{{ingested_at,source_row}}'::text[] FROM {store}.documents \
         UNION ALL SELECT to_jsonb(chunks) FROM {store}.chunks"
    )
}

/// Returns every row of a store, sorted.
pub async fn rows(cluster: &Cluster, store: &str) -> Vec<String> {
    let mut rows = cluster.query_lines(&rows_of(store)).await;
    rows.sort();
    rows
}

/// Compares the rows of two stores, and reports the first that differ.
pub async fn assert_same_rows(cluster: &Cluster, actual: &str, expected: &str) -> usize {
    let (left, right) = (rows(cluster, actual).await, rows(cluster, expected).await);
    let (left_set, right_set): (HashSet<_>, HashSet<_>) =
        (left.iter().collect(), right.iter().collect());
    let only = |rows: &HashSet<&String>, other: &HashSet<&String>| {
        rows.difference(other).take(3).map(|row| (*row).clone()).collect::<Vec<_>>()
    };
    let differing = [only(&left_set, &right_set), only(&right_set, &left_set)];
    assert_eq!(differing, [Vec::<String>::new(), Vec::new()], "{actual} and {expected}");
    assert_eq!(left.len(), right.len());
    left.len()
}

/// Loads the files with the client into the store `rag`, and returns the uri of each.
async fn load_by_client(cluster: &Cluster, files: &[File]) -> HashMap<String, String> {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        std::fs::write(folder.path().join(&file.name), &file.text).unwrap();
    }
    let path = folder.path().to_str().unwrap();
    cluster.passage(["ingest", "--no-embed", "--sizer", "characters", path]).await;
    let uris = cluster.query_lines("SELECT uri FROM rag.documents").await;
    assert_eq!(uris.len(), files.len());
    uris.into_iter().map(|uri| (uri.rsplit('/').next().unwrap().to_owned(), uri)).collect()
}

#[tokio::test]
async fn sql_finds_the_chunks_of_the_client_in_source_code_of_every_language() {
    let cluster = Cluster::bare().await;
    cluster.execute("CREATE EXTENSION pg_passage CASCADE").await;
    cluster
        .execute("SELECT passage.create_store(s) FROM unnest('{rag,by_sql,in_step}'::name[]) s")
        .await;
    let files = files();
    let uris = load_by_client(&cluster, &files).await;
    let client = cluster.client().await;
    cluster
        .execute(
            "CREATE TABLE sources (uri text PRIMARY KEY, body text NOT NULL);
            CREATE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON sources FOR EACH ROW
                EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri={uri}', 'store=in_step')",
        )
        .await;
    let mut structured = HashMap::new();
    for File { name, media_type, text } in &files {
        let uri = &uris[name];
        let ingest = "SELECT FROM passage.ingest($1, $2, store => 'by_sql')";
        client.query_one(ingest, &[uri, text]).await.unwrap();
        client.execute("INSERT INTO sources VALUES ($1, $2)", &[uri, text]).await.unwrap();
        let split = "SELECT count(*) FILTER (WHERE stored IS NULL), count(*) FILTER (WHERE unit <> 'text') > 0 FROM \
             (SELECT * FROM passage.split($2, title => (SELECT title FROM rag.documents WHERE uri = $1), uri => $1)) AS s \
             LEFT JOIN (SELECT c AS stored, c.* FROM rag.chunks AS c JOIN rag.documents AS d ON d.id = document_id \
             WHERE uri = $1) AS c USING (ordinal, level, section, kind, unit, content, preamble, tokens, start_byte, \
             end_byte, first_line, last_line, metadata)";
        let row = client.query_one(split, &[uri, text]).await.unwrap();
        assert_eq!(row.get::<_, i64>(0), 0, "{name}: split finds chunks that the client does not");
        *structured.entry(media_type.as_str()).or_insert(false) |= row.get::<_, bool>(1);
    }
    for language in LANGUAGES {
        assert!(structured[language], "{language}: split finds no unit");
    }
    let rows = assert_same_rows(&cluster, "rag", "by_sql").await;
    assert_same_rows(&cluster, "rag", "in_step").await;
    println!("{} files of 16 languages, {rows} rows", files.len());
}

#[test]
fn the_library_exports_no_symbol_of_a_grammar() {
    let installation = passage_tests::cluster::Installation::find();
    let bytes = std::fs::read(installation.library("pg_passage")).expect("it is installed");
    let object = object::File::parse(&*bytes).unwrap();
    let names: Vec<_> = object
        .dynamic_symbols()
        .filter(ObjectSymbol::is_definition)
        .filter_map(|symbol| symbol.name().ok().map(ToOwned::to_owned))
        .collect();
    assert!(names.len() > 20, "{names:?}");
    let is_own = |name: &&String| {
        name.ends_with("_wrapper")
            || ["Pg_magic_func", "_PG_init"].contains(&name.trim_start_matches("__"))
    };
    let foreign: Vec<_> = names.iter().filter(|name| !is_own(name)).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
}
