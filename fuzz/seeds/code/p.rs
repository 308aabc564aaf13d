pP7
//! Module.
use std::{fmt, io::Read as R};

/// A type.
#[derive(Debug)]
pub struct S<T> { a: T }

impl<T: fmt::Debug> S<T> {
    // One.
    pub fn new(a: T) -> Self { Self { a } }

    fn long(&self) -> usize {
        let x = 1;
        match x { 1 => 2, _ => { 3 } }
    }
}
mod inner { pub fn f() {} #[test] fn f() {} }
macro_rules! m { ($a:expr) => { $a }; }
