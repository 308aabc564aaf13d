//! `template_parts`: the parts of an argument of `keep_in_step`, which the plan of a trigger turns into SQL.
//!
//! Parts with one place form one text. `is_readable_json` is the limit for values of columns.

use crate::server::error::Error;
use crate::server::types::Json;
use passage_core::row_template::{JsonPart, Part, is_readable_value, parse, parse_json};
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{Array, name, pg_extern};
use std::collections::HashSet;

/// The maximum number of bytes of a template, which is parsed without a check for interrupts.
const MAX_BYTES: usize = 1 << 20;

/// The maximum number of columns of a table.
const MAX_NAMES: usize = 1_600;

/// A part: its place, its role, whether it is a column, and the text or the name of the column.
type PartRow = (i32, &'static str, bool, String);

/// Returns no row for a template of JSON that is not an object.
#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn template_parts(
    template: &str,
    names: Array<'_, &str>,
    is_json: bool,
) -> Result<
    TableIterator<
        'static,
        (
            name!(place, i32),
            name!(role, &'static str),
            name!(is_column, bool),
            name!(content, String),
        ),
    >,
    ErrorReport,
> {
    if template.len() > MAX_BYTES || names.len() > MAX_NAMES {
        return Err(Error::LongTemplate.into());
    }
    let mut rows: Vec<PartRow> = Vec::new();
    if is_json {
        let columns: HashSet<&str> = names.iter().flatten().collect();
        let parts = parse_json(template, |name| columns.contains(name)).unwrap_or_default();
        for (place, part) in (0..).zip(parts) {
            match part {
                JsonPart::Source(source) => rows.push((place, "text", false, source)),
                JsonPart::Value(name) => rows.push((place, "value", true, name)),
                JsonPart::String { parts, is_key } => {
                    let role = if is_key { "key" } else { "string" };
                    rows.extend(parts.into_iter().map(|part| row(place, role, part)));
                }
            }
        }
    } else {
        rows.extend((0..).zip(parse(template)).map(|(place, part)| row(place, "text", part)));
    }
    Ok(TableIterator::new(rows))
}

fn row(place: i32, role: &'static str, part: Part) -> PartRow {
    match part {
        Part::Text(text) => (place, role, false, text),
        Part::Column(name) => (place, role, true, name),
    }
}

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn is_readable_json(value: Json) -> bool {
    is_readable_value(value.text())
}
