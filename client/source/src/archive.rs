/*!
Archives: each member is a document. Members are read one after the other and are never unpacked to
disk.

The uri of a member begins with the archive's name, as for the files of a folder:
`docs.zip/guide/a.md`. Hidden files, links and files that are not text are skipped, as in a folder;
archives inside archives too. A name that leads out of the archive is refused, and so is an archive
with an extreme compression ratio.
*/

mod limits;
mod member;
mod tar;
mod zip;

pub(super) use limits::BoundedGunzip;

use super::{Error, Selection};
use member::{Archive, Members, error_only};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The extensions of archives.
const TAR: [&str; 1] = [".tar"];
const TAR_GZ: [&str; 2] = [".tar.gz", ".tgz"];
const ZIP: [&str; 1] = [".zip"];

/// Returns whether a file is an archive by its name.
pub(super) fn is_archive(name: &str) -> bool {
    [&TAR[..], &TAR_GZ, &ZIP].iter().any(|extensions| has_extension(name, extensions))
}

fn has_extension(name: &str, extensions: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    extensions.iter().any(|extension| name.ends_with(extension))
}

/// Reads the members of an archive, whose format its extension names.
pub(super) fn members(path: &Path, selection: Selection) -> Members {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) => return error_only(Error::unreadable(path, &error)),
    };
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return error_only(Error::Path { path: path.to_owned() });
    };
    let archive = Archive { path: path.to_owned(), name: name.to_owned(), selection };
    if has_extension(name, &ZIP) {
        zip::members(file, archive)
    } else {
        tar::members(file, has_extension(name, &TAR_GZ), archive)
    }
}

/// Reads a tar archive, compressed or not, from a stream. `name` replaces the name of a file.
pub(super) fn streamed(
    reader: impl Read + Send + 'static,
    name: &str,
    selection: Selection,
) -> Members {
    let archive = Archive { path: name.into(), name: name.to_owned(), selection };
    if has_extension(name, &ZIP) {
        let reason = "a zip archive cannot be read from standard input".to_owned();
        return error_only(Error::Archive { path: archive.path, member: None, reason });
    }
    tar::members(reader, has_extension(name, &TAR_GZ), archive)
}

#[cfg(test)]
mod tests;
