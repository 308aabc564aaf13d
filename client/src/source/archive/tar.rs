//! Tar archives, compressed by gzip or not, read as they come.

use super::bounded::Unpacked;
use super::{Archive, Members, cause};
use crate::source::{Error, Found};
use std::io::{self, Read};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// Reads the members in a thread of its own, which waits until each is taken.
pub(super) fn members(reader: impl Read + Send + 'static, archive: Archive) -> Members {
    // A member borrows the archive, so whoever reads it cannot be put aside between two of them.
    let (sender, members) = sync_channel(0);
    thread::spawn(move || {
        if archive.is_gzip() {
            send(Unpacked::new(reader), &archive, &sender);
        } else {
            send(reader, &archive, &sender);
        }
    });
    Box::new(members.into_iter())
}

fn send(reader: impl Read, archive: &Archive, members: &SyncSender<Result<Found, Error>>) {
    let mut tar = tar::Archive::new(reader);
    let mut last = None;
    let broken = |last: &Option<String>, error: &io::Error| {
        let reason = match last {
            Some(last) => format!("{}, behind {last}", cause(error)),
            None => cause(error),
        };
        let _ = members.send(Err(archive.broken(None, reason)));
    };
    let entries = match tar.entries() {
        Ok(entries) => entries,
        Err(error) => return broken(&last, &error),
    };
    for entry in entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => return broken(&last, &error),
        };
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let name = String::from_utf8(entry.path_bytes().into_owned());
        let member = match name {
            Ok(name) => {
                let whole = Whole { left: entry.size(), entry };
                let member = archive.member(&name, whole);
                last = Some(name);
                member
            }
            Err(name) => {
                let name = String::from_utf8_lossy(name.as_bytes()).into_owned();
                Some(Err(Error::Path { path: archive.path.join(name) }))
            }
        };
        // Nobody waits any more.
        if member.is_some_and(|member| members.send(member).is_err()) {
            return;
        }
    }
}

/// A member that is as long as the archive says, or an error.
struct Whole<R> {
    entry: R,
    left: u64,
}

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.entry.read(buffer)?;
        if read == 0 && self.left > 0 && !buffer.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ends too early"));
        }
        self.left = self.left.saturating_sub(read as u64);
        Ok(read)
    }
}
