use super::*;
use crate::args::Cli;
use clap::{CommandFactory, FromArgMatches};

fn parsed(text: &str, line: &[&str]) -> Result<Cli, String> {
    let entries = entries(text, Path::new("passage.toml")).map_err(|error| error.to_string())?;
    let command = entries.iter().try_fold(Cli::command(), |command, entry| {
        set_default(command, entry, Origin::Named)
            .map_err(|cause| format!("{}: {cause}", entry.line))
    })?;
    let matches = command.try_get_matches_from(line).map_err(|error| error.to_string())?;
    Cli::from_arg_matches(&matches).map_err(|error| error.to_string())
}

#[test]
fn the_command_line_takes_precedence_over_the_file() {
    let text = "store = \"notes\"\nquiet = true\n\n[search]\nlimit = 3\nmin-similarity = 0.5\n";
    let search = |line: &[&str]| match parsed(text, line).unwrap_or_else(|e| panic!("{e}")).command
    {
        crate::args::Command::Search(search) => search,
        _ => unreachable!(),
    };
    let from_file = search(&["passage", "search", "a"]);
    assert_eq!((&*from_file.server.store, from_file.limit), ("notes", 3));
    assert_eq!(from_file.filters.min_similarity, Some(0.5));
    let from_line = search(&["passage", "search", "a", "--limit", "7", "--store", "other"]);
    assert_eq!((&*from_line.server.store, from_line.limit), ("other", 7));
    let crate::args::Command::Embed(embed) =
        parsed(text, &["passage", "embed"]).ok().unwrap().command
    else {
        unreachable!()
    };
    assert!(embed.quiet && embed.server.store == "notes");
}

#[test]
fn a_file_in_the_working_folder_sets_the_options_that_help_lists_and_not_for_commands_that_remove()
{
    let mut root = Cli::command();
    let help = root.render_long_help().to_string();
    let listed =
        help.split_once("may set only").and_then(|(_, rest)| rest.split_once('.')).unwrap().0;
    let listed: Vec<&str> =
        listed.split([',', '\n', ' ']).filter(|word| !word.is_empty() && *word != "and").collect();
    let allowed: Vec<&str> =
        allowed::ALLOWED.iter().flat_map(|(_, options)| *options).copied().collect();
    assert_eq!(listed, allowed);

    let options = |command: &Command| -> Vec<String> {
        command.get_arguments().filter_map(|option| option.get_long().map(Into::into)).collect()
    };
    let all: Vec<String> = root.get_subcommands().flat_map(options).collect();
    for option in allowed {
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
        assert!(all.iter().any(|known| known == option) && !is_allowed(None, option), "{option}");
    }
    assert!(is_allowed(Some("search"), "collection") && !is_allowed(Some("remove"), "collection"));

    let entry = || entries("collection = \"a\"\n", Path::new(FILE_NAME)).ok().unwrap().remove(0);
    let value = |origin, line: &[&str]| {
        let command = set_default(Cli::command(), &entry(), origin).unwrap();
        let matches = command.try_get_matches_from(line).unwrap();
        let (_, matches) = matches.subcommand().unwrap();
        matches.get_one::<String>("collection").cloned()
    };
    assert_eq!(value(Origin::WorkingFolder, &["passage", "search", "x"]).as_deref(), Some("a"));
    assert_eq!(value(Origin::WorkingFolder, &["passage", "remove", "x"]), None);
    assert_eq!(value(Origin::Named, &["passage", "remove", "x"]).as_deref(), Some("a"));
}

#[test]
fn an_unknown_key_is_an_error_with_its_line() {
    for (text, cause) in [
        ("\nstor = \"a\"\n", "2: unknown option \"stor\""),
        ("[serch]\nlimit = 1\n", "2: unknown command \"serch\""),
        ("[status]\nlimit = 1\n", "2: unknown option \"limit\""),
        ("a = 1\nb = \n", "passage.toml, line 2: invalid TOML"),
        ("store = { a = 1 }\n", "1: unknown command \"store\""),
        ("[search]\nlimit = 0\n", "2: invalid value '0' for '--limit <N>'"),
        ("[search]\nmode = \"near\"\n", "2: invalid value 'near' for '--mode <MODE>'"),
        ("[embed]\nfollow = 1\n", "2: \"follow\" must be true or false"),
    ] {
        let error = parsed(text, &["passage", "status"]).err().unwrap_or_default();
        assert!(error.starts_with(cause), "{text:?}: {error}");
    }
}
