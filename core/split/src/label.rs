/*!
Labels: titles encoded for `ltree`.

ASCII letters and digits stay, `_` becomes `__`, and every other byte becomes `_HH` in upper-case hexadecimal. So
labels are valid on every supported PostgreSQL and in every locale, different titles have different labels, and
labels can be decoded. An empty title is a lone `_`.

A label has at most 255 bytes, the limit of PostgreSQL 15. Longer labels are cut and end in `_h` and a hash of the
whole title: they stay distinct but cannot be decoded completely. A path has at most the labels that `ltree` stores
in 1,000 bytes; the section keeps all titles.

The encoding is frozen as version 1: a change would rewrite every store.

Its twin in SQL is `sql/edition/functions/section.sql`.
*/

use crate::interrupt;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The maximum length of a label, in bytes.
pub const MAX_LABEL: usize = 255;

/// The maximum size of a path as a stored `ltree`, in bytes.
pub const MAX_PATH: usize = 1_000;

/// The maximum number of labels of an `ltree`.
pub const MAX_TITLES: usize = 65_535;

/// The length of the suffix of a cut label: `_h` and 16 hexadecimal digits.
const SUFFIX: usize = 18;

/// Encodes a title as a label of at most [`MAX_LABEL`] bytes.
///
/// ```
/// use passage_split::label::{decode, encode};
///
/// assert_eq!(encode("1.1 Setup"), "1_2E1_20Setup");
/// assert_eq!(decode("1_2E1_20Setup"), "1.1 Setup");
/// ```
pub fn encode(title: &str) -> String {
    if title.is_empty() {
        return "_".to_owned();
    }
    let mut label = String::with_capacity(title.len().min(MAX_LABEL));
    let mut kept = 0;
    for byte in title.bytes() {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => label.push(char::from(byte)),
            b'_' => label.push_str("__"),
            _ => write!(label, "_{byte:02X}").expect("writing to a string succeeds"),
        }
        if label.len() <= MAX_LABEL - SUFFIX {
            kept = label.len();
        } else if label.len() > MAX_LABEL {
            label.truncate(kept);
            let mut hash = Sha256::new();
            interrupt::blocks(title.as_bytes()).for_each(|block| hash.update(block));
            let hash = hash.finalize()[..8].try_into().expect("a hash has 32 bytes");
            let hash = u64::from_be_bytes(hash);
            write!(label, "_h{hash:016x}").expect("writing to a string succeeds");
            break;
        }
    }
    label
}

/// Decodes a label to its title.
///
/// A cut label gives the kept part and `…`. Other sequences that [`encode`] never writes stay unchanged, since
/// paths may have another origin.
pub fn decode(label: &str) -> String {
    if label == "_" {
        return String::new();
    }
    let mut title = Vec::with_capacity(label.len());
    let mut rest = label.as_bytes();
    let mut round = 0;
    while let Some((&byte, after)) = rest.split_first() {
        round += 1;
        interrupt::poll_periodically(round);
        rest = after;
        match (byte, after) {
            (b'_', [b'_', ..]) => {
                title.push(b'_');
                rest = &after[1..];
            }
            (b'_', [b'h', hash @ ..]) if hash.len() == SUFFIX - 2 => {
                title.extend_from_slice("…".as_bytes());
                break;
            }
            (b'_', [high, low, ..]) if hex(*high).is_some() && hex(*low).is_some() => {
                let value = |digit| hex(digit).expect("checked above");
                title.push(value(*high) << 4 | value(*low));
                rest = &after[2..];
            }
            _ => title.push(byte),
        }
    }
    String::from_utf8_lossy(&title).into_owned()
}

/// Encodes a section as the text of an `ltree`; the root is the empty text. Titles that the path has no room for are
/// not read.
///
/// ```
/// use passage_split::label::encode_path;
///
/// assert_eq!(encode_path(["Guide", "A b"]), "Guide.A_20b");
/// ```
pub fn encode_path<T: AsRef<str>>(section: impl IntoIterator<Item = T>) -> String {
    let mut path = String::new();
    let mut stored = 8;
    for title in section {
        let label = encode(title.as_ref());
        // ltree stores a length of two bytes before each label, aligned to eight.
        stored += (label.len() + 2).next_multiple_of(8);
        if stored > MAX_PATH {
            break;
        }
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(&label);
    }
    path
}

/// Decodes the text of an `ltree` to titles, of which it has at most [`MAX_TITLES`].
///
/// ```
/// use passage_split::label::decode_path;
///
/// assert!(decode_path("Guide.A_20b").eq(["Guide", "A b"]));
/// ```
pub fn decode_path(path: &str) -> impl Iterator<Item = String> {
    let labels = Some(path).filter(|path| !path.is_empty()).map(|path| path.split('.'));
    labels.into_iter().flatten().take(MAX_TITLES).enumerate().map(|(index, label)| {
        interrupt::poll_periodically(index);
        decode(label)
    })
}

/// Returns the value of an upper-case hexadecimal digit.
fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn labels_keep_letters_and_escape_other_bytes() {
        assert_eq!(encode("Setup"), "Setup");
        assert_eq!(encode("ef_search"), "ef__search");
        assert_eq!(encode("1.1 Ü"), "1_2E1_20_C3_9C");
        assert_eq!(encode(""), "_");
        assert_eq!(encode_path(["Guide", "", "A b"]), "Guide._.A_20b");
        assert_eq!(encode_path::<&str>([]), "");
    }

    #[test]
    fn a_long_label_is_cut_and_distinct_by_its_hash() {
        let (a, b) = ("ü".repeat(100) + "a", "ü".repeat(100) + "b");
        assert_ne!(encode(&a), encode(&b));
        assert!(decode(&encode(&a)).ends_with('…'));
        assert_eq!(encode(&"a".repeat(255)).len(), 255);
        assert_eq!(decode(&encode(&"a".repeat(255))), "a".repeat(255));
    }

    #[test]
    fn a_path_ends_before_ltree_stores_more_than_its_limit() {
        let path = encode_path(vec!["t"; 10_000]);
        assert_eq!(path.split('.').count(), 124);
        assert_eq!(encode_path(vec!["x".repeat(400); 12]).split('.').count(), 3);
        assert_eq!(decode_path(&"t.".repeat(100_000)).count(), MAX_TITLES);
    }

    proptest! {
        #[test]
        fn uncut_labels_decode_to_their_titles(title in any::<String>()) {
            let label = encode(&title);
            prop_assert!(label.len() <= MAX_LABEL);
            prop_assert!(label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
            if title.len() <= MAX_LABEL / 3 {
                prop_assert_eq!(decode(&label), title);
            }
        }

        #[test]
        fn titles_never_share_a_label(a in "[a_é ]{0,3}", b in "[a_é ]{0,3}") {
            prop_assert_eq!(a == b, encode(&a) == encode(&b));
        }

        #[test]
        fn paths_decode_to_their_sections(section in prop::collection::vec("\\PC{0,12}", 0..6)) {
            prop_assert!(decode_path(&encode_path(&section)).eq(section));
        }

        #[test]
        fn decoding_accepts_any_text(label in any::<String>()) {
            decode_path(&label).for_each(drop);
        }
    }
}
