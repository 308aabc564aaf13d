//! `preset_strategies`: what the extension brings; a store's own are rows of its table.

use passage_core::strategy::PRESETS;
use pgrx::iter::TableIterator;
use pgrx::{name, pg_extern};

#[pg_extern(immutable, parallel_safe, schema = "passage")]
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
        name!(siblings, &'static str),
        name!(within, &'static str),
        name!(max_tokens, Option<i32>),
        name!(max_chunks, Option<i32>),
    ),
> {
    TableIterator::new(PRESETS.iter().map(|preset| {
        let strategy = &preset.strategy;
        (
            preset.name,
            preset.description,
            strategy.parents as i32,
            strategy.preceding as i32,
            strategy.following as i32,
            strategy.children as i32,
            strategy.before.prose as i32,
            strategy.after.prose as i32,
            strategy.siblings.name(),
            strategy.within.name(),
            strategy.max_tokens.map(|limit| limit as i32),
            strategy.max_chunks.map(|limit| limit as i32),
        )
    }))
}
