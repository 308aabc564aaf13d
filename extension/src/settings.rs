//! The settings of the extension.

use pgrx::{GucContext, GucFlags, GucRegistry, GucSetting};
use std::ffi::CString;

static STORE: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c"rag"));

static STRATEGY: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c"auto"));

/// Defines the settings. Must be called once in a backend.
pub fn define() {
    GucRegistry::define_string_guc(
        c"passage.store",
        c"Sets the store that functions use if none is given.",
        c"A store is a schema with the tables that passage.create_store creates.",
        &STORE,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_string_guc(
        c"passage.strategy",
        c"Sets the strategy that functions use if none is given.",
        c"passage.strategies() lists the names.",
        &STRATEGY,
        GucContext::Userset,
        GucFlags::default(),
    );
}

/// Returns the default store.
pub fn store() -> String {
    text(&STORE).unwrap_or_else(|| "rag".to_owned())
}

/// Returns the default strategy.
pub fn strategy() -> String {
    text(&STRATEGY).unwrap_or_else(|| "auto".to_owned())
}

fn text(setting: &GucSetting<Option<CString>>) -> Option<String> {
    let text = setting.get()?.into_string().ok()?;
    (!text.is_empty()).then_some(text)
}
