//! What can be wrong with a request, each with the words that a user reads.

/// A request that cannot be met as it was put.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A strategy that is neither a preset nor one of the store's.
    #[error("unrecognized strategy \"{0:.100}\"")]
    UnknownStrategy(String),
    /// A named argument with a value outside its list.
    #[error("unrecognized value for \"{argument}\": \"{value:.100}\"")]
    UnknownValue {
        /// The argument's name.
        argument: &'static str,
        /// What was given.
        value: String,
        /// What may be given, as the hint lists it.
        valid: &'static str,
    },
    /// A limit below zero or above the most that is taken.
    #[error("\"{argument}\" is out of range: {value}")]
    OutOfRange {
        /// The argument's name.
        argument: &'static str,
        /// What was given.
        value: i64,
        /// The most that is taken.
        most: i64,
    },
    /// A number, such as a share or a weight, outside its range.
    #[error("\"{argument}\" is out of range: {value}")]
    NumberOutOfRange {
        /// The argument's name.
        argument: &'static str,
        /// What was given.
        value: f64,
        /// The least that is taken.
        least: f64,
        /// The most that is taken.
        most: f64,
    },
    /// Windows that are no object of kinds and widths.
    #[error("\"windows\" is no object of kinds and numbers of chunks")]
    InvalidWindows,
    /// Scores that are not as many as the ids.
    #[error("{scores} scores for {ids} chunk ids")]
    ScoreCount {
        /// How many scores were given.
        scores: usize,
        /// How many ids were given.
        ids: usize,
    },
    /// A document that is given as a notebook and is none. With another media type, such as
    /// `application/json`, it is taken as what it is.
    #[error("not a Jupyter notebook: line {line}, column {column}")]
    InvalidNotebook {
        /// Where reading ended, from 1.
        line: usize,
        /// The byte of that line, from 1.
        column: usize,
    },
    /// A page of HTML that is larger than conversion to Markdown is bounded to.
    #[error("an HTML page must have at most {most} bytes")]
    PageTooLarge {
        /// The most that is converted.
        most: usize,
    },
    /// A page of HTML with more elements, attributes and texts than conversion is bounded to.
    #[error("an HTML page must have at most {most} elements, attributes and texts")]
    PageTooComplex {
        /// The most that is converted.
        most: usize,
    },
}
