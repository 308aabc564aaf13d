//! Usage errors: the client refuses them before it does anything.

use crate::{RunOutput, SECRET, Sources, next_transaction, run_client, text_cluster};
use passage_tests::cases;
use passage_tests::cluster::client_path;
use tokio::process::Command;

/// Arguments, the refusal, and its remedy.
const CALLS: [(&[&str], &str, &str); 36] = [
    (
        &["ingest", "BOOK", "--media-type", "text/nonsense"],
        "\"text/nonsense\"",
        "Valid ones: text/",
    ),
    (&["split", "BOOK/a.md", "--media-type", ""], "unrecognized value", "Valid ones: text/"),
    (
        &["ingest", "BOOK", "--metadata", "[xyzzy-hunter2]"],
        "--metadata must be a JSON",
        "single quotes",
    ),
    (&["ingest", "BOOK", "--uri", "a"], "--uri requires a single document", "Name one file"),
    (&["ingest", "-"], "standard input requires --uri", "Use --uri"),
    (&["ingest", "-", "BOOK"], "standard input requires --uri", "Use --uri"),
    (&["ingest", "BOOK", "--metadata", "=a"], "--metadata must be a JSON", "KEY=VALUE"),
    (&["ingest", "BOOK", "--include", "[a"], "\"[a\" is not a valid pattern", "'docs/**/*.md'"),
    (&["ingest", "BOOK", "--watch", "--dry-run"], "cannot be used with", "Usage: passage ingest"),
    (&["ingest", "-", "--uri", "a", "--watch"], "--watch requires files", "Name files or folders"),
    (
        &["ingest", "BOOK", "--jsonl", "lines"],
        "'lines' for '--jsonl",
        "[possible values: documents",
    ),
    (&["init", "--partitions", "1"], "1 is not in 2..=1024", "--help"),
    (&["init", "--partitions", "1025"], "1025 is not in 2..=1024", "--help"),
    (&["init", "--partitions", "2; DROP TABLE x"], "'2; DROP TABLE x' for '--partitions", "--help"),
    (
        &["init", "--embedding-type", "bit"],
        "'bit' for '--embedding-type",
        "[possible values: vector",
    ),
    (&["manual-pages"], "required arguments were not provided", "Usage: passage manual-pages"),
    (&["sync", "BOOK", "--grace", "7"], "'7' for '--grace", "--help"),
    (&["ingest"], "required arguments were not provided", "Usage: passage ingest"),
    (&["ingest", "BOOK", "--sizer", "bytes"], "'bytes' for '--sizer", "[possible values: "),
    (
        &["ingest", "BOOK", "--no-embed", "--min-size", "300", "--max-size", "400"],
        "--min-size must be at most 240, not 300",
        "at most --preferred-size, which is 240",
    ),
    (
        &["split", "BOOK/a.md", "--sizer", "characters", "--preferred-size", "2000"],
        "--preferred-size must be at most 1000, not 2000",
        "at most --max-size, which is 1000",
    ),
    (&["ingest", "BOOK", "--max-size", "0"], "0 is not in 1..=1000000", "--help"),
    (&["reindex", "--max-size", "1000001"], "1000001 is not in 1..=1000000", "--help"),
    (&["ingest", "BOOK", "--fast"], "unexpected argument '--fast'", "Usage: passage ingest"),
    (
        &["ingest", "BOOK", "--metadata", r#"{"a": "xyzzy-hunter2\u0000"}"#],
        "\"metadata\" contains a NUL",
        "Remove the NUL",
    ),
    (
        &["search", "a", "--metadata", r#"{"a": ["xyzzy-hunter2\u0000"]}"#],
        "\"metadata\" contains a NUL",
        "Remove the NUL",
    ),
    (&["search", "a", "--metadata", "[]"], "--metadata must be a JSON object", "single quotes"),
    (&["search", "a", "--mode", "near"], "'near' for '--mode", "[possible values: vector"),
    (&["search", "a", "--candidates", "0"], "'0' for '--candidates", "--help"),
    (&["search", "valve", "--path", "a..b"], "lquery syntax error", "one label for each title"),
    (
        &["search", "a", "--min-similarity", "0.5"],
        "--min-similarity requires an embedding",
        "--mode hybrid",
    ),
    (&["search", "a", "--limit", "0"], "'0' for '--limit", "--help"),
    (&["search", "a", "--limit", "1001"], "1001 is not in 1..=1000", "--help"),
    (&["search", "a", "--max-tokens", "-1"], "'-1' found", "Usage: passage search"),
    (&["search", "a", "--max-tokens", "1000001"], "1000001 is not in 0..=1000000", "--help"),
    (&["xyzzy"], "unrecognized subcommand 'xyzzy'", "Usage: passage"),
];

#[tokio::test]
async fn a_usage_error_is_refused_with_a_remedy() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", format!("# A\n\n{SECRET}\n"))]);
    let next = next_transaction(&cluster).await;
    for (arguments, message, remedy) in cases(CALLS) {
        let arguments = arguments.iter().map(|argument| argument.replace("BOOK", &sources.book()));
        run_client(&cluster, arguments).await.assert_refusal(message, remedy);
    }
    assert_eq!(next_transaction(&cluster).await, next);
}

/// The client without a server in its environment.
fn alone() -> Command {
    let mut command = Command::new(client_path());
    command.env_remove("DATABASE_URL").env("RUST_BACKTRACE", "1");
    command
}

#[tokio::test]
async fn a_missing_model_is_named_with_the_command_that_downloads_it() {
    let mut program = alone();
    // The client checks the model first; this server does not exist.
    program.env("DATABASE_URL", "postgresql:///nowhere?host=/nowhere");
    let run = RunOutput::of(program.args(["ingest", "Cargo.toml", "--model", "/nowhere"])).await;
    run.assert_refusal(
        "/nowhere/model.safetensors",
        "Run passage model fetch. Or put model.safetensors",
    );
}

#[tokio::test]
async fn a_model_that_does_not_run_locally_is_refused_with_the_servers_that_run_it() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["model.safetensors", "tokenizer.json"] {
        std::fs::write(folder.path().join(file), "").unwrap();
    }
    let embed = async |config: &str| {
        std::fs::write(folder.path().join("config.json"), config).unwrap();
        let mut program = alone();
        program.args(["embed", "--query", "valve", "--model"]).arg(folder.path());
        RunOutput::of(&mut program).await
    };
    embed(r#"{"model_type": "nomic_bert"}"#).await.assert_refusal(
        "config.json: models of the architecture \"nomic_bert\" do not run locally",
        "Let a server run the model, and name it with --embed-url and --embed-model NAME. TEI: text-embeddings-router",
    );
    std::fs::write(folder.path().join("modules.json"), r#"[{"type": "custom_st.Transformer"}]"#)
        .unwrap();
    embed("{}").await.assert_refusal("modules.json is not supported", "Let a server run the model");
}

#[tokio::test]
async fn a_missing_server_url_is_refused_with_the_name_of_the_variable() {
    for command in
        cases([&["status"][..], &["outline", "a"], &["ingest", "Cargo.toml", "--no-embed"]])
    {
        RunOutput::of(alone().args(command))
            .await
            .assert_refusal("no server specified", "Set DATABASE_URL");
    }
}

#[tokio::test]
async fn help_exits_with_code_0() {
    for command in cases(["init", "split", "ingest", "search", "outline", "status"]) {
        let help = RunOutput::of(alone().args([command, "--help"])).await;
        assert_eq!((help.code, &*help.stderr), (Some(0), ""));
        assert!(help.stdout.contains(&format!("Usage: passage {command}")), "{}", help.stdout);
    }
}
