//! The words that arguments take.

use super::{CountBy, Siblings, Within};
use crate::Error;

macro_rules! words {
    ($type:ident, $argument:literal, $valid:literal, $($name:literal => $value:ident),+) => {
        impl $type {
            /// Returns what a name stands for.
            ///
            /// # Errors
            ///
            /// Returns [`Error::UnknownValue`] for any other word.
            pub fn from_name(name: &str) -> Result<Self, Error> {
                match name {
                    $($name => Ok(Self::$value),)+
                    _ => Err(Error::UnknownValue {
                        argument: $argument,
                        value: name.to_owned(),
                        valid: $valid,
                    }),
                }
            }

            /// Returns the name that a call gives.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }
        }
    };
}

words!(Siblings, "siblings", r#""parent" and "section""#, "parent" => Parent, "section" => Section);
words!(
    Within, "within", r#""document", "parent" and "section""#,
    "document" => Document, "parent" => Parent, "section" => Section
);
words!(CountBy, "count_by", r#""chunks" and "tokens""#, "chunks" => Chunks, "tokens" => Tokens);
