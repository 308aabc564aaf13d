/*!
The options that a file in the working folder may set.

Such a `passage.toml` may come with a cloned repository or an unpacked archive. So it decides only what a command
shows, and less than the default at that. It does not decide:

- where data, keys or passwords are sent, which code is executed, and which files are read. A file could
  replace the user's own `exclude`, and so send secrets to an embedding service.
- which documents are written, hidden or removed, and with what. `collection` let `passage sync docs` hide documents
  of the user's own collection, metadata can move documents to another tenant, and another size of
  chunks or another kind embeds every document again.
- what the user pays for. A search that returns 1,000 passages sends 1,000 chunks to a rerank service, and one without
  a budget fills the prompt of a paid model. `mode` could send a question to a service that the user has switched off.

Every option that is not listed here is refused.
*/

use super::entries::Entry;

/// The commands that only show chunks, documents or text. All others take at most `json` from such a file.
const SHOWING_COMMANDS: [&str; 6] =
    ["search", "fragments", "context", "outline", "status", "split"];

/// The option that changes only the form of the output, in all commands.
const OUTPUT: &str = "json";

/// The allowed options, by purpose.
pub const ALLOWED: [(&str, &[&str]); 4] = [
    (
        "filters",
        &[
            "collection",
            "version",
            "kind",
            "media-type",
            "metadata",
            "min-similarity",
            "include-orphaned",
        ],
    ),
    (
        "passages and fragments",
        &[
            "strategy",
            "limit",
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
            "links",
            "chunks",
        ],
    ),
    (
        "what split shows",
        &["base-url", "sizer", "max-size", "preferred-size", "min-size", "overlap", "split-at"],
    ),
    ("output", &[OUTPUT]),
];

/// The greatest values, which are the defaults of `search`. Such a file can lower these limits, not raise them.
const MAXIMA: [(&str, u32); 2] = [("limit", 10), ("max-tokens", 4096)];

/// Returns why such a file may not have an entry, or `None` if it may.
pub fn refusal(entry: &Entry) -> Option<String> {
    let Entry { command, option, values, .. } = entry;
    if !ALLOWED.iter().any(|(_, options)| options.contains(&&**option))
        || command.as_ref().is_some_and(|command| !applies_to(command, option))
    {
        return Some("cannot be set by a file in the working folder".into());
    }
    let (_, maximum) = MAXIMA.iter().find(|(limited, _)| limited == option)?;
    // A budget of 0 is none.
    let is_within =
        |value: &String| value.parse().is_ok_and(|value: u32| (1..=*maximum).contains(&value));
    let cause = format!("must be 1 to {maximum} in a file in the working folder");
    (!values.iter().all(is_within)).then_some(cause)
}

/// Returns whether a command takes an allowed option from such a file.
pub fn applies_to(command: &str, option: &str) -> bool {
    option == OUTPUT || SHOWING_COMMANDS.contains(&command)
}
