//! The types of the definition of a group of arguments.

use passage_split::MAX_LIMIT;

/// The maximum number of offsets in a text.
pub const MAX_OFFSETS: usize = 100_000;

/// The maximum of an offset: PostgreSQL has no longer texts.
pub const MAX_OFFSET: i64 = (1 << 30) - 1;

/// A group of arguments.
#[derive(Debug, PartialEq)]
pub struct ArgumentGroup {
    /// The name of the argument, and of its constructor in SQL.
    pub name: &'static str,
    /// The decision that the group makes.
    pub meaning: &'static str,
    /// The keys, in the order of the constructor's arguments.
    pub keys: &'static [ArgumentKey],
}

/// A key of a group.
#[derive(Debug, PartialEq)]
pub struct ArgumentKey {
    /// The name.
    pub name: &'static str,
    /// The type and the range.
    pub value: ArgumentType,
    /// The meaning of the value, with its default.
    pub meaning: &'static str,
}

/// The type of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArgumentType {
    /// A text.
    Text,
    /// A text, or in JSON a list of texts of which any may apply.
    Texts,
    /// Two texts.
    TwoTexts,
    /// A list of at most [`MAX_OFFSETS`] places in a text, each a number of bytes.
    Offsets,
    /// One of some words.
    Word(&'static [&'static str]),
    /// An integer from 0 to [`MAX_LIMIT`].
    Limit,
    /// An integer from 0 to [`MAX_LIMIT`], or in JSON another word.
    LimitOr(&'static str),
    /// A number in a range.
    Number(f64, f64),
    /// A truth value.
    Boolean,
    /// An object.
    Object,
}

impl ArgumentGroup {
    /// Returns a key by its name.
    ///
    /// ```
    /// use passage_core::arguments::{ArgumentType, RANKING};
    ///
    /// assert_eq!(RANKING.key("candidates").unwrap().value, ArgumentType::Limit);
    /// assert!(RANKING.key("parents").is_none());
    /// ```
    pub fn key(&self, name: &str) -> Option<&ArgumentKey> {
        self.keys.iter().find(|key| key.name == name)
    }
}

impl ArgumentType {
    /// Returns the name of the SQL type that a constructor takes.
    pub fn sql_type(self) -> &'static str {
        match self {
            Self::Text | Self::Texts | Self::Word(_) => "text",
            Self::TwoTexts => "text[]",
            Self::Offsets => "integer[]",
            Self::Limit | Self::LimitOr(_) => "integer",
            Self::Number(..) => "double precision",
            Self::Boolean => "boolean",
            Self::Object => "jsonb",
        }
    }

    /// Returns the range or the words, as a COMMENT and the reference say them. Empty without any.
    pub fn range(self) -> String {
        match self {
            Self::Word(words) => match words {
                [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
                words => words.join(", "),
            },
            Self::Limit => format!("0 to {MAX_LIMIT}"),
            Self::LimitOr(word) => format!("0 to {MAX_LIMIT}, in JSON also {word}"),
            Self::Number(min, max) => format!("{min} to {max}"),
            Self::Texts => "in JSON also a list".to_owned(),
            Self::TwoTexts => "two texts".to_owned(),
            Self::Offsets => format!("at most {MAX_OFFSETS}"),
            Self::Text | Self::Boolean | Self::Object => String::new(),
        }
    }
}
