/*!
The queries that answer probes, one for each shape.

Probes come as arrays, one for each property. Only the sections are unnested; the others have
elements of fixed width, which a subscript finds at once, and a scan of each array would cost more
than most probes. In a branch `p` is the probe and `c` the chunk that it finds. A branch has the
documents of the probes that are its own and NULL for the others, which it passes over before it
touches an index.

Functions and operators over arrays are named with their schema: those of pg_catalog take any array,
and PostgreSQL would prefer one for this very type from anywhere on the caller's search_path.

A key and an ordinal are compared as a pair and ordered as one. With an equality on the key the
planner may think the index on `(document_id, ordinal)` as good, and where most documents are small
it does; then a probe would scan a large one.
*/

use passage_core::expand::Shape;

/// Every shape, in the order of the branches.
pub const SHAPES: [Shape; 7] = [
    Shape::Range,
    Shape::Inside,
    Shape::SectionBackward,
    Shape::SectionForward,
    Shape::ParentBackward,
    Shape::ParentForward,
    Shape::Ancestors,
];

/// The probes, each with its number from 1 and its section, which is read from its text but once.
pub const PROBES: &str = "(SELECT t.probe::integer AS probe, t.section::text[] AS section \
     FROM pg_catalog.unnest($1::text[]) WITH ORDINALITY AS t (section, probe) OFFSET 0) AS p";

/// The number of the argument with the documents of the first branch; those of others follow.
pub const FIRST_DOCUMENTS: usize = 9;

const KEY: &str = "($2::bigint[])[p.probe]";
const FIRST: &str = "($3::integer[])[p.probe]";
const LAST: &str = "($4::integer[])[p.probe]";
const MOST: &str = "($5::integer[])[p.probe]";
/// How many titles up the root is, or NULL for what is no chain of sections.
const TITLES: &str = "($8::integer[])[p.probe]";
/// The key of the section so many titles up.
const KEY_ABOVE: &str = "($6::bigint[])[($7::integer[])[p.probe] + a.step]";

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

/// The table that is read, what is selected of it, and the branch's place among all.
pub struct Branch<'a> {
    pub chunks: &'a str,
    pub columns: &'a str,
    pub place: usize,
}

impl Branch<'_> {
    /// Returns the query that answers probes of a shape.
    pub fn query(&self, shape: Shape) -> String {
        let Self { chunks, columns, .. } = self;
        let kin = |key, direction| self.keyed(key, KEY, "p.section", direction, MOST);
        match shape {
            Shape::Range => format!(
                "SELECT {columns}, NULL::bigint AS key FROM {chunks} AS c \
                 WHERE c.document_id = {document} AND c.ordinal BETWEEN {FIRST} AND {LAST}",
                document = self.document()
            ),
            Shape::Inside => self.inside(),
            Shape::SectionBackward => kin(Key::Own, Direction::Backward),
            Shape::SectionForward => kin(Key::Own, Direction::Forward),
            Shape::ParentBackward => kin(Key::Parent, Direction::Backward),
            Shape::ParentForward => kin(Key::Parent, Direction::Forward),
            Shape::Ancestors => self.ancestors(),
        }
    }

    /// The document of a probe, NULL if the probe is not this branch's.
    fn document(&self) -> String {
        format!("(${}::uuid[])[p.probe]", FIRST_DOCUMENTS + self.place)
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
        let Self { chunks, columns, .. } = self;
        let (column, found) = match key {
            Key::Own => ("section_key", "c.section"),
            Key::Parent => ("parent_key", "c.section[:pg_catalog.cardinality(c.section) - 1]"),
        };
        let order = match direction {
            Direction::Backward => "DESC",
            Direction::Forward => "ASC",
        };
        // The key is selected because an order by what is not costs a node of the plan.
        format!(
            "SELECT {columns}, c.{column} AS key FROM {chunks} AS c \
             WHERE c.document_id = {document} AND (c.{column}, c.ordinal) >= ({value}, {FIRST}) \
             AND (c.{column}, c.ordinal) <= ({value}, {LAST}) AND {found} OPERATOR(pg_catalog.=) {section} \
             ORDER BY c.{column} {order}, c.ordinal {order} LIMIT {most}",
            document = self.document()
        )
    }

    /// For each section upwards its last chunk, else the first of its children.
    ///
    /// The sections are tried one by one until there are enough chunks, so a deep one costs no
    /// more than what is found. The root has no first child that stands for it.
    fn ancestors(&self) -> String {
        let above = "p.section[:pg_catalog.cardinality(p.section) - a.step]";
        let own = self.keyed(Key::Own, KEY_ABOVE, above, Direction::Backward, "1");
        let child = self.keyed(
            Key::Parent,
            KEY_ABOVE,
            above,
            Direction::Forward,
            "(a.step < pg_catalog.cardinality(p.section))::integer",
        );
        format!(
            "SELECT c.* FROM generate_series(0, {TITLES}) AS a (step) \
             CROSS JOIN LATERAL (({own}) UNION ALL ({child}) LIMIT 1) AS c LIMIT {MOST}"
        )
    }

    /// A section as far as it goes on without a gap, from a span to both sides.
    fn inside(&self) -> String {
        let Self { chunks, columns, .. } = self;
        let document = self.document();
        let within = |alias: &str| {
            format!(
                "{alias}.section[:pg_catalog.cardinality(p.section)] OPERATOR(pg_catalog.=) p.section"
            )
        };
        let end = |span: &str, step: &str, order: &str| {
            format!(
                "(SELECT e.ordinal {step} FROM {chunks} AS e WHERE e.document_id = {document} \
                 AND e.ordinal BETWEEN {span} AND NOT {within} ORDER BY e.ordinal {order} LIMIT 1)",
                within = within("e")
            )
        };
        // Ordinals are bigint here, for a span may begin at either end of an integer.
        let (first, last) = (format!("{FIRST}::bigint"), format!("{LAST}::bigint"));
        let before = end(&format!("{first} - {MOST} AND {first} - 1"), "+ 1", "DESC");
        let after = end(&format!("{last} + 1 AND {last} + {MOST}"), "- 1", "ASC");
        // The ends are found first: a condition that holds a query is never one of the index
        // under row-level security.
        format!(
            "SELECT {columns}, NULL::bigint AS key \
             FROM (SELECT coalesce({before}, {first} - {MOST}) AS first, \
             coalesce({after}, {last} + {MOST}) AS last OFFSET 0) AS ends \
             JOIN {chunks} AS c ON c.ordinal BETWEEN ends.first AND ends.last \
             WHERE c.document_id = {document} AND {within}",
            within = within("c")
        )
    }
}
