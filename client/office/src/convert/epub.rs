//! EPUB: the chapters in reading order, each converted as a page of HTML.

use super::markdown::Markdown;
use super::package::{Package, joined};
use super::{ConvertError, Converted, Limits, html};
use passage_split::MediaType;
use std::collections::HashMap;

/// Converts a book.
pub(super) fn convert(bytes: &[u8], limits: Limits) -> Result<Converted, ConvertError> {
    let mut package = Package::open(bytes, limits)?;
    if let Some(encryption) = package.xml("META-INF/encryption.xml")? {
        // Publishers obfuscate fonts. Other parts are encrypted against copies.
        let mut methods = Vec::new();
        encryption.descendants("EncryptionMethod", &mut methods);
        let is_font = |algorithm: &str| algorithm.contains("embedding") || algorithm.contains("RC");
        if methods.iter().any(|method| !method.attribute("Algorithm").is_some_and(is_font)) {
            return Err(ConvertError::Encrypted);
        }
    }
    let container = package.required_xml("META-INF/container.xml")?;
    let root =
        container.at(&["rootfiles", "rootfile"]).and_then(|root| root.attribute("full-path"));
    let root = root.ok_or_else(|| ConvertError::Damaged("it names no list of chapters".into()))?;
    let list = package.required_xml(root)?;
    let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
    let references =
        list.element("guide").into_iter().flat_map(|guide| guide.elements("reference"));
    let contents: Vec<&str> = references
        .filter(|reference| reference.attribute("type") == Some("toc"))
        .filter_map(|reference| reference.attribute("href"))
        .collect();
    let items = list.element("manifest").into_iter().flat_map(|manifest| manifest.elements("item"));
    let chapters: HashMap<&str, &str> = items
        .filter(|item| item.attribute("media-type").is_some_and(|kind| kind.contains("html")))
        .filter(|item| item.attribute("properties").is_none_or(|names| !names.contains("nav")))
        .filter_map(|item| Some((item.attribute("id")?, item.attribute("href")?)))
        .filter(|(_, path)| !contents.contains(path))
        .collect();
    let mut markdown = Markdown::new(limits);
    let order = list.element("spine").into_iter().flat_map(|spine| spine.elements("itemref"));
    for path in order.filter_map(|item| chapters.get(item.attribute("idref")?)) {
        let path = joined(folder, &percent_decoded(path));
        let Some(chapter) = package.part(&path)? else { continue };
        let media_type = MediaType::new(html::HTML);
        let chapter = passage_split::decode(&chapter, &media_type, None);
        let chapter = html::of_xhtml(&chapter.map_err(ConvertError::damaged)?.text);
        markdown.block_unless_empty(&html::markdown(&chapter)?)?;
    }
    let title = list.at(&["metadata", "title"]).map(super::xml::Element::text);
    Ok(markdown.finish(title))
}

/// Returns a path of a link with its escapes replaced.
fn percent_decoded(path: &str) -> String {
    percent_encoding::percent_decode_str(path).decode_utf8_lossy().into_owned()
}
