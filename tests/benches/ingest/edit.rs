//! An edit of one paragraph in a document of a thousand chunks.

use std::fmt::Write;
use std::time::Duration;

use passage_tests::Cluster;

use crate::process;
use crate::table::Table;

const CHUNKS: usize = 1_000;

/// The number of edits, each of another paragraph.
const EDITS: usize = 9;

/// Measures the client from its start to its end, without the model, which takes a second to load.
pub async fn measure(cluster: &Cluster, table: &mut Table) {
    let folder = std::env::temp_dir().join(format!("passage-edit-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
    let mut times = Vec::with_capacity(EDITS);
    for edit in 0..=EDITS {
        std::fs::write(folder.join("a.md"), text(edit)).expect("the temporary folder is writable");
        let mut command = cluster.client_program();
        command.args(["ingest", "--no-embed"]).arg(&folder);
        times.push(process::run(command).await.time);
    }
    let _ = std::fs::remove_dir_all(&folder);
    // The first run loads the whole document.
    let mut times: Vec<Duration> = times.split_off(1);
    times.sort();
    table.note(format!(
        "one paragraph edited in the middle of {CHUNKS} chunks, `passage ingest --no-embed`: {:.2} s \
         (median of {EDITS})",
        times[EDITS / 2].as_secs_f64()
    ));
}

fn text(edit: usize) -> String {
    let mut text = "# Thousand\n".to_owned();
    for section in 0..CHUNKS {
        let more = if section == CHUNKS / 2 { format!("Edit {edit}. ") } else { String::new() };
        let words = format!("Section {section} says a word about number {section}. ").repeat(12);
        write!(text, "\n## Section {section}\n\n{more}{words}\n").expect("a string takes any text");
    }
    text
}
