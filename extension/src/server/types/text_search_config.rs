//! Text search configurations, as the type `regconfig`.

use pgrx::{FromDatum, pg_sys};

/// A text search configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextSearchConfig(pg_sys::Oid);

/// The oid of the parser "default", as `pg_ts_parser.dat` of PostgreSQL assigns it.
const DEFAULT_PARSER: u32 = 3722;

impl TextSearchConfig {
    /// Returns whether PostgreSQL's own parser reads the text. Other ones, such as that of zhparser, find the words of
    /// scripts without spaces.
    pub fn has_default_parser(self) -> bool {
        // SAFETY: a look-up in a cache of the backend, which raises an error for a missing configuration and else returns
        // an entry of it. Nothing invalidates the entry before it is read.
        let parser = unsafe { (*pg_sys::lookup_ts_config_cache(self.0)).prsId };
        parser == pg_sys::Oid::from(DEFAULT_PARSER)
    }
}

impl FromDatum for TextSearchConfig {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        _type: pg_sys::Oid,
    ) -> Option<Self> {
        // A `regconfig` is passed by value, as an oid.
        (!is_null).then(|| Self(pg_sys::Oid::from(datum.value() as u32)))
    }
}

sql_argument!(TextSearchConfig);
sql_name!(TextSearchConfig, "regconfig");
