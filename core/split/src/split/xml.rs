/*!
XML: units are elements.

An element has the section of its name, below that of the element around it. A repeated name gets a
number. An element without elements inside is a value, every other one is a container. So the
strategy `hierarchical` widens a hit in a leaf to the element around it.

Comments and blanks before an element belong to it, unless other text precedes them. The document's
element includes all text before and after it, such as the declaration.

The parser does not recurse and resolves no entities. A document that is not well-formed is a syntax
error: a tag without its counterpart, a second outermost element, or text outside of it.
*/

mod excerpt;
mod tokens;

use super::units::{Title, Units};
use crate::{SyntaxError, Unit};
pub(crate) use excerpt::excerpt;
use tokens::{Token, TokenKind, Tokens, end_of_line, start_of_line};

/// The maximum number of open elements; deeper nesting is a syntax error.
const MAX_OPEN: usize = 1_000_000;

/// Finds the units of an XML document.
pub(super) fn units(text: &str, units: &mut Units<'_>) -> Result<(), SyntaxError> {
    let reader = XmlReader { text, tokens: Tokens::new(text), units, open: Vec::new(), lead: 0 };
    reader.read().map_err(|offset| SyntaxError::at(text, offset))
}

struct XmlReader<'t, 'u, 's> {
    text: &'t str,
    tokens: Tokens<'t>,
    units: &'u mut Units<'s>,
    /// The names of the open elements, the outermost first.
    open: Vec<&'t str>,
    /// The beginning of the next element, with the comments and blanks before it.
    lead: usize,
}

impl<'t> XmlReader<'t, '_, '_> {
    /// Reads the document, or returns the offset of the syntax error.
    fn read(mut self) -> Result<(), usize> {
        let first = loop {
            let token = self.tokens.outside()?;
            match token.kind {
                TokenKind::Start | TokenKind::Empty => break token,
                TokenKind::Comment | TokenKind::DocumentType => {}
                TokenKind::End | TokenKind::Characters | TokenKind::Finish => {
                    return Err(token.bytes.start);
                }
            }
        };
        let is_leaf = first.kind == TokenKind::Empty || self.tokens.is_leaf();
        self.units.open(0, first.name, if is_leaf { Unit::Value } else { Unit::Container });
        if first.kind == TokenKind::Start {
            self.enter(first.name, first.bytes.end);
            while !self.open.is_empty() {
                let token = self.tokens.next()?;
                self.read_inside(&token)?;
            }
        }
        self.units.close(self.text.len());
        loop {
            let token = self.tokens.outside()?;
            match token.kind {
                TokenKind::Comment => {}
                TokenKind::Finish => return Ok(()),
                _ => return Err(token.bytes.start),
            }
        }
    }

    /// Reads a token inside the outermost element.
    fn read_inside(&mut self, token: &Token<'t>) -> Result<(), usize> {
        if token.follows_text {
            self.lead = start_of_line(self.text, token.bytes.start);
        }
        match token.kind {
            TokenKind::Comment => {}
            TokenKind::Characters => self.lead = token.bytes.end,
            TokenKind::Empty => self.leaf(token.name, token.bytes.end),
            TokenKind::Start if self.tokens.is_leaf() => {
                let end = loop {
                    let inner = self.tokens.next()?;
                    if inner.kind == TokenKind::End {
                        break inner;
                    }
                };
                if end.name != token.name {
                    return Err(end.bytes.start);
                }
                self.leaf(token.name, end.bytes.end);
            }
            TokenKind::Start => {
                if self.open.len() == MAX_OPEN {
                    return Err(token.bytes.start);
                }
                self.units.open(self.lead, token.name, Unit::Container);
                self.enter(token.name, token.bytes.end);
            }
            TokenKind::End => {
                if self.open.pop() != Some(token.name) {
                    return Err(token.bytes.start);
                }
                self.lead = end_of_line(self.text, token.bytes.end);
                if !self.open.is_empty() {
                    self.units.close(self.lead);
                }
            }
            TokenKind::DocumentType | TokenKind::Finish => return Err(token.bytes.start),
        }
        Ok(())
    }

    fn enter(&mut self, name: &'t str, end: usize) {
        self.open.push(name);
        self.lead = end_of_line(self.text, end);
    }

    /// Reports an element without elements inside, by its end.
    fn leaf(&mut self, name: &str, end: usize) {
        let bytes = self.lead..end_of_line(self.text, end);
        self.lead = bytes.end;
        self.units.value(bytes, Title::Key(name));
    }
}

/// Returns the tags that close the elements that are open at the end of a text.
pub(super) fn closings(text: &str) -> String {
    let mut tokens = Tokens::new(text);
    let mut open = Vec::new();
    while let Ok(token) = tokens.next() {
        match token.kind {
            TokenKind::Start => open.push(token.name),
            TokenKind::End => {
                open.pop();
            }
            TokenKind::Finish => break,
            _ => {}
        }
    }
    open.iter().rev().flat_map(|name| ["</", name, ">"]).collect()
}

#[cfg(test)]
mod tests {
    use crate::{Characters, ChunkLimits, MediaType, SplitOptions, split};

    /// Returns the section and the content of each chunk, with limits that merge nothing.
    fn chunks(text: &str) -> Vec<(String, &str)> {
        let limits = ChunkLimits { min: 0, preferred: 1, max: 30, window: 30 };
        let document =
            split(text, &MediaType::new("text/xml"), &SplitOptions::new(limits), &Characters);
        let document = document.unwrap();
        assert_eq!(document.syntax_error, None, "{text}");
        let shown = |chunk: &crate::Chunk<'_>| chunk.section.join("/");
        document.chunks.iter().map(|chunk| (shown(chunk), chunk.content)).collect()
    }

    /// Returns the column of the syntax error of a text of one line.
    fn error(text: &str) -> Option<usize> {
        let options = SplitOptions::new(ChunkLimits::CHARACTERS);
        let document = split(text, &MediaType::new("text/xml"), &options, &Characters).unwrap();
        document.syntax_error.map(|error| error.column)
    }

    #[test]
    fn an_element_has_the_section_of_its_name() {
        let text = "<a>\n  <b>one</b>\n  <!-- c -->\n  <b x='/>'/>\n  <d><e>1234567</e><f>\u{e9}</f></d>\n</a>\n";
        let expected = [
            ("a", "<a>\n"),
            ("a/b", "  <b>one</b>\n"),
            ("a/b (2)", "  <!-- c -->\n  <b x=\"/>\"/>\n"),
            ("a/d", "  <d>"),
            ("a/d/e", "<e>1234567</e>"),
            ("a/d/f", "<f>\u{e9}</f>"),
            ("a/d", "</d>\n"),
            ("a", "</a>\n"),
        ];
        let text = text.replace('\'', "\"");
        let found = chunks(&text);
        let found: Vec<_> = found.iter().map(|(section, text)| (&**section, *text)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn only_well_formed_documents_have_elements() {
        for valid in [
            "<a/>",
            "\u{feff}<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b \"]>\"><!-- ' -->]><a>&b;</a> ",
            "<a><![CDATA[<b></c>]]><?php <d> ?><!-- <e> --></a><!-- f -->",
            "<a b = '>' c=\"/\">d > e</a >",
        ] {
            assert_eq!(error(valid), None, "{valid}");
        }
        for (text, column) in [
            ("", 1),
            ("words", 1),
            ("<a>", 4),
            ("<a></b>", 4),
            ("<a/><b/>", 5),
            ("<a/>text", 5),
            ("x<a/>", 1),
            ("<a><b></a></b>", 7),
            ("<a b='>", 1),
            ("<a><!-- </a>", 4),
            ("<a>1 < 2</a>", 6),
            ("<a><?>?></a>", 4),
        ] {
            assert_eq!(error(text), Some(column), "{text}");
        }
    }
}
