//! Programs that are run to measure their time and memory.

use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::process::Command;

use crate::machine::field;

/// The cost of a run.
pub struct Run {
    /// The time from start to end.
    pub time: Duration,
    /// The peak of memory in bytes, as the kernel counts it; 0 on systems that do not.
    pub peak: u64,
}

/// Runs a program to its end.
///
/// # Panics
///
/// Panics with the program's stderr if it fails.
pub async fn run(mut command: Command) -> Run {
    let begun = Instant::now();
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let child = child.expect("the program can be run");
    let status = format!("/proc/{}/status", child.id().expect("it was not waited for"));
    let mut peak = 0;
    // The kernel keeps the maximum, so only a peak in the last moment is missed.
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

/// Returns the peak of memory in bytes from the text of a status file.
pub fn peak(status: &str) -> Option<u64> {
    let kilobytes: u64 = field(status, "VmHWM")?.split(' ').next()?.parse().ok()?;
    Some(kilobytes * 1_024)
}
