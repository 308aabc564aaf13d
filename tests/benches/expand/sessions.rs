/*!
A role in a store, and its prepared statements.

Both ways return the same columns, and for the reader both are subject to row-level security.
*/

use passage_tests::Cluster;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};
use uuid::Uuid;

use super::CALLS;
use super::hits::{HitLocation, Hits, Many};
use super::load::Shape;
use crate::rounds::{Figures, turns};

/// The columns of the functions; the table has most of them.
const COLUMNS: &str = "c.id AS chunk_id, c.document_id, c.ordinal, 'hit'::text AS role, \
     0 AS distance, c.id AS hit_id, NULL::double precision AS score, \
     NULL::double precision AS decayed_score, c.level, c.section, c.path, c.tokens, c.content";

/// A session with its statements.
pub struct Session {
    client: Client,
    pub floor_of_one: String,
    pub floor_of_ten: String,
    prepared: [Statement; 4],
}

/// One hit with its context, and ten.
pub const OURS_OF_ONE: &str = "SELECT * FROM passage.expand_context($1, 'broad')";
pub const OURS_OF_TEN: &str = "SELECT * FROM passage.expand_contexts($1, strategy => 'broad')";

impl Session {
    /// Connects and prepares.
    pub async fn open(cluster: &Cluster, role: &str, shape: &Shape) -> Self {
        let store = shape.store;
        let client = cluster.client_as(role).await;
        // By default the server would plan a range in a large document again in each call, which would make the floor
        // too slow.
        let set = format!(
            "SET passage.store = '{store}'; SET app.tenant = 'ours'; \
             SET plan_cache_mode = force_generic_plan"
        );
        client.batch_execute(&set).await.expect("settings can be set");
        let floor_of_one = format!(
            "SELECT {COLUMNS} FROM {store}.chunks AS c \
             WHERE c.document_id = $1 AND c.ordinal BETWEEN $2 AND $3 ORDER BY c.ordinal"
        );
        let floor_of_ten = format!(
            "SELECT {COLUMNS} FROM unnest($1::uuid[], $2::integer[], $3::integer[]) \
             AS r (document_id, first, last) JOIN {store}.chunks AS c \
             ON c.document_id = r.document_id AND c.ordinal BETWEEN r.first AND r.last"
        );
        let prepared = [
            prepare(&client, &floor_of_one).await,
            prepare(&client, OURS_OF_ONE).await,
            prepare(&client, &floor_of_ten).await,
            prepare(&client, OURS_OF_TEN).await,
        ];
        Self { client, floor_of_one, floor_of_ten, prepared }
    }

    pub async fn floor_of_one(&self, hit: &HitLocation) -> Vec<Row> {
        self.ask(&self.prepared[0], &[&hit.document, &hit.first, &hit.last]).await
    }

    pub async fn ours_of_one(&self, hit: &HitLocation) -> Vec<Row> {
        self.ask(&self.prepared[1], &[&hit.chunk]).await
    }

    pub async fn floor_of_ten(&self, ten: &Many) -> Vec<Row> {
        self.ask(&self.prepared[2], &[&ten.documents, &ten.first, &ten.last]).await
    }

    pub async fn ours_of_ten(&self, ten: &Many) -> Vec<Row> {
        self.ask(&self.prepared[3], &[&ten.chunks]).await
    }

    /// Prepares another way.
    pub async fn prepare(&self, sql: &str) -> Statement {
        prepare(&self.client, sql).await
    }

    /// Executes a prepared statement.
    pub async fn ask(&self, statement: &Statement, values: &[&(dyn ToSql + Sync)]) -> Vec<Row> {
        self.client.query(statement, values).await.expect("the server answers")
    }

    /// Returns the plan of a statement with literal values, as EXPLAIN prints it.
    pub async fn explain(&self, sql: &str) -> serde_json::Value {
        let sql = format!("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}");
        self.client.query_one(&sql, &[]).await.expect("the statement is valid").get(0)
    }

    /// Proves that both ways return the same rows.
    ///
    /// # Panics
    ///
    /// Panics if they do not, because then the measurement means nothing.
    pub async fn check(&self, hits: &Hits, shape: &Shape) {
        let bytes = shape.content();
        let same = |floor: Vec<Row>, ours: Vec<Row>, count: usize| {
            assert_eq!(ours.len(), count);
            assert_eq!(ids(&floor), ids(&ours));
            assert!(floor.iter().all(|row| row.get::<_, &str>("content").len() == bytes));
        };
        for call in 0..20 {
            let (one, ten) = (hits.one(call), hits.ten(call));
            same(self.floor_of_one(one).await, self.ours_of_one(one).await, 8);
            same(self.floor_of_ten(ten).await, self.ours_of_ten(ten).await, 80);
        }
    }

    /// Measures ours and the floor inside the server, in a loop of PL/pgSQL over as many hits as a round has calls;
    /// `width` is 1 or 10.
    pub async fn in_server(&self, hits: &Hits, ours: &str, width: usize) -> Figures {
        let of_all = Many::of(&hits.first(CALLS * width));
        let floor = if width == 1 { &self.floor_of_one } else { &self.floor_of_ten };
        let loops = looped("floor", floor, width) + &looped("ours", ours, width);
        self.client.batch_execute(&loops).await.expect("the functions are valid");
        let call = async |name: &str| {
            let sql = format!("SELECT pg_temp.{name}($1, $2, $3, $4)");
            let prepared = self.client.prepare(&sql).await.expect("the function is there");
            let ids = if name == "ours" { &of_all.chunks } else { &of_all.documents };
            let values: &[&(dyn ToSql + Sync)] =
                &[ids, &of_all.first, &of_all.last, &(CALLS as i32)];
            let row = self.client.query_one(&prepared, values).await;
            row.expect("the server answers").get::<_, f64>(0)
        };
        turns(async |_| call("floor").await, async |_| call("ours").await).await
    }
}

async fn prepare(client: &Client, sql: &str) -> Statement {
    client.prepare(sql).await.expect("the statement is valid")
}

/// Returns the chunks of rows, sorted.
pub fn ids(rows: &[Row]) -> Vec<Uuid> {
    let mut ids: Vec<_> = rows.iter().map(|row| row.get("chunk_id")).collect();
    ids.sort();
    ids
}

/// Returns a function that runs a statement for each hit, or for each ten, and returns microseconds per call.
/// It reads the contents, as callers do, because stored ones may be compressed.
fn looped(name: &str, sql: &str, width: usize) -> String {
    let slice = if width == 1 { "[hit]" } else { "[hit * 10 - 9 : hit * 10]" };
    let mut sql = sql.strip_prefix("SELECT").expect("it reads").to_owned();
    for (number, argument) in ["ids", "first", "last"].iter().enumerate() {
        sql = sql.replace(&format!("${}", number + 1), &format!("{name}.{argument}{slice}"));
    }
    format!(
        "CREATE OR REPLACE FUNCTION pg_temp.{name}(ids uuid[], first integer[], last integer[], calls integer)
        RETURNS double precision LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE begun CONSTANT timestamptz := clock_timestamp();
        BEGIN
            FOR hit IN 1 .. calls LOOP
                PERFORM max(length(content)) FROM (SELECT {sql}) AS r;
            END LOOP;
            RETURN extract(epoch FROM clock_timestamp() - begun) * 1e6 / calls;
        END $$;"
    )
}
