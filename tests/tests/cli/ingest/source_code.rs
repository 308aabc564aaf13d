//! Source code that SQL loads: it has the chunks of the client, and those of a server without grammars until
//! `passage embed` splits it again.

mod files;
mod privileges;
mod rows;
mod without_grammars;
