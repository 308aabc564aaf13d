//! What a reindex has left beside a store.

use super::super::second::names;
use super::super::sql::quoted;
use super::super::{Error, Store};
use super::Finding;

impl Store {
    /// The second store of a run that was broken off, and the first one of a run that was not.
    pub(super) async fn look_beside(&self, findings: &mut Vec<Finding>) -> Result<(), Error> {
        let Ok([second, former]) = names(&self.name) else { return Ok(()) };
        let sql = "SELECT nspname = $1, pg_size_pretty(coalesce(sum(pg_total_relation_size(pg_class.oid)), 0)) \
                   FROM pg_namespace LEFT JOIN pg_class ON relnamespace = pg_namespace.oid AND relkind IN ('r', 'm') \
                   WHERE nspname IN ($1, $2) GROUP BY nspname ORDER BY nspname";
        let rows = self.client.query(sql, &[&second, &former]).await;
        for row in rows.map_err(|error| self.error(&error))? {
            let size: String = row.get(1);
            findings.push(if row.get(0) {
                let remedy = format!(
                    "passage reindex, with the options that it was begun with, goes on with it; or DROP SCHEMA {} CASCADE.",
                    quoted(&second)
                );
                let finding = format!("\"{second}\", {size}, of a reindex that is not done");
                Finding::warning("second store", finding, remedy)
            } else {
                let remedy =
                    format!("If nobody wants it any more: DROP SCHEMA {} CASCADE.", quoted(&former));
                Finding::warning("former store", format!("\"{former}\", {size}"), remedy)
            });
        }
        Ok(())
    }
}
