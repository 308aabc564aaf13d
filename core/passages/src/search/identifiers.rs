/*!
Parts of compound words that PostgreSQL's parser keeps whole.

The parser reads `getUser`, `array.sort` and `src/main.rs` as one word each, and `v2.3.0-rc.1` as a file. Searches for
a part would miss them. So this module lists the parts: segments of joined words, humps of names, letters of another
alphabet, the numbers within versions and addresses, and the last syllable of a run without spaces. The index contains them
beside the parser's words, and queries are split the same way.

Its twin in SQL is `sql/edition/functions/section.sql`.
*/

use super::scripts::{changes_alphabet, is_unspaced_run, syllables};
use super::searchable_text::{Runs, searchable_text};
use passage_split::interrupt::poll_periodically;
use std::collections::HashSet;

/// Characters that the parser accepts within a host, a path or an address.
const JOINED_BY: [char; 3] = ['.', '/', '@'];

/// Other characters within such words.
const INSIDE: [char; 6] = ['_', '-', ':', '~', '+', '='];

/// The maximum number of numbers in a version or address whose beginnings are parts.
const MAX_NUMBERS: usize = 4;

/// The maximum number of last syllables of a text that are parts. A `tsvector` has at most 1 MB, and the pairs of 256 KB
/// take most of it.
const MAX_SYLLABLES: usize = 2_048;

/// The side of a search that the parts are for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Index,
    Query,
}

/// Returns the parts of a text's compound words, separated by spaces; empty for plain prose.
///
/// The last syllables of runs without spaces are listed once. A query of one syllable finds the others as the beginning
/// of a pair.
///
/// ```
/// assert_eq!(passage_core::search::identifier_parts("call getUser()"), "get User");
/// assert_eq!(passage_core::search::identifier_parts("at 203.0.113.7"), "203.0 203.0.113");
/// assert_eq!(passage_core::search::identifier_parts("公開鍵と秘密鍵"), "鍵");
/// ```
pub fn identifier_parts(text: &str) -> String {
    let text = searchable_text(text, Runs::Whole);
    let mut parts = compound_parts(&text, Side::Index);
    if !text.is_ascii() {
        add_last_syllables(&mut parts, &text);
    }
    parts
}

/// Returns the parts of a word of a query. A chunk that has all of them has the word.
///
/// These are not the beginnings of numbers: `2.3.0` must not find `2.3.1`. The number of a version stays whole, and loses
/// its `v`, so `v2.3.0` also finds `2.3.0`.
///
/// ```
/// assert_eq!(passage_core::search::query_parts("getUser"), "get User");
/// assert_eq!(passage_core::search::query_parts("2.3.0"), "");
/// assert_eq!(passage_core::search::query_parts("v2.3.0-rc.1"), "2.3.0 rc 1");
/// ```
pub fn query_parts(word: &str) -> String {
    compound_parts(&searchable_text(word, Runs::Whole), Side::Query)
}

/// Returns the parts of a searchable text's compound words.
fn compound_parts(text: &str, side: Side) -> String {
    let mut parts = String::new();
    let ends = |character: char| {
        !(character.is_alphanumeric()
            || JOINED_BY.contains(&character)
            || INSIDE.contains(&character))
    };
    for (number, run) in text.split(ends).enumerate() {
        poll_periodically(number);
        // Punctuation at an end, such as a full stop, joins nothing.
        let run = run.trim_matches(|character: char| !character.is_alphanumeric());
        let joined = run.contains(JOINED_BY) && run.contains(char::is_alphabetic);
        let number = version(run).filter(|_| joined && side == Side::Query);
        let run = number.map_or(run, |(number, behind)| {
            add(&mut parts, number);
            behind
        });
        for segment in run.split(|character: char| !character.is_alphanumeric()) {
            if joined && !segment.is_empty() {
                add(&mut parts, segment);
            }
            humps(&mut parts, segment);
        }
        if side == Side::Index {
            numbers(&mut parts, run);
        }
    }
    parts
}

/// Adds the last syllables of the runs without spaces of a searchable text, each once.
fn add_last_syllables(parts: &mut String, text: &str) {
    let mut seen = HashSet::new();
    for (number, run) in text.split_whitespace().filter(|word| is_unspaced_run(word)).enumerate() {
        poll_periodically(number);
        // A run of one syllable is a word of its own.
        if let [_, .., last, _] = syllables(run)[..]
            && seen.len() < MAX_SYLLABLES
            && seen.insert(&run[last..])
        {
            add(parts, &run[last..]);
        }
    }
}

/// Returns the number of a version at the beginning of a run, without its `v`, and what follows.
fn version(run: &str) -> Option<(&str, &str)> {
    let number = run.strip_prefix(['v', 'V']).unwrap_or(run);
    let end = number.find(|next: char| !next.is_ascii_digit() && next != '.');
    let (number, behind) = number.split_at(end.unwrap_or(number.len()));
    let is_version = number.starts_with(|first: char| first.is_ascii_digit())
        && number.contains('.')
        && !behind.starts_with(char::is_alphanumeric);
    is_version.then_some((number, behind))
}

fn add(parts: &mut String, part: &str) {
    if !parts.is_empty() {
        parts.push(' ');
    }
    parts.push_str(part);
}

/// Adds the humps of a name such as `getUser` or `HTTPServer`, and letters of two alphabets, if there is more than one.
fn humps(parts: &mut String, segment: &str) {
    let mut start = 0;
    let mut before: Option<char> = None;
    let mut characters = segment.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let begins = before.is_some_and(|before| {
            let is_hump = character.is_uppercase()
                && (!before.is_uppercase()
                    || next.is_some_and(|next| {
                        next.is_lowercase() && !changes_alphabet(character, next)
                    }));
            is_hump || changes_alphabet(before, character)
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

/// Adds the numbers within a run that dots or hyphens join: `2.3.0` of `v2.3.0-rc.1`, and `2024-1234` of
/// `CVE-2024-1234`. Of a version or an address the beginnings of two numbers or more are also parts, so that
/// `203.0.113` finds each address of this network.
fn numbers(parts: &mut String, run: &str) {
    let bytes = run.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut start = 0;
    while start < bytes.len() {
        if !is_digit(start) {
            start += 1;
            continue;
        }
        let digits =
            |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut ends = vec![start + digits(start)];
        let sign = bytes.get(ends[0]).copied();
        while let Some(end) = ends.last().copied()
            && matches!(sign, Some(b'.' | b'-'))
            && bytes.get(end) == sign.as_ref()
            && is_digit(end + 1)
        {
            ends.push(end + 1 + digits(end + 1));
        }
        let end = ends[ends.len() - 1];
        let is_version = sign == Some(b'.');
        // Hyphens also join the hexadecimal digits of a UUID.
        let stands_alone = !run[..start].ends_with(char::is_alphanumeric)
            && !run[end..].starts_with(|next: char| next.is_alphanumeric() && next != 'T');
        if ends.len() > 1 && (is_version || stands_alone) {
            if is_version && ends.len() <= MAX_NUMBERS {
                ends[1..ends.len() - 1].iter().for_each(|end| add(parts, &run[start..*end]));
            }
            if start > 0 || end < run.len() {
                add(parts, &run[start..end]);
            }
        }
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::{identifier_parts, query_parts};

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
    fn last_syllables_of_runs_without_spaces_are_parts() {
        assert_eq!(identifier_parts("日本語、京 Rust言語"), "語");
        assert_eq!(identifier_parts("PostgreSQL中のgetUserを"), "Postgre SQL get User の");
        assert_eq!(identifier_parts("ข้อมูล"), "ล");
        assert_eq!(query_parts("日本語"), "");
    }

    #[test]
    fn last_syllables_of_a_text_are_bounded() {
        let all: String = ('\u{4e00}'..='\u{9fff}').flat_map(|last| ['一', last, ' ']).collect();
        assert_eq!(identifier_parts(&all).split(' ').count(), super::MAX_SYLLABLES);
    }

    #[test]
    fn the_number_of_a_version_is_a_part_of_a_query() {
        for (word, parts) in [
            ("v2.3.0-rc.1", "2.3.0 rc 1"),
            ("V2.3", "2.3"),
            ("2.3.0-rc.1", "2.3.0 rc 1"),
            ("2.3.beta", "2 3 beta"),
            ("2.3.0beta", "2 3 0beta"),
            ("python3.11", "python3 11"),
            ("v2", ""),
            ("v1.", ""),
            ("vim.org", "vim org"),
        ] {
            assert_eq!(query_parts(word), parts, "{word}");
        }
    }

    #[test]
    fn another_alphabet_begins_a_part() {
        assert_eq!(identifier_parts("PostgreSQLсервер الAPI"), "Postgre SQL сервер ال API");
    }

    #[test]
    fn numbers_of_versions_and_addresses_are_parts() {
        for (text, parts) in [
            ("v2.3.0-rc.1", "v2 3 0 rc 1 2.3 2.3.0"),
            ("203.0.113.7", "203.0 203.0.113"),
            ("203.0.113.0/24", "203.0 203.0.113 203.0.113.0"),
            ("CVE-2024-1234", "2024-1234"),
            ("2026-11-27T10:00", "27 T10 2026-11-27"),
            ("3.14 1/2 2026-11-27 1.2.3.4.5", ""),
            ("550e8400-e29b-41d4-a716-446655440000", ""),
        ] {
            assert_eq!(identifier_parts(text), parts, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn parts_occur_in_the_text(text in "(?s)[a-cA-C._/@ é日本\u{0e01}0-9-]{0,40}") {
            for part in identifier_parts(&text).split(' ') {
                proptest::prop_assert!(text.contains(part));
            }
        }
    }
}
