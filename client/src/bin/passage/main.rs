//! The command `passage`. What it does is in the library; here it is said and shown.

mod args;
mod commands;
mod configuration;
mod printable;
mod progress;
mod render;
mod terminal;

use args::{Cli, Command};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches};
use passage::embed::Pool;
use passage::ingest::Summary;
use printable::printable;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use terminal::Target;

/// The codes that the program ends with, beside 0 and 1; the help lists them.
const WRONG_CALL: u8 = 2;
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    // The message of a panic may quote a text, and a backtrace helps nobody at a prompt.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let _ =
            writeln!(std::io::stderr(), "error: internal error at {place}\n  Please report it.");
    }));
    let cli = match cli() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    if matches!(
        cli.command,
        Command::Ingest(_)
            | Command::Sync(_)
            | Command::Reindex(_)
            | Command::Search(_)
            | Command::Fragments(_)
            | Command::Embed(_)
            | Command::Doctor(_)
    ) {
        start_again();
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            return fail(&format!("cannot start: {error}"), "Free some memory or threads.");
        }
    };
    let code = match runtime.block_on(run(cli.command)) {
        Ok(code) => code,
        Err(error) => {
            let code = fail(&error.to_string(), &error.remedy());
            if matches!(error, passage::Error::Usage { .. }) { WRONG_CALL.into() } else { code }
        }
    };
    // A read from a terminal that nobody answers would hold the runtime.
    runtime.shutdown_background();
    code
}

/// Reads the command line by what the configuration file says.
fn cli() -> Result<Cli, ExitCode> {
    let arguments: Vec<_> = std::env::args_os().collect();
    let command = configuration::apply(Cli::command(), &arguments).map_err(|error| {
        fail(&error.to_string(), &error.remedy());
        ExitCode::from(WRONG_CALL)
    })?;
    let wrong = |error| wrong_call(command.clone(), &arguments, error);
    let matches = command.clone().try_get_matches_from(&arguments).map_err(wrong)?;
    let mut cli = Cli::from_arg_matches(&matches).map_err(wrong)?;
    // Of a model and a service the one that is named on the line is meant.
    if let (Some((_, matches)), Some(embedder)) = (matches.subcommand(), cli.command.embedder_mut())
    {
        let on_line = |id| matches.value_source(id) == Some(ValueSource::CommandLine);
        if on_line("model") && !on_line("embed_url") {
            embedder.prefer_model();
        }
    }
    Ok(cli)
}

/// Shows help, or what is wrong with a call.
///
/// The error quotes arguments, which may be names of files, and is made from printable ones.
fn wrong_call(command: clap::Command, arguments: &[OsString], error: clap::Error) -> ExitCode {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    match error.kind() {
        DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand => error.exit(),
        _ => {
            let printable = arguments.iter().map(|given| printable(&given.to_string_lossy()));
            let error = command.try_get_matches_from(printable).err().unwrap_or(error);
            say(render::wrong_call(&error.render().to_string()).trim_end());
        }
    }
    WRONG_CALL.into()
}

async fn run(command: Command) -> Result<ExitCode, passage::Error> {
    let output = match command {
        Command::Init(args) => commands::init(args).await?,
        Command::Split(args) => {
            let (output, notes) = commands::split(&args)?;
            for note in notes {
                say(&printable(&note));
            }
            output
        }
        Command::Ingest(args) => return load(args.loading, None).await,
        Command::Sync(args) => return load(args.loading, Some(args.grace)).await,
        Command::Reindex(args) => return reindex(*args).await,
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
        Command::Fragments(args) => {
            let (output, notes) = commands::fragments(*args).await?;
            for note in &notes {
                say(&render::note(note));
            }
            output
        }
        Command::Context(args) => commands::context(*args).await?,
        Command::Embed(args) => {
            let (quiet, json) = (args.quiet, args.json);
            let progress = progress::Filling::new(quiet, say);
            let filled = commands::embed(*args, &progress).await?;
            let render = if json { render::filled_json } else { render::filled };
            if json || !quiet {
                print(&render(filled.embedded, progress.elapsed()));
            }
            return Ok(if filled.interrupted { INTERRUPTED.into() } else { ExitCode::SUCCESS });
        }
        Command::Doctor(args) => {
            let (output, is_well) = commands::doctor(*args).await?;
            print(&output);
            return Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Command::Model(args) => {
            let args::ModelCommands::Fetch(args) = args.command;
            commands::fetch_model(args).await?
        }
        Command::Completions(args) => completions(args.shell),
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

/// Reindexes a collection and shows what became of it.
async fn reindex(args: args::Reindex) -> Result<ExitCode, passage::Error> {
    let (quiet, dry_run, json) = (args.quiet, args.dry_run, args.json);
    let progress = progress::Remaking::new(progress::Shows { quiet, dry_run }, say);
    let reindexed = commands::reindex(args, &progress).await?;
    let render = if json { render::reindexed_json } else { render::reindexed };
    if json || !quiet {
        print(&render(&reindexed, progress.elapsed(), dry_run));
    }
    Ok(if reindexed.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Asks whoever is at the terminal; nobody is elsewhere.
fn ask(question: &str) -> Option<bool> {
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return None;
    }
    let question = Target::of(&std::io::stderr()).shown(&printable(question));
    let _ = write!(std::io::stderr().lock(), "{question} [y/N] ");
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).ok()?;
    Some(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// What lets a shell complete the command line.
fn completions(shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "passage", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The environment of commands that embed or split: candle leaves threads to us, and what the C
/// library frees is at hand for all threads. Else each that has split a large file keeps what its
/// parse took, and of a gigabyte of JSON lines four times as much memory stays.
const ENVIRONMENT: [(&str, &str); 2] = [Pool::SINGLE_THREADED, ("MALLOC_ARENA_MAX", "1")];

/// Starts this program again in [`ENVIRONMENT`], which is read once as a program starts, and Rust
/// changes a process's own only in unsafe code.
fn start_again() {
    use std::os::unix::process::CommandExt;
    let missing = |(name, _): &(&str, &str)| std::env::var_os(name).is_none();
    let missing: Vec<_> = ENVIRONMENT.into_iter().filter(missing).collect();
    if !missing.is_empty()
        && let Ok(program) = std::env::current_exe()
    {
        // It returns only if it fails, and then embedding is slower and more memory stays.
        let _ = std::process::Command::new(program)
            .args(std::env::args_os().skip(1))
            .envs(missing)
            .exec();
    }
}

/// Prints to standard output; a reader that has seen enough is no error.
fn print(text: &str) {
    let text = Target::of(&std::io::stdout()).shown(text);
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Says something on standard error.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", Target::of(&std::io::stderr()).shown(text));
}

fn fail(cause: &str, remedy: &str) -> ExitCode {
    say(&render::failure(cause, remedy));
    ExitCode::FAILURE
}
