// The search: passages as they go into a prompt, hits, and use with the keyboard alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { environment, rows, sql } from './environment.mjs'
import { ready, show, shown, texts, withTab } from './tab.mjs'

const HASH = '#/search?query=signal+USR1&max_passages=3&max_tokens=300&mode=text'

test('a search shows the passages of the SQL function with their tokens', async () => {
  const expected = rows(
    "SELECT content, tokens, uri FROM passage.search('signal USR1', ranking => passage.ranking(mode => 'text'), max_passages => 3, max_tokens => 300)",
  )
  assert.ok(expected.length > 0)
  await withTab(
    async (page) => {
      assert.deepEqual(
        await texts(page, '.card .prompt'),
        expected.map((row) => row.content),
      )
      assert.deepEqual(
        await texts(page, '.card .tokens'),
        expected.map((row) => `${row.tokens} tokens`),
      )
      const total = expected.reduce((sum, row) => sum + row.tokens, 0)
      assert.match(await page.locator('#status').textContent(), new RegExp(`${total} tokens of a budget of 300 tokens`))
      const hits = rows(
        "SELECT section FROM passage.search_hits('signal USR1', ranking => passage.ranking(mode => 'text'), max_hits => 30)",
      )
      assert.deepEqual(
        await texts(page, '.hits tbody td:nth-child(2) a'),
        hits.slice(0, 10).map((hit) => hit.section.join(' › ')),
      )
    },
    { hash: HASH },
  )
})

test('a hit is marked in the text of its passage', async () => {
  const [passage] = rows(
    "SELECT content, citations FROM passage.search('signal USR1', ranking => passage.ranking(mode => 'text'), max_passages => 3, max_tokens => 300)",
  )
  const bytes = Buffer.from(passage.content)
  const cited = passage.citations.filter((citation) => citation.role === 'hit')
  const hits = cited.map(({ start, end }) => bytes.subarray(start, end).toString())
  await withTab(
    async (page) => {
      assert.deepEqual(await texts(page, '.card:first-child .prompt mark'), hits)
    },
    { hash: HASH },
  )
})

test('a search that finds nothing shows why', async () => {
  await withTab(
    async (page) => {
      assert.match(await page.locator('main').textContent(), /no document has collection "nowhere"/)
    },
    { hash: '#/search?query=signal&collection=nowhere&mode=text' },
  )
})

test('the server embeds a question, so a search finds a passage without its words', async () => {
  await withTab(
    async (page) => {
      assert.match((await texts(page, '.card .prompt')).join(), /base backup/)
      assert.match(await page.locator('.hits tbody tr').first().locator('td').nth(4).textContent(), /^\d+$/)
    },
    { hash: '#/search?query=recover+the+database+after+a+crash&mode=vector&max_passages=2' },
  )
})

test('the whole search works with the keyboard alone', async () => {
  await withTab(async (page) => {
    await page.keyboard.press('/')
    await page.keyboard.type('signal USR1')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.card')
    assert.match(await page.evaluate(() => location.hash), /^#\/search\?query=signal\+USR1/)
    await tabTo(page, (element) => element.textContent === 'Inspect')
    await page.keyboard.press('Enter')
    await shown(page)
    assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H1')
    await tabTo(page, (element) => element.matches('.tree button'))
    await page.keyboard.press('Enter')
    assert.match(await page.evaluate(() => document.activeElement.id), /^chunk-/)
    await page.goBack()
    await ready(page)
    await page.waitForSelector('.card')
  })
})

// Presses Tab until an element has the focus, which must have a visible outline.
async function tabTo(page, isWanted) {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    const found = await page.evaluate(`(${isWanted})(document.activeElement)`)
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle)
    assert.notEqual(outline, 'none', 'the focus is visible')
    if (found) return
  }
  assert.fail('the keyboard does not reach the element')
}

test('an option in the form becomes an argument of the search', async () => {
  await withTab(async (page) => {
    await page.getByLabel('Question or words').fill('file')
    await page.getByLabel('Collection').selectOption('tools')
    await page.getByLabel('Token budget').fill('')
    await page.getByText('More options').click()
    await page.getByLabel('URI pattern').fill('%.py')
    const [request] = await Promise.all([
      page.waitForRequest('**/search'),
      page.getByRole('button', { name: 'Search' }).click(),
    ])
    assert.deepEqual(request.postDataJSON(), {
      query: 'file',
      collection: 'tools',
      filter: { uri_pattern: '%.py' },
      max_passages: 5,
      output: { explain: true },
    })
    await page.waitForSelector('.card')
    assert.equal(await page.getByLabel('Token budget').inputValue(), '')
    assert.ok((await texts(page, '.card .uri')).every((uri) => uri.startsWith('tools/')))
  })
})

test('the same search again shows documents that were loaded since', async () => {
  await withTab(
    async (page) => {
      assert.match(await page.locator('main').textContent(), /No passages/)
      sql("SELECT passage.ingest('quokka.md', '# Quokka\n\nA quokka smiles.')")
      await page.getByRole('button', { name: 'Search' }).click()
      await page.waitForSelector('.card')
      assert.match((await texts(page, '.card .prompt')).join(), /A quokka smiles/)
      sql("SELECT passage.remove('quokka.md')")
    },
    { hash: '#/search?query=quokka&mode=text' },
  )
})

test('an error of the server is shown with its hint', async () => {
  await withTab(
    async (page) => {
      const alert = page.getByRole('alert')
      assert.match(await alert.textContent(), /strategy "wide"/)
      assert.ok(await alert.locator('.hint').count())
      await show(page, '#/search?query=nothing+matches+xyzzy&mode=text&collection=tools')
      assert.match(await page.locator('main').textContent(), /No passages/)
    },
    { hash: '#/search?query=a&strategy=wide', expected: [/status of 4/] },
  )
})

test('a phone of 360 pixels needs no horizontal scrolling', async () => {
  const { url } = await environment()
  const [chunk] = rows("SELECT id FROM rag.chunks WHERE section = '{Rotator,rotate}'")
  const [document] = rows("SELECT id FROM rag.documents WHERE uri LIKE '%rotator.py'")
  await withTab(
    async (page) => {
      for (const hash of [
        HASH,
        `#/context?chunk=${chunk.id}&max_tokens=200`,
        `#/document?id=${document.id}`,
        '#/documents',
        '#/compare?query=rotate&a.strategy=broad&b.strategy=section',
      ]) {
        await show(page, hash)
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        assert.equal(overflow, 0, hash)
      }
    },
    { url, width: 360, height: 740 },
  )
})
