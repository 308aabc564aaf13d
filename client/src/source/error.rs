//! What can be wrong with a source, each with what to do about it.

use super::Foreign;
use std::path::{Path, PathBuf};

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
    /// A page of HTML is too large to be converted.
    #[error("cannot convert {path}: {reason}", path = path.display())]
    Page {
        /// The file.
        path: PathBuf,
        /// By what it is too large.
        reason: String,
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
    /// An archive, or one of its members, cannot be read.
    #[error("cannot read {path}: {reason}{}", member.as_ref().map_or(String::new(), |member| format!(", in {member}")), path = path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// The member, if it is known.
        member: Option<String>,
        /// What is wrong with it.
        reason: String,
    },
    /// A member of an archive has a name that leads out of it.
    #[error("{path}: the member \"{}\" would lie outside of the archive", member.escape_debug(), path = path.display())]
    Outside {
        /// The archive.
        path: PathBuf,
        /// The member.
        member: String,
    },
    /// A line of a file of JSON lines is not as it has to be.
    #[error("{path}:{line}: {reason}", path = path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it, without what it holds.
        reason: String,
    },
    /// A pattern of file names cannot be understood.
    #[error("\"{pattern}\" is no pattern: {reason}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A pattern finds no file.
    #[error("no file is like \"{pattern}\"")]
    NoMatch {
        /// The pattern.
        pattern: String,
    },
    /// An address cannot be fetched.
    #[error("cannot fetch {url}: {reason}")]
    Unreachable {
        /// The address, without what it may say of users.
        url: String,
        /// What the way to it, or the server, said.
        reason: String,
    },
    /// An address leads to where pages are not fetched from.
    #[error("cannot fetch {url}: {reason}")]
    Private {
        /// The address, without what it may say of users.
        url: String,
        /// What is there in its place.
        reason: String,
    },
    /// A password would be readable on its way to a server.
    #[error("cannot fetch {url}: its password would be sent over plain http")]
    PlainPassword {
        /// The address, without the password.
        url: String,
    },
    /// A page redirects to another server.
    #[error("cannot fetch {0}")]
    Redirect(Foreign),
    /// There is nothing at an address, or no more.
    #[error("nothing is at {url} (any more)")]
    Gone {
        /// The address.
        url: String,
    },
    /// What is at an address is no text.
    #[error("{url} is no text but {media_type}")]
    NotText {
        /// The address.
        url: String,
        /// What the server calls it.
        media_type: String,
    },
    /// What is at an address is larger than a page should be.
    #[error("{url} is larger than 64 MB")]
    LongPage {
        /// The address.
        url: String,
    },
    /// A file or folder cannot be watched.
    #[error("cannot watch {path}: {reason}", path = path.display())]
    Unwatchable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A sitemap is not as it has to be.
    #[error("the sitemap {url}: {reason}")]
    Sitemap {
        /// The address.
        url: String,
        /// What is wrong with it.
        reason: String,
        /// What to do about it.
        remedy: &'static str,
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
    /// Takes what the system says of a file or folder.
    pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        Error::Unreadable { path: path.to_owned(), reason: error.to_string() }
    }

    /// A sitemap that does not list pages as it should.
    pub(super) fn bad_sitemap(url: String, reason: String) -> Self {
        Error::Sitemap { url, reason, remedy: "Name its pages one by one." }
    }

    /// Returns the uri of the document that it is about, where that is there and can only not be
    /// taken in.
    pub fn uri(&self) -> Option<&str> {
        match self {
            Error::Unreachable { url, .. }
            | Error::Private { url, .. }
            | Error::PlainPassword { url }
            | Error::Redirect(Foreign { page: Some(url), .. })
            | Error::NotText { url, .. }
            | Error::LongPage { url } => Some(url),
            Error::SameUri { uri, .. } => Some(uri),
            _ => None,
        }
    }

    /// Says what to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Error::Unreadable { .. } => "Check that it is there and that you may read it.",
            Error::NotUtf8 { .. } | Error::Nul { .. } => {
                "Convert it to text in UTF-8 first, or list it in .gitignore or .ignore."
            }
            Error::Notebook { .. } => "Take it as what it is, with --media-type application/json.",
            Error::Page { .. } => {
                "Split it into several pages, or take it as it is, with --media-type text/plain."
            }
            Error::TooLarge { .. } => "Cut it into several files.",
            Error::Path { .. } => "Rename it.",
            Error::Archive { .. } => "Fetch or pack it again, or unpack it and name the folder.",
            Error::Outside { .. } => "Unpack it where you trust it, and name what you want of it.",
            Error::Line { .. } => "Write one JSON object a line, as passage ingest --help has it.",
            Error::Pattern { .. } => "Write it as in 'docs/**/*.md'.",
            Error::NoMatch { .. } => "Check it against where you are; ** goes through folders.",
            Error::Unreachable { .. } => "Check the address, and run the command again.",
            Error::Private { .. } => {
                "If you trust the address, and all it may lead to, give --allow-private."
            }
            Error::PlainPassword { .. } => "Write the address with https.",
            Error::Redirect(_) => "Name the address that it redirects to, if you trust it.",
            Error::Gone { .. } => {
                "Check the address; passage sync or remove takes the document out."
            }
            Error::NotText { .. } => "Convert it to text first, and ingest that.",
            Error::LongPage { .. } => "Fetch it first, and ingest the file.",
            Error::Unwatchable { .. } => {
                "Check that it is there; fs.inotify.max_user_watches bounds how many folders can be watched."
            }
            Error::Sitemap { remedy, .. } => remedy,
            Error::SameUri { .. } => {
                "Ingest their folders into different collections with --collection."
            }
        }
    }
}
