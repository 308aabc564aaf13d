/*!
The documentation as the tests read it: the README and the pages in `docs/`.

A page is read when a test runs, so that an edit of a page needs no build.
*/

use std::fs;
use std::path::{Path, PathBuf};

/// A Markdown file of the project.
#[derive(Clone, Debug)]
pub struct Page {
    /// The path in the project, such as `docs/guides/search.md`.
    pub name: String,
    /// The text of the file.
    pub text: String,
}

/// A fenced block of a page.
#[derive(Clone, Debug)]
pub struct Block {
    /// The word behind the opening fence, such as `sql`.
    pub language: String,
    /// The line of the opening fence, from 1.
    pub line: usize,
    /// The lines between the fences, each with its line break.
    pub text: String,
}

/// A table of a page, without the emphasis marks of its cells.
#[derive(Clone, Debug)]
pub struct Table {
    /// The cells of the first row.
    pub head: Vec<String>,
    /// The cells of the other rows.
    pub rows: Vec<Vec<String>>,
}

/// Returns the root folder of the project.
///
/// # Panics
///
/// Panics if this crate was moved out of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the project")
}

/// Returns the README and every page in `docs/`, in the order of their paths.
///
/// # Panics
///
/// Panics if a file cannot be read.
pub fn pages() -> Vec<Page> {
    let mut paths = vec![root().join("README.md")];
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder can be read") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths.iter().map(|path| Page::at(path)).collect()
}

impl Page {
    /// Reads a page by its path in the project.
    ///
    /// # Panics
    ///
    /// Panics if the file cannot be read.
    pub fn read(name: &str) -> Self {
        Self::at(&root().join(name))
    }

    fn at(path: &Path) -> Self {
        let name = path.strip_prefix(root()).expect("the page is in the project");
        let name = name.display().to_string();
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"));
        Self { name, text }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> PathBuf {
        root().join(&self.name)
    }

    /// Returns the fenced blocks in their order.
    ///
    /// # Panics
    ///
    /// Panics if a fence is not closed.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut open = false;
        for (line, text) in (1..).zip(self.text.lines()) {
            if let Some(language) = text.strip_prefix("```") {
                if !open {
                    let language = language.to_owned();
                    blocks.push(Block { language, line, text: String::new() });
                }
                open = !open;
            } else if open {
                let block = blocks.last_mut().expect("a fence was opened");
                block.text += text;
                block.text.push('\n');
            }
        }
        assert!(!open, "{}: a fence is not closed", self.name);
        blocks
    }

    /// Returns the text below a heading, such as `## documents`, up to the next heading of the
    /// same or a higher level.
    ///
    /// # Panics
    ///
    /// Panics if the page has no such heading.
    pub fn section(&self, heading: &str) -> &str {
        let start = self.text.find(&format!("\n{heading}\n"));
        let start = start.unwrap_or_else(|| panic!("{}: no heading {heading}", self.name));
        let text = &self.text[start + heading.len() + 2..];
        let level = heading.bytes().take_while(|byte| *byte == b'#').count();
        let ends = (1..=level).filter_map(|level| text.find(&format!("\n{} ", "#".repeat(level))));
        &text[..ends.min().unwrap_or(text.len())]
    }

    /// Returns the texts of the blocks of a language below a heading.
    ///
    /// # Panics
    ///
    /// Panics if there is no such heading or block.
    pub fn blocks_of(&self, heading: &str, language: &str) -> Vec<String> {
        let section = Self { name: self.name.clone(), text: self.section(heading).to_owned() };
        let blocks = section.blocks().into_iter().filter(|block| block.language == language);
        let blocks: Vec<_> = blocks.map(|block| block.text).collect();
        assert!(!blocks.is_empty(), "{}: no block of {language} below {heading}", self.name);
        blocks
    }

    /// Returns the titles of the headings of a level, without backquotes.
    pub fn headings(&self, level: usize) -> Vec<String> {
        let prefix = format!("{} ", "#".repeat(level));
        let titles = self.text.lines().filter_map(|line| line.strip_prefix(&prefix));
        titles.map(|title| title.replace('`', "")).collect()
    }
}

/// Returns the tables of a text.
pub fn tables(text: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let Some(cells) = line.strip_prefix("| ") else {
            inside = inside && line.starts_with("|-");
            continue;
        };
        let cells = cells.trim_end().trim_end_matches('|').split(" | ");
        let cells: Vec<_> = cells.map(|cell| cell.trim().to_owned()).collect();
        if inside {
            tables.last_mut().expect("a table was begun").rows.push(cells);
        } else {
            tables.push(Table { head: cells, rows: Vec::new() });
        }
        inside = true;
    }
    tables
}

/// Returns the first table of a text whose first column has a title.
///
/// # Panics
///
/// Panics if the text has no such table.
pub fn table(text: &str, title: &str) -> Table {
    let tables = tables(text).into_iter().find(|table| table.head[0] == title);
    tables.unwrap_or_else(|| panic!("no table of \"{title}\" in:\n{text}"))
}

/// Returns the texts between backquotes.
pub fn code(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}
