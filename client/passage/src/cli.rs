/*!
The command line: one file for each command, with its options, its work and its output.

`command_line` lists the commands, `options` has what several of them take, `output` how all of them print. The program
only calls [`main`].
*/

mod command_line;
mod completions;
mod configuration;
mod context;
mod doctor;
mod duplicates;
mod embed;
mod eval;
mod export;
mod first_steps;
mod fragments;
mod ingest;
mod init;
mod loading;
mod manual_pages;
mod mcp;
mod model;
mod options;
mod outline;
mod output;
mod reindex;
mod remove;
mod search;
mod serve;
mod short_help;
mod split;
mod status;
mod sync;
mod upgrade;

use crate::Error;
use crate::conversion::run_as_child;
use clap::FromArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use command_line::Cli;
use configuration::Configuration;
use first_steps::{FIRST_STEPS, synonym};
use output::print::{USAGE_ERROR, fail, fail_with, print_error};
use output::printable::printable;
use output::render;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the program on the command line of the process, and returns its exit code.
pub fn main() -> ExitCode {
    if let Some(code) = run_as_child() {
        return code;
    }
    // The message of a panic may quote a document, and a backtrace does not help a user.
    std::panic::set_hook(Box::new(|panic| {
        let location = panic.location().map(ToString::to_string).unwrap_or_default();
        print_error(&format!("error: internal error at {location}\n  Please report it."));
    }));
    let command = match parse() {
        Ok(cli) => cli.command,
        Err(code) => return code,
    };
    if command.embeds_or_splits() {
        share_freed_memory();
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            return fail_with(
                &format!("cannot start: {error}"),
                "Free memory, or raise the limit of threads.",
            );
        }
    };
    let code = match runtime.block_on(command.run()) {
        Ok(code) => code,
        Err(error @ Error::Usage { .. }) => fail_usage(&error),
        Err(error) => fail(&error),
    };
    // An unanswered question on the terminal would keep the runtime alive.
    runtime.shutdown_background();
    code
}

/// Parses the command line, with the defaults of the configuration files.
fn parse() -> Result<Cli, ExitCode> {
    let arguments: Vec<_> = std::env::args_os().collect();
    if arguments.len() == 1 {
        print_error(FIRST_STEPS);
        return Err(USAGE_ERROR.into());
    }
    let configuration = match Configuration::read(command_line::command(), &arguments) {
        Ok(configuration) => configuration,
        Err(error) => {
            // The help says what the file may contain.
            let parsed = command_line::command().try_get_matches_from(&arguments);
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
        if is_given("model") && !is_given("embed_url") && !is_given("embed_provider") {
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
    let mut error = command.try_get_matches_from(printable).err().unwrap_or(error);
    if let Some(command) = meant_command(&error) {
        let meant = ContextValue::Strings(vec![command]);
        error.insert(ContextKind::SuggestedSubcommand, meant);
    }
    print_error(render::usage_error(&error.render().to_string()).trim_end());
    USAGE_ERROR.into()
}

/// Returns the command that an unknown one stands for: by its meaning, else the one with the most similar name.
fn meant_command(error: &clap::Error) -> Option<String> {
    let ContextValue::String(word) = error.get(ContextKind::InvalidSubcommand)? else {
        return None;
    };
    synonym(word).map(ToOwned::to_owned).or_else(|| {
        match error.get(ContextKind::SuggestedSubcommand)? {
            // The most similar one is the last.
            ContextValue::Strings(similar) => similar.last().cloned(),
            _ => None,
        }
    })
}

/// Prints a usage error with its remedy.
fn fail_usage(error: &Error) -> ExitCode {
    fail(error);
    USAGE_ERROR.into()
}

/// Returns whether the user asked for the help or the version.
fn is_help(error: &clap::Error) -> bool {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    matches!(error.kind(), DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand)
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
