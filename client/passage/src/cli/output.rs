/*!
Output: text for a terminal, a file or another program.

Commands render text with marks for styles, and only [`print`](mod@print) writes it.
*/

pub mod bar;
pub mod findings;
pub mod print;
pub mod printable;
pub mod progress;
pub mod render;
mod terminal;
