/*!
The second statement: the hits themselves and all probes of a plan.

Each shape of a probe is one branch, answered by one of the indexes on (document_id, ordinal),
(document_id, section_key, ordinal) and (document_id, parent_key, ordinal). A branch whose shape is
not the probe's costs nothing but its test. Behind a key the section itself is compared.
*/

use super::Store;
use super::hits::uuid;
use crate::spi::{Connection, Rows, Value};
use crate::types::Ltree;
use passage_core::assemble::Part;
use passage_core::expand::{Hit, Plan, Probe, Row, Shape};
use passage_core::section::Section;
use pgrx::datum::Uuid;
use std::ops::Range;

/// The chunks that a plan reads; contents are looked up only for those that come back.
pub struct Chunks<'c> {
    rows: Rows<'c>,
    /// What decides about each, in the order of the rows.
    pub outlines: Vec<Row>,
}

/// What is read of a chunk, behind its probe.
const COLUMNS: [(&str, &str); 11] = [
    ("id", "uuid"),
    ("ordinal", "integer"),
    ("section", "text[]"),
    ("tokens", "integer"),
    ("content", "text"),
    ("level", "integer"),
    ("path", "ltree"),
    ("start_byte", "integer"),
    ("end_byte", "integer"),
    ("first_line", "integer"),
    ("last_line", "integer"),
];

impl Store {
    /// Reads hits and probes.
    pub fn chunks<'c>(&self, connection: &'c Connection, hits: &[Hit], plan: &Plan) -> Chunks<'c> {
        let uuids = |ids: &mut dyn Iterator<Item = uuid::Uuid>| {
            Value::new(ids.map(|id| Uuid::from_bytes(*id.as_bytes())).collect::<Vec<_>>())
        };
        let mut documents: Vec<_> = hits.iter().map(|hit| hit.document).collect();
        documents.sort_unstable();
        documents.dedup();
        let mut values =
            vec![uuids(&mut hits.iter().map(|hit| hit.chunk)), uuids(&mut documents.into_iter())];
        let probes = &plan.probes;
        if !probes.is_empty() {
            let numbers = |number: fn(&Probe) -> i32| {
                Value::new(probes.iter().map(number).collect::<Vec<_>>())
            };
            let key = |probe: &Probe| probe.keys.first().copied().unwrap_or_default();
            values.extend([
                uuids(&mut probes.iter().map(|probe| probe.document)),
                numbers(|probe| shape_number(probe.shape)),
                Value::new(probes.iter().map(key).collect::<Vec<i64>>()),
                Value::new(probes.iter().map(keys_literal).collect::<Vec<_>>()),
                Value::new(probes.iter().map(|probe| literal(&probe.section)).collect::<Vec<_>>()),
                numbers(|probe| probe.first),
                numbers(|probe| probe.last),
                numbers(|probe| probe.limit as i32),
            ]);
        }
        let rows = connection.read(&self.chunks_statement(!probes.is_empty()), values);
        let outlines = (0..rows.len()).map(|row| outline(&rows, row)).collect();
        Chunks { rows, outlines }
    }

    fn chunks_statement(&self, with_probes: bool) -> String {
        let chunks = &self.chunks.name;
        let columns = self.chunk_columns("c");
        let hits = format!(
            "SELECT NULL::integer AS probe, {columns} FROM {chunks} AS c \
             WHERE c.id = ANY ($1::uuid[]) AND c.document_id = ANY ($2::uuid[])"
        );
        if !with_probes {
            return hits;
        }
        let mut branches = vec![format!(
            "SELECT {columns} FROM {chunks} AS c WHERE p.shape = {range} AND {here} \
             AND c.ordinal BETWEEN p.first AND p.last",
            range = shape_number(Shape::Range),
            here = "c.document_id = p.document_id",
        )];
        if self.has_kin() {
            branches.push(inside(chunks, &columns));
            branches.extend(kin(chunks, &columns));
            branches.push(ancestors(chunks, &columns));
        }
        format!(
            "{hits} UNION ALL SELECT p.probe::integer, c.* FROM unnest($3::uuid[], $4::integer[], \
             $5::bigint[], $6::text[], $7::text[], $8::integer[], $9::integer[], $10::integer[]) \
             WITH ORDINALITY AS p (document_id, shape, key, keys, section, first, last, most, probe) \
             CROSS JOIN LATERAL (({branches})) AS c",
            branches = branches.join(") UNION ALL (")
        )
    }

    /// The columns of a chunk, NULL for those that the store lacks.
    fn chunk_columns(&self, alias: &str) -> String {
        let column = |&(column, sql_type): &(&str, &str)| match column {
            // Without a count of tokens, a quarter of the characters stands for it.
            "tokens" => format!(
                "coalesce({}, (char_length({alias}.content) + 3) / 4)",
                self.chunks.column(alias, column, sql_type)
            ),
            // The type may lie in any schema, and then the column is not read.
            "path" if !self.chunks.has("path") => "NULL".to_owned(),
            "section" if !self.has_kin() => "NULL::text[]".to_owned(),
            _ => self.chunks.column(alias, column, sql_type),
        };
        let named = |pair| format!("{} AS {}", column(pair), pair.0);
        COLUMNS.iter().map(named).collect::<Vec<_>>().join(", ")
    }
}

/// Exactly in a section, or a child of it, in either direction.
fn kin(chunks: &str, columns: &str) -> [String; 4] {
    let of_section = ("section_key", "c.section");
    let of_parent = ("parent_key", PARENT);
    [
        (Shape::SectionBackward, of_section, "DESC"),
        (Shape::SectionForward, of_section, "ASC"),
        (Shape::ParentBackward, of_parent, "DESC"),
        (Shape::ParentForward, of_parent, "ASC"),
    ]
    .map(|(shape, (key, section), direction)| {
        format!(
            "SELECT {columns} FROM {chunks} AS c WHERE p.shape = {shape} \
             AND c.document_id = p.document_id AND c.{key} = p.key AND {section} = p.section::text[] \
             AND c.ordinal BETWEEN p.first AND p.last ORDER BY c.ordinal {direction} LIMIT p.most",
            shape = shape_number(shape)
        )
    })
}

/// The section of a chunk without its last title.
const PARENT: &str = "c.section[:cardinality(c.section) - 1]";

/// For each section upwards its last chunk, else the first of its children.
///
/// The keys come nearest first and are tried one by one until there are enough chunks; the root
/// has no first child that stands for it.
fn ancestors(chunks: &str, columns: &str) -> String {
    let above = "p.section::text[]";
    format!(
        "SELECT c.* FROM unnest(p.keys::bigint[]) WITH ORDINALITY AS a (key, step) CROSS JOIN LATERAL (\
         (SELECT {columns} FROM {chunks} AS c WHERE c.document_id = p.document_id \
         AND c.section_key = a.key AND c.section = ({above})[:cardinality({above}) - a.step + 1] \
         AND c.ordinal BETWEEN p.first AND p.last ORDER BY c.ordinal DESC LIMIT 1) UNION ALL \
         (SELECT {columns} FROM {chunks} AS c WHERE a.step <= cardinality({above}) \
         AND c.document_id = p.document_id AND c.parent_key = a.key \
         AND {PARENT} = ({above})[:cardinality({above}) - a.step + 1] \
         AND c.ordinal BETWEEN p.first AND p.last ORDER BY c.ordinal ASC LIMIT 1) LIMIT 1) AS c \
         WHERE p.shape = {shape} LIMIT p.most",
        shape = shape_number(Shape::Ancestors)
    )
}

/// A section as far as it goes on without a gap, from a span to both sides.
fn inside(chunks: &str, columns: &str) -> String {
    let within = |alias: &str| {
        format!("{alias}.section[:cardinality(p.section::text[])] = p.section::text[]")
    };
    let end = |span: &str, step: &str, direction: &str| {
        format!(
            "coalesce((SELECT e.ordinal {step} FROM {chunks} AS e WHERE e.document_id = p.document_id \
             AND e.ordinal BETWEEN {span} AND NOT {within} ORDER BY e.ordinal {direction} LIMIT 1)",
            within = within("e")
        )
    };
    // Ordinals are bigint here, for a span may begin at either end of an integer.
    let first = end("p.first::bigint - p.most AND p.first::bigint - 1", "+ 1", "DESC");
    let last = end("p.last::bigint + 1 AND p.last::bigint + p.most", "- 1", "ASC");
    format!(
        "SELECT {columns} FROM {chunks} AS c WHERE p.shape = {shape} \
         AND c.document_id = p.document_id AND c.ordinal \
         BETWEEN {first}, p.first::bigint - p.most) AND {last}, p.last::bigint + p.most) AND {within}",
        shape = shape_number(Shape::Inside),
        within = within("c")
    )
}

/// How a statement knows a shape.
fn shape_number(shape: Shape) -> i32 {
    match shape {
        Shape::Range => 0,
        Shape::Inside => 1,
        Shape::SectionBackward => 2,
        Shape::SectionForward => 3,
        Shape::ParentBackward => 4,
        Shape::ParentForward => 5,
        Shape::Ancestors => 6,
    }
}

/// The keys of a chain of sections as the text of a bigint array; arrays of arrays cannot be ragged.
fn keys_literal(probe: &Probe) -> String {
    if probe.shape != Shape::Ancestors {
        return "{}".to_owned();
    }
    let keys: Vec<_> = probe.keys.iter().map(i64::to_string).collect();
    format!("{{{}}}", keys.join(","))
}

/// A section as the text of a text array, every title in quotes.
fn literal(section: &Section) -> String {
    let quoted =
        |title: &String| format!("\"{}\"", title.replace('\\', "\\\\").replace('"', "\\\""));
    format!("{{{}}}", section.iter().map(quoted).collect::<Vec<_>>().join(","))
}

/// Reads what decides about a chunk.
fn outline(rows: &Rows, row: usize) -> Row {
    let titles = rows.get::<Vec<Option<String>>>(row, 3).unwrap_or_default();
    Row {
        probe: rows.get::<i32>(row, 0).map(|probe| probe as usize - 1),
        chunk: uuid(rows.get(row, 1)),
        ordinal: rows.get(row, 2),
        section: titles.into_iter().map(Option::unwrap_or_default).collect(),
        tokens: rows.get::<i32>(row, 4).map_or(0, |tokens| tokens.max(0).unsigned_abs()),
    }
}

impl Chunks<'_> {
    /// Returns the content of a row; a NULL is empty.
    pub fn content(&self, row: usize) -> String {
        self.rows.get(row, 5).unwrap_or_default()
    }

    /// Returns the level of a row.
    pub fn level(&self, row: usize) -> Option<i32> {
        self.rows.get(row, 6)
    }

    /// Returns the path of a row.
    pub fn path(&self, row: usize) -> Option<Ltree> {
        self.rows.get(row, 7)
    }

    /// Returns the bytes of the source that a row holds.
    pub fn span(&self, row: usize) -> Option<Range<i32>> {
        Some(self.rows.get::<i32>(row, 8)?..self.rows.get::<i32>(row, 9)?)
    }

    /// Returns the first and the last line of the source that a row holds.
    pub fn lines(&self, row: usize) -> (Option<i32>, Option<i32>) {
        (self.rows.get(row, 10), self.rows.get(row, 11))
    }

    /// Returns a row for assembly.
    pub fn part(&self, row: usize) -> Part<'static> {
        Part { content: self.content(row).into(), span: self.span(row) }
    }
}
