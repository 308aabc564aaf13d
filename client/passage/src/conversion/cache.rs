/*!
A cache of the texts that programs have made of documents, in `passage/converted` of the user's cache folder.

A program may take minutes for a document. The key is a hash of the document and of the command line, so another
collection, other sizes of chunks or a repeated run do not convert it again. A cache that is not writable is left out.
*/

use super::program::ProgramOutput;
use crate::embed::{cache_folder, create_cache_folder};
use passage_split::MediaType;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The time after which an entry that no run has read is removed.
const MAX_AGE: Duration = Duration::from_hours(30 * 24);

/// A folder of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cache {
    /// `None` without a cache.
    folder: Option<PathBuf>,
}

/// The content of a file.
#[derive(Serialize, Deserialize)]
struct Entry {
    media_type: String,
    text: String,
}

impl Cache {
    /// Returns the cache of the user.
    pub(super) fn of_user() -> Self {
        let folder = cache_folder().map(|folder| folder.join("converted"));
        Self { folder }
    }

    /// Returns the text with a key.
    pub(super) fn get(&self, key: &[u8]) -> Option<ProgramOutput> {
        let path = self.path(key)?;
        let entry: Entry = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
        // Entries that are read stay.
        let _ = File::options()
            .append(true)
            .open(path)
            .and_then(|file| file.set_modified(SystemTime::now()));
        Some(ProgramOutput { text: entry.text, media_type: MediaType::new(&entry.media_type) })
    }

    /// Writes a text, and removes old ones.
    pub(super) fn put(&self, key: &[u8], output: &ProgramOutput) {
        let (Some(path), Some(folder)) = (self.path(key), &self.folder) else { return };
        let media_type = output.media_type.name().to_owned();
        let entry = Entry { media_type, text: output.text.clone() };
        let created = folder.parent().and_then(create_cache_folder);
        if created.and_then(|()| create_cache_folder(folder)).is_some()
            && write(folder, &path, &entry).is_ok()
        {
            remove_old(folder);
        }
    }

    fn path(&self, key: &[u8]) -> Option<PathBuf> {
        let name = key.iter().fold(String::new(), |mut name, byte| {
            let _ = write!(name, "{byte:02x}");
            name
        });
        Some(self.folder.as_ref()?.join(name + ".json"))
    }
}

/// Writes an entry under another name first, so that a run at the same time reads all of it or nothing.
fn write(folder: &Path, path: &Path, entry: &Entry) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut file, entry)?;
    file.flush()?;
    file.persist(path)?;
    Ok(())
}

fn remove_old(folder: &Path) {
    let old = |path: &Path| -> Option<bool> {
        let modified = fs::metadata(path).ok()?.modified().ok()?;
        Some(SystemTime::now().duration_since(modified).ok()? > MAX_AGE)
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if old(&entry.path()) == Some(true) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
