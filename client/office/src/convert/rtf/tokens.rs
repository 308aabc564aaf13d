//! The tokens of Rich Text: braces, control words with their numbers, and bytes of text.

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'b> {
    Open,
    Close,
    /// A control word or a control sign, without its backslash.
    Word(&'b str, Option<i32>),
    /// A byte of text in the code page.
    Byte(u8),
}

/// An iterator over the tokens of a document. Binary data is left out.
pub(super) struct Tokens<'b> {
    rest: &'b [u8],
}

impl<'b> Tokens<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Takes bytes at the beginning as long as they are of a kind.
    fn take_while(&mut self, is_kind: impl Fn(u8) -> bool) -> &'b str {
        let end = self.rest.iter().position(|byte| !is_kind(*byte)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        std::str::from_utf8(taken).unwrap_or_default()
    }

    /// Reads what follows a backslash.
    fn control(&mut self) -> Option<Token<'b>> {
        let word = self.take_while(|byte| byte.is_ascii_alphabetic());
        if word.is_empty() {
            let (sign, rest) = self.rest.split_first()?;
            self.rest = rest;
            return Some(match sign {
                b'\'' => {
                    let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
                    self.rest = rest.get(2..).unwrap_or_default();
                    let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                    Token::Byte(byte.unwrap_or(b' '))
                }
                b'\\' | b'{' | b'}' => Token::Byte(*sign),
                b'\n' | b'\r' => Token::Word("par", None),
                b'~' => Token::Word("~", None),
                b'_' => Token::Word("_", None),
                b'*' => Token::Word("*", None),
                _ => Token::Word("", None),
            });
        }
        let is_negative = self.rest.starts_with(b"-");
        if is_negative {
            self.rest = &self.rest[1..];
        }
        let number: Option<i32> = self.take_while(|byte| byte.is_ascii_digit()).parse().ok();
        let number = number.map(|number| if is_negative { -number } else { number });
        self.rest = self.rest.strip_prefix(b" ").unwrap_or(self.rest);
        if word == "bin" {
            let length = usize::try_from(number.unwrap_or(0)).unwrap_or(0);
            self.rest = self.rest.get(length..).unwrap_or_default();
        }
        Some(Token::Word(word, number))
    }
}

impl<'b> Iterator for Tokens<'b> {
    type Item = Token<'b>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            return Some(match byte {
                b'{' => Token::Open,
                b'}' => Token::Close,
                b'\\' => return self.control(),
                // Ends of lines are of the file, not of the text.
                b'\r' | b'\n' | 0 => continue,
                byte => Token::Byte(*byte),
            });
        }
    }
}
