/*!
Checks of the server, the extensions and a store, each with a remedy.

The checks write nothing and read no text of a document. The extension's `check_store` checks the tables
of the store; this module checks the rest: versions, privileges, policies, statistics, sizes.

The checks never run code of the store's owner if that is another role. They run in one read-only
transaction, in which policies raise an error instead of running. The catalogs are queried first. If a
view or another object would run code of another role, only the catalogs are queried.
*/

mod degraded;
mod finding;
mod owners;
mod platform;
mod role;
mod server;
mod setup;
mod tables;

pub use finding::{Finding, Severity};
pub use setup::setup_without_connection;

use super::super::connection::Store;
use super::super::error::Error;
use super::embedding_model::EmbeddingModel;
use super::ownership::{Access, PINNED_SEARCH_PATH, check_owner};

impl Store {
    /// Checks the server, the extensions and the store.
    ///
    /// Afterwards the connection is in a read-only transaction. Use it only for
    /// [`doctor_model`](Self::doctor_model).
    ///
    /// # Errors
    ///
    /// Returns [`Error::Lost`] if the connection ends; problems are findings, not errors.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use passage_store::Store;
    ///
    /// # async fn example() -> Result<(), passage_store::Error> {
    /// let store = Store::connect("postgresql:///library", "rag").await?;
    /// for finding in store.doctor().await? {
    ///     println!("{:?} {}: {}", finding.severity, finding.subject, finding.finding);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn doctor(&self) -> Result<Vec<Finding>, Error> {
        let mut findings = Vec::new();
        self.run(&format!(
            "BEGIN READ ONLY; SET LOCAL row_security = off; SET LOCAL {PINNED_SEARCH_PATH}"
        ))
        .await?;
        if !self.check_server(&mut findings).await? {
            return Ok(findings);
        }
        if let Err(error) = self.must_exist().await {
            findings.push(Finding::bad("store", error.to_string(), error.remedy()));
            return Ok(findings);
        }
        let is_safe = self.check_store_owner(&mut findings).await?;
        if is_safe {
            self.check_view_owner(&mut findings).await?;
            self.check_layout(&mut findings).await?;
            self.check_citus(&mut findings).await?;
        }
        if self.check_privileges(&mut findings).await? {
            self.check_links_and_ratings(&mut findings).await?;
            self.check_policies(&mut findings).await?;
            self.check_statistics(&mut findings).await?;
            self.check_sizes(&mut findings).await?;
            if is_safe {
                self.check_embeddings(&mut findings).await?;
            }
            self.check_reindex(&mut findings).await?;
        }
        Ok(findings)
    }

    /// Checks whether a model is the store's; call it after
    /// [`doctor`](Self::doctor).
    ///
    /// # Errors
    ///
    /// Returns [`Error::Lost`] if the connection ends.
    pub async fn doctor_model(&self, model: &EmbeddingModel) -> Result<Vec<Finding>, Error> {
        let mut findings = Vec::new();
        // The check reads the table settings, which may be a view of another role.
        if check_owner(&self.client, &[&self.name], Access::Read).await.is_err() {
            return Ok(findings);
        }
        let check = async {
            match self.check_model(model).await {
                Err(error @ Error::Database { .. }) => Err(error),
                checked => Ok(checked),
            }
        };
        if let Some(checked) = self.try_check("model", &mut findings, check).await? {
            findings.push(match checked {
                Ok(_) => Finding::good(
                    "model",
                    format!("{}, {} dimensions", model.name, model.dimensions),
                ),
                // The words are still searched.
                Err(
                    error @ (Error::UnknownModel { .. }
                    | Error::ModelMismatch { is_read_only: true, .. }
                    | Error::PrefixMismatch { is_read_only: true, .. }),
                ) => Finding::warning("model", error.to_string(), error.remedy()),
                Err(error) => Finding::bad("model", error.to_string(), error.remedy()),
            });
        }
        Ok(findings)
    }

    /// Awaits a check that reads rows of the store. If PostgreSQL reports an error, for example because a
    /// policy applies, the error becomes a finding and the result is `None`.
    async fn try_check<T>(
        &self,
        subject: &str,
        findings: &mut Vec<Finding>,
        check: impl Future<Output = Result<T, Error>>,
    ) -> Result<Option<T>, Error> {
        self.run("SAVEPOINT before_check").await?;
        match check.await {
            Ok(result) => Ok(Some(result)),
            Err(error @ Error::Database { .. }) if !error.is_shutdown() => {
                self.run("ROLLBACK TO before_check").await?;
                // A node of Citus may not answer.
                let remedy = if error.is_transient() {
                    "Run passage doctor again later."
                } else {
                    "Run passage doctor as the owner of the store."
                };
                findings.push(Finding::warning(subject, format!("not checked: {error}"), remedy));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Adds the findings of the extension's `check_store`.
    async fn check_layout(&self, findings: &mut Vec<Finding>) -> Result<(), Error> {
        let sql = "SELECT object, problem, remedy FROM passage.check_store($1::text::name)";
        let check = async { self.query(sql, &[&self.name]).await };
        let Some(rows) = self.try_check("store", findings, check).await? else { return Ok(()) };
        let is_read_only = self.layout().await.is_ok_and(|layout| layout.is_read_only());
        let before = findings.len();
        for row in rows {
            let (object, problem, remedy): (String, String, String) =
                (row.get(0), row.get(1), row.get(2));
            findings.push(if is_read_only && degraded::is_degradation(&problem) {
                Finding::warning(object, problem, remedy)
            } else {
                Finding::bad(object, problem, remedy)
            });
        }
        if findings[before..].iter().all(|finding| finding.severity < Severity::Bad) {
            let subject = format!("store \"{}\"", self.name);
            let complete = "tables, indexes and settings are complete";
            let usable = "it lacks only what the warnings name; everything else works";
            let finding = if findings.len() == before { complete } else { usable };
            findings.push(Finding::good(subject, finding));
        }
        Ok(())
    }

    /// Checks on each node whether Citus allows what functions over rows of the store need, if it distributes the store.
    async fn check_citus(&self, findings: &mut Vec<Finding>) -> Result<(), Error> {
        if !self.is_distributed().await? {
            return Ok(());
        }
        let sql = "SELECT string_agg(node, ', ' ORDER BY node) FILTER (WHERE NOT success), \
                   string_agg(node, ', ' ORDER BY node) FILTER (WHERE success AND result IS DISTINCT FROM 'on') FROM ( \
                   SELECT coalesce(nodename || ':' || nodeport, 'this node') AS node, success, result \
                   FROM run_command_on_all_nodes('SELECT current_setting(''citus.allow_nested_distributed_execution'', true)') \
                   LEFT JOIN pg_dist_node USING (nodeid)) AS answers";
        let check = async { self.query_one(sql, &[]).await };
        let Some(row) = self.try_check("citus", findings, check).await? else { return Ok(()) };
        let (silent, forbidding): (Option<String>, Option<String>) = (row.get(0), row.get(1));
        if silent.is_none() && forbidding.is_none() {
            findings.push(Finding::good(
                "citus",
                "it distributes the store, and functions may read it in queries of other nodes",
            ));
        }
        if let Some(silent) = silent {
            findings.push(Finding::warning(
                "citus",
                format!("no answer from {silent}: calls that need its shards fail"),
                "Start the node, or check how the other nodes connect to it: SELECT * FROM citus_check_cluster_node_health();",
            ));
        }
        if let Some(forbidding) = forbidding {
            findings.push(Finding::warning(
                "citus",
                format!(
                    "citus.allow_nested_distributed_execution is off on {forbidding}: \
                     a function over rows of the store fails if Citus moves the query to another node"
                ),
                "ALTER ROLE ... SET citus.allow_nested_distributed_execution = on; on each node, or put the rows into a CTE with MATERIALIZED.",
            ));
        }
        self.check_citus_connections(findings).await
    }

    /// Checks whether a session keeps enough connections to a node, if Citus distributes the store.
    async fn check_citus_connections(&self, findings: &mut Vec<Finding>) -> Result<(), Error> {
        let sql = "SELECT current_setting('citus.max_cached_conns_per_worker', true)::integer, (SELECT max(shards) FROM ( \
                   SELECT count(*) AS shards FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) \
                   WHERE logicalrelid = format('%I.chunks', $1::name)::regclass GROUP BY groupid) AS of_node)";
        let check = async { self.query_one(sql, &[&self.name]).await };
        let Some(row) = self.try_check("citus", findings, check).await? else { return Ok(()) };
        if let (Some(kept @ ..=1), Some(shards @ 2..)) =
            (row.get::<_, Option<i32>>(0), row.get::<_, Option<i64>>(1))
        {
            findings.push(Finding::warning(
                "citus",
                format!("a session keeps {kept} connection to a node with {shards} shards, so each search plans its statements again on the others"),
                "If searches by embedding are slow, run ALTER SYSTEM SET citus.max_cached_conns_per_worker = 2; SELECT pg_reload_conf(); on each node.",
            ));
        }
        Ok(())
    }

    /// Checks whether each chunk has an embedding, if the store has embeddings.
    async fn check_embeddings(&self, findings: &mut Vec<Finding>) -> Result<(), Error> {
        if !self.has_embeddings().await? {
            return Ok(());
        }
        let count = self.count_unembedded(None);
        let Some(missing) = self.try_check("embeddings", findings, count).await? else {
            return Ok(());
        };
        findings.push(if missing == 0 {
            Finding::good("embeddings", "every chunk has one")
        } else {
            let chunks = if missing == 1 { "chunk has none" } else { "chunks have none" };
            let finding = format!("{missing} {chunks}");
            let remedy = match self.must_take_embeddings().await {
                Err(error @ Error::ForeignEmbeddings { .. }) => {
                    error.remedy().replace(" passage doctor counts them.", "")
                }
                _ => "Run passage embed to create them.".into(),
            };
            Finding::warning("embeddings", finding, remedy)
        });
        Ok(())
    }
}
