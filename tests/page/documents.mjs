// The documents of the store, and how the splitter divided one.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { literal, ROOT, rows, sql, startServer } from './environment.mjs'
import { copied, show, shown, texts, withTab } from './tab.mjs'

test('the list leads to each document', async () => {
  await withTab(
    async (page) => {
      assert.deepEqual(
        (await texts(page, '.documents td:first-child .note')).sort(),
        rows('SELECT uri FROM rag.documents ORDER BY uri')
          .map((row) => row.uri)
          .sort(),
      )
      await page.getByLabel('Collection').selectOption('tools')
      await page.getByRole('button', { name: 'Filter' }).click()
      await page.waitForFunction(() => document.querySelectorAll('.documents tbody tr').length === 1)
      await page.getByRole('link', { name: 'rotator.py' }).click()
      await shown(page)
      assert.match(await page.locator('.view-head').textContent(), /tools\/rotator\.py/)
    },
    { hash: '#/documents' },
  )
})

test('a document has all chunks, whose texts make the document', async () => {
  const [document] = rows("SELECT id FROM rag.documents WHERE uri LIKE '%rotator.py'")
  const chunks = rows(
    `SELECT tokens, first_line, last_line FROM rag.chunks WHERE document_id = '${document.id}' ORDER BY ordinal`,
  )
  await withTab(
    async (page) => {
      assert.equal(
        (await texts(page, '.block pre')).join(''),
        readFileSync(join(ROOT, 'tests/fixtures/tools/rotator.py'), 'utf8'),
      )
      const heads = await texts(page, '.block .head .note')
      chunks.forEach((chunk, index) =>
        assert.match(heads[index], new RegExp(`lines ${chunk.first_line} to ${chunk.last_line} · ${chunk.tokens} tokens`)),
      )
      // The height of each bar is in proportion to its tokens.
      const heights = await page.locator('.picture .bar').evaluateAll((bars) => bars.map((bar) => bar.height.baseVal.value))
      const [first] = heights
      heights.forEach((height, index) =>
        assert.ok(Math.abs(height / first - chunks[index].tokens / chunks[0].tokens) < 0.01),
      )
    },
    { hash: `#/document?id=${document.id}` },
  )
})

test('a click on a bar shows the chunk', async () => {
  const [document] = rows("SELECT id FROM rag.documents WHERE uri LIKE '%rotator.py'")
  await withTab(
    async (page) => {
      await page.locator('.picture .column').nth(3).click()
      assert.match(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), /Chunk 3/)
    },
    { hash: `#/document?id=${document.id}` },
  )
})

test('keys move between the bars and show a chunk', async () => {
  const [document] = rows("SELECT id FROM rag.documents WHERE uri LIKE '%rotator.py'")
  await withTab(
    async (page) => {
      const focused = () => page.evaluate(() => document.activeElement.getAttribute('aria-label'))
      const bars = page.locator('.picture .column')
      const last = (await bars.count()) - 1
      // The chart is one stop of the tab key, and remembers its bar.
      assert.equal(await page.locator('.picture [tabindex="0"]').count(), 1)
      await bars.first().focus()
      for (const [key, chunk] of [
        ['ArrowLeft', 0],
        ['ArrowRight', 1],
        ['ArrowRight', 2],
        ['ArrowLeft', 1],
        ['End', last],
        ['ArrowRight', last],
        ['Home', 0],
        ['ArrowRight', 1],
      ]) {
        await page.keyboard.press(key)
        assert.match(await focused(), new RegExp(`^Chunk ${chunk}, `), key)
      }
      assert.equal(await bars.nth(1).getAttribute('tabindex'), '0')
      for (const key of ['Enter', ' ']) {
        await bars.nth(1).focus()
        await page.keyboard.press(key)
        assert.equal(await page.evaluate(() => document.activeElement.id.startsWith('chunk-')), true)
        assert.equal(await focused(), 'Chunk 1')
      }
    },
    { hash: `#/document?id=${document.id}` },
  )
})

test('a long document is shown in parts, and any chunk can be reached', async () => {
  const sections = Array.from(
    { length: 700 },
    (_, index) => `## Section ${index}\n\n${'A sentence about bees. '.repeat(20)}\n`,
  )
  sql(`SELECT passage.ingest('long.md', ${literal(`# Long\n\n${sections.join('\n')}`)})`)
  const [document] = rows(
    "SELECT id, (SELECT count(*) FROM rag.chunks WHERE document_id = documents.id) AS chunks FROM rag.documents WHERE uri = 'long.md'",
  )
  await withTab(
    async (page) => {
      assert.equal(await page.locator('.block').count(), 200)
      assert.match(await page.locator('.picture').textContent(), /a bar is the largest of up to \d+ chunks/)
      await page.getByRole('button', { name: /^Show 200 more chunks of/ }).click()
      assert.equal(await page.locator('.block').count(), 400)
      await page.getByRole('button', { name: /^Show all \d+ sections$/ }).click()
      await page.getByRole('button', { name: 'Section 699' }).click()
      assert.match(await page.evaluate(() => document.activeElement.textContent), /## Section 699/)
      assert.equal(await page.locator('.block').count(), document.chunks)
    },
    { hash: `#/document?id=${document.id}`, width: 360 },
  )
  sql("SELECT passage.remove('long.md')")
})

test('a store of another program is shown without sections, lines and counted tokens', async () => {
  sql(`CREATE TABLE notes (id text PRIMARY KEY, page text, place integer, text text);
    INSERT INTO notes SELECT page || '-' || place, page, place, 'Note ' || place || ' of page ' || page || ' about bees.'
    FROM unnest('{a,b}'::text[]) AS page, generate_series(1, 5) AS place`)
  sql("SELECT passage.adopt('notes', 'adopted', id => 'id', document => 'page', ordinal => 'place', content => 'text')")
  const { url, stop } = await startServer({}, ['--store', 'adopted', '--no-embed'])
  try {
    const [hit] = rows("SELECT * FROM passage.search_hits('bees', store => 'adopted') LIMIT 1")
    await withTab(
      async (page) => {
        assert.match((await texts(page, '.card .prompt')).join(), /Note 1 of page a about bees/)
        await show(page, `#/context?chunk=${hit.chunk_id}&max_tokens=20`)
        assert.equal(await page.locator('h1').textContent(), hit.uri)
        assert.deepEqual(await texts(page, '.tree li > :first-child'), ['(no section)'])
        // The extension estimates tokens, and the chart has the same.
        const explained = rows(`SELECT tokens FROM passage.explain_context('{${hit.chunk_id}}', store => 'adopted') LIMIT 1`)
        assert.match(await page.locator('.block.hit').textContent(), new RegExp(`${explained[0].tokens} tokens`))
        const statement = await copied(page, 'Copy as SQL')
        assert.equal(rows(statement)[0].content, await copied(page, 'Copy text'))
        await show(page, `#/document?id=${hit.document_id}`)
        assert.equal(await page.locator('.block').count(), 5)
      },
      { url, hash: '#/search?query=bees&mode=text' },
    )
  } finally {
    stop()
    sql("SELECT passage.unadopt('adopted')")
  }
})

test('chunks of a view without an ordinal are shown', async () => {
  sql(`CREATE SCHEMA unordered;
    CREATE TABLE pieces (id uuid DEFAULT gen_random_uuid(), document_id uuid, place integer, text text);
    INSERT INTO pieces (document_id, place, text) SELECT '0badcafe-0000-4000-8000-000000000000', place, 'Piece ' || coalesce(place::text, 'loose') || ' about bees.'
    FROM unnest('{-1,0,1,NULL}'::integer[]) AS place;
    CREATE VIEW unordered.chunks AS SELECT id, document_id, place AS ordinal, text AS content FROM pieces`)
  const { url, stop } = await startServer({}, ['--store', 'unordered', '--no-embed'])
  try {
    await withTab(
      async (page) => {
        assert.deepEqual(await texts(page, '.block pre'), [
          'Piece loose about bees.',
          'Piece -1 about bees.',
          'Piece 0 about bees.',
          'Piece 1 about bees.',
        ])
        assert.equal(await page.locator('.block').first().getAttribute('aria-label'), 'Chunk without ordinal')
        assert.doesNotMatch(await page.locator('main').innerHTML(), /null|undefined/)
      },
      { url, hash: '#/document?id=0badcafe-0000-4000-8000-000000000000' },
    )
  } finally {
    stop()
    sql('DROP SCHEMA unordered CASCADE; DROP TABLE pieces')
  }
})

test('metadata that JavaScript cannot represent is shown', async () => {
  const deep = `${'['.repeat(200)}"deepest"${']'.repeat(200)}`
  const large = '9'.repeat(20)
  sql(`SELECT passage.ingest('odd.md', '# Odd')`)
  sql(
    `UPDATE rag.documents SET metadata = ${literal(`{"huge": 1e400, "large": ${large}, "half": 0.5, "deep": ${deep}, "<b onclick=executed=1>key</b>": "</pre><script>executed=1</script>", "__proto__": 7}`)} WHERE uri = 'odd.md'`,
  )
  const [document] = rows("SELECT id FROM rag.documents WHERE uri = 'odd.md'")
  await withTab(
    async (page) => {
      await page.getByText('Metadata').click()
      const shown = await page.locator('details .prompt').textContent()
      assert.match(shown, /"huge": 10{400},/)
      assert.ok(shown.includes(`"large": ${large},`) && shown.includes('"half": 0.5,') && shown.includes('"__proto__": 7'))
      assert.ok(
        shown.includes('deepest') && shown.includes('"<b onclick=executed=1>key</b>": "</pre><script>executed=1</script>"'),
      )
    },
    { hash: `#/document?id=${document.id}` },
  )
  sql("SELECT passage.remove('odd.md')")
})

test('an unknown document is an error that says so', async () => {
  await withTab(
    async (page) => {
      assert.match(await page.locator('main').textContent(), /no document has this id/)
    },
    { hash: '#/document?id=00000000-0000-0000-0000-000000000000', expected: [/status of 404/] },
  )
})

test('a document lists its links and what leads to it', async () => {
  const text = '# Start\n\n[how files rotate](logging.md#rotation), [map](map.md)\n'
  const other = "SELECT uri, collection, version FROM rag.documents WHERE uri = 'handbook/logging.md'"
  sql(`SELECT passage.ingest('handbook/start.md', ${literal(text)}, collection => collection, version => version, store => 'rag') FROM (${other}) AS other`)
  const id = (uri) => rows(`SELECT id FROM rag.documents WHERE uri = '${uri}'`)[0].id
  const [start, logging] = [id('handbook/start.md'), id('handbook/logging.md')]
  try {
    await withTab(
      async (page) => {
        assert.deepEqual(await texts(page, '.links li'), [
          'how files rotate handbook/logging.md#rotation',
          'map handbook/map.md: not in the store',
        ])
        await page.getByRole('link', { name: 'how files rotate' }).click()
        await shown(page)
        assert.match(page.url(), new RegExp(logging))
        assert.deepEqual(await texts(page, '.links li'), ['Start how files rotate'])
      },
      { hash: `#/document?id=${start}` },
    )
  } finally {
    sql(`SELECT passage.remove(document_id => '${start}', store => 'rag')`)
  }
})
