//! The prepared statements of a store that a session keeps.

use crate::spi::{Access, Statement};
use std::any::Any;
use std::rc::Rc;

/// Identifies a statement among those of a store. Each module that writes statements has a key type of
/// its own, with a field for everything that the text depends on.
pub trait StatementKey: Clone + PartialEq + 'static {
    /// Returns how the statement finds rows.
    fn access(&self) -> Access {
        Access::Index
    }
}

/// The most statements of a store that are kept by default. A plan takes up to half a megabyte. Calls with all
/// kinds of limits have hundreds of statements; those of one application are few.
const CAPACITY: usize = 32;

/// A least-recently-used cache of statements.
pub struct StatementCache {
    capacity: usize,
    /// The last used first.
    statements: Vec<(Box<dyn Any>, Rc<Statement>)>,
}

impl Default for StatementCache {
    fn default() -> Self {
        Self::with_capacity(CAPACITY)
    }
}

impl StatementCache {
    /// Returns an empty cache for at most so many statements.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { capacity, statements: Vec::new() }
    }

    /// Returns the statement of a key. `write` returns the text of a statement that is not cached.
    pub fn get<K: StatementKey>(
        &mut self,
        store: &str,
        key: K,
        write: impl FnOnce() -> String,
    ) -> Rc<Statement> {
        let is_key = |(cached, _): &(Box<dyn Any>, _)| cached.downcast_ref::<K>() == Some(&key);
        if let Some(position) = self.statements.iter().position(is_key) {
            self.statements[..=position].rotate_right(1);
        } else {
            let statement = Statement::new(store, write(), key.access());
            self.statements.truncate(self.capacity - 1);
            self.statements.insert(0, (Box::new(key), Rc::new(statement)));
        }
        Rc::clone(&self.statements[0].1)
    }
}
