/*!
The queries that answer probes, one for each shape.

Probes come as arrays, one for each property. Only the sections are unnested; the others have
elements of fixed width, which a subscript finds at once, and a scan of each array would cost more
than most probes. In a branch `p` is the probe and `c` the chunk that it finds.

A key and an ordinal are compared as a pair and ordered as one, and what lies beyond the key is
dropped from the few that were found. With an equality on the key the planner may think the index
on (document_id, ordinal) as good, and where most documents are small it does; then a probe would
scan a large one.
*/

use passage_core::expand::Shape;

/// Every shape; a statement knows each by its place.
pub const NUMBERED: [Shape; 7] = [
    Shape::Range,
    Shape::Inside,
    Shape::SectionBackward,
    Shape::SectionForward,
    Shape::ParentBackward,
    Shape::ParentForward,
    Shape::Ancestors,
];

/// How a statement knows a shape.
pub fn number(shape: Shape) -> usize {
    NUMBERED.iter().position(|known| *known == shape).expect("every shape is listed")
}

/// The probes, each with its number from 1 and its section, which is read from its text but once.
pub const PROBES: &str = "(SELECT t.probe::integer AS probe, t.section::text[] AS section \
     FROM unnest($3::text[]) WITH ORDINALITY AS t (section, probe) OFFSET 0) AS p";

const DOCUMENT: &str = "($4::uuid[])[p.probe]";
const SHAPE: &str = "($5::integer[])[p.probe]";
const KEY: &str = "($6::bigint[])[p.probe]";
const FIRST: &str = "($7::integer[])[p.probe]";
const LAST: &str = "($8::integer[])[p.probe]";
const MOST: &str = "($9::integer[])[p.probe]";
/// The key of the section so many titles up.
const KEY_ABOVE: &str = "($10::bigint[])[($11::integer[])[p.probe] + a.step]";

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

/// The table that is read, and what is selected of it under which names.
pub struct Source<'a> {
    pub chunks: &'a str,
    pub columns: &'a str,
    pub names: &'a str,
}

impl Source<'_> {
    /// Returns the query that answers probes of a shape.
    pub fn branch(&self, shape: Shape) -> String {
        let Self { chunks, columns, .. } = self;
        let here = format!("{SHAPE} = {} AND c.document_id = {DOCUMENT}", number(shape));
        let kin = |key, direction| self.keyed(&here, key, KEY, "p.section", direction, MOST);
        match shape {
            Shape::Range => format!(
                "SELECT {columns} FROM {chunks} AS c WHERE {here} \
                 AND c.ordinal BETWEEN {FIRST} AND {LAST}"
            ),
            Shape::Inside => self.inside(&here),
            Shape::SectionBackward => kin(Key::Own, Direction::Backward),
            Shape::SectionForward => kin(Key::Own, Direction::Forward),
            Shape::ParentBackward => kin(Key::Parent, Direction::Backward),
            Shape::ParentForward => kin(Key::Parent, Direction::Forward),
            Shape::Ancestors => self.ancestors(&here),
        }
    }

    /// Chunks in the span that are exactly in a section, or of which it is the parent.
    fn keyed(
        &self,
        here: &str,
        key: Key,
        value: &str,
        section: &str,
        direction: Direction,
        most: &str,
    ) -> String {
        let Self { chunks, columns, names } = self;
        let (column, found) = match key {
            Key::Own => ("section_key", "c.section"),
            Key::Parent => ("parent_key", "c.section[:cardinality(c.section) - 1]"),
        };
        let (begin, order, end) = match direction {
            Direction::Backward => (format!("<= ({value}, {LAST})"), "DESC", format!(">= {FIRST}")),
            Direction::Forward => (format!(">= ({value}, {FIRST})"), "ASC", format!("<= {LAST}")),
        };
        format!(
            "SELECT {names} FROM (SELECT {columns}, c.{column} AS key FROM {chunks} AS c \
             WHERE {here} AND (c.{column}, c.ordinal) {begin} \
             ORDER BY c.{column} {order}, c.ordinal {order} LIMIT {most}) AS c \
             WHERE c.key = {value} AND c.ordinal {end} AND {found} = {section}"
        )
    }

    /// For each section upwards its last chunk, else the first of its children.
    ///
    /// The sections are tried one by one until there are enough chunks, so a deep one costs no
    /// more than what is found. The root has no first child that stands for it.
    fn ancestors(&self, here: &str) -> String {
        let above = "p.section[:cardinality(p.section) - a.step]";
        let own = self.keyed(here, Key::Own, KEY_ABOVE, above, Direction::Backward, "1");
        let below_root = format!("{here} AND a.step < cardinality(p.section)");
        let child = self.keyed(&below_root, Key::Parent, KEY_ABOVE, above, Direction::Forward, "1");
        format!(
            "SELECT c.* FROM generate_series(0, cardinality(p.section)) AS a (step) \
             CROSS JOIN LATERAL (({own}) UNION ALL ({child}) LIMIT 1) AS c \
             WHERE {SHAPE} = {shape} LIMIT {MOST}",
            shape = number(Shape::Ancestors)
        )
    }

    /// A section as far as it goes on without a gap, from a span to both sides.
    fn inside(&self, here: &str) -> String {
        let Self { chunks, columns, .. } = self;
        let within = |alias: &str| format!("{alias}.section[:cardinality(p.section)] = p.section");
        let end = |span: &str, step: &str, order: &str| {
            format!(
                "(SELECT e.ordinal {step} FROM {chunks} AS e WHERE e.document_id = {DOCUMENT} \
                 AND e.ordinal BETWEEN {span} AND NOT {within} ORDER BY e.ordinal {order} LIMIT 1)",
                within = within("e")
            )
        };
        // Ordinals are bigint here, for a span may begin at either end of an integer.
        let (first, last) = (format!("{FIRST}::bigint"), format!("{LAST}::bigint"));
        let before = end(&format!("{first} - {MOST} AND {first} - 1"), "+ 1", "DESC");
        let after = end(&format!("{last} + 1 AND {last} + {MOST}"), "- 1", "ASC");
        format!(
            "SELECT {columns} FROM {chunks} AS c WHERE {here} \
             AND c.ordinal BETWEEN coalesce({before}, {first} - {MOST}) \
             AND coalesce({after}, {last} + {MOST}) AND {within}",
            within = within("c")
        )
    }
}
