//! The help of `-h`: the options that most users need, and the first examples. `--help` shows everything.

use super::options::CHUNKS;
use clap::Command;

/// The heading of the examples in the text below the options.
const EXAMPLES: &str = "Examples:\n";

/// The maximum number of examples.
const MAX_EXAMPLES: usize = 5;

/// Shortens what `-h` shows below the options of a command and of its subcommands. The options themselves say whether
/// `-h` shows them, but for the sizes of `split`, whose purpose is to try them.
pub fn with_short_help(command: Command) -> Command {
    let command = match command.get_after_help().map(ToString::to_string) {
        Some(help) => command.after_help(first_examples(&help)).after_long_help(help),
        None => command,
    };
    let command = command.mut_subcommands(with_short_help);
    if command.get_name() == "split" {
        return command.mut_args(|option| match option.get_help_heading() {
            Some(CHUNKS) => option.hide_short_help(false),
            _ => option,
        });
    }
    command
}

/// Returns the first examples of a help text, or all of a text without examples.
fn first_examples(help: &str) -> String {
    let Some((_, examples)) = help.split_once(EXAMPLES) else { return help.into() };
    // The lines up to the next heading.
    let lines = examples.lines().take_while(|line| line.starts_with("  ")).take(MAX_EXAMPLES);
    lines.fold(EXAMPLES.trim_end().to_owned(), |text, line| text + "\n" + line)
}

#[cfg(test)]
mod tests {
    use super::first_examples;

    #[test]
    fn the_short_help_has_the_first_examples_without_the_sections_around_them() {
        let help = "Uris:\n  A file has one.\n\nExamples:\n  a\n  b\n  c\n  d\n  e\n  f\n\nExit codes:\n  0";
        assert_eq!(first_examples(help), "Examples:\n  a\n  b\n  c\n  d\n  e");
        assert_eq!(first_examples("Examples:\n  a\n\nExit codes:\n  0"), "Examples:\n  a");
        assert_eq!(first_examples("No examples."), "No examples.");
    }
}
