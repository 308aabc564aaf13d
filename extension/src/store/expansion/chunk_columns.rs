/*!
The columns of a chunk: what both statements select, and how it is read.

A column that the store lacks is NULL. Contents are read only for chunks of the result.
*/

use crate::server::spi::Rows;
use crate::server::sql_text::{ABOVE, FIELD, HAS_ANY};
use crate::server::types::{Column, Json, Ltree, RawText, TextArray, section_from_sql, texts};
use crate::store::layout::Layout;
use passage_core::assemble::Part;
use passage_core::repeated_line;
use passage_split::section::Section;
use passage_split::{Place, PlaceRange, Unit, preamble_title};
use pgrx::FromDatum;
use std::ops::Range;

/// The columns that a result needs beside id, ordinal, section, tokens, content, span, unit, level and id in the source.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ChunkColumns {
    /// The path.
    Context,
    /// The lines in the source, the place in a converted document, the preamble, and the names that its imports bind.
    Passage { imports: bool },
}

impl ChunkColumns {
    /// Returns the columns of the alias `c`, each with its name.
    pub fn select(self, layout: &Layout) -> Vec<(&'static str, String)> {
        let chunks = &layout.chunks;
        let metadata = chunks.column("c", "metadata", "jsonb");
        let integer = |column| (column, chunks.column("c", column, "integer"));
        let mut columns = vec![
            ("id", chunks.column("c", "id", "uuid")),
            integer("ordinal"),
            ("section", layout.section("c")),
            integer("tokens"),
            ("content", chunks.column("c", "content", "text")),
            integer("start_byte"),
            integer("end_byte"),
            ("unit", chunks.column("c", "unit", "text")),
            integer("level"),
            ("source_id", chunks.column("c", "source_id", "text")),
        ];
        columns.extend(match self {
            Self::Context => vec![("path", layout.path("c"))],
            Self::Passage { .. } => {
                let lines = ["first_line", "last_line"].map(integer);
                let preamble = ("preamble", chunks.column("c", "preamble", "text"));
                lines.into_iter().chain([("place", place(&metadata)), preamble]).collect()
            }
        });
        if self == (Self::Passage { imports: true }) {
            columns.push(("imports", format!("{metadata} {FIELD} 'imports'::pg_catalog.text")));
        }
        columns
    }

    /// Returns the number of columns.
    pub fn count(self) -> usize {
        match self {
            Self::Context => 11,
            Self::Passage { imports } => 14 + usize::from(imports),
        }
    }
}

/// Returns an expression for the metadata of a chunk that has a place in a converted document; NULL for all others, so that
/// they are not parsed. Most chunks have an empty object, of eight bytes at most, whose keys need not be looked up.
fn place(metadata: &str) -> String {
    let keys = Place::KEYS.join(",");
    format!(
        "CASE WHEN pg_catalog.pg_column_size({metadata}) {ABOVE} 8 AND {metadata} {HAS_ANY} '{{{keys}}}'::pg_catalog.text[] \
         THEN {metadata} END"
    )
}

/// A chunk in a row of a result.
pub struct StoredChunk<'a> {
    pub rows: &'a Rows<'a>,
    pub row: usize,
    /// The first column of the chunk.
    pub first: usize,
}

impl<'a> StoredChunk<'a> {
    fn get<T: Column + FromDatum>(&self, column: usize) -> Option<T> {
        self.rows.get(self.row, self.first + column)
    }

    /// Returns the probe that found the chunk, numbered from 0. It is the first column of the row.
    pub fn probe(&self) -> Option<usize> {
        self.rows.get::<i32>(self.row, 0).map(|probe| probe as usize)
    }

    /// Returns the id, the nil uuid for a NULL in a view.
    pub fn id(&self) -> uuid::Uuid {
        self.rows.uuid(self.row, self.first)
    }

    /// Returns how many titles the chunk's section has below the section of the probe, or `None` if the
    /// chunk is not in it. It is the last column of the row.
    pub fn depth_below(&self) -> Option<u32> {
        self.rows.get::<i64>(self.row, self.rows.columns() - 1)?.try_into().ok()
    }

    /// Returns the position in the document, if it is known.
    pub fn ordinal(&self) -> Option<i32> {
        self.get(1)
    }

    /// Returns the section, or `None` in a store where sections cannot be searched.
    pub fn section(&self) -> Option<Section> {
        self.get(2).map(section_from_sql)
    }

    /// Returns how many titles the chunk's section has, and how many of the first ones are those of another section.
    pub fn shared_titles(&self, section: &[String]) -> (usize, usize) {
        let Some(own) = self.rows.texts(self.row, self.first + 2) else { return (0, 0) };
        let is_shared = |(own, title): &(&str, &String)| own == title;
        (own.len(), texts(&own).zip(section).take_while(is_shared).count())
    }

    /// Returns the section as it is copied to a result.
    pub fn raw_section(&self) -> TextArray {
        self.get(2).unwrap_or_else(TextArray::empty)
    }

    /// Returns the number of tokens, or a quarter of the characters if it is unknown.
    pub fn tokens(&self) -> u32 {
        let tokens = self.get::<i32>(3);
        tokens.map_or_else(
            || self.content().chars().count().div_ceil(4) as u32,
            |tokens| tokens.max(0).unsigned_abs(),
        )
    }

    /// Returns the content, empty for NULL.
    pub fn content(&self) -> String {
        self.get(4).unwrap_or_default()
    }

    /// Returns the content as it is copied to a result.
    pub fn raw_content(&self) -> RawText {
        self.get(4).unwrap_or_else(RawText::empty)
    }

    /// Returns the structural unit, if it is known.
    pub fn unit(&self) -> Option<Unit> {
        self.get::<String>(7).and_then(|unit| Unit::from_name(&unit))
    }

    /// Returns the level, if it is known.
    pub fn level(&self) -> Option<i32> {
        self.get(8)
    }

    /// Returns the id of the chunk in the table that its store adopted.
    pub fn source_id(&self) -> Option<RawText> {
        self.get(9)
    }

    /// Returns that id as an owned text.
    pub fn source_id_text(&self) -> Option<String> {
        self.get(9)
    }

    /// Returns the path of a chunk that was read with [`ChunkColumns::Context`].
    pub fn path(&self) -> Option<Ltree> {
        self.get(10)
    }

    /// Returns the bytes of the source that the chunk holds, if they are known.
    pub fn span(&self) -> Option<Range<i32>> {
        self.get::<i32>(5).zip(self.get(6)).map(|(start, end)| start..end)
    }

    /// Returns the chunk as a part of a passage. The content is not copied, since a passage may have a
    /// million parts.
    pub fn part(&self) -> Part<'a> {
        let content = self.rows.text(self.row, self.first + 4);
        Part { content: content.unwrap_or_default().into(), span: self.span() }
    }

    /// Returns the first and the last line of a chunk that was read with [`ChunkColumns::Passage`].
    pub fn lines(&self) -> (Option<i32>, Option<i32>) {
        (self.get(10), self.get(11))
    }

    /// Returns the place in a converted document of a chunk that was read with [`ChunkColumns::Passage`].
    pub fn place(&self) -> Option<PlaceRange> {
        PlaceRange::of_metadata(&self.get::<Json>(12)?.parse()?)
    }

    /// Returns the line of the preamble that a passage repeats before a text which begins with the chunk. `title` is that of
    /// the document.
    pub fn repeated_line(&self, text: &str, title: Option<&str>) -> Option<String> {
        let is_title = |line: &str| {
            title.is_some_and(|title| preamble_title(title) == line)
                || self.section().is_some_and(|section| section.iter().any(|title| title == line))
        };
        let preamble = self.rows.text(self.row, self.first + 13)?;
        repeated_line(preamble, text, is_title).map(ToOwned::to_owned)
    }

    /// Returns the names that the imports in the chunk bind, if they were read.
    pub fn imports(&self) -> Vec<String> {
        // A loader may have written anything there.
        self.get::<Json>(14).and_then(|names| names.parse()).unwrap_or_default()
    }
}
