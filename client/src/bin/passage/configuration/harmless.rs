/*!
What a file may say that nobody named.

A `passage.toml` in the working folder may come with a cloned repository or an unpacked archive. So
it may set only what cannot decide where data, keys or passwords go, what is executed, which files
are read or what is removed: everything that is not listed here is refused.
*/

/// The options that a found file may set, and what for.
pub const HARMLESS: [(&str, &[&str]); 4] = [
    (
        "what documents belong to, and what they are",
        &["collection", "version", "kind", "media-type", "metadata", "base-url"],
    ),
    ("which of the files that are named are taken", &["include", "exclude"]),
    ("how documents are split", &["sizer", "overlap"]),
    (
        "what is looked for, and how much of it is shown",
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

/// Commands that change a store as a whole or remove documents take nothing from a found file.
pub const WITHOUT: [&str; 3] = ["init", "reindex", "remove"];

/// Tells whether a found file may set an option, for a command or for all that have it.
pub fn is_harmless(command: Option<&str>, option: &str) -> bool {
    let is_listed = HARMLESS.iter().any(|(_, options)| options.contains(&option));
    is_listed && command.is_none_or(|command| !WITHOUT.contains(&command))
}
