//! A program that is run for its time and its memory.

use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::process::Command;

use crate::machine::field;

/// What a run took.
pub struct Run {
    /// From its start to its end.
    pub time: Duration,
    /// The most memory it had at once, in bytes, as the kernel counts it; 0 where it does not.
    pub peak: u64,
}

/// Runs a program to its end.
///
/// # Panics
///
/// Panics, with what it wrote to stderr, if it fails.
pub async fn run(mut command: Command) -> Run {
    let begun = Instant::now();
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let child = child.expect("the program can be run");
    let status = format!("/proc/{}/status", child.id().expect("it was not waited for"));
    let mut peak = 0;
    // The kernel keeps the maximum itself; what is missed is only what came in the last moment.
    let watch = async {
        loop {
            peak = self::peak(&status).unwrap_or(peak);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let output = tokio::select! {
        output = child.wait_with_output() => output.expect("the program can be waited for"),
        () = watch => unreachable!("the watch never ends"),
    };
    let time = begun.elapsed();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{stderr}", output.status);
    Run { time, peak }
}

/// The most memory that a process had at once, in bytes, from its status file.
pub fn peak(status: &str) -> Option<u64> {
    let kilobytes: u64 = field(status, "VmHWM")?.split(' ').next()?.parse().ok()?;
    Some(kilobytes * 1_024)
}
