//! The unit and the sizes of chunks: options, what a store records, and refusals of other sizes.

use crate::embedding_service::Service;
use crate::ingest::second_run::book;
use crate::{
    RunOutput, Sources, assert_sound, ingest_text, lacks_embedding, run_client, text_cluster,
};
use passage::embed::ServiceConfig;
use passage::split::ChunkSizes;
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;
use serde_json::{Value, json};
use std::fs;

const CHUNKS: &str = "SELECT id, ctid, xmin FROM rag.chunks ORDER BY id";
const EMBEDDINGS: &str = "SELECT chunk_id, ctid, xmin FROM rag.embeddings ORDER BY chunk_id";

/// Returns the sizes that the store records.
async fn recorded(cluster: &Cluster) -> Value {
    let sql = "SELECT jsonb_object_agg(key, value) FROM rag.settings WHERE key IN ('sizer', 'chunk_sizes')";
    serde_json::from_str(&cluster.query_text(sql).await).unwrap_or_default()
}

fn sizes(sizer: &str, limits: [usize; 4], overlap: usize) -> Value {
    let [min, preferred, max, window] = limits;
    json!({"sizer": sizer, "chunk_sizes": {
        "min_size": min, "preferred_size": preferred, "max_size": max, "max_with_preamble": window, "overlap": overlap,
    }})
}

#[test]
fn the_sizes_in_the_documentation_are_those_for_the_windows_of_services() {
    let guide = include_str!("../../../../docs/guides/client.md");
    let head =
        "| the model reads | for example | `--max-size` | `--preferred-size` | `--min-size` |";
    let rows: Vec<_> = guide.lines().skip_while(|line| *line != head).skip(2).take(3).collect();
    let mut models = 0;
    for (row, window) in rows.iter().zip([256, 512, 1_024]) {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
        assert!(cells[0].replace(',', "").starts_with(&window.to_string()), "{row}");
        let sizes = |window| {
            let limits = ChunkSizes::default().in_characters(window);
            [limits.max, limits.preferred, limits.min]
        };
        let expected = cells[2..5].iter().map(|size| size.replace(',', "").parse().unwrap());
        let expected: Vec<usize> = expected.collect();
        assert_eq!(sizes(Some(window)).to_vec(), expected, "{row}");
        for model in cells[1].split(", ") {
            let service = ServiceConfig::new("http://localhost", model.trim_matches('`'));
            assert_eq!(sizes(service.window()).to_vec(), expected, "{model}");
            models += 1;
        }
    }
    assert_eq!(models, 6);
}

#[tokio::test]
async fn a_run_without_embeddings_keeps_chunks_and_embeddings_of_an_embedded_store() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "a run without embeddings keeps chunks and embeddings") {
        return;
    }
    let sources = Sources::with([("a.md", book(None)), ("b.md", book(Some(2)))]);
    let first = run_client(&cluster, ["ingest", &sources.book()]).await;
    assert!(first.stdout.contains("; 20 chunks, 20 embedded"), "{}", first.stdout);
    assert_eq!(recorded(&cluster).await, sizes("wordpieces", [50, 128, 200, 254], 0));
    let (chunks, embeddings) =
        (cluster.query_lines(CHUNKS).await, cluster.query_lines(EMBEDDINGS).await);

    let second = ingest_text(&cluster, &[&sources.book()]).await;
    assert!(second.stdout.starts_with("0 documents added, 2 unchanged;"), "{}", second.stdout);
    assert_eq!(cluster.query_lines(CHUNKS).await, chunks);
    assert_eq!(cluster.query_lines(EMBEDDINGS).await, embeddings);

    // Of a changed document, only the embedding of the changed chunk is lost. The next run adds it.
    sources.write("a.md", book(Some(4)));
    let third = ingest_text(&cluster, &[&sources.book()]).await;
    assert!(third.stderr.contains("replaced book/a.md: 10 chunks, 9 kept"), "{}", third.stderr);
    let kept = cluster.query_lines(EMBEDDINGS).await;
    assert_eq!((kept.len(), kept.iter().all(|row| embeddings.contains(row))), (19, true));
    let fourth = run_client(&cluster, ["ingest", &sources.book()]).await;
    assert!(
        fourth.stdout.contains("1 replaced, 1 unchanged; 10 chunks, 1 embedded"),
        "{}",
        fourth.stdout
    );
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn a_run_without_the_model_that_counts_the_chunks_is_refused() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "a run without the model that counts the chunks is refused") {
        return;
    }
    let sources = Sources::with([("a.md", book(None))]);
    assert_eq!(run_client(&cluster, ["ingest", &sources.book()]).await.code, Some(0));
    let embeddings = cluster.query_lines(EMBEDDINGS).await;
    sources.write("a.md", book(Some(1)));
    let without = async |arguments: &[&str]| {
        let mut program = cluster.client_program();
        program.env("PASSAGE_MODEL", "/nowhere").args(arguments);
        RunOutput::of(&mut program).await
    };
    let run = without(&["ingest", "--no-embed", &sources.book()]).await;
    run.assert_refusal(
        "store \"rag\" has chunks in wordpieces, which the model counts",
        "passage reindex --no-embed --sizer characters",
    );
    assert_eq!(cluster.query_lines(EMBEDDINGS).await, embeddings);
    let other = ["ingest", "--no-embed", "--sizer", "characters", &sources.book()];
    without(&other).await.assert_refusal(
        "store \"rag\" has chunks of 50 to 200 wordpieces, preferably 128, not of 200 to 1000 characters, preferably 600",
        "Or run passage reindex with these options",
    );
    assert_eq!(cluster.query_lines(EMBEDDINGS).await, embeddings);
    // A store that was created for a model splits for it from the first document on.
    let run = without(&["ingest", "--no-embed", "--store", "other", &sources.book()]).await;
    assert_ne!(run.code, Some(0));
    assert_eq!(run_client(&cluster, ["init", "--store", "other"]).await.code, Some(0));
    let run = without(&["ingest", "--no-embed", "--store", "other", &sources.book()]).await;
    run.assert_refusal("store \"other\" has chunks in wordpieces", "passage model fetch");
}

#[tokio::test]
async fn chunk_sizes_are_recorded_and_other_sizes_are_refused() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", book(None))]);
    let book_path = sources.book();
    let ingest =
        async |options: &[&str]| ingest_text(&cluster, &[options, &[&*book_path]].concat()).await;
    let given =
        ["--max-size", "300", "--preferred-size", "200", "--min-size", "40", "--overlap", "30"];
    let run = ingest(&given).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let expected = sizes("characters", [40, 200, 300, 375], 30);
    assert_eq!(recorded(&cluster).await, expected);
    let longest = "SELECT max(char_length(content)) BETWEEN 200 AND 300 FROM rag.chunks";
    assert_eq!(cluster.query_text(longest).await, "t");

    let chunks = cluster.query_lines(CHUNKS).await;
    for options in [&[][..], &given, &["--sizer", "characters"], &["--max-size", "300"]] {
        let run = ingest(options).await;
        assert!(run.stdout.contains(", 1 unchanged;"), "{options:?}: {}{}", run.stdout, run.stderr);
    }
    for options in cases([
        &["--max-size", "400"][..],
        &["--min-size", "0"],
        &["--overlap", "0"],
        &["--max-size", "300", "--min-size", "41"],
    ]) {
        for dry_run in cases([&[][..], &["--dry-run"]]) {
            let run = ingest(&[options, dry_run].concat()).await;
            run.assert_refusal(
                "store \"rag\" has chunks of 40 to 300 characters, preferably 200, with an overlap of 30, not of ",
                "Leave out --sizer, --overlap, --split-at and the options for sizes",
            );
            assert_eq!(run.code, Some(1));
        }
    }
    assert_eq!((cluster.query_lines(CHUNKS).await, recorded(&cluster).await), (chunks, expected));

    let run =
        run_client(&cluster, ["reindex", "--max-size", "600", "--overlap", "0", "--drop-former"])
            .await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(recorded(&cluster).await, sizes("characters", [120, 360, 600, 750], 0));
    assert_eq!(cluster.query_text(&longest.replace("200 AND 300", "301 AND 600")).await, "t");
    let again = run_client(&cluster, ["reindex", "--drop-former"]).await;
    assert!(again.stdout.contains("1 unchanged"), "{}", again.stdout);
    assert_eq!(recorded(&cluster).await, sizes("characters", [120, 360, 600, 750], 0));
    // The next ingest records the content hash that it removed, and splits nothing a second time.
    for _ in 0..2 {
        let chunks = cluster.query_lines(CHUNKS).await;
        let run = ingest(&[]).await;
        assert!(run.stdout.starts_with("0 documents added, 1 unchanged;"), "{}", run.stdout);
        assert_eq!(cluster.query_lines(CHUNKS).await, chunks);
    }
    // A change of a column of the document alone is a change.
    let run = ingest(&["--metadata", r#"{"a": 1}"#]).await;
    assert!(run.stdout.contains("1 replaced"), "{}", run.stdout);

    // A store without documents takes other sizes.
    run_client(&cluster, ["remove", "--collection", "", "--yes"]).await;
    assert_eq!(ingest(&["--max-size", "800"]).await.code, Some(0));
    assert_eq!(recorded(&cluster).await, sizes("characters", [160, 480, 800, 1_000], 0));
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn a_reindexed_collection_changes_the_sizes_of_the_store_with_a_note() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", book(None))]);
    for collection in ["one", "two"] {
        ingest_text(&cluster, &["--collection", collection, &sources.book()]).await;
    }
    let reindex = ["reindex", "--collection", "one", "--max-size", "400"];
    let run = run_client(&cluster, reindex).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("note: the store now has other chunk sizes"), "{}", run.stderr);
    assert_eq!(recorded(&cluster).await, sizes("characters", [80, 240, 400, 500], 0));
    let again = run_client(&cluster, reindex).await;
    assert!(!again.stderr.contains("note:"), "{}", again.stderr);
}

#[tokio::test]
async fn missing_or_invalid_sizes_are_recorded_again() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", book(None))]);
    ingest_text(&cluster, &[&sources.book()]).await;
    let chunks = cluster.query_lines(CHUNKS).await;
    cluster.execute("DELETE FROM rag.settings WHERE key = 'chunk_sizes'").await;
    let run = ingest_text(&cluster, &[&sources.book()]).await;
    assert!(run.stdout.contains(", 1 unchanged;"), "{}{}", run.stdout, run.stderr);
    assert_eq!(recorded(&cluster).await, sizes("characters", [200, 600, 1_000, 1_250], 0));
    cluster.execute("UPDATE rag.settings SET value = '\"many\"' WHERE key = 'chunk_sizes'").await;
    let run = ingest_text(&cluster, &[&sources.book()]).await;
    assert!(run.stdout.contains(", 1 unchanged;"), "{}{}", run.stdout, run.stderr);
    assert_eq!(recorded(&cluster).await, sizes("characters", [200, 600, 1_000, 1_250], 0));
    cluster.execute("UPDATE rag.settings SET value = '\"lines\"' WHERE key = 'sizer'").await;
    assert_eq!(ingest_text(&cluster, &[&sources.book()]).await.code, Some(0));
    assert_eq!(recorded(&cluster).await, sizes("characters", [200, 600, 1_000, 1_250], 0));
    assert_eq!(cluster.query_lines(CHUNKS).await, chunks);
}

#[tokio::test]
async fn a_configuration_file_sets_chunk_sizes() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", book(None))]);
    fs::write(sources.0.path().join("passage.toml"), "max-size = 500\n\n[sync]\nmin-size = 20\n")
        .unwrap();
    let mut program = cluster.client_program();
    program.current_dir(sources.0.path()).env("PASSAGE_CONFIG", "passage.toml");
    let run = RunOutput::of(program.args(["sync", "--no-embed", "book"])).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(recorded(&cluster).await, sizes("characters", [20, 300, 500, 625], 0));
}

#[tokio::test]
async fn the_model_of_a_service_decides_the_default_sizes() {
    let cluster = Cluster::bare().await;
    if cluster.lacks_vector("the model of a service decides the default sizes") {
        return;
    }
    cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
    let service = Service::good(8).await;
    // One long section, since sections of level 2 stay apart.
    let paragraph = "A sentence of the only section. ".repeat(4) + "\n\n";
    let sources = Sources::with([("a.md", "# Book\n\n".to_owned() + &paragraph.repeat(40))]);
    for (model, expected) in cases([
        ("text-embedding-3-small", [400, 1_200, 2_000, 2_500]),
        ("mxbai-embed-large", [245, 736, 1_228, 1_536]),
        ("tiny", [200, 600, 1_000, 1_250]),
    ]) {
        cluster.execute("DROP SCHEMA IF EXISTS rag CASCADE").await;
        for arguments in cases([
            &["init"][..],
            &["ingest", &sources.book()],
            &["ingest", "--no-embed", &sources.book()],
        ]) {
            let mut program = cluster.client_program();
            program.env("PASSAGE_EMBED_URL", service.url()).env("PASSAGE_EMBED_MODEL", model);
            let run = RunOutput::of(program.args(arguments)).await;
            assert_eq!(run.code, Some(0), "{}", run.stderr);
            assert_eq!(recorded(&cluster).await, sizes("characters", expected, 0), "{model}");
        }
        let longest = "SELECT max(char_length(content)) FROM rag.chunks";
        let longest: usize = cluster.query_text(longest).await.parse().unwrap();
        assert!(longest <= expected[2] && longest > expected[2] / 3, "{model}: {longest}");
    }
}

#[tokio::test]
async fn sizes_in_characters_are_noted_if_the_local_model_may_not_read_all() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "sizes in characters are noted") {
        return;
    }
    let sources = Sources::with([("a.md", "# A\n\nOne.\n")]);
    ingest_text(&cluster, &["--sizer", "characters", &sources.book()]).await;
    let run = run_client(&cluster, ["ingest", &sources.book()]).await;
    assert!(run.stderr.contains("note: chunk sizes are in characters"), "{}", run.stderr);
    assert!(run.stdout.contains("1 embedded"), "{}", run.stdout);
}
