//! Checks of the store's privileges, policies, statistics and sizes, and of what a reindex left behind.

use super::super::super::connection::Store;
use super::super::super::error::Error;
use super::super::super::relations::row_tables;
use super::super::super::shadow::schema_names;
use super::finding::Finding;
use crate::postgres_text::quote_identifier;

impl Store {
    /// Checks the privileges of the current role. Returns whether it can read the store.
    pub(super) async fn check_privileges(
        &self,
        findings: &mut Vec<Finding>,
    ) -> Result<bool, Error> {
        let sql = "SELECT current_user::text, has_schema_privilege(pg_namespace.oid, 'USAGE'), \
                   coalesce(string_agg(relname, ', ' ORDER BY relname) FILTER \
                   (WHERE NOT has_table_privilege(pg_class.oid, 'SELECT')), ''), \
                   coalesce(string_agg(relname, ', ' ORDER BY relname) FILTER \
                   (WHERE relname IN ('documents', 'chunks', 'embeddings') AND NOT (\
                   has_table_privilege(pg_class.oid, 'INSERT') AND has_table_privilege(pg_class.oid, 'UPDATE') \
                   AND has_table_privilege(pg_class.oid, 'DELETE'))), ''), pg_is_in_recovery() \
                   FROM pg_namespace LEFT JOIN pg_class ON relnamespace = pg_namespace.oid \
                   AND relname IN ('documents', 'chunks', 'embeddings', 'strategies', 'settings') \
                   WHERE nspname = $1 GROUP BY pg_namespace.oid";
        let row = self.query_one(sql, &[&self.name]).await?;
        let (role, unreadable, unwritable): (String, String, String) =
            (row.get(0), row.get(2), row.get(3));
        let subject = format!("privileges of \"{role}\"");
        let (schema, grantee) = (&self.schema, quote_identifier(&role));
        if !row.get::<_, bool>(1) {
            let remedy = format!("GRANT USAGE ON SCHEMA {schema} TO {grantee};");
            findings.push(Finding::bad(subject, "none on the schema", remedy));
            return Ok(false);
        }
        if !unreadable.is_empty() {
            let remedy = format!("GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {grantee};");
            findings.push(Finding::bad(subject, format!("cannot read {unreadable}"), remedy));
            return Ok(false);
        }
        findings.push(if self.layout().await?.is_read_only() {
            Finding::good(subject, "can search; the store shows the tables of another program")
        } else if row.get(4) {
            Finding::good(subject, "can search; a standby takes no documents")
        } else if unwritable.is_empty() {
            Finding::good(subject, "can search and load")
        } else {
            let remedy = format!(
                "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {grantee}; -- To load documents."
            );
            Finding::warning(subject, format!("can search, but not write {unwritable}"), remedy)
        });
        Ok(true)
    }

    /// Checks whether policies make text search slow for the current role.
    pub(super) async fn check_policies(&self, findings: &mut Vec<Finding>) -> Result<(), Error> {
        let sql = "SELECT coalesce(bool_or(row_security_active(pg_class.oid)), false) FROM pg_class \
                   JOIN pg_namespace ON pg_namespace.oid = relnamespace \
                   WHERE nspname = $1 AND relname = 'chunks' AND relkind IN ('r', 'p')";
        if self.query_one(sql, &[&self.name]).await?.get(0) {
            findings.push(Finding::warning(
                "row-level security",
                "policies apply to this role: text search and the filter path read all chunks that it may see",
                "Use a store per tenant if tenants search by text. Expansion and vector search still use their indexes.",
            ));
        }
        Ok(())
    }

    /// Checks the planner's statistics and the dead rows.
    pub(super) async fn check_statistics(&self, findings: &mut Vec<Finding>) -> Result<(), Error> {
        if self.is_distributed().await? {
            return self.check_shard_statistics(findings).await;
        }
        // An empty table needs no statistics. Autovacuum analyzes partitions, but never the partitioned table,
        // whose statistics are outdated once its partitions have grown or shrunk by a half.
        let partitioned = concat!(
            "SELECT string_agg(format('%I.%I', nspname, relname), ', ' ORDER BY relname) FROM ( \
                   SELECT nspname, pg_class.relname, pg_class.reltuples AS known, sum(greatest(part.reltuples, 0)) AS total \
                   FROM pg_class JOIN pg_namespace ON pg_namespace.oid = pg_class.relnamespace \
                   CROSS JOIN LATERAL pg_partition_tree(pg_class.oid) JOIN pg_class AS part ON part.oid = relid AND isleaf \
                   WHERE nspname = $1 AND pg_class.relkind = 'p' AND pg_class.relname IN (",
            row_tables!(),
            ") GROUP BY nspname, pg_class.relname, pg_class.reltuples) AS tree \
                   WHERE known >= 0 AND abs(total - known) > greatest(known, 1000) / 2"
        );
        if let Some(tables) =
            self.query_one(partitioned, &[&self.name]).await?.get::<_, Option<String>>(0)
        {
            findings.push(Finding::warning(
                "statistics",
                "outdated: autovacuum does not analyze a table with partitions",
                format!("ANALYZE {tables};"),
            ));
        }
        // The finding is about words, which links and ratings do not have. Autovacuum analyzes no table of fewer than 50 rows.
        let sql = concat!(
            "SELECT string_agg($2::text || '.' || pg_class.relname::text, ', ' ORDER BY pg_class.relname) \
                   FILTER (WHERE reltuples < 0 AND (relkind = 'p' OR pg_relation_size(relid) > 0) AND pg_class.relname NOT IN ('links', 'ratings')), coalesce(max(dead), 0), \
                   string_agg($2::text || '.' || pg_class.relname::text, ', ' ORDER BY pg_class.relname) FROM pg_class \
                   JOIN pg_stat_all_tables ON relid = pg_class.oid CROSS JOIN LATERAL ( \
                   SELECT max(part.n_dead_tup::float8 / (part.n_live_tup + part.n_dead_tup)) FROM pg_stat_all_tables AS part \
                   WHERE part.n_dead_tup > 10000 AND (part.relid = pg_class.oid OR part.relid IN (SELECT tree.relid FROM pg_partition_tree(pg_class.oid) AS tree)) \
                   ) AS of_parts (dead) \
                   WHERE schemaname = $1 AND pg_class.relname IN ('adopted_documents', 'adopted_chunks', ",
            row_tables!(),
            ")"
        );
        let schema = &self.schema;
        let row = self.query_one(sql, &[&self.name, schema]).await?;
        add_statistics(findings, row.get(0), row.get(1), row.get(2));
        Ok(())
    }

    /// Checks the statistics and the dead rows of the shards of a distributed store. The tables on the node of the
    /// session are empty.
    async fn check_shard_statistics(&self, findings: &mut Vec<Finding>) -> Result<(), Error> {
        let sql = "SELECT string_agg($2::text || '.' || relation::text, ', ' ORDER BY relation) FILTER (WHERE NOT is_analyzed), \
                   coalesce(max(dead::float8 / (live + dead)) FILTER (WHERE dead > 10000), 0), \
                   string_agg($2::text || '.' || relation::text, ', ' ORDER BY relation) FROM _passage.shard_tables($1::text::name)";
        let check = async { self.query_one(sql, &[&self.name, &self.schema]).await };
        if let Some(row) = self.try_check("statistics", findings, check).await? {
            add_statistics(findings, row.get(0), row.get(1), row.get(2));
        }
        Ok(())
    }

    /// Checks the disk space of the store, and whether the vector index fits into the cache.
    pub(super) async fn check_sizes(&self, findings: &mut Vec<Finding>) -> Result<(), Error> {
        let sql = "SELECT pg_size_pretty(pg_database_size(current_database())), \
                   pg_size_pretty(coalesce((SELECT sum(coalesce(_passage.distributed_size(part), pg_total_relation_size(part))) FROM ( \
                   SELECT pg_class.oid FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1 AND relkind IN ('r', 'm') \
                   UNION SELECT relid FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace \
                   CROSS JOIN LATERAL pg_partition_tree(pg_class.oid) WHERE nspname = $1 AND relkind = 'p') AS parts (part)), 0)), \
                   coalesce(sum(pg_relation_size(pg_class.oid)) FILTER (WHERE relname = 'embeddings_embedding_idx'), 0)::bigint, \
                   pg_size_bytes(current_setting('effective_cache_size')), \
                   max(pg_get_indexdef(pg_class.oid)) FILTER (WHERE relname = 'embeddings_embedding_idx' AND relkind = 'i') FROM pg_class \
                   JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1";
        let row = self.query_one(sql, &[&self.name]).await?;
        let (database, store): (String, String) = (row.get(0), row.get(1));
        let (index, cache): (i64, i64) = (row.get(2), row.get(3));
        let is_distributed = self.is_distributed().await?;
        findings.push(Finding::good(
            "disk",
            if is_distributed {
                format!("{store} on all nodes")
            } else {
                format!("{store} of {database} in the database")
            },
        ));
        if is_distributed {
            // Each node has a cache of its own.
            let sql = "SELECT coalesce(max(bytes_of_node), 0) FROM _passage.shard_indexes($1::text::name) \
                       WHERE index = 'embeddings_embedding_idx'";
            let check = async { self.query_one(sql, &[&self.name]).await };
            let row = self.try_check("vector index", findings, check).await?;
            if row.is_some_and(|row| row.get::<_, i64>(0) > cache) {
                findings.push(Finding::warning(
                    "vector index",
                    "its shards on one node are larger than effective_cache_size",
                    "Add memory to the nodes, or more nodes, and run SELECT citus_rebalance_start();",
                ));
            }
        } else if index > cache {
            let definition = row.get::<_, Option<String>>(4).unwrap_or_default();
            findings.push(Finding::warning(
                "vector index",
                "it is larger than effective_cache_size",
                smaller_index(&definition),
            ));
        }
        Ok(())
    }

    /// Checks for the shadow store of an unfinished reindex, and for the former store of a finished one.
    pub(super) async fn check_reindex(&self, findings: &mut Vec<Finding>) -> Result<(), Error> {
        let Ok([shadow, former]) = schema_names(&self.name) else { return Ok(()) };
        let sql = "SELECT nspname = $1, pg_size_pretty(coalesce(sum(coalesce( \
                   _passage.distributed_size(pg_class.oid), pg_total_relation_size(pg_class.oid))), 0)) \
                   FROM pg_namespace LEFT JOIN pg_class ON relnamespace = pg_namespace.oid AND relkind IN ('r', 'm') \
                   WHERE nspname IN ($1, $2) GROUP BY nspname ORDER BY nspname";
        for row in self.query(sql, &[&shadow, &former]).await? {
            let size: String = row.get(1);
            findings.push(if row.get(0) {
                let remedy = format!(
                    "Run passage reindex with the options of the earlier run to continue it, or DROP SCHEMA {} CASCADE.",
                    quote_identifier(&shadow)
                );
                let finding = format!("\"{shadow}\", {size}, of an unfinished reindex");
                Finding::warning("shadow store", finding, remedy)
            } else {
                let remedy =
                    format!("DROP SCHEMA {} CASCADE; -- If it is no longer needed.", quote_identifier(&former));
                Finding::warning("former store", format!("\"{former}\", {size}"), remedy)
            });
        }
        Ok(())
    }
}

/// Adds the tables without statistics, and the greatest share of dead rows of one of all tables.
fn add_statistics(
    findings: &mut Vec<Finding>,
    missing: Option<String>,
    dead: f64,
    tables: Option<String>,
) {
    if let Some(missing) = missing {
        findings.push(Finding::warning(
            "statistics",
            "missing, so search cannot estimate which words are rare",
            format!("ANALYZE {missing};"),
        ));
    }
    if dead > 0.2 {
        findings.push(Finding::warning(
            "dead rows",
            format!("{:.0} % of a table", dead * 100.0),
            format!(
                "VACUUM {}; -- And consider faster settings for autovacuum.",
                tables.unwrap_or_default()
            ),
        ));
    }
}

/// Returns the remedy for a vector index that is too large. Only the distance cosine allows an index of signs.
fn smaller_index(definition: &str) -> String {
    let smaller = [
        ("vector_cosine_ops", "halfvec or binary"),
        ("halfvec_cosine_ops", "binary"),
        ("vector_l2_ops", "halfvec"),
        ("vector_ip_ops", "halfvec"),
    ];
    let smaller = smaller
        .into_iter()
        .find(|(operators, _)| definition.split([' ', '.', ')']).any(|word| word == *operators));
    match smaller {
        Some((_, types)) => {
            format!("Add memory to the server, or run passage reindex --embedding-type {types}.")
        }
        None => "Add memory to the server, or divide the store.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::smaller_index;

    #[test]
    fn a_store_is_never_advised_to_take_its_own_embedding_type_or_a_larger_one() {
        let remedy = |operators: &str| {
            smaller_index(&format!(
                "CREATE INDEX i ON rag.embeddings USING hnsw ({operators}) WITH (m='16')"
            ))
        };
        for (operators, types) in [
            ("embedding vector_cosine_ops", Some("halfvec or binary")),
            ("embedding public.vector_cosine_ops", Some("halfvec or binary")),
            ("embedding halfvec_cosine_ops", Some("binary")),
            ("embedding vector_l2_ops", Some("halfvec")),
            ("embedding vector_ip_ops", Some("halfvec")),
            ("embedding halfvec_l2_ops", None),
            ("((public.binary_quantize(embedding))::bit(64)) public.bit_hamming_ops", None),
        ] {
            let remedy = remedy(operators);
            let named = remedy
                .split_once("--embedding-type ")
                .map(|(_, types)| types.trim_end_matches('.'));
            assert_eq!(named, types, "{operators}: {remedy}");
        }
        assert!(smaller_index("").starts_with("Add memory"));
    }
}
