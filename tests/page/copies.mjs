// Copied SQL and commands: they run, and return the rows that the page shows.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run, rows } from './environment.mjs'
import { copied, shown, texts, withTab } from './tab.mjs'

const QUESTION = "how do I recover the operator's files?"
const SEARCH = `#/search?${new URLSearchParams({ query: QUESTION, max_passages: 3, max_tokens: 500 })}`

// Returns what a copied command prints in a shell.
function shell(command) {
  return run('sh', ['-c', command])
}

function psql(statement) {
  return run('psql', ['-X', process.env.DATABASE_URL], { input: statement })
}

test('the SQL of a search returns the passages that the page shows', async () => {
  await withTab(
    async (page) => {
      const shown = await texts(page, '.card .prompt')
      assert.ok(shown.length > 1)
      const statement = await copied(page, 'Copy as SQL')
      assert.match(statement, /embedding => '\{/)
      assert.deepEqual(
        rows(statement).map((row) => row.content),
        shown,
      )
      const hits = await copied(page, 'Copy as SQL', 1)
      const titles = rows(hits).map((row) => row.section.join(' › '))
      assert.deepEqual(titles.slice(0, 10), await texts(page, '.hits tbody td:nth-child(2) a'))
    },
    { hash: SEARCH },
  )
})

test('the psql command of a search embeds the question and prints what its SQL returns', async () => {
  await withTab(
    async (page) => {
      const statement = await copied(page, 'Copy as SQL')
      const command = await copied(page, 'Copy as psql command')
      assert.match(command, /passage embed --query=/)
      assert.equal(shell(command), psql(statement))
    },
    { hash: SEARCH },
  )
})

test('SQL and commands of a search by words have no embedding', async () => {
  await withTab(
    async (page) => {
      const command = await copied(page, 'Copy as psql command')
      assert.doesNotMatch(command, /embed/)
      const statement = await copied(page, 'Copy as SQL')
      assert.equal(shell(command), psql(statement))
      assert.deepEqual(
        rows(statement).map((row) => row.content),
        await texts(page, '.card .prompt'),
      )
    },
    { hash: '#/search?query=signal+USR1&mode=text&include_orphaned=true&uri_pattern=%25.md&max_distance=2' },
  )
})

test('the SQL of a passage explains its budget', async () => {
  const [chunk] = rows("SELECT id FROM rag.chunks WHERE section = '{Logging,Rotation}'")
  await withTab(
    async (page) => {
      const explain = await copied(page, 'Copy explain as SQL')
      assert.deepEqual(
        rows(explain).map((row) => `${row.role} · ${row.section.at(-1)}`),
        await texts(page, '.budget .bar-label'),
      )
      assert.equal(shell(await copied(page, 'Copy explain as psql command')), psql(explain))
      const statement = await copied(page, 'Copy as SQL')
      assert.equal(rows(statement)[0].content, await copied(page, 'Copy text'))
      assert.equal(shell(await copied(page, 'Copy as psql command')), psql(statement))
    },
    { hash: `#/context?chunk=${chunk.id}&max_tokens=280&parents=2` },
  )
})

test('the SQL of a found passage explains it with the same hits', async () => {
  await withTab(
    async (page) => {
      await page.locator('.card .button.primary').first().click()
      await shown(page)
      const kept = await page
        .locator('.chunks > .block:not(.cut)')
        .evaluateAll((blocks) => blocks.map((block) => block.id.replace('chunk-', '')))
      const explained = rows(await copied(page, 'Copy explain as SQL'))
      const all = explained.filter((row) => row.kept).map((row) => row.chunk_id)
      assert.ok(kept.length && kept.every((id) => all.includes(id)))
    },
    { hash: SEARCH },
  )
})

test('the SQL of both sides of a comparison returns their passages', async () => {
  await withTab(
    async (page) => {
      for (const [index, side] of ['A', 'B'].entries()) {
        const statement = await copied(page, `Copy ${side} as SQL`)
        const tokens = rows(statement).map((row) => `${row.tokens} tokens`)
        assert.deepEqual(await page.locator('.side').nth(index).locator('.tokens').allTextContents(), tokens)
        assert.equal(shell(await copied(page, `Copy ${side} as psql command`)), psql(statement))
      }
    },
    {
      hash: '#/compare?query=collector&mode=text&max_hits=2&a.strategy=broad&a.max_tokens=300&b.strategy=section&b.max_tokens=300',
    },
  )
})

test('the SQL of a document returns its outline', async () => {
  const [document] = rows("SELECT id FROM rag.documents WHERE uri LIKE '%logging.md'")
  await withTab(
    async (page) => {
      const outline = rows(await copied(page, 'Copy outline as SQL'))
      assert.deepEqual(
        outline.map((row) => row.outline.trim()),
        await texts(page, '.tree li > :first-child'),
      )
    },
    { hash: `#/document?id=${document.id}` },
  )
})

test('a browser without a clipboard shows the text to copy', async () => {
  await withTab(
    async (page) => {
      await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
      await page.getByRole('button', { name: 'Copy text' }).first().click()
      const text = await page.getByLabel('Text to copy').inputValue()
      assert.equal(text, (await texts(page, '.card .prompt'))[0])
      await page.keyboard.press('Escape')
      await page.locator('dialog').waitFor({ state: 'detached' })
    },
    { hash: '#/search?query=signal+USR1&mode=text' },
  )
})
