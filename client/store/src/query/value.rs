//! Values of JSON rows that may be NULL.

use serde::{Deserialize, Deserializer};

/// Reads the titles of a section. A view of another program may show NULL for the section or for a title.
pub(super) fn titles<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let titles: Vec<Option<String>> = or_empty(deserializer)?;
    Ok(titles.into_iter().flatten().collect())
}

/// Reads a list, which is empty if it is NULL.
pub(super) fn or_empty<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
