/*!
Embedding against its floor: ONNX Runtime with the same weights, the same wordpieces and as many threads.

Each turn is a process of its own, so that it has its own peak of memory. The time begins when the model is loaded. Ours
includes the tokenizer; the floor gets the wordpieces.
*/

mod texts;
mod worker;

use std::path::Path;
use std::process::Stdio;
use std::thread::available_parallelism;

use passage::embed::Model;
use passage_tests::cluster::model_path;
use serde_json::Value;
use tokenizers::{Tokenizer, TruncationParams};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::rounds::turns;
use crate::table::{Bar, Table};
use texts::Kind;

pub use worker::is_worker;

/// The least speed, as a share of that of the floor.
const LEAST_SPEED: f64 = 0.91;

/// The largest memory of the client with the model, in bytes.
const MAX_MEMORY: u64 = 250_000_000;

/// The largest difference of a number of the same vector.
const TOLERANCE: f64 = 1e-5;

/// The variable with the folder of the packages of Python that the floor needs.
const PACKAGES: &str = "ONNXRUNTIME_PACKAGES";

/// Measures speed in chunks per second, and memory.
pub async fn measure(table: &mut Table) {
    let Some(packages) = std::env::var_os(PACKAGES) else {
        eprintln!("bench: embed is left out: {PACKAGES} names no folder");
        return;
    };
    let folder = model_path().expect("ground/fetch/model fetches the model");
    for kind in Kind::ALL {
        let wordpieces = wordpieces(&folder, kind);
        let speed = |run: &Run| wordpieces.len() as f64 / (run.microseconds as f64 / 1e6);
        let (mut expected, mut actual, mut peak) = (Vec::new(), Vec::new(), 0);
        let figures = turns(
            async |_| {
                let run = floor(&folder, &packages, &wordpieces).await;
                let speed = speed(&run);
                expected = run.first;
                speed
            },
            async |_| {
                let run = ours(kind).await;
                let speed = speed(&run);
                (actual, peak) = (run.first, peak.max(run.peak));
                speed
            },
        );
        let figures = figures.await;
        let differences = expected.iter().zip(&actual).map(|(floor, ours)| (floor - ours).abs());
        let difference = differences.fold(0.0, f64::max);
        assert!(difference < TOLERANCE, "the vectors differ by {difference}");
        let what = format!("embed {}, speed", kind.description());
        let written = |speed: f64| format!("{speed:.1} chunks/s");
        let (floor, ours) = (written(figures.floor), written(figures.ours));
        table.row(&what, floor, ours, figures, Bar::AtLeast(LEAST_SPEED));
        table.memory("memory of that", peak, MAX_MEMORY);
    }
}

/// The output of a process that embeds all texts.
struct Run {
    microseconds: u64,
    /// The peak of memory in bytes.
    peak: u64,
    /// The vector of the first text.
    first: Vec<f64>,
}

/// Returns the ids of the wordpieces of each text, at most as many as the model reads.
fn wordpieces(folder: &Path, kind: Kind) -> Vec<Vec<u32>> {
    let model = Model::load(folder).expect("the model is there");
    let mut tokenizer = Tokenizer::from_file(folder.join("tokenizer.json")).expect("it is there");
    let truncation = TruncationParams { max_length: model.limit(), ..Default::default() };
    tokenizer.with_truncation(Some(truncation)).expect("the limit is above the special ones");
    tokenizer.with_padding(None);
    let ids =
        |text: String| tokenizer.encode(text, true).expect("any text has ids").get_ids().to_vec();
    kind.texts(&model).into_iter().map(ids).collect()
}

async fn floor(folder: &Path, packages: &std::ffi::OsStr, wordpieces: &[Vec<u32>]) -> Run {
    let mut command = Command::new("python3");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/embed/onnxruntime_floor.py");
    let threads = available_parallelism().map_or(1, usize::from);
    command.arg(script).arg(folder).arg(threads.to_string()).env("PYTHONPATH", packages);
    let input = serde_json::to_vec(wordpieces).expect("numbers are JSON");
    run(command, &input).await
}

async fn ours(kind: Kind) -> Run {
    let mut command = Command::new(std::env::current_exe().expect("a program knows where it is"));
    command.args([worker::NAME, kind.name()]);
    run(command, b"").await
}

/// Runs a process that embeds, with input.
async fn run(mut command: Command, input: &[u8]) -> Run {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().expect("the program can be run");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(input).await.expect("the program reads its input");
    drop(stdin);
    let output = child.wait_with_output().await.expect("the program can be waited for");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{stderr}", output.status);
    let mut answer: Value = serde_json::from_slice(&output.stdout).expect("it prints JSON");
    let number = |name: &str| answer[name].as_u64().expect("it prints this number");
    let (microseconds, peak) = (number("microseconds"), number("peak"));
    let first = serde_json::from_value(answer["first"].take()).expect("a vector is a list");
    Run { microseconds, peak, first }
}
