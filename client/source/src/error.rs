//! Errors of sources, each with its remedy.

mod links;

pub use links::LinksError;

use super::{BlockedPage, EmptyReason, ExternalLink};
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// An error of a source.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file or folder cannot be read, or does not exist.
    #[error("cannot read {path}: {reason}", path = path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The message of the system.
        reason: String,
    },
    /// The file is not text in UTF-8.
    #[error("{path} is not UTF-8: line {line}, byte {offset} of the file", path = path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The line of the first invalid byte, from 1.
        line: usize,
        /// The offset of that byte in the file, from 0.
        offset: usize,
    },
    /// The file is not in the encoding that it shows or declares, or that the caller names.
    #[error("{path} is not {encoding}", path = path.display())]
    Encoding {
        /// The file.
        path: PathBuf,
        /// The name of the encoding.
        encoding: &'static str,
    },
    /// The file contains a NUL byte, which PostgreSQL cannot store in a text.
    #[error("{path} contains a NUL byte: line {line}, byte {offset} of the file", path = path.display())]
    Nul {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The offset of that byte in the file, from 0.
        offset: usize,
    },
    /// The name or media type of the file is that of a Jupyter notebook, but its content is not.
    #[error("{path} is not a Jupyter notebook: line {line}, column {column}", path = path.display())]
    Notebook {
        /// The file.
        path: PathBuf,
        /// The line at which parsing stopped, from 1.
        line: usize,
        /// The byte in that line, from 1; 0 before the first.
        column: usize,
    },
    /// An HTML page is too large to be converted.
    #[error("cannot convert {path}: {reason}", path = path.display())]
    Page {
        /// The file.
        path: PathBuf,
        /// The limit that it exceeds.
        reason: String,
    },
    /// The file is larger than a document may be.
    #[error("{path} is larger than 1 GB", path = path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The path is not UTF-8, so it cannot be a uri.
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
        /// The cause.
        reason: String,
    },
    /// The name of a member of an archive leads out of the archive.
    #[error("{path}: the member \"{}\" is outside the archive", member.escape_debug(), path = path.display())]
    Outside {
        /// The archive.
        path: PathBuf,
        /// The member.
        member: String,
    },
    /// A line of a file of JSON lines is invalid.
    #[error("{path}:{line}: {reason}", path = path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The cause, without any content of the line.
        reason: String,
    },
    /// The id of a chunk belongs to another document, or that of a document to another uri.
    #[error("{path}: {what} {id} belongs to another document of the store", path = path.display())]
    IdInUse {
        /// The file and the first line of the document.
        path: PathBuf,
        /// The kind of the id.
        what: &'static str,
        /// The id.
        id: Uuid,
    },
    /// A pattern of file names is invalid.
    #[error("\"{pattern}\" is not a valid pattern: {reason}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// The cause.
        reason: String,
    },
    /// A pattern matches no file.
    #[error("no files match the pattern \"{pattern}\"")]
    NoMatch {
        /// The pattern.
        pattern: String,
    },
    /// A source has no document.
    #[error("{name} has no document to load: {reason}")]
    Empty {
        /// The folder, archive, pattern, file of JSON lines or address.
        name: String,
        /// The cause.
        reason: EmptyReason,
    },
    /// An address cannot be fetched.
    #[error("cannot fetch {url}: {reason}")]
    Unreachable {
        /// The address, without user and password.
        url: String,
        /// The message of the network or the server.
        reason: String,
    },
    /// The server of an address is not on the public internet.
    #[error("cannot fetch {url}: {reason}")]
    Private {
        /// The address, without user and password.
        url: String,
        /// The cause.
        reason: String,
    },
    /// A password would be sent without encryption.
    #[error("cannot fetch {url}: its password would be sent over plain http")]
    PlainPassword {
        /// The address, without the password.
        url: String,
    },
    /// A page redirects to another server.
    #[error("cannot fetch {0}")]
    Redirect(ExternalLink),
    /// The robots.txt of a server disallows a page.
    #[error("cannot fetch {url}: the robots.txt of its server disallows it")]
    Disallowed {
        /// The address.
        url: String,
    },
    /// A page does not exist, or does not exist any more.
    #[error("page not found: {url}")]
    Gone {
        /// The address.
        url: String,
    },
    /// The page at an address is not text.
    #[error("{url} is not text but {media_type}")]
    NotText {
        /// The address.
        url: String,
        /// The media type that the server names.
        media_type: String,
    },
    /// The page at an address is larger than the limit.
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
        /// The message of the system.
        reason: String,
    },
    /// A sitemap or an `llms.txt` is invalid or cannot be read.
    #[error("the list of pages {url}: {reason}")]
    List {
        /// The address.
        url: String,
        /// The cause.
        reason: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// The links of a site are not followed, or not all of them.
    #[error(transparent)]
    Links(#[from] LinksError),
    /// Two files of one run have the same uri.
    #[error("{path} has the same uri as another file: \"{uri}\"", path = path.display())]
    SameUri {
        /// The second file.
        path: PathBuf,
        /// The uri of both.
        uri: String,
    },
}

impl Error {
    /// Returns an error for a file or folder with the message of the system.
    pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        Error::Unreadable { path: path.to_owned(), reason: error.to_string() }
    }

    /// Returns an error for an invalid list of pages.
    pub(super) fn bad_list(url: String, reason: String) -> Self {
        Error::List { url, reason, remedy: "Ingest its pages by their addresses." }
    }

    /// Returns this error for a page whose links should be followed. A sync then treats no page as missing.
    pub(super) fn with_unknown_links(self) -> Self {
        LinksError::Unknown { reason: self.to_string(), remedy: self.remedy() }.into()
    }

    /// Returns the uri of the document that failed, if the document exists. Then sync does not
    /// treat it as missing.
    pub fn uri(&self) -> Option<&str> {
        match self {
            Error::Unreachable { url, .. }
            | Error::Private { url, .. }
            | Error::PlainPassword { url }
            | Error::Redirect(ExternalLink { page: Some(url), .. })
            | Error::Disallowed { url }
            | Error::NotText { url, .. }
            | Error::LongPage { url } => Some(url),
            Error::SameUri { uri, .. } => Some(uri),
            _ => None,
        }
    }

    /// Returns the remedy: one or two sentences for the user.
    pub fn remedy(&self) -> &'static str {
        match self {
            Error::Unreadable { .. } => {
                "Check that it exists and that you have permission to read it."
            }
            Error::NotUtf8 { .. } => {
                "Convert it to text in UTF-8, name its encoding with --encoding, or list it in .gitignore or .ignore."
            }
            Error::Encoding { .. } => {
                "Convert it to text in UTF-8, name another encoding with --encoding, or list it in .gitignore or .ignore."
            }
            Error::Nul { .. } => {
                "Convert it to text in UTF-8, or list it in .gitignore or .ignore."
            }
            Error::Notebook { .. } => {
                "Correct the file, or ingest it as JSON with --media-type application/json."
            }
            Error::Page { .. } => {
                "Split it into several pages, or ingest it without conversion with --media-type text/plain."
            }
            Error::TooLarge { .. } => "Split it into several files.",
            Error::Path { .. } => "Rename it to a name in UTF-8.",
            Error::Archive { .. } => {
                "Download or pack the archive again, or unpack it and ingest the folder."
            }
            Error::Outside { .. } => {
                "If you trust the archive, unpack it and ingest the files that you need."
            }
            Error::Line { .. } => {
                "Write one JSON object per line; passage ingest --help lists the keys."
            }
            Error::IdInUse { .. } => {
                "Remove the other document, or leave out the ids: passage then derives them."
            }
            Error::Pattern { .. } => "Write it like 'docs/**/*.md'.",
            Error::NoMatch { .. } => {
                "Check the pattern and the working folder; ** matches any number of folders. If nothing is expected, use \
                 --allow-empty."
            }
            Error::Empty { reason, .. } => reason.remedy(),
            Error::Unreachable { .. } => "Check the address, and run the command again.",
            Error::Private { .. } => {
                "If you trust the address and every address that it leads to, use --allow-private."
            }
            Error::PlainPassword { .. } => "Use an address with https.",
            Error::Redirect(_) => "If you trust the target, ingest its address.",
            Error::Disallowed { .. } => {
                "Ask the owner of the server to allow the agent passage, or download the page in a browser and ingest the file."
            }
            Error::Gone { .. } => {
                "Check the address. To remove the document, use passage sync or passage remove."
            }
            Error::NotText { .. } => "Convert it to text, and ingest the text.",
            Error::LongPage { .. } => "Download it, and ingest the file.",
            Error::Unwatchable { .. } => {
                "Check that it exists. The sysctl fs.inotify.max_user_watches limits the number of watched folders."
            }
            Error::List { remedy, .. } => remedy,
            Error::Links(error) => error.remedy(),
            Error::SameUri { .. } => {
                "Ingest their folders into different collections with --collection."
            }
        }
    }
}

impl From<BlockedPage> for Error {
    /// Returns the error of a page that the user has named.
    fn from(page: BlockedPage) -> Self {
        match page {
            BlockedPage::External(link) => Error::Redirect(link),
            BlockedPage::Disallowed(url) => Error::Disallowed { url },
        }
    }
}
