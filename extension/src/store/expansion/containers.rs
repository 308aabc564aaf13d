//! The containers around a hit in code: sections whose first chunk is the head of a container.

use crate::server::sql_text::{AT_LEAST, AT_MOST, EQUAL, SUBTRACT, normalized_section};
use crate::store::layout::Layout;
use passage_core::expand::Container;

/// The maximum number of sections around a hit that are checked, the nearest first. Splitters create no deeper ones.
const MAX_DEPTH: usize = 64;

/// Returns an expression for the containers around a chunk, if a condition holds and the chunk is part
/// of one: an array with depth, first and last ordinal, and the tokens of the first chunk of each.
pub fn select(layout: &Layout, condition: &str) -> String {
    let unit = layout.chunks.column("c", "unit", "text");
    let kind = layout.chunks.column("c", "kind", "text");
    if !layout.has_sections() || !layout.chunks.can_read("unit", "text") {
        return none();
    }
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

/// Reads the containers, the nearest first.
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
