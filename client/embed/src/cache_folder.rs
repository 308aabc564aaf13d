//! The folder of this program in the cache folder of the user.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Returns `passage` in `XDG_CACHE_HOME` or `~/.cache`; `None` if neither `XDG_CACHE_HOME` nor `HOME` is set.
///
/// A relative path in either variable is ignored. It would lead into the working folder, where another
/// user may have put a model.
pub fn cache_folder() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))?;
    Some(cache.join("passage"))
}

/// Creates a folder and the one that it is in, as `.cache/passage` in a home folder, which only this user reads. A home folder
/// that does not exist, as that of a role for services, is not created. Returns `None` without the folder.
pub fn create_cache_folder(folder: &Path) -> Option<()> {
    for folder in [folder.parent()?, folder] {
        match DirBuilder::new().mode(0o700).create(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return None,
            _ => {}
        }
    }
    Some(())
}
