//! What can be wrong with a source, each with what to do about it.

use std::path::PathBuf;

/// A source that cannot be taken in.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file or folder cannot be read, or is not there (any more).
    #[error("cannot read {path}: {reason}", path = path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The file is not text in UTF-8.
    #[error("{path} is not UTF-8: line {line}, byte {offset} of the file", path = path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The line of the first byte that belongs to no character, from 1.
        line: usize,
        /// Where that byte is, from 0.
        offset: usize,
    },
    /// The file holds a NUL byte, which PostgreSQL cannot store in a text.
    #[error("{path} holds a NUL byte: line {line}, byte {offset} of the file", path = path.display())]
    Nul {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Where that byte is, from 0.
        offset: usize,
    },
    /// The file is called a Jupyter notebook and is none.
    #[error("{path} is not a Jupyter notebook: line {line}, column {column}", path = path.display())]
    Notebook {
        /// The file.
        path: PathBuf,
        /// Where reading ended, from 1.
        line: usize,
        /// The byte of that line, from 1; 0 before the first.
        column: usize,
    },
    /// The file is larger than its spans can say.
    #[error("{path} is larger than 1 GB", path = path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The path is not UTF-8, so it makes no uri.
    #[error("the path {path} is not UTF-8", path = path.display())]
    Path {
        /// The path.
        path: PathBuf,
    },
    /// Two files of one run have the same uri.
    #[error("{path} would have the uri of another file, \"{uri}\"", path = path.display())]
    SameUri {
        /// The second file.
        path: PathBuf,
        /// The uri of both.
        uri: String,
    },
}

impl Error {
    /// Says what to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Error::Unreadable { .. } => "Check that it is there and that you may read it.",
            Error::NotUtf8 { .. } | Error::Nul { .. } => {
                "Convert it to text in UTF-8 first, or list it in .gitignore or .ignore."
            }
            Error::Notebook { .. } => "Take it as what it is, with --media-type application/json.",
            Error::TooLarge { .. } => "Cut it into several files.",
            Error::Path { .. } => "Rename it.",
            Error::SameUri { .. } => {
                "Ingest their folders into different collections with --collection."
            }
        }
    }
}
