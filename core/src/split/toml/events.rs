//! What a TOML document is made of, in order.

use crate::interrupt;
use std::{borrow::Cow, ops::Range};
use toml_parser::{
    ErrorSink, ParseError, Raw, Source, Span,
    decoder::Encoding,
    parser::{EventReceiver, RecursionGuard, ValidateWhitespace, parse_document},
};

/// The deepest array or inline table: the parser recurses.
const MOST_DEPTH: u32 = 128;

/// About how long a token is, so that the list of them need not grow.
const BYTES_A_TOKEN: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The bracket or brackets that open the header of a table.
    Header,
    Key,
    Scalar,
    /// The bracket that opens an array.
    Array,
    /// The bracket that opens an inline table.
    InlineTable,
    Comma,
    /// The bracket that closes an array or inline table.
    Close,
}

pub(super) struct Event {
    pub(super) kind: Kind,
    pub(super) bytes: Range<usize>,
    encoding: Option<Encoding>,
}

/// Reads a document, or tells at which byte it is none.
pub(super) fn read(text: &str) -> Result<Vec<Event>, usize> {
    let source = Source::new(text);
    let mut tokens = Vec::with_capacity(text.len() / BYTES_A_TOKEN);
    tokens.extend(source.lex().inspect(|_| interrupt::poll()));
    let mut events = Events { source, events: Vec::with_capacity(tokens.len() / 2) };
    let mut error = None::<ParseError>;
    let mut guarded = RecursionGuard::new(&mut events, MOST_DEPTH);
    let mut checked = ValidateWhitespace::new(&mut guarded, source);
    parse_document(&tokens, &mut checked, &mut error);
    match error {
        Some(error) => {
            let place = error.unexpected().or(error.context()).map_or(0, |span| span.start());
            Err(place.min(text.len()))
        }
        None => Ok(events.events),
    }
}

/// Returns the title that a key is.
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
    fn push(&mut self, kind: Kind, span: Span, encoding: Option<Encoding>) {
        interrupt::poll();
        self.events.push(Event { kind, bytes: span.start()..span.end(), encoding });
    }
}

impl EventReceiver for Events<'_> {
    fn std_table_open(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.push(Kind::Header, span, None);
    }

    fn array_table_open(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.push(Kind::Header, span, None);
    }

    fn inline_table_open(&mut self, span: Span, _: &mut dyn ErrorSink) -> bool {
        self.push(Kind::InlineTable, span, None);
        true
    }

    fn inline_table_close(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.push(Kind::Close, span, None);
    }

    fn array_open(&mut self, span: Span, _: &mut dyn ErrorSink) -> bool {
        self.push(Kind::Array, span, None);
        true
    }

    fn array_close(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.push(Kind::Close, span, None);
    }

    fn simple_key(&mut self, span: Span, encoding: Option<Encoding>, error: &mut dyn ErrorSink) {
        if let Some(raw) = self.source.get(span) {
            let raw = Raw::new_unchecked(raw.as_str(), encoding, span);
            if !(encoding.is_none() && is_bare_key(raw.as_bytes())) {
                raw.decode_key(&mut (), error);
            }
        }
        self.push(Kind::Key, span, encoding);
    }

    fn scalar(&mut self, span: Span, encoding: Option<Encoding>, error: &mut dyn ErrorSink) {
        // The parser takes any word for a scalar, and any escape.
        if let Some(raw) = self.source.get(span) {
            let raw = Raw::new_unchecked(raw.as_str(), encoding, span);
            if !(encoding == Some(Encoding::BasicString) && is_plain(raw.as_bytes())) {
                let _ = raw.decode_scalar(&mut (), error);
            }
        }
        self.push(Kind::Scalar, span, encoding);
    }

    fn value_sep(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.push(Kind::Comma, span, None);
    }

    // Neither is an event, but a document may consist of them.

    fn newline(&mut self, _: Span, _: &mut dyn ErrorSink) {
        interrupt::poll();
    }

    /// Receives each token that the parser skips up to the end of a line with an error.
    fn error(&mut self, _: Span, _: &mut dyn ErrorSink) {
        interrupt::poll();
    }
}

// Most keys and strings are of the simplest form. Decoding those took a seventh of the whole time.

fn is_bare_key(key: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    !key.is_empty() && key.iter().all(is_part)
}

/// Tells whether a basic string has no escape or control character. Its quotes are in order, or it
/// would not be a token of that kind, but it may lack the last.
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
    fn tokens_that_are_skipped_or_are_no_event_are_polled_for() {
        for part in ["[", "=", "\n"] {
            let text = part.repeat(1_000);
            let polls = polls_of(|| read(&text).err());
            assert!(polls >= 1_900, "{part:?}: {polls}");
        }
    }
}
