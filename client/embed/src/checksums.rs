/*!
Checksums of files, remembered until the files change.

The SHA-256 of 90 MB takes most of the time of a short command. So the client writes it into `checksums.json` in its cache folder,
with the path, size, times, inode and device of the file, and computes it again if any of them differs. The time of the last change of
an inode cannot be set back, unlike that of its content.

The file is trusted only if it belongs to the user and nobody else can read or write it. A damaged one counts as none, and a folder
that cannot be written means only that checksums are computed each time.
*/

use super::cache_folder::{cache_folder, create_cache_folder};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The number of files whose checksums are remembered.
const MAX_ENTRIES: usize = 32;

/// The largest file of checksums that is read.
const MAX_BYTES: u64 = 1 << 16;

/// A file that changed less than this ago may change again without another time: file systems count in steps.
const SETTLED: Duration = Duration::from_secs(2);

/// The bytes that are hashed at a time.
const BLOCK: usize = 1 << 18;

/// The remembered checksums.
pub(super) struct Checksums {
    /// The file that keeps them; `None` if there is no cache folder.
    path: Option<PathBuf>,
}

/// A file with its checksum.
#[derive(Serialize, Deserialize)]
struct Entry {
    version: FileVersion,
    sha256: String,
}

/// The properties of a file that differ if it changed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FileVersion {
    path: PathBuf,
    size: u64,
    device: u64,
    inode: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// Forgets all checksums, so that the next use of a model computes them again.
pub fn forget_checksums() {
    if let Some(path) = Checksums::of_user().path {
        // Without a file there is nothing to forget, and one that cannot be removed cannot be trusted either.
        let _ = std::fs::remove_file(path);
    }
}

impl Checksums {
    /// Returns the checksums in the cache folder of the user.
    pub(super) fn of_user() -> Self {
        Self { path: cache_folder().map(|folder| folder.join("checksums.json")) }
    }

    /// Returns the SHA-256 of a file in hexadecimal digits.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if the file cannot be read.
    pub(super) fn sha256(&self, path: &Path, file: &File) -> io::Result<String> {
        let path = std::path::absolute(path)?;
        let version = FileVersion::new(path.clone(), &file.metadata()?);
        let mut entries = self.read();
        if let Some(entry) = entries.iter().find(|entry| entry.version == version) {
            return Ok(entry.sha256.clone());
        }
        let sha256 = hash(file)?;
        let unchanged = FileVersion::new(path, &file.metadata()?) == version;
        if unchanged && version.is_settled(SystemTime::now()) {
            entries.retain(|entry| entry.version.path != version.path);
            entries.truncate(MAX_ENTRIES - 1);
            entries.insert(0, Entry { version, sha256: sha256.clone() });
            self.write(&entries);
        }
        Ok(sha256)
    }

    /// Returns the entries, or none if there is no file that can be trusted.
    fn read(&self) -> Vec<Entry> {
        let read = || {
            let file = File::open(self.path.as_ref()?).ok()?;
            if !is_private(&file.metadata().ok()?) {
                return None;
            }
            let mut bytes = Vec::new();
            file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
            serde_json::from_slice(&bytes).ok()
        };
        read().unwrap_or_default()
    }

    /// Replaces the file atomically.
    fn write(&self, entries: &[Entry]) {
        let Some(path) = &self.path else { return };
        let part = path.with_extension(format!("{}.part", std::process::id()));
        let write = || {
            create_cache_folder(path.parent()?)?;
            let json = serde_json::to_vec(entries).ok()?;
            let mut options = OpenOptions::new();
            let mut file = options.write(true).create_new(true).mode(0o600).open(&part).ok()?;
            file.write_all(&json).ok()?;
            std::fs::rename(&part, path).ok()
        };
        if write().is_none() {
            let _ = std::fs::remove_file(&part);
        }
    }
}

impl FileVersion {
    fn new(path: PathBuf, metadata: &Metadata) -> Self {
        Self {
            path,
            size: metadata.size(),
            device: metadata.dev(),
            inode: metadata.ino(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Returns whether another change would have another time.
    fn is_settled(&self, now: SystemTime) -> bool {
        let seconds = u64::try_from(self.changed.0.max(self.modified.0)).unwrap_or(0);
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        now.duration_since(changed).is_ok_and(|age| age > SETTLED)
    }
}

/// Returns whether a file belongs to the user of this process, and nobody else can read or write it.
fn is_private(metadata: &Metadata) -> bool {
    let user = rustix::process::geteuid().as_raw();
    metadata.is_file() && metadata.uid() == user && metadata.mode().trailing_zeros() >= 6
}

fn hash(file: &File) -> io::Result<String> {
    let (mut hash, mut block, mut offset) = (Sha256::new(), vec![0; BLOCK], 0);
    loop {
        match file.read_at(&mut block, offset)? {
            0 => return Ok(format!("{:x}", hash.finalize())),
            count => {
                hash.update(&block[..count]);
                offset += count as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    use tempfile::TempDir;

    const X: &str = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
    const WRONG: &str = "wrong";

    /// Returns a folder with a file whose last change is long ago, as far as a test can set it, and its remembered checksum.
    fn remembered(sha256: &str) -> (TempDir, Checksums, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights");
        std::fs::write(&path, "x").unwrap();
        let checksums = Checksums { path: Some(folder.path().join("cache/checksums.json")) };
        let version = FileVersion::new(path.clone(), &std::fs::metadata(&path).unwrap());
        checksums.write(&[Entry { version, sha256: sha256.into() }]);
        (folder, checksums, path)
    }

    fn sha256(checksums: &Checksums, path: &Path) -> String {
        checksums.sha256(path, &File::open(path).unwrap()).unwrap()
    }

    #[test]
    fn an_unchanged_file_has_its_remembered_checksum() {
        let (_folder, checksums, path) = remembered(WRONG);
        assert_eq!(sha256(&checksums, &path), WRONG);
    }

    #[test]
    fn a_home_folder_that_does_not_exist_is_not_created() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let checksums = Checksums { path: Some(home.join(".cache/passage/checksums.json")) };
        checksums.write(&[]);
        assert!(!home.exists());
        std::fs::create_dir(&home).unwrap();
        checksums.write(&[]);
        assert!(home.join(".cache/passage/checksums.json").exists());
    }

    #[test]
    fn a_changed_file_is_hashed_again() {
        for change in [
            |path: &Path| std::fs::write(path, "y").unwrap(),
            |path: &Path| {
                // The content of another file, with the times of the first one.
                let modified = std::fs::metadata(path).unwrap().modified().unwrap();
                let other = path.with_extension("other");
                std::fs::write(&other, "y").unwrap();
                File::options().write(true).open(&other).unwrap().set_modified(modified).unwrap();
                std::fs::rename(other, path).unwrap();
            },
            |path: &Path| {
                let modified = std::fs::metadata(path).unwrap().modified().unwrap();
                std::thread::sleep(Duration::from_millis(20));
                std::fs::write(path, "y").unwrap();
                File::options().write(true).open(path).unwrap().set_modified(modified).unwrap();
            },
        ] {
            let (_folder, checksums, path) = remembered(X);
            change(&path);
            let y = "a1fce4363854ff888cff4b8e7875d600c2682390412a8cf79b37d0b11148b0fa";
            assert_eq!(sha256(&checksums, &path), y);
        }
    }

    #[test]
    fn a_file_that_changed_just_now_is_not_remembered() {
        let (_folder, checksums, path) = remembered(WRONG);
        std::fs::write(&path, "x").unwrap();
        assert_eq!(sha256(&checksums, &path), X);
        let version = |entry: &Entry| entry.version.changed;
        let changed = std::fs::metadata(&path).unwrap().ctime();
        assert!(checksums.read().iter().all(|entry| version(entry).0 <= changed));
        assert!(checksums.read().iter().all(|entry| entry.sha256 == WRONG));
        let version = FileVersion::new(path.clone(), &std::fs::metadata(&path).unwrap());
        let now = SystemTime::now();
        assert!(!version.is_settled(now) && version.is_settled(now + 2 * SETTLED));
    }

    #[test]
    fn checksums_that_others_can_read_or_that_are_damaged_are_ignored() {
        let (_folder, checksums, path) = remembered(WRONG);
        let cache = checksums.path.clone().unwrap();
        assert_eq!(std::fs::metadata(&cache).unwrap().mode() & 0o777, 0o600);
        for mode in [0o640, 0o604, 0o620, 0o602] {
            std::fs::set_permissions(&cache, Permissions::from_mode(mode)).unwrap();
            assert_eq!(sha256(&checksums, &path), X, "{mode:o}");
        }
        std::fs::set_permissions(&cache, Permissions::from_mode(0o600)).unwrap();
        assert_eq!(sha256(&checksums, &path), WRONG);
        for damaged in ["", "[", "{}", "[{\"version\": 1}]", "\0"] {
            std::fs::write(&cache, damaged).unwrap();
            assert_eq!(sha256(&checksums, &path), X, "{damaged:?}");
        }
    }

    #[test]
    fn a_cache_folder_that_cannot_be_written_is_not_an_error() {
        let (folder, _, path) = remembered(WRONG);
        // A file where the folder should be.
        let checksums = Checksums { path: Some(path.join("checksums.json")) };
        assert_eq!(sha256(&checksums, &path), X);
        let checksums = Checksums { path: Some(folder.path().join("new/checksums.json")) };
        checksums.write(&[]);
        assert!(checksums.read().is_empty() && checksums.path.unwrap().exists());
        assert_eq!(sha256(&Checksums { path: None }, &path), X);
    }
}
