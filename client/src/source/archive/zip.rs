//! Zip archives, read by the list of members at their end.

use super::bounded::{Counted, Proportion};
use super::{Archive, Members, cause, one};
use crate::source::{Error, Found};
use std::fs::File;
use std::io::{self, BufReader, Read};
use zip::ZipArchive;
use zip::read::ZipFile;

/// Reads the members one by one.
pub(super) fn members(file: File, archive: Archive) -> Members {
    // What the list says of sizes may be untrue, and members may share their bytes.
    let taken = file.metadata().map_or(0, |metadata| metadata.len());
    let mut unpacked = Proportion { taken, given: 0 };
    let mut zip = match ZipArchive::new(BufReader::new(file)) {
        Ok(zip) => zip,
        Err(error) => return one(archive.broken(None, cause(&error))),
    };
    Box::new((0..zip.len()).filter_map(move |place| {
        let name = match zip.name_for_index(place)? {
            // Some systems part folders by what is a letter elsewhere.
            Ok(name) => name.replace('\\', "/"),
            Err(error) => return Some(Err(archive.broken(None, cause(&error)))),
        };
        match zip.by_index(place) {
            Ok(entry) => member(entry, &name, &archive, &mut unpacked),
            Err(error) => Some(Err(archive.broken(Some(&name), cause(&error)))),
        }
    }))
}

fn member<R: Read>(
    entry: ZipFile<'_, R>,
    name: &str,
    archive: &Archive,
    unpacked: &mut Proportion,
) -> Option<Result<Found, Error>> {
    if !entry.is_file() || entry.is_symlink() {
        return None;
    }
    let mut content = Counted::new(Watched { entry, unpacked: *unpacked });
    let member = archive.member(name, &mut content);
    unpacked.given += content.bytes;
    member
}

/// A member that is unpacked, as long as the archive keeps its proportion.
struct Watched<'a, R: Read> {
    entry: ZipFile<'a, R>,
    unpacked: Proportion,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.entry.read(buffer)?;
        self.unpacked.given += read as u64;
        self.unpacked.check()?;
        Ok(read)
    }
}
