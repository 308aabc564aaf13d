//! The tokens of XML: tags, comments and other markup, by offsets.
//!
//! Its twin in SQL is `sql/edition/xml.sql`.

use crate::interrupt;
use memchr::{memchr, memmem};
use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// The tag that begins an element.
    Start,
    /// The tag that ends an element.
    End,
    /// The tag of an empty element.
    Empty,
    /// A comment, or a processing instruction such as the declaration of XML.
    Comment,
    /// Characters in which nothing is markup.
    Characters,
    /// The document type, with its own declarations.
    DocumentType,
    /// The end of the document.
    Finish,
}

/// A token.
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind,
    pub(super) bytes: Range<usize>,
    /// The name in a tag.
    pub(super) name: &'t str,
    /// Whether text other than blanks is between it and the token before it.
    pub(super) follows_text: bool,
}

/// The tokens of a text. Text between tokens is skipped.
#[derive(Clone)]
pub(super) struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 } }
    }

    /// Returns the next token, or the offset of the syntax error.
    pub(super) fn next(&mut self) -> Result<Token<'t>, usize> {
        interrupt::poll();
        let from = self.at;
        let start = memchr(b'<', &self.text.as_bytes()[from..]);
        let start = start.map_or(self.text.len(), |start| from + start);
        let follows_text = !self.text[from..start].trim_ascii_start().is_empty();
        let (kind, end, name) = self.token(start)?;
        self.at = end;
        Ok(Token { kind, bytes: start..end, name, follows_text })
    }

    /// Returns the next token outside of elements, where only blanks precede it.
    pub(super) fn outside(&mut self) -> Result<Token<'t>, usize> {
        let from = self.at;
        let token = self.next()?;
        if token.follows_text { Err(from) } else { Ok(token) }
    }

    /// Returns whether the element that was begun last has no elements inside.
    ///
    /// Only the comments after its first tag and the next tag are read, so a document is read at most
    /// twice.
    pub(super) fn is_leaf(&self) -> bool {
        let mut ahead = self.clone();
        loop {
            match ahead.next().map(|token| token.kind) {
                Ok(TokenKind::Comment | TokenKind::Characters) => {}
                other => return other == Ok(TokenKind::End),
            }
        }
    }

    /// Returns the kind, the end and the name of the token at an offset.
    fn token(&self, start: usize) -> Result<(TokenKind, usize, &'t str), usize> {
        let rest = &self.text[start..];
        let end = |end: Option<usize>| end.ok_or(start);
        if rest.is_empty() {
            Ok((TokenKind::Finish, start, ""))
        } else if rest.starts_with("<!--") {
            Ok((TokenKind::Comment, end(self.behind(start + 4, "-->"))?, ""))
        } else if rest.starts_with("<?") && !rest.starts_with("<?>") {
            Ok((TokenKind::Comment, end(self.behind(start + 2, "?>"))?, ""))
        } else if rest.starts_with("<![CDATA[") {
            Ok((TokenKind::Characters, end(self.behind(start + 9, "]]>"))?, ""))
        } else if rest.starts_with("<!DOCTYPE") {
            Ok((TokenKind::DocumentType, end(self.behind_document_type(start + 9))?, ""))
        } else if rest.starts_with("</") {
            let close = end(self.behind(start + 2, ">"))?;
            let name = self.name(start + 2).ok_or(start)?;
            let is_closed = self.text[start + 2 + name.len()..close - 1].trim_ascii().is_empty();
            if is_closed { Ok((TokenKind::End, close, name)) } else { Err(start) }
        } else {
            let name = self.name(start + 1).ok_or(start)?;
            let close = end(self.behind_attributes(start + 1 + name.len()))?;
            let is_empty = self.text[..close].ends_with("/>");
            Ok((if is_empty { TokenKind::Empty } else { TokenKind::Start }, close, name))
        }
    }

    /// Returns the name at an offset.
    fn name(&self, start: usize) -> Option<&'t str> {
        let rest = &self.text[start..];
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>' | b'<');
        let name = &rest[..rest.as_bytes().iter().position(is_end)?];
        let first = name.chars().next()?;
        let is_name = first.is_alphabetic() || matches!(first, '_' | ':');
        (is_name && !name.contains(['\'', '"', '=', '<', '&'])).then_some(name)
    }

    /// Returns the offset behind a mark, searched from an offset.
    fn behind(&self, from: usize, mark: &str) -> Option<usize> {
        let offset = memmem::find(&self.text.as_bytes()[from..], mark.as_bytes())?;
        Some(from + offset + mark.len())
    }

    /// Returns the offset behind the tag whose attributes begin at an offset: names with quoted values,
    /// each after white space.
    fn behind_attributes(&self, mut at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let skip_blanks = |at: usize| {
            let blanks = bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace());
            at + blanks.count()
        };
        loop {
            interrupt::poll();
            let start = skip_blanks(at);
            match bytes.get(start)? {
                b'>' => return Some(start + 1),
                b'/' => return (bytes.get(start + 1) == Some(&b'>')).then_some(start + 2),
                _ if start == at => return None,
                _ => {}
            }
            let ends_name = |byte: &u8| byte.is_ascii_whitespace() || b"=/><\"'".contains(byte);
            let name = bytes[start..].iter().position(ends_name).filter(|length| *length > 0)?;
            let equals = skip_blanks(start + name);
            if bytes.get(equals) != Some(&b'=') {
                return None;
            }
            let quote = skip_blanks(equals + 1);
            let mark = *bytes.get(quote).filter(|byte| b"\"'".contains(byte))?;
            at = quote + 1 + memchr(mark, &bytes[quote + 1..])? + 1;
        }
    }

    /// Returns the offset behind a document type. In brackets it has declarations and comments, and
    /// only a `>` outside of them ends it.
    fn behind_document_type(&self, mut at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let blanks = bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.name(at + blanks)?;
        let mut depth = 0_usize;
        loop {
            interrupt::poll();
            let is_mark = |byte: &u8| matches!(byte, b'"' | b'\'' | b'[' | b']' | b'<' | b'>');
            at += bytes[at..].iter().position(is_mark)? + 1;
            match bytes[at - 1] {
                b'[' => depth += 1,
                b']' => depth = depth.saturating_sub(1),
                b'>' if depth == 0 => return Some(at),
                b'<' if bytes[at..].starts_with(b"!--") => at = self.behind(at + 3, "-->")?,
                b'<' if bytes[at..].starts_with(b"?") => at = self.behind(at + 1, "?>")?,
                quote @ (b'"' | b'\'') => at += memchr(quote, &bytes[at..])? + 1,
                _ => {}
            }
        }
    }
}

/// Returns the beginning of the line of an offset if only blanks precede it, else the offset.
pub(super) fn start_of_line(text: &str, offset: usize) -> usize {
    let before = text[..offset].trim_end_matches([' ', '\t']);
    if before.ends_with(['\n', '\r']) { before.len() } else { offset }
}

/// Returns the offset behind the line end if only blanks precede it, else the offset.
pub(super) fn end_of_line(text: &str, offset: usize) -> usize {
    let rest = text[offset..].trim_start_matches([' ', '\t']);
    let at = text.len() - rest.len();
    match rest.as_bytes() {
        [] => at,
        [b'\r', b'\n', ..] => at + 2,
        [b'\r' | b'\n', ..] => at + 1,
        _ => offset,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(TokenKind, &str)> {
        let mut tokens = Tokens::new(text);
        let next = || {
            let token = tokens.next().unwrap();
            (token.kind != TokenKind::Finish).then(|| (token.kind, &text[token.bytes]))
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn markup_within_quotes_and_comments_is_text() {
        use TokenKind::{Characters, Comment, DocumentType, Empty, End, Start};
        let text = "<?xml?><!DOCTYPE a [<!ENTITY b '>]'><!-- ]> -->]><a b='<c>' d=\">\"> e <!-- <f> -->\
            <![CDATA[</a>]]><g:h\n/></a >";
        let expected = [
            (Comment, "<?xml?>"),
            (DocumentType, "<!DOCTYPE a [<!ENTITY b '>]'><!-- ]> -->]>"),
            (Start, "<a b='<c>' d=\">\">"),
            (Comment, "<!-- <f> -->"),
            (Characters, "<![CDATA[</a>]]>"),
            (Empty, "<g:h\n/>"),
            (End, "</a >"),
        ];
        assert_eq!(tokens(text), expected);
    }

    #[test]
    fn a_unit_extends_to_the_ends_of_its_line() {
        assert_eq!(
            (start_of_line("a\n  <", 4), start_of_line("a  <", 3), start_of_line("  <", 2)),
            (2, 3, 2)
        );
        assert_eq!(
            (end_of_line("> \r\nb", 1), end_of_line("> b", 1), end_of_line("> ", 1)),
            (4, 1, 2)
        );
    }
}
