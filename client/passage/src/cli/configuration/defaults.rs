//! The options that a key names, and their defaults.

use super::entries::{Entry, Text};
use crate::Error;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command, Id};
use passage_core::misspelling::nearest;

/// Returns the commands whose option an entry names. There is at least one.
pub fn commands_with(root: &Command, text: &Text, entry: &Entry) -> Result<Vec<String>, Error> {
    let Entry { command, option, at, .. } = entry;
    let known = || root.get_subcommands().filter(|command| !command.is_hide_set());
    let unknown = |cause: &str, nearest: Option<&str>| match nearest {
        Some(nearest) => text.error_with(*at, cause, &format!("Perhaps you mean \"{nearest}\".")),
        None => text.error(*at, cause),
    };
    if let Some(name) = command
        && known().all(|known| known.get_name() != name)
    {
        let nearest = nearest(name, known().map(Command::get_name));
        return Err(unknown(&format!("unknown command \"{name}\""), nearest));
    }
    let in_scope =
        || known().filter(|known| command.as_ref().is_none_or(|name| name == known.get_name()));
    let having = |commands: &mut dyn Iterator<Item = &Command>| -> Vec<String> {
        commands
            .filter(|it| find(it, option).is_some())
            .map(|it| it.get_name().to_owned())
            .collect()
    };
    let commands = having(&mut in_scope());
    if !commands.is_empty() {
        return Ok(commands);
    }
    if let Some(name) = command
        && !having(&mut known()).is_empty()
    {
        return Err(text.error(*at, &format!("\"{option}\" is not an option of passage {name}")));
    }
    let names = in_scope().flat_map(|command| command.get_arguments().filter_map(Arg::get_long));
    Err(unknown(&format!("unknown option \"{option}\""), nearest(option, names)))
}

/// Sets the default of the option of a command. Returns why the value is invalid.
pub fn set_default(root: &mut Command, name: &str, entry: &Entry) -> Result<(), String> {
    let Entry { option, values, is_array, .. } = entry;
    let arg = root.find_subcommand(name).and_then(|command| find(command, option));
    let arg = arg.expect("the command has the option");
    let (id, action) = (arg.get_id().clone(), arg.get_action());
    if *is_array && !matches!(action, ArgAction::Append) {
        return Err(format!("\"{option}\" must be a single value, not an array"));
    }
    let is_flag = matches!(action, ArgAction::SetTrue);
    if is_flag && !matches!(&values[..], [truth] if truth == "true" || truth == "false") {
        return Err(format!("\"{option}\" must be true or false"));
    }
    let default = values.clone();
    *root = std::mem::take(root).mut_subcommand(name, |command| {
        command.mut_arg(id, |option| option.default_values(default).hide_default_value(true))
    });
    if is_flag { Ok(()) } else { invalid_value(root, name, entry).map_or(Ok(()), Err) }
}

/// Returns the id of the option of a command.
pub fn id(root: &Command, name: &str, option: &str) -> Option<Id> {
    Some(find(root.find_subcommand(name)?, option)?.get_id().clone())
}

fn find<'a>(command: &'a Command, option: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|argument| argument.get_long() == Some(option))
}

/// Returns the message of clap for the values of an entry, if they are invalid.
fn invalid_value(root: &Command, name: &str, entry: &Entry) -> Option<String> {
    let value = |value: &String| format!("--{}={value}", entry.option);
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
