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
mod mark;
mod obstacles;
mod swap;

pub use filling::{Differing, Made};
pub use swap::Last;

use super::ownership::{self, Held};
use super::sql::quoted;
use super::{Error, Store};
use mark::{Resumption, mark, resumption};
use serde_json::Value;
use tokio_postgres::Transaction;

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
    /// The second one, on the connection that fills it. It also holds the lock that keeps others
    /// from doing the same, so whoever loses that lock can write no more.
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
    /// [`Error::Foreign`] if one of the stores belongs to another role, [`Error::Obstacles`] if
    /// something that the first store has cannot come along, [`Error::UnderWay`] if somebody else does the same, [`Error::InTheWay`] and
    /// [`Error::OtherReindex`] if the names are taken; missing rights.
    pub async fn begin(url: &str, store: &str, plan: &Plan) -> Result<Self, Error> {
        let (mut writer, [second, former]) = open(url, store).await?;
        writer.only_one().await?;
        let first = writer.schema.clone();
        let identity = writer.identity().await?;
        let mark = mark(identity.0, plan);
        writer.begin_own(READ).await?;
        let first_has_embeddings = writer.has_embeddings().await?;
        let reuses = first_has_embeddings
            && match &plan.model {
                None => true,
                // Of a model that nobody remembers, or another one, nothing is right.
                Some(model) => matches!(writer.check_model(model).await, Ok(true)),
            };
        if writer.is_schema(&second).await? {
            writer.take_up(&second, plan, &mark).await?;
        } else {
            writer.make(&second, plan, &mark).await?;
        }
        writer.held = Some(ownership::hold(&writer.client, &[&second], WRITE).await?);
        writer.run("COMMIT").await?;
        writer.rename(&second);
        writer.write_many();
        let with_embeddings = writer.has_embeddings().await?;
        let columns = Columns {
            documents: writer.columns("documents", &MADE_ANEW).await?,
            chunks: writer.columns("chunks", &[]).await?,
            strategies: writer.columns("strategies", &[]).await?,
        };
        let pair = Pair {
            store: store.to_owned(),
            first,
            name: second,
            second: writer.schema.clone(),
            former,
            columns,
            first_has_embeddings,
            with_embeddings,
            reuses,
        };
        Ok(Self { writer, pair })
    }

    /// Finds out whether a store could be replaced by such a one, and leaves nothing behind.
    ///
    /// # Errors
    ///
    /// As for [`begin`](Self::begin).
    pub async fn rehearse(url: &str, store: &str, plan: &Plan) -> Result<(), Error> {
        let (store, [second, _]) = open(url, store).await?;
        store.begin_own(READ).await?;
        if store.is_schema(&second).await? {
            store.is_left(&second).await?;
        } else {
            store.lay_out(&second, plan).await?;
        }
        obstacles::refuse(&store.client, &store.name, &second).await?;
        store.run("ROLLBACK").await
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

/// How the first store is locked while nothing is written to it.
const READ: &str = "ACCESS SHARE";

/// How the second store is locked while it is filled.
const WRITE: &str = "ROW EXCLUSIVE";

/// Holds the second store in another transaction.
async fn again(held: Option<Held>, transaction: &Transaction<'_>) -> Result<(), Error> {
    held.expect("a second store is held when it is made").again(transaction).await
}

/// Connects to a store as its owner, and returns the names of the two others, of which the former
/// one's is free.
async fn open(url: &str, store: &str) -> Result<(Store, [String; 2]), Error> {
    let names = names(store)?;
    let mut store = Store::connect(url, store).await?;
    store.must_exist().await?;
    store.as_owner().await?;
    let [_, former] = &names;
    if store.is_schema(former).await? {
        return Err(Error::InTheWay(former.clone()));
    }
    Ok((store, names))
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

    pub(super) async fn run(&self, sql: &str) -> Result<(), Error> {
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

    /// Means another store of the same server from here on.
    fn rename(&mut self, name: &str) {
        name.clone_into(&mut self.name);
        self.schema = quoted(name);
    }

    /// Goes on, in a transaction, with the second store that a run has left.
    ///
    /// Replaces it by a new one if its mark has another format.
    async fn take_up(&self, second: &str, plan: &Plan, mark: &Value) -> Result<(), Error> {
        match resumption(&self.is_left(second).await?, mark) {
            Resumption::Continue => obstacles::refuse(&self.client, &self.name, second).await,
            Resumption::StartAgain => {
                self.run(&format!("DROP SCHEMA {} CASCADE", quoted(second))).await?;
                self.make(second, plan, mark).await
            }
            Resumption::Refuse => Err(Error::OtherReindex(second.to_owned())),
        }
    }

    /// Returns the mark of a schema that a run has left, which is the caller's and locked.
    async fn is_left(&self, second: &str) -> Result<Value, Error> {
        ownership::hold(&self.client, &[second], WRITE).await?;
        self.mark(second).await?.ok_or_else(|| Error::InTheWay(second.to_owned()))
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
