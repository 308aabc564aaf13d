//! Events: parses a TOML document into headers, keys and values in document order.

use crate::interrupt;
use std::{borrow::Cow, ops::Range};
use toml_parser::{
    ErrorSink, ParseError, Raw, Source, Span,
    decoder::Encoding,
    parser::{EventReceiver, RecursionGuard, ValidateWhitespace, parse_document},
};

/// The maximum depth of arrays and inline tables, because the parser recurses.
const MAX_DEPTH: u32 = 128;

/// The approximate number of bytes per token, which sizes the list of tokens.
const BYTES_A_TOKEN: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventKind {
    /// The opening bracket or brackets of a table's header.
    Header,
    Key,
    Scalar,
    /// The opening bracket of an array.
    Array,
    /// The opening bracket of an inline table.
    InlineTable,
    Comma,
    /// The closing bracket of an array or inline table.
    Close,
}

pub(super) struct Event {
    pub(super) kind: EventKind,
    pub(super) bytes: Range<usize>,
    encoding: Option<Encoding>,
}

/// Returns the events of a document, or the offset of its syntax error.
pub(super) fn read(text: &str) -> Result<Vec<Event>, usize> {
    let source = Source::new(text);
    let mut tokens = Vec::with_capacity(text.len() / BYTES_A_TOKEN);
    tokens.extend(source.lex().inspect(|_| interrupt::poll()));
    let mut events = Events { source, events: Vec::with_capacity(tokens.len() / 2) };
    let mut error = None::<ParseError>;
    let mut guarded = RecursionGuard::new(&mut events, MAX_DEPTH);
    let mut checked = ValidateWhitespace::new(&mut guarded, source);
    parse_document(&tokens, &mut checked, &mut error);
    match error {
        Some(error) => {
            let offset = error.unexpected().or(error.context()).map_or(0, |span| span.start());
            Err(offset.min(text.len()))
        }
        None => Ok(events.events),
    }
}

/// Returns the decoded text of a key.
pub(super) fn key<'t>(text: &'t str, event: &Event) -> Cow<'t, str> {
    let written = &text[event.bytes.clone()];
    if event.encoding.is_none() {
        return Cow::Borrowed(written);
    }
    let mut key = Cow::Borrowed("");
    let span = Span::new_unchecked(0, written.len());
    Raw::new_unchecked(written, event.encoding, span).decode_key(&mut key, &mut ());
    key
}

struct Events<'t> {
    source: Source<'t>,
    events: Vec<Event>,
}

impl Events<'_> {
    fn push(&mut self, kind: EventKind, span: Span, encoding: Option<Encoding>) {
        interrupt::poll();
        self.events.push(Event { kind, bytes: span.start()..span.end(), encoding });
    }
}

impl EventReceiver for Events<'_> {
    fn std_table_open(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.push(EventKind::Header, span, None);
    }

    fn array_table_open(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.push(EventKind::Header, span, None);
    }

    fn inline_table_open(&mut self, span: Span, _: &mut dyn ErrorSink) -> bool {
        self.push(EventKind::InlineTable, span, None);
        true
    }

    fn inline_table_close(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.push(EventKind::Close, span, None);
    }

    fn array_open(&mut self, span: Span, _: &mut dyn ErrorSink) -> bool {
        self.push(EventKind::Array, span, None);
        true
    }

    fn array_close(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.push(EventKind::Close, span, None);
    }

    fn simple_key(&mut self, span: Span, encoding: Option<Encoding>, error: &mut dyn ErrorSink) {
        if let Some(raw) = self.source.get(span) {
            let raw = Raw::new_unchecked(raw.as_str(), encoding, span);
            if !(encoding.is_none() && is_bare_key(raw.as_bytes())) {
                raw.decode_key(&mut (), error);
            }
        }
        self.push(EventKind::Key, span, encoding);
    }

    fn scalar(&mut self, span: Span, encoding: Option<Encoding>, error: &mut dyn ErrorSink) {
        // The parser accepts any word as a scalar, and any escape.
        if let Some(raw) = self.source.get(span) {
            let raw = Raw::new_unchecked(raw.as_str(), encoding, span);
            if !(encoding == Some(Encoding::BasicString) && is_plain(raw.as_bytes())) {
                let _ = raw.decode_scalar(&mut (), error);
            }
        }
        self.push(EventKind::Scalar, span, encoding);
    }

    fn value_sep(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.push(EventKind::Comma, span, None);
    }

    // The following are not events, but a document may consist of them, so they poll.

    fn newline(&mut self, _: Span, _: &mut dyn ErrorSink) {
        interrupt::poll();
    }

    /// Receives each token that the parser skips between an error and the end of its line.
    fn error(&mut self, _: Span, _: &mut dyn ErrorSink) {
        interrupt::poll();
    }
}

// Most keys and strings have the simplest form, whose decoding took a seventh of the time.

fn is_bare_key(key: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    !key.is_empty() && key.iter().all(is_part)
}

/// Returns whether a basic string has neither escapes nor control characters.
///
/// The lexer has checked its quotes, but the last one may be missing.
fn is_plain(string: &[u8]) -> bool {
    let is_special = |byte: u8| byte == b'\\' || byte < b' ' || byte == 0x7f;
    let special = string.iter().fold(false, |any, byte| any | is_special(*byte));
    !special && string.len() > 1 && string.ends_with(b"\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interrupt::tests::polls_of;

    #[test]
    fn newlines_and_skipped_tokens_poll() {
        for part in ["[", "=", "\n"] {
            let text = part.repeat(1_000);
            let polls = polls_of(|| read(&text).err());
            assert!(polls >= 1_900, "{part:?}: {polls}");
        }
    }
}
