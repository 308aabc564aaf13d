//! The containers around a hit in code: sections whose first chunk is the head of a container.

use crate::server::spi::{Connection, Value};
use crate::server::sql_text::{AT_LEAST, AT_MOST, EQUAL, SUBTRACT, normalized_section};
use crate::server::types::UuidArray;
use crate::store::Store;
use crate::store::layout::{Layout, StatementKey};
use crate::store::shards::Route;
use passage_core::expand::Container;
use passage_split::interrupt::poll_periodically as pause;
use passage_split::{Kind, Unit};
use std::cell::Cell;
use uuid::Uuid;

/// The maximum number of sections around a hit that are checked, the nearest first. Splitters create no deeper ones.
const MAX_DEPTH: usize = 64;

/// Identifies the statement.
#[derive(Clone, PartialEq)]
struct ContainerStatement;

impl StatementKey for ContainerStatement {}

/// Whether the last hits of a session in a store may have had containers. The next ones probably have the same kind.
#[derive(Default)]
struct Expected(Cell<bool>);

impl Store {
    /// Returns whether the statement that reads hits should also find their containers.
    pub(super) fn expects_containers(&self) -> bool {
        self.0.slot::<Expected>().0.get()
    }

    /// Records whether the hits of a call may have containers.
    pub(super) fn expect_containers(&self, expected: bool) {
        self.0.slot::<Expected>().0.set(expected);
    }

    /// Reads the containers around chunks, each with the position of its chunk among the ids, from 0.
    pub(super) fn containers(
        &self,
        connection: &Connection,
        ids: &[Uuid],
    ) -> Vec<(usize, Vec<Container>)> {
        if ids.is_empty() || !has_containers(&self.0) {
            return Vec::new();
        }
        let statement = self.0.statement(ContainerStatement, || statement(&self.0));
        let values = vec![Value::new(ids.iter().copied().collect::<UuidArray>())];
        let rows = self.read(connection, &statement, values, Route::Chunks(ids), None);
        let of_chunk = |row| {
            pause(row);
            Some((rows.get::<i64>(row, 0)? as usize - 1, read(rows.get(row, 1))))
        };
        (0..rows.len()).filter_map(of_chunk).collect()
    }
}

/// Returns whether a chunk may be in containers: a unit of code.
pub fn may_have_containers(kind: Option<Kind>, unit: Option<Unit>) -> bool {
    let is_unit = matches!(unit, Some(Unit::Container | Unit::Member | Unit::Value));
    is_unit && kind != Some(Kind::Data)
}

/// Returns whether chunks have sections and units, without which no containers are known.
fn has_containers(layout: &Layout) -> bool {
    layout.has_sections() && layout.chunks.can_read("unit", "text")
}

/// Returns the statement for the containers around chunks, each with its position among the ids.
fn statement(layout: &Layout) -> String {
    format!(
        "SELECT h.place, {} FROM {}",
        select(layout, "true"),
        layout.chunks_of_ids("h", true, "c")
    )
}

/// Returns an expression for the containers around a chunk, if a condition holds and the chunk is a unit of code: an array
/// with depth, first and last ordinal, and the tokens of the first chunk of each.
pub fn select(layout: &Layout, condition: &str) -> String {
    if !has_containers(layout) {
        return none();
    }
    let unit = layout.chunks.column("c", "unit", "text");
    let kind = layout.chunks.column("c", "kind", "text");
    let chunks = &layout.chunks.name;
    // Key and ordinal are compared as a pair, as in `probe_query`.
    let end = |order: &str| {
        format!(
            "LATERAL (SELECT {ordinal} AS ordinal, {unit} AS unit, {tokens} AS tokens FROM {chunks} AS k \
             WHERE k.document_id {EQUAL} c.document_id \
             AND (k.section_key, k.ordinal) {AT_LEAST} (a.key, '-2147483648'::pg_catalog.int4) \
             AND (k.section_key, k.ordinal) {AT_MOST} (a.key, 2147483647) \
             AND {stored} {EQUAL} {above} \
             ORDER BY k.section_key {order}, k.ordinal {order} LIMIT 1)",
            ordinal = layout.chunks.column("k", "ordinal", "integer"),
            unit = layout.chunks.column("k", "unit", "text"),
            tokens = layout.tokens("k"),
            stored = normalized_section("k.section"),
            above = normalized_section("c.section[:a.depth]"),
        )
    };
    format!(
        "CASE WHEN {condition} \
         AND ({kind} {EQUAL} 'data'::pg_catalog.text) IS NOT TRUE \
         AND {unit} {EQUAL} ANY ('{{container,member,value}}'::pg_catalog.text[]) THEN ARRAY(\
         SELECT pg_catalog.unnest(ARRAY[a.depth, head.ordinal, tail.ordinal, coalesce(head.tokens, 0)]) \
         FROM (SELECT depth, passage.section_key(c.section[:depth]) AS key \
         FROM pg_catalog.generate_series(pg_catalog.cardinality(c.section), \
         greatest(1, pg_catalog.cardinality(c.section) {SUBTRACT} {max}), -1) AS d (depth) OFFSET 0) AS a \
         CROSS JOIN {head} AS head CROSS JOIN {tail} AS tail \
         WHERE head.unit {EQUAL} 'container'::pg_catalog.text) END",
        max = MAX_DEPTH - 1,
        head = end("ASC"),
        tail = end("DESC"),
    )
}

/// Returns the expression for no containers.
pub fn none() -> String {
    "NULL::pg_catalog.int4[]".to_owned()
}

/// Reads the containers of an array, the nearest first.
pub fn read(numbers: Option<Vec<Option<i32>>>) -> Vec<Container> {
    let numbers: Vec<i32> = numbers.unwrap_or_default().into_iter().flatten().collect();
    let containers = numbers.chunks_exact(4);
    let container = |bounds: &[i32]| Container {
        depth: bounds[0] as usize,
        first: bounds[1],
        last: bounds[2],
        head_tokens: bounds[3].max(0).unsigned_abs(),
    };
    let mut containers: Vec<_> = containers.map(container).collect();
    containers.sort_by_key(|container| std::cmp::Reverse(container.depth));
    containers
}
