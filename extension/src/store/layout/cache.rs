/*!
The layouts that a session has used last.

A layout with its plans takes 0.2 to 1 MB, and to read it again takes as long as several calls. So a session with a store
for each tenant keeps as many as the setting `passage.max_cached_stores` allows, and loses only those that it has not used
for longest, or whose relations have changed.
*/

use pgrx::pg_sys;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// The oids of the chunks, documents, strategies, embeddings and adopted chunks of a store, 0 for a missing relation.
pub type RelationOids = [pg_sys::Oid; 5];

/// A least-recently-used cache of layouts, by the oid of their chunks.
pub struct LayoutCache<Layout> {
    entries: HashMap<pg_sys::Oid, Entry<Layout>>,
    /// The number of look-ups so far.
    clock: u64,
}

struct Entry<Layout> {
    store: String,
    oids: RelationOids,
    layout: Rc<Layout>,
    last_used: u64,
}

/// Layouts that the cache no longer has. Their plans are freed when it is not borrowed.
pub type Removed<Layout> = Vec<Rc<Layout>>;

impl<Layout> Default for LayoutCache<Layout> {
    fn default() -> Self {
        Self { entries: HashMap::new(), clock: 0 }
    }
}

impl<Layout> LayoutCache<Layout> {
    /// Returns the layout of a store, if it has the name and the relations that it had when it was read.
    pub fn get(&mut self, store: &str, oids: &RelationOids) -> Option<Rc<Layout>> {
        self.clock += 1;
        let entry = self.entries.get_mut(&oids[0])?;
        if entry.store != store || entry.oids != *oids {
            return None;
        }
        entry.last_used = self.clock;
        Some(Rc::clone(&entry.layout))
    }

    /// Adds a layout, and returns those in whose place it is: a former one of its chunks, and the least recently used
    /// beyond the capacity.
    pub fn insert(
        &mut self,
        store: &str,
        oids: RelationOids,
        layout: Rc<Layout>,
        capacity: usize,
    ) -> Removed<Layout> {
        let entry = Entry { store: store.to_owned(), oids, layout, last_used: self.clock };
        let former = self.entries.insert(oids[0], entry);
        let mut removed: Vec<_> = former.map(|entry| entry.layout).into_iter().collect();
        while self.entries.len() > capacity {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.last_used);
            let chunks = oldest.map(|(chunks, _)| *chunks);
            let entry = chunks.and_then(|chunks| self.entries.remove(&chunks));
            removed.extend(entry.map(|entry| entry.layout));
        }
        removed
    }

    /// Removes the layouts with a relation that has changed. A change of the invalid oid is one of every relation.
    pub fn remove(&mut self, changed: &BTreeSet<u32>) -> Removed<Layout> {
        let is_any = changed.contains(&pg_sys::InvalidOid.to_u32());
        let is_changed = |entry: &Entry<Layout>| {
            is_any || entry.oids.iter().any(|oid| changed.contains(&oid.to_u32()))
        };
        let removed = self.entries.extract_if(|_, entry| is_changed(entry));
        removed.map(|(_, entry)| entry.layout).collect()
    }

    /// Returns the relations of all layouts.
    pub fn relations(&self) -> impl Iterator<Item = pg_sys::Oid> {
        self.entries.values().flat_map(|entry| entry.oids)
    }
}
