//! A decoded text, and the error of bytes that are not in their encoding.

use std::borrow::Cow;
use std::fmt;

/// The name of the default encoding.
pub const UTF_8: &str = "UTF-8";

/// A text with the encoding that it had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedText<'b> {
    /// The text.
    pub text: Cow<'b, str>,
    /// The name of the encoding, such as `UTF-8`.
    pub encoding: &'static str,
}

/// The bytes of a text are not in its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// The name of the encoding.
    pub encoding: &'static str,
    /// The offset of the first invalid byte; `None` if it is unknown.
    pub offset: Option<usize>,
}

impl std::error::Error for DecodeError {}

impl fmt::Display for DecodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "not {}", self.encoding)?;
        self.offset.map_or(Ok(()), |offset| write!(formatter, ": byte {offset}"))
    }
}
