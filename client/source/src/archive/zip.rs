//! Zip archives, read by the directory at their end.

use super::limits::{CountingReader, UnpackRatio};
use super::member::{Archive, Members, error_only, root_cause};
use crate::{Error, SourceEntry};
use std::fs::File;
use std::io::{self, BufReader, Read};
use zip::ZipArchive;
use zip::read::ZipFile;

/// Reads the members one after the other.
pub(super) fn members(file: File, archive: Archive) -> Members {
    // The sizes in the directory may be wrong, and members may share their bytes.
    let compressed = file.metadata().map_or(0, |metadata| metadata.len());
    let mut unpacked = UnpackRatio { compressed, uncompressed: 0 };
    let mut zip = match ZipArchive::new(BufReader::new(file)) {
        Ok(zip) => zip,
        Err(error) => return error_only(archive.error(None, root_cause(&error))),
    };
    Box::new((0..zip.len()).filter_map(move |index| {
        let name = match zip.name_for_index(index)? {
            // Some systems write a backslash between folders.
            Ok(name) => name.replace('\\', "/"),
            Err(error) => return Some(Err(archive.error(None, root_cause(&error)))),
        };
        match zip.by_index(index) {
            Ok(entry) => member(entry, &name, &archive, &mut unpacked),
            Err(error) => Some(Err(archive.error(Some(&name), root_cause(&error)))),
        }
    }))
}

fn member<R: Read>(
    entry: ZipFile<'_, R>,
    name: &str,
    archive: &Archive,
    unpacked: &mut UnpackRatio,
) -> Option<Result<SourceEntry, Error>> {
    if !entry.is_file() || entry.is_symlink() {
        return None;
    }
    let mut content = CountingReader::new(BoundedEntry { entry, unpacked: *unpacked });
    let member = archive.member(name, &mut content);
    unpacked.uncompressed += content.bytes;
    member
}

/// A reader of a member that checks the compression ratio of the whole archive.
struct BoundedEntry<'a, R: Read> {
    entry: ZipFile<'a, R>,
    unpacked: UnpackRatio,
}

impl<R: Read> Read for BoundedEntry<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.entry.read(buffer)?;
        self.unpacked.uncompressed += read as u64;
        self.unpacked.check()?;
        Ok(read)
    }
}
