//! The first answers to a user who does not know the commands: without arguments, and for a wrong command.

/// The answer to a call without arguments.
pub const FIRST_STEPS: &str = "\
passage loads documents into PostgreSQL and finds the passages that answer a question.

To begin:
  passage init                          create a store in the database of DATABASE_URL, or explain
                                        what is missing on this machine
  passage ingest docs/                  split, embed and load a folder
  passage search \"how do I begin?\"      show the passages that answer a question

passage -h lists all commands. passage split README.md shows chunks and needs no server.";

/// Words for the commands in other programs.
const SYNONYMS: [(&str, &[&str]); 9] = [
    ("search", &["ask", "find", "query", "retrieve"]),
    ("ingest", &["add", "import", "index", "insert", "load", "put", "upload"]),
    ("remove", &["delete", "rm"]),
    ("status", &["info", "list", "ls", "stats"]),
    ("init", &["create", "install", "setup"]),
    ("doctor", &["check", "diagnose", "test"]),
    ("eval", &["evaluate", "measure", "quality", "recall"]),
    ("serve", &["http", "server", "start", "web"]),
    ("split", &["chunk", "chunks", "tokenize"]),
];

/// Returns the command that a word of another program stands for.
pub fn synonym(word: &str) -> Option<&'static str> {
    let mut commands = SYNONYMS.iter();
    commands.find(|(_, synonyms)| synonyms.contains(&word)).map(|(command, _)| *command)
}

#[cfg(test)]
mod tests {
    use super::super::command_line::Cli;
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn each_synonym_stands_for_one_command_and_is_none_itself() {
        let cli = Cli::command();
        let mut seen = std::collections::HashSet::new();
        for (command, synonyms) in SYNONYMS {
            assert!(cli.find_subcommand(command).is_some(), "{command}");
            for synonym in synonyms {
                assert!(
                    cli.find_subcommand(synonym).is_none() && seen.insert(synonym),
                    "{synonym}"
                );
            }
        }
    }

    #[test]
    fn the_first_steps_name_commands_that_exist() {
        let cli = Cli::command();
        let named: Vec<&str> =
            FIRST_STEPS.lines().filter_map(|line| line.strip_prefix("  passage ")).collect();
        assert_eq!(named.len(), 3);
        for line in named {
            let name = line.split_whitespace().next().unwrap();
            assert!(cli.find_subcommand(name).is_some(), "{name}");
        }
    }
}
