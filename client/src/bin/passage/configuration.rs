/*!
The configuration file, `passage.toml`, with default values of options.

If the user names a file, only that one is read. Otherwise the user's own file is read, and then the
one in the working folder, which may set only a few options ([`allowed`]).

Keys are names of options. A key at the top applies to every command that has the option, a key in
the table of a command only to that command. A value becomes the default of the option, so
command-line options and environment variables take precedence. An unknown key is an error with its
line, because a misspelt option would otherwise be ignored silently.
*/

mod allowed;
mod file;

use allowed::{IGNORING_COMMANDS, is_allowed};
use clap::error::ErrorKind;
use clap::{ArgAction, Command};
use file::{FILE_NAME, File, Origin};
use passage::Error;
use std::ffi::OsString;
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// A key with its values.
struct Entry {
    /// The command whose table has the key; `None` at the top.
    command: Option<String>,
    option: String,
    values: Vec<String>,
    line: usize,
}

/// Sets the defaults of options from the configuration files.
pub fn apply(command: Command, arguments: &[OsString]) -> Result<Command, Error> {
    File::all(arguments).into_iter().try_fold(command, |command, file| {
        let Some(text) = file.read()? else { return Ok(command) };
        entries(&text, &file.path)?.into_iter().try_fold(command, |command, entry| {
            check_allowed(&file, &entry)?;
            set_default(command, &entry, file.origin)
                .map_err(|cause| file_error(&file.path, entry.line, &cause))
        })
    })
}

/// Returns an error for an option that a file in the working folder must not set.
fn check_allowed(file: &File, entry: &Entry) -> Result<(), Error> {
    let Entry { command, option, line, .. } = entry;
    if file.origin != Origin::WorkingFolder || is_allowed(command.as_deref(), option) {
        return Ok(());
    }
    let table = command.as_ref().map(|command| format!("[{command}] ")).unwrap_or_default();
    let path = file.path.display();
    Err(Error::Usage {
        cause: format!(
            "{path}, line {line}: {table}\"{option}\" cannot be set by a file in the working folder"
        ),
        remedy: format!(
            "If you trust the file, name it with --config {path} or PASSAGE_CONFIG, or move the line to \
             ~/.config/passage/{FILE_NAME}. passage --help lists the options that such a file can set."
        ),
    })
}

fn entries(text: &str, path: &Path) -> Result<Vec<Entry>, Error> {
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    let parsed = DeTable::parse(text);
    // The parser's excerpt of the text is left out, because it may contain a password.
    let table = parsed.map_err(|error| {
        let line = error.span().map_or(1, |span| line(span.start));
        file_error(path, line, &format!("invalid TOML: {}", error.message()))
    })?;
    let mut entries = Vec::new();
    for (key, value) in table.get_ref() {
        let name = key.get_ref().to_string();
        let key_line = line(key.span().start);
        let mut add = |command: Option<&str>, option: String, value: &DeValue, line| {
            let values = values(value).ok_or_else(|| {
                file_error(
                    path,
                    line,
                    &format!(
                        "\"{option}\" must be a string, a number, true, false or an array of these"
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
            add(None, name, value.get_ref(), key_line)?;
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

/// Sets an entry as the default of its option in each command that it applies to.
fn set_default(mut root: Command, entry: &Entry, origin: Origin) -> Result<Command, String> {
    let names: Vec<String> =
        root.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    if let Some(command) = &entry.command
        && !names.contains(command)
    {
        return Err(format!("unknown command \"{command}\""));
    }
    let mut known = false;
    let applies_to = |name: &String| {
        entry.command.as_ref().is_none_or(|command| command == name)
            && (origin != Origin::WorkingFolder || !IGNORING_COMMANDS.contains(&&**name))
    };
    for name in names.iter().filter(|name| applies_to(name)) {
        let command = root.find_subcommand(name).expect("its name is listed");
        let option =
            command.get_arguments().find(|option| option.get_long() == Some(&*entry.option));
        let Some(option) = option else { continue };
        let (id, is_flag) =
            (option.get_id().clone(), matches!(option.get_action(), ArgAction::SetTrue));
        if is_flag && !matches!(&entry.values[..], [truth] if truth == "true" || truth == "false") {
            return Err(format!("\"{}\" must be true or false", entry.option));
        }
        known = true;
        let values = entry.values.clone();
        root = root.mut_subcommand(name, |command| {
            command.mut_arg(id, |option| option.default_values(values).hide_default_value(true))
        });
        // An invalid value is reported with its line.
        if let Some(cause) = invalid_value(&root, name, entry) {
            return Err(cause);
        }
    }
    if known { Ok(root) } else { Err(format!("unknown option \"{}\"", entry.option)) }
}

/// Returns the message of clap for the values of an entry, if they are invalid.
fn invalid_value(root: &Command, name: &str, entry: &Entry) -> Option<String> {
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

fn file_error(path: &Path, line: usize, cause: &str) -> Error {
    Error::Usage {
        cause: format!("{}, line {line}: {cause}", path.display()),
        remedy: "Keys are names of options, as in store = \"rag\"; passage COMMAND --help lists them. API keys of \
                 services are read only from PASSAGE_API_KEY."
            .into(),
    }
}

#[cfg(test)]
mod tests;
