//! The statements of a store, of which a session keeps those that it asks for.

use super::layout::Purpose;
use crate::spi::Statement;
use std::collections::HashMap;
use std::rc::Rc;

/// The most statements of a layout that are remembered. A plan takes up to half a megabyte, and
/// calls with all kinds of limits have hundreds; those of one application are few.
const STATEMENTS: usize = 32;

/// The statements that were written for a store, each with the turn in which it was asked for last.
#[derive(Default)]
pub struct Statements {
    turn: u64,
    written: HashMap<Purpose, (u64, Rc<Statement>)>,
}

impl Statements {
    /// Returns a statement of a store; the one that was not asked for the longest gives way for a new one.
    pub fn get(
        &mut self,
        store: &str,
        purpose: Purpose,
        write: impl FnOnce() -> String,
    ) -> Rc<Statement> {
        self.turn += 1;
        if self.written.len() >= STATEMENTS && !self.written.contains_key(&purpose) {
            let oldest = self.written.iter().min_by_key(|(_, (turn, _))| *turn);
            if let Some(oldest) = oldest.map(|(purpose, _)| *purpose) {
                self.written.remove(&oldest);
            }
        }
        let written = self.written.entry(purpose);
        let (turn, statement) = written
            .or_insert_with(|| (0, Rc::new(Statement::new(store, write(), purpose.access()))));
        *turn = self.turn;
        Rc::clone(statement)
    }
}
