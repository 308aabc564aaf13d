//! The files of options: which are read, and how far each is trusted.

use super::FILE;
use passage::Error;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file of options.
pub struct File {
    pub path: PathBuf,
    pub origin: Origin,
}

/// How a file was come by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// By `--config` or `PASSAGE_CONFIG`.
    Named,
    /// It is the user's own, in the folder for configuration.
    User,
    /// It is in the working folder, and may be of anybody: of a cloned repository, or in `/tmp`.
    Found,
}

impl File {
    /// Returns the files to read, those that go before others last.
    pub fn all(arguments: &[OsString]) -> Vec<Self> {
        if let Some(path) = named(arguments) {
            return vec![Self { path, origin: Origin::Named }];
        }
        let user = user_folder().map(|folder| folder.join("passage").join(FILE));
        let is_user =
            |found: &Path| user.as_ref().is_some_and(|user| is_same(user, found).unwrap_or(false));
        let found = Some(PathBuf::from(FILE)).filter(|found| !is_user(found));
        let file = |origin| move |path| Self { path, origin };
        user.clone()
            .map(file(Origin::User))
            .into_iter()
            .chain(found.map(file(Origin::Found)))
            .collect()
    }

    /// Reads the file; one that nobody named need not be there.
    pub fn read(&self) -> Result<Option<String>, Error> {
        let path = self.path.display();
        let wrong = |cause: String| Error::Usage {
            cause,
            remedy: "Name a file of options with --config, or leave it out.".into(),
        };
        let is_named = self.origin == Origin::Named;
        if !is_named && let Ok(metadata) = self.path.metadata() {
            if !metadata.is_file() {
                return Err(wrong(format!("{path} is not a file")));
            }
            if self.origin == Origin::User && metadata.mode() & 0o002 != 0 {
                return Err(Error::Usage {
                    cause: format!("{path} can be written by everybody"),
                    remedy: format!(
                        "Check what it holds, and take that right away: chmod o-w {path}"
                    ),
                });
            }
        }
        match std::fs::read_to_string(&self.path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if !is_named && is_missing(&error) => Ok(None),
            Err(error) => Err(wrong(format!("cannot read {path}: {error}"))),
        }
    }
}

/// Finds the file that is named, before the rest of the command line can be read by it.
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

/// Returns the user's folder for configuration. A relative one would be in the working folder.
fn user_folder() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))
}

fn is_same(a: &Path, b: &Path) -> std::io::Result<bool> {
    let (a, b) = (a.metadata()?, b.metadata()?);
    Ok((a.dev(), a.ino()) == (b.dev(), b.ino()))
}

/// Tells whether a file is not there, nor the folder that it would be in.
fn is_missing(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}
