/*!
Derived ids: the id of a chunk contains half of the id of its document.

The first half of a chunk's id is the first half of its document's id. The second half of a document's id is
constant: `fa5f842f-e899-843d-8000-000000000000` is the document of every chunk whose id begins with
`fa5f842f-e899-843d-`. So a chunk id identifies its document. Ids depend only on what they identify: loading a
document again gives the same ids, and a chunk with unchanged section and content keeps its id.

The ids are valid UUIDs of version 8, which leaves 60 free bits in the first half and 62 in the second. Among a
billion documents two share a first half with a probability of one in three. So loaders compare the collection,
version and uri behind an id, and increment the salt where they differ.

The rule is frozen as version 1: a change would change every id.

Its twin in SQL is `sql/edition/functions/ingest.sql`.
*/

use crate::interrupt::{self, hash_text};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use uuid::Uuid;

/// The second half of every derived document id: the variant of RFC 9562, then zeros.
const DOCUMENT: u64 = 0x8000_0000_0000_0000;

/// Returns the id of a document.
///
/// `salt` starts at 0 and increments while the id belongs to another document.
///
/// ```
/// use passage_split::{chunk_id, document_id};
///
/// let document = document_id("manual", "18", "setup.md", 0);
/// let chunk = chunk_id(document, &["Setup"], "Install the server.", 0);
/// assert_eq!(document.as_bytes()[..8], chunk.as_bytes()[..8]);
/// ```
pub fn document_id(collection: &str, version: &str, uri: &str, salt: u32) -> Uuid {
    let mut hash = Sha256::new_with_prefix("passage document 1");
    for part in [collection, version, uri] {
        hash_text(&mut hash, part.as_bytes());
    }
    hash.update(salt.to_be_bytes());
    let first = first_eight(hash) & 0xffff_ffff_ffff_0fff | 0x8000;
    Uuid::from_u64_pair(first, DOCUMENT)
}

/// Returns the id of a chunk.
///
/// `occurrence` is the number of earlier chunks of the document with this section and content. The document's
/// id may be any UUID, derived or not.
pub fn chunk_id<T: AsRef<str>>(
    document: Uuid,
    section: &[T],
    content: &str,
    occurrence: u32,
) -> Uuid {
    let mut hash = Sha256::new_with_prefix("passage chunk 1");
    hash.update(document.as_bytes());
    hash.update((section.len() as u64).to_be_bytes());
    for title in section {
        hash_text(&mut hash, title.as_ref().as_bytes());
    }
    hash_text(&mut hash, content.as_bytes());
    hash.update(occurrence.to_be_bytes());
    // Never zero behind the variant, which would be the document's own id.
    let second = (first_eight(hash) >> 2).max(1) | DOCUMENT;
    Uuid::from_u64_pair(document.as_u64_pair().0, second)
}

/// Returns the ids of all chunks of a document, from their sections and contents in document order.
pub fn chunk_ids<'a, T: AsRef<str> + 'a>(
    document: Uuid,
    chunks: impl IntoIterator<Item = (&'a [T], &'a str)>,
) -> Vec<Uuid> {
    let mut occurrences: HashMap<Uuid, u32> = HashMap::new();
    let id = |(section, content): (&[T], &str)| {
        interrupt::poll();
        let first = chunk_id(document, section, content, 0);
        let earlier = occurrences.entry(first).and_modify(|earlier| *earlier += 1).or_insert(0);
        if *earlier == 0 { first } else { chunk_id(document, section, content, *earlier) }
    };
    chunks.into_iter().map(id).collect()
}

/// Returns the id of a chunk or document of an adopted store whose id in its source is not a UUID.
///
/// `seed` is the name that the source had when it was adopted, `key` the text of its id there.
///
/// ```
/// use passage_split::adopted_id;
///
/// assert_eq!(adopted_id("public.notes", "1").to_string(), "9c65bc83-8707-838c-a54a-d8ea903451da");
/// ```
pub fn adopted_id(seed: &str, key: &str) -> Uuid {
    let mut hash = Sha256::new();
    for part in [seed, " ", key] {
        interrupt::blocks(part.as_bytes()).for_each(|block| hash.update(block));
    }
    let hash = hash.finalize();
    let mut bytes: [u8; 16] = hash[..16].try_into().expect("a hash has 32 bytes");
    // Version and variant of RFC 9562.
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x0f | 0xa0;
    Uuid::from_bytes(bytes)
}

fn first_eight(hash: Sha256) -> u64 {
    u64::from_be_bytes(hash.finalize()[..8].try_into().expect("a hash has 32 bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Variant;

    #[test]
    fn ids_are_frozen() {
        let document = document_id("docs", "1.0", "book/ch01.md", 0);
        assert_eq!(document.to_string(), "fa5f842f-e899-843d-8000-000000000000");
        let chunk = chunk_id(document, &["Guide", "Setup"], "Install it.", 0);
        assert_eq!(chunk.to_string(), "fa5f842f-e899-843d-91dc-423614ebb2c8");
    }

    #[test]
    fn equal_chunks_get_different_ids_by_order() {
        let document = document_id("", "", "a.md", 0);
        let (a, b): (&[&str], &[&str]) = (&["A"], &["B"]);
        let ids = chunk_ids(document, [(a, "x"), (b, "x"), (a, "x"), (a, "y"), (a, "x")]);
        let one = |section, content, occurrence| chunk_id(document, section, content, occurrence);
        let expected =
            [one(a, "x", 0), one(b, "x", 0), one(a, "x", 1), one(a, "y", 0), one(a, "x", 2)];
        assert_eq!(ids, expected);
    }

    proptest! {
        #[test]
        fn a_chunk_id_identifies_its_document(
            collection: String, version: String, uri: String, salt: u32,
            section: Vec<String>, content: String, occurrence: u32,
        ) {
            let document = document_id(&collection, &version, &uri, salt);
            let chunk = chunk_id(document, &section, &content, occurrence);
            for id in [document, chunk] {
                prop_assert_eq!(id.get_version_num(), 8);
                prop_assert_eq!(id.get_variant(), Variant::RFC4122);
            }
            prop_assert!(document.to_string().ends_with("-8000-000000000000"));
            prop_assert_eq!(&chunk.to_string()[..19], &document.to_string()[..19]);
            prop_assert_ne!(chunk, document);
        }

        #[test]
        fn every_part_of_a_document_changes_the_id(a: [String; 3], b: [String; 3], salt: u32) {
            let id = |[collection, version, uri]: &[String; 3], salt| document_id(collection, version, uri, salt);
            prop_assert_eq!(id(&a, salt) == id(&b, salt), a == b);
            prop_assert_ne!(id(&a, salt), id(&a, salt.wrapping_add(1)));
        }

        #[test]
        fn text_boundaries_change_the_id(a in "[a-c]{1,6}", cut in 1_usize..6, occurrence: u32) {
            let document = document_id("", "", "a.md", 0);
            let whole = chunk_id(document, &[&a], "", occurrence);
            let cut = cut.min(a.len());
            let (title, content) = a.split_at(cut);
            prop_assert_ne!(whole, chunk_id(document, &[title, content], "", occurrence));
            prop_assert_eq!(whole == chunk_id(document, &[title], content, occurrence), content.is_empty());
            prop_assert_ne!(whole, chunk_id(document, &[&a], "", occurrence.wrapping_add(1)));
        }
    }
}
