/*!
Tokens: reads the tokens of a JSON document and skips its comments.

The reader also accepts JSON5: comments, single quotes, bare words as keys, hexadecimal and signed
numbers, any escape. It decodes escapes only in keys, and skips other strings at the speed of memory.
No library does this. The scanner of `jsonc-parser` decodes every string, and twice if it has an
escape, so a string of one gigabyte needs two more. It also rejects lone surrogates, which the
grammar of JSON allows.

Its twin in SQL is `sql/edition/json.sql`.
*/

use crate::interrupt;
use std::{borrow::Cow, ops::Range};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    Comma,
    Colon,
    String,
    /// A number, `true`, `false` or `null`.
    Literal,
    /// Any other word, which is valid only as a key.
    Word,
    /// The end of the document.
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) bytes: Range<usize>,
}

/// Reads the tokens of a document one by one. An error is the offset of invalid text.
pub(super) struct Tokens<'t> {
    text: &'t str,
    at: usize,
    peeked: Option<Token>,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, peeked: None }
    }

    pub(super) fn next(&mut self) -> Result<Token, usize> {
        match self.peeked.take() {
            Some(token) => Ok(token),
            None => self.read(),
        }
    }

    pub(super) fn peek(&mut self) -> Result<&Token, usize> {
        let token = self.next()?;
        Ok(self.peeked.insert(token))
    }

    fn read(&mut self) -> Result<Token, usize> {
        interrupt::poll();
        self.skip_blanks()?;
        let start = self.at;
        let Some(first) = self.text.as_bytes().get(start) else {
            return Ok(Token { kind: TokenKind::End, bytes: start..start });
        };
        let (kind, end) = match first {
            b'{' => (TokenKind::OpenBrace, start + 1),
            b'}' => (TokenKind::CloseBrace, start + 1),
            b'[' => (TokenKind::OpenBracket, start + 1),
            b']' => (TokenKind::CloseBracket, start + 1),
            b',' => (TokenKind::Comma, start + 1),
            b':' => (TokenKind::Colon, start + 1),
            b'"' | b'\'' => (TokenKind::String, self.end_of_string(start)?),
            _ => self.word(start)?,
        };
        self.at = end;
        Ok(Token { kind, bytes: start..end })
    }

    /// Skips white space and comments.
    fn skip_blanks(&mut self) -> Result<(), usize> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\t'..=b'\r') => self.at += 1,
                Some(b'/') => self.at = comment_end(self.text, self.at).ok_or(self.at)?,
                Some(0x80..) => match self.text[self.at..].chars().next() {
                    Some(blank) if blank.is_whitespace() || blank == '\u{feff}' => {
                        self.at += blank.len_utf8();
                    }
                    _ => return Ok(()),
                },
                _ => return Ok(()),
            }
        }
    }

    /// Returns the end of the string that begins at a quote; it must end on its line.
    fn end_of_string(&self, start: usize) -> Result<usize, usize> {
        let bytes = self.text.as_bytes();
        let quote = bytes[start];
        let mut at = start + 1;
        loop {
            let offset = memchr::memchr3(quote, b'\\', b'\n', &bytes[at..]).ok_or(start)?;
            at += offset;
            match (bytes[at], bytes.get(at + 1)) {
                (b'\\', Some(b'u')) if !is_hexadecimal(bytes.get(at + 2..at + 6)) => {
                    return Err(at);
                }
                (b'\\', Some(b'x')) if !is_hexadecimal(bytes.get(at + 2..at + 4)) => {
                    return Err(at);
                }
                (b'\\', Some(b'\r')) if bytes.get(at + 2) == Some(&b'\n') => at += 3,
                (b'\\', _) => at += 2,
                (b'\n', _) => return Err(at),
                _ => return Ok(at + 1),
            }
            if at > bytes.len() {
                return Err(start);
            }
        }
    }

    /// Returns the kind and the end of the word at an offset.
    fn word(&self, start: usize) -> Result<(TokenKind, usize), usize> {
        let text = &self.text[start..];
        let is_part = |char: char| match char {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '$' | '-' | '+' | '.' => true,
            _ => !char.is_ascii() && !char.is_whitespace(),
        };
        let end = text.find(|char| !is_part(char)).unwrap_or(text.len());
        if end == 0 {
            return Err(start);
        }
        let word = &text[..end];
        let is_literal = matches!(word, "true" | "false" | "null") || is_number(word.as_bytes());
        Ok((if is_literal { TokenKind::Literal } else { TokenKind::Word }, start + end))
    }
}

/// Returns the unescaped key of a token, or `None` if the token is not a key.
pub(super) fn key<'t>(text: &'t str, token: &Token) -> Option<Cow<'t, str>> {
    let written = &text[token.bytes.clone()];
    match token.kind {
        TokenKind::String => Some(unescaped(&written[1..written.len() - 1])),
        TokenKind::Word | TokenKind::Literal => Some(Cow::Borrowed(written)),
        _ => None,
    }
}

/// Returns the end of the comment that begins at a slash, if it is a comment.
pub(super) fn comment_end(text: &str, start: usize) -> Option<usize> {
    let rest = &text.as_bytes()[start..];
    match rest.get(1)? {
        b'/' => Some(start + memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())),
        b'*' => Some(start + memchr::memmem::find(&rest[2..], b"*/")? + 4),
        _ => None,
    }
}

fn is_hexadecimal(digits: Option<&[u8]>) -> bool {
    digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// Returns whether a word is a number of JSON5, which includes those of JSON.
fn is_number(word: &[u8]) -> bool {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let word = word.strip_prefix(b"-").or(word.strip_prefix(b"+")).unwrap_or(word);
    if let [b'0', b'x' | b'X', hexadecimal @ ..] = word {
        return !hexadecimal.is_empty() && is_hexadecimal(Some(hexadecimal));
    }
    let whole = digits(word);
    if whole > 1 && word[0] == b'0' {
        return false;
    }
    let mut rest = &word[whole..];
    let mut any = whole;
    if let [b'.', behind @ ..] = rest {
        any += digits(behind);
        rest = &behind[digits(behind)..];
    }
    if any == 0 {
        return matches!(word, b"Infinity" | b"NaN");
    }
    match rest {
        [] => true,
        [b'e' | b'E', b'-' | b'+', power @ ..] | [b'e' | b'E', power @ ..] => {
            !power.is_empty() && digits(power) == power.len()
        }
        _ => false,
    }
}

/// Resolves the escapes of a valid string; a lone surrogate stays as written.
fn unescaped(written: &str) -> Cow<'_, str> {
    let Some((plain, mut rest)) = written.split_once('\\') else { return Cow::Borrowed(written) };
    let mut whole = plain.to_owned();
    loop {
        let mut chars = rest.chars();
        let escaped = chars.next().expect("a string does not end within an escape");
        let behind = chars.as_str();
        let (char, length) = match escaped {
            'b' => (Some('\u{8}'), 0),
            'f' => (Some('\u{c}'), 0),
            'n' => (Some('\n'), 0),
            'r' => (Some('\r'), 0),
            't' => (Some('\t'), 0),
            'v' => (Some('\u{b}'), 0),
            '0' => (Some('\0'), 0),
            'x' => (char::from_u32(hexadecimal(&behind[..2])), 2),
            'u' => code_point(behind),
            // A continued line.
            '\n' => (None, 0),
            '\r' => (None, usize::from(behind.starts_with('\n'))),
            other => (Some(other), 0),
        };
        match char {
            Some(char) => whole.push(char),
            None if escaped == 'u' => whole.extend(["\\u", &behind[..length]]),
            None => {}
        }
        rest = &behind[length..];
        let Some((plain, next)) = rest.split_once('\\') else {
            whole.push_str(rest);
            return Cow::Owned(whole);
        };
        whole.push_str(plain);
        rest = next;
    }
}

/// Returns the character of four digits or of two surrogates, and their length.
fn code_point(digits: &str) -> (Option<char>, usize) {
    let first = hexadecimal(&digits[..4]);
    let second = digits[4..].strip_prefix("\\u").map(|second| hexadecimal(&second[..4]));
    match second {
        Some(second @ 0xdc00..=0xdfff) if (0xd800..=0xdbff).contains(&first) => {
            (char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)), 10)
        }
        _ => (char::from_u32(first), 4),
    }
}

fn hexadecimal(digits: &str) -> u32 {
    u32::from_str_radix(digits, 16).expect("the digits are valid")
}
