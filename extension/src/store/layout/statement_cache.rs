//! The prepared statements of a store that a session keeps.

use crate::server::spi::{Access, Statement};
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

/// The maximum number of statements of a store that are kept. A plan takes up to half a megabyte. Calls with all
/// kinds of limits have hundreds of statements; those of one application are few.
const CAPACITY: usize = 32;

/// A least-recently-used cache of statements, the last used first.
#[derive(Default)]
pub struct StatementCache(Vec<(Box<dyn Any>, Rc<Statement>)>);

impl StatementCache {
    /// Returns the statement of a key. `write` returns the text of a statement that is not cached.
    pub fn get<K: StatementKey>(
        &mut self,
        store: &str,
        key: K,
        write: impl FnOnce() -> String,
    ) -> Rc<Statement> {
        let is_key = |(cached, _): &(Box<dyn Any>, _)| cached.downcast_ref::<K>() == Some(&key);
        if let Some(position) = self.0.iter().position(is_key) {
            self.0[..=position].rotate_right(1);
        } else {
            let statement = Statement::new(store, write(), key.access());
            self.0.truncate(CAPACITY - 1);
            self.0.insert(0, (Box::new(key), Rc::new(statement)));
        }
        Rc::clone(&self.0[0].1)
    }
}
