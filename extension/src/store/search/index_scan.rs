/*!
The scan of a vector index: how many chunks it finds, and pgvector's settings for it.

An index of signs only estimates distances. So it finds many more chunks than requested, and the statement
orders them by the distance of their embeddings. The index visits `hnsw.ef_search` chunks in any case, so a
session that raises this setting has them all compared.
*/

use crate::server::spi::Setting;
use pgrx::pg_sys;
use std::ffi::{CStr, CString};
use std::ops::RangeInclusive;

/// The range of `hnsw.ef_search`, which is raised to the number of visited chunks. With `ef_search` as large as
/// the request, indexes of a store of source code missed one to eight points of recall; with 200 none.
const EF_SEARCH: RangeInclusive<usize> = 200..=1_000;

/// How many chunks an index of signs finds for each requested one, and the most by this factor.
const OVERSAMPLING: usize = 20;
const MAX_OVERSAMPLED: usize = *EF_SEARCH.end();

/// Returns how many chunks an index of embeddings visits to find the requested number.
pub fn visited(requested: usize) -> usize {
    2 * requested
}

/// Returns how many candidates an index of signs visits and finds for the requested number of chunks.
pub fn candidates(requested: usize) -> usize {
    (OVERSAMPLING * requested)
        .min(MAX_OVERSAMPLED)
        .max(visited(requested))
        .max(ef_search().unwrap_or_default())
}

/// A scan of a vector index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexScan {
    /// How many chunks it visits.
    pub visited: usize,
    /// Whether it goes on until enough chunks pass the filters. Then it keeps all that it passes over, which makes it a
    /// third slower.
    pub goes_on: bool,
}

impl IndexScan {
    /// A scan that goes on.
    pub fn of_all(visited: usize) -> Self {
        Self { visited, goes_on: true }
    }

    /// Returns the settings of pgvector for the scan.
    pub fn settings(self) -> Vec<Setting> {
        let mut settings = Vec::new();
        widen(self.visited, ef_search(), &mut settings);
        if self.goes_on {
            iterate(&mut settings);
        }
        settings
    }
}

/// Returns a setting of this session.
fn current(name: &CStr) -> Option<CString> {
    // SAFETY: a look-up by a string that ends in NUL, which returns NULL for a missing setting; the
    // string that it returns is copied before anything is set.
    unsafe {
        let value = pg_sys::GetConfigOption(name.as_ptr(), true, false);
        (!value.is_null()).then(|| CStr::from_ptr(value).to_owned())
    }
}

/// Returns `hnsw.ef_search` of this session, after loading the library that defines it.
fn ef_search() -> Option<usize> {
    if current(c"hnsw.ef_search").is_none() {
        // SAFETY: the path is a string that ends in NUL; the library exists, for the store has a type
        // that is a member of its extension; loading it twice does nothing, and a failure is an error.
        unsafe { pg_sys::load_file(c"$libdir/vector".as_ptr(), false) };
    }
    current(c"hnsw.ef_search")?.to_str().ok()?.parse().ok()
}

/// Raises `hnsw.ef_search` to a number within its range.
fn widen(wide: usize, ef_search: Option<usize>, settings: &mut Vec<Setting>) {
    let wide = wide.clamp(*EF_SEARCH.start(), *EF_SEARCH.end());
    if ef_search.is_some_and(|ef_search| ef_search < wide) {
        let value = CString::new(wide.to_string()).expect("digits hold no NUL");
        settings.push(Setting { name: c"hnsw.ef_search", value });
    }
}

/// Lets a scan continue until enough chunks pass the filters. These settings exist since pgvector 0.8. The
/// order may be relaxed, because `vector_search` sorts the result.
fn iterate(settings: &mut Vec<Setting>) {
    for name in [c"hnsw.iterative_scan", c"ivfflat.iterative_scan"] {
        if current(name).is_some_and(|value| value.as_c_str() == c"off") {
            settings.push(Setting { name, value: c"relaxed_order".to_owned() });
        }
    }
}
