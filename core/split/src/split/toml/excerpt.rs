//! The excerpt of TOML.

use crate::{
    interrupt,
    split::excerpt::{Between, DataToken, Excerpt, entries},
};
use toml_parser::{Source, lexer::TokenKind};

/// Returns the items of an array, or the entries of an inline table, in a run of chunks of a TOML
/// document.
pub(crate) fn excerpt(text: &str) -> Option<Excerpt> {
    let mut tokens = Source::new(text).lex().inspect(|_| interrupt::poll()).peekable();
    let tokens = std::iter::from_fn(|| {
        loop {
            let token = tokens.next()?;
            let (start, mut end) = (token.span().start(), token.span().end());
            let piece = match token.kind() {
                TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => DataToken::Open,
                TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => DataToken::Close,
                TokenKind::Comma => DataToken::Comma,
                TokenKind::Equals => DataToken::Separator,
                TokenKind::Newline => DataToken::LineEnd,
                TokenKind::Whitespace | TokenKind::Comment => continue,
                TokenKind::Eof => return None,
                _ => {
                    // A dotted key, a float or a date is one scalar.
                    let is_part = |kind| !is_structure(kind);
                    while let Some(next) = tokens.next_if(|next| is_part(next.kind())) {
                        end = next.span().end();
                    }
                    end = start + text[start..end].trim_end().len();
                    DataToken::Scalar
                }
            };
            return Some(Some((piece, start..end)));
        }
    });
    entries(text, Between::Commas, tokens)
}

/// Returns whether a token ends a scalar.
fn is_structure(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::LeftSquareBracket
            | TokenKind::LeftCurlyBracket
            | TokenKind::RightSquareBracket
            | TokenKind::RightCurlyBracket
            | TokenKind::Comma
            | TokenKind::Equals
            | TokenKind::Newline
            | TokenKind::Comment
            | TokenKind::Eof
    )
}
