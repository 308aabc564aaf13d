//! The environment of processes that convert documents. They do not get the keys and passwords of this program.

use std::ffi::{OsStr, OsString};
use std::process::Command;

/// Variables that programs need: to find files, other programs and libraries, and to know languages and times.
const NAMES: [&str; 24] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "TMP",
    "TEMP",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "PYTHONPATH",
    "PYTHONHOME",
    "JAVA_HOME",
    "TESSDATA_PREFIX",
    "HF_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CUDA_VISIBLE_DEVICES",
    "OMP_NUM_THREADS",
];

/// The beginnings of other such variables.
const PREFIXES: [&str; 2] = ["LC_", "XDG_"];

/// The variables that a process gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Environment {
    /// The names that the user has added.
    pub(super) added: Vec<String>,
}

impl Environment {
    /// Gives a process only these variables of this one.
    pub(super) fn restrict(&self, command: &mut Command) {
        let variables = std::env::vars_os().filter(|(name, _)| self.has(name));
        let variables: Vec<(OsString, OsString)> = variables.collect();
        command.env_clear().envs(variables);
    }

    fn has(&self, name: &OsStr) -> bool {
        let Some(name) = name.to_str() else { return false };
        NAMES.contains(&name)
            || PREFIXES.iter().any(|begin| name.starts_with(begin))
            || self.added.iter().any(|added| added == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_gets_no_key_and_no_password_unless_it_is_named() {
        let environment = Environment { added: vec!["LLAMA_CLOUD_API_KEY".into()] };
        let has = |name: &str| environment.has(OsStr::new(name));
        for name in ["PATH", "HOME", "LC_ALL", "XDG_CACHE_HOME", "TMPDIR", "LLAMA_CLOUD_API_KEY"] {
            assert!(has(name), "{name}");
        }
        for name in [
            "DATABASE_URL",
            "PGPASSWORD",
            "PGSERVICE",
            "PASSAGE_API_KEY",
            "OPENAI_API_KEY",
            "HF_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "https_proxy",
            "SSH_AUTH_SOCK",
        ] {
            assert!(!has(name), "{name}");
        }
    }
}
