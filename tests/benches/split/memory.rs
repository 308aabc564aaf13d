//! The memory for a hundred megabytes of JSON, in a process of its own.

use std::fmt::Write;
use std::process::Stdio;

use passage_split::{Characters, ChunkLimits, MediaType, SplitOptions, split};
use tokio::process::Command;

use crate::process;
use crate::table::Table;

/// The first argument of the process that splits.
const WORKER: &str = "split-worker";

const BYTES: usize = 100_000_000;

/// The largest memory of the chunks beside the text, for each byte of the text.
const MAX_BYTES_PER_BYTE: u64 = 1;

/// Measures the peak of the process.
pub async fn measure(table: &mut Table) {
    let this = std::env::current_exe().expect("a program knows where it is");
    let mut command = Command::new(this);
    let output = command.arg(WORKER).stderr(Stdio::inherit()).output().await;
    let output = output.expect("this program can be run");
    assert!(output.status.success(), "{}", output.status);
    let answer = String::from_utf8(output.stdout).expect("a worker prints numbers");
    let numbers: Vec<u64> =
        answer.split_whitespace().map(|number| number.parse().expect("a number")).collect();
    let [bytes, chunks, peak] = numbers[..] else { panic!("a worker prints three numbers") };
    let what = format!(
        "memory of splitting {} MB of JSON into {chunks} chunks, the text included",
        bytes / 1_000_000
    );
    table.memory(&what, peak, bytes * (1 + MAX_BYTES_PER_BYTE));
}

/// Splits if this process was started for it, and returns whether it was.
///
/// Prints the number of bytes, the number of chunks, and the peak of memory in bytes.
pub fn is_worker() -> bool {
    if std::env::args().nth(1).as_deref() != Some(WORKER) {
        return false;
    }
    let mut text = String::with_capacity(BYTES + 1_000);
    text.push('[');
    for number in 0.. {
        let comma = if number == 0 { "" } else { "," };
        let record = format_args!(
            "{comma}\n  {{\"id\": {number}, \"name\": \"record {number}\", \"tags\": [\"a\", \"b\"], \
             \"of\": {{\"x\": {number}.5, \"text\": \"Some words of a record, and some more.\"}}}}"
        );
        text.write_fmt(record).expect("a string takes everything");
        if text.len() >= BYTES {
            break;
        }
    }
    text.push_str("\n]\n");
    let options = SplitOptions::new(ChunkLimits::CHARACTERS);
    let split = split(&text, &MediaType::new("application/json"), &options, &Characters);
    let split = split.expect("the limits are in order");
    assert_eq!(split.syntax_error, None);
    let peak = process::peak("/proc/self/status").unwrap_or_default();
    println!("{} {} {peak}", text.len(), split.chunks.len());
    true
}
