//! Calls that make no sense: refused before anything is done.

use crate::{Ran, SECRET, Sources, next_write, ran, text_cluster};
use passage_tests::cluster::client_path;
use tokio::process::Command;

/// Arguments, and what the refusal says: where, and what to do.
const CALLS: [(&[&str], &str, &str); 27] = [
    (
        &["ingest", "BOOK", "--media-type", "text/nonsense"],
        "\"text/nonsense\"",
        "Valid ones: text/",
    ),
    (&["split", "BOOK/a.md", "--media-type", ""], "unrecognized value", "Valid ones: text/"),
    (
        &["ingest", "BOOK", "--metadata", "[xyzzy-hunter2]"],
        "--metadata is no JSON",
        "single quotes",
    ),
    (&["ingest", "BOOK", "--uri", "a"], "--uri names one document", "Give one file"),
    (&["ingest", "-"], "standard input has no name", "Give --uri"),
    (&["ingest", "-", "BOOK"], "standard input has no name", "Give --uri"),
    (&["ingest", "BOOK", "--metadata", "=a"], "--metadata is no JSON", "KEY=VALUE"),
    (&["ingest", "BOOK", "--include", "[a"], "\"[a\" is no pattern", "'docs/**/*.md'"),
    (&["ingest", "BOOK", "--watch", "--dry-run"], "cannot be used with", "Usage: passage ingest"),
    (&["ingest", "-", "--uri", "a", "--watch"], "--watch watches files", "Name files or folders"),
    (
        &["ingest", "BOOK", "--jsonl", "lines"],
        "'lines' for '--jsonl",
        "[possible values: documents",
    ),
    (&["sync", "BOOK", "--grace", "7"], "'7' for '--grace", "--help"),
    (&["ingest"], "required arguments were not provided", "Usage: passage ingest"),
    (&["ingest", "BOOK", "--sizer", "bytes"], "'bytes' for '--sizer", "[possible values: "),
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
    (&["search", "a", "--metadata", "[]"], "--metadata is no JSON object", "single quotes"),
    (&["search", "a", "--mode", "near"], "'near' for '--mode", "[possible values: vector"),
    (&["search", "a", "--candidates", "0"], "'0' for '--candidates", "--help"),
    (&["search", "valve", "--path", "a..b"], "lquery syntax error", "one label for each title"),
    (
        &["search", "a", "--min-similarity", "0.5"],
        "--min-similarity compares embeddings",
        "--mode hybrid",
    ),
    (&["search", "a", "--limit", "0"], "'0' for '--limit", "--help"),
    (&["search", "a", "--limit", "1001"], "1001 is not in 1..=1000", "--help"),
    (&["search", "a", "--max-tokens", "-1"], "'-1' found", "Usage: passage search"),
    (&["search", "a", "--max-tokens", "1000001"], "1000001 is not in 0..=1000000", "--help"),
    (&["load"], "unrecognized subcommand 'load'", "Usage: passage"),
];

#[tokio::test]
async fn a_wrong_call_is_refused_with_what_to_write_instead() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", format!("# A\n\n{SECRET}\n"))]);
    let next = next_write(&cluster).await;
    for (arguments, place, remedy) in CALLS {
        let arguments = arguments.iter().map(|argument| argument.replace("BOOK", &sources.book()));
        ran(&cluster, arguments).await.refuses(place, remedy);
    }
    assert_eq!(next_write(&cluster).await, next);
}

/// The client where no server is named.
fn alone() -> Command {
    let mut command = Command::new(client_path());
    command.env_remove("DATABASE_URL").env("RUST_BACKTRACE", "1");
    command
}

#[tokio::test]
async fn a_model_that_is_not_there_is_named_with_how_to_get_it() {
    let mut program = alone();
    // The server would be asked next, and is none.
    program.env("DATABASE_URL", "postgresql:///nowhere?host=/nowhere");
    let ran = Ran::of(program.args(["ingest", "a.md", "--model", "/nowhere"])).await;
    ran.refuses("/nowhere/model.safetensors", "Run passage model fetch. Or put model.safetensors");
}

#[tokio::test]
async fn without_a_server_named_the_variable_is() {
    for command in [&["status"][..], &["outline", "a"], &["ingest", "a", "--no-embed"]] {
        Ran::of(alone().args(command)).await.refuses("no server is named", "Set DATABASE_URL");
    }
}

#[tokio::test]
async fn help_is_no_error() {
    for command in ["init", "split", "ingest", "search", "outline", "status"] {
        let help = Ran::of(alone().args([command, "--help"])).await;
        assert_eq!((help.code, &*help.stderr), (Some(0), ""));
        assert!(help.stdout.contains(&format!("Usage: passage {command}")), "{}", help.stdout);
    }
}
