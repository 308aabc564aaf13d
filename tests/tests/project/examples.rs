//! The examples of the README and of `docs/`: their SQL, their commands, and the output below them.
//!
//! [`passage_tests::example`] describes how they run. With `PASSAGE_WRITE_EXAMPLES=1` the real output is
//! written into the pages.

use futures_util::{StreamExt, stream};
use passage_tests::cases;
use passage_tests::cluster::model_path;
use passage_tests::example::Example;
use passage_tests::markdown::{Page, pages};
use passage_tests::{Cluster, fixture};

#[tokio::test]
async fn every_example_of_the_documentation_prints_what_it_shows() {
    let cluster = Cluster::start().await;
    if model_path().is_none() {
        let why = "there is no model: ground/fetch/model fetches it";
        cluster.installation().report_skipped("the examples of the documentation", why);
        return;
    }
    Example::load(&cluster).await;
    let pages = pages();
    let mut examples = Vec::new();
    for (number, page) in pages.iter().enumerate() {
        examples.push(Example::create(&cluster, page, format!("page_{number}")).await);
    }
    let runs = stream::iter(&examples).map(Example::run).buffer_unordered(4);
    let mut failures: Vec<String> = runs.collect::<Vec<_>>().await.concat();
    failures.sort();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[tokio::test]
async fn a_block_of_sql_runs_the_client_and_reads_the_fixtures() {
    let cluster = Cluster::start().await;
    let block = "\\set client `passage --version`
\\set document `cat handbook/backup.md`
SELECT :'client' LIKE 'passage %' AS client, :'document' LIKE '# Backup%' AS document;";
    let text = format!(
        "```sql\n{block}\n```\n\n```text\n client | document\n--------+----------\n t      | t\n```\n"
    );
    let page = Page { name: "page.md".to_owned(), text };
    let example = Example::create(&cluster, &page, "page".to_owned()).await;
    assert_eq!(example.run().await, Vec::<String>::new());
}

#[tokio::test]
async fn the_client_accepts_every_configuration_of_the_documentation() {
    let cluster = Cluster::bare().await;
    let mut tried = 0;
    for page in pages() {
        for block in page.blocks().iter().filter(|block| block.language == "toml") {
            let folder = tempfile::tempdir().unwrap();
            std::fs::create_dir(folder.path().join("passage")).unwrap();
            std::fs::write(folder.path().join("passage/passage.toml"), &block.text).unwrap();
            let mut program = cluster.client_program();
            program.args(["split", fixture!("handbook/logging.md"), "--sizer", "characters"]);
            let output = program.env("XDG_CONFIG_HOME", folder.path()).output().await.unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}:{}: {stderr}", page.name, block.line);
            tried += 1;
        }
    }
    assert!(tried > 0);
}

#[tokio::test]
async fn an_embedding_of_every_driver_is_accepted_with_a_cast() {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector("an embedding of every driver is accepted with a cast") {
        return;
    }
    let query = "SELECT count(*) FROM (SELECT chunk_id FROM rag.embeddings ORDER BY embedding <=>";
    for (sent, value) in cases([
        ("unknown", "array_fill(1.0::real, '{384}')::text"),
        ("text", "array_fill(1.0::real, '{384}')::text"),
        ("varchar", "array_fill(1.0::real, '{384}')::text"),
        ("double precision[]", "array_fill(1.0::float8, '{384}')"),
        ("real[]", "array_fill(1.0::real, '{384}')"),
        ("vector", "array_fill(1.0::real, '{384}')::vector"),
    ]) {
        let value = cluster.query_text(&format!("SELECT quote_literal(({value})::text)")).await;
        let value =
            if sent.ends_with(']') { value } else { value.replace('{', "[").replace('}', "]") };
        let prepare = format!("PREPARE nearest ({sent}) AS {query} $1::vector LIMIT 1) AS hit");
        cluster.execute(&format!("{prepare}; EXECUTE nearest ({value})")).await;
        if sent == "text" || sent.ends_with(']') {
            let error = cluster.error(&prepare.replace("::vector", "")).await;
            assert_eq!(error.code().code(), "42883", "{sent} works without the cast");
        }
    }
    cluster
        .execute(
            "SELECT passage.create_store('half', dimensions => 3, embedding_type => 'halfvec')",
        )
        .await;
    for value in cases(["'[1,2,3]'", "'[1,2,3]'::vector", "'[1,2,3]'::halfvec"]) {
        let query =
            format!("SELECT chunk_id FROM half.embeddings ORDER BY embedding <=> {value} LIMIT 1");
        let plan = cluster.query_lines(&format!("SET enable_seqscan = off; EXPLAIN {query}")).await;
        assert!(plan.join("").contains("embeddings_embedding_idx"), "{plan:?}");
    }
}
