// Two strategies or budgets side by side, over the same hits.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rows } from './environment.mjs'
import { show, texts, withTab } from './tab.mjs'

const HITS =
  "SELECT array_agg(chunk_id ORDER BY rank) AS ids, array_agg(score ORDER BY rank) AS scores FROM passage.search_hits('collector', ranking => passage.ranking(mode => 'text'), max_hits => 2)"

// Returns the chunks of the passages for the hits.
function chunksOf(limits) {
  const query = `SELECT DISTINCT unnest(chunk_ids) AS id FROM (${HITS}) AS hit, passage.reassemble(ids, scores, ${limits})`
  return new Set(rows(query).map((row) => row.id))
}

test('a comparison marks the chunks that only one side has', async () => {
  const [a, b] = [chunksOf("'broad', max_tokens => 1000"), chunksOf("'section', max_tokens => 1000")]
  const onlyA = [...a].filter((id) => !b.has(id))
  const onlyB = [...b].filter((id) => !a.has(id))
  assert.ok(onlyA.length > 0)
  await withTab(
    async (page) => {
      const marked = (side) =>
        page.locator(`.side .block.only-${side}`).evaluateAll((blocks) => blocks.map((block) => block.id.slice(-36)))
      assert.deepEqual((await marked('a')).sort(), onlyA.sort())
      assert.deepEqual((await marked('b')).sort(), onlyB.sort())
      assert.equal(await page.locator('.compared tr.only-a').count(), onlyA.length)
      assert.equal(await page.locator('.compared tr.only-b').count(), onlyB.length)
      // The marks are words too.
      assert.deepEqual(
        await texts(page, '.compared tr.only-a td:last-child'),
        onlyA.map(() => 'only A'),
      )
      const summary = await texts(page, '.summary tbody tr:nth-child(4) td')
      assert.deepEqual(summary, [String(onlyA.length), String(onlyB.length)])
    },
    {
      hash: '#/compare?query=collector&mode=text&max_hits=2&a.strategy=broad&a.max_tokens=1000&b.strategy=section&b.max_tokens=1000',
    },
  )
})

test('two budgets of one strategy differ in the chunks that the smaller one cuts', async () => {
  const [a, b] = [chunksOf("'document', max_tokens => 200"), chunksOf("'document', max_tokens => 1000")]
  const onlyB = [...b].filter((id) => !a.has(id))
  assert.ok(onlyB.length > 0)
  await withTab(
    async (page) => {
      assert.equal(await page.locator('.compared tr.only-b').count(), onlyB.length)
      assert.match((await texts(page, '.compared tr.only-b')).join(), /cut by max_tokens/)
      assert.equal(await page.locator('.compared tr.only-a').count(), 0)
    },
    {
      hash: '#/compare?query=collector&mode=text&max_hits=2&a.strategy=document&a.max_tokens=200&b.strategy=document&b.max_tokens=1000',
    },
  )
})

test('a comparison of given chunks needs no question', async () => {
  const [chunk] = rows("SELECT id FROM rag.chunks WHERE section = '{Logging,Rotation}'")
  await withTab(async (page) => {
    await show(page, `#/compare?chunks=${chunk.id}&a.strategy=none&b.strategy=broad`)
    assert.equal(await page.locator('.side').first().locator('.block').count(), 1)
    assert.ok((await page.locator('.side').nth(1).locator('.block.only-b').count()) > 0)
  })
})
