/*!
A store whose chunks are in eight partitions, against one of a single table with the same rows.

All calls run in a loop of PL/pgSQL, without the round trip to the client. Both stores alternate in rounds, so other work
on the machine affects both.
*/

use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;
use tokio_postgres::Client;

use crate::expand::load::server;
use crate::rounds::turns;
use crate::table::{Bar, Table};

/// Documents of the store, of 40 chunks each.
const DOCUMENTS: usize = 5_000;

/// A call for a store, and how many of them a round has.
const CALLS: [(&str, &str, i32); 8] = [
    (
        "`expand_context`, one hit, `broad`",
        "SELECT count(*) FROM ids, passage.expand_context(ids.id, 'broad', store => 'STORE') WHERE ids.i = $1",
        100,
    ),
    (
        "`expand_context`, one hit, `section`",
        "SELECT count(*) FROM ids, passage.expand_context(ids.id, 'section', store => 'STORE') WHERE ids.i = $1",
        100,
    ),
    (
        "`expand_contexts`, ten hits",
        "SELECT count(*) FROM (SELECT array_agg(id) AS ids FROM ids WHERE i BETWEEN $1 AND $1 + 9) AS ten, passage.expand_contexts(ten.ids, store => 'STORE')",
        50,
    ),
    (
        "`reassemble`, ten hits",
        "SELECT count(*) FROM (SELECT array_agg(id) AS ids FROM ids WHERE i BETWEEN $1 AND $1 + 9) AS ten, passage.reassemble(ten.ids, store => 'STORE')",
        50,
    ),
    (
        "`search_hits` by words",
        "SELECT count(*) FROM words, passage.search_hits(word, store => 'STORE') WHERE words.i = $1",
        20,
    ),
    (
        "`search_hits` by embedding",
        "SELECT count(*) FROM vectors, passage.search_hits(embedding => vector, store => 'STORE') WHERE vectors.i = $1",
        20,
    ),
    (
        "`search` by both",
        "SELECT count(*) FROM words JOIN vectors USING (i), passage.search(word, vector, store => 'STORE') WHERE i = $1",
        20,
    ),
    (
        "`fragments`",
        "SELECT count(*) FROM words, passage.fragments(word, store => 'STORE') WHERE words.i = $1",
        10,
    ),
];

/// Loads both stores and compares each call.
pub async fn measure(table: &mut Table) {
    let mut cluster = Cluster::bare().await;
    if cluster.lacks_vector("benchmarks of partitions") {
        return;
    }
    server::configure(&mut cluster).await;
    cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
    cluster.execute("CREATE EXTENSION pg_passage CASCADE").await;
    let client = cluster.client().await;
    let number = DOCUMENTS * 40;
    run(&client, &format!("CREATE TEMP TABLE size AS SELECT {DOCUMENTS} AS documents; {LOAD}"))
        .await;
    run(&client, ARGUMENTS).await;
    run(&client, "VACUUM ANALYZE").await;
    for (name, call, calls) in CALLS {
        let timed = async |store: &str| {
            let call = call.replace("STORE", store);
            let row = client.query_one("SELECT pg_temp.timed($1, $2)", &[&call, &calls]).await;
            row.expect("the server answers").get::<_, f64>(0)
        };
        let figures = turns(async |_| timed("single").await, async |_| timed("parts").await);
        let what = format!("{name}, {number} chunks in 8 partitions against a single table");
        table.times(&what, figures.await, Bar::None);
    }
    cluster.stop();
}

/// Fills both stores with words by a power law out of 5,000, and vectors of 64 dimensions.
const LOAD: &str = "
    SELECT passage.create_store('single', 64);
    SELECT passage.create_store('parts', 64, partitions => 8);
    DROP INDEX single.embeddings_embedding_idx, parts.embeddings_embedding_idx;
    INSERT INTO single.documents (id, uri)
    SELECT (left(md5(d::text)::uuid::text, 18) || '-8000-000000000000')::uuid, 'd' || d
    FROM size, generate_series(1, documents) AS d;
    INSERT INTO single.chunks (id, document_id, ordinal, section, content, tokens)
    SELECT overlay(md5(d.uri || '/' || n) PLACING left(replace(d.id::text, '-', ''), 16) FROM 1)::uuid, d.id, n,
        ARRAY['A', 'B' || n / 10, 'C' || n / 3],
        (SELECT string_agg('w' || translate((5000 * power((abs(hashint4(hashtext(d.uri) + n * 77 + i)) % 100000) / 100000.0, 4))::integer::text,
            '0123456789', 'abcdefghij'), ' ') FROM generate_series(1, 40) AS i), 60
    FROM single.documents AS d, generate_series(0, 39) AS n;
    INSERT INTO single.embeddings (chunk_id, document_id, embedding)
    SELECT id, document_id, (SELECT array_agg(((hashint4(hashtext(id::text) + i) % 1000) / 1000.0)::real) FROM generate_series(1, 64) AS i)
    FROM single.chunks WHERE ordinal % 10 = 0;
    INSERT INTO parts.documents SELECT * FROM single.documents;
    INSERT INTO parts.chunks (id, document_id, ordinal, section, content, tokens)
    SELECT id, document_id, ordinal, section, content, tokens FROM single.chunks;
    INSERT INTO parts.embeddings SELECT * FROM single.embeddings;
    SELECT passage.upgrade_store('single');
    SELECT passage.upgrade_store('parts');";

/// The arguments of the calls, and the function that times them.
const ARGUMENTS: &str = "
    CREATE TEMP TABLE ids AS SELECT row_number() OVER () AS i, id FROM (SELECT id FROM single.chunks ORDER BY md5(id::text) LIMIT 300) AS chosen;
    CREATE TEMP TABLE vectors AS SELECT row_number() OVER () AS i, embedding::real[] AS vector
        FROM (SELECT embedding FROM single.embeddings ORDER BY md5(chunk_id::text) LIMIT 300) AS chosen;
    CREATE TEMP TABLE words AS SELECT n AS i, 'w' || translate((5000 * power((n * 37 % 100) / 100.0, 4))::integer::text, '0123456789', 'abcdefghij')
            || ' w' || translate((5000 * power(((n * 53 + 11) % 100) / 100.0, 4))::integer::text, '0123456789', 'abcdefghij') AS word
        FROM generate_series(1, 100) AS n;
    CREATE INDEX ON ids (i);
    CREATE INDEX ON vectors (i);
    CREATE INDEX ON words (i);
    ANALYZE ids, vectors, words;
    CREATE FUNCTION pg_temp.timed(call text, calls integer) RETURNS double precision LANGUAGE plpgsql AS $$
        DECLARE begun CONSTANT timestamptz := clock_timestamp();
        BEGIN
            FOR i IN 1 .. calls LOOP
                EXECUTE call USING i;
            END LOOP;
            RETURN extract(epoch FROM clock_timestamp() - begun) * 1e6 / calls;
        END $$;";

async fn run(client: &Client, sql: &str) {
    client.batch_execute(sql).await.expect("the statements are valid");
}
