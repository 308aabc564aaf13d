/*!
Parts of compound words that PostgreSQL's parser keeps whole.

The parser reads `getUser`, `array.sort` and `src/main.rs` as one word each, and so a whole sentence in a script
without spaces. Searches for a part would miss them. So this module lists the parts: segments of joined words,
humps of names, and pairs of characters in scripts without spaces. The index contains them beside the parser's
words, and queries are split the same way.
*/

/// Characters that the parser accepts within a host, a path or an address.
const JOINED_BY: [char; 3] = ['.', '/', '@'];

/// Other characters within such words.
const INSIDE: [char; 6] = ['_', '-', ':', '~', '+', '='];

/// Returns the parts of a text's compound words, separated by spaces; empty for plain prose.
///
/// ```
/// assert_eq!(passage_core::search::identifier_parts("call getUser()"), "get User");
/// ```
pub fn identifier_parts(text: &str) -> String {
    let mut parts = String::new();
    let ends = |character: char| {
        !(character.is_alphanumeric()
            || JOINED_BY.contains(&character)
            || INSIDE.contains(&character))
    };
    for run in text.split(ends) {
        // Punctuation at an end, such as a full stop, joins nothing.
        let run = run.trim_matches(|character: char| !character.is_alphanumeric());
        let joined = run.contains(JOINED_BY) && run.contains(char::is_alphabetic);
        for segment in run.split(|character: char| !character.is_alphanumeric()) {
            if joined && !segment.is_empty() {
                add(&mut parts, segment);
            }
            humps(&mut parts, segment);
            pairs(&mut parts, segment);
        }
    }
    parts
}

fn add(parts: &mut String, part: &str) {
    if !parts.is_empty() {
        parts.push(' ');
    }
    parts.push_str(part);
}

/// Adds the humps of a name such as `getUser` or `HTTPServer`, if there is more than one.
fn humps(parts: &mut String, segment: &str) {
    let mut start = 0;
    let mut before: Option<char> = None;
    let mut characters = segment.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let begins = character.is_uppercase()
            && before.is_some_and(|before| {
                !before.is_uppercase() || next.is_some_and(char::is_lowercase)
            });
        if begins {
            add(parts, &segment[start..at]);
            start = at;
        }
        before = Some(character);
    }
    if start > 0 {
        add(parts, &segment[start..]);
    }
}

/// Adds each two neighbouring characters of a script without spaces, and a lone one as it is.
fn pairs(parts: &mut String, segment: &str) {
    if segment.is_ascii() {
        return;
    }
    for run in segment.split(|character: char| !is_unspaced(character)) {
        let starts: Vec<_> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
        match starts.len() {
            0 | 1 => {}
            2 => add(parts, run),
            count => (0..count - 2).for_each(|at| add(parts, &run[starts[at]..starts[at + 2]])),
        }
    }
}

/// Tells whether a script is written without spaces, or, as Korean, with particles on its words.
fn is_unspaced(character: char) -> bool {
    matches!(u32::from(character),
        0x0e00..=0x0eff // Thai, Lao
        | 0x1000..=0x109f // Burmese
        | 0x1780..=0x17ff // Khmer
        | 0x3040..=0x30ff // Hiragana, Katakana
        | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff // Han
        | 0xac00..=0xd7af // Hangul
    )
}

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
            let parts = identifier_parts(word);
            if parts.is_empty() { word.to_owned() } else { parts }
        }));
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::{identifier_parts, uri_words};

    #[test]
    fn compound_names_are_split() {
        assert_eq!(identifier_parts("call getUser() now"), "get User");
        assert_eq!(
            identifier_parts("HTTPServer parseJSON v2Store"),
            "HTTP Server parse JSON v2 Store"
        );
        assert_eq!(identifier_parts("set hnsw.ef_search."), "hnsw ef search");
        assert_eq!(identifier_parts("see src/main.rs"), "src main rs");
        assert_eq!(identifier_parts("me@example.org"), "me example org");
    }

    #[test]
    fn words_that_the_parser_splits_are_ignored() {
        for text in
            ["ef_search lowest-direct", "std::vec", "The end. A Word.", "3.14 1/2", "", "Été"]
        {
            assert_eq!(identifier_parts(text), "", "{text}");
        }
    }

    #[test]
    fn scripts_without_spaces_are_split_into_pairs() {
        assert_eq!(identifier_parts("日本語、京"), "日本 本語 京");
        assert_eq!(identifier_parts("Rust言語"), "言語");
    }

    proptest::proptest! {
        #[test]
        fn parts_occur_in_the_text(text in "(?s)[a-cA-C._/@ é日本\u{0e01}0-9-]{0,40}") {
            for part in identifier_parts(&text).split(' ') {
                proptest::prop_assert!(text.contains(part));
            }
        }
    }

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
}
