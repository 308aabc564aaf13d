//! How similar a misspelt name is to one that exists, for errors that name the nearest one.
//!
//! Its twin in SQL is `sql/edition/stores/store.sql`.

/// The maximum number of edits between a name and one that resembles it. At most half of the characters may differ.
const MAX_EDITS: usize = 3;

/// Returns the number of edits that make `name` from `misspelt`, or `None` if the two are too different.
///
/// # Examples
///
/// ```
/// use passage_core::misspelling::edits;
///
/// assert_eq!(edits("limt", "limit"), Some(1));
/// assert_eq!(edits("limt", "max-tokens"), None);
/// ```
pub fn edits(misspelt: &str, name: &str) -> Option<usize> {
    let length = misspelt.chars().count();
    // The distance takes time in proportion to both lengths.
    if name.chars().count().abs_diff(length) > MAX_EDITS {
        return None;
    }
    let edits = strsim::osa_distance(misspelt, name);
    (edits <= MAX_EDITS && 2 * edits <= length).then_some(edits)
}

/// Returns the name that a misspelt one resembles most; of several, the first in their order.
///
/// # Examples
///
/// ```
/// use passage_core::misspelling::nearest;
///
/// assert_eq!(nearest("stor", ["limit", "store"]), Some("store"));
/// ```
pub fn nearest<'a>(misspelt: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let similar = names.into_iter().filter_map(|name| Some((edits(misspelt, name)?, name)));
    similar.min().map(|(_, name)| name)
}
