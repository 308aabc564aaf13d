//! `section_runs`: the sections of adopted chunks whose offsets begin again in each section.

use passage_core::section_runs::{self, Row};
use pgrx::pg_extern;

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn section_runs(
    pages: Vec<Option<i64>>,
    sections: Vec<Option<i64>>,
    offsets: Vec<Option<i64>>,
    texts: Vec<Option<i32>>,
) -> Vec<i32> {
    let rows = pages.iter().zip(&sections).zip(&offsets).zip(&texts);
    let rows: Vec<_> = rows
        .map(|(((page, section), offset), text)| Row {
            page: *page,
            section: section.unwrap_or_default(),
            offset: *offset,
            text: text.unwrap_or_default(),
        })
        .collect();
    section_runs::section_runs(&rows).into_iter().map(|run| run as i32).collect()
}
