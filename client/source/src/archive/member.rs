//! A member of an archive, and what both formats share.

use crate::read::read_from;
use crate::walk::is_hidden;
use crate::{Error, Selection, SourceDocument, SourceEntry};
use std::io::Read;
use std::path::PathBuf;

/// An iterator over the entries of an archive.
pub(crate) type Members = Box<dyn Iterator<Item = Result<SourceEntry, Error>> + Send>;

/// The archive that is being read.
pub(super) struct Archive {
    pub(super) path: PathBuf,
    /// The first component of the uris of its members.
    pub(super) name: String,
    pub(super) selection: Selection,
}

impl Archive {
    /// Reads a member that is a file. Returns `None` if the filter excludes it.
    pub(super) fn member(
        &self,
        name: &str,
        content: impl Read,
    ) -> Option<Result<SourceEntry, Error>> {
        let Some(inside) = inside(name) else {
            let (path, member) = (self.path.clone(), name.to_owned());
            return Some(Err(Error::Outside { path, member }));
        };
        if is_hidden(&inside) {
            self.selection.count(|left_out| left_out.hidden += 1);
            return None;
        }
        if inside.is_empty() || !self.selection.includes(&inside) {
            return None;
        }
        let origin = self.path.join(&inside);
        if !self.selection.is_document(&origin) {
            return Some(Ok(SourceEntry::Skipped(origin)));
        }
        let bytes = match read_from(content, &origin) {
            Ok(bytes) => bytes,
            Err(Error::Unreadable { reason, .. }) => {
                return Some(Err(self.error(Some(name), reason)));
            }
            Err(error) => return Some(Err(error)),
        };
        let uri = format!("{}/{inside}", self.name);
        let document = SourceDocument::bytes(uri, bytes);
        Some(Ok(SourceEntry::Document(SourceDocument { inside: Some(inside), origin, ..document })))
    }

    /// Returns an error for the archive, or for one of its members.
    pub(super) fn error(&self, member: Option<&str>, reason: String) -> Error {
        Error::Archive { path: self.path.clone(), member: member.map(ToOwned::to_owned), reason }
    }
}

/// Returns an iterator that yields only an error.
pub(super) fn error_only(error: Error) -> Members {
    Box::new(std::iter::once(Err(error)))
}

/// Returns the path of a member in its archive, or `None` if it would be outside.
pub(super) fn inside(name: &str) -> Option<String> {
    let mut inside = String::new();
    for component in name.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if component == ".." {
            return None;
        }
        if !inside.is_empty() {
            inside.push('/');
        }
        inside.push_str(component);
    }
    Some(inside)
}

/// Returns the message of the innermost cause, which is the most specific one.
pub(super) fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
