//! The structure of filters.
//!
//! Its twin in SQL is `sql/edition/metadata.sql`.

/// The structure of a filter, without keys and values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// All hold.
    All(Vec<Condition>),
    /// One holds.
    Any(Vec<Condition>),
    /// The other one is false.
    Not(Box<Condition>),
    /// The metadata contain an object. Operand: the object.
    Contains,
    /// A test of the value at a path. Operands: as many keys as the path has, then those of the test.
    Field {
        /// The number of keys.
        keys: usize,
        /// The test.
        test: Test,
    },
}

/// A test of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// The key exists or not, whatever its value. No operand.
    Exists(bool),
    /// The object with the last key contains an object. Operand: the object.
    Contains,
    /// The value equals one of a list. Operands: the list, and with `dates` the points in time in the list.
    OneOf {
        /// Whether the list has dates.
        dates: bool,
    },
    /// The value is below or above another one. Operand: the value, of a date the day that bounds it, and the point
    /// in time.
    Order {
        /// The order.
        order: Order,
        /// What is compared.
        kind: ValueKind,
    },
    /// The value is a text that matches a pattern of LIKE. Operand: the pattern.
    Like {
        /// Whether upper and lower case are the same.
        ignores_case: bool,
    },
}

/// An order of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Less than.
    Below,
    /// Less than or equal to.
    AtMost,
    /// Greater than.
    Above,
    /// Greater than or equal to.
    AtLeast,
}

/// The type of values that have an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Numbers.
    Number,
    /// Texts, by the collation of the database.
    Text,
    /// Texts that are dates.
    Date,
}

/// The operators of a value, as a HINT lists them.
pub const OPERATORS: &[&str] = &[
    "$eq", "$ne", "$lt", "$lte", "$gt", "$gte", "$in", "$nin", "$between", "$exists", "$like",
    "$ilike", "$and", "$or", "$not",
];

/// The maximum number of conditions in a filter.
pub const MAX_CONDITIONS: usize = 256;

/// The maximum number of levels of conditions.
pub const MAX_LEVELS: usize = 16;

/// The maximum number of values in a list of a filter.
pub const MAX_VALUES: usize = 1_000;
