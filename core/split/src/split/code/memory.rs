/*!
The memory of the parser: counts what it allocates.

A tree needs 35 to 105 bytes for each byte of code, and hostile text can need more. tree-sitter cannot return an
error if memory is exhausted, and in a server this would end all sessions. So `syntax` stops it at a limit. The
count is of all requests and never decreases. So it depends on nothing but the text, and a document is always
split in the same way.
*/

use std::alloc::{Layout, handle_alloc_error};
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Once;
use tree_sitter::Allocator;

thread_local! {
    static REQUESTED: Cell<usize> = const { Cell::new(0) };
}

// Those of libc, which tree-sitter calls by default.
unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn realloc(old: *mut c_void, size: usize) -> *mut c_void;
    fn free(old: *mut c_void);
}

/// Lets tree-sitter count what it requests. The first call must precede all other uses of tree-sitter.
pub(super) fn count() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let allocator = Allocator {
            malloc: counted_malloc,
            calloc: counted_calloc,
            realloc: counted_realloc,
            free,
        };
        // SAFETY: the functions are libc's, also those that tree-sitter would use otherwise, so memory that
        // was requested before is freed correctly. They never return null for a request. `Once` orders
        // this before all parsing by this crate, in all threads.
        unsafe { tree_sitter::set_allocator(Some(allocator)) }
    });
}

/// Returns the number of bytes that tree-sitter has requested in this thread.
pub(super) fn requested() -> usize {
    REQUESTED.get()
}

unsafe extern "C" fn counted_malloc(size: usize) -> *mut c_void {
    // SAFETY: the contract of malloc, which is the caller's.
    checked(unsafe { malloc(size) }, size)
}

unsafe extern "C" fn counted_calloc(count: usize, size: usize) -> *mut c_void {
    // SAFETY: the contract of calloc, which is the caller's.
    checked(unsafe { calloc(count, size) }, count.saturating_mul(size))
}

unsafe extern "C" fn counted_realloc(old: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: the contract of realloc, which is the caller's.
    checked(unsafe { realloc(old, size) }, size)
}

/// Counts a request. Ends the process if it failed, as Rust does.
fn checked(memory: *mut c_void, size: usize) -> *mut c_void {
    if memory.is_null() && size > 0 {
        handle_alloc_error(Layout::array::<u8>(size).unwrap_or(Layout::new::<u8>()));
    }
    REQUESTED.set(REQUESTED.get().wrapping_add(size));
    memory
}

#[cfg(test)]
mod tests {
    use super::*;
    use tree_sitter::Parser;

    #[cfg(feature = "grammar-rust")]
    #[test]
    fn the_count_of_a_text_is_always_the_same() {
        count();
        let parse = |text: &str| {
            let before = requested();
            let mut parser = Parser::new();
            parser.set_language(&tree_sitter_rust::LANGUAGE.into()).unwrap();
            assert!(parser.parse(text, None).is_some());
            requested() - before
        };
        let text = "fn a() -> u8 {\n    1\n}\n\n".repeat(1_000);
        let first = parse(&text);
        assert!(first > 10 * text.len(), "{first}");
        parse(&text.repeat(3));
        assert_eq!(parse(&text), first);
    }
}
