/*!
Section keys: 64-bit hashes for index lookups of related sections.

A btree on titles or on `ltree` rejects long rows, and row-level security keeps the operators of `ltree` out of
index scans. A bigint has neither limit. Two sections may share a key, so callers compare the section again.

A key is the first eight bytes of a SHA-256 over the titles, each preceded by its length. The rule is frozen as
version 1: a change would rewrite every store.

Its twin in SQL is `sql/edition/functions/section.sql`.
*/

use crate::interrupt::{hash_text, poll_periodically};
use sha2::{Digest, Sha256};

/// Returns the key of a section; the root has a key too.
///
/// ```
/// use passage_split::key::{parent_key, section_key};
///
/// assert_eq!(parent_key(&["Guide", "Setup"]), Some(section_key(&["Guide"])));
/// assert_eq!(parent_key::<&str>(&[]), None);
/// ```
pub fn section_key<T: AsRef<str>>(section: &[T]) -> i64 {
    let mut hash = root();
    for (index, title) in section.iter().enumerate() {
        poll_periodically(index);
        hash_text(&mut hash, title.as_ref().as_bytes());
    }
    key(hash)
}

/// Returns the key of the parent section, or `None` for the root.
pub fn parent_key<T: AsRef<str>>(section: &[T]) -> Option<i64> {
    section.split_last().map(|(_, parent)| section_key(parent))
}

/// Returns the keys of all prefixes of a section, from the root to the section itself.
///
/// The cost is one pass over the titles.
pub fn prefix_keys<T: AsRef<str>>(section: &[T]) -> Vec<i64> {
    let mut hash = root();
    let mut keys = vec![key(hash.clone())];
    for (index, title) in section.iter().enumerate() {
        poll_periodically(index);
        hash_text(&mut hash, title.as_ref().as_bytes());
        keys.push(key(hash.clone()));
    }
    keys
}

/// Returns the hash of the root, to which the titles are added.
fn root() -> Sha256 {
    Sha256::new_with_prefix("passage section 1")
}

fn key(hash: Sha256) -> i64 {
    i64::from_be_bytes(hash.finalize()[..8].try_into().expect("a hash has 32 bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_frozen() {
        assert_eq!(section_key::<&str>(&[]), -6_252_570_654_091_539_395);
        assert_eq!(section_key(&["Guide", "Setup"]), -573_533_806_669_144_422);
    }

    #[test]
    fn title_boundaries_change_the_key() {
        assert_ne!(section_key(&["ab", "c"]), section_key(&["a", "bc"]));
        assert_ne!(section_key(&["", ""]), section_key(&[""]));
    }

    #[test]
    fn the_parent_key_is_the_key_of_the_parent() {
        assert_eq!(parent_key(&["a", "b"]), Some(section_key(&["a"])));
        assert_eq!(parent_key(&["a"]), Some(section_key::<&str>(&[])));
        assert_eq!(parent_key::<&str>(&[]), None);
    }
}
