//! The configuration files: which ones are read, and how far each is trusted.

use passage::Error;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The name of the files that are read without being named.
pub const FILE_NAME: &str = "passage.toml";

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
        let file_error = |cause: String| Error::Usage {
            cause,
            remedy: "Name a configuration file with --config, or omit the option.".into(),
        };
        let is_named = self.origin == Origin::Named;
        if !is_named && let Ok(metadata) = self.path.metadata() {
            if !metadata.is_file() {
                return Err(file_error(format!("{path} is not a file")));
            }
            if self.origin == Origin::User && metadata.mode() & 0o002 != 0 {
                return Err(Error::Usage {
                    cause: format!("{path} is writable by all users"),
                    remedy: format!(
                        "Check its content, and remove the permission: chmod o-w {path}"
                    ),
                });
            }
        }
        match std::fs::read_to_string(&self.path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if !is_named && is_missing(&error) => Ok(None),
            Err(error) => Err(file_error(format!("cannot read {path}: {error}"))),
        }
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
