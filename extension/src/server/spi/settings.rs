//! Settings of PostgreSQL for the duration of one execution.

use super::statement::Statement;
use pgrx::pg_sys;
use std::ffi::{CStr, CString};

/// The `search_path` of every statement. PostgreSQL searches temporary tables and types first unless
/// `pg_temp` is listed, so it is listed last.
const SEARCH_PATH: &CStr = c"pg_catalog, pg_temp";

/// A setting for one execution.
pub struct Setting {
    pub name: &'static CStr,
    pub value: CString,
}

/// An open level of settings, if one was needed. `close` restores the previous values; after an error
/// the end of the transaction or subtransaction does.
pub(super) struct SettingsLevel(Option<i32>);

impl SettingsLevel {
    /// Sets the search path, unless it is set already by an outer call, as when the function of a
    /// policy calls the extension.
    pub(super) fn with_search_path() -> Self {
        // SAFETY: the variable of the setting points to a string from the start of a backend on, and
        // nothing changes it while the two are compared.
        let is_set = unsafe { CStr::from_ptr(pg_sys::namespace_search_path) == SEARCH_PATH };
        if is_set {
            return Self(None);
        }
        let level = Self::new_level();
        set(c"search_path", SEARCH_PATH);
        level
    }

    /// Sets what a statement is planned and executed with.
    pub(super) fn with(
        statement: &Statement,
        plan: pg_sys::SPIPlanPtr,
        settings: &[Setting],
    ) -> Self {
        // SAFETY: the one reads a variable of the backend; the plan that the other looks at is kept
        // for as long as the statement lives.
        let (role, valid) = unsafe { (pg_sys::GetUserId(), pg_sys::SPI_plan_is_valid(plan)) };
        let is_planned =
            statement.access.is_generic() && statement.role.replace(role) == role && valid;
        if is_planned && settings.is_empty() {
            return Self(None);
        }
        let level = Self::new_level();
        let disabled = if is_planned { &[] } else { statement.access.disabled_settings() };
        for name in disabled {
            set(name, c"off");
        }
        for Setting { name, value } in settings {
            set(name, value);
        }
        level
    }

    fn new_level() -> Self {
        // SAFETY: increments a counter; `close`, or the end of the transaction, decrements it.
        Self(Some(unsafe { pg_sys::NewGUCNestLevel() }))
    }

    /// Restores the previous values.
    pub(super) fn close(self) {
        if let Some(level) = self.0 {
            // SAFETY: the level is the innermost that is open: levels are closed in the reverse of
            // the order that they are opened in, for each is closed where it was opened.
            unsafe { pg_sys::AtEOXact_GUC(true, level) };
        }
    }
}

/// Sets a value for the innermost level, as the SET clause of a function does.
fn set(name: &CStr, value: &CStr) {
    // SAFETY: both are strings that end in NUL and outlive the call, and PostgreSQL copies what it
    // keeps.
    unsafe {
        pg_sys::set_config_option(
            name.as_ptr(),
            value.as_ptr(),
            pg_sys::GucContext::PGC_USERSET,
            pg_sys::GucSource::PGC_S_SESSION,
            pg_sys::GucAction::GUC_ACTION_SAVE,
            true,
            0,
            false,
        );
    }
}
