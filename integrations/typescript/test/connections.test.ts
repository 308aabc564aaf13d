// Calls are guests on the caller's connection: its transaction, its settings and its errors stay as they are.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { type Source, Store } from 'pg-passage'
import { fromDrizzle } from 'pg-passage/drizzle'
import postgres from 'postgres'
import { connection, embed, pool, QUESTION, rolledBack } from './database.js'
import { SOURCES } from './sources.js'

const uris = async (source: Source) => (await new Store(source).searchHits('zebra')).map((hit) => hit.uri)
const DRAFT = "SELECT passage.ingest('draft.md', 'A zebra in a draft.')"

test('a call sees and keeps the transaction of the caller', async (t) => {
  await rolledBack(async (client) => {
    await client.query(DRAFT)
    assert.deepEqual(await uris(client), ['draft.md'])
    assert.deepEqual(await uris(pool), [])
  })

  // These drivers roll back if the function throws.
  const stop = new Error('roll back')
  const sql = postgres(connection)
  t.after(() => sql.end())
  const begun = sql.begin(async (transaction) => {
    await transaction.unsafe(DRAFT)
    assert.deepEqual(await uris(transaction), ['draft.md'])
    throw stop
  })
  await assert.rejects(begun, stop)

  const transacted = drizzle({ client: pool }).transaction(async (transaction) => {
    await transaction.execute(DRAFT)
    assert.deepEqual(await uris(fromDrizzle(transaction)), ['draft.md'])
    throw stop
  })
  await assert.rejects(transacted, stop)
  assert.deepEqual(await uris(pool), [])
})

test('errors are those of the driver with SQLSTATE and hint', async () => {
  for (const [name, open] of Object.entries(SOURCES)) {
    const failed = open((source) => new Store(source).search('filters', { strategy: 'brod' }))

    // Drizzle adds the statement, and has the error of the driver as its cause.
    await assert.rejects(failed, (error: Error & { hint?: string; code?: string }) => {
      const ours = name.startsWith('Drizzle') ? (error.cause as typeof error) : error
      assert.equal(ours.code, '22023', name)
      assert.match(ours.hint!, /passage\.strategies\(\)/)
      return true
    })
  }
  await assert.rejects(new Store(pool, { name: 'rga' }).search('filters'), { code: '3F000', hint: /./ })
  await assert.rejects(new Store(pool).search(null, { embedding: [1, 2] }), /384 dimensions/)
})

test('a pool gets its connection back after an error', async (t) => {
  const small = new pg.Pool({ ...connection, max: 1 })
  t.after(() => small.end())
  for (let call = 0; call < 3; call++) {
    await assert.rejects(new Store(small).search('filters', { strategy: 'brod' }))
    assert((await new Store(small).search('filters')).length > 0)
  }
})

test('no prepared statement stays on the server', async (t) => {
  const prepared = "SELECT count(*)::int FROM pg_prepared_statements WHERE statement ~ 'FROM passage'"
  const client = new pg.Client(connection)
  const sql = postgres({ ...connection, max: 1 })
  t.after(() => Promise.all([client.end(), sql.end()]))
  await client.connect()
  for (let call = 0; call < 8; call++) {
    await new Store(client).search('filters')
    await new Store(sql).search('filters')
  }

  assert.equal((await client.query(prepared)).rows[0].count, 0)
  assert.equal((await sql.unsafe(prepared))[0]!.count, 0)
})

test('types and transformations of the caller are not used', async (t) => {
  const options = { embedding: embed(QUESTION) }
  const expected = await new Store(pool).search(QUESTION, options)
  const client = new pg.Client({ ...connection, types: { getTypeParser: () => () => 'replaced' } })
  const sql = postgres({ ...connection, transform: postgres.toPascal, fetch_types: false })
  t.after(() => Promise.all([client.end(), sql.end()]))
  await client.connect()

  assert.deepEqual(await new Store(client).search(QUESTION, options), expected)
  assert.deepEqual(await new Store(sql).search(QUESTION, options), expected)
})

test('the setting names the store if the options name none', async () => {
  await rolledBack(async (client) => {
    await client.query("SET LOCAL passage.store = 'nowhere'")
    assert((await new Store(client, { name: 'rag' }).search('filters')).length > 0)
    await assert.rejects(new Store(client).search('filters'), /nowhere/)
  })
})

test('the function embed gives the embedding of a query', async () => {
  const asked: string[] = []
  const now = (query: string) => (asked.push(query), embed(query))
  const later = async (query: string) => Float32Array.from(now(query))
  const embedding = embed(QUESTION)
  const expected = await new Store(pool).search(QUESTION, { embedding })
  const store = new Store(pool, { embed: now })

  assert.deepEqual(await store.search(QUESTION), expected)
  assert.deepEqual(await new Store(pool, { embed: later }).search(QUESTION), expected)
  assert.deepEqual(await store.fragments(QUESTION), await new Store(pool).fragments(QUESTION, { embedding }))
  assert.deepEqual(asked, [QUESTION, QUESTION, QUESTION])

  await store.search(QUESTION, { ranking: { mode: 'text' } })
  await store.search(QUESTION, { embedding })
  await store.search(null, { embedding })
  await store.outline('docs/faq.md')
  assert.deepEqual(asked, [QUESTION, QUESTION, QUESTION])
})

test('objects of another role in the search_path are not used', async () => {
  await rolledBack(async (client) => {
    await client.query('CREATE SCHEMA trap')
    for (const type of ['text', 'uuid', 'jsonb', 'name']) await client.query(`CREATE DOMAIN trap.${type} AS integer`)
    await client.query(
      "CREATE FUNCTION trap.to_jsonb(record) RETURNS pg_catalog.text LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'",
    )
    await client.query('SET LOCAL search_path = trap, pg_catalog, public')

    const store = new Store(client, { name: 'rag' })
    const hits = await store.searchHits('filters', { filter: { kind: 'prose' } })

    assert((await store.reassemble(hits.map((hit) => hit.chunkId))).length > 0)
    assert.equal(typeof (await store.expandContext(hits[0]!.chunkId, { limits: { parents: 1 } }))[0]!.path, 'string')
  })
})

test('another object is a TypeError that names the sources', () => {
  const source = drizzle({ client: pool }) as unknown as Source

  assert.throws(() => new Store(source), { name: 'TypeError', message: /fromDrizzle\(db\)/ })
})

test('several calls share a pool', async () => {
  const store = new Store(pool)
  const expected = await store.search('filters')

  assert.deepEqual(await Promise.all(Array.from({ length: 10 }, () => store.search('filters'))), Array(10).fill(expected))
})
