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
    /// It was killed after it wrote more than the limit.
    WroteTooMuch,
}

/// Runs a process with an input, and reads at most `max_output` bytes of its output. Its errors are not read, since they may
/// quote the document.
///
/// # Errors
///
/// Returns an error if the process cannot be started.
pub(super) fn run(
    command: &mut Command,
    input: Vec<u8>,
    time: Duration,
    max_output: usize,
    kill: impl FnOnce(&mut Child),
) -> io::Result<Ended> {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let mut stdin = child.stdin.take().expect("it is a pipe");
    let stdout = child.stdout.take().expect("it is a pipe");
    let (sender, receiver) = mpsc::channel();
    // Threads of their own: a process may write before it has read all, or never read.
    thread::spawn(move || {
        // A process that has crashed reads no more, and its status says so.
        let _ = stdin.write_all(&input);
    });
    thread::spawn(move || {
        let mut output = Vec::new();
        if stdout.take((max_output as u64).saturating_add(1)).read_to_end(&mut output).is_ok() {
            let _ = sender.send(output);
        }
    });
    let deadline = Instant::now() + time;
    let ended = match receiver.recv_timeout(time) {
        Ok(output) if output.len() > max_output => Ended::WroteTooMuch,
        Ok(output) => match status_until(&mut child, deadline)? {
            Some(status) => return Ok(Ended::Exited(status, output)),
            None => Ended::TimedOut,
        },
        Err(_) => Ended::TimedOut,
    };
    kill(&mut child);
    child.wait()?;
    Ok(ended)
}

/// Waits for the end of a process, which may close its output long before. Returns `None` if it still runs at the deadline.
fn status_until(child: &mut Child, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_writes_without_end_is_killed() {
        let kill = |child: &mut Child| drop(child.kill());
        let run =
            |limit| run(&mut Command::new("yes"), Vec::new(), Duration::from_mins(1), limit, kill);
        assert!(matches!(run(100_000), Ok(Ended::WroteTooMuch)));
    }
}
