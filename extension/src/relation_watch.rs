//! Invalidation: whether a relation changed after something was read from it and cached.

use pgrx::pg_sys;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// A set of relations that a cache depends on, and whether one of them has changed.
///
/// PostgreSQL may report a change at any moment, also while a plan of the cache runs. So the report
/// only sets a flag, and the owner of the cache clears it at its next look-up.
pub struct RelationWatch {
    /// The oids of the relations.
    watched: RefCell<BTreeSet<u32>>,
    stale: Cell<bool>,
}

// SAFETY: a watch is used by a backend alone, which has one thread.
unsafe impl Sync for RelationWatch {}

impl RelationWatch {
    /// Returns a watch without relations.
    pub const fn new() -> Self {
        Self { watched: RefCell::new(BTreeSet::new()), stale: Cell::new(false) }
    }

    /// Asks PostgreSQL to report changes of relations. Must be called once in a backend.
    pub fn register(&'static self) {
        #[pgrx::pg_guard]
        unsafe extern "C-unwind" fn changed(argument: pg_sys::Datum, relation: pg_sys::Oid) {
            // SAFETY: the argument is the watch that was registered, which lives as long as the program.
            let watch = unsafe { &*argument.cast_mut_ptr::<RelationWatch>() };
            // The catalog must not be read here. An invalid oid stands for every relation.
            if relation == pg_sys::InvalidOid || watch.watched.borrow().contains(&relation.to_u32())
            {
                watch.stale.set(true);
            }
        }
        let argument = pg_sys::Datum::from(std::ptr::from_ref(self));
        // SAFETY: the function and the watch live as long as the backend, and the function touches
        // nothing but the watch.
        unsafe { pg_sys::CacheRegisterRelcacheCallback(Some(changed), argument) }
    }

    /// Adds relations that the cache depends on.
    pub fn add(&self, relations: impl IntoIterator<Item = pg_sys::Oid>) {
        self.watched.borrow_mut().extend(relations.into_iter().map(pg_sys::Oid::to_u32));
    }

    /// Marks the cache as stale.
    pub fn set_stale(&self) {
        self.stale.set(true);
    }

    /// Returns whether the cache is stale, and resets the mark.
    pub fn take_stale(&self) -> bool {
        self.stale.replace(false)
    }

    /// Removes all relations.
    pub fn clear(&self) {
        self.watched.borrow_mut().clear();
    }
}
