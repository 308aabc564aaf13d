//! The environment of this process, as far as connection options depend on it: environment variables,
//! the home folder and the user's name.

use std::path::PathBuf;

/// An invalid connection option, as text without values, which may be passwords.
pub(super) type OptionError = String;

/// The environment of a process; tests replace it.
pub(super) trait Environment {
    /// Returns the value of an environment variable, unless it is empty.
    fn variable(&self, name: &str) -> Option<String>;

    /// Returns the home folder.
    fn home(&self) -> Option<PathBuf> {
        self.variable("HOME").map(PathBuf::from)
    }

    /// Returns the user's name.
    fn user(&self) -> Option<String>;

    /// Returns the path of a file that an option names, else of a file in the home folder.
    fn file(&self, named: Option<&str>, in_home: &[&str]) -> Option<PathBuf> {
        let default = || Some(in_home.iter().fold(self.home()?, |path, name| path.join(name)));
        named.map(PathBuf::from).or_else(default)
    }
}

/// The environment of this process.
pub(super) struct ProcessEnvironment;

impl Environment for ProcessEnvironment {
    fn variable(&self, name: &str) -> Option<String> {
        let value = std::env::var_os(name).filter(|value| !value.is_empty())?;
        value.into_string().ok()
    }

    fn user(&self) -> Option<String> {
        whoami::username().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Home;

    impl Environment for Home {
        fn variable(&self, name: &str) -> Option<String> {
            (name == "HOME").then(|| "/home/somebody".into())
        }

        fn user(&self) -> Option<String> {
            None
        }
    }

    #[test]
    fn a_named_file_takes_precedence_over_the_home_folder() {
        let file = |named| Home.file(named, &[".postgresql", "root.crt"]).unwrap();
        assert_eq!(file(None), PathBuf::from("/home/somebody/.postgresql/root.crt"));
        assert_eq!(file(Some("/etc/root.crt")), PathBuf::from("/etc/root.crt"));
    }
}
