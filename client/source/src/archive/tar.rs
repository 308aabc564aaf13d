//! Tar archives, compressed by gzip or not, read as a stream.

use super::limits::BoundedGunzip;
use super::member::{Archive, Members, root_cause};
use crate::{Error, SourceEntry};
use std::io::{self, Read};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// Reads the members on a thread of its own, which waits until each is received.
pub(super) fn members(
    reader: impl Read + Send + 'static,
    is_gzip: bool,
    archive: Archive,
) -> Members {
    // A member borrows the reader of the archive, so an iterator could not hold both.
    let (sender, members) = sync_channel(0);
    thread::spawn(move || {
        if is_gzip {
            send(BoundedGunzip::new(reader), &archive, &sender);
        } else {
            send(reader, &archive, &sender);
        }
    });
    Box::new(members.into_iter())
}

fn send(reader: impl Read, archive: &Archive, members: &SyncSender<Result<SourceEntry, Error>>) {
    let mut tar = tar::Archive::new(reader);
    let mut last = None;
    let send_error = |last: &Option<String>, error: &io::Error| {
        let reason = match last {
            Some(last) => format!("{}, after {last}", root_cause(error)),
            None => root_cause(error),
        };
        let _ = members.send(Err(archive.error(None, reason)));
    };
    let entries = match tar.entries() {
        Ok(entries) => entries,
        Err(error) => return send_error(&last, &error),
    };
    for entry in entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => return send_error(&last, &error),
        };
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let name = String::from_utf8(entry.path_bytes().into_owned());
        let member = match name {
            Ok(name) => {
                let content = ExactLength { left: entry.size(), entry };
                let member = archive.member(&name, content);
                last = Some(name);
                member
            }
            Err(name) => {
                let name = String::from_utf8_lossy(name.as_bytes()).into_owned();
                Some(Err(Error::Path { path: archive.path.join(name) }))
            }
        };
        // The receiver is dropped if the run was cancelled.
        if member.is_some_and(|member| members.send(member).is_err()) {
            return;
        }
    }
}

/// A reader of a member that fails if the member is shorter than its header says.
struct ExactLength<R> {
    entry: R,
    left: u64,
}

impl<R: Read> Read for ExactLength<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.entry.read(buffer)?;
        if read == 0 && self.left > 0 && !buffer.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "unexpected end of data"));
        }
        self.left = self.left.saturating_sub(read as u64);
        Ok(read)
    }
}
