//! The configuration files: which ones are read, how far each is trusted, and how much of it is read.

use crate::Error;
use std::ffi::OsString;
use std::fs::{Metadata, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The name of the files that are read without being named.
pub const FILE_NAME: &str = "passage.toml";

/// The maximum size in bytes.
const MAX_BYTES: u64 = 1_000_000;

/// A configuration file.
pub struct File {
    pub path: PathBuf,
    pub origin: Origin,
}

/// The origin of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Named by `--config` or `PASSAGE_CONFIG`.
    Named,
    /// The user's own file, in the configuration folder.
    User,
    /// In the working folder. Anyone may have written it, for example in a cloned repository or in
    /// `/tmp`.
    WorkingFolder,
}

impl File {
    /// Returns the files to read. Later ones take precedence.
    pub fn all(arguments: &[OsString]) -> Vec<Self> {
        if let Some(path) = named(arguments) {
            return vec![Self { path, origin: Origin::Named }];
        }
        let user = user_folder().map(|folder| folder.join("passage").join(FILE_NAME));
        let is_user =
            |path: &Path| user.as_ref().is_some_and(|user| is_same(user, path).unwrap_or(false));
        let local_file = Some(PathBuf::from(FILE_NAME)).filter(|local_file| !is_user(local_file));
        let file = |origin| move |path| Self { path, origin };
        user.clone()
            .map(file(Origin::User))
            .into_iter()
            .chain(local_file.map(file(Origin::WorkingFolder)))
            .collect()
    }

    /// Reads the file. Returns `None` for a missing file that was not named.
    pub fn read(&self) -> Result<Option<String>, Error> {
        let path = self.path.display();
        let failed =
            |error: std::io::Error| self.unreadable(&format!("cannot read {path}: {error}"));
        match self.path.metadata() {
            Err(error) if self.origin != Origin::Named && is_missing(&error) => return Ok(None),
            // Opening a device can change its state.
            metadata => self.check(&metadata.map_err(failed)?)?,
        }
        // A pipe without a writer or a lease of another process would let the call wait.
        let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
        let file = OpenOptions::new().read(true).custom_flags(flags).open(&self.path);
        let file = file.map_err(failed)?;
        // Another process may have replaced the file.
        self.check(&file.metadata().map_err(failed)?)?;
        let mut bytes = Vec::new();
        // Devices and files of the kernel have no size, so the bytes that are read count.
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(self.unreadable(&format!("{path} has more than 1 MB")));
        }
        let text = String::from_utf8(bytes);
        text.map(Some).map_err(|_| self.unreadable(&format!("{path} is not UTF-8")))
    }

    /// Checks the kind and the permissions of the file. The named file may be `/dev/null`, which sets nothing.
    fn check(&self, metadata: &Metadata) -> Result<(), Error> {
        let path = self.path.display();
        let is_device = self.origin == Origin::Named && metadata.file_type().is_char_device();
        if !metadata.is_file() && !is_device {
            return Err(self.unreadable(&format!("{path} is not a file")));
        }
        if self.origin == Origin::User && metadata.mode() & 0o002 != 0 {
            return Err(Error::Usage {
                cause: format!("{path} is writable by all users"),
                remedy: format!("Check its content, and remove the permission: chmod o-w {path}"),
            });
        }
        Ok(())
    }

    fn unreadable(&self, cause: &str) -> Error {
        let remedy = match self.origin {
            Origin::WorkingFolder => "Remove it, or name another configuration file with --config.",
            _ => "Name a configuration file with --config, or omit the option.",
        };
        Error::Usage { cause: cause.into(), remedy: remedy.into() }
    }
}

/// Returns the named file. It is needed before clap parses the command line, because it sets
/// defaults.
fn named(arguments: &[OsString]) -> Option<PathBuf> {
    let mut arguments = arguments.iter().skip(1).take_while(|argument| *argument != "--");
    while let Some(argument) = arguments.next() {
        if argument == "--config" {
            return arguments.next().map(PathBuf::from);
        }
        if let Some(path) = argument.to_str().and_then(|text| text.strip_prefix("--config=")) {
            return Some(path.into());
        }
    }
    std::env::var_os("PASSAGE_CONFIG").filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Returns the user's configuration folder. Relative paths are ignored: they would be in the
/// working folder.
fn user_folder() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))
}

fn is_same(a: &Path, b: &Path) -> std::io::Result<bool> {
    let (a, b) = (a.metadata()?, b.metadata()?);
    Ok((a.dev(), a.ino()) == (b.dev(), b.ino()))
}

/// Returns whether a file or its folder does not exist.
fn is_missing(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}
