//! The server and the store, and connections to them.

use super::Embedder;
use crate::Error;
use crate::store::Store;
use clap::Args;

/// Variables of libpq that name a server or a database.
const SERVER_VARIABLES: [&str; 4] = ["PGHOST", "PGHOSTADDR", "PGDATABASE", "PGSERVICE"];

/// The server and its database.
#[derive(Args)]
pub struct Database {
    #[arg(
        help = "Connection string of the server, such as postgresql://user@host/database",
        long_help = "Connection string of the server, such as postgresql://user@host/database or \
        postgresql:///database?host=/socket/folder [default: the variables of libpq, such as PGHOST]"
    )]
    #[arg(long, short, env = "DATABASE_URL", hide_env_values = true, value_name = "URL")]
    pub database_url: Option<String>,
}

/// The server and the store.
#[derive(Args)]
pub struct Server {
    #[command(flatten)]
    pub database: Database,
    /// Name of the store, a schema of the database
    #[arg(
        long,
        env = "PASSAGE_STORE",
        hide_env_values = true,
        default_value = "rag",
        value_name = "NAME"
    )]
    pub store: String,
}

impl Server {
    /// Connects to the store.
    pub async fn connect(&self) -> Result<Store, Error> {
        Ok(Store::connect(&self.url()?, &self.store).await?)
    }

    /// Connects to a store with embeddings of the model that the options may name.
    pub async fn connect_told(&self, embedder: &Embedder) -> Result<Store, Error> {
        let mut store = self.connect().await?;
        store.tell_model(embedder.model_name());
        Ok(store)
    }

    /// Returns the connection string; empty if the variables of libpq name the server.
    pub fn url(&self) -> Result<String, Error> {
        self.database.url()
    }
}

impl Database {
    /// Returns the connection string; empty if the variables of libpq name the server.
    pub fn url(&self) -> Result<String, Error> {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        match self.database_url.clone().filter(|url| !url.is_empty()) {
            Some(url) => Ok(url),
            None if SERVER_VARIABLES.into_iter().any(is_set) => Ok(String::new()),
            None => Err(Error::usage(
                "no server specified",
                "Set DATABASE_URL, or PGHOST and PGDATABASE, or use --database-url postgresql://user@host/database.",
            )),
        }
    }
}
