/*!
Section keys: 64-bit hashes by which an index finds kin.

A btree on titles or on `ltree` refuses long rows, and under row-level security the operators of
`ltree` are not allowed into an index scan; a bigint has neither limit. Two sections may share a
key, so whoever finds a chunk by its key compares the section again.

The key of a section is the first eight bytes of a SHA-256 over its titles, each behind its length.
It is frozen as version 1: changing it would rewrite every store.
*/

use sha2::{Digest, Sha256};

/// Returns the key of a section; the root has one too.
pub fn section_key<T: AsRef<str>>(section: &[T]) -> i64 {
    *prefix_keys(section).last().expect("the root is a prefix of every section")
}

/// Returns the key of the section one title up, or `None` at the root.
pub fn parent_key<T: AsRef<str>>(section: &[T]) -> Option<i64> {
    section.split_last().map(|(_, parent)| section_key(parent))
}

/// Returns the keys of all prefixes of a section, from the root to the section itself.
///
/// One pass over the titles, however deep the section is.
pub fn prefix_keys<T: AsRef<str>>(section: &[T]) -> Vec<i64> {
    let mut hash = Sha256::new_with_prefix("passage section 1");
    let key = |hash: &Sha256| {
        let digest = hash.clone().finalize();
        i64::from_be_bytes(digest[..8].try_into().expect("a hash has 32 bytes"))
    };
    let mut keys = vec![key(&hash)];
    for title in section {
        let title = title.as_ref();
        hash.update((title.len() as u64).to_be_bytes());
        hash.update(title);
        keys.push(key(&hash));
    }
    keys
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
    fn where_one_title_ends_matters() {
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
