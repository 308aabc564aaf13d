//! A table or view of a store, with its columns and their types.

use super::casts::can_cast;
use crate::server::types::extension_type_name;
use pgrx::pg_sys;
use std::collections::HashMap;
use std::ffi::CStr;

/// A table or view.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own in the catalogs")]
pub struct Relation {
    pub oid: pg_sys::Oid,
    /// The qualified name, quoted for a statement.
    pub name: String,
    /// Whether it is a table, partitioned or not.
    pub is_table: bool,
    /// Whether it is a table, partitioned or not, whose column `ordinal` is an integer and NOT NULL.
    pub has_ordinals: bool,
    /// Whether a CHECK makes the id of each chunk name its document.
    pub ids_name_documents: bool,
    /// Whether an index has the column `metadata`, alone or in an expression.
    pub has_metadata_index: bool,
    /// The type of each column.
    columns: HashMap<String, pg_sys::Oid>,
}

impl Relation {
    /// Returns whether policies restrict which rows the caller sees.
    pub fn has_policies(&self) -> bool {
        // SAFETY: a look-up in the catalogs of a relation by its oid, which returns "none" for a missing one.
        let state = unsafe { pg_sys::check_enable_rls(self.oid, pg_sys::InvalidOid, true) };
        state == pg_sys::CheckEnableRlsResult::RLS_ENABLED as i32
    }

    /// Reads a relation from the catalogs. Returns `None` if another session has dropped it since its oid was looked up.
    pub(super) fn read(oid: pg_sys::Oid, name: String) -> Option<Self> {
        let lock = pg_sys::AccessShareLock as i32;
        // SAFETY: the relation is open while its descriptor is read, and locked against its removal;
        // what is kept of the descriptor is copied.
        unsafe {
            let opened = pg_sys::try_relation_open(oid, lock);
            if opened.is_null() {
                return None;
            }
            let found = Self::describe(&pgrx::PgRelation::from_pg(opened), oid, name);
            pg_sys::relation_close(opened, lock);
            Some(found)
        }
    }

    fn describe(relation: &pgrx::PgRelation, oid: pg_sys::Oid, name: String) -> Self {
        let description = relation.tuple_desc();
        let columns = || description.iter().filter(|column| !column.attisdropped);
        let is_ordinal = |column: &pg_sys::FormData_pg_attribute| {
            column.name() == "ordinal" && column.attnotnull && column.atttypid == pg_sys::INT4OID
        };
        let metadata = columns().find(|column| column.name() == "metadata");
        let is_table = relation.is_table() || relation.is_partitioned_table();
        Self {
            oid,
            name,
            is_table,
            has_ordinals: is_table && columns().any(is_ordinal),
            ids_name_documents: has_check(&description, c"chunks_id_names_document"),
            has_metadata_index: metadata.is_some_and(|column| has_index(relation, column.attnum)),
            columns: columns().map(|column| (column.name().to_owned(), column.atttypid)).collect(),
        }
    }

    /// Returns whether there is a column of this name.
    pub fn has(&self, column: &str) -> bool {
        self.columns.contains_key(column)
    }

    /// Returns whether there is a column of this name and exactly this type.
    pub fn is_of(&self, column: &str, oid: pg_sys::Oid) -> bool {
        self.columns.get(column) == Some(&oid)
    }

    /// Returns whether there is a column of this name with one of some types, or a domain over one.
    ///
    /// Columns that are compared must have one. For other types PostgreSQL has no operator, or uses
    /// an operator that a user created.
    pub fn is_based_on(&self, column: &str, oids: &[pg_sys::Oid]) -> bool {
        self.columns.get(column).is_some_and(|column| {
            // SAFETY: a look-up of a type, which raises an error where it is missing.
            oids.contains(&unsafe { pg_sys::getBaseType(*column) })
        })
    }

    /// Returns whether there is a column of this name that can be read as a type.
    pub fn can_read(&self, column: &str, sql_type: &str) -> bool {
        self.columns.get(column).is_some_and(|from| can_cast(*from, builtin_type(sql_type).0))
    }

    /// Returns whether a relation may have rows that the caller may read. A table has none if its file is empty, which is
    /// known without a statement. A caller without the right to read it gets the error of a statement.
    pub fn may_have_rows(&self) -> bool {
        let lock = pg_sys::AccessShareLock as i32;
        if may_select(self.oid) != Some(true) {
            return true;
        }
        // SAFETY: the relation is open while its file and its description are looked at.
        unsafe {
            let relation = pg_sys::try_relation_open(self.oid, lock);
            // Another session has replaced the store; the statement finds its table by name.
            if relation.is_null() {
                return true;
            }
            // The rows of a partition, a child or a shard are in other files.
            let description = &*(*relation).rd_rel;
            let is_alone = description.relkind == pg_sys::RELKIND_RELATION as i8
                && !description.relhassubclass;
            let main = pg_sys::ForkNumber::MAIN_FORKNUM;
            let may_have = !is_alone || pg_sys::RelationGetNumberOfBlocksInFork(relation, main) > 0;
            pg_sys::relation_close(relation, lock);
            may_have
        }
    }

    /// Returns whether each row has the id of its document.
    pub fn has_document_id(&self) -> bool {
        self.is_based_on("document_id", &[pg_sys::UUIDOID])
    }

    /// Returns the schema, quoted, and the name of a column's type, if the type is one of some types
    /// that belong to an extension. The extension may be in any schema.
    pub fn extension_type(
        &self,
        column: &str,
        extension: &CStr,
        types: &[&'static str],
    ) -> Option<(String, &'static str)> {
        let oid = self.columns.get(column)?;
        let name = extension_type_name(*oid, extension)?;
        let name = types.iter().find(|candidate| **candidate == name)?;
        // SAFETY: a look-up that gives "???" for a type that is missing, as a string in memory of the
        // call.
        let qualified = unsafe {
            let qualified = pg_sys::FORMAT_TYPE_FORCE_QUALIFY as pg_sys::bits16;
            CStr::from_ptr(pg_sys::format_type_extended(*oid, -1, qualified))
        };
        let schema = qualified.to_str().ok()?.strip_suffix(name)?.strip_suffix('.')?;
        Some((schema.to_owned(), name))
    }

    /// Returns the column of an alias as a type, NULL where the relation has no such column. Casts of a column to its own
    /// type would be a fifth of the parse tree that a session keeps of a statement.
    pub fn column(&self, alias: &str, column: &str, sql_type: &str) -> String {
        if self.is_of(column, builtin_type(sql_type).0) {
            format!("{alias}.{column}")
        } else if self.can_read(column, sql_type) {
            format!("{alias}.{column}::{}", builtin_type(sql_type).1)
        } else {
            null(sql_type)
        }
    }

    /// Returns columns of an alias, each NULL where the relation or the column is missing.
    pub fn columns(relation: Option<&Self>, alias: &str, columns: &[(&str, &str)]) -> Vec<String> {
        let column = |&(column, sql_type): &(&str, &str)| match relation {
            Some(relation) => relation.column(alias, column, sql_type),
            None => null(sql_type),
        };
        columns.iter().map(column).collect()
    }
}

/// Returns whether the caller may read all columns of a relation, or `None` if another session has dropped it.
pub fn may_select(relation: pg_sys::Oid) -> Option<bool> {
    let mut is_missing = false;
    // SAFETY: a look-up of a privilege, which raises no error for a missing relation but says so.
    let right = unsafe {
        let (role, select) = (pg_sys::GetUserId(), pg_sys::ACL_SELECT.into());
        pg_sys::pg_class_aclcheck_ext(relation, role, select, &raw mut is_missing)
    };
    (!is_missing).then_some(right == pg_sys::AclResult::ACLCHECK_OK)
}

/// Returns whether an index of a relation has a column, alone or in an expression.
fn has_index(relation: &pgrx::PgRelation, column: i16) -> bool {
    // Both kinds include the columns of expressions and predicates.
    #[cfg(feature = "pg15")]
    let kind = pg_sys::IndexAttrBitmapKind::INDEX_ATTR_BITMAP_ALL;
    #[cfg(not(feature = "pg15"))]
    let kind = pg_sys::IndexAttrBitmapKind::INDEX_ATTR_BITMAP_HOT_BLOCKING;
    let member = i32::from(column) - pg_sys::FirstLowInvalidHeapAttributeNumber;
    // SAFETY: the relation is open; the set is a copy in memory of the call, or NULL, which has no member.
    unsafe {
        let columns = pg_sys::RelationGetIndexAttrBitmap(relation.as_ptr(), kind);
        pg_sys::bms_is_member(member, columns)
    }
}

/// Returns whether a relation has a CHECK of a name that all its rows satisfy.
fn has_check(description: &pg_sys::TupleDescData, name: &CStr) -> bool {
    // SAFETY: the descriptor of an open relation has its constraints, or NULL; the array has as many
    // checks as the number says, each with a name that ends in NUL.
    unsafe {
        let Some(constraints) = description.constr.as_ref() else { return false };
        (0..usize::from(constraints.num_check)).any(|at| {
            let check = &*constraints.check.add(at);
            check.ccvalid && CStr::from_ptr(check.ccname) == name
        })
    }
}

/// Returns the oid of a type that columns are read as, and its name in a statement.
fn builtin_type(sql_type: &str) -> (pg_sys::Oid, &'static str) {
    match sql_type {
        "uuid" => (pg_sys::UUIDOID, "pg_catalog.uuid"),
        "integer" => (pg_sys::INT4OID, "pg_catalog.int4"),
        "double precision" => (pg_sys::FLOAT8OID, "pg_catalog.float8"),
        "text" => (pg_sys::TEXTOID, "pg_catalog.text"),
        "text[]" => (pg_sys::TEXTARRAYOID, "pg_catalog.text[]"),
        "jsonb" => (pg_sys::JSONBOID, "pg_catalog.jsonb"),
        _ => unreachable!("no statement reads another type"),
    }
}

/// Returns a NULL of a type that columns are read as.
fn null(sql_type: &str) -> String {
    format!("NULL::{}", builtin_type(sql_type).1)
}
