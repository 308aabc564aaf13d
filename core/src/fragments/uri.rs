//! What a uri says of its document, for a call that asks nothing else.

use crate::search::identifier_parts;

/// The most bytes of an ending that are taken for a file's type.
const ENDING: usize = 8;

/// Returns the words of a uri: those of its path, without the scheme, the host and the ending of the
/// file.
///
/// # Source
///
/// Seed 003: a file that is read without a query is searched by its path.
pub fn uri_words(uri: &str) -> String {
    let path = match uri.split_once("://") {
        Some((_, behind)) => behind.split_once('/').map_or(behind, |(_, path)| path),
        None => uri,
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && ending.len() <= ENDING => stem,
        _ => name,
    };
    let mut words = Vec::new();
    for part in [folders, name] {
        let part = part.split(|found: char| !found.is_alphanumeric());
        words.extend(part.filter(|word| !word.is_empty()).map(|word| {
            let parts = identifier_parts(word);
            if parts.is_empty() { word.to_owned() } else { parts }
        }));
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::uri_words;

    #[test]
    fn a_path_says_what_its_file_is_about() {
        for (uri, words) in [
            ("docs/session_timeout.md", "docs session timeout"),
            ("https://example.org/guide/getStarted.html?x=1#top", "guide get Started"),
            ("Meeting Notes 2024-05.md", "Meeting Notes 2024 05"),
            (".gitignore", "gitignore"),
            ("v1.2/README", "v1 2 README"),
            ("", ""),
            ("///", ""),
        ] {
            assert_eq!(uri_words(uri), words, "{uri}");
        }
    }
}
