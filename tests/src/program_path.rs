//! The variable `PATH` of programs that tests run.

use std::env;
use std::ffi::OsString;
use std::path::Path;

/// Returns the `PATH` of this process with folders before all others.
///
/// # Panics
///
/// Panics if the name of a folder has a colon.
pub fn path_with<F: AsRef<Path>>(folders: impl IntoIterator<Item = F>) -> OsString {
    let others = env::var_os("PATH").unwrap_or_default();
    let folders = folders.into_iter().map(|folder| folder.as_ref().to_owned());
    let all = folders.chain(env::split_paths(&others));
    env::join_paths(all).expect("no folder has a colon")
}
