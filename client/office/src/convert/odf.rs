/*!
`OpenDocument`: texts, presentations and spreadsheets, which share their elements.

Headers and footers are in the styles, which are not read. Deleted text, comments and tables of contents are left out.
*/

use super::markdown::{Bullet, Markdown, escaped, link};
use super::package::Package;
use super::table::Table;
use super::xml::{Element, Node};
use super::{ConvertError, Converted, Limits};
use passage_split::Place;

/// The maximum number of cells that a repetition in a spreadsheet writes: programs repeat the last cell to the end of the sheet.
const MAX_REPEATED: usize = 1_000;

/// Converts a document.
pub(super) fn convert(bytes: &[u8], limits: Limits) -> Result<Converted, ConvertError> {
    let mut package = Package::open(bytes, limits)?;
    if let Some(manifest) = package.xml("META-INF/manifest.xml")? {
        let mut encrypted = Vec::new();
        manifest.descendants("encryption-data", &mut encrypted);
        if !encrypted.is_empty() {
            return Err(ConvertError::Encrypted);
        }
    }
    let root = package.required_xml("content.xml")?;
    let title = package.xml("meta.xml")?.and_then(|meta| Some(meta.at(&["meta", "title"])?.text()));
    let body =
        root.element("body").ok_or_else(|| ConvertError::Damaged("it has no body".into()))?;
    let mut document = Document {
        markdown: Markdown::new(limits),
        notes: Vec::new(),
        slides: 0,
        table_bytes: 0,
        limits,
    };
    for content in body.all() {
        document.blocks(content, 0)?;
    }
    document.write_notes()?;
    Ok(document.markdown.finish(title))
}

struct Document {
    markdown: Markdown,
    /// The footnotes that are not yet written, with their marks.
    notes: Vec<(String, String)>,
    slides: usize,
    /// The memory of the cells of all tables, which repetitions multiply.
    table_bytes: usize,
    limits: Limits,
}

impl Document {
    /// Writes the blocks of an element. `depth` is the number of lists around them.
    fn blocks(&mut self, parent: &Element, depth: usize) -> Result<(), ConvertError> {
        for element in parent.all() {
            match &*element.name {
                "h" => {
                    let level = element.attribute("outline-level");
                    let level = level.and_then(|level| level.parse().ok()).unwrap_or(1);
                    let inline = self.inline_of(element);
                    self.markdown.heading(level, &inline)?;
                }
                "p" => {
                    let inline = self.inline_of(element);
                    self.markdown.paragraph(&inline)?;
                    self.frames(element)?;
                }
                "list" => self.list(element, depth)?,
                "table" if is_sheet(parent) => self.sheet(element)?,
                "table" => {
                    let table = self.read_table(element)?;
                    self.markdown.table(table)?;
                }
                "page" => self.slide(element)?,
                "section" | "frame" | "text-box" | "index-body" | "g" | "custom-shape"
                | "numbered-paragraph" | "bibliography" | "object" => {
                    self.blocks(element, depth)?;
                }
                // Also what others have written about the text, and what repeats it: deleted text, comments, contents.
                _ => {}
            }
        }
        Ok(())
    }

    /// Writes the boxes of text that are anchored in a paragraph.
    fn frames(&mut self, paragraph: &Element) -> Result<(), ConvertError> {
        let mut boxes = Vec::new();
        paragraph.descendants("text-box", &mut boxes);
        boxes.iter().try_for_each(|content| self.blocks(content, 0))
    }

    fn list(&mut self, list: &Element, depth: usize) -> Result<(), ConvertError> {
        for item in list.all().filter(|item| matches!(&*item.name, "list-item" | "list-header")) {
            for element in item.all() {
                match &*element.name {
                    "list" => self.list(element, depth + 1)?,
                    "p" | "h" => {
                        let inline = self.inline_of(element);
                        self.markdown.item(depth, Bullet::Dash, &inline)?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn slide(&mut self, page: &Element) -> Result<(), ConvertError> {
        self.slides += 1;
        self.markdown.begin(Place::Slide(self.slides))?;
        let is_title = |frame: &&Element| frame.attribute("presentation:class") == Some("title");
        let title = page.elements("frame").find(is_title);
        let heading = title.map(|title| self.line_of(title)).filter(|text| !text.trim().is_empty());
        self.markdown.heading(1, &heading.unwrap_or_else(|| format!("Slide {}", self.slides)))?;
        for element in page.all() {
            let class = element.attribute("presentation:class").unwrap_or_default();
            let is_repeated = matches!(class, "footer" | "header" | "date-time" | "page-number");
            if title.is_some_and(|title| std::ptr::eq(title, element)) || is_repeated {
                continue;
            }
            match &*element.name {
                "notes" => {
                    let notes: Vec<&Element> = element
                        .elements("frame")
                        .filter(|frame| frame.attribute("presentation:class") == Some("notes"))
                        .collect();
                    if notes.iter().any(|notes| !notes.text().trim().is_empty()) {
                        self.markdown.heading(2, "Notes")?;
                        notes.iter().try_for_each(|notes| self.blocks(notes, 0))?;
                    }
                }
                _ => self.blocks(element, 0)?,
            }
        }
        self.write_notes()
    }

    fn sheet(&mut self, table: &Element) -> Result<(), ConvertError> {
        let name = table.attribute("table:name").unwrap_or_default().to_owned();
        let rows = self.read_table(table)?;
        if rows.rows.iter().flatten().all(|cell| cell.trim().is_empty()) {
            return Ok(());
        }
        self.markdown.begin(Place::Sheet(name.clone()))?;
        self.markdown.heading(1, &escaped(&name))?;
        rows.apart().into_iter().try_for_each(|table| self.markdown.table(table))
    }

    /// Reads a table. A merged cell has its value in each cell that it covers.
    fn read_table(&mut self, table: &Element) -> Result<Table, ConvertError> {
        let mut rows = Vec::new();
        self.read_rows(table, &mut rows)?;
        Ok(Table { rows })
    }

    /// Returns the number of repetitions of a text within the limits.
    fn repeated(&mut self, text: &str, count: usize) -> Result<usize, ConvertError> {
        let count = count.min(MAX_REPEATED);
        self.table_bytes += count * (text.len() + size_of::<String>());
        self.limits.check_text(self.table_bytes)?;
        Ok(count)
    }

    fn read_rows(
        &mut self,
        parent: &Element,
        rows: &mut Vec<Vec<String>>,
    ) -> Result<(), ConvertError> {
        for element in parent.all() {
            match &*element.name {
                "table-header-rows" | "table-row-group" | "table-rows" => {
                    self.read_rows(element, rows)?;
                }
                "table-row" => {
                    let row = self.read_row(element, rows)?;
                    let repeated = number(element, "number-rows-repeated");
                    let is_empty = row.iter().all(String::is_empty);
                    let mut count = if is_empty { repeated.min(2) } else { repeated };
                    for cell in &row {
                        count = self.repeated(cell, count)?;
                    }
                    rows.extend(std::iter::repeat_n(row, count.min(MAX_REPEATED)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn read_row(
        &mut self,
        row: &Element,
        above: &[Vec<String>],
    ) -> Result<Vec<String>, ConvertError> {
        let mut cells: Vec<String> = Vec::new();
        for cell in row.all() {
            let repeated = number(cell, "number-columns-repeated");
            match &*cell.name {
                "table-cell" => {
                    let text = self.line_of(cell);
                    let count = self.repeated(&text, repeated)?;
                    cells.extend(std::iter::repeat_n(text, count));
                }
                "covered-table-cell" => {
                    for _ in 0..repeated.min(MAX_REPEATED) {
                        let left = cells.last().filter(|text| !text.is_empty());
                        let upper = above.last().and_then(|row| row.get(cells.len()));
                        let text = left.or(upper).cloned().unwrap_or_default();
                        self.repeated(&text, 1)?;
                        cells.push(text);
                    }
                }
                _ => {}
            }
        }
        while cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        Ok(cells)
    }

    /// Returns the paragraphs of an element in a line.
    fn line_of(&mut self, element: &Element) -> String {
        let mut paragraphs = Vec::new();
        element.descendants("p", &mut paragraphs);
        let texts: Vec<_> = paragraphs.iter().map(|paragraph| self.inline_of(paragraph)).collect();
        texts.join(" ")
    }

    fn inline_of(&mut self, element: &Element) -> String {
        let mut inline = String::new();
        self.inline(element, &mut inline);
        inline
    }

    fn inline(&mut self, parent: &Element, inline: &mut String) {
        for child in &parent.children {
            let element = match child {
                Node::Text(text) => {
                    inline.push_str(&escaped(text));
                    continue;
                }
                Node::Element(element) => element,
            };
            match &*element.name {
                "s" => inline.extend(std::iter::repeat_n(' ', number(element, "c").min(8))),
                "tab" => inline.push(' '),
                "line-break" => inline.push('\n'),
                "a" => {
                    let text = self.inline_of(element);
                    inline.push_str(&link(
                        &text,
                        element.attribute("xlink:href").unwrap_or_default(),
                    ));
                }
                "note" => {
                    let mark = element.element("note-citation").map(Element::text);
                    let mark = format!("[^{}]", mark.unwrap_or_default().trim());
                    inline.push_str(&mark);
                    if let Some(body) = element.element("note-body") {
                        let text = self.line_of(body);
                        self.notes.push((mark, text));
                    }
                }
                "annotation" | "annotation-end" | "frame" | "text-box" | "tracked-changes" => {}
                _ => self.inline(element, inline),
            }
        }
    }

    fn write_notes(&mut self) -> Result<(), ConvertError> {
        let notes = std::mem::take(&mut self.notes);
        notes
            .iter()
            .try_for_each(|(mark, text)| self.markdown.block(&format!("{mark}: {}", text.trim())))
    }
}

fn is_sheet(parent: &Element) -> bool {
    parent.name == "spreadsheet"
}

/// Returns a number in an attribute, 1 by default.
fn number(element: &Element, name: &str) -> usize {
    element.attribute(name).and_then(|number| number.parse().ok()).unwrap_or(1)
}
