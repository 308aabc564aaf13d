/*!
Adopted stores: what their triggers need, and why they must not write.

A trigger names the table of chunks by its oid, and runs on the adopted table, which is an oid as well. This module
finds the other tables and the owner from these two, and checks at each call that both tables still belong to one role.
All else that a change can break is checked by the SQL function `adopted_write_problem` when PostgreSQL reports a change
of a table, a role or a schema, and by the guard of each statement when PostgreSQL resolves its names.

[`rights`] takes the rights of the owner, [`writer`] runs the statements, [`mod@table`] finds the table that a store adopted,
and [`visibility`] what its policies compare.
*/

mod rights;
mod table;
mod visibility;
mod writer;

pub use rights::Rights;
pub use table::find_adopted;
pub use visibility::expressions_of;
pub use writer::{Change, Writer};

use crate::server::catalog::{is_of_user, owner};
use crate::server::error::Error;
use crate::server::relation_watch::RelationWatch;
use crate::server::spi::{self, Access, Connection, Guard, Statement, Value};
use pgrx::{PgRelation, pg_sys};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::rc::Rc;

/// An adopted table and its store.
pub struct Adoption {
    pub owner: pg_sys::Oid,
    pub store: String,
    pub chunks: pg_sys::Oid,
    pub documents: pg_sys::Oid,
    pub writer: Writer,
    /// The schemas of the store and of the adopted table, with their names in the statements.
    schemas: [(pg_sys::Oid, String); 2],
    /// The types of users that columns of the adopted table have, with what was checked of them.
    types: Vec<UserType>,
}

/// A type, which PostgreSQL does not watch for a plan.
#[derive(PartialEq, Eq)]
struct UserType {
    oid: pg_sys::Oid,
    owner: Option<pg_sys::Oid>,
    name: String,
}

/// The maximum number of adoptions that are cached.
const CAPACITY: usize = 256;

static WATCH: RelationWatch = RelationWatch::new();

thread_local! {
    /// The adoptions by the oids of their tables: the adopted one, and the one of chunks.
    static CACHE: RefCell<HashMap<(pg_sys::Oid, pg_sys::Oid), Rc<Adoption>>> = RefCell::default();
    /// The transaction that filled the cache, if it keeps its snapshot and so may read outdated catalogs.
    static READER: Cell<pg_sys::TransactionId> = const { Cell::new(pg_sys::InvalidTransactionId) };
    static PROBLEM: Statement = Statement::new(
        "passage",
        "SELECT problem, detail, _passage.adoption_hint(remedy) FROM _passage.adopted_write_problem($1, $2)".to_owned(),
        Access::Any,
    );
    static SOURCE: Statement = Statement::new(
        "passage",
        "SELECT _passage.named_table(_passage.adoption_of($1) OPERATOR(pg_catalog.->>) 'source')".to_owned(),
        Access::Any,
    );
}

/// Asks PostgreSQL to report changes of relations and roles. Must be called once in a backend.
pub fn register() {
    use pg_sys::SysCacheIdentifier::{AUTHMEMROLEMEM, AUTHOID};
    #[pgrx::pg_guard]
    unsafe extern "C-unwind" fn changed(_argument: pg_sys::Datum, _cache: i32, _hash: u32) {
        WATCH.set_stale();
    }
    WATCH.register();
    for cache in [AUTHMEMROLEMEM, AUTHOID] {
        // SAFETY: the function lives as long as the backend, and only sets a variable.
        unsafe {
            pg_sys::CacheRegisterSyscacheCallback(
                cache as i32,
                Some(changed),
                pg_sys::Datum::null(),
            );
        }
    }
}

/// Returns an adopted table and its store, whose tables stay locked against changes until the end of the transaction. Only
/// tables that belong to the owner of the adopted one are locked.
///
/// # Errors
///
/// Returns [`Error::Adopted`] if something changed so that the store must not be written.
pub fn find(source: pg_sys::Oid, chunks: pg_sys::Oid) -> Result<Rc<Adoption>, Error> {
    loop {
        let adoption = read_or_cached(source, chunks)?;
        for table in [chunks, adoption.documents] {
            // SAFETY: a lock of the transaction on a table of the owner.
            unsafe { pg_sys::LockRelationOid(table, pg_sys::RowExclusiveLock as i32) };
        }
        // Another session can have changed them before they were locked.
        if adoption.is_current(source) {
            return Ok(adoption);
        }
    }
}

fn read_or_cached(source: pg_sys::Oid, chunks: pg_sys::Oid) -> Result<Rc<Adoption>, Error> {
    let reader = snapshot_keeper();
    let is_other = READER.replace(reader) != reader;
    if WATCH.take_stale() || is_other || CACHE.with_borrow(|cache| cache.len() >= CAPACITY) {
        // The statements are freed after the borrow of the map has ended.
        drop(CACHE.with_borrow_mut(std::mem::take));
        WATCH.clear();
    }
    let cached = CACHE.with_borrow(|cache| cache.get(&(source, chunks)).cloned());
    if let Some(adoption) = cached.filter(|adoption| adoption.is_current(source)) {
        return Ok(adoption);
    }
    let adoption = Rc::new(spi::connect(|connection| Adoption::read(connection, source, chunks))?);
    WATCH.add([source, chunks, adoption.documents]);
    CACHE.with_borrow_mut(|cache| cache.insert((source, chunks), Rc::clone(&adoption)));
    Ok(adoption)
}

/// Returns the table of chunks in the condition of a trigger, `'store.adopted_chunks'::regclass IS NOT NULL`.
#[expect(clippy::cast_ptr_alignment, reason = "a node begins with its tag, which tells its type")]
pub fn named_chunks(trigger: &pg_sys::Trigger) -> Option<pg_sys::Oid> {
    if trigger.tgqual.is_null() {
        return None;
    }
    // SAFETY: the condition is a string that PostgreSQL wrote of a tree; the type of a node is that of its tag.
    unsafe {
        let condition = pg_sys::stringToNode(trigger.tgqual).cast::<pg_sys::Node>();
        if (*condition).type_ != pg_sys::NodeTag::T_NullTest {
            return None;
        }
        let tested = (*condition.cast::<pg_sys::NullTest>()).arg.cast::<pg_sys::Node>();
        if (*tested).type_ != pg_sys::NodeTag::T_Const {
            return None;
        }
        let named = &*tested.cast::<pg_sys::Const>();
        (named.consttype == pg_sys::REGCLASSOID && !named.constisnull)
            .then(|| pg_sys::Oid::from(named.constvalue.value() as u32))
    }
}

/// Raises the error of PostgreSQL if the caller may not read any column of a table that exists. No relation is locked.
pub fn check_right(table: pg_sys::Oid) {
    use pg_sys::{AclMaskHow::ACLMASK_ANY, AclResult::ACLCHECK_OK, ObjectType::OBJECT_TABLE};
    let right = pg_sys::ACL_SELECT.into();
    // SAFETY: look-ups by an oid of an existing table, whose name is a string in memory of the call.
    unsafe {
        let caller = pg_sys::GetUserId();
        let found = pg_sys::pg_class_aclcheck(table, caller, right);
        if found != ACLCHECK_OK
            && pg_sys::pg_attribute_aclcheck_all(table, caller, right, ACLMASK_ANY) != ACLCHECK_OK
        {
            pg_sys::aclcheck_error(found, OBJECT_TABLE, pg_sys::get_rel_name(table));
        }
    }
}

/// Returns the table that a store has adopted, and its table of chunks.
pub fn recorded(store: &str) -> Option<(pg_sys::Oid, pg_sys::Oid)> {
    let schema = CString::new(store).ok()?;
    // SAFETY: a look-up by a string that ends in NUL, which raises no error for a missing schema.
    let schema = unsafe { pg_sys::get_namespace_oid(schema.as_ptr(), true) };
    let chunks = relation_in(schema, c"adopted_chunks");
    let source = spi::connect(|connection| {
        SOURCE.with(|statement| {
            connection.read(statement, vec![Value::new(chunks)]).get::<pg_sys::Oid>(0, 0)
        })
    });
    Some((source?, chunks))
}

/// Returns the transaction if it keeps its snapshot.
fn snapshot_keeper() -> pg_sys::TransactionId {
    // SAFETY: plain look-ups.
    unsafe {
        let keeps_snapshot = pg_sys::XactIsoLevel >= pg_sys::XACT_REPEATABLE_READ as i32;
        if keeps_snapshot {
            pg_sys::GetTopTransactionIdIfAny()
        } else {
            pg_sys::InvalidTransactionId
        }
    }
}

impl Adoption {
    fn read(
        connection: &Connection,
        source: pg_sys::Oid,
        chunks: pg_sys::Oid,
    ) -> Result<Self, Error> {
        let values = vec![Value::new(source), Value::new(chunks)];
        PROBLEM.with(|statement| {
            let rows = connection.read(statement, values.clone());
            let text = |column| rows.get::<String>(0, column);
            text(0).map_or(Ok(()), |problem| {
                let remedy = text(2).unwrap_or_default();
                Err(Error::Adopted { problem, detail: text(1), remedy })
            })
        })?;
        let home = namespace(chunks);
        let store = home.1.clone();
        let documents = relation_in(home.0, c"adopted_documents");
        // Both belong to the owner of the table, which was just checked and is checked again at each call.
        let owner = owner(pg_sys::RelationRelationId, source).unwrap_or(pg_sys::InvalidOid);
        let guard = Rc::new(Guard::new(owner, vec![source, chunks, documents]));
        let writer = Writer::read(connection, &store, values, &guard);
        let schemas = [home, namespace(source)];
        Ok(Self { owner, store, chunks, documents, writer, schemas, types: user_types(source) })
    }

    /// Returns whether the owners, the types and the names of the schemas are still those that were read.
    fn is_current(&self, source: pg_sys::Oid) -> bool {
        let tables = [source, self.chunks, self.documents];
        let has_owner = |oid| owner(pg_sys::RelationRelationId, oid) == Some(self.owner);
        tables.into_iter().all(has_owner)
            && self.schemas.iter().all(|(oid, name)| schema_name(*oid) == *name)
            && self.types.iter().all(|known| UserType::read(known.oid) == *known)
    }
}

impl UserType {
    fn read(oid: pg_sys::Oid) -> Self {
        // SAFETY: a look-up by an oid, which returns "???" for a missing type, as a string in memory of the call.
        let name = unsafe { CStr::from_ptr(pg_sys::format_type_be_qualified(oid)) };
        let owner = owner(pg_sys::TypeRelationId, oid);
        Self { oid, owner, name: name.to_string_lossy().into_owned() }
    }
}

/// Returns the types of the columns of a table that are not of PostgreSQL itself.
fn user_types(table: pg_sys::Oid) -> Vec<UserType> {
    // SAFETY: the statement that fires a trigger, or the caller of `refresh_adopted`, has locked the table.
    let table = unsafe { PgRelation::open(table) };
    let columns = table.tuple_desc();
    let mut types: Vec<_> = columns
        .iter()
        .filter(|column| !column.attisdropped && is_of_user(column.atttypid))
        .map(|column| UserType::read(column.atttypid))
        .collect();
    types.dedup();
    types
}

/// Returns the schema of a relation, with its name.
fn namespace(relation: pg_sys::Oid) -> (pg_sys::Oid, String) {
    // SAFETY: a look-up by an oid, which returns 0 for a missing relation.
    let schema = unsafe { pg_sys::get_rel_namespace(relation) };
    (schema, schema_name(schema))
}

/// Returns the name of a schema, empty for a missing one.
fn schema_name(schema: pg_sys::Oid) -> String {
    // SAFETY: a look-up by an oid, which returns NULL for a missing schema, else a string in memory of the call.
    let name = unsafe { pg_sys::get_namespace_name(schema) };
    if name.is_null() {
        return String::new();
    }
    // SAFETY: it is not NULL.
    unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
}

/// Returns the oid of a relation in a schema, 0 for a missing one.
fn relation_in(schema: pg_sys::Oid, name: &CStr) -> pg_sys::Oid {
    // SAFETY: a look-up by an oid and a string that ends in NUL.
    unsafe { pg_sys::get_relname_relid(name.as_ptr(), schema) }
}
