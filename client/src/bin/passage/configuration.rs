/*!
The configuration file, `passage.toml`: what is said on each command line, said once.

Its keys are the names of options. Those at the top hold for every command that has the option,
those in a table of a command's name for that command. A value becomes the option's default, so a
flag goes before it, and so does an environment variable. What no command knows is an error, with
the line it stands on, since an option that is misspelt would do nothing for years.
*/

use clap::error::ErrorKind;
use clap::{ArgAction, Command};
use passage::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// The file that is read in the working folder if none is named.
const FILE: &str = "passage.toml";

/// What the file says of an option.
struct Entry {
    /// The command whose table it stands in; `None` at the top.
    command: Option<String>,
    option: String,
    values: Vec<String>,
    line: usize,
}

/// Gives options the defaults that the file says, if there is one.
pub fn apply(command: Command, arguments: &[OsString]) -> Result<Command, Error> {
    let named = named(arguments);
    let path = named.clone().unwrap_or_else(|| FILE.into());
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(command);
        }
        Err(error) => {
            return Err(Error::Usage {
                cause: format!("cannot read {}: {error}", path.display()),
                remedy: "Name a file of options with --config, or leave it out.".into(),
            });
        }
    };
    entries(&text, &path)?.into_iter().try_fold(command, |command, entry| {
        set(command, &entry).map_err(|cause| wrong(&path, entry.line, &cause))
    })
}

/// Finds the file that is named, before the rest of the command line can be read by it.
fn named(arguments: &[OsString]) -> Option<PathBuf> {
    let mut arguments = arguments.iter().skip(1).take_while(|argument| *argument != "--");
    while let Some(argument) = arguments.next() {
        if argument == "--config" {
            return arguments.next().map(PathBuf::from);
        }
        if let Some(path) = argument.to_str().and_then(|text| text.strip_prefix("--config=")) {
            return Some(path.into());
        }
    }
    std::env::var_os("PASSAGE_CONFIG").filter(|path| !path.is_empty()).map(PathBuf::from)
}

fn entries(text: &str, path: &Path) -> Result<Vec<Entry>, Error> {
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    let parsed = DeTable::parse(text);
    // What the parser shows of the text is left out: a password may stand in it.
    let table = parsed.map_err(|error| {
        let line = error.span().map_or(1, |span| line(span.start));
        wrong(path, line, &format!("this is no TOML: {}", error.message()))
    })?;
    let mut entries = Vec::new();
    for (key, value) in table.get_ref() {
        let name = key.get_ref().to_string();
        let place = line(key.span().start);
        let mut add = |command: Option<&str>, option: String, value: &DeValue, line| {
            let values = values(value).ok_or_else(|| {
                wrong(
                    path,
                    line,
                    &format!(
                        "\"{option}\" is neither a text, a number, true, false nor a list of them"
                    ),
                )
            })?;
            entries.push(Entry { command: command.map(Into::into), option, values, line });
            Ok::<_, Error>(())
        };
        if let DeValue::Table(options) = value.get_ref() {
            for (key, value) in options {
                add(
                    Some(&name),
                    key.get_ref().to_string(),
                    value.get_ref(),
                    line(key.span().start),
                )?;
            }
        } else {
            add(None, name, value.get_ref(), place)?;
        }
    }
    Ok(entries)
}

fn values(value: &DeValue) -> Option<Vec<String>> {
    Some(match value {
        DeValue::String(text) => vec![text.to_string()],
        DeValue::Integer(number) => vec![number.to_string()],
        DeValue::Float(number) => vec![number.to_string()],
        DeValue::Boolean(truth) => vec![truth.to_string()],
        DeValue::Array(items) => {
            let values = items.iter().map(|item| values(item.get_ref()));
            values.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect()
        }
        DeValue::Table(_) | DeValue::Datetime(_) => return None,
    })
}

/// Makes an entry the default of its option in each command that it holds for.
fn set(mut root: Command, entry: &Entry) -> Result<Command, String> {
    let names: Vec<String> =
        root.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    if let Some(command) = &entry.command
        && !names.contains(command)
    {
        return Err(format!("there is no command \"{command}\""));
    }
    let mut known = false;
    let held_for = |name: &String| entry.command.as_ref().is_none_or(|command| command == name);
    for name in names.iter().filter(|name| held_for(name)) {
        let command = root.find_subcommand(name).expect("its name is listed");
        let option =
            command.get_arguments().find(|option| option.get_long() == Some(&*entry.option));
        let Some(option) = option else { continue };
        let (id, switch) =
            (option.get_id().clone(), matches!(option.get_action(), ArgAction::SetTrue));
        if switch && !matches!(&entry.values[..], [truth] if truth == "true" || truth == "false") {
            return Err(format!("\"{}\" is true or false", entry.option));
        }
        known = true;
        let values = entry.values.clone();
        root = root.mut_subcommand(name, |command| {
            command.mut_arg(id, |option| option.default_values(values).hide_default_value(true))
        });
        // A value that the option does not take is told of with its line.
        if let Some(cause) = refusal(&root, name, entry) {
            return Err(cause);
        }
    }
    if known { Ok(root) } else { Err(format!("there is no option \"{}\"", entry.option)) }
}

/// What a command says of an option's value, if it does not take it.
fn refusal(root: &Command, name: &str, entry: &Entry) -> Option<String> {
    let value = |value: &String| format!("--{}={value}", entry.option);
    let option = root
        .find_subcommand(name)?
        .get_arguments()
        .find(|option| option.get_long() == Some(&*entry.option))?;
    if matches!(option.get_action(), ArgAction::SetTrue) {
        return None;
    }
    let line =
        ["passage".to_owned(), name.to_owned()].into_iter().chain(entry.values.iter().map(value));
    let error = root.clone().try_get_matches_from(line).err()?;
    let is_value = matches!(
        error.kind(),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation | ErrorKind::WrongNumberOfValues
    );
    is_value.then(|| {
        let text = error.to_string();
        text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
    })
}

fn wrong(path: &Path, line: usize, cause: &str) -> Error {
    Error::Usage {
        cause: format!("{}, line {line}: {cause}", path.display()),
        remedy: "Keys are the names of options, as in store = \"rag\"; passage COMMAND --help lists them. Keys of \
                 services are read from PASSAGE_API_KEY alone."
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::{CommandFactory, FromArgMatches};

    fn parsed(text: &str, line: &[&str]) -> Result<Cli, String> {
        let entries =
            entries(text, Path::new("passage.toml")).map_err(|error| error.to_string())?;
        let command = entries.iter().try_fold(Cli::command(), |command, entry| {
            set(command, entry).map_err(|cause| format!("{}: {cause}", entry.line))
        })?;
        let matches = command.try_get_matches_from(line).map_err(|error| error.to_string())?;
        Cli::from_arg_matches(&matches).map_err(|error| error.to_string())
    }

    #[test]
    fn what_the_file_says_holds_unless_a_flag_says_otherwise() {
        let text = "store = \"notes\"\nquiet = true\n\n[search]\nlimit = 3\nmin-similarity = 0.5\n";
        let search =
            |line: &[&str]| match parsed(text, line).unwrap_or_else(|e| panic!("{e}")).command {
                crate::args::Command::Search(search) => search,
                _ => unreachable!(),
            };
        let by_file = search(&["passage", "search", "a"]);
        assert_eq!((&*by_file.server.store, by_file.limit), ("notes", 3));
        assert_eq!(by_file.filters.min_similarity, Some(0.5));
        let by_flag = search(&["passage", "search", "a", "--limit", "7", "--store", "other"]);
        assert_eq!((&*by_flag.server.store, by_flag.limit), ("other", 7));
        let crate::args::Command::Embed(embed) =
            parsed(text, &["passage", "embed"]).ok().unwrap().command
        else {
            unreachable!()
        };
        assert!(embed.quiet && embed.server.store == "notes");
    }

    #[test]
    fn what_no_command_knows_is_told_by_its_line() {
        for (text, cause) in [
            ("\nstor = \"a\"\n", "2: there is no option \"stor\""),
            ("[serch]\nlimit = 1\n", "2: there is no command \"serch\""),
            ("[status]\nlimit = 1\n", "2: there is no option \"limit\""),
            ("a = 1\nb = \n", "passage.toml, line 2: this is no TOML"),
            ("store = { a = 1 }\n", "1: there is no command \"store\""),
            ("[search]\nlimit = 0\n", "2: invalid value '0' for '--limit <N>'"),
            ("[search]\nmode = \"near\"\n", "2: invalid value 'near' for '--mode <MODE>'"),
            ("[embed]\nfollow = 1\n", "2: \"follow\" is true or false"),
        ] {
            let error = parsed(text, &["passage", "status"]).err().unwrap_or_default();
            assert!(error.starts_with(cause), "{text:?}: {error}");
        }
    }
}
