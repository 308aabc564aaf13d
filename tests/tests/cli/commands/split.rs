//! `passage split`: chunks without a server.

use crate::{RunOutput, Sources};
use passage_tests::cluster::client_path;
use passage_tests::fixture;
use serde_json::Value;
use tokio::process::Command;

const FIELDS: [&str; 12] = [
    "ordinal",
    "level",
    "section",
    "kind",
    "unit",
    "content",
    "preamble",
    "tokens",
    "start_byte",
    "end_byte",
    "first_line",
    "last_line",
];

/// The client without any connection setting.
fn offline() -> Command {
    let mut command = Command::new(client_path());
    command.env_remove("DATABASE_URL").env_remove("PGHOST").args([
        "split",
        "--sizer",
        "characters",
    ]);
    command
}

#[tokio::test]
async fn split_prints_one_object_for_each_chunk_with_its_fields_in_order() {
    let file = fixture!("client/garden/tools/blades.md");
    let run = RunOutput::of(offline().args(["--json", file])).await;
    assert_eq!((run.code, &*run.stderr), (Some(0), ""));

    let source = std::fs::read_to_string(file).unwrap();
    let mut whole = String::new();
    for (ordinal, line) in run.stdout.lines().enumerate() {
        let chunk: Value = serde_json::from_str(line).unwrap();
        let mut keys: Vec<_> = chunk.as_object().unwrap().keys().map(String::as_str).collect();
        // The order of the fields in the line; the parser does not keep it.
        keys.sort_by_key(|key| line.find(&format!("\"{key}\":")));
        assert_eq!(keys, FIELDS);
        assert_eq!(chunk["ordinal"], ordinal);
        let byte = |key: &str| usize::try_from(chunk[key].as_u64().unwrap()).unwrap();
        let content = chunk["content"].as_str().unwrap();
        assert_eq!(content, &source[byte("start_byte")..byte("end_byte")]);
        assert!(byte("first_line") <= byte("last_line") && byte("tokens") > 0);
        assert_eq!((&chunk["kind"], &chunk["unit"]), (&"prose".into(), &"text".into()));
        if content.starts_with("## Rust") {
            assert_eq!(chunk["section"], serde_json::json!(["Rust"]));
            assert_eq!(chunk["level"], 2);
            assert_eq!(chunk["preamble"], "Blades and handles\nRust");
            assert_eq!(
                byte("first_line"),
                1 + source.lines().position(|line| line == "## Rust").unwrap()
            );
        }
        whole.push_str(content);
    }
    assert_eq!(whole, source);
    assert!(whole.contains("## Rust"));
}

#[tokio::test]
async fn split_prints_the_place_of_each_chunk() {
    let run = RunOutput::of(offline().arg(fixture!("client/garden/watering.txt"))).await;
    assert!(run.stdout.starts_with("0  (root)\n   lines 1-"), "{}", run.stdout);
    assert!(run.stdout.contains("   │ Seedlings are watered from below."), "{}", run.stdout);
}

#[tokio::test]
async fn split_refuses_a_file_that_is_not_text() {
    let sources = Sources::new();
    let binary = sources.write("a.md", b"xyzzy-hunter2 \xff");
    RunOutput::of(offline().arg(&binary))
        .await
        .assert_refusal("a.md is not UTF-8: line 1, byte 14", "to text in UTF-8");
    let none = RunOutput::of(offline().arg("none.md")).await;
    none.assert_refusal("cannot read none.md", "Check that it exists");
}
