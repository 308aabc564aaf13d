// A server that takes ratings: the page rates a passage, and searches with the weight of ratings.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rows, sql, startServer } from './environment.mjs'
import { ready, withTab } from './tab.mjs'

const HASH = '#/search?query=signal&max_passages=3&max_tokens=2000&mode=text&strategy=none'
const RATED = 'SELECT query, chunk_id, rating FROM rag.ratings'

test('a click rates a passage, and a second one withdraws the rating', async () => {
  const server = await startServer({}, ['--no-embed', '--allow-ratings'])
  try {
    await withTab(
      async (page) => {
        await page.goto(`${server.url}${HASH}`)
        await ready(page)
        const [first] = rows(
          "SELECT hit_ids[1] AS id FROM passage.search('signal', max_passages => 3, max_tokens => 2000, strategy => 'none', ranking => passage.ranking(mode => 'text')) ORDER BY rank",
        )
        const up = page.getByRole('button', { name: 'Answers the question', exact: true }).first()
        const down = page.getByRole('button', { name: 'Does not answer the question' }).first()
        const stored = page.locator('.ratings [role="status"]').first()
        for (const [button, rating, message] of [
          [up, 1, 'Stored'],
          [down, -1, 'Stored'],
          [down, 0, 'Withdrawn'],
          [up, 1, 'Stored'],
        ]) {
          await stored.evaluate((node) => (node.textContent = ''))
          await button.click()
          await stored.filter({ hasText: message }).waitFor()
          assert.deepEqual(rows(RATED), [{ query: 'signal', chunk_id: first.id, rating }])
        }
        assert.equal(await up.getAttribute('aria-pressed'), 'true')
        assert.equal(await down.getAttribute('aria-pressed'), 'false')
        await page.goto(`${server.url}${HASH}&feedback=1`)
        await ready(page)
        assert.equal(await page.locator('input[name="feedback"]').inputValue(), '1')
      },
      { expected: [new RegExp(`^request: ${server.url}`)] },
    )
  } finally {
    sql('DELETE FROM rag.ratings')
    server.stop()
  }
})

test('a server without --allow-ratings shows no buttons and takes no ratings', async () => {
  await withTab(
    async (page) => {
      assert.ok((await page.locator('.card').count()) > 0)
      assert.equal(await page.locator('.ratings').count(), 0)
      const status = await page.evaluate(async () => {
        const body = JSON.stringify({ query: 'signal', chunk_id: '00000000-0000-0000-0000-000000000000', rating: 1 })
        return (await fetch('rate', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })).status
      })
      assert.equal(status, 403)
    },
    { hash: HASH, expected: [/403/, /rate/] },
  )
})
