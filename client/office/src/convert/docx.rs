/*!
Word: the body of a document, with its styles, lists, notes and links.

Headers, footers and comments are other parts, which are not read. Deleted text and the table of contents are left out:
the latter repeats the headings.
*/

mod lists;
mod styles;

use super::markdown::{Markdown, escaped, link};
use super::package::{Package, Relations};
use super::table::Table;
use super::xml::Element;
use super::{ConvertError, Converted, Limits};
use lists::Lists;
use styles::{Role, Styles};

const DOCUMENT: &str = "word/document.xml";

/// Converts a document.
pub(super) fn convert(bytes: &[u8], limits: Limits) -> Result<Converted, ConvertError> {
    let mut package = Package::open(bytes, limits)?;
    let main = main_part(&mut package)?;
    let root = package.required_xml(&main)?;
    let relations = package.relations(&main)?;
    let part = |package: &mut Package<'_>, kind: &str| match relations
        .values()
        .find(|relation| relation.kind == kind)
    {
        Some(relation) => package.xml(&relation.target),
        None => Ok(None),
    };
    let styles = Styles::read(part(&mut package, "styles")?.as_ref());
    let lists = Lists::read(part(&mut package, "numbering")?.as_ref());
    let notes = [
        (part(&mut package, "footnotes")?, "footnote", ""),
        (part(&mut package, "endnotes")?, "endnote", "e"),
    ];
    let title = package.core_title();
    let body =
        root.element("body").ok_or_else(|| ConvertError::Damaged("it has no body".into()))?;
    let mut document =
        Document { markdown: Markdown::new(limits), styles, lists, relations, title: None };
    document.blocks(body)?;
    for (notes, name, prefix) in &notes {
        let notes = notes.iter().flat_map(|notes| notes.elements(name));
        for note in notes.filter(|note| note.attribute("type").is_none_or(|kind| kind == "normal"))
        {
            let id = note.attribute("id").unwrap_or_default();
            let text = document.text_of(note);
            document.markdown.block(&format!("[^{prefix}{id}]: {}", text.trim()))?;
        }
    }
    let title = title.or(document.title);
    Ok(document.markdown.finish(title))
}

/// Returns the name of the part with the text, which the package's relations name.
fn main_part(package: &mut Package<'_>) -> Result<String, ConvertError> {
    let relations = package.relations("")?;
    let main = relations.into_values().find(|relation| relation.kind == "officeDocument");
    Ok(main.map_or_else(|| DOCUMENT.to_owned(), |relation| relation.target))
}

struct Document {
    markdown: Markdown,
    styles: Styles,
    lists: Lists,
    relations: Relations,
    /// The text of the first paragraph with the style of a title.
    title: Option<String>,
}

impl Document {
    fn blocks(&mut self, parent: &Element) -> Result<(), ConvertError> {
        for element in parent.all() {
            match &*element.name {
                "p" => self.paragraph(element)?,
                "tbl" => self.table(element)?,
                "sdt" if is_contents(element) => {}
                "sdt" => {
                    if let Some(content) = element.element("sdtContent") {
                        self.blocks(content)?;
                    }
                }
                "ins" | "customXml" | "smartTag" | "moveTo" => self.blocks(element)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn paragraph(&mut self, paragraph: &Element) -> Result<(), ConvertError> {
        let properties = paragraph.element("pPr");
        let value = |path: &[&str]| properties?.at(path)?.attribute("val");
        let style = value(&["pStyle"]).unwrap_or_default();
        let mut inline = String::new();
        self.inline(paragraph, &mut inline);
        let outline = value(&["outlineLvl"]).and_then(|level| level.parse().ok());
        match self.styles.role(style, outline) {
            Role::Contents => {}
            Role::Title => {
                self.title.get_or_insert_with(|| inline.trim().to_owned());
                self.markdown.heading(1, &inline)?;
            }
            Role::Heading(level) => self.markdown.heading(level, &inline)?,
            Role::Text => {
                let own = value(&["numPr", "numId"]).map(|id| {
                    let level = value(&["numPr", "ilvl"]).and_then(|level| level.parse().ok());
                    (id.to_owned(), level.unwrap_or(0))
                });
                match own.or_else(|| self.styles.list(style)) {
                    Some((id, level)) if id != "0" && !inline.trim().is_empty() => {
                        let bullet = self.lists.next(&id, level);
                        self.markdown.item(level, bullet, &inline)?;
                    }
                    _ => self.markdown.paragraph(&inline)?,
                }
            }
        }
        // Boxes of text are anchored in a paragraph.
        let mut boxes = Vec::new();
        paragraph.descendants("txbxContent", &mut boxes);
        let fallbacks = count_fallbacks(paragraph);
        let shown = boxes.len().saturating_sub(fallbacks);
        boxes.iter().take(shown).try_for_each(|content| self.blocks(content))
    }

    /// Writes the text of runs, with their notes and links.
    fn inline(&self, parent: &Element, inline: &mut String) {
        for element in parent.all() {
            match &*element.name {
                "t" => inline.push_str(&escaped(&element.text())),
                "tab" | "ptab" => inline.push(' '),
                "br" | "cr" => inline.push('\n'),
                "noBreakHyphen" => inline.push('-'),
                "footnoteReference" | "endnoteReference" => {
                    let prefix = if element.name.starts_with('e') { "e" } else { "" };
                    let id = element.attribute("id").unwrap_or_default();
                    inline.extend(["[^", prefix, id, "]"]);
                }
                "hyperlink" => {
                    let mut text = String::new();
                    self.inline(element, &mut text);
                    let target = element.attribute("r:id").and_then(|id| self.relations.get(id));
                    match target {
                        Some(relation) => inline.push_str(&link(&text, &relation.target)),
                        None => inline.push_str(&text),
                    }
                }
                "r" if is_hidden(element) => {}
                // Mathematics is written as its symbols.
                "oMath" | "oMathPara" => {
                    let mut texts = Vec::new();
                    element.descendants("t", &mut texts);
                    inline.extend(texts.iter().map(|text| escaped(&text.text())));
                }
                "r" | "ins" | "smartTag" | "fldSimple" | "sdt" | "sdtContent" | "moveTo"
                | "customXml" | "dir" | "bdo" => self.inline(element, inline),
                _ => {}
            }
        }
    }

    /// Returns the text of all paragraphs in an element, in a line.
    fn text_of(&self, element: &Element) -> String {
        let mut paragraphs = Vec::new();
        element.descendants("p", &mut paragraphs);
        let texts = paragraphs.iter().map(|paragraph| {
            let mut inline = String::new();
            self.inline(paragraph, &mut inline);
            inline
        });
        texts.collect::<Vec<_>>().join(" ")
    }

    fn table(&mut self, table: &Element) -> Result<(), ConvertError> {
        let rows: Vec<&Element> = table.elements("tr").collect();
        let cells = |row: &Element| row.elements("tc").count();
        // A frame around other blocks.
        if rows.iter().all(|row| cells(row) <= 1) {
            for cell in rows.iter().flat_map(|row| row.elements("tc")) {
                self.blocks(cell)?;
            }
            return Ok(());
        }
        let mut written: Vec<Vec<String>> = Vec::new();
        for row in rows {
            let mut cells: Vec<String> = Vec::new();
            for cell in row.elements("tc") {
                let properties = cell.element("tcPr");
                let merge = properties.and_then(|properties| properties.element("vMerge"));
                let continues =
                    merge.is_some_and(|merge| merge.attribute("val") != Some("restart"));
                // A merged cell has its value in each row and column that it covers.
                let above = written.last().and_then(|row| row.get(cells.len()));
                let text = match above {
                    Some(above) if continues => above.clone(),
                    _ => self.text_of(cell),
                };
                let span = properties.and_then(|properties| properties.element("gridSpan"));
                let span = span.and_then(|span| span.attribute("val")?.parse().ok()).unwrap_or(1);
                cells.extend(std::iter::repeat_n(text, usize::clamp(span, 1, 64)));
            }
            written.push(cells);
        }
        self.markdown.table(Table { rows: written })
    }
}

/// Returns whether a structured part is a table of contents.
fn is_contents(element: &Element) -> bool {
    let gallery = element.at(&["sdtPr", "docPartObj", "docPartGallery"]);
    gallery.and_then(|gallery| gallery.attribute("val")) == Some("Table of Contents")
}

fn is_hidden(run: &Element) -> bool {
    run.at(&["rPr", "vanish"])
        .is_some_and(|vanish| !matches!(vanish.attribute("val"), Some("0" | "false" | "off")))
}

/// Counts the boxes of text that repeat others for programs that do not know these.
fn count_fallbacks(paragraph: &Element) -> usize {
    let mut fallbacks = Vec::new();
    paragraph.descendants("Fallback", &mut fallbacks);
    let mut boxes = Vec::new();
    for fallback in fallbacks {
        fallback.descendants("txbxContent", &mut boxes);
    }
    boxes.len()
}
