//! A shadow store: its creation or continuation, and the connection that fills it.

use super::super::admin::{OwnedSchemas, lock_owned};
use super::super::connection::Store;
use super::super::error::Error;
use super::layout::{ShadowOptions, schema_names};
use super::mark::{Resumption, mark, resumption};
use super::obstacles;
use super::pair::{CopiedColumns, READ_LOCK, SPLIT_COLUMNS, StorePair, WRITE_LOCK};
use crate::postgres_text::quote_identifier;
use serde_json::Value;
use tokio_postgres::Transaction;

/// A shadow store that is being filled.
///
/// # Examples
///
/// ```no_run
/// use passage_store::{ShadowDocument, ShadowOptions, ShadowStore};
///
/// # async fn example() -> Result<(), passage_store::Error> {
/// let options = ShadowOptions {
///     model: None,
///     embedding_type: Some("halfvec".into()),
///     language: None,
///     splitting: "unchanged".into(),
/// };
/// let mut shadow = ShadowStore::begin("postgresql:///library", "rag", &options).await?;
/// for document in shadow.outdated().await? {
///     shadow.make(document, &ShadowDocument::Copied).await?;
/// }
/// shadow.complete().await?;
/// if let Some(swap) = shadow.lock_original().await? {
///     if swap.outdated().await?.is_empty() {
///         swap.commit().await?;
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub struct ShadowStore {
    /// The connection that fills the shadow store. It also holds the lock that excludes other runs: if the
    /// connection ends, the lock is lost and nothing more can be written.
    pub(super) writer: Store,
    pub(super) pair: StorePair,
}

impl ShadowStore {
    /// Creates a shadow store, or continues with that of an earlier run with the same options.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Pooler`] behind a transaction pooler, [`Error::NotOwner`] if one of the stores belongs to
    /// another role, [`Error::Obstacles`] if the original has objects that cannot be carried over, [`Error::ReindexRunning`] if another run
    /// reindexes the store, [`Error::SchemaExists`] and [`Error::ReindexMismatch`] if the names are taken,
    /// and [`Error::Database`] for missing privileges.
    pub async fn begin(url: &str, store: &str, options: &ShadowOptions) -> Result<Self, Error> {
        let (mut writer, [shadow_name, former_name]) = open(url, store).await?;
        writer.lock_reindex().await?;
        let original = writer.schema.clone();
        let identity = writer.identity().await?;
        let mark = mark(identity.0, options);
        writer.begin_owned(READ_LOCK).await?;
        let original_has_embeddings = writer.has_embeddings().await?;
        let sql = "SELECT _passage.has_ratings($1::pg_catalog.text::pg_catalog.name)";
        let original_has_ratings = writer.query_one(sql, &[&writer.name]).await?.get(0);
        let reuses_embeddings = original_has_embeddings
            && match &options.model {
                None => true,
                // Embeddings of another or an unrecorded model are not valid.
                Some(model) => matches!(writer.check_model(model).await, Ok(true)),
            };
        if writer.schema_exists(&shadow_name).await? {
            writer.continue_shadow(&shadow_name, options, &mark).await?;
        } else {
            writer.create_shadow(&shadow_name, options, &mark).await?;
        }
        writer.owned = Some(lock_owned(&writer.client, &[&shadow_name], WRITE_LOCK).await?);
        writer.run("COMMIT").await?;
        writer.switch_to(&shadow_name);
        writer.enable_bulk_writes();
        let with_embeddings = writer.has_embeddings().await?;
        let columns = CopiedColumns {
            documents: writer.column_list("documents", &SPLIT_COLUMNS).await?,
            chunks: writer.column_list("chunks", &[]).await?,
            strategies: writer.column_list("strategies", &[]).await?,
            embedding: writer.typed_embedding().await?,
        };
        let pair = StorePair {
            original_name: store.to_owned(),
            original,
            shadow_name,
            shadow: writer.schema.clone(),
            former_name,
            columns,
            original_has_embeddings,
            original_has_ratings,
            with_embeddings,
            reuses_embeddings,
        };
        Ok(Self { writer, pair })
    }

    /// Checks whether a store could be replaced by such a shadow store; it changes nothing.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`begin`](Self::begin).
    pub async fn dry_run(url: &str, store: &str, options: &ShadowOptions) -> Result<(), Error> {
        let (store, [shadow, _]) = open(url, store).await?;
        store.begin_owned(READ_LOCK).await?;
        if store.schema_exists(&shadow).await? {
            store.existing_shadow_mark(&shadow).await?;
        } else {
            store.create_shadow_tables(&shadow, options).await?;
        }
        obstacles::check(&store.client, &store.name, &shadow).await?;
        store.run("ROLLBACK").await
    }

    /// Returns the name of the shadow store.
    pub fn name(&self) -> &str {
        &self.pair.shadow_name
    }

    /// Returns the name that the original store gets after the swap.
    pub fn former_name(&self) -> &str {
        &self.pair.former_name
    }

    /// Returns the connection that fills the shadow store.
    pub fn store(&mut self) -> &mut Store {
        &mut self.writer
    }
}

/// Locks the tables of the shadow store in another transaction of its connection.
pub(super) async fn lock_again(
    owned: Option<OwnedSchemas>,
    transaction: &Transaction<'_>,
) -> Result<(), Error> {
    owned.expect("the shadow store was locked when it was created").lock_again(transaction).await
}

/// Connects to a store as its owner, and returns the names of its shadow store and former store. No schema
/// has the name of the former store.
async fn open(url: &str, store: &str) -> Result<(Store, [String; 2]), Error> {
    let names = schema_names(store)?;
    let mut store = Store::connect_session(url, store).await?;
    store.must_exist().await?;
    store.become_owner().await?;
    store.must_be_replaceable().await?;
    let [_, former] = &names;
    if store.schema_exists(former).await? {
        return Err(Error::SchemaExists(former.clone()));
    }
    Ok((store, names))
}

impl Store {
    /// Checks that a store which Citus distributes can be replaced, and in this session.
    async fn must_be_replaceable(&self) -> Result<(), Error> {
        if !self.is_distributed().await? {
            return Ok(());
        }
        let sql = "SELECT _passage.store_placement($1::pg_catalog.text::pg_catalog.name) ->> 'distributed'";
        let distributed = self.query_one(sql, &[&self.name]).await?;
        // Citus commits the swap on one node after the other, and a call reads the shards of all nodes.
        if distributed.get::<_, Option<&str>>(0) != Some("schema") {
            return Err(Error::Distributed(self.name.clone()));
        }
        let sql = "SELECT groupid = 0 FROM pg_catalog.pg_dist_local_group";
        if !self.query_one(sql, &[]).await?.get::<_, bool>(0) {
            return Err(Error::NotCoordinator(self.name.clone()));
        }
        Ok(())
    }

    /// Excludes other reindexes of the store until this connection ends.
    async fn lock_reindex(&self) -> Result<(), Error> {
        let sql = "SELECT pg_catalog.pg_try_advisory_lock(pg_catalog.hashtextextended('passage reindex ' || $1::text, 0))";
        if self.query_one(sql, &[&self.name]).await?.get(0) {
            Ok(())
        } else {
            Err(Error::ReindexRunning(self.name.clone()))
        }
    }

    /// Checks, within a transaction, that the existing shadow store can be continued.
    ///
    /// Replaces it by a new one if its mark has another format.
    async fn continue_shadow(
        &self,
        shadow: &str,
        options: &ShadowOptions,
        mark: &Value,
    ) -> Result<(), Error> {
        match resumption(&self.existing_shadow_mark(shadow).await?, mark) {
            Resumption::Continue => obstacles::check(&self.client, &self.name, shadow).await,
            Resumption::StartAgain => {
                self.run(&format!("DROP SCHEMA {} CASCADE", quote_identifier(shadow))).await?;
                self.create_shadow(shadow, options, mark).await
            }
            Resumption::Refuse => Err(Error::ReindexMismatch(shadow.to_owned())),
        }
    }

    /// Locks a schema of the session's roles, and returns its mark as a shadow store.
    async fn existing_shadow_mark(&self, shadow: &str) -> Result<Value, Error> {
        lock_owned(&self.client, &[shadow], WRITE_LOCK).await?;
        self.shadow_mark(shadow).await?.ok_or_else(|| Error::SchemaExists(shadow.to_owned()))
    }
}
