//! The child process of a conversion: the document on standard input, the result as JSON on standard output.

use super::environment::Environment;
use super::in_process::{Conversion, Failure, convert};
use super::limits::ProcessLimits;
use super::process::{self, Ended};
use super::remedy::Remedy;
use passage_office::Format;
use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::time::Duration;

/// The first argument of a child process. It is not a command: no configuration is read before a conversion.
const ARGUMENT: &str = "__convert";

/// Converts the document on standard input, if this process is a child that `Converter::Child`
/// has started. A program that uses it calls this before it does anything else, and exits with the code.
pub fn run_as_child() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != OsStr::new(ARGUMENT) {
        return None;
    }
    // A message of a panic may quote the document.
    std::panic::set_hook(Box::new(|_| {}));
    let format = Format::from_media_type(arguments.next()?.to_str()?)?;
    let mut number = || arguments.next()?.to_str()?.parse().ok();
    let (memory, time) = (number()?, Duration::from_secs(number()?));
    ProcessLimits { memory, time }.apply();
    let mut bytes = Vec::new();
    let mut output = std::io::stdout().lock();
    let is_done = std::io::stdin().lock().read_to_end(&mut bytes).is_ok()
        && serde_json::to_writer(&mut output, &convert(format, &bytes)).is_ok()
        && output.flush().is_ok();
    Some(if is_done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Converts a document in a child process.
pub(super) fn convert_in_child(
    format: Format,
    bytes: Vec<u8>,
    limits: ProcessLimits,
) -> Result<Conversion, Failure> {
    let arguments: [OsString; 4] = [
        ARGUMENT.into(),
        format.media_type().into(),
        limits.memory.to_string().into(),
        limits.time.as_secs().to_string().into(),
    ];
    let mut command = Command::new(program());
    Environment::default().restrict(&mut command);
    let kill = |child: &mut Child| drop(child.kill());
    let max_output = usize::try_from(limits.memory).unwrap_or(usize::MAX);
    match process::run(command.args(arguments), bytes, limits.time, max_output, kill) {
        Ok(Ended::Exited(status, output)) if status.success() => {
            serde_json::from_slice(&output).unwrap_or_else(|_| Err(crashed(status, limits)))
        }
        Ok(Ended::Exited(status, _)) if status.signal() != Some(libc::SIGXCPU) => {
            Err(crashed(status, limits))
        }
        Ok(Ended::Exited(..) | Ended::TimedOut) => Err(Failure::too_slow(limits.time)),
        Ok(Ended::WroteTooMuch) => {
            Err(Failure::Document { reason: "is too large".into(), remedy: Remedy::Divide })
        }
        Err(error) => Err(Failure::Document {
            reason: format!("cannot be converted: no process started: {error}"),
            remedy: Remedy::FreeMemory,
        }),
    }
}

/// Returns the failure of a child that has ended early. Rust aborts a program whose memory or stack is exhausted.
fn crashed(status: ExitStatus, limits: ProcessLimits) -> Failure {
    let crash = "cannot be converted: its converter has crashed";
    let (reason, remedy) = match status.signal() {
        Some(libc::SIGABRT | libc::SIGKILL) => {
            let memory = limits.memory >> 20;
            (format!("{crash}, or needs more than {memory} MB"), Remedy::AllowMemory)
        }
        _ => (crash.to_owned(), Remedy::Repair),
    };
    Failure::Document { reason, remedy }
}

/// Returns this program. On Linux that is also right after an update has replaced the file.
fn program() -> PathBuf {
    let own = Path::new("/proc/self/exe");
    if own.exists() { own.to_owned() } else { std::env::current_exe().unwrap_or_default() }
}
