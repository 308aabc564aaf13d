//! Loading documents into a store, many in one statement.

use super::Store;
use crate::expansion::model::{Chunk, Document, Link};
use crate::expansion::random::Rng;
use passage_tests::Cluster;
use serde_json::{Value, json};
use tokio_postgres::Client;

/// Returns whether a chunk is one that layouts hide or delete: its level is -5.
pub fn is_marked(chunk: &Chunk) -> bool {
    chunk.level == Some(-5)
}

/// Writes documents with their chunks.
pub async fn documents(client: &Client, store: &Store, documents: &[Document]) {
    // Another session removes chunks of all documents that it sees.
    client.batch_execute("BEGIN").await.expect("a transaction begins");
    if let Some(table) = store.documents {
        let row = |d: &Document| json!({"id": d.id.to_string(), "media_type": d.media_type});
        let rows = Value::Array(documents.iter().map(row).collect());
        let sql = format!(
            "INSERT INTO {table} (id, uri, media_type) SELECT id, 'u' || id, media_type
            FROM jsonb_to_recordset($1) AS row (id uuid, media_type text)"
        );
        client.execute(&sql, &[&rows]).await.expect("documents are loaded");
    }
    let chunk = |d: &Document, c: &Chunk| {
        json!({
            "id": c.id.to_string(),
            "document_id": d.id.to_string(),
            "ordinal": c.ordinal,
            "level": c.level,
            "section": section(c),
            "unit": c.unit,
            "kind": c.kind,
            "tokens": c.tokens,
            "content": c.content,
            "start_byte": c.span.as_ref().map(|span| span.start),
            "end_byte": c.span.as_ref().map(|span| span.end),
        })
    };
    let pairs = documents.iter().flat_map(|d| d.chunks.iter().map(move |c| (d, c)));
    let rows = Value::Array(pairs.map(|(d, c)| chunk(d, c)).collect());
    let table = store.chunks;
    // A column that the table does not have is left out.
    let sql = format!(
        "SELECT string_agg(attname, ', ') FROM pg_attribute
        WHERE attrelid = '{table}'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
            AND attname IN ('id', 'document_id', 'ordinal', 'level', 'section', 'unit', 'kind', 'tokens',
                'content', 'start_byte', 'end_byte')"
    );
    let columns: String = client.query_one(&sql, &[]).await.expect("a table has columns").get(0);
    let sql = format!(
        "INSERT INTO {table} ({columns}) SELECT {columns} FROM jsonb_to_recordset($1) AS row (id uuid,
            document_id uuid, ordinal int, level int, section text[], unit text, kind text, tokens int,
            content text, start_byte int, end_byte int)"
    );
    client.execute(&sql, &[&rows]).await.expect("chunks are loaded");
    if store.has_links() {
        links(client, store, documents).await;
    }
    client.batch_execute("COMMIT").await.expect("a transaction ends");
    client.batch_execute(store.then).await.expect("what is done then can be done");
}

/// Writes the links of documents.
async fn links(client: &Client, store: &Store, documents: &[Document]) {
    let link = |(d, (position, link)): (&Document, (usize, &Link))| {
        json!({
            "document_id": d.id.to_string(),
            "position": position,
            "from_chunk": link.from.to_string(),
            "to_uri": format!("u{}", link.to),
            "to_section": link.title.unwrap_or_default(),
        })
    };
    let pairs = documents.iter().flat_map(|d| d.links.iter().enumerate().map(move |l| (d, l)));
    let rows = Value::Array(pairs.map(link).collect());
    let sql = format!(
        "INSERT INTO {}.links (document_id, position, from_chunk, to_uri, to_section, kind, to_name)
        SELECT document_id, position, from_chunk, to_uri, to_section, 'link', passage.link_name(to_uri)
        FROM jsonb_to_recordset($1) AS row (document_id uuid, position int, from_chunk uuid, to_uri text, to_section text)",
        store.schema
    );
    client.execute(&sql, &[&rows]).await.expect("links are loaded");
}

/// Returns the titles of a chunk as a row has them: some empty ones are NULL.
fn section(chunk: &Chunk) -> Option<Vec<Option<&str>>> {
    let nulls = chunk.id.as_u128() % 2 == 1;
    let title = |title| Some(title).filter(|title: &&str| !(nulls && title.is_empty()));
    let titles = chunk.section.as_ref()?;
    Some(titles.iter().map(|text| title(text)).collect())
}

/// Writes the strategies of the store.
pub async fn strategies(cluster: &Cluster, store: &Store) {
    for row in &store.own {
        let mut values = super::query::limits(&row.limits);
        values.push(("name", json!(row.name)));
        values.push(("base", json!(row.base)));
        values.push(("default_for", json!(row.default_for)));
        values.retain(|(_, value)| !value.is_null());
        let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
        let literals: Vec<String> =
            values.iter().map(|(_, value)| super::display::literal(value)).collect();
        let schema = store.schema;
        let (names, literals) = (names.join(", "), literals.join(", "));
        cluster
            .execute(&format!("INSERT INTO {schema}.strategies ({names}) VALUES ({literals})"))
            .await;
    }
}

/// Removes the marked chunks of a document.
pub fn without_marked(document: &mut Document) {
    document.chunks.retain(|chunk| !is_marked(chunk));
}

/// Changes a document into rows of a view, where ordinals, sections and levels may be NULL.
pub fn with_nulls(document: &mut Document, rng: &mut Rng) {
    let mut chance = |choices: &[u64]| *rng.choose(choices);
    let chances = [chance(&[0, 0, 10, 50]), chance(&[0, 0, 10, 100]), chance(&[0, 0, 10, 100])];
    for chunk in &mut document.chunks {
        chunk.ordinal = chunk.ordinal.filter(|_| !rng.percent(chances[0]));
        chunk.section = chunk.section.take().filter(|_| !rng.percent(chances[1]));
        chunk.level = chunk.level.filter(|_| !rng.percent(chances[2]));
    }
}
