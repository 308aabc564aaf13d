/*!
The guard of a trigger of `keep_in_step`: no statement of it uses a relation that took the name of another.

The plan of the trigger checks who owns the store, but its statements find the store and the table by name,
and until a statement is parsed another session can free the name and take it. No lock prevents that: ALTER
SCHEMA ... RENAME waits for nobody. So while the trigger runs, PostgreSQL shows the extension each query
that it has parsed, before it plans it. Names are oids then, and stay so until PostgreSQL parses the query
again.

The setting `passage.step_guard` has what the names must mean. It ends with the trigger, also after an
error, because `keep_in_step` has a SET clause for it. A session that sets it restricts only itself.
*/

use crate::server::error::Error;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{GucContext, GucFlags, GucRegistry, GucSetting, PgList, PgLogLevel, pg_sys};
use std::ffi::{CStr, CString};

static SETTING: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(None);
const NAME: &CStr = c"passage.step_guard";

/// The tables of a store that a trigger writes.
const TABLES: [&str; 5] = ["documents", "chunks", "embeddings", "links", "shard_keys"];

/// The meaning of the names in the statements of a trigger.
#[derive(Debug, PartialEq, Eq)]
pub struct StepGuard {
    /// The store, and the owners of its tables that the plan has checked.
    pub store: String,
    pub owners: Vec<pg_sys::Oid>,
    /// The table with the trigger, and its name with the schema.
    pub table: pg_sys::Oid,
    pub table_name: String,
}

/// Defines the setting. Must be called once in a backend.
pub fn register() {
    GucRegistry::define_string_guc(
        NAME,
        c"Holds what the names in the statements of a running trigger of passage.keep_in_step mean.",
        c"Triggers set it.",
        &SETTING,
        GucContext::Userset,
        GucFlags::NO_SHOW_ALL | GucFlags::DISALLOW_IN_FILE,
    );
}

impl StepGuard {
    /// Puts the guard up until the function that calls this one ends, if it has a SET clause for the setting,
    /// else until the end of the transaction.
    pub fn put_up(&self) {
        let value = CString::new(self.to_setting()).expect("names hold no NUL");
        // SAFETY: strings that end in NUL and outlive the call.
        unsafe {
            pg_sys::set_config_option(
                NAME.as_ptr(),
                value.as_ptr(),
                pg_sys::GucContext::PGC_USERSET,
                pg_sys::GucSource::PGC_S_SESSION,
                pg_sys::GucAction::GUC_ACTION_LOCAL,
                true,
                0,
                false,
            );
        }
    }

    /// Returns the value of the setting. Names may contain any character, so the length of one precedes them.
    fn to_setting(&self) -> String {
        let owners: Vec<_> = self.owners.iter().map(|owner| owner.to_u32().to_string()).collect();
        let Self { store, table, table_name, .. } = self;
        format!("{} {} {} {store}{table_name}", owners.join(","), table.to_u32(), store.len())
    }

    fn from_setting(setting: &str) -> Option<Self> {
        let mut fields = setting.splitn(4, ' ');
        let mut field = || fields.next();
        let owners = field()?.split(',').map(|owner| owner.parse().map(pg_sys::Oid::from_u32));
        let owners = owners.collect::<Result<_, _>>().ok()?;
        let table = pg_sys::Oid::from_u32(field()?.parse().ok()?);
        let length = field()?.parse().ok()?;
        let (store, table_name) = field()?.split_at_checked(length)?;
        Some(Self { store: store.into(), owners, table, table_name: table_name.into() })
    }

    /// Returns the error for a relation that has a name of the store or of the table, and is not theirs.
    fn check(&self, relation: pg_sys::Oid) -> Result<(), Error> {
        let Some(named) = NamedRelation::find(relation) else { return Ok(()) };
        let is_other_table = relation != self.table && named.qualified == self.table_name;
        let is_of_store = named.schema == self.store && TABLES.contains(&&*named.name);
        if is_other_table || is_of_store && !self.owners.contains(&named.owner) {
            return Err(Error::NameTaken { relation: named.qualified });
        }
        Ok(())
    }
}

/// The name and the owner of a relation.
struct NamedRelation {
    schema: String,
    name: String,
    /// The name with the schema, as `format('%I.%I')` writes it.
    qualified: String,
    owner: pg_sys::Oid,
}

impl NamedRelation {
    #[expect(clippy::cast_ptr_alignment, reason = "PostgreSQL aligns what a tuple holds")]
    fn find(relation: pg_sys::Oid) -> Option<Self> {
        // SAFETY: look-ups in the catalogs by oids, which return nothing for what is missing; the tuple is
        // released when its fields were copied.
        unsafe {
            let cache = pg_sys::SysCacheIdentifier::RELOID as i32;
            let tuple = pg_sys::SearchSysCache1(cache, pg_sys::Datum::from(relation));
            if tuple.is_null() {
                return None;
            }
            let class = &*pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_class>();
            let schema = pg_sys::get_namespace_name(class.relnamespace);
            let named = (!schema.is_null()).then(|| {
                let text = |text| CStr::from_ptr(text).to_string_lossy().into_owned();
                let qualified =
                    pg_sys::quote_qualified_identifier(schema, class.relname.data.as_ptr());
                let name = pgrx::name_data_to_str(&class.relname).to_owned();
                let (schema, qualified) = (text(schema), text(qualified));
                Self { schema, name, qualified, owner: class.relowner }
            });
            pg_sys::ReleaseSysCache(tuple);
            named
        }
    }
}

/// Checks the relations of an analysed query, if a trigger runs.
///
/// # Safety
///
/// The query must be one that PostgreSQL has just analysed.
pub unsafe fn check_names(query: *mut pg_sys::Query) {
    let Some(setting) = SETTING.get().filter(|setting| !setting.is_empty()) else { return };
    let Some(guard) = setting.to_str().ok().and_then(StepGuard::from_setting) else { return };
    let (mut relations, mut others, mut has_policies) =
        (std::ptr::null_mut(), std::ptr::null_mut(), false);
    // SAFETY: collects oids of a query that PostgreSQL has just parsed, into a list in memory of the call.
    let relations: PgList<pg_sys::Oid> = unsafe {
        pg_sys::extract_query_dependencies(
            query.cast(),
            &raw mut relations,
            &raw mut others,
            &raw mut has_policies,
        );
        PgList::from_pg(relations)
    };
    for relation in relations.iter_oid() {
        if let Err(error) = guard.check(relation) {
            ErrorReport::from(error).report(PgLogLevel::ERROR);
        }
    }
}
