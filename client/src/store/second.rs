/*!
A second store, filled beside the first and put in its place.

Reindexing a whole store needs other tables: for embeddings of other dimensions, another language, or
so that nobody sees the half of it. The second store is a schema with the layout of the first. It
remembers of each document which rows of the first it was made from (`filling`), so that what
others write meanwhile is found and made again, at last while they wait (`swap`). What people gave
the first store comes along (`attire`); what cannot is said by name before anything is made
(`obstacles`). If a run ends before the swap, the next one goes on with the second store.
*/

mod attire;
mod filling;
mod layout;
mod obstacles;
mod swap;

pub use filling::{Differing, Made};
pub use swap::Last;

use super::{Error, Store};
use serde_json::{Value, json};

/// What a second store is to be.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The name and the dimensions of the model; `None` for that of the first store.
    pub model: Option<(String, usize)>,
    /// `vector` or `halfvec`; `None` for that of the first store.
    pub embedding_type: Option<String>,
    /// The text search configuration; `None` for that of the first store.
    pub language: Option<String>,
    /// How documents are split, in any words that are the same for the same splitter.
    pub splitting: Value,
}

/// A second store on its way.
pub struct Second {
    /// The connection that keeps others from doing the same.
    #[expect(dead_code, reason = "it holds a lock as long as it is open")]
    gate: Store,
    /// The second one, on the connection that fills it.
    writer: Store,
    pair: Pair,
}

/// What the two stores are.
struct Pair {
    /// The name and the schema of the store that is to be replaced.
    store: String,
    first: String,
    /// The name and the schema of the second one.
    name: String,
    second: String,
    /// The name that the first store gets.
    former: String,
    columns: Columns,
    first_has_embeddings: bool,
    with_embeddings: bool,
    /// Whether the embeddings of the first are right for the second.
    reuses: bool,
}

/// Columns of its tables that are written, as they stand in a statement.
struct Columns {
    /// Those that come along as they stand.
    documents: String,
    chunks: String,
    strategies: String,
}

/// The setting by which a second store is known while it is filled.
const MARK: &str = "reindex";

/// Where a second store remembers what its documents were made from.
const MADE: &str = "made";

/// What a document's row says of how it was split.
const MADE_ANEW: [&str; 3] = ["content_hash", "chunk_count", "metadata"];

/// The longest name that a schema can have.
const LONGEST: usize = 63;

impl Second {
    /// Makes a second store, or takes up the one that was left by a run as this one.
    ///
    /// # Errors
    ///
    /// [`Error::Obstacles`] if something that the first store has cannot come along,
    /// [`Error::UnderWay`] if somebody else does the same, [`Error::InTheWay`] and
    /// [`Error::OtherReindex`] if the names are taken; missing rights.
    pub async fn begin(url: &str, store: &str, plan: &Plan) -> Result<Self, Error> {
        let (gate, [second, former]) = gate(url, store).await?;
        let identity = gate.identity().await?;
        gate.only_one().await?;
        let mark = json!({
            "of": identity.0, "model": plan.model, "embedding_type": plan.embedding_type,
            "language": plan.language, "splitting": plan.splitting,
        });
        let left = gate.is_schema(&second).await?;
        if !left {
            gate.make(&second, plan, &mark).await?;
        }
        let writer = Store::connect(url, &second).await?;
        writer.as_owner().await?;
        if left {
            match writer.mark().await? {
                None => return Err(Error::InTheWay(second)),
                Some(theirs) if theirs != mark => return Err(Error::OtherReindex(second)),
                Some(_) => obstacles::refuse(&gate.client, store, &second).await?,
            }
        }
        writer.write_many().await?;
        let with_embeddings = writer.has_embeddings().await?;
        let first_has_embeddings = gate.has_embeddings().await?;
        let reuses = first_has_embeddings
            && match &plan.model {
                None => true,
                // Of a model that nobody remembers, or another one, nothing is right.
                Some(model) => matches!(gate.check_model(model).await, Ok(true)),
            };
        let columns = Columns {
            documents: writer.columns("documents", &MADE_ANEW).await?,
            chunks: writer.columns("chunks", &[]).await?,
            strategies: writer.columns("strategies", &[]).await?,
        };
        let pair = Pair {
            store: gate.name.clone(),
            first: gate.schema.clone(),
            name: second,
            second: writer.schema.clone(),
            former,
            columns,
            first_has_embeddings,
            with_embeddings,
            reuses,
        };
        Ok(Self { gate, writer, pair })
    }

    /// Finds out whether a store could be replaced by such a one, and leaves nothing behind.
    ///
    /// # Errors
    ///
    /// As for [`begin`](Self::begin).
    pub async fn rehearse(url: &str, store: &str, plan: &Plan) -> Result<(), Error> {
        let (gate, [second, _]) = gate(url, store).await?;
        if gate.is_schema(&second).await? {
            let left = Store::connect(url, &second).await?;
            return match left.mark().await? {
                None => Err(Error::InTheWay(second)),
                Some(_) => obstacles::refuse(&gate.client, store, &second).await,
            };
        }
        gate.run("BEGIN").await?;
        let obstacles = match gate.lay_out(&second, plan).await {
            Ok(()) => obstacles::refuse(&gate.client, store, &second).await,
            Err(error) => Err(error),
        };
        gate.run("ROLLBACK").await?;
        obstacles
    }

    /// Returns the second store's name.
    pub fn name(&self) -> &str {
        &self.pair.name
    }

    /// Returns the name that the first store gets when it is replaced.
    pub fn former(&self) -> &str {
        &self.pair.former
    }

    /// Tells whether it has a place for embeddings.
    pub fn with_embeddings(&self) -> bool {
        self.pair.with_embeddings
    }

    /// The connection that fills the second store.
    pub fn store(&mut self) -> &mut Store {
        &mut self.writer
    }
}

/// Connects to a store as its owner, and returns the names of the two others, of which the former
/// one's is free.
async fn gate(url: &str, store: &str) -> Result<(Store, [String; 2]), Error> {
    let names = names(store)?;
    let gate = Store::connect(url, store).await?;
    gate.must_exist().await?;
    gate.as_owner().await?;
    let [_, former] = &names;
    if gate.is_schema(former).await? {
        return Err(Error::InTheWay(former.clone()));
    }
    Ok((gate, names))
}

/// Returns the names of the second store while it is filled and of the first when it is replaced.
pub(super) fn names(store: &str) -> Result<[String; 2], Error> {
    let names = [format!("{store}_reindex"), format!("{store}_before")];
    if names.iter().any(|name| name.len() > LONGEST) {
        return Err(Error::LongName(store.to_owned()));
    }
    Ok(names)
}

impl Store {
    /// Reads all rows or none: a policy that would hide some is an error.
    ///
    /// # Errors
    ///
    /// If the server goes away.
    pub async fn read_all(&self) -> Result<(), Error> {
        self.run("SET row_security = off").await
    }

    async fn run(&self, sql: &str) -> Result<(), Error> {
        self.client.batch_execute(sql).await.map_err(|error| self.error(&error))
    }

    /// Keeps others from doing the same, as long as this connection lasts.
    async fn only_one(&self) -> Result<(), Error> {
        let sql = "SELECT pg_catalog.pg_try_advisory_lock(pg_catalog.hashtextextended('passage reindex ' || $1::text, 0))";
        let row = self.client.query_one(sql, &[&self.name]).await;
        if row.map_err(|error| self.error(&error))?.get(0) {
            Ok(())
        } else {
            Err(Error::UnderWay(self.name.clone()))
        }
    }

    /// Makes what this connection makes that of the store's owner, and lets it read all or nothing.
    async fn as_owner(&self) -> Result<(), Error> {
        let sql = "SELECT pg_catalog.quote_ident(rolname) FROM pg_catalog.pg_namespace \
            JOIN pg_catalog.pg_roles ON pg_roles.oid = nspowner \
            WHERE nspname = $1 AND rolname <> current_user";
        let owner =
            self.client.query_opt(sql, &[&self.name]).await.map_err(|error| self.error(&error))?;
        if let Some(owner) = owner {
            self.run(&format!("SET ROLE {}", owner.get::<_, &str>(0))).await?;
        }
        self.read_all().await
    }

    async fn is_schema(&self, name: &str) -> Result<bool, Error> {
        let sql = "SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1";
        let row = self.client.query_opt(sql, &[&name]).await;
        Ok(row.map_err(|error| self.error(&error))?.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_name_that_leaves_no_room_is_refused() {
        assert_eq!(names("rag").unwrap(), ["rag_reindex", "rag_before"]);
        assert!(names(&"x".repeat(55)).is_ok() && names(&"x".repeat(56)).is_err());
    }
}
