/*!
The configuration file, `passage.toml`, with default values of options.

If the user names a file, only that one is read. Otherwise the user's own file is read, and then the
one in the working folder, which may set only what some commands show ([`allowed`]).

Keys are names of options. A key at the top applies to every command that has the option, a key in
the table of a command only to that command. A value becomes the default of the option, so
command-line options and environment variables take precedence. An unknown key is an error with its
line, because a misspelt option would otherwise be ignored silently.
*/

mod allowed;
mod defaults;
mod entries;
mod file;

use crate::Error;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use defaults::{commands_with, id, set_default};
use entries::{Entry, Text};
use file::{FILE_NAME, File, Origin};
use std::ffi::OsString;

/// The command line with the defaults of the configuration files.
pub struct Configuration {
    pub command: Command,
    /// The options of commands that a file of the user sets.
    chosen: Vec<(String, String)>,
    /// Options that the file in the working folder sets for commands that do not take them from there.
    refused: Vec<Refused>,
}

/// An option that a command does not take from the file in the working folder.
struct Refused {
    command: String,
    option: String,
    error: Error,
}

impl Configuration {
    /// Reads the configuration files.
    pub fn read(command: Command, arguments: &[OsString]) -> Result<Self, Error> {
        let mut configuration = Self { command, chosen: Vec::new(), refused: Vec::new() };
        for file in File::all(arguments) {
            let Some(text) = file.read()? else { continue };
            let text = Text { path: &file.path, text: &text };
            for entry in text.entries()? {
                configuration.add(&text, &entry, file.origin)?;
            }
        }
        Ok(configuration)
    }

    /// Sets an entry as the default of its option in each command that it applies to.
    fn add(&mut self, text: &Text, entry: &Entry, origin: Origin) -> Result<(), Error> {
        // A misspelt key is reported first: where it is allowed does not matter.
        let commands = commands_with(&self.command, text, entry)?;
        let is_found = origin == Origin::WorkingFolder;
        if is_found && let Some(cause) = allowed::refusal(entry) {
            return Err(refusal(text, entry, &cause, ""));
        }
        for name in commands {
            let key = (name.clone(), entry.option.clone());
            if !is_found {
                self.chosen.push(key);
            } else if !allowed::applies_to(&name, &entry.option) {
                if !self.chosen.contains(&key) {
                    let cause =
                        format!("cannot be set for passage {name} by a file in the working folder");
                    let explicitly = format!("Give --{} on the command line. ", entry.option);
                    let error = refusal(text, entry, &cause, &explicitly);
                    self.refused.push(Refused {
                        command: name,
                        option: entry.option.clone(),
                        error,
                    });
                }
                continue;
            }
            set_default(&mut self.command, &name, entry)
                .map_err(|cause| text.error(entry.at, &cause))?;
        }
        Ok(())
    }

    /// Returns an error if the file in the working folder sets an option that the command of the arguments does not
    /// take from there, and the user does not. Without the error, `passage sync` would silently write to another
    /// collection than that of the file.
    pub fn check(self, matches: &ArgMatches) -> Result<(), Error> {
        let Some((name, arguments)) = matches.subcommand() else { return Ok(()) };
        let is_given = |option: &str| {
            let id = id(&self.command, name, option).expect("the command has the option");
            matches!(
                arguments.value_source(id.as_str()),
                Some(ValueSource::CommandLine | ValueSource::EnvVariable)
            )
        };
        let mut refused = self.refused.into_iter().filter(|refused| refused.command == name);
        refused
            .find(|refused| !is_given(&refused.option))
            .map_or(Ok(()), |refused| Err(refused.error))
    }
}

/// Returns the error for a key that a file in the working folder must not have.
fn refusal(text: &Text, entry: &Entry, cause: &str, remedy: &str) -> Error {
    let table = entry.command.as_ref().map(|command| format!("[{command}] ")).unwrap_or_default();
    let path = text.path.display();
    let remedy = format!(
        "{remedy}If you trust the file, name it with --config {path} or PASSAGE_CONFIG, or move the line to \
         ~/.config/passage/{FILE_NAME}. passage --help lists the options that such a file can set."
    );
    text.error_with(entry.at, &format!("{table}\"{}\" {cause}", entry.option), &remedy)
}

#[cfg(test)]
mod tests;
