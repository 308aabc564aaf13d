//! The child process of a conversion: the document on standard input, the result as JSON on standard output.

use super::Remedy;
use super::in_process::{Conversion, Failure, convert};
use passage_office::Format;
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The first argument of a child process. It is not a command: no configuration is read before a conversion.
const ARGUMENT: &str = "__convert";

/// The memory of a child process in bytes.
const MEMORY: u64 = 4 << 30;

/// The processor time of a child process in seconds.
const SECONDS: u64 = 120;

/// The time that a child process may take, also while others use the processors.
const TIMEOUT: Duration = Duration::from_mins(10);

/// Converts the document on standard input, if this process is a child that `Converter::Child`
/// has started. A program that uses it calls this before it does anything else, and exits with the code.
pub fn run_as_child() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != OsStr::new(ARGUMENT) {
        return None;
    }
    // A message of a panic may quote the document.
    std::panic::set_hook(Box::new(|_| {}));
    let media_type = arguments.next()?;
    let format = Format::from_media_type(media_type.to_str()?)?;
    set_limits();
    let mut bytes = Vec::new();
    let mut output = std::io::stdout().lock();
    let is_done = std::io::stdin().lock().read_to_end(&mut bytes).is_ok()
        && serde_json::to_writer(&mut output, &convert(format, &bytes)).is_ok()
        && output.flush().is_ok();
    Some(if is_done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Limits the memory and the time of this process. It fails only if its limits are lower already.
fn set_limits() {
    let [memory, time] =
        [MEMORY, SECONDS].map(|value| libc::rlimit { rlim_cur: value, rlim_max: value });
    #[expect(unsafe_code, reason = "the standard library does not set limits")]
    // SAFETY: each pointer is to a value that lives during the call, and the kernel only reads it.
    unsafe {
        libc::setrlimit(libc::RLIMIT_AS, &raw const memory);
        libc::setrlimit(libc::RLIMIT_CPU, &raw const time);
    }
}

/// Converts a document in a child process.
pub(super) fn convert_in_child(format: Format, bytes: &[u8]) -> Result<Conversion, Failure> {
    let mut child = Command::new(program())
        .args([ARGUMENT, format.media_type()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failure(&format!("cannot be converted: no process started: {error}")))?;
    let output = exchange(&mut child, bytes);
    if output.is_none() {
        // It has ended already, or takes too long.
        let _ = child.kill();
    }
    let status = child.wait();
    let Some(output) = output else {
        return Err(failure("cannot be converted: it takes more than ten minutes"));
    };
    if !status.is_ok_and(|status| status.success()) {
        return Err(failure(
            "cannot be converted: its converter has crashed, or needs too much memory or time",
        ));
    }
    serde_json::from_slice(&output)
        .unwrap_or_else(|_| Err(failure("cannot be converted: its converter has failed")))
}

/// Sends a document to a child and returns its output, or `None` after the timeout.
fn exchange(child: &mut Child, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut input = child.stdin.take().expect("it is a pipe");
    let mut output = child.stdout.take().expect("it is a pipe");
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut read = Vec::new();
        if output.read_to_end(&mut read).is_ok() {
            let _ = sender.send(read);
        }
    });
    // A child that has crashed reads no more, and its status says so. Its reader never waits for this process.
    let _ = input.write_all(bytes);
    drop(input);
    receiver.recv_timeout(TIMEOUT).ok()
}

fn failure(reason: &str) -> Failure {
    Failure::Document { reason: reason.to_owned(), remedy: Remedy::Repair }
}

/// Returns this program. On Linux that is also right after an update has replaced the file.
fn program() -> PathBuf {
    let own = Path::new("/proc/self/exe");
    if own.exists() { own.to_owned() } else { std::env::current_exe().unwrap_or_default() }
}
