/*!
Loops over cases that name the case which failed.

A panic in the body of `for (sql, object) in cases(OBJECTS)` drops the iterator of the loop, which then prints the case:

```text
case 2: ("CREATE VIEW a AS SELECT 1", "view a")
```
*/

use std::fmt::Debug;

/// The maximum number of characters that are printed of a case.
const MAX_CHARACTERS: usize = 400;

/// The cases of a loop, created by [`cases`].
#[derive(Debug)]
pub struct Cases<I> {
    rest: I,
    number: usize,
    current: String,
}

/// Returns the cases in their order, and prints the current one if the body of the loop panics.
pub fn cases<C>(cases: C) -> Cases<C::IntoIter>
where
    C: IntoIterator,
    C::Item: Debug,
{
    Cases { rest: cases.into_iter(), number: 0, current: String::new() }
}

impl<I> Iterator for Cases<I>
where
    I: Iterator,
    I::Item: Debug,
{
    type Item = I::Item;

    fn next(&mut self) -> Option<Self::Item> {
        let case = self.rest.next()?;
        self.number += 1;
        self.current = format!("{case:?}").chars().take(MAX_CHARACTERS).collect();
        Some(case)
    }
}

impl<I> Drop for Cases<I> {
    fn drop(&mut self) {
        if std::thread::panicking() && self.number > 0 {
            eprintln!("case {}: {}", self.number, self.current);
        }
    }
}
