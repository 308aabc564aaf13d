//! The command `passage`. What it does is in the library; here it is said and shown.

mod args;
mod commands;
mod progress;
mod render;

use args::{Cli, Command};
use clap::Parser;
use passage::embed::Pool;
use passage::ingest::Summary;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    // The message of a panic may quote a text, and a backtrace helps nobody at a prompt.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let _ =
            writeln!(std::io::stderr(), "error: internal error at {place}\n  Please report it.");
    }));
    if matches!(cli.command, Command::Ingest(_) | Command::Sync(_) | Command::Search(_)) {
        single_threaded();
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            return fail(&format!("cannot start: {error}"), "Free some memory or threads.");
        }
    };
    let code = match runtime.block_on(run(cli.command)) {
        Ok(code) => code,
        Err(error) => fail(&error.to_string(), &error.remedy()),
    };
    // A read from a terminal that nobody answers would hold the runtime.
    runtime.shutdown_background();
    code
}

async fn run(command: Command) -> Result<ExitCode, passage::Error> {
    let output = match command {
        Command::Init(args) => commands::init(args).await?,
        Command::Split(args) => {
            let (output, notes) = commands::split(&args)?;
            for note in notes {
                say(&note);
            }
            output
        }
        Command::Ingest(args) => return load(args.loading, None).await,
        Command::Sync(args) => return load(args.loading, Some(args.grace)).await,
        Command::Remove(args) => {
            let (output, missing) = commands::remove(args, ask).await?;
            print(&output);
            for uri in &missing {
                let error = passage::store::Error::NoDocument(uri.clone());
                fail(&error.to_string(), &error.remedy());
            }
            return Ok(if missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Command::Search(args) => {
            let (output, notes) = commands::search(*args).await?;
            for note in &notes {
                say(&render::note(note));
            }
            output
        }
        Command::Outline(args) => commands::outline(args).await?,
        Command::Status(args) => commands::status(args).await?,
    };
    print(&output);
    Ok(ExitCode::SUCCESS)
}

/// Loads documents and shows what became of them.
async fn load(
    args: args::Loading,
    grace: Option<std::time::Duration>,
) -> Result<ExitCode, passage::Error> {
    let (quiet, dry_run, json) = (args.quiet, args.dry_run, args.json);
    let progress = progress::Progress::new(progress::Shows { quiet, dry_run }, say);
    let render = if json { render::summary_json } else { render::summary };
    let show = |summary: &Summary, progress: &progress::Progress| {
        if json || !quiet {
            let (failures, elapsed) = (progress.failures(), progress.elapsed());
            print(&render(summary, &failures, elapsed, dry_run));
        }
    };
    let summary = commands::load_documents(args, grace, progress, show).await?;
    Ok(if summary.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Asks whoever is at the terminal; nobody is elsewhere.
fn ask(question: &str) -> Option<bool> {
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return None;
    }
    let _ = write!(anstream::stderr().lock(), "{question} [y/N] ");
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).ok()?;
    Some(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Starts this program again with the environment under which candle leaves threads to us: it
/// reads it once, and Rust changes a process's own environment only in unsafe code.
fn single_threaded() {
    use std::os::unix::process::CommandExt;
    let (name, value) = Pool::SINGLE_THREADED;
    if std::env::var_os(name).is_none()
        && let Ok(program) = std::env::current_exe()
    {
        // It returns only if it fails, and then embedding is slower and nothing else.
        let _ = std::process::Command::new(program)
            .args(std::env::args_os().skip(1))
            .env(name, value)
            .exec();
    }
}

/// Prints to standard output, without colours if that is no terminal; a reader that has seen
/// enough is no error.
fn print(text: &str) {
    let _ = anstream::stdout().lock().write_all(text.as_bytes());
}

/// Says something on standard error.
fn say(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

fn fail(cause: &str, remedy: &str) -> ExitCode {
    say(&render::failure(cause, remedy));
    ExitCode::FAILURE
}
