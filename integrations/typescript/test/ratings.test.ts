// `rate` writes what SQL writes, with the rights and in the transaction of the caller.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Store } from 'pg-passage'
import { column, embed, pool, QUESTION, rolledBack } from './database.js'
import { SOURCES } from './sources.js'

const REMOVE = `DELETE FROM rag.ratings WHERE rated_by = 'user 42'
  RETURNING json_build_array(query, chunk_id, rating, embedding IS NULL)`

for (const [source, open] of Object.entries(SOURCES)) {
  test(`a rating through ${source} is stored and replaced`, async () => {
    const [hit] = await new Store(pool).searchHits(QUESTION)

    for (const rating of [1, -0.5]) {
      const rated = await open((source) => new Store(source).rate(QUESTION, hit!.chunkId, rating, { ratedBy: 'user 42' }))
      assert.equal(rated, undefined)
    }

    assert.deepEqual(await column(REMOVE), [[QUESTION, hit!.chunkId, -0.5, true]])
  })
}

test('the embedding is given or made by the store', async () => {
  const [hit] = await new Store(pool).searchHits(QUESTION)

  await new Store(pool).rate(QUESTION, hit!.chunkId, 1, { embedding: embed(QUESTION), ratedBy: 'user 42' })
  assert.deepEqual(await column(REMOVE), [[QUESTION, hit!.chunkId, 1, false]])
  await new Store(pool, { embed }).rate(QUESTION, hit!.chunkId, 1, { ratedBy: 'user 42' })
  assert.deepEqual(await column(REMOVE), [[QUESTION, hit!.chunkId, 1, false]])
})

test('a search with feedback counts the rating in the transaction of the caller', async () => {
  await rolledBack(async (client) => {
    const store = new Store(client)
    const [first, second] = await store.searchHits(QUESTION, { maxHits: 2 })

    await store.rate(QUESTION, second!.chunkId, 1)
    await store.rate(QUESTION, first!.chunkId, -1)

    const [best] = await store.searchHits(QUESTION, { maxHits: 1, ranking: { feedback: 1 } })
    assert.equal(best!.chunkId, second!.chunkId)
  })
  assert.deepEqual(await column('SELECT rating FROM rag.ratings WHERE query = $1', [QUESTION]), [])
})

test('errors are those of the driver with SQLSTATE and hint', async () => {
  const [hit] = await new Store(pool).searchHits(QUESTION)

  await assert.rejects(new Store(pool).rate(QUESTION, hit!.chunkId, 2), { code: '22023', hint: /-1 to 1/ })
  await assert.rejects(new Store(pool).rate(QUESTION, '00000000-0000-8000-8000-000000000000', 1), { code: '22023' })
  await rolledBack(async (client) => {
    await client.query('SET TRANSACTION READ ONLY')
    await assert.rejects(new Store(client).rate(QUESTION, hit!.chunkId, 1), { code: '25006', hint: /./ })
  })
})
