//! SQL functions for sections (seed 001), and for the columns that a store derives from them.

use crate::server::types::{TextList, TextSearchConfig, texts};
use passage_core::search::{self, Runs};
use passage_split::{key, label, section};
use pgrx::iter::TableIterator;
use pgrx::{Array, name, pg_extern};

/// A section as an argument. A NULL counts as an empty title.
type Titles<'a> = Array<'a, &'a str>;

/// Returns the titles of a section.
fn titles<'a>(section: &'a Titles<'_>) -> Vec<&'a str> {
    texts(section).collect()
}

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn encode_section(section: Titles<'_>) -> String {
    label::encode_path(texts(&section))
}

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn decode_section(path: &str) -> TextList {
    label::decode_path(path).collect()
}

#[pg_extern(immutable, parallel_safe, schema = "passage")]
fn section_key(section: Titles<'_>) -> i64 {
    key::section_key(&titles(&section))
}

#[pg_extern(immutable, parallel_safe, schema = "passage")]
fn parent_key(section: Titles<'_>) -> Option<i64> {
    key::parent_key(&titles(&section))
}

#[pg_extern(immutable, parallel_safe, schema = "passage")]
fn is_ancestor(ancestor: Titles<'_>, section: Titles<'_>) -> bool {
    section::is_ancestor(&titles(&ancestor), &titles(&section))
}

#[pg_extern(immutable, parallel_safe, schema = "passage")]
fn common_section(a: Titles<'_>, b: Titles<'_>) -> TextList {
    section::common_prefix(&titles(&a), &titles(&b)).iter().collect()
}

#[pg_extern(immutable, parallel_safe, schema = "passage")]
fn merge_sections(
    a_level: i32,
    a_section: Titles<'_>,
    b_level: i32,
    b_section: Titles<'_>,
) -> TableIterator<'static, (name!(level, i32), name!(section, TextList))> {
    // Splitters give no negative level. It counts as the root level.
    let level = |level: i32| level.max(0).unsigned_abs();
    let (a, b) = (titles(&a_section), titles(&b_section));
    let (level, section) = section::merge((level(a_level), &a), (level(b_level), &b));
    TableIterator::once((level as i32, section.iter().collect()))
}

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn text_head(text: &str, bytes: i32) -> &str {
    &text[..text.floor_char_boundary(usize::try_from(bytes).unwrap_or_default())]
}

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn section_text(section: Titles<'_>) -> String {
    let mut text = String::new();
    for (index, title) in texts(&section).enumerate() {
        if index > 0 {
            text.push('\n');
        }
        text.push_str(title);
    }
    text
}

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn searchable_text(language: TextSearchConfig, text: &str) -> String {
    let runs = if language.has_default_parser() { Runs::Pairs } else { Runs::Whole };
    search::searchable_text(text, runs).into_owned()
}

/// The bytes of a text whose compound words are split, four times those that `chunk_tsv` passes.
const SPLIT_BYTES: usize = 1 << 20;

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn identifier_parts(text: &str) -> String {
    search::identifier_parts(&text[..text.floor_char_boundary(SPLIT_BYTES)])
}
