/*!
Caches of results that take long to get, in folders of `passage` in the user's cache folder.

An entry is a JSON file whose name is a hash of all that it depends on, so another collection, other sizes of chunks or a
repeated run find it. A cache that is not writable is left out.
*/

use crate::embed::{cache_folder, create_cache_folder};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The time after which an entry that no run has read is removed.
const MAX_AGE: Duration = Duration::from_hours(30 * 24);

/// A folder of entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cache {
    /// `None` without a cache.
    folder: Option<PathBuf>,
}

impl Cache {
    /// Returns a cache of the user.
    pub(crate) fn of_user(name: &str) -> Self {
        Self { folder: cache_folder().map(|folder| folder.join(name)) }
    }

    /// Returns the entry with a key.
    pub(crate) fn get<T: DeserializeOwned>(&self, key: &[u8]) -> Option<T> {
        let path = self.path(key)?;
        let entry = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
        // Entries that are read stay.
        let _ = File::options()
            .append(true)
            .open(path)
            .and_then(|file| file.set_modified(SystemTime::now()));
        Some(entry)
    }

    /// Writes an entry.
    pub(crate) fn put(&self, key: &[u8], entry: &impl Serialize) {
        let (Some(path), Some(folder)) = (self.path(key), &self.folder) else { return };
        let created = folder.parent().and_then(create_cache_folder);
        if created.and_then(|()| create_cache_folder(folder)).is_some() {
            let _ = write(folder, &path, entry);
        }
    }

    /// Removes entries that no run has read for long.
    pub(crate) fn remove_old(&self) {
        let entries = self.folder.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
        for entry in entries.flatten() {
            if age(&entry.path()).is_some_and(|age| age > MAX_AGE) {
                let _ = fs::remove_file(entry.path());
            }
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
fn write(folder: &Path, path: &Path, entry: &impl Serialize) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut file, entry)?;
    file.flush()?;
    file.persist(path)?;
    Ok(())
}

fn age(path: &Path) -> Option<Duration> {
    SystemTime::now().duration_since(fs::metadata(path).ok()?.modified().ok()?).ok()
}
