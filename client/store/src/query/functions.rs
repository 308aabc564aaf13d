//! The functions of the extension as the catalogs describe them.

use super::super::connection::Store;
use super::super::error::Error;
use super::signature::{Argument, Column, Function, argument_description};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// The age at which signatures are read again: an update of the extension may change them.
const MAX_AGE: Duration = Duration::from_secs(30);

impl Store {
    /// Reads the descriptions of functions, sorted by name; of overloaded ones, the older comes first.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the database does not have the extension.
    pub async fn functions(&self, names: &[&str]) -> Result<Vec<Function>, Error> {
        self.must_exist().await?;
        let sql = "SELECT function.oid, proname::text, coalesce(pg_catalog.obj_description(function.oid, 'pg_proc'), ''), \
                   part.position <= pronargs, coalesce(proargnames[part.position], proname::text), \
                   pg_catalog.format_type(part.type, NULL), CASE WHEN part.position <= pronargs \
                   THEN pg_catalog.pg_get_function_arg_default(function.oid, part.position::integer) END \
                   FROM pg_catalog.pg_proc AS function CROSS JOIN LATERAL pg_catalog.unnest(\
                   coalesce(proallargtypes, proargtypes::oid[] || prorettype)) WITH ORDINALITY AS part(type, position) \
                   WHERE pronamespace = 'passage'::regnamespace AND proname = ANY ($1) ORDER BY proname, function.oid, position";
        let rows = self.query(sql, &[&names]).await?;
        let mut functions: Vec<(u32, Function)> = Vec::new();
        for row in &rows {
            let oid: u32 = row.get(0);
            if functions.last().is_none_or(|(last, _)| *last != oid) {
                functions.push((
                    oid,
                    Function {
                        name: row.get(1),
                        description: row.get(2),
                        arguments: Vec::new(),
                        columns: Vec::new(),
                    },
                ));
            }
            let (_, function) = functions.last_mut().expect("one was just added");
            let (name, sql_type): (String, String) = (row.get(4), row.get(5));
            if row.get(3) {
                let description = argument_description(&function.description, &name);
                function.arguments.push(Argument {
                    name,
                    sql_type,
                    default: row.get(6),
                    description,
                });
            } else {
                function.columns.push(Column { name, sql_type });
            }
        }
        Ok(functions.into_iter().map(|(_, function)| function).collect())
    }

    /// Returns the functions of a name, cached for [`MAX_AGE`].
    pub(super) async fn signatures(&self, name: &str) -> Result<Arc<[Function]>, Error> {
        let signatures = || self.signatures.lock().unwrap_or_else(PoisonError::into_inner);
        let cached = signatures().get(name).cloned();
        if let Some((functions, _)) = cached.filter(|(_, read)| read.elapsed() < MAX_AGE) {
            return Ok(functions);
        }
        let functions: Arc<[Function]> = self.functions(&[name]).await?.into();
        signatures().insert(name.to_owned(), (Arc::clone(&functions), Instant::now()));
        Ok(functions)
    }
}
