/*!
The columns of a chunk: what both statements select, and how it is read.

A column that the store lacks is NULL. Contents are looked up only for chunks that come back.
*/

use super::hits::uuid;
use super::layout::Layout;
use super::operators::FIELD;
use crate::spi::Rows;
use crate::types::{Column, Json, Ltree, RawText, TextArray, titles};
use passage_core::assemble::Part;
use passage_core::section::Section;
use pgrx::FromDatum;
use std::ops::Range;

/// What a caller needs of a chunk beside its outline, content and span.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Columns {
    /// Its level and path.
    Context,
    /// Its lines in the source, and the names that its imports bind.
    Passage { imports: bool },
}

impl Columns {
    /// Returns the columns of the alias `c`, each with its name.
    pub fn select(self, layout: &Layout) -> Vec<(&'static str, String)> {
        let chunks = &layout.chunks;
        let integer = |column| (column, chunks.column("c", column, "integer"));
        let mut columns = vec![
            ("id", chunks.column("c", "id", "uuid")),
            integer("ordinal"),
            ("section", layout.section("c")),
            integer("tokens"),
            ("content", chunks.column("c", "content", "text")),
            integer("start_byte"),
            integer("end_byte"),
        ];
        columns.extend(match self {
            Self::Context => vec![integer("level"), ("path", layout.path("c"))],
            Self::Passage { .. } => ["first_line", "last_line"].map(integer).to_vec(),
        });
        if self == (Self::Passage { imports: true }) {
            let metadata = chunks.column("c", "metadata", "jsonb");
            columns.push(("imports", format!("{metadata} {FIELD} 'imports'::pg_catalog.text")));
        }
        columns
    }

    /// Returns how many columns there are.
    pub fn count(self) -> usize {
        match self {
            Self::Context => 9,
            Self::Passage { imports } => 9 + usize::from(imports),
        }
    }
}

/// A chunk in a row that was read.
pub struct Chunk<'a> {
    pub rows: &'a Rows<'a>,
    pub row: usize,
    /// The column that its own begin at.
    pub first: usize,
}

impl<'a> Chunk<'a> {
    fn get<T: Column + FromDatum>(&self, column: usize) -> Option<T> {
        self.rows.get(self.row, self.first + column)
    }

    /// Returns the probe that found the chunk, from 0, which stands before its own columns.
    pub fn probe(&self) -> Option<usize> {
        self.rows.get::<i32>(self.row, 0).map(|probe| probe as usize)
    }

    /// Returns the id; a view may give NULL, which nothing matches.
    pub fn id(&self) -> uuid::Uuid {
        uuid(self.get(0))
    }

    /// Returns how many titles a chunk is below the section of the probe that found it, which
    /// stands behind its own columns; `None` where it is not in it.
    pub fn below(&self) -> Option<u32> {
        self.rows.get::<i64>(self.row, self.rows.columns() - 1)?.try_into().ok()
    }

    /// Returns the position, or `None` where it is unknown.
    pub fn ordinal(&self) -> Option<i32> {
        self.get(1)
    }

    /// Returns the titles, or `None` in a store without kin.
    pub fn titles(&self) -> Option<Section> {
        self.get(2).map(titles)
    }

    /// Returns the titles for a result.
    pub fn section(&self) -> TextArray {
        self.get(2).unwrap_or_else(TextArray::empty)
    }

    /// Returns the tokens; without a count, a quarter of the characters stands for it.
    pub fn tokens(&self) -> u32 {
        let tokens = self.get::<i32>(3);
        tokens.map_or_else(
            || self.content().chars().count().div_ceil(4) as u32,
            |tokens| tokens.max(0).unsigned_abs(),
        )
    }

    /// Returns the text; a NULL is empty.
    pub fn content(&self) -> String {
        self.get(4).unwrap_or_default()
    }

    /// Returns the text for a result.
    pub fn raw_content(&self) -> RawText {
        self.get(4).unwrap_or_else(RawText::empty)
    }

    /// Returns the level of a chunk that was read as context.
    pub fn level(&self) -> Option<i32> {
        self.get(7)
    }

    /// Returns the path of a chunk that was read as context.
    pub fn path(&self) -> Option<Ltree> {
        self.get(8)
    }

    /// Returns the bytes of the source that it holds, where they are known.
    pub fn span(&self) -> Option<Range<i32>> {
        self.get::<i32>(5).zip(self.get(6)).map(|(start, end)| start..end)
    }

    /// Returns the chunk as a part of a passage. Its text is not copied: a passage may have a
    /// million parts.
    pub fn part(&self) -> Part<'a> {
        let content = self.rows.text(self.row, self.first + 4);
        Part { content: content.unwrap_or_default().into(), span: self.span() }
    }

    /// Returns the first and the last line of a chunk that was read for a passage.
    pub fn lines(&self) -> (Option<i32>, Option<i32>) {
        (self.get(7), self.get(8))
    }

    /// Returns the names that the imports in a chunk bind, if it was read with them.
    pub fn imports(&self) -> Vec<String> {
        // Who loads a store may write anything there.
        self.get::<Json>(9).and_then(|names| names.read()).unwrap_or_default()
    }
}
