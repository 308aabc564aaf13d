//! A line that is a document.

use super::Fields;
use crate::source::{Content, Error, Item, Told};

/// Takes a document; its text needs no decoding, whatever it says of itself.
pub(super) fn item(mut fields: Fields) -> Result<Item, Error> {
    let uri = fields.uri()?;
    let text = fields.content("text")?;
    let told = Told {
        media_type: fields.media_type()?,
        kind: fields.kind()?,
        title: fields.text("title")?,
        metadata: fields.metadata("metadata")?,
        ..Told::default()
    };
    let origin = fields.origin();
    fields.finish()?;
    Ok(Item { uri, inside: None, origin, content: Content::Text(text), told: Box::new(told) })
}
