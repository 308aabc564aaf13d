//! Creation of a store.

use super::super::connection::Store;
use super::super::error::{Error, Operation};
use super::super::installed::{Edition, Installed, installed};
use super::super::layout::Layout;
use super::super::unnamed_statement::UnnamedStatements;
use super::change_edition::change_edition;
use super::install::{Installation, install};
use super::ownership::{Access, PINNED_SEARCH_PATH, check_owner, lock_owned};

/// The properties of a new store. `None` means the default of the extension.
///
/// # Examples
///
/// ```no_run
/// use passage_store::{InitOptions, Store};
///
/// # async fn example() -> Result<(), passage_store::Error> {
/// let mut store = Store::connect("postgresql:///library", "rag").await?;
/// let options = InitOptions { dimensions: Some(384), ..InitOptions::default() };
/// let created = store.init(&options).await?;
/// println!("{} statements executed", created.statements);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct InitOptions {
    /// The edition that the database gets. `None` keeps the one that it has; a database without one gets the native
    /// extension, and if its server does not offer that to the role, the SQL edition.
    pub edition: Option<Edition>,
    /// The dimensions of the embeddings; `None` for a store without embeddings.
    pub dimensions: Option<usize>,
    /// The type of the embeddings: `vector`, `halfvec` or `binary`.
    pub embedding_type: Option<String>,
    /// The text search configuration, such as `english`.
    pub language: Option<String>,
    /// The number of hash partitions of the chunks; `None` for a single table.
    pub partitions: Option<u32>,
    /// How Citus distributes the store: `schema` or `document`; `None` for a store on one server.
    pub distributed: Option<String>,
}

/// What [`Store::init`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Created {
    /// The number of statements executed: 0 if the store is complete.
    pub statements: usize,
    /// The edition in the database, if the database had none or another one.
    pub installation: Option<Installation>,
    /// The edition that the database had, if it had another one.
    pub former: Option<Installed>,
}

impl Store {
    /// Installs an edition of `pg_passage` in the database or replaces it by the other one, and creates the store or its missing
    /// parts.
    ///
    /// # Errors
    ///
    /// Returns [`Error::ReadOnly`] for an adopted store, [`Error::NotOwner`] if the schema exists and belongs to another role,
    /// [`Error::ExtensionTooOld`] for an earlier release of `pg_passage`, [`Error::Dependents`] if objects use the edition that is
    /// to be replaced, and
    /// [`Error::Database`] if the extension is not installed on the server, if the caller lacks a
    /// privilege, if the store has other dimensions, or if it needs Citus and the database has none.
    pub async fn init(&mut self, options: &InitOptions) -> Result<Created, Error> {
        // Without the extension, nothing was adopted.
        if let Ok(Layout { source: table @ Some(_), .. }) = self.layout().await {
            return Err(Error::ReadOnly { store: self.name.clone(), table });
        }
        let Self { client, name, .. } = self;
        let error = |error| Error::new(name, &error);
        let transaction = client.transaction().await.map_err(error)?;
        // The ownership of an existing schema is checked before anything in it is used.
        lock_owned(&transaction, &[name], "ROW EXCLUSIVE").await?;
        // The extensions are installed in the schema where the caller creates objects.
        transaction.batch_execute("SET LOCAL search_path TO DEFAULT").await.map_err(error)?;
        if options.dimensions.is_some() {
            transaction
                .batch_execute("CREATE EXTENSION IF NOT EXISTS vector")
                .await
                .map_err(|error| Error::during(Operation::CreateVector, name, &error))?;
        }
        let former = match options.edition {
            Some(edition) => change_edition(&transaction, name, edition).await?,
            None => None,
        };
        let installation = if former.is_some() {
            let installed = installed(&transaction, name).await?;
            installed.map(|installed| Installation { installed, reason: None })
        } else {
            install(&transaction, name, options.edition).await?
        };
        if let Some(installed) = installed(&transaction, name).await? {
            installed.must_be_recent()?;
        }
        transaction
            .batch_execute(&format!("SET LOCAL {PINNED_SEARCH_PATH}"))
            .await
            .map_err(error)?;
        let dimensions = options.dimensions.map(|dimensions| dimensions as i32);
        let partitions = options.partitions.map(|partitions| partitions as i32);
        let statements = transaction
            .query_unnamed(
                "SELECT passage.create_store(store => $1::text::name, dimensions => $2, embedding_type => $3, \
                 language => $4::text::regconfig, partitions => $5, distributed => $6)",
                &[
                    name,
                    &dimensions,
                    &options.embedding_type,
                    &options.language,
                    &partitions,
                    &options.distributed,
                ],
            )
            .await
            .map_err(|error| Error::during(Operation::CreateStore, name, &error))?;
        // Another role may have created the schema since the first check.
        check_owner(&transaction, &[name], Access::Change).await?;
        transaction.commit().await.map_err(error)?;
        Ok(Created { statements: statements.len(), installation, former })
    }
}
