//! Calls without a budget over the Python library, whose class `Decimal` has 30,000 tokens.

use crate::{Sources, assert_sound, ingest_text, text_cluster};
use passage_tests::Cluster;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The maximum size of a module that is loaded. `_pydecimal` has 230 kB.
const MAX_BYTES: u64 = 300_000;

/// Returns the folder of the Python library.
fn library() -> Option<PathBuf> {
    let print = "import _pydecimal; print(_pydecimal.__file__)";
    let output = Command::new("python3").args(["-c", print]).output().ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    PathBuf::from(path.trim()).parent().filter(|folder| folder.is_absolute()).map(PathBuf::from)
}

/// Loads the modules of the library, without packages.
async fn load(cluster: &Cluster, folder: &Path) {
    let sources = Sources::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        let is_module = entry.path().extension().is_some_and(|extension| extension == "py");
        if is_module && entry.metadata().unwrap().len() <= MAX_BYTES {
            sources.write(&name, std::fs::read(entry.path()).unwrap());
        }
    }
    let run = ingest_text(cluster, &["--sizer", "characters", &sources.book()]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[tokio::test]
async fn calls_over_the_python_library_are_bounded_and_return_the_passages_asked_for() {
    let cluster = text_cluster().await;
    let Some(folder) = library() else {
        let what = "calls over the Python library";
        return cluster.installation().report_skipped(what, "there is no python3");
    };
    load(&cluster, &folder).await;
    assert_sound(&cluster).await;

    let search = "SELECT sum(tokens) <= 4096, sum(tokens) > 2000, bool_or(truncated), count(*) > 2 \
        FROM passage.search('round decimal')";
    assert_eq!(cluster.query_lines(search).await, ["t|t|t|t"]);
    for (max, expected) in [(1, "1|t"), (3, "3|t"), (10, "10|t")] {
        let sql = format!(
            "SELECT count(*), sum(tokens) <= 4096 \
             FROM passage.search('round decimal', max_passages => {max})"
        );
        assert_eq!(cluster.query_lines(&sql).await, [expected], "{max} passages");
    }
    let unbounded =
        "SELECT sum(tokens) > 20000 FROM passage.search('round decimal', max_tokens => 0)";
    assert_eq!(cluster.query_lines(unbounded).await, ["t"]);

    // One hit in the class: its head, the method that was hit, and gaps.
    let hit = "(SELECT chunks.id FROM rag.chunks JOIN rag.documents ON documents.id = document_id \
        WHERE uri LIKE '%\\_pydecimal.py' AND section = '{Decimal,quantize}' ORDER BY ordinal LIMIT 1)";
    let passage = |arguments: &str| {
        format!(
            "SELECT tokens - (SELECT tokens FROM rag.chunks WHERE id = {hit}) <= 2048, tokens > 20000, truncated, \
                content LIKE '%class Decimal(object):%', content LIKE '%def quantize(self, exp%', \
                content LIKE '%quantize with one INF%', content ~ 'lines? left out', count(*) OVER () \
             FROM passage.reassemble(ARRAY[{hit}]{arguments})"
        )
    };
    assert_eq!(cluster.query_lines(&passage("")).await, ["t|f|t|t|t|t|t|1"]);
    assert_eq!(cluster.query_lines(&passage(", max_tokens => 0")).await, ["f|t|f|t|t|t|f|1"]);
    for function in ["expand_context", "expand_contexts"] {
        let ids =
            if function == "expand_context" { hit.to_owned() } else { format!("ARRAY[{hit}]") };
        let sql = format!(
            "SELECT sum(tokens) FILTER (WHERE role <> 'hit') BETWEEN 1000 AND 2048 FROM passage.{function}({ids})"
        );
        assert_eq!(cluster.query_lines(&sql).await, ["t"], "{function}");
    }
}
