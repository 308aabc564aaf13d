// A server with a reranker: the page says whether it has ordered the hits, and can turn it off.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT, rows, startServer } from './environment.mjs'
import { ready, texts, withTab } from './tab.mjs'

const MODEL = join(ROOT, 'client/embed/tests/fixtures/rerank/bert')
const HASH = '#/search?query=signal&max_passages=3&max_tokens=2000&mode=text&strategy=none'

test('the page shows passages in the order of the reranker or of the search', async () => {
  const server = await startServer({}, ['--no-embed', '--rerank-model', MODEL])
  try {
    const passages = rows(
      "SELECT uri FROM passage.search('signal', max_passages => 3, max_tokens => 2000, strategy => 'none', ranking => passage.ranking(mode => 'text'))",
    )
    await withTab(
      async (page) => {
        await page.goto(`${server.url}${HASH}`)
        await ready(page)
        const note = page.getByText('A rerank model has ordered the hits of these passages.')
        await note.waitFor()
        await page.getByLabel('Order of the hits').selectOption('off')
        await page.getByLabel('Question or words').press('Enter')
        await note.waitFor({ state: 'detached' })
        await ready(page)
        assert.equal((await texts(page, '.card')).length, passages.length)
      },
      { expected: [new RegExp(`^request: ${server.url}`)] },
    )
  } finally {
    server.stop()
  }
})
