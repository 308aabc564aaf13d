//! Checks of what another role may do in a store.

use super::super::super::connection::Store;
use super::super::super::error::Error;
use super::super::ownership::PINNED_SEARCH_PATH;
use super::finding::Finding;
use crate::postgres_text::quote_identifier;

/// The operations of `_passage.role_rights`, with what a role may do.
const OPERATIONS: [(&str, &str, &str); 10] = [
    ("read", "read", "expand hits, assemble and outline documents"),
    ("search", "search", "search by words and by embeddings"),
    (
        "ingest",
        "ingest with SQL",
        "call passage.ingest, and write tables that passage.keep_in_step follows",
    ),
    ("load", "ingest with the client", "run passage ingest"),
    ("embed", "embed", "run passage embed"),
    ("remove", "remove", "call passage.remove, and run passage remove"),
    ("links", "follow links", "call passage.links, and search with links"),
    ("write_links", "write links", "write the links of the documents that it ingests"),
    ("feedback", "search with ratings", "search with feedback"),
    ("rate", "rate", "call passage.rate"),
];

impl Store {
    /// Checks what a role may do in the store. Each thing that it may not do is a warning, whose remedy is the SQL that
    /// allows it.
    ///
    /// The checks read only catalogs, and the settings of the store if the caller may read them.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Lost`] if the connection ends; problems are findings, not errors.
    pub async fn doctor_role(&self, role: &str) -> Result<Vec<Finding>, Error> {
        let mut findings = Vec::new();
        self.run(&format!("BEGIN READ ONLY; SET LOCAL {PINNED_SEARCH_PATH}")).await?;
        let mut server = Vec::new();
        if !self.check_server(&mut server).await? {
            return Ok(server);
        }
        if let Err(error) = self.must_exist().await {
            return Ok(vec![Finding::bad("store", error.to_string(), error.remedy())]);
        }
        let sql = "SELECT rolsuper OR rolbypassrls OR pg_has_role($1::text::name, relowner, 'USAGE') AND NOT relforcerowsecurity, relrowsecurity \
                   FROM pg_roles CROSS JOIN pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace \
                   WHERE rolname = $1 AND nspname = $2 AND relname = 'chunks'";
        let Some(row) = self.query_opt(sql, &[&role, &self.name]).await? else {
            let remedy = format!(
                "List the roles: SELECT rolname FROM pg_roles WHERE rolname !~ '^pg_'; or create it: CREATE ROLE {} LOGIN;",
                quote_identifier(role)
            );
            return Ok(vec![Finding::bad(
                "role",
                format!("role \"{role}\" does not exist"),
                remedy,
            )]);
        };
        let (bypasses, has_policies): (bool, bool) = (row.get(0), row.get(1));
        let sql = "SELECT operation, is_allowed, lacks, remedy FROM _passage.role_rights($1::text::name, $2::text::name)";
        for row in self.query(sql, &[&role, &self.name]).await? {
            let operation: &str = row.get(0);
            let (subject, ability) = names(operation);
            findings.push(if row.get(1) {
                Finding::good(subject, format!("\"{role}\" can {ability}"))
            } else {
                Finding::warning(subject, lack(role, row.get(2)), row.get::<_, String>(3))
            });
        }
        findings.push(Finding::good(
            "rows",
            match (has_policies, bypasses) {
                (false, _) => {
                    "row-level security is off: it sees and writes the documents of all tenants"
                }
                (true, true) => {
                    "policies do not apply to it: it sees and writes the documents of all tenants"
                }
                (true, false) => "it sees and writes those that the policies admit",
            },
        ));
        Ok(findings)
    }

    /// Adds a warning for each operation on links and ratings that the current role may not do. A role that may not write
    /// documents gets none about writing links, and a store without these tables has none.
    ///
    /// Also in a store of another role: the query reads the catalogs alone.
    pub(super) async fn check_links_and_ratings(
        &self,
        findings: &mut Vec<Finding>,
    ) -> Result<(), Error> {
        let sql = "WITH rights AS MATERIALIZED (SELECT * FROM _passage.role_rights(current_user, $1::text::name, false)) \
                   SELECT operation, lacks, remedy, current_user::text FROM rights WHERE NOT is_allowed \
                   AND (operation IN ('links', 'feedback') OR NOT pg_is_in_recovery() AND (operation = 'rate' \
                   OR operation = 'write_links' AND EXISTS (SELECT FROM rights WHERE operation = 'ingest' AND is_allowed))) \
                   ORDER BY place";
        let check = async { self.query(sql, &[&self.name]).await };
        let Some(rows) = self.try_check("privileges", findings, check).await? else {
            return Ok(());
        };
        for row in rows {
            let (subject, _) = names(row.get(0));
            let finding = lack(row.get(3), row.get(1));
            findings.push(Finding::warning(subject, finding, row.get::<_, String>(2)));
        }
        Ok(())
    }
}

/// Returns the subject of an operation in findings, and what a role does with it.
fn names(operation: &str) -> (&str, &str) {
    let known = OPERATIONS.into_iter().find(|(name, ..)| *name == operation);
    known.map_or((operation, operation), |(_, subject, ability)| (subject, ability))
}

/// Returns the finding about a role that lacks rights.
fn lack(role: &str, rights: Option<&str>) -> String {
    format!("\"{role}\" lacks {}", rights.unwrap_or_default())
}
