//! Words that arguments take, each of them a value of a type.

/// Gives a type `from_name` and `name`: the argument, what it may be as a hint lists it, and each
/// word with its value.
macro_rules! sql_enum {
    ($type:ident, $argument:literal, $valid:literal, $($name:literal => $value:ident),+) => {
        impl $type {
            /// Returns what a name stands for.
            ///
            /// # Errors
            ///
            /// Returns [`Error::UnknownValue`](crate::Error::UnknownValue) for any other word.
            pub fn from_name(name: &str) -> Result<Self, $crate::Error> {
                match name {
                    $($name => Ok(Self::$value),)+
                    _ => Err($crate::Error::UnknownValue {
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

pub(crate) use sql_enum;
