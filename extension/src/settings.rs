//! The settings of the extension.

use pgrx::{GucContext, GucFlags, GucRegistry, GucSetting};
use std::ffi::CString;

static STORE: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c"rag"));

static STRATEGY: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c"auto"));

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
    GucRegistry::define_string_guc(
        c"passage.strategy",
        c"Sets the strategy that functions take when none is named.",
        c"A name that passage.strategies lists.",
        &STRATEGY,
        GucContext::Userset,
        GucFlags::default(),
    );
}

/// Returns the store that is read when none is named.
pub fn store() -> String {
    text(&STORE).unwrap_or_else(|| "rag".to_owned())
}

/// Returns the strategy that is taken when none is named.
pub fn strategy() -> String {
    text(&STRATEGY).unwrap_or_else(|| "auto".to_owned())
}

fn text(setting: &GucSetting<Option<CString>>) -> Option<String> {
    let text = setting.get()?.into_string().ok()?;
    (!text.is_empty()).then_some(text)
}
