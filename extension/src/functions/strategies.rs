//! `preset_strategies`: the strategies of the extension. Custom strategies are rows of a store.

use passage_core::strategy::{PRESETS, Window};
use pgrx::datum::JsonB;
use pgrx::iter::TableIterator;
use pgrx::{name, pg_extern};
use serde_json::{Value, json};

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
fn preset_strategies() -> TableIterator<
    'static,
    (
        name!(name, &'static str),
        name!(description, &'static str),
        name!(parents, i32),
        name!(preceding, i32),
        name!(following, i32),
        name!(children, i32),
        name!(before, i32),
        name!(after, i32),
        name!(windows, JsonB),
        name!(siblings, &'static str),
        name!(within, &'static str),
        name!(threshold, f64),
        name!(count_by, &'static str),
        name!(max_tokens, Option<i32>),
        name!(max_chunks, Option<i32>),
    ),
> {
    TableIterator::new(PRESETS.iter().map(|preset| {
        let strategy = &preset.strategy;
        (
            preset.name,
            preset.description,
            strategy.relatives.parents as i32,
            strategy.relatives.preceding as i32,
            strategy.relatives.following as i32,
            strategy.relatives.children as i32,
            strategy.before.prose as i32,
            strategy.after.prose as i32,
            JsonB(windows(strategy.before)),
            strategy.relatives.siblings.name(),
            strategy.within.name(),
            strategy.threshold,
            strategy.count_by.name(),
            strategy.max_tokens.map(|limit| limit as i32),
            strategy.max_chunks.map(|limit| limit as i32),
        )
    }))
}

/// Returns the widths of a window by kind, if they differ from that of prose.
fn windows(window: Window) -> Value {
    let Window { prose, code, api_reference } = window;
    if (code, api_reference) == (prose, prose) {
        return json!({});
    }
    json!({ "code": code, "api-reference": api_reference })
}
