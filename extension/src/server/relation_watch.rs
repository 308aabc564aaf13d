//! Invalidation: whether a relation or another object changed after something was read from it and cached.

use pgrx::pg_sys;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// A set of relations and other objects that a cache depends on, and those of them that have changed.
///
/// PostgreSQL may report a change at any moment, also while a plan of the cache runs. So the report
/// is only noted, and the owner of the cache takes it at its next look-up.
pub struct RelationWatch {
    /// The oids of the relations.
    watched: RefCell<BTreeSet<u32>>,
    /// The hashes of other objects, by which PostgreSQL reports their changes, with their caches.
    objects: RefCell<BTreeSet<(i32, u32)>>,
    /// The number of reports, also about relations and objects that are not in the set.
    changes: Cell<u64>,
    /// The relations that have changed, 0 for any relation or another object.
    changed: RefCell<BTreeSet<u32>>,
}

/// The oid of a change that concerns the whole cache.
const ANY: u32 = 0;

// SAFETY: a watch is used by a backend alone, which has one thread.
unsafe impl Sync for RelationWatch {}

impl RelationWatch {
    /// Returns a watch without relations.
    pub const fn new() -> Self {
        Self {
            watched: RefCell::new(BTreeSet::new()),
            objects: RefCell::new(BTreeSet::new()),
            changes: Cell::new(0),
            changed: RefCell::new(BTreeSet::new()),
        }
    }

    /// Asks PostgreSQL to report changes of relations. Must be called once in a backend.
    pub fn register(&'static self) {
        #[pgrx::pg_guard]
        unsafe extern "C-unwind" fn changed(argument: pg_sys::Datum, relation: pg_sys::Oid) {
            // SAFETY: the argument is the watch that was registered, which lives as long as the program.
            let watch = unsafe { &*argument.cast_mut_ptr::<RelationWatch>() };
            // The catalog must not be read here. An invalid oid stands for every relation.
            let oid = relation.to_u32();
            watch.report((oid == ANY || watch.watched.borrow().contains(&oid)).then_some(oid));
        }
        let argument = pg_sys::Datum::from(std::ptr::from_ref(self));
        // SAFETY: the function and the watch live as long as the backend, and the function touches
        // nothing but the watch.
        unsafe { pg_sys::CacheRegisterRelcacheCallback(Some(changed), argument) }
    }

    /// Asks PostgreSQL to report every change of some catalogs, such as roles. Must be called once in a
    /// backend.
    pub fn register_catalogs(&'static self, caches: &[pg_sys::SysCacheIdentifier::Type]) {
        #[pgrx::pg_guard]
        unsafe extern "C-unwind" fn changed(argument: pg_sys::Datum, _cache: i32, _hash: u32) {
            // SAFETY: as for relations.
            unsafe { &*argument.cast_mut_ptr::<RelationWatch>() }.report(Some(ANY));
        }
        self.register_caches(caches, changed);
    }

    /// Asks PostgreSQL to report changes of objects in some catalogs. Must be called once in a backend.
    pub fn register_objects(&'static self, caches: &[pg_sys::SysCacheIdentifier::Type]) {
        #[pgrx::pg_guard]
        unsafe extern "C-unwind" fn changed(argument: pg_sys::Datum, cache: i32, hash: u32) {
            // SAFETY: as for relations.
            let watch = unsafe { &*argument.cast_mut_ptr::<RelationWatch>() };
            // A hash of 0 stands for every object.
            let is_watched = hash == 0 || watch.objects.borrow().contains(&(cache, hash));
            watch.report(is_watched.then_some(ANY));
        }
        self.register_caches(caches, changed);
    }

    fn register_caches(
        &'static self,
        caches: &[pg_sys::SysCacheIdentifier::Type],
        changed: unsafe extern "C-unwind" fn(pg_sys::Datum, i32, u32),
    ) {
        for cache in caches {
            let argument = pg_sys::Datum::from(std::ptr::from_ref(self));
            // SAFETY: as for relations.
            unsafe {
                pg_sys::CacheRegisterSyscacheCallback(*cache as i32, Some(changed), argument);
            }
        }
    }

    /// Notes a change, and what it concerns of the cache.
    fn report(&self, concerned: Option<u32>) {
        self.changes.set(self.changes.get() + 1);
        self.changed.borrow_mut().extend(concerned);
    }

    /// Returns the number of reports so far. A value that is read from the catalogs may be outdated if it grows
    /// meanwhile, because the objects to watch are known only afterwards.
    pub fn changes(&self) -> u64 {
        self.changes.get()
    }

    /// Marks the cache as stale.
    pub fn set_stale(&self) {
        self.changed.borrow_mut().insert(ANY);
    }

    /// Adds objects of a catalog that the cache depends on.
    pub fn add_objects(
        &self,
        cache: pg_sys::SysCacheIdentifier::Type,
        oids: impl IntoIterator<Item = pg_sys::Oid>,
    ) {
        let cache = cache as i32;
        let none = pg_sys::Datum::null();
        // SAFETY: computes the hash of a key of the catalog, which is an oid.
        let hash = |oid: pg_sys::Oid| unsafe {
            pg_sys::GetSysCacheHashValue(cache, pg_sys::Datum::from(oid), none, none, none)
        };
        self.objects.borrow_mut().extend(oids.into_iter().map(|oid| (cache, hash(oid))));
    }

    /// Adds relations that the cache depends on.
    pub fn add(&self, relations: impl IntoIterator<Item = pg_sys::Oid>) {
        self.watched.borrow_mut().extend(relations.into_iter().map(pg_sys::Oid::to_u32));
    }

    /// Returns the relations that have changed since the last call, 0 for any relation or another object.
    pub fn take_changed(&self) -> BTreeSet<u32> {
        self.changed.take()
    }

    /// Returns whether something has changed since the last call.
    pub fn take_stale(&self) -> bool {
        !self.take_changed().is_empty()
    }

    /// Removes all relations and objects.
    pub fn clear(&self) {
        self.watched.borrow_mut().clear();
        self.objects.borrow_mut().clear();
    }
}
