/*!
Archives: each member is a document, read one after the other and never unpacked to disk.

A member is known from the archive's own name on, as the file of a folder is: `docs.zip/guide/a.md`.
What the walk of a folder passes over is passed over here too: hidden files, links, and what is no
text by its name, archives in archives among it. A name that leads out of the archive is refused,
and so is an archive that unpacks to out of all proportion to its size.
*/

mod bounded;
mod tar;
mod zip;

pub(super) use bounded::Unpacked;

use super::read::read_from;
use super::walk::{is_binary, is_hidden};
use super::{Error, Filter, Found, Item};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What comes out of an archive.
pub(super) type Members = Box<dyn Iterator<Item = Result<Found, Error>> + Send>;

/// The ends of names by which archives are known.
const TAR: [&str; 1] = [".tar"];
const TAR_GZ: [&str; 2] = [".tar.gz", ".tgz"];
const ZIP: [&str; 1] = [".zip"];

/// Tells whether a file is an archive by its name.
pub(super) fn is_archive(name: &str) -> bool {
    [&TAR[..], &TAR_GZ, &ZIP].iter().any(|ends| has(name, ends))
}

fn has(name: &str, ends: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    ends.iter().any(|end| name.ends_with(end))
}

/// Reads an archive, which is what the end of its name says.
pub(super) fn members(path: &Path, filter: Filter) -> Members {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) => return one(Error::unreadable(path, &error)),
    };
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return one(Error::Path { path: path.to_owned() });
    };
    let archive = Archive { path: path.to_owned(), name: name.to_owned(), filter };
    if has(name, &ZIP) { zip::members(file, archive) } else { tar::members(file, archive) }
}

/// Reads a tar archive, compressed or not, as it comes; `name` stands for that of a file.
pub(super) fn streamed(reader: impl Read + Send + 'static, name: &str, filter: Filter) -> Members {
    let archive = Archive { path: name.into(), name: name.to_owned(), filter };
    if has(name, &ZIP) {
        let reason = "a zip archive has to be a file".to_owned();
        return one(Error::Archive { path: archive.path, member: None, reason });
    }
    tar::members(reader, archive)
}

fn one(error: Error) -> Members {
    Box::new(std::iter::once(Err(error)))
}

/// The archive that is read.
struct Archive {
    path: PathBuf,
    /// With what the uris of its members begin.
    name: String,
    filter: Filter,
}

impl Archive {
    /// Whether it is compressed as a whole.
    fn is_gzip(&self) -> bool {
        has(&self.name, &TAR_GZ)
    }

    /// Takes a member that is a file, unless it is not wanted.
    fn member(&self, name: &str, content: impl Read) -> Option<Result<Found, Error>> {
        let Some(inside) = inside(name) else {
            let (path, member) = (self.path.clone(), name.to_owned());
            return Some(Err(Error::Outside { path, member }));
        };
        if inside.is_empty() || is_hidden(&inside) || !self.filter.takes(&inside) {
            return None;
        }
        let origin = self.path.join(&inside);
        if is_binary(&origin) {
            return Some(Ok(Found::Skipped(origin)));
        }
        let bytes = match read_from(content, &origin) {
            Ok(bytes) => bytes,
            Err(Error::Unreadable { reason, .. }) => {
                return Some(Err(self.broken(Some(name), reason)));
            }
            Err(error) => return Some(Err(error)),
        };
        let uri = format!("{}/{inside}", self.name);
        Some(Ok(Found::Item(Item { inside: Some(inside), origin, ..Item::bytes(uri, bytes) })))
    }

    fn broken(&self, member: Option<&str>, reason: String) -> Error {
        Error::Archive { path: self.path.clone(), member: member.map(ToOwned::to_owned), reason }
    }
}

/// The place of a member in its archive, or `None` if it would be outside.
fn inside(name: &str) -> Option<String> {
    let mut inside = String::new();
    for part in name.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            return None;
        }
        if !inside.is_empty() {
            inside.push('/');
        }
        inside.push_str(part);
    }
    Some(inside)
}

/// What went wrong at the bottom, which says most.
fn cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests;
