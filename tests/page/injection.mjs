// Markup in titles, uris, sections, contents, collections, strategies and metadata stays text, on the page and in the
// file of `passage context --html`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { literal, rows, sql } from './environment.mjs'
import { writeReport } from './report.mjs'
import { copied, show, texts, unfold, withTab } from './tab.mjs'

// Each payload sets `window.executed`, which every test checks, or opens a dialog.
const PAYLOADS = [
  '<img src=x onerror="executed=1">',
  '</script><script>executed=1;alert(1)</script>',
  '</style></title></textarea><svg onload=executed=1>',
  '"><iframe srcdoc="<script>parent.executed=1</script>">',
  "' onfocus=executed=1 autofocus='",
  '<!--<script>executed=1//-->',
  '\u2028executed=1\u2029',
  '{{constructor.constructor("executed=1")()}}',
  '<a href="javascript:executed=1">press</a>',
  '<base href="http://example.invalid/"><meta http-equiv="refresh" content="0;url=http://example.invalid/">',
]
const URIS = [
  'javascript:executed=1//',
  ' javascript:executed=1//2',
  'JaVaScRiPt:alert(1)',
  'data:text/html,<script>parent.executed=1</script>',
  'https://example.invalid/" onclick="executed=1',
]

// Loads documents that have the payloads everywhere, and returns the id of a chunk in each.
function loadHostile() {
  const json = (value) => literal(JSON.stringify(value))
  PAYLOADS.forEach((payload, index) => {
    const text = `# ${payload}\n\nzebra ${payload}\n\n## ${payload} below\n\nzebra again ${payload}\n`
    const uri = URIS[index] ?? `${payload}-${index}.md`
    sql(
      `SELECT passage.ingest(${literal(uri)}, ${literal(text)}, collection => ${literal(payload)}, version => ${literal(payload)}, title => ${literal(payload)}, media_type => 'text/markdown', metadata => ${json({ [payload]: payload })}, splitting => passage.splitting(max_size => 150))`,
    )
  })
  sql(
    `INSERT INTO rag.strategies (name, base, description) VALUES (${literal(PAYLOADS[0])}, 'broad', ${literal(PAYLOADS[1])})`,
  )
  return rows(
    "SELECT DISTINCT ON (document_id) id, document_id FROM rag.chunks WHERE content LIKE '%zebra%' ORDER BY document_id, ordinal",
  )
}

// Checks that the view has made no element of a payload, and that links lead to web addresses or views only.
async function check(page, view) {
  const made = await page.evaluate(() => {
    const elements = document.querySelectorAll(
      'img, iframe, base, meta[http-equiv="refresh"], [onerror], [onload], [onclick], [onfocus], main script, main style',
    )
    const links = [...document.querySelectorAll('a')]
      .map((link) => link.href)
      .filter((href) => !/^(https?|file):/.test(href))
    return [...[...elements].map((element) => element.outerHTML), ...links]
  })
  assert.deepEqual(made, [], view)
}

test('markup in documents, collections, strategies and metadata stays text', async () => {
  const chunks = loadHostile()
  assert.equal(chunks.length, PAYLOADS.length)
  await withTab(async (page) => {
    for (const strategy of ['auto', PAYLOADS[0]]) {
      const hash = `#/search?${new URLSearchParams({ query: 'zebra', mode: 'text', max_passages: 20, strategy })}`
      await show(page, hash)
      assert.ok((await page.locator('.card').count()) >= PAYLOADS.length)
      const shown = (await texts(page, '.prompt')).join('\n')
      for (const payload of PAYLOADS) assert.ok(shown.includes(payload), payload)
      await check(page, hash)
      for (const name of ['Copy as SQL', 'Copy as psql command']) await copied(page, name)
    }
    for (const { id, document_id } of chunks) {
      for (const hash of [
        `#/context?chunk=${id}&max_tokens=40`,
        `#/document?id=${document_id}`,
        `#/compare?chunks=${id}&a.strategy=none&b.strategy=document`,
      ]) {
        await show(page, hash)
        await unfold(page)
        await check(page, hash)
      }
    }
    await show(page, '#/documents')
    await check(page, 'documents')
    assert.ok((await texts(page, '.documents td:first-child a')).includes(PAYLOADS[0]))
  })
})

test('markup in the address stays text', async () => {
  await withTab(
    async (page) => {
      for (const payload of PAYLOADS) {
        for (const [view, names] of [
          ['search', ['query', 'strategy', 'collection']],
          ['context', ['chunk']],
          ['compare', ['chunks', 'query']],
          ['document', ['id']],
          ['passage', ['query', 'hit']],
        ]) {
          const hash = `#/${view}?${new URLSearchParams(names.map((name) => [name, payload]))}`
          await show(page, hash)
          await check(page, hash)
        }
      }
      await show(page, `#/${PAYLOADS[0]}`)
      await check(page, 'an unknown view')
    },
    { expected: [/status of 4/] },
  )
})

test('a question with quotes and control characters is copied as SQL that runs', async () => {
  const question = 'zebra\'; DROP SCHEMA rag CASCADE; -- \\ " $(id) \u001b[31m\n'
  await withTab(
    async (page) => {
      const statement = await copied(page, 'Copy as SQL')
      assert.deepEqual(
        rows(statement).map((row) => row.content),
        await texts(page, '.card .prompt'),
      )
      assert.doesNotMatch(statement, /\u001b/)
    },
    { hash: `#/search?${new URLSearchParams({ query: question, mode: 'text', max_passages: 3 })}` },
  )
})

test('markup in a document stays text in the file of the command', async () => {
  const chunks = rows(
    "SELECT DISTINCT ON (document_id) id, content FROM rag.chunks WHERE content LIKE '%zebra%' ORDER BY document_id, ordinal",
  )
  assert.equal(chunks.length, PAYLOADS.length)
  for (const chunk of chunks) {
    const file = await writeReport(chunk.id, ['--strategy', 'document', '--max-tokens', '60'])
    await withTab(
      async (page) => {
        await check(page, file)
        assert.ok((await texts(page, '.block pre')).includes(chunk.content))
      },
      { url: pathToFileURL(file).href },
    )
  }
})
