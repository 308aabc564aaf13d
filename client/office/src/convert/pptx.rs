/*!
`PowerPoint`: the slides in their order, each a section with its title, its text and its speaker notes.

Footers, dates and numbers of slides are left out. Diagrams and charts are other parts, which are not read.
*/

use super::markdown::{Bullet, Markdown, escaped, link};
use super::package::{Package, Relations};
use super::table::Table;
use super::xml::Element;
use super::{ConvertError, Converted, Limits};
use passage_split::Place;

const PRESENTATION: &str = "ppt/presentation.xml";

/// The placeholders of a slide that repeat on each one.
const REPEATED: [&str; 4] = ["ftr", "hdr", "dt", "sldNum"];

/// Converts a presentation.
pub(super) fn convert(bytes: &[u8], limits: Limits) -> Result<Converted, ConvertError> {
    let mut package = Package::open(bytes, limits)?;
    let root = package.required_xml(PRESENTATION)?;
    let relations = package.relations(PRESENTATION)?;
    let slides = root.element("sldIdLst").into_iter().flat_map(|list| list.elements("sldId"));
    let mut markdown = Markdown::new(limits);
    for (number, slide) in slides.enumerate() {
        let relation = slide.attribute("r:id").and_then(|id| relations.get(id));
        let Some(relation) = relation else { continue };
        markdown.begin(Place::Slide(number + 1))?;
        slide_text(&mut package, &relation.target, number + 1, &mut markdown)?;
    }
    let title = package.core_title();
    Ok(markdown.finish(title))
}

fn slide_text(
    package: &mut Package<'_>,
    part: &str,
    number: usize,
    markdown: &mut Markdown,
) -> Result<(), ConvertError> {
    let root = package.required_xml(part)?;
    let relations = package.relations(part)?;
    let Some(tree) = root.at(&["cSld", "spTree"]) else { return Ok(()) };
    let mut shapes = Vec::new();
    collect(tree, &mut shapes);
    let title =
        shapes.iter().find(|shape| matches!(placeholder(shape), Some("title" | "ctrTitle")));
    let heading = title.map(|title| text(title, &relations)).filter(|text| !text.trim().is_empty());
    markdown.heading(1, &heading.unwrap_or_else(|| format!("Slide {number}")))?;
    for shape in &shapes {
        let kind = placeholder(shape);
        let is_title = title.is_some_and(|title| std::ptr::eq(*title, *shape));
        if is_title || kind.is_some_and(|kind| REPEATED.contains(&kind)) {
            continue;
        }
        if let Some(table) = shape.at(&["graphic", "graphicData", "tbl"]) {
            markdown.table(read_table(table, &relations))?;
        }
        // Placeholders of the body have bullets, if the slide does not say otherwise.
        let is_list = kind.is_some_and(|kind| matches!(kind, "body" | "obj" | ""));
        paragraphs(shape, is_list, &relations, markdown)?;
    }
    let notes = relations.values().find(|relation| relation.kind == "notesSlide");
    let Some(notes) = notes.map(|notes| package.xml(&notes.target)).transpose()?.flatten() else {
        return Ok(());
    };
    let Some(tree) = notes.at(&["cSld", "spTree"]) else { return Ok(()) };
    let mut shapes = Vec::new();
    collect(tree, &mut shapes);
    let mut notes = shapes.iter().filter(|shape| placeholder(shape) == Some("body"));
    let notes = notes.next().map(|shape| text(shape, &Relations::new())).unwrap_or_default();
    if notes.trim().is_empty() {
        return Ok(());
    }
    markdown.heading(2, "Notes")?;
    notes.lines().try_for_each(|line| markdown.paragraph(line))
}

/// Collects the shapes of a slide, also those in groups.
fn collect<'e>(tree: &'e Element, shapes: &mut Vec<&'e Element>) {
    for element in tree.all() {
        match &*element.name {
            "sp" | "graphicFrame" => shapes.push(element),
            "grpSp" => collect(element, shapes),
            "AlternateContent" => {
                element.elements("Choice").take(1).for_each(|choice| collect(choice, shapes));
            }
            _ => {}
        }
    }
}

/// Returns the type of the placeholder that a shape fills; empty for one without a type.
fn placeholder(shape: &Element) -> Option<&str> {
    let placeholder = shape.at(&["nvSpPr", "nvPr", "ph"])?;
    Some(placeholder.attribute("type").unwrap_or_default())
}

fn paragraphs(
    shape: &Element,
    is_list: bool,
    relations: &Relations,
    markdown: &mut Markdown,
) -> Result<(), ConvertError> {
    let mut numbers = [0; 10];
    let body = shape.element("txBody");
    for paragraph in body.into_iter().flat_map(|body| body.elements("p")) {
        let inline = inline(paragraph, relations);
        let properties = paragraph.element("pPr");
        let level = properties.and_then(|properties| properties.attribute("lvl"));
        let level = level.and_then(|level| level.parse().ok()).unwrap_or(0).min(9);
        let has = |name| properties.is_some_and(|properties| properties.element(name).is_some());
        if has("buAutoNum") {
            numbers[level] += 1;
            numbers[level + 1..].fill(0);
            markdown.item(level, Bullet::Number(numbers[level]), &inline)?;
        } else if has("buChar") || has("buBlip") || (is_list && !has("buNone")) {
            markdown.item(level, Bullet::Dash, &inline)?;
        } else {
            markdown.paragraph(&inline)?;
        }
    }
    Ok(())
}

/// Returns the paragraphs of a shape as lines.
fn text(shape: &Element, relations: &Relations) -> String {
    let mut found = Vec::new();
    shape.descendants("p", &mut found);
    let lines: Vec<_> = found.iter().map(|paragraph| inline(paragraph, relations)).collect();
    lines.join("\n")
}

fn inline(paragraph: &Element, relations: &Relations) -> String {
    let mut inline = String::new();
    for run in paragraph.all() {
        match &*run.name {
            "r" | "fld" => {
                let text = run.element("t").map(|text| escaped(&text.text())).unwrap_or_default();
                let click = run.at(&["rPr", "hlinkClick"]).and_then(|link| link.attribute("r:id"));
                match click.and_then(|id| relations.get(id)) {
                    Some(relation) => inline.push_str(&link(&text, &relation.target)),
                    None => inline.push_str(&text),
                }
            }
            "br" => inline.push('\n'),
            _ => {}
        }
    }
    inline
}

/// Reads a table. A merged cell has its value in each cell that it covers.
fn read_table(table: &Element, relations: &Relations) -> Table {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in table.elements("tr") {
        let mut cells: Vec<String> = Vec::new();
        for cell in row.elements("tc") {
            let covered = match (cell.attribute("hMerge"), cell.attribute("vMerge")) {
                (Some("1" | "true"), _) => cells.last(),
                (_, Some("1" | "true")) => rows.last().and_then(|row| row.get(cells.len())),
                _ => None,
            };
            let text = covered.cloned().unwrap_or_else(|| text(cell, relations));
            cells.push(text);
        }
        rows.push(cells);
    }
    Table { rows }
}
