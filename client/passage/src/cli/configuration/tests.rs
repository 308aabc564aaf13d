use super::*;
use crate::cli::command_line::Cli;
use clap::{CommandFactory, FromArgMatches};
use std::path::Path;

/// Reads files one after the other, and parses a command line with their defaults.
fn matches(files: &[(Origin, &str)], line: &[&str]) -> Result<ArgMatches, String> {
    let failure = |error: Error| format!("{error}\n{}", error.remedy());
    let mut configuration =
        Configuration { command: Cli::command(), chosen: Vec::new(), refused: Vec::new() };
    for (origin, text) in files {
        let text = Text { path: Path::new(FILE_NAME), text };
        for entry in text.entries().map_err(failure)? {
            configuration.add(&text, &entry, *origin).map_err(failure)?;
        }
    }
    let matches = configuration.command.clone().try_get_matches_from(line);
    let matches = matches.map_err(|error| error.to_string())?;
    configuration.check(&matches).map_err(failure)?;
    Ok(matches)
}

/// Parses a command line with the defaults of a file that the user names.
fn parsed(text: &str, line: &[&str]) -> Result<Cli, String> {
    let matches = matches(&[(Origin::Named, text)], line)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.to_string())
}

/// The value of `--collection` for a command line.
fn collection(files: &[(Origin, &str)], line: &[&str]) -> Result<Option<String>, String> {
    let matches = matches(files, line)?;
    Ok(matches.subcommand().unwrap().1.get_one::<String>("collection").cloned())
}

#[test]
fn the_command_line_takes_precedence_over_the_file() {
    let text = "store = \"notes\"\nquiet = true\n\n[search]\nlimit = 3\nmin-similarity = 0.5\n";
    let search = |line: &[&str]| match parsed(text, line).unwrap_or_else(|e| panic!("{e}")).command
    {
        crate::cli::command_line::Command::Search(search) => search,
        _ => unreachable!(),
    };
    let from_file = search(&["passage", "search", "a"]);
    assert_eq!((&*from_file.server.store, from_file.limit), ("notes", 3));
    assert_eq!(from_file.filters.min_similarity, Some(0.5));
    let from_line = search(&["passage", "search", "a", "--limit", "7", "--store", "other"]);
    assert_eq!((&*from_line.server.store, from_line.limit), ("other", 7));
    let crate::cli::command_line::Command::Embed(embed) =
        parsed(text, &["passage", "embed"]).ok().unwrap().command
    else {
        unreachable!()
    };
    assert!(embed.quiet && embed.server.store == "notes");
}

/// A command line for each command that has options, without any option.
const LINES: [&[&str]; 19] = [
    &["passage", "context", "x"],
    &["passage", "doctor"],
    &["passage", "duplicates"],
    &["passage", "embed"],
    &["passage", "eval", "x"],
    &["passage", "export"],
    &["passage", "fragments", "x"],
    &["passage", "ingest", "x"],
    &["passage", "init"],
    &["passage", "mcp"],
    &["passage", "outline", "x"],
    &["passage", "reindex"],
    &["passage", "remove", "x"],
    &["passage", "search", "x"],
    &["passage", "serve"],
    &["passage", "split", "x"],
    &["passage", "status"],
    &["passage", "sync", "x"],
    &["passage", "upgrade"],
];

const SHOWING: [&str; 6] = ["context", "fragments", "outline", "search", "split", "status"];

/// A value that a found file may give to an option.
fn value(option: &str) -> &'static str {
    match option {
        "kind" => "\"code\"",
        "media-type" => "\"text/plain\"",
        "metadata" => "\"{}\"",
        "include-orphaned" | "chunks" | "json" => "true",
        "order-by" => "\"document\"",
        "siblings" => "\"parent\"",
        "within" => "\"section\"",
        "base-url" => "\"https://example.com/\"",
        "sizer" => "\"characters\"",
        "collection" | "version" | "strategy" => "\"found\"",
        _ => "1",
    }
}

#[test]
fn a_found_file_decides_only_what_is_shown_whatever_the_key_and_the_command() {
    let root = Cli::command();
    let options = |name: &str| -> Vec<String> {
        let command = root.find_subcommand(name).unwrap();
        command.get_arguments().filter_map(|option| option.get_long().map(Into::into)).collect()
    };
    let having: Vec<&str> = root.get_subcommands().map(Command::get_name).collect();
    let having = having.into_iter().filter(|name| !options(name).is_empty());
    let lines: Vec<&str> = LINES.iter().map(|line| line[1]).collect();
    let mut having: Vec<&str> = having.filter(|name| *name != "manual-pages").collect();
    having.sort_unstable();
    assert_eq!(having, lines);

    let allowed: Vec<&str> =
        allowed::ALLOWED.iter().flat_map(|(_, options)| *options).copied().collect();
    let mut checked = 0;
    for option in lines.iter().flat_map(|name| options(name)) {
        let at_top = format!("{option} = {}\n", value(&option));
        for line in LINES {
            let name = line[1];
            let has = options(name).contains(&option);
            let may = allowed.contains(&&*option) && (SHOWING.contains(&name) || option == "json");
            // At the top, and in the table of the command.
            let result = matches(&[(Origin::WorkingFolder, &at_top)], line);
            if !allowed.contains(&&*option) {
                let error = result.unwrap_err();
                let cause =
                    format!("line 1: \"{option}\" cannot be set by a file in the working folder");
                assert!(error.contains(&cause), "{option} {name}: {error}");
            } else if has && may {
                let (_, matches) = result.as_ref().unwrap().subcommand().unwrap();
                let id = id(&root, name, &option).unwrap();
                assert!(matches.get_raw(id.as_str()).is_some(), "{option} {name}");
            } else if has {
                let error = result.unwrap_err();
                let cause = format!(
                    "\"{option}\" cannot be set for passage {name} by a file in the working folder"
                );
                assert!(error.contains(&cause), "{option} {name}: {error}");
                assert!(
                    error.contains(&format!("\nGive --{option} on the command line.")),
                    "{error}"
                );
            } else {
                result.unwrap();
            }
            if has {
                let table = format!("[{name}]\n{at_top}");
                let result = matches(
                    &[(Origin::WorkingFolder, &table)],
                    &["passage", "completions", "bash"],
                );
                assert_eq!(result.is_ok(), may, "{option} {name}: {result:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 1_000, "{checked}");
}

#[test]
fn a_command_that_writes_takes_the_collection_only_from_the_user() {
    let found = (Origin::WorkingFolder, "collection = \"found\"\n");
    let own = (Origin::User, "collection = \"own\"\n");
    for line in LINES.iter().filter(|line| {
        ["ingest", "sync", "embed", "export", "remove", "reindex"].contains(&line[1])
    }) {
        let error = collection(&[found], line).unwrap_err();
        assert!(
            error.starts_with("passage.toml, line 1: \"collection\" cannot be set for passage "),
            "{error}"
        );
        assert!(error.contains("name it with --config passage.toml"), "{error}");
        assert_eq!(collection(&[own, found], line), Ok(Some("own".into())));
        let named = (Origin::Named, found.1);
        assert_eq!(collection(&[named], line), Ok(Some("found".into())));
        let given = [line, &["--collection", "given"][..]].concat();
        assert_eq!(collection(&[found], &given), Ok(Some("given".into())));
    }
    let search = &["passage", "search", "x"];
    assert_eq!(collection(&[own, found], search), Ok(Some("found".into())));
}

#[test]
fn a_found_file_lowers_limits_and_does_not_raise_them() {
    let result =
        |text: &str| matches(&[(Origin::WorkingFolder, text)], &["passage", "search", "x"]);
    for text in ["limit = 1", "limit = 10", "max-tokens = 4096", "[fragments]\nmax-tokens = 1"] {
        assert!(result(text).is_ok(), "{text}");
    }
    for (text, range) in [
        ("limit = 11", "1 to 10"),
        ("[fragments]\nlimit = 1000", "1 to 10"),
        ("max-tokens = 0", "1 to 4096"),
        ("max-tokens = 4097", "1 to 4096"),
        ("max-tokens = \"9999999999999\"", "1 to 4096"),
        ("[context]\nmax-tokens = -1", "1 to 4096"),
    ] {
        let error = result(text).unwrap_err();
        let cause = format!("must be {range} in a file in the working folder\n");
        assert!(error.contains(&cause), "{text}: {error}");
        assert!(
            !matches(&[(Origin::User, text)], &["passage", "status"])
                .is_err_and(|error| error.contains("working folder"))
        );
    }
}

#[test]
fn the_help_lists_the_keys_of_a_found_file() {
    let help = Cli::command().render_long_help().to_string();
    let listed =
        help.split_once("may set only").and_then(|(_, rest)| rest.split_once('.')).unwrap().0;
    let listed: Vec<&str> =
        listed.split([',', '\n', ' ']).filter(|word| !word.is_empty() && *word != "and").collect();
    let allowed: Vec<&str> =
        allowed::ALLOWED.iter().flat_map(|(_, options)| *options).copied().collect();
    assert_eq!(listed, allowed);
}

#[test]
fn an_unknown_key_is_an_error_with_its_line() {
    for (text, cause) in [
        ("\nstor = \"a\"\n", "2: unknown option \"stor\"\nPerhaps you mean \"store\"."),
        ("[serch]\nlimit = 1\n", "2: unknown command \"serch\"\nPerhaps you mean \"search\"."),
        ("[status]\nlimit = 1\n", "2: \"limit\" is not an option of passage status\nKeys are "),
        ("[status]\nlst = true\n", "2: unknown option \"lst\"\nPerhaps you mean \"list\"."),
        ("secret-of-mine = 1\n", "1: unknown option \"secret-of-mine\"\nKeys are "),
        ("a = 1\nb = \n", "2: invalid TOML"),
        ("store = { a = 1 }\n", "1: unknown command \"store\""),
        ("[search]\nlimit = 0\n", "2: invalid value '0' for '--limit <N>'"),
        ("[search]\nmode = \"near\"\n", "2: invalid value 'near' for '--mode <MODE>'"),
        ("[embed]\nfollow = 1\n", "2: \"follow\" must be true or false"),
        ("[search]\nlimit = [1, 2]\n", "2: \"limit\" must be a single value, not an array"),
        ("collection = []\n", "1: \"collection\" must be a single value, not an array"),
    ] {
        let error = parsed(text, &["passage", "status"]).err().unwrap_or_default();
        let position = text.strip_prefix('[').map_or(0, |_| 1);
        assert!(
            error.starts_with(&format!("passage.toml, line {cause}")),
            "{position}{text:?}: {error}"
        );
    }
}

#[test]
fn a_misspelt_key_of_a_found_file_names_the_nearest_one_and_not_where_it_may_stand() {
    for (text, nearest) in [
        ("limt = 1\n", "limit"),
        ("databse-url = \"x\"\n", "database-url"),
        ("[search]\nmax_tokens = 1\n", "max-tokens"),
        ("[sync]\ncolection = \"a\"\n", "collection"),
    ] {
        let error = matches(&[(Origin::WorkingFolder, text)], &["passage", "status"]).unwrap_err();
        assert!(error.ends_with(&format!("Perhaps you mean \"{nearest}\".")), "{error}");
        assert!(!error.contains("working folder"), "{error}");
    }
}

#[test]
fn a_file_of_a_megabyte_is_refused_without_delay() {
    let keys: Vec<_> = (0..60_000).map(|n| format!("k{n} = {n}\n")).collect();
    let keys = keys.concat();
    let nested = format!("metadata = {}", "[".repeat(500_000));
    let dotted = format!("a{} = 1", ".a".repeat(400_000));
    let array = format!("metadata = [{}]", "\"a\",".repeat(200_000));
    let started = std::time::Instant::now();
    for text in [keys, nested, dotted, array] {
        matches(&[(Origin::WorkingFolder, &text)], &["passage", "status"]).unwrap_err();
    }
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
