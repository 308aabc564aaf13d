//! The settings of pgvector for a search by a vector index.

use crate::spi::Setting;
use pgrx::pg_sys;
use std::ffi::{CStr, CString};

/// The range of `hnsw.ef_search`, which is raised to twice the number of requested chunks. With
/// `ef_search` as large as the request, indexes of a store of source code missed one to eight points of
/// recall; with 200 none.
const EF_SEARCH: std::ops::RangeInclusive<usize> = 200..=1_000;

/// Returns the settings of pgvector for finding `limit` chunks.
pub fn index_settings(limit: usize) -> Vec<Setting> {
    let current = |name: &CStr| {
        // SAFETY: a look-up by a string that ends in NUL, which returns NULL for a missing setting; the
        // string that it returns is copied before anything is set.
        unsafe {
            let value = pg_sys::GetConfigOption(name.as_ptr(), true, false);
            (!value.is_null()).then(|| CStr::from_ptr(value).to_owned())
        }
    };
    if current(c"hnsw.ef_search").is_none() {
        // SAFETY: the path is a string that ends in NUL; the library exists, for the store has a type
        // that is a member of its extension; loading it twice does nothing, and a failure is an error.
        unsafe { pg_sys::load_file(c"$libdir/vector".as_ptr(), false) };
    }
    let mut settings = Vec::new();
    let wide = (2 * limit).clamp(*EF_SEARCH.start(), *EF_SEARCH.end());
    let ef_search = current(c"hnsw.ef_search")
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok())
        .filter(|ef_search| *ef_search < wide);
    if ef_search.is_some() {
        let value = CString::new(wide.to_string()).expect("digits hold no NUL");
        settings.push(Setting { name: c"hnsw.ef_search", value });
    }
    // These settings exist since pgvector 0.8. `vector_search` sorts the result.
    for name in [c"hnsw.iterative_scan", c"ivfflat.iterative_scan"] {
        if current(name).is_some_and(|value| value.as_c_str() == c"off") {
            settings.push(Setting { name, value: c"relaxed_order".to_owned() });
        }
    }
    settings
}
