/*!
The options that a file in the working folder may set.

Such a `passage.toml` may come with a cloned repository or an unpacked archive. So it must not
decide where data, keys or passwords are sent, which code is executed, which files are read, or
which documents are removed. Every option that is not listed here is refused.
*/

/// The allowed options, by purpose.
pub const ALLOWED: [(&str, &[&str]); 4] = [
    (
        "the collection and the metadata of documents",
        &["collection", "version", "kind", "media-type", "metadata", "base-url"],
    ),
    ("a selection of the named files", &["include", "exclude"]),
    ("the splitting of documents", &["sizer", "max-size", "preferred-size", "min-size", "overlap"]),
    (
        "queries and their output",
        &[
            "mode",
            "strategy",
            "limit",
            "candidates",
            "min-similarity",
            "fuzzy-threshold",
            "max-tokens",
            "max-chunks",
            "order-by",
            "parents",
            "preceding",
            "following",
            "children",
            "before",
            "after",
            "siblings",
            "within",
            "chunks",
            "include-orphaned",
            "no-embed",
            "json",
        ],
    ),
];

/// Commands that change or copy a whole store, or remove documents. They ignore such a file.
pub const IGNORING_COMMANDS: [&str; 4] = ["init", "reindex", "remove", "export"];

/// Returns whether such a file may set an option, for a command or for all that have it.
pub fn is_allowed(command: Option<&str>, option: &str) -> bool {
    let is_listed = ALLOWED.iter().any(|(_, options)| options.contains(&option));
    is_listed && command.is_none_or(|command| !IGNORING_COMMANDS.contains(&command))
}
