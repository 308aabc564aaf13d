/*!
Words of the names of files.

A query that names a file asks for this file, but the chunks of a file do not have its path. They begin with the title of
the document: that of source code is the name of the file, that of prose often resembles it.

Its twin in SQL is `sql/edition/words.sql`.
*/

use super::identifiers::query_parts;
use passage_split::{Kind, MediaType};

/// The maximum length of a file extension, in bytes.
const MAX_EXTENSION: usize = 8;

/// Returns the words of a uri's path, without scheme, host and file extension.
///
/// ```
/// assert_eq!(passage_core::search::uri_words("docs/getUser.md"), "docs get User");
/// ```
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
        Some((stem, ending)) if !stem.is_empty() && ending.len() <= MAX_EXTENSION => stem,
        _ => name,
    };
    let mut words = Vec::new();
    for part in [folders, name] {
        let part = part.split(|character: char| !character.is_alphanumeric());
        words.extend(part.filter(|word| !word.is_empty()).map(|word| {
            let parts = query_parts(word);
            if parts.is_empty() { word.to_owned() } else { parts }
        }));
    }
    words.join(" ")
}

/// Returns the name of the file at the end of a path.
///
/// ```
/// use passage_core::search::file_name;
///
/// assert_eq!(file_name("`src/a.ts:12`"), Some("a.ts"));
/// assert_eq!(file_name("and/or"), None);
/// ```
pub fn file_name(word: &str) -> Option<&str> {
    let path = word.trim_matches(|character: char| !character.is_alphanumeric());
    let (folders, name) = path.rsplit_once(['/', '\\'])?;
    let name = name.split(':').next().unwrap_or(name);
    let is_file =
        !folders.contains(':') && name.contains('.') && name.contains(char::is_alphabetic);
    is_file.then_some(name)
}

/// Returns the words that the title of a file of prose may have, separated by spaces; empty for any other word.
///
/// ```
/// use passage_core::search::title_words;
///
/// assert_eq!(title_words("docs/session_timeout.md"), "session timeout");
/// assert_eq!(title_words("src/a.ts"), "");
/// ```
pub fn title_words(word: &str) -> String {
    let name = file_name(word).unwrap_or(word);
    match MediaType::from_uri(name) {
        Some(media_type) if media_type.kind() == Kind::Prose => uri_words(name),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{file_name, title_words, uri_words};

    #[test]
    fn words_of_a_uri_come_from_its_path() {
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

    #[test]
    fn a_path_ends_with_the_name_of_a_file() {
        for (word, name) in [
            ("./src/a.ts", Some("a.ts")),
            ("(/usr/share/x.conf).", Some("x.conf")),
            ("src\\a.ts", Some("a.ts")),
            ("a.ts", None),
            ("https://example.org/a.ts", None),
            ("203.0.113.0/24", None),
            ("1/2.5", None),
            ("src/", None),
            ("/", None),
        ] {
            assert_eq!(file_name(word), name, "{word}");
        }
    }

    #[test]
    fn only_files_of_prose_have_words_of_a_title() {
        assert_eq!(title_words("guide.md"), "guide");
        for word in ["a.ts", "example", "2.3.0", "data/list.json", ""] {
            assert_eq!(title_words(word), "", "{word}");
        }
    }
}
