//! Errors of documents and of the options of splitting.

/// A document that cannot be read, or an invalid option.
///
/// The messages follow PostgreSQL's style: lower case, no full stop. The extension adds SQLSTATE and
/// HINT.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No splitter has this media type.
    #[error("unrecognized value for \"media type\": \"{value:.100}\"")]
    UnknownMediaType {
        /// The rejected name.
        value: String,
        /// The valid names, as the HINT lists them.
        valid: &'static str,
    },
    /// A limit of chunks is below zero, above its maximum, or not in order with the others.
    #[error("\"{argument}\" is out of range: {value}")]
    OutOfRange {
        /// The argument's name.
        argument: &'static str,
        /// The rejected value.
        value: i64,
        /// The maximum.
        max: i64,
    },
    /// A pattern for the lines before which documents are divided is not a regular expression, or is too large.
    #[error("invalid regular expression \"{pattern:.100}\": {reason}")]
    InvalidPattern {
        /// The rejected pattern.
        pattern: String,
        /// The reason, in lower case.
        reason: String,
    },
    /// An offset at which a document is to be divided is behind its end.
    #[error("\"split_offsets\" has offset {offset}, but the text has {length} bytes")]
    OffsetBehindEnd {
        /// The rejected offset.
        offset: usize,
        /// The number of bytes of the text, after it was converted.
        length: usize,
    },
    /// The document is declared as a notebook but is not one. It can be loaded with another media
    /// type, such as `application/json`.
    #[error("not a Jupyter notebook: line {line}, column {column}")]
    InvalidNotebook {
        /// The line at which the parser stopped, from 1.
        line: usize,
        /// The column in bytes, from 1.
        column: usize,
    },
    /// The HTML page exceeds the size that conversion to Markdown accepts.
    #[error("an HTML page must have at most {max} bytes")]
    PageTooLarge {
        /// The maximum in bytes.
        max: usize,
    },
    /// The HTML page has more elements, attributes and texts than conversion accepts.
    #[error("an HTML page must have at most {max} elements, attributes and texts")]
    PageTooComplex {
        /// The maximum number of elements, attributes and texts.
        max: usize,
    },
}
