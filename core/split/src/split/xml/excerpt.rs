//! The excerpt of XML: whole elements without the tags around them.
//!
//! Its twin in SQL is `sql/edition/xml.sql`.

use super::tokens::{Token, TokenKind, Tokens};
use crate::split::excerpt::Excerpt;

/// Returns the elements in a run of chunks of an XML document, without the tags around them whose
/// counterparts are missing.
///
/// Returns `None` if no tag lacks its counterpart, or if text or elements would be cut off.
pub(crate) fn excerpt(text: &str) -> Option<Excerpt> {
    let mut tokens = Tokens::new(text);
    let mut found = Found::default();
    while found.add(&tokens.next().ok()?)? {}
    if found.open.is_empty() && found.end.is_none() {
        return None;
    }
    // The tags of open elements must precede everything else.
    let opened = found.open.iter().all(|tag| !tag.follows_content);
    let start = found.open.last().map_or(0, |tag| tag.end);
    let bytes = start..found.end.unwrap_or(text.len());
    if !opened || !found.has_content || bytes.is_empty() {
        return None;
    }
    let inside = text[bytes.clone()].trim_ascii();
    let start = start + (text[bytes.clone()].len() - text[bytes].trim_ascii_start().len());
    (!inside.is_empty()).then(|| Excerpt { bytes: start..start + inside.len(), brackets: ["", ""] })
}

/// The content and the unmatched tags of the tokens so far.
#[derive(Default)]
struct Found<'t> {
    /// The tags of the elements that are open.
    open: Vec<StartTag<'t>>,
    /// Whether there were text or elements, other than those that are open.
    has_content: bool,
    /// The beginning of the first tag that closes an element outside of the text.
    end: Option<usize>,
}

struct StartTag<'t> {
    name: &'t str,
    end: usize,
    follows_content: bool,
}

impl<'t> Found<'t> {
    /// Adds a token, and returns whether more follow. Returns `None` if content follows the end, or if a
    /// tag closes another element.
    fn add(&mut self, token: &Token<'t>) -> Option<bool> {
        let is_content =
            matches!(token.kind, TokenKind::Start | TokenKind::Empty | TokenKind::Characters);
        if self.end.is_some() && (token.follows_text || is_content) {
            return None;
        }
        self.has_content |= token.follows_text;
        match token.kind {
            TokenKind::Start => {
                let follows_content = self.has_content;
                let (name, end) = (token.name, token.bytes.end);
                self.open.push(StartTag { name, end, follows_content });
            }
            TokenKind::End => match self.open.pop() {
                Some(tag) if tag.name == token.name => self.has_content = true,
                Some(_) => return None,
                None => self.end = self.end.or(Some(token.bytes.start)),
            },
            TokenKind::Empty | TokenKind::Characters => self.has_content = true,
            TokenKind::Comment | TokenKind::DocumentType => {}
            TokenKind::Finish => return Some(false),
        }
        Some(true)
    }
}
