//! The media types of these tests' documents.

/// The media type of a document that has none.
pub const PLAIN: &str = "text/plain";

/// Normalizes a media type: lower case, without parameters, and one name for its aliases.
pub fn name(given: &str) -> String {
    let given = given.to_ascii_lowercase();
    let name = given.split(';').next().unwrap_or_default().trim();
    match name {
        "text/x-json" => "application/json",
        "application/toml" => "text/x-toml",
        name => name,
    }
    .to_owned()
}

/// Returns whether documents of a media type are JSON: "media type application/json or ending +json; JSON
/// with comments and JSON lines not".
pub fn is_json(media_type: &str) -> bool {
    let name = name(media_type);
    name == "application/json" || name.ends_with("+json")
}

/// Returns whether a media type is code or data.
pub fn is_structured(media_type: &str) -> bool {
    [
        "text/x-python",
        "text/x-typescript",
        "text/x-rust",
        "application/json",
        "application/ld+json",
        "application/geo+json",
        "application/jsonl",
        "text/x-yaml",
        "text/x-toml",
        "text/csv",
        "image/svg+xml",
    ]
    .contains(&name(media_type).as_str())
}
