//! SQL functions for sections (seed 001), and for the columns that a store derives from them.

use crate::types::section_from_sql;
use passage_core::{key, label, section};
use pgrx::{name, pg_extern};

/// A section as an argument. A NULL counts as an empty title.
type Titles = Vec<Option<String>>;

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn encode_section(section: Titles) -> String {
    label::encode_path(&section_from_sql(section))
}

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn decode_section(path: &str) -> Vec<String> {
    label::decode_path(path)
}

#[pg_extern(immutable, parallel_safe, schema = "passage")]
fn section_key(section: Titles) -> i64 {
    key::section_key(&section_from_sql(section))
}

#[pg_extern(immutable, parallel_safe, schema = "passage")]
fn parent_key(section: Titles) -> Option<i64> {
    key::parent_key(&section_from_sql(section))
}

#[pg_extern(immutable, parallel_safe, schema = "passage")]
fn is_ancestor(ancestor: Titles, section: Titles) -> bool {
    section::is_ancestor(&section_from_sql(ancestor), &section_from_sql(section))
}

#[pg_extern(immutable, parallel_safe, schema = "passage")]
fn common_section(a: Titles, b: Titles) -> Vec<String> {
    section::common_prefix(&section_from_sql(a), &section_from_sql(b)).to_vec()
}

#[pg_extern(immutable, parallel_safe, schema = "passage")]
fn merge_sections(
    a_level: i32,
    a_section: Titles,
    b_level: i32,
    b_section: Titles,
) -> pgrx::iter::TableIterator<'static, (name!(level, i32), name!(section, Vec<String>))> {
    // Splitters give no negative level. It counts as the root level.
    let a = (a_level.max(0).unsigned_abs(), section_from_sql(a_section));
    let b = (b_level.max(0).unsigned_abs(), section_from_sql(b_section));
    let (level, section) = section::merge((a.0, &a.1), (b.0, &b.1));
    pgrx::iter::TableIterator::once((level as i32, section))
}

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn text_head(text: &str, bytes: i32) -> &str {
    &text[..text.floor_char_boundary(usize::try_from(bytes).unwrap_or_default())]
}

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn section_text(section: Titles) -> String {
    section_from_sql(section).join("\n")
}

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn identifier_parts(text: &str) -> String {
    passage_core::search::identifier_parts(text)
}
