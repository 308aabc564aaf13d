//! Reading a file of settings, which may be missing.

use crate::error::Error;
use serde::de::DeserializeOwned;
use std::io::ErrorKind;
use std::path::Path;

/// Returns the settings of a JSON file; `None` if there is no such file.
///
/// # Errors
///
/// Returns [`Error::Unreadable`] if the system cannot read the file, and [`Error::Unsupported`] if a setting has another type.
pub(super) fn read_settings<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(Error::Unreadable { path: path.into(), source }),
    };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| Error::unsupported(path, &error))
}
