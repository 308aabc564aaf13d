//! `adopted_id`, `media_type_of_uri`, `chain_order` and `section_runs`: ids, media types, order and sections of the chunks of
//! an adopted store.

use crate::server::types::{nullable_texts, to_sql};
use passage_core::chain;
use passage_core::section_runs::{self, OffsetRow};
use pgrx::datum::Uuid;
use pgrx::{Array, pg_extern};

/// Returns the id of a chunk or document.
#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn adopted_id(seed: &str, key: &str) -> Uuid {
    to_sql(passage_split::adopted_id(seed, key))
}

/// Returns the media type that the name in a uri tells.
#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn media_type_of_uri(uri: &str) -> Option<String> {
    passage_split::MediaType::from_uri(uri).map(|media_type| media_type.name().to_owned())
}

/// Returns the places of chunks of which each names the previous one.
#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn chain_order(ids: Array<'_, &str>, previous: Array<'_, &str>) -> Vec<i32> {
    let ids: Vec<_> = nullable_texts(&ids).collect();
    let previous: Vec<_> = nullable_texts(&previous).collect();
    chain::chain_order(&ids, &previous).into_iter().map(|place| place as i32).collect()
}

/// Returns the sections of chunks whose offsets begin again in each section.
#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn section_runs(
    pages: Vec<Option<i64>>,
    sections: Vec<Option<i64>>,
    offsets: Vec<Option<i64>>,
    texts: Vec<Option<i32>>,
) -> Vec<i32> {
    let rows = pages.iter().zip(&sections).zip(&offsets).zip(&texts);
    let rows: Vec<_> = rows
        .map(|(((page, section), offset), text)| OffsetRow {
            page: *page,
            section: section.unwrap_or_default(),
            offset: *offset,
            text: text.unwrap_or_default(),
        })
        .collect();
    section_runs::section_runs(&rows).into_iter().map(|run| run as i32).collect()
}
