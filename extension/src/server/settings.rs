//! The settings of the extension.

use passage_core::expand::DefaultBudget;
use passage_split::MAX_LIMIT;
use pgrx::{GucContext, GucFlags, GucRegistry, GucSetting};
use std::ffi::CString;

static STORE: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c"rag"));

static STRATEGY: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c"auto"));

static MAX_TOKENS: GucSetting<i32> = GucSetting::<i32>::new(4_096);

static MAX_PASSAGE_TOKENS: GucSetting<i32> = GucSetting::<i32>::new(2_048);

static MAX_CACHED_STORES: GucSetting<i32> = GucSetting::<i32>::new(256);

/// The largest number of stores that a session may cache.
const MAX_STORES: i32 = 10_000;

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
    let max = MAX_LIMIT as i32;
    GucRegistry::define_int_guc(
        c"passage.max_tokens",
        c"Sets the tokens of a search if neither the call nor the strategy limits them.",
        c"0 means no limit.",
        &MAX_TOKENS,
        0,
        max,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_int_guc(
        c"passage.max_passage_tokens",
        c"Sets the tokens of the context of a hit if neither the call nor the strategy limits them.",
        c"It applies to the expansion of given hits. 0 means no limit.",
        &MAX_PASSAGE_TOKENS,
        0,
        max,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_int_guc(
        c"passage.max_cached_stores",
        c"Sets the number of stores whose plans a session keeps.",
        c"Beyond it, the session drops the plans of the store that it has not used for longest.",
        &MAX_CACHED_STORES,
        1,
        MAX_STORES,
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

/// Returns the maximum number of stores that are cached.
pub fn max_cached_stores() -> usize {
    MAX_CACHED_STORES.get().unsigned_abs() as usize
}

/// Returns the default budget of a search, whose hits share it.
pub fn search_budget() -> DefaultBudget {
    DefaultBudget { max_tokens: MAX_TOKENS.get().unsigned_abs(), ..DefaultBudget::default() }
}

/// Returns the default budget of the expansion of given hits.
pub fn expansion_budget() -> DefaultBudget {
    let max_passage_tokens = MAX_PASSAGE_TOKENS.get().unsigned_abs();
    DefaultBudget { max_passage_tokens, ..DefaultBudget::default() }
}

fn text(setting: &GucSetting<Option<CString>>) -> Option<String> {
    let text = setting.get()?.into_string().ok()?;
    (!text.is_empty()).then_some(text)
}
