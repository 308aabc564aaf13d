/*!
The queries that answer probes, one for each shape.

A key and an ordinal are compared as a pair and ordered as one. With an equality on the key the
planner may think the index on `(document_id, ordinal)` as good, and where most documents are small
it does; then a probe would scan a large one.
*/

use super::arms::Fields;
use crate::store::around::NO_KEY;
use crate::store::operators::{ABOVE, ADD, AT_LEAST, AT_MOST, BELOW, EQUAL, SUBTRACT, between};
use passage_core::expand::Shape;

/// Which sections a key is of.
#[derive(Clone, Copy)]
enum Key {
    Own,
    Parent,
}

/// Which end of a span comes first.
#[derive(Clone, Copy)]
enum Direction {
    Backward,
    Forward,
}

/// The table that is read, what is selected of it, and the probe that is answered.
pub struct Branch<'a> {
    pub chunks: &'a str,
    pub columns: &'a str,
    pub probe: &'a Fields,
}

impl Branch<'_> {
    /// Returns the query that answers a probe of a shape.
    pub fn query(&self, shape: Shape) -> String {
        let kin = |key, direction| {
            self.keyed(key, &self.probe.key("1"), &self.probe.section, direction, &self.probe.most)
        };
        match shape {
            Shape::Range => self.range(),
            Shape::Inside => self.inside(),
            Shape::SectionBackward => kin(Key::Own, Direction::Backward),
            Shape::SectionForward => kin(Key::Own, Direction::Forward),
            Shape::ParentBackward => kin(Key::Parent, Direction::Backward),
            Shape::ParentForward => kin(Key::Parent, Direction::Forward),
            Shape::Ancestors => self.ancestors(),
        }
    }

    /// All chunks in the span.
    fn range(&self) -> String {
        let Self { chunks, columns, probe: Fields { document, first, last, .. } } = self;
        format!(
            "SELECT {columns}, {NO_KEY} AS key FROM {chunks} AS c \
             WHERE c.document_id {EQUAL} {document} AND {}",
            between("c.ordinal", first, last)
        )
    }

    /// Chunks in the span that are exactly in a section, or of which it is the parent.
    fn keyed(
        &self,
        key: Key,
        value: &str,
        section: &str,
        direction: Direction,
        most: &str,
    ) -> String {
        let Self { chunks, columns, probe: Fields { document, first, last, .. } } = self;
        let (column, found) = match key {
            Key::Own => ("section_key", titles("c.section")),
            Key::Parent => {
                let parent = format!("c.section[:pg_catalog.cardinality(c.section) {SUBTRACT} 1]");
                ("parent_key", titles(&parent))
            }
        };
        let order = match direction {
            Direction::Backward => "DESC",
            Direction::Forward => "ASC",
        };
        // The key is selected because an order by what is not costs a node of the plan.
        format!(
            "SELECT {columns}, c.{column} AS key FROM {chunks} AS c \
             WHERE c.document_id {EQUAL} {document} \
             AND (c.{column}, c.ordinal) {AT_LEAST} ({value}, {first}) \
             AND (c.{column}, c.ordinal) {AT_MOST} ({value}, {last}) \
             AND {found} {EQUAL} {section} \
             ORDER BY c.{column} {order}, c.ordinal {order} LIMIT {most}"
        )
    }

    /// For each section upwards its last chunk, else the first of its children.
    ///
    /// The sections are tried one by one until there are enough chunks, so a deep one costs no
    /// more than what is found. The root has no first child that stands for it. They are counted
    /// from 1, as keys are: under row-level security a condition that could overflow is never one
    /// of an index, and a sum of what is read from a table or a function could.
    fn ancestors(&self) -> String {
        let Fields { section, most, .. } = self.probe;
        let depth = format!("pg_catalog.cardinality({section})");
        let above = format!("({section})[:({depth} {ADD} 1) {SUBTRACT} a.place]");
        let key = self.probe.key("a.place");
        let own = self.keyed(Key::Own, &key, &above, Direction::Backward, "1");
        let below_root = format!("(a.place {AT_MOST} {depth})::pg_catalog.int4");
        let child = self.keyed(Key::Parent, &key, &above, Direction::Forward, &below_root);
        format!(
            "SELECT c.* FROM pg_catalog.generate_series(1, {depth} {ADD} 1) AS a (place) \
             CROSS JOIN LATERAL (({own}) UNION ALL ({child}) LIMIT 1) AS c LIMIT {most}"
        )
    }

    /// All chunks of a span, and on both sides those that follow in a section, with the next one.
    fn inside(&self) -> String {
        let Self { chunks, columns, probe } = self;
        let Fields { section, document, first, last, most, .. } = probe;
        let within = |alias: &str| {
            let found = titles(&format!("{alias}.section[:pg_catalog.cardinality({section})]"));
            format!("{found} {EQUAL} {section}")
        };
        // The nearest that is not in the section, or else the next one that is too far away.
        let end = |near: &str, far: &str, order: &str| {
            let next = |where_: &str| {
                format!(
                    "(SELECT e.ordinal FROM {chunks} AS e WHERE e.document_id {EQUAL} {document} \
                     AND {where_} ORDER BY e.ordinal {order} LIMIT 1)"
                )
            };
            let outside = next(&format!("{near} AND NOT {}", within("e")));
            format!("coalesce({outside}, {})", next(&format!("e.ordinal {far}")))
        };
        // Ordinals are bigint here, for a span may begin at either end of an integer.
        let [first, last] = [first, last].map(|of| format!("({of})::pg_catalog.int8"));
        let lowest = format!("({first} {SUBTRACT} {most})");
        let highest = format!("({last} {ADD} {most})");
        let before = between("e.ordinal", &lowest, &format!("{first} {SUBTRACT} 1"));
        let before = end(&before, &format!("{BELOW} {lowest}"), "DESC");
        let after = between("e.ordinal", &format!("{last} {ADD} 1"), &highest);
        let after = end(&after, &format!("{ABOVE} {highest}"), "ASC");
        // The ends are found first: a condition that holds a query is never one of the index
        // under row-level security.
        format!(
            "SELECT {columns}, CASE WHEN {within} THEN pg_catalog.cardinality(c.section) \
             {SUBTRACT} pg_catalog.cardinality({section}) END::pg_catalog.int8 AS key \
             FROM (SELECT coalesce({before}, {lowest}) AS first, \
             coalesce({after}, {highest}) AS last OFFSET 0) AS ends \
             JOIN {chunks} AS c ON {ends} \
             WHERE c.document_id {EQUAL} {document}",
            within = within("c"),
            ends = between("c.ordinal", "ends.first", "ends.last"),
        )
    }
}

/// Titles of a chunk as keys and probes take them: a NULL counts as empty.
pub fn titles(section: &str) -> String {
    format!("pg_catalog.array_replace({section}, NULL::pg_catalog.text, ''::pg_catalog.text)")
}
