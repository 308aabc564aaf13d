//! The rules of sections (seed 001) and what a store derives from them, as SQL functions.

use crate::types::titles;
use passage_core::{key, label, section};
use pgrx::{name, pg_extern};

/// Titles as SQL gives them; a NULL counts as empty.
type Titles = Vec<Option<String>>;

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn encode_section(section: Titles) -> String {
    label::encode_path(&titles(section))
}

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn decode_section(path: &str) -> Vec<String> {
    label::decode_path(path)
}

#[pg_extern(immutable, parallel_safe, schema = "passage")]
fn section_key(section: Titles) -> i64 {
    key::section_key(&titles(section))
}

#[pg_extern(immutable, parallel_safe, schema = "passage")]
fn parent_key(section: Titles) -> Option<i64> {
    key::parent_key(&titles(section))
}

#[pg_extern(immutable, parallel_safe, schema = "passage")]
fn is_ancestor(ancestor: Titles, section: Titles) -> bool {
    section::is_ancestor(&titles(ancestor), &titles(section))
}

#[pg_extern(immutable, parallel_safe, schema = "passage")]
fn common_section(a: Titles, b: Titles) -> Vec<String> {
    section::common_prefix(&titles(a), &titles(b)).to_vec()
}

#[pg_extern(immutable, parallel_safe, schema = "passage")]
fn merge_sections(
    a_level: i32,
    a_section: Titles,
    b_level: i32,
    b_section: Titles,
) -> pgrx::iter::TableIterator<'static, (name!(level, i32), name!(section, Vec<String>))> {
    // Levels below zero are nothing that a splitter gives; they count as the root's.
    let a = (a_level.max(0).unsigned_abs(), titles(a_section));
    let b = (b_level.max(0).unsigned_abs(), titles(b_section));
    let (level, section) = section::merge((a.0, &a.1), (b.0, &b.1));
    pgrx::iter::TableIterator::once((level as i32, section))
}

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn text_head(text: &str, bytes: i32) -> &str {
    &text[..text.floor_char_boundary(usize::try_from(bytes).unwrap_or_default())]
}

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn section_text(section: Titles) -> String {
    titles(section).join("\n")
}

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn identifier_parts(text: &str) -> String {
    passage_core::search::identifier_parts(text)
}
