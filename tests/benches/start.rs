/*!
The processor time of commands that embed a question, from their start to their end, with the model in the page cache and its
checksums remembered.
*/

use std::time::Duration;

use passage_tests::{Cluster, fixture};
use tokio::process::Command;

use crate::rounds::ROUNDS;
use crate::table::Table;

/// The largest processor time.
const MAX_TIME: Duration = Duration::from_millis(150);

/// The first message to a server. It ends behind it, as its input does.
const INITIALIZE: &str = r#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}}"#;

/// Commands that load the model. All chunks have embeddings.
const COMMANDS: [&[&str]; 4] =
    [&["search", "mites in the brood"], &["embed", "--query", "mites"], &["embed"], &["mcp"]];

/// Measures the median of the processor times of each command.
pub async fn measure(table: &mut Table) {
    let mut cluster = Cluster::without_store().await;
    if cluster.lacks_vector("benchmarks of the start") {
        return;
    }
    cluster.passage(["init"]).await;
    cluster.passage(["ingest", "--quiet", fixture!("client/garden")]).await;
    for arguments in COMMANDS {
        let mut times = Vec::new();
        // The first run fills caches and does not count.
        for run in 0..=ROUNDS {
            let time = processor_time(cluster.client_program().args(arguments)).await;
            if run > 0 {
                times.push(time);
            }
        }
        times.sort();
        let what = format!("processor time of `passage {}`", arguments.join(" "));
        table.late(&what, times[ROUNDS / 2], MAX_TIME);
    }
    cluster.stop();
}

/// Runs a program to its end, and returns its processor time, as the shell counts it.
async fn processor_time(program: &Command) -> Duration {
    let program = program.as_std();
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"printf '%s\n' "$0" | "$@" >/dev/null || exit; times"#, INITIALIZE]);
    shell.arg(program.get_program()).args(program.get_args());
    for (name, value) in program.get_envs() {
        shell.env(name, value.expect("no variable is removed"));
    }
    let output = shell.output().await.expect("a shell can be run");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{stderr}", output.status);
    let output = String::from_utf8(output.stdout).expect("times are ASCII");
    let of_children = output.lines().nth(1).expect("the second line is of the children");
    of_children.split_whitespace().map(time).sum()
}

/// Parses a time such as `0m0.120s`.
fn time(text: &str) -> Duration {
    let parts = text.strip_suffix('s').and_then(|text| text.split_once('m'));
    let (minutes, seconds) = parts.expect("the shell prints minutes and seconds");
    let number = |text: &str| text.parse::<f64>().expect("it is a number");
    Duration::from_secs_f64(60.0 * number(minutes) + number(seconds))
}
