//! Making a store.

use super::ownership::{self, PINNED, Work};
use super::{Error, Store};

/// How a store is made; what is `None` is left to the extension's defaults.
#[derive(Clone, Debug, Default)]
pub struct Init {
    /// Dimensions of the embeddings; `None` for a store without any.
    pub dimensions: Option<usize>,
    /// `vector` or `halfvec`.
    pub embedding_type: Option<String>,
    /// The text search configuration, such as `english`.
    pub language: Option<String>,
}

impl Store {
    /// Brings the extension into the database and makes the store, or what it lacks of it.
    ///
    /// Returns how many statements that took: none if all was there.
    ///
    /// # Errors
    ///
    /// [`Error::Foreign`] if there is such a schema and it belongs to another role;
    /// [`Error::Refused`] if the extension is not installed on the server, if one may not make it
    /// or the store, or if the store is there with other dimensions.
    pub async fn init(&mut self, init: &Init) -> Result<usize, Error> {
        let Self { client, name, .. } = self;
        let error = |error| Error::new(name, &error);
        let transaction = client.transaction().await.map_err(error)?;
        // Before the schema can be looked into: what is there must be the caller's own.
        ownership::hold(&transaction, &[name], "ROW EXCLUSIVE").await?;
        // An extension goes where the caller makes things.
        transaction.batch_execute("SET LOCAL search_path TO DEFAULT").await.map_err(error)?;
        if init.dimensions.is_some() {
            transaction
                .batch_execute("CREATE EXTENSION IF NOT EXISTS vector")
                .await
                .map_err(error)?;
        }
        transaction
            .batch_execute("CREATE EXTENSION IF NOT EXISTS pg_passage CASCADE")
            .await
            .map_err(error)?;
        transaction.batch_execute(&format!("SET LOCAL {PINNED}")).await.map_err(error)?;
        let dimensions = init.dimensions.map(|dimensions| dimensions as i32);
        let made = transaction
            .query(
                "SELECT passage.create_store(store => $1::text::name, dimensions => $2, embedding_type => $3, \
                 language => $4::text::regconfig)",
                &[name, &dimensions, &init.embedding_type, &init.language],
            )
            .await
            .map_err(error)?;
        // It may have come since it was looked for.
        ownership::refuse_foreign(&transaction, &[name], Work::Changing).await?;
        transaction.commit().await.map_err(error)?;
        Ok(made.len())
    }
}
