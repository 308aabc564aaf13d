//! The edition of `pg_passage` that tests install.

use std::env;

/// Returns whether the tests run on the SQL edition.
#[must_use]
pub fn is_sql_edition() -> bool {
    env::var_os("PASSAGE_INSTALL_SCRIPT").is_some()
}

/// Returns the statements that install the native extension, or those in the file that `PASSAGE_INSTALL_SCRIPT` names, by
/// which the tests run on another edition.
pub(super) fn install_script() -> String {
    match env::var_os("PASSAGE_INSTALL_SCRIPT") {
        None => "CREATE EXTENSION pg_passage CASCADE".to_owned(),
        Some(path) => std::fs::read_to_string(path).expect("the script is readable"),
    }
}
