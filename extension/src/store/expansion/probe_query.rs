/*!
The queries that answer probes, one for each shape.

Key and ordinal are compared as a pair and ordered as one. With an equality on the key the planner may
prefer the index on `(document_id, ordinal)`, and does so where most documents are small. Then a probe
would scan a large document.
*/

use super::probe_subqueries::ProbeFields;
use crate::server::sql_text::{
    ABOVE, ADD, AT_LEAST, AT_MOST, BELOW, EQUAL, NO_KEY, SUBTRACT, between, normalized_section,
};
use passage_core::expand::Shape;

/// The key of a chunk that is compared.
#[derive(Clone, Copy)]
enum Key {
    Own,
    Parent,
}

/// The order of the ordinals.
#[derive(Clone, Copy)]
enum Direction {
    Backward,
    Forward,
}

/// A query that answers a probe: the table, the selected columns, and the fields of the probe.
pub struct ProbeQuery<'a> {
    pub chunks: &'a str,
    pub columns: &'a str,
    pub probe: &'a ProbeFields,
}

impl ProbeQuery<'_> {
    /// Returns the text of the query for a shape.
    pub fn text(&self, shape: Shape) -> String {
        let keyed = |key, direction| {
            self.keyed(key, &self.probe.key("1"), &self.probe.section, direction, &self.probe.limit)
        };
        match shape {
            Shape::Range => self.range(),
            Shape::Inside => self.inside(),
            Shape::SectionBackward => keyed(Key::Own, Direction::Backward),
            Shape::SectionForward => keyed(Key::Own, Direction::Forward),
            Shape::ParentBackward => keyed(Key::Parent, Direction::Backward),
            Shape::ParentForward => keyed(Key::Parent, Direction::Forward),
            Shape::Ancestors => self.ancestors(),
        }
    }

    /// Selects all chunks in a range of ordinals.
    fn range(&self) -> String {
        let Self { chunks, columns, probe: ProbeFields { document, first, last, .. } } = self;
        format!(
            "SELECT {columns}, {NO_KEY} AS key FROM {chunks} AS c \
             WHERE c.document_id {EQUAL} {document} AND {}",
            between("c.ordinal", first, last)
        )
    }

    /// Selects chunks in a range that are directly in a section, or whose parent section it is.
    fn keyed(
        &self,
        key: Key,
        value: &str,
        section: &str,
        direction: Direction,
        limit: &str,
    ) -> String {
        let Self { chunks, columns, probe: ProbeFields { document, first, last, .. } } = self;
        let (column, stored) = match key {
            Key::Own => ("section_key", normalized_section("c.section")),
            Key::Parent => {
                let parent = format!("c.section[:pg_catalog.cardinality(c.section) {SUBTRACT} 1]");
                ("parent_key", normalized_section(&parent))
            }
        };
        let order = match direction {
            Direction::Backward => "DESC",
            Direction::Forward => "ASC",
        };
        // The key is selected because ordering by an unselected column adds a node to the plan.
        format!(
            "SELECT {columns}, c.{column} AS key FROM {chunks} AS c \
             WHERE c.document_id {EQUAL} {document} \
             AND (c.{column}, c.ordinal) {AT_LEAST} ({value}, {first}) \
             AND (c.{column}, c.ordinal) {AT_MOST} ({value}, {last}) \
             AND {stored} {EQUAL} {section} \
             ORDER BY c.{column} {order}, c.ordinal {order} LIMIT {limit}"
        )
    }

    /// Selects for each section upwards its last chunk, else the first chunk of its children.
    ///
    /// The sections are tried one by one until there are enough chunks, so a deep section costs no
    /// more than the chunks that are found. The root has no first child that represents it. Sections
    /// are counted from 1, as keys are: under row-level security a condition that could overflow is
    /// never an index condition, and a sum with a value from a table or a function could overflow.
    fn ancestors(&self) -> String {
        let ProbeFields { section, limit, .. } = self.probe;
        let depth = format!("pg_catalog.cardinality({section})");
        let above = format!("({section})[:({depth} {ADD} 1) {SUBTRACT} a.place]");
        let key = self.probe.key("a.place");
        let own = self.keyed(Key::Own, &key, &above, Direction::Backward, "1");
        let below_root = format!("(a.place {AT_MOST} {depth})::pg_catalog.int4");
        let child = self.keyed(Key::Parent, &key, &above, Direction::Forward, &below_root);
        format!(
            "SELECT c.* FROM pg_catalog.generate_series(1, {depth} {ADD} 1) AS a (place) \
             CROSS JOIN LATERAL (({own}) UNION ALL ({child}) LIMIT 1) AS c LIMIT {limit}"
        )
    }

    /// Selects all chunks of a range, and on both sides the chunks that continue its section, with the
    /// next chunk after them.
    fn inside(&self) -> String {
        let Self { chunks, columns, probe } = self;
        let ProbeFields { section, document, first, last, limit, .. } = probe;
        let within = |alias: &str| {
            let prefix = format!("{alias}.section[:pg_catalog.cardinality({section})]");
            format!("{} {EQUAL} {section}", normalized_section(&prefix))
        };
        // The nearest chunk outside of the section, else the next one beyond the limit.
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
        // Ordinals are bigint here, since a range may begin at either end of the integers.
        let [first, last] = [first, last].map(|bound| format!("({bound})::pg_catalog.int8"));
        let lowest = format!("({first} {SUBTRACT} {limit})");
        let highest = format!("({last} {ADD} {limit})");
        let before = between("e.ordinal", &lowest, &format!("{first} {SUBTRACT} 1"));
        let before = end(&before, &format!("{BELOW} {lowest}"), "DESC");
        let after = between("e.ordinal", &format!("{last} {ADD} 1"), &highest);
        let after = end(&after, &format!("{ABOVE} {highest}"), "ASC");
        // A subquery computes the ends first: under row-level security a condition with a query is never an index
        // condition. Another one reads the chunks: the planner expects a ninth of a table for the ends of a join, and
        // would read a whole document for each hit instead.
        format!(
            "SELECT c.* FROM (SELECT coalesce({before}, {lowest}) AS first, \
             coalesce({after}, {highest}) AS last OFFSET 0) AS ends \
             CROSS JOIN LATERAL (SELECT {columns}, CASE WHEN {within} THEN pg_catalog.cardinality(c.section) \
             {SUBTRACT} pg_catalog.cardinality({section}) END::pg_catalog.int8 AS key \
             FROM {chunks} AS c WHERE c.document_id {EQUAL} {document} AND {ends} OFFSET 0) AS c",
            within = within("c"),
            ends = between("c.ordinal", "ends.first", "ends.last"),
        )
    }
}
