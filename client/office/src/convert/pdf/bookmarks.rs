//! Bookmarks: the outline of a document, which names its headings with their levels and pages.
//!
//! Programs that know the sections write it: `/Outlines` is a tree of titles, each with a destination, which is a page or a
//! name for it. Loops of objects end, because each is read once.

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{
    Array, Dict, Object, ObjectIdentifier, String as PdfString,
};
use std::collections::{HashMap, HashSet};

/// The maximum number of bookmarks and of names that are read.
const MAX_ENTRIES: usize = 200_000;

/// The deepest level of a bookmark that is read.
const MAX_LEVEL: usize = 12;

/// A heading that the document itself names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bookmark {
    /// The level, from 1.
    pub(super) level: usize,
    pub(super) title: String,
    /// The number of the page, from 0.
    pub(super) page: usize,
}

/// Reads the bookmarks that have a page, in the order of the outline.
pub(super) fn read(pdf: &Pdf) -> Vec<Bookmark> {
    let xref = pdf.xref();
    let Some(catalog) = xref.get::<Dict<'_>>(xref.root_id()) else { return Vec::new() };
    let Some(outline) = catalog.get::<Dict<'_>>("Outlines") else { return Vec::new() };
    let destinations = Destinations::read(pdf, &catalog);
    let mut bookmarks = Vec::new();
    let mut seen = HashSet::new();
    // The entries that are still to be read, the next one last.
    let mut stack: Vec<(usize, Dict<'_>)> =
        outline.get("First").map(|first| (1, first)).into_iter().collect();
    while let Some((level, entry)) = stack.pop() {
        if seen.len() >= MAX_ENTRIES || !seen.insert(entry.obj_id()) {
            continue;
        }
        if let Some(next) = entry.get("Next") {
            stack.push((level, next));
        }
        if let Some(first) = entry.get("First").filter(|_| level < MAX_LEVEL) {
            stack.push((level + 1, first));
        }
        let title = entry.get::<PdfString<'_>>("Title").map(|title| text(title.as_bytes()));
        if let Some((title, page)) = title.zip(destinations.page(&entry)) {
            bookmarks.push(Bookmark { level, title, page });
        }
    }
    bookmarks
}

/// Returns a text string, which is UTF-16 or UTF-8 with a byte order mark, else in the own encoding of PDF.
pub(super) fn text(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, rest @ ..] => {
            let units = rest.chunks_exact(2).map(|unit| u16::from_be_bytes([unit[0], unit[1]]));
            char::decode_utf16(units).map(|char| char.unwrap_or('\u{fffd}')).collect()
        }
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        // The own encoding is Latin-1 in nearly all of its letters.
        bytes => String::from_utf8(bytes.to_vec())
            .unwrap_or_else(|_| bytes.iter().map(|byte| char::from(*byte)).collect()),
    }
}

/// The pages, and the names that destinations have.
struct Destinations {
    pages: HashMap<ObjectIdentifier, usize>,
    names: HashMap<Vec<u8>, usize>,
}

impl Destinations {
    fn read(pdf: &Pdf, catalog: &Dict<'_>) -> Self {
        let pages = pdf.pages().iter().enumerate();
        let pages = pages.filter_map(|(number, page)| Some((page.raw().obj_id()?, number)));
        let mut destinations = Self { pages: pages.collect(), names: HashMap::new() };
        // Names are keys of a dictionary, or since PDF 1.2 strings in a tree.
        if let Some(names) = catalog.get::<Dict<'_>>("Dests") {
            for (name, _) in names.entries().take(MAX_ENTRIES) {
                let page = names.get(&*name).and_then(|target| destinations.target(target));
                destinations.names.extend(page.map(|page| (name.to_vec(), page)));
            }
        }
        let tree =
            catalog.get::<Dict<'_>>("Names").and_then(|names| names.get::<Dict<'_>>("Dests"));
        let mut seen = HashSet::new();
        let mut stack: Vec<Dict<'_>> = tree.into_iter().collect();
        while let Some(node) = stack.pop() {
            if seen.len() >= MAX_ENTRIES || !seen.insert(node.obj_id()) {
                continue;
            }
            let kids = node.get::<Array<'_>>("Kids");
            stack.extend(kids.iter().flat_map(Array::iter::<Dict<'_>>));
            let Some(entries) = node.get::<Array<'_>>("Names") else { continue };
            let mut entries = entries.iter::<Object<'_>>().take(2 * MAX_ENTRIES);
            while let (Some(name), Some(target)) = (entries.next(), entries.next()) {
                let page = destinations.target(target);
                if let Some((name, page)) = name.into_string().zip(page) {
                    destinations.names.insert(name.as_bytes().to_vec(), page);
                }
            }
        }
        destinations
    }

    /// Returns the page of a bookmark.
    fn page(&self, entry: &Dict<'_>) -> Option<usize> {
        let action = || entry.get::<Dict<'_>>("A")?.get::<Object<'_>>("D");
        let target = entry.get::<Object<'_>>("Dest").or_else(action)?;
        match target {
            Object::Name(name) => self.names.get(&*name as &[u8]).copied(),
            Object::String(name) => self.names.get(name.as_bytes()).copied(),
            target => self.target(target),
        }
    }

    /// Returns the page of a target: an array that begins with it, or a dictionary with this array.
    fn target(&self, target: Object<'_>) -> Option<usize> {
        let array = match target {
            Object::Dict(dict) => dict.get::<Array<'_>>("D")?,
            Object::Array(array) => array,
            _ => return None,
        };
        let page = array.raw_iter().next()?.as_obj_ref()?;
        self.pages.get(&page.into()).copied()
    }
}
