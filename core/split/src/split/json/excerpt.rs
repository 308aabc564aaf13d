//! The excerpt of JSON.

use super::tokens::{TokenKind, Tokens};
use crate::interrupt;
use crate::split::excerpt::{Between, DataToken, Excerpt, entries};
use std::ops::Range;

/// Returns the entries in a run of chunks of a JSON document, or of JSON lines.
pub(crate) fn excerpt(text: &str, are_lines: bool) -> Option<Excerpt> {
    let between = if are_lines { Between::Lines } else { Between::Commas };
    entries(text, between, pieces(text))
}

/// Returns the entries in a run of chunks in the flow style of YAML, which is nearly JSON. Lines in block
/// style may precede them.
pub(crate) fn flow_excerpt(text: &str) -> Option<Excerpt> {
    let plain = without_comments(text);
    let is_dash = |piece: &Option<(DataToken, Range<usize>)>| {
        piece
            .as_ref()
            .is_some_and(|(_, bytes)| plain[bytes.clone()].bytes().all(|byte| byte == b'-'))
    };
    let excerpt = entries(text, Between::Blocks, pieces(&plain).filter(|piece| !is_dash(piece)))?;
    let has_bracket = plain[..excerpt.bytes.start].contains(['{', '[']);
    let is_all = plain[excerpt.bytes.end..].trim().is_empty();
    // Block style has no brackets, and a comma may end a word of it.
    let is_block = !has_bracket && (is_all || plain.trim_start().starts_with("- "));
    (!is_block).then_some(excerpt)
}

/// Replaces the comments of YAML by as many spaces.
fn without_comments(text: &str) -> String {
    let mut plain = text.as_bytes().to_vec();
    let (mut quote, mut is_comment, mut before) = (None, false, b'\n');
    for byte in &mut plain {
        interrupt::poll();
        let this = *byte;
        match (quote, this) {
            _ if is_comment => {
                is_comment = this != b'\n';
                *byte = if is_comment { b' ' } else { this };
            }
            (None, b'"' | b'\'') => quote = Some(this),
            // A directive is a line too.
            (None, b'%') if before == b'\n' => {
                is_comment = true;
                *byte = b' ';
            }
            (None, b'#') if before.is_ascii_whitespace() => {
                is_comment = true;
                *byte = b' ';
            }
            (Some(open), _) if this == open && !(open == b'"' && before == b'\\') => quote = None,
            _ => {}
        }
        // An escaped backslash escapes nothing.
        before = if before == b'\\' && this == b'\\' { b' ' } else { this };
    }
    String::from_utf8(plain).expect("whole characters are replaced")
}

fn pieces(text: &str) -> impl Iterator<Item = Option<(DataToken, Range<usize>)>> {
    let mut tokens = Tokens::new(text);
    std::iter::from_fn(move || {
        let Ok(token) = tokens.next() else { return Some(None) };
        let piece = match token.kind {
            TokenKind::OpenBrace | TokenKind::OpenBracket => DataToken::Open,
            TokenKind::CloseBrace | TokenKind::CloseBracket => DataToken::Close,
            TokenKind::Comma => DataToken::Comma,
            TokenKind::Colon => DataToken::Separator,
            TokenKind::String | TokenKind::Literal | TokenKind::Word => DataToken::Scalar,
            TokenKind::End => return None,
        };
        Some(Some((piece, token.bytes)))
    })
}
