//! What surrounds this process, as far as a connection depends on it.

use std::path::PathBuf;

/// Variables, the user's folder and name; a test has its own.
pub(super) trait Surroundings {
    /// Returns the value of an environment variable that is set to something.
    fn variable(&self, name: &str) -> Option<String>;

    /// Returns the user's folder.
    fn home(&self) -> Option<PathBuf> {
        self.variable("HOME").map(PathBuf::from)
    }

    /// Returns the user's name.
    fn user(&self) -> Option<String>;
}

/// Those of this process.
pub(super) struct Process;

impl Surroundings for Process {
    fn variable(&self, name: &str) -> Option<String> {
        // An empty name is none of a variable, and the system would take it ill.
        let value = std::env::var_os(name).filter(|value| !value.is_empty())?;
        value.into_string().ok()
    }

    fn user(&self) -> Option<String> {
        whoami::username().ok()
    }
}
