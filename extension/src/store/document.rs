//! Reading the chunks of one document.

mod outline;
mod parts;
