//! Errors of requests, and the macro that gives enums their SQL names.

/// An invalid request.
///
/// The messages follow PostgreSQL's style: lower case, no full stop. The extension adds SQLSTATE and
/// HINT.
///
/// ```
/// use passage_core::{Error, Strategy, StrategyOverrides};
///
/// let mut strategy = Strategy::preset("broad").unwrap();
/// let overrides = StrategyOverrides { parents: Some(-1), ..StrategyOverrides::default() };
/// let error = overrides.apply(&mut strategy).unwrap_err();
/// assert_eq!(error.to_string(), "\"parents\" is out of range: -1");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The strategy is neither a preset nor a custom strategy of the store.
    #[error("unrecognized strategy \"{0:.100}\"")]
    UnknownStrategy(String),
    /// The argument does not accept this word.
    #[error("unrecognized value for \"{argument}\": \"{value:.100}\"")]
    UnknownValue {
        /// The argument's name.
        argument: &'static str,
        /// The rejected word.
        value: String,
        /// The valid words, as the HINT lists them.
        valid: &'static str,
    },
    /// An integer limit is below zero or above its maximum.
    #[error("\"{argument}\" is out of range: {value}")]
    OutOfRange {
        /// The argument's name.
        argument: &'static str,
        /// The rejected value.
        value: i64,
        /// The maximum.
        max: i64,
    },
    /// A number, such as a share or a weight, is outside its range or NaN.
    #[error("\"{argument}\" is out of range: {value}")]
    NumberOutOfRange {
        /// The argument's name.
        argument: &'static str,
        /// The rejected value.
        value: f64,
        /// The minimum.
        min: f64,
        /// The maximum.
        max: f64,
    },
    /// A text that names or filters documents has more than [`MAX_NAME`](crate::strategy::MAX_NAME) bytes.
    #[error("\"{argument}\" must have at most {max} bytes, not {length}")]
    TooLong {
        /// The argument's name.
        argument: &'static str,
        /// The length in bytes.
        length: usize,
        /// The maximum in bytes.
        max: usize,
    },
    /// The argument `windows` is not an object that maps kinds to widths.
    #[error("\"windows\" must be an object of kinds and numbers of chunks")]
    InvalidWindows,
    /// The argument is not a JSON object.
    #[error("\"{argument}\" must be a JSON object")]
    NotAnObject {
        /// The argument's name.
        argument: &'static str,
    },
    /// The JSON object does not accept this key.
    #[error("unrecognized key \"{key:.100}\" in \"{argument}\"")]
    UnknownKey {
        /// The argument's name.
        argument: &'static str,
        /// The rejected key.
        key: String,
        /// The valid keys.
        keys: Vec<&'static str>,
    },
    /// The value of a key in a JSON object has another type.
    #[error("\"{key}\" in \"{argument}\" must be {expected}")]
    KeyType {
        /// The argument's name.
        argument: &'static str,
        /// The key.
        key: &'static str,
        /// The required type, as the message names it.
        expected: &'static str,
    },
    /// The value of a key in a JSON object is nested too deeply, or has a number outside double precision.
    #[error("\"{key:.100}\" in \"{argument}\" is nested too deeply or has a number out of range")]
    UnreadableValue {
        /// The argument's name.
        argument: &'static str,
        /// The key.
        key: String,
    },
    /// An operator of the filter `metadata` has a value that it cannot compare, or is at a place without a value.
    #[error("\"{operator:.100}\" for key \"{key:.100}\" in \"metadata\" must be {expected}")]
    InvalidCondition {
        /// The operator.
        operator: String,
        /// The path of the key, joined by dots. Empty if the operator joins conditions.
        key: String,
        /// The required value, as the message names it.
        expected: &'static str,
    },
    /// A word between operators of the filter `metadata` is none.
    #[error("unrecognized operator \"{operator:.100}\" for key \"{key:.100}\" in \"metadata\"")]
    UnknownOperator {
        /// The word.
        operator: String,
        /// The path of the key, joined by dots.
        key: String,
        /// The valid operators.
        operators: &'static [&'static str],
    },
    /// The filter `metadata` is over one of its limits.
    #[error("\"metadata\" must have at most {max} {what}")]
    TooManyConditions {
        /// What is limited.
        what: &'static str,
        /// The maximum.
        max: usize,
    },
    /// A filter has a list with too many values.
    #[error("\"{key}\" in \"{argument}\" must have at most {max} values, not {count}")]
    TooManyValues {
        /// The argument's name.
        argument: &'static str,
        /// The key.
        key: &'static str,
        /// The number of values.
        count: usize,
        /// The maximum.
        max: usize,
    },
    /// A call gives a value as an argument and in a JSON object of arguments.
    #[error("\"{key}\" is given twice, as an argument and in \"{group}\"")]
    GivenTwice {
        /// The name of the argument and of the key.
        key: &'static str,
        /// The name of the JSON object.
        group: &'static str,
    },
    /// The number of scores differs from the number of ids.
    #[error("{scores} scores for {ids} chunk ids")]
    ScoreCount {
        /// The number of scores.
        scores: usize,
        /// The number of ids.
        ids: usize,
    },
}

/// Returns the kind of a name.
///
/// # Errors
///
/// Returns [`Error::UnknownValue`] for any other word.
pub fn parse_kind(name: &str) -> Result<passage_split::Kind, Error> {
    passage_split::Kind::from_name(name).ok_or_else(|| Error::UnknownValue {
        argument: "kind",
        value: name.to_owned(),
        valid: r#""prose", "code", "api-reference" and "data""#,
    })
}

/// Implements `from_name` and `name` for an enum whose values are words in SQL.
///
/// Takes the type, the argument that the error names, the valid words as its HINT lists them, and each
/// word with its variant.
macro_rules! sql_enum {
    ($type:ident, $argument:literal, $valid:literal, $($name:literal => $value:ident),+) => {
        impl $type {
            /// The names in SQL.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// Returns the value for a name in SQL.
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

            /// Returns the name in SQL.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }
        }
    };
}

pub(crate) use sql_enum;
