//! The command `passage`: reads options, calls the library and prints the results.

mod args;
mod bar;
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
use configuration::Configuration;
use passage::ingest::Summary;
use printable::printable;
use progress::{Progress, Settings};
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::pin::Pin;
use std::process::ExitCode;
use terminal::Target;

/// Exit codes besides 0 and 1. The help lists them.
const USAGE_ERROR: u8 = 2;
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    // The message of a panic may quote a document, and a backtrace does not help a user.
    std::panic::set_hook(Box::new(|panic| {
        let location = panic.location().map(ToString::to_string).unwrap_or_default();
        let _ =
            writeln!(std::io::stderr(), "error: internal error at {location}\n  Please report it.");
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
            | Command::Mcp(_)
            | Command::Serve(_)
            | Command::Doctor(_)
    ) {
        share_freed_memory();
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            return fail(
                &format!("cannot start: {error}"),
                "Free memory, or raise the limit of threads.",
            );
        }
    };
    let code = match runtime.block_on(run(cli.command)) {
        Ok(code) => code,
        Err(error @ passage::Error::Usage { .. }) => fail_usage(&error),
        Err(error) => fail(&error.to_string(), &error.remedy()),
    };
    // An unanswered question on the terminal would keep the runtime alive.
    runtime.shutdown_background();
    code
}

/// Parses the command line, with the defaults of the configuration files.
fn cli() -> Result<Cli, ExitCode> {
    let arguments: Vec<_> = std::env::args_os().collect();
    let configuration = match Configuration::read(Cli::command(), &arguments) {
        Ok(configuration) => configuration,
        Err(error) => {
            // The help says what the file may contain.
            let parsed = Cli::command().try_get_matches_from(&arguments);
            if let Some(help) = parsed.err().filter(is_help) {
                help.exit();
            }
            return Err(fail_usage(&error));
        }
    };
    let command = configuration.command.clone();
    let fail = |error| usage_error(command.clone(), &arguments, error);
    let matches = command.clone().try_get_matches_from(&arguments).map_err(fail)?;
    configuration.check(&matches).map_err(|error| fail_usage(&error))?;
    let mut cli = Cli::from_arg_matches(&matches).map_err(fail)?;
    // A model on the command line takes precedence over a service in the environment or the file.
    if let (Some((_, matches)), Some(embedder)) = (matches.subcommand(), cli.command.embedder_mut())
    {
        let is_given = |id| matches.value_source(id) == Some(ValueSource::CommandLine);
        if is_given("model") && !is_given("embed_url") {
            embedder.prefer_model();
        }
    }
    Ok(cli)
}

/// Prints help or a usage error.
///
/// The error quotes arguments, which may be names of files, so it is made again from printable
/// arguments.
fn usage_error(command: clap::Command, arguments: &[OsString], error: clap::Error) -> ExitCode {
    if is_help(&error) {
        error.exit();
    }
    let printable = arguments.iter().map(|argument| printable(&argument.to_string_lossy()));
    let error = command.try_get_matches_from(printable).err().unwrap_or(error);
    print_error(render::usage_error(&error.render().to_string()).trim_end());
    USAGE_ERROR.into()
}

/// Returns whether the user asked for the help or the version.
fn is_help(error: &clap::Error) -> bool {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    matches!(error.kind(), DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand)
}

async fn run(command: Command) -> Result<ExitCode, passage::Error> {
    let output = match command {
        Command::Init(args) => boxed(commands::init(args)).await?,
        Command::Split(args) => {
            let (output, notes) = commands::split(&args)?;
            for note in notes {
                print_error(&printable(&note));
            }
            output
        }
        Command::Ingest(args) => return boxed(load(args.loading, None)).await,
        Command::Sync(args) => return boxed(load(args.loading, Some(args.grace))).await,
        Command::Reindex(args) => return boxed(reindex(*args)).await,
        Command::Remove(args) => {
            let (output, missing) = boxed(commands::remove(args, ask)).await?;
            print(&output);
            for uri in &missing {
                let error = passage::store::Error::NoDocument(uri.clone());
                fail(&error.to_string(), &error.remedy());
            }
            return Ok(if missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Command::Search(args) => {
            let (output, notes) = boxed(commands::search(*args)).await?;
            for note in &notes {
                print_error(&render::note(note));
            }
            output
        }
        Command::Outline(args) => boxed(commands::outline(args)).await?,
        Command::Status(args) => boxed(commands::status(args)).await?,
        Command::Fragments(args) => {
            let (output, notes) = boxed(commands::fragments(*args)).await?;
            for note in &notes {
                print_error(&render::note(note));
            }
            output
        }
        Command::Context(args) => boxed(commands::context(*args)).await?,
        Command::Embed(mut args) => {
            if let Some(query) = args.query.take() {
                print(&boxed(commands::embed_query(*args, &query)).await?);
                return Ok(ExitCode::SUCCESS);
            }
            let (quiet, json) = (args.quiet, args.json);
            let progress = Progress::of_chunks(quiet, print_error);
            let filled = boxed(commands::embed(*args, &progress)).await?;
            let render = if json { render::embedded_json } else { render::embedded };
            if json || !quiet {
                print(&render(filled.embedded, progress.elapsed()));
            }
            return Ok(match (filled.interrupted, filled.has_failed) {
                (true, _) => INTERRUPTED.into(),
                (false, true) => ExitCode::FAILURE,
                (false, false) => ExitCode::SUCCESS,
            });
        }
        Command::Mcp(args) => {
            boxed(commands::mcp(*args, print_error)).await?;
            return Ok(ExitCode::SUCCESS);
        }
        Command::Serve(args) => {
            boxed(commands::serve(*args, print_error)).await?;
            return Ok(ExitCode::SUCCESS);
        }
        Command::Doctor(args) => {
            let (output, is_healthy) = boxed(commands::doctor(*args)).await?;
            print(&output);
            return Ok(if is_healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Command::Export(args) => {
            let mut output = std::io::BufWriter::with_capacity(1 << 16, std::io::stdout());
            return Ok(match boxed(commands::export(args, &mut output)).await? {
                None => ExitCode::SUCCESS,
                Some(error) => fail(&error.to_string(), &error.remedy()),
            });
        }
        Command::Model(args) => {
            let args::ModelCommands::Fetch(args) = args.command;
            boxed(commands::fetch_model(args)).await?
        }
        Command::Completions(args) => completions(args.shell),
        Command::ManualPages(args) => return Ok(manual_pages(&args.folder)),
    };
    print(&output);
    Ok(ExitCode::SUCCESS)
}

/// Boxes the future of a command: in one function, all of them take minutes to compile.
#[inline(never)]
fn boxed<'a, T>(future: impl Future<Output = T> + 'a) -> Pin<Box<dyn Future<Output = T> + 'a>> {
    Box::pin(future)
}

/// Loads documents and prints the summary of each round.
async fn load(
    args: args::Loading,
    grace: Option<std::time::Duration>,
) -> Result<ExitCode, passage::Error> {
    let (quiet, dry_run, json) = (args.quiet, args.dry_run, args.json);
    let progress = Progress::of_documents(Settings { quiet, dry_run }, print_error);
    let render = if json { render::ingest_summary_json } else { render::ingest_summary };
    let show = |summary: &Summary, progress: &Progress| {
        if json || !quiet {
            let (failures, elapsed) = (progress.failures(), progress.elapsed());
            print(&render(summary, &failures, elapsed, dry_run));
        }
    };
    let summary = commands::load_documents(args, grace, progress, show).await?;
    Ok(if summary.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Reindexes a collection or a store and prints the summary.
async fn reindex(args: args::Reindex) -> Result<ExitCode, passage::Error> {
    let (quiet, dry_run, json) = (args.quiet, args.dry_run, args.json);
    let progress = Progress::of_documents(Settings { quiet, dry_run }, print_error);
    let summary = commands::reindex(args, &progress).await?;
    let render = if json { render::reindex_summary_json } else { render::reindex_summary };
    if json || !quiet {
        print(&render(&summary, progress.elapsed(), dry_run));
    }
    Ok(if summary.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Asks the user on the terminal. Returns `None` if there is no terminal.
fn ask(question: &str) -> Option<bool> {
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return None;
    }
    let question = Target::of(&std::io::stderr()).convert(&printable(question));
    let _ = write!(std::io::stderr().lock(), "{question} [y/N] ");
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).ok()?;
    Some(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Returns the completion script of a shell.
fn completions(shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "passage", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Writes the manual page of each command.
fn manual_pages(folder: &Path) -> ExitCode {
    match clap_mangen::generate_to(Cli::command(), folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(
            &format!("cannot write to {}: {error}", folder.display()),
            "Name a folder that exists and is writable.",
        ),
    }
}

/// Lets threads share freed memory, for commands that embed or split. Otherwise each thread that has split a large file
/// keeps the memory of its parse, and four times as much memory stays in use after a gigabyte of JSON lines. Does nothing
/// if the environment has a number of arenas, or if the C library is not that of GNU.
fn share_freed_memory() {
    #[cfg(target_env = "gnu")]
    if std::env::var_os("MALLOC_ARENA_MAX").is_none() {
        #[expect(
            unsafe_code,
            reason = "a setting of the C library, before the first thread starts"
        )]
        // SAFETY: the function takes two numbers, and no other thread runs.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, 1);
        }
    }
}

/// Prints to standard output. A closed pipe is not an error.
fn print(text: &str) {
    let text = Target::of(&std::io::stdout()).convert(text);
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Prints a line to standard error.
fn print_error(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", Target::of(&std::io::stderr()).convert(text));
}

/// Prints a usage error with its remedy.
fn fail_usage(error: &passage::Error) -> ExitCode {
    fail(&error.to_string(), &error.remedy());
    USAGE_ERROR.into()
}

/// Prints an error with its remedy.
fn fail(cause: &str, remedy: &str) -> ExitCode {
    print_error(&render::failure(cause, remedy));
    ExitCode::FAILURE
}
