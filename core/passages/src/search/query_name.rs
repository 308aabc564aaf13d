/*!
Queries that are names: the title of a section, a symbol of source code, or a file.

Such a query does not ask for chunks that mention the name, but for the unit that has it. So the chunks of that unit
come first, in the order of the document. Questions are longer than names, so most queries need no look-up.

Its twin in SQL is `sql/edition/legs.sql`.
*/

use super::normalize;
use std::collections::HashMap;
use std::hash::Hash;

/// The maximum number of words of a name, and its maximum length in bytes.
const MAX_WORDS: usize = 8;
const MAX_BYTES: usize = 1_024;

/// A query that may be a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryName {
    /// The whole name, in lower case.
    name: String,
    /// The titles of a symbol from the outside to the inside; one for a simple name.
    titles: Vec<String>,
}

/// The place of a hit, as names are compared with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPlace<Document> {
    /// The document.
    pub document: Document,
    /// The ordinal in the document.
    pub ordinal: i32,
    /// The titles from the root to the chunk.
    pub section: Vec<String>,
    /// The uri of the document.
    pub uri: Option<String>,
}

impl QueryName {
    /// Parses a query. Returns `None` if it is too long for a name, or has no letters or digits.
    ///
    /// ```
    /// use passage_core::search::QueryName;
    ///
    /// assert!(QueryName::parse("UserService.getUser()").is_some());
    /// assert!(QueryName::parse("which of the users is logged in to the server right now?").is_none());
    /// ```
    pub fn parse(query: &str) -> Option<Self> {
        if query.len() > MAX_BYTES || query.split_whitespace().nth(MAX_WORDS).is_some() {
            return None;
        }
        let name = bare_name(query);
        let titles: Vec<_> = ["::", "->", ".", "#"]
            .iter()
            .fold(vec![name.as_str()], |parts, separator| {
                parts.into_iter().flat_map(|part| part.split(separator)).collect()
            })
            .into_iter()
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        (!titles.is_empty() && name.contains(char::is_alphanumeric))
            .then_some(Self { name, titles })
    }

    /// Returns how many titles of a section form the path of the unit with this name, or `None` if the section is not
    /// in such a unit. A file has the path of length 0.
    fn unit_depth<Document>(&self, place: &NamedPlace<Document>) -> Option<usize> {
        let uri = normalize(place.uri.as_deref().unwrap_or_default()).to_lowercase();
        let is_file = uri.strip_suffix(&self.name).is_some_and(|folder| {
            self.name.contains('.') && (folder.is_empty() || folder.ends_with('/'))
        });
        if is_file {
            return Some(0);
        }
        let section: Vec<_> = place.section.iter().map(|title| bare_name(title)).collect();
        let single = || section.iter().position(|title| *title == self.name).map(|at| at + 1);
        let count = self.titles.len();
        let qualified =
            || section.windows(count).position(|titles| titles == self.titles).map(|at| at + count);
        single().or_else(qualified)
    }

    /// Puts the hits of units with this name in front: the units in the order of their best hits, the hits of a unit in
    /// the order of the document. Returns the hits with the number of those in front.
    ///
    /// `places` has one element for each hit, if its place is known.
    pub fn in_front<Hit, Document: Copy + Eq + Hash>(
        &self,
        hits: Vec<Hit>,
        places: &[Option<&NamedPlace<Document>>],
    ) -> (Vec<Hit>, usize) {
        let mut ranks = HashMap::new();
        let mut unit_and_ordinal = |place: &NamedPlace<Document>| {
            let unit = (place.document, place.section[..self.unit_depth(place)?].to_vec());
            let next = ranks.len();
            Some((*ranks.entry(unit).or_insert(next), place.ordinal))
        };
        let keys = places.iter().map(|place| place.and_then(&mut unit_and_ordinal));
        let (mut named, mut others) = (Vec::new(), Vec::new());
        for (key, hit) in keys.zip(hits) {
            match key {
                Some(key) => named.push((key, hit)),
                None => others.push(hit),
            }
        }
        named.sort_by_key(|(key, _)| *key);
        let count = named.len();
        (named.into_iter().map(|(_, hit)| hit).chain(others).collect(), count)
    }
}

/// Returns a name in lower case and in the usual characters, without the signs around it: quotes, backticks, the parentheses of a call, and the sign
/// at the end of a heading.
fn bare_name(name: &str) -> String {
    let words: Vec<_> = name.split_whitespace().collect();
    let name = normalize(&words.join(" ")).to_lowercase();
    let at_end = [':', '.', '?', '!'];
    let quotes = ['"', '\'', '`'];
    let trimmed = name.trim_end_matches(at_end).trim_matches(quotes).trim_end_matches(at_end);
    trimmed.strip_suffix("()").unwrap_or(trimmed).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{NamedPlace, QueryName};

    /// Returns the order of hits, each with its document, ordinal and section; the uri is `src/N.rs`.
    fn order(query: &str, hits: &[(u8, i32, &[&str])]) -> Vec<usize> {
        let place = |&(document, ordinal, section): &(u8, i32, &[&str])| NamedPlace {
            document,
            ordinal,
            section: section.iter().map(ToString::to_string).collect(),
            uri: Some(format!("src/{document}.rs")),
        };
        let places: Vec<_> = hits.iter().map(place).collect();
        let places: Vec<_> = places.iter().map(Some).collect();
        let name = QueryName::parse(query).expect("the query may be a name");
        name.in_front((0..hits.len()).collect(), &places).0
    }

    #[test]
    fn the_section_with_the_name_comes_first_in_the_order_of_the_document() {
        let hits: [(u8, i32, &[&str]); 5] = [
            (1, 3, &["Guide", "Setup"]),
            (2, 8, &["Guide", "Log rotation"]),
            (2, 1, &["Guide"]),
            (2, 7, &["Guide", "Log rotation", "Size"]),
            (3, 2, &["Log rotation and more"]),
        ];
        assert_eq!(order("log  Rotation", &hits), [3, 1, 0, 2, 4]);
        assert_eq!(order("`Log rotation`:", &hits), [3, 1, 0, 2, 4]);
        let accented: [(u8, i32, &[&str]); 2] = [(1, 3, &["Guide"]), (2, 8, &["Cafe\u{301}"])];
        assert_eq!(order("café", &accented), [1, 0]);
        assert_eq!(order("rotation", &hits), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn units_of_equal_names_keep_together_in_the_order_of_their_best_hits() {
        let hits: [(u8, i32, &[&str]); 4] =
            [(2, 5, &["Usage"]), (1, 4, &["Usage"]), (2, 4, &["Usage"]), (1, 3, &["Usage"])];
        assert_eq!(order("usage", &hits), [2, 0, 3, 1]);
    }

    #[test]
    fn a_symbol_may_be_qualified_and_a_file_is_named_by_its_path() {
        let hits: [(u8, i32, &[&str]); 3] =
            [(1, 0, &["getUser"]), (2, 3, &["UserService", "getUser"]), (3, 1, &["UserService"])];
        for query in ["UserService.getUser()", "UserService::getUser", "userservice#getuser"] {
            assert_eq!(order(query, &hits), [1, 0, 2], "{query}");
        }
        assert_eq!(order("3.rs", &hits), [2, 0, 1]);
        assert_eq!(order("src/3.rs", &hits), [2, 0, 1]);
        assert_eq!(order("rs", &hits), [0, 1, 2]);
    }

    #[test]
    fn questions_and_signs_are_not_names() {
        assert_eq!(QueryName::parse("one two three four five six seven eight nine"), None);
        assert_eq!(QueryName::parse(&"a".repeat(2_000)), None);
        assert_eq!(QueryName::parse("?!"), None);
        assert_eq!(QueryName::parse(" "), None);
    }

    #[test]
    fn hits_of_unknown_places_stay_behind_named_ones() {
        let name = QueryName::parse("Usage").expect("a name");
        let named =
            NamedPlace { document: 1, ordinal: 0, section: vec!["Usage".into()], uri: None };
        assert_eq!(name.in_front(vec!['a', 'b'], &[None, Some(&named)]), (vec!['b', 'a'], 1));
    }
}
