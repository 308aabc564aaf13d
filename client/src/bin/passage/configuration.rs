/*!
The configuration file, `passage.toml`: what is said on each command line, said once. The one that
the user names is read, or else the user's own and then one in the working folder, which may set
little ([`harmless`]).

Its keys are the names of options. Those at the top hold for every command that has the option,
those in a table of a command's name for that command. A value becomes the option's default, so a
flag goes before it, and so does an environment variable. What no command knows is an error, with
the line it stands on, since an option that is misspelt would do nothing for years.
*/

mod file;
mod harmless;

use clap::error::ErrorKind;
use clap::{ArgAction, Command};
use file::{File, Origin};
use harmless::{WITHOUT, is_harmless};
use passage::Error;
use std::ffi::OsString;
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// The name of a file that is read without being named.
const FILE: &str = "passage.toml";

/// What the file says of an option.
struct Entry {
    /// The command whose table it stands in; `None` at the top.
    command: Option<String>,
    option: String,
    values: Vec<String>,
    line: usize,
}

/// Gives options the defaults that files say, if there are any.
pub fn apply(command: Command, arguments: &[OsString]) -> Result<Command, Error> {
    File::all(arguments).into_iter().try_fold(command, |command, file| {
        let Some(text) = file.read()? else { return Ok(command) };
        entries(&text, &file.path)?.into_iter().try_fold(command, |command, entry| {
            allow(&file, &entry)?;
            set(command, &entry, file.origin).map_err(|cause| wrong(&file.path, entry.line, &cause))
        })
    })
}

/// Refuses an option that a file may not set which nobody named.
fn allow(file: &File, entry: &Entry) -> Result<(), Error> {
    let Entry { command, option, line, .. } = entry;
    if file.origin != Origin::Found || is_harmless(command.as_deref(), option) {
        return Ok(());
    }
    let table = command.as_ref().map(|command| format!("[{command}] ")).unwrap_or_default();
    let path = file.path.display();
    Err(Error::Usage {
        cause: format!(
            "{path}, line {line}: {table}\"{option}\" cannot be set by a file that was merely found in the working folder"
        ),
        remedy: format!(
            "If you trust the file, name it with --config {path} or PASSAGE_CONFIG; or move the line to \
             ~/.config/passage/{FILE}. passage --help lists what a found file may set."
        ),
    })
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
fn set(mut root: Command, entry: &Entry, origin: Origin) -> Result<Command, String> {
    let names: Vec<String> =
        root.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    if let Some(command) = &entry.command
        && !names.contains(command)
    {
        return Err(format!("there is no command \"{command}\""));
    }
    let mut known = false;
    let held_for = |name: &String| {
        entry.command.as_ref().is_none_or(|command| command == name)
            && (origin != Origin::Found || !WITHOUT.contains(&&**name))
    };
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
            set(command, entry, Origin::Named).map_err(|cause| format!("{}: {cause}", entry.line))
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
    fn a_found_file_sets_what_help_lists_and_nothing_for_commands_that_remove() {
        let mut root = Cli::command();
        let help = root.render_long_help().to_string();
        let listed =
            help.split_once("may set only").and_then(|(_, rest)| rest.split_once('.')).unwrap().0;
        let listed: Vec<&str> = listed
            .split([',', '\n', ' '])
            .filter(|word| !word.is_empty() && *word != "and")
            .collect();
        let harmless: Vec<&str> =
            harmless::HARMLESS.iter().flat_map(|(_, options)| *options).copied().collect();
        assert_eq!(listed, harmless);

        let options = |command: &Command| -> Vec<String> {
            command.get_arguments().filter_map(|option| option.get_long().map(Into::into)).collect()
        };
        let all: Vec<String> = root.get_subcommands().flat_map(options).collect();
        for option in harmless {
            assert!(all.iter().any(|known| known == option), "no command has --{option}");
        }
        for option in [
            "database-url",
            "store",
            "model",
            "embed-url",
            "embed-model",
            "grace",
            "yes",
            "drop-former",
            "allow-private",
            "watch",
            "uri",
            "jsonl",
        ] {
            assert!(
                all.iter().any(|known| known == option) && !is_harmless(None, option),
                "{option}"
            );
        }
        assert!(
            is_harmless(Some("search"), "collection") && !is_harmless(Some("remove"), "collection")
        );

        let entry = || entries("collection = \"a\"\n", Path::new(FILE)).ok().unwrap().remove(0);
        let value = |origin, line: &[&str]| {
            let command = set(Cli::command(), &entry(), origin).unwrap();
            let matches = command.try_get_matches_from(line).unwrap();
            let (_, matches) = matches.subcommand().unwrap();
            matches.get_one::<String>("collection").cloned()
        };
        assert_eq!(value(Origin::Found, &["passage", "search", "x"]).as_deref(), Some("a"));
        assert_eq!(value(Origin::Found, &["passage", "remove", "x"]), None);
        assert_eq!(value(Origin::Named, &["passage", "remove", "x"]).as_deref(), Some("a"));
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
