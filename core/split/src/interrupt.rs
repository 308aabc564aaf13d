/*!
Interrupts: a caller can stop a long computation.

Splitting 50 MB takes seconds, and meanwhile a statement may be cancelled or time out. The crate calls
[`poll`] wherever its work grows with its input, also inside libraries. `poll` calls the function that the
thread registered, and does nothing in threads without one, such as those of the client.

The function is registered and not an argument, because libraries that call back into this crate (the
Markdown writer, the parsers) cannot pass one. It takes and returns nothing, so it cannot change a result. It
stops the computation with a panic, as PostgreSQL's errors are panics in Rust. The crate holds no lock while it
polls, so unwinding leaves nothing inconsistent.
*/

use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::{cell::Cell, io};

thread_local! {
    static CHECK: Cell<Option<fn()>> = const { Cell::new(None) };
}

/// Registers the function that long computations of this thread call, many times per millisecond.
///
/// The function must be cheap. It panics to stop the computation.
pub fn register(check: fn()) {
    CHECK.set(Some(check));
}

/// Calls the function that this thread registered.
///
/// Callers process at most about 100 kB, or a few thousand small values, between two calls.
///
/// ```
/// use passage_split::interrupt;
///
/// interrupt::poll(); // Without a registered function nothing happens.
/// interrupt::register(|| panic!("cancelled"));
/// assert!(std::panic::catch_unwind(interrupt::poll).is_err());
/// ```
#[inline]
pub fn poll() {
    if let Some(check) = CHECK.get() {
        check();
    }
}

/// Polls in every 1,024th iteration of a loop whose iterations take nanoseconds.
///
/// `round` is the number of the iteration.
#[inline]
pub fn poll_periodically(round: usize) {
    if round.is_multiple_of(ROUNDS) {
        poll();
    }
}

/// The iterations between two polls: less than a tenth of a millisecond.
const ROUNDS: usize = 1_024;

/// The bytes between two polls in scans at memory speed.
pub const POLL_BLOCK: usize = 1 << 20;

/// Returns bytes in blocks of [`POLL_BLOCK`], and polls before each. A short value is one block without a poll.
pub(crate) fn blocks(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_long = bytes.len() > POLL_BLOCK;
    bytes.chunks(POLL_BLOCK).inspect(move |_| {
        if is_long {
            poll();
        }
    })
}

/// Adds a text to a hash, preceded by its length, so that text boundaries change the hash. Polls within a long text.
pub(crate) fn hash_text(hash: &mut Sha256, text: &[u8]) {
    hash.update((text.len() as u64).to_be_bytes());
    blocks(text).for_each(|block| hash.update(block));
}

/// Parses a value from JSON, with polls.
///
/// # Errors
///
/// Returns the error of `serde_json`.
pub fn json<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    // Parsing from memory is twice as fast, and one block takes a few milliseconds.
    if text.len() <= POLL_BLOCK {
        serde_json::from_str(text)
    } else {
        serde_json::from_reader(io::BufReader::new(Polled(text.as_bytes())))
    }
}

/// A reader of a text that polls.
struct Polled<'t>(&'t [u8]);

impl io::Read for Polled<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        poll();
        self.0.read(buffer)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::key::{prefix_keys, section_key};
    use crate::label::{decode_path, encode_path};
    use crate::section::common_prefix;
    use crate::{Characters, ChunkLimits, MediaType, SplitOptions, split};
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    thread_local! {
        static LEFT: Cell<usize> = const { Cell::new(0) };
    }

    /// How a test stops a computation.
    struct Stopped;

    /// Counts the polls of a computation.
    pub(crate) fn polls_of<R>(work: impl FnOnce() -> R) -> usize {
        LEFT.set(usize::MAX);
        register(count);
        work();
        CHECK.set(None);
        usize::MAX - LEFT.get()
    }

    /// Stops a computation at a poll, and tells whether it was stopped.
    pub(crate) fn stops_at<R>(poll: usize, work: impl FnOnce() -> R) -> bool {
        LEFT.set(poll);
        register(count);
        let result = catch_unwind(AssertUnwindSafe(|| {
            work();
        }));
        CHECK.set(None);
        match result {
            Ok(()) => false,
            Err(panic) if panic.is::<Stopped>() => true,
            Err(panic) => resume_unwind(panic),
        }
    }

    fn count() {
        match LEFT.get().checked_sub(1) {
            Some(left) => LEFT.set(left),
            None => resume_unwind(Box::new(Stopped)),
        }
    }

    #[test]
    fn every_kind_of_document_can_be_interrupted_while_it_is_split() {
        let kinds = [
            ("text/markdown", "# Part\n\nText of it.\n\n"),
            ("text/plain", "Text of it.\n\n"),
            ("text/x-rst", "Part\n----\n\nText of it.\n\n"),
            ("text/x-asciidoc", "== Part\n\nText of it.\n\n"),
            ("text/csv", "a,b,c\n"),
            ("application/jsonl", "{\"a\": [1, 2]}\n"),
            ("application/json", "[1,"),
            ("text/x-yaml", "- a: 1\n  b: [1, 2]\n"),
            ("text/x-toml", "[[a]]\nb = [1, 2]\n"),
            ("text/x-ini", "[a]\nb = c\n"),
            ("application/xml", "<a><b>c</b>"),
            ("text/x-rust", "fn a() -> u8 {\n    1\n}\n\n"),
        ];
        let options = SplitOptions::new(ChunkLimits::CHARACTERS);
        for (name, part) in kinds {
            let (text, media_type) = (part.repeat(3_000), MediaType::new(name));
            let work = || split(&text, &media_type, &options, &Characters).unwrap();
            let whole = work();
            let polls = polls_of(work);
            assert!(polls > text.len() / 1_000, "{name}: {polls}");
            for poll in (0..polls).step_by(polls / 10) {
                assert!(stops_at(poll, work), "{name}: {poll} of {polls}");
            }
            assert!(work() == whole, "{name}: something was left behind");
        }
    }

    #[test]
    fn sections_of_any_size_can_be_interrupted() {
        let many = vec!["title"; 100_000];
        let long = ["a".repeat(100 * POLL_BLOCK)];
        let path = encode_path(["a title"]) + "." + &"_20".repeat(100_000);
        for (what, polls) in [
            ("key of many titles", polls_of(|| section_key(&many))),
            ("key of a long title", polls_of(|| section_key(&long))),
            ("keys of the prefixes", polls_of(|| prefix_keys(&many))),
            ("common prefix", polls_of(|| common_prefix(&many, &many))),
            ("label of a long title", polls_of(|| encode_path(&long))),
            ("titles of a path", polls_of(|| decode_path(&"a.".repeat(65_535)).count())),
            ("title of a long label", polls_of(|| decode_path(&path).count())),
        ] {
            assert!(polls >= 60, "{what}: {polls}");
        }
        assert!(polls_of(|| section_key(&["Guide", "Setup"])) < 3);
    }

    #[test]
    fn a_thread_without_a_check_goes_on() {
        poll();
        assert_eq!(polls_of(poll), 1);
        assert!(stops_at(0, poll));
        assert!(!stops_at(1, poll));
    }
}
