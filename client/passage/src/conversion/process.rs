//! A process with a time limit: a document on its standard input, the result on its standard output.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The end of a process.
pub(super) enum Ended {
    /// It ended with this status, after it wrote this output.
    Exited(ExitStatus, Vec<u8>),
    /// It was killed at the time limit.
    TimedOut,
}

/// Runs a process with an input. Its errors are not read, since they may quote the document.
///
/// # Errors
///
/// Returns an error if the process cannot be started.
pub(super) fn run(
    command: &mut Command,
    input: Vec<u8>,
    time: Duration,
    kill: impl FnOnce(&mut Child),
) -> io::Result<Ended> {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let mut stdin = child.stdin.take().expect("it is a pipe");
    let mut stdout = child.stdout.take().expect("it is a pipe");
    let (sender, receiver) = mpsc::channel();
    // Threads of their own: a process may write before it has read all, or never read.
    thread::spawn(move || {
        // A process that has crashed reads no more, and its status says so.
        let _ = stdin.write_all(&input);
    });
    thread::spawn(move || {
        let mut output = Vec::new();
        if stdout.read_to_end(&mut output).is_ok() {
            let _ = sender.send(output);
        }
    });
    let deadline = Instant::now() + time;
    if let Ok(output) = receiver.recv_timeout(time) {
        // It may close its output long before it ends.
        while Instant::now() < deadline {
            if let Some(status) = child.try_wait()? {
                return Ok(Ended::Exited(status, output));
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
    kill(&mut child);
    child.wait()?;
    Ok(Ended::TimedOut)
}
