//! The settings of the extension.

use pgrx::{GucContext, GucFlags, GucRegistry, GucSetting};
use std::ffi::CString;

static STORE: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c"rag"));

/// Defines the settings; once for a backend.
pub fn define() {
    GucRegistry::define_string_guc(
        c"passage.store",
        c"Sets the store that functions read when none is named.",
        c"A store is a schema with the tables that passage.create_store makes.",
        &STORE,
        GucContext::Userset,
        GucFlags::default(),
    );
}

/// Returns the store that is read when none is named.
pub fn store() -> String {
    STORE
        .get()
        .and_then(|store| store.into_string().ok())
        .filter(|store| !store.is_empty())
        .unwrap_or_else(|| "rag".to_owned())
}
