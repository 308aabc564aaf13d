// The view of one passage: budget, section tree and text, for a found passage and for the context of a chunk.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rows } from './environment.mjs'
import { copied, ready, shown, texts, withTab } from './tab.mjs'

const ROTATION = "SELECT id FROM rag.chunks WHERE section = '{Logging,Rotation}'"

function rotation() {
  return rows(ROTATION)[0].id
}

test('the budget has a bar for each row of explain_context, in its order, kept or cut', async () => {
  const explained = rows(
    `SELECT kept, role, section, tokens, tokens_so_far, cut_by FROM passage.explain_context(ARRAY(${ROTATION}), max_tokens => 280)`,
  )
  assert.ok(explained.some((row) => !row.kept))
  await withTab(
    async (page) => {
      const labels = await texts(page, '.budget .bar-label')
      assert.deepEqual(
        labels,
        explained.map((row) => `${row.role} · ${row.section.at(-1)}`),
      )
      const amounts = explained.map((row) =>
        row.kept ? `+${row.tokens} = ${row.tokens_so_far}` : `${row.tokens} cut by ${row.cut_by}`,
      )
      assert.deepEqual(await texts(page, '.budget .bar-amount'), amounts)
      assert.equal(await page.locator('.budget .bar.cut').count(), explained.filter((row) => !row.kept).length)
      // The bars of kept chunks end before the budget, those of cut chunks after it.
      const ends = (kind) =>
        page
          .locator(`.budget .bar${kind}`)
          .evaluateAll((bars) => bars.map((bar) => bar.x.baseVal.value + bar.width.baseVal.value))
      const limit = Number(/M([\d.]+)/.exec(await page.locator('.budget .limit').getAttribute('d'))[1])
      assert.ok((await ends(':not(.cut)')).every((end) => end <= limit + 0.5))
      assert.ok((await ends('.cut')).every((end) => end > limit))
      assert.match(
        await page.locator('.budget svg[role="img"]').getAttribute('aria-label'),
        /270 tokens spent of a budget of 280 tokens; 1 chunk cut/,
      )
    },
    { hash: `#/context?chunk=${rotation()}&max_tokens=280` },
  )
})

test('hits, context and cut chunks differ in shape, not only in color', async () => {
  await withTab(
    async (page) => {
      const shapes = await page.locator('.legend path').evaluateAll((paths) => paths.map((path) => path.getAttribute('d')))
      assert.equal(new Set(shapes).size, shapes.length)
      assert.ok(shapes.length >= 4)
      const styles = await page
        .locator('.chunks > .block')
        .evaluateAll((blocks) => blocks.map((block) => [block.className, getComputedStyle(block).borderLeftStyle]))
      const byKind = new Map(styles)
      assert.deepEqual(
        [byKind.get('block hit'), byKind.get('block context'), byKind.get('block cut')],
        ['solid', 'double', 'dotted'],
      )
    },
    { hash: `#/context?chunk=${rotation()}&max_tokens=280` },
  )
})

test('the tree and the text have the roles and the lines of each chunk', async () => {
  const chunks = rows(
    "SELECT chunks.id, section, first_line, last_line, content FROM rag.chunks JOIN rag.documents ON documents.id = document_id WHERE uri LIKE '%logging.md' ORDER BY ordinal",
  )
  await withTab(
    async (page) => {
      assert.deepEqual(
        await texts(page, '.tree li > :first-child'),
        chunks.map((chunk) => chunk.section.at(-1)),
      )
      assert.deepEqual(await texts(page, '.tree .badge'), ['1 context', '1 context', '1 hit', '1 cut'])
      assert.deepEqual(await texts(page, '.block .role b'), ['parent', 'preceding', 'hit', 'child, cut by max_tokens'])
      const block = page.locator(`#chunk-${rotation()}`)
      const numbers = await block.locator('.line').evaluateAll((lines) => lines.map((line) => Number(line.dataset.line)))
      assert.equal(numbers[0], chunks[2].first_line)
      assert.equal(numbers.at(-1), chunks[2].last_line)
      assert.equal(await block.locator('pre').textContent(), chunks[2].content)
    },
    { hash: `#/context?chunk=${rotation()}&max_tokens=280` },
  )
})

test('a gap has the chunks that were not considered, and opens', async () => {
  const [chunk] = rows("SELECT id FROM rag.chunks WHERE section = '{Rotator,rotate}'")
  await withTab(
    async (page) => {
      const gap = page.locator('.gap').last()
      assert.match(await gap.textContent(), /chunks? not considered, lines \d+ to \d+/)
      assert.ok((await texts(page, '.budget .bar-label')).includes('section (container) · has_space'))
      await gap.locator('summary').click()
      await gap.locator('.block').first().waitFor()
      // A section in a gap opens it.
      await page.reload()
      await ready(page)
      await page.locator('.tree button', { hasText: 'rotate_all' }).click()
      assert.match(await page.evaluate(() => document.activeElement.textContent), /def rotate_all/)
    },
    { hash: `#/context?chunk=${chunk.id}&strategy=hierarchical&max_tokens=250` },
  )
})

test('a found passage has the budget that all passages share', async () => {
  await withTab(
    async (page) => {
      const passage = rows(
        "SELECT * FROM passage.search('collector file', ranking => passage.ranking(mode => 'text'), max_passages => 3, max_tokens => 400)",
      )
      assert.ok(passage.length > 1)
      await page.locator('.card .button.primary').nth(1).click()
      await shown(page)
      assert.equal(await page.locator('h1').textContent(), passage[1].title)
      assert.match(await page.locator('.budget').textContent(), /of other passages/)
      const kept = await page
        .locator('.chunks > .block:not(.cut)')
        .evaluateAll((blocks) => blocks.map((block) => block.id.replace('chunk-', '')))
      assert.deepEqual(kept, passage[1].chunk_ids)
    },
    { hash: '#/search?query=collector+file&mode=text&max_passages=3&max_tokens=400' },
  )
})

test('a link shows the same view in another browser', async () => {
  const hashes = [
    '#/search?query=signal+USR1&max_passages=2&max_tokens=300',
    `#/context?chunk=${rotation()}&strategy=broad&max_tokens=280&parents=1`,
    `#/compare?chunks=${rotation()}&a.strategy=broad&a.max_tokens=280&b.strategy=document`,
  ]
  for (const hash of hashes) {
    let link, seen
    await withTab(
      async (page) => {
        link = await copied(page, 'Copy link')
        seen = await page.locator('main').innerText()
      },
      { hash },
    )
    await withTab(
      async (page) => assert.equal(await page.locator('main').innerText(), seen.replace('Copied', 'Copy link')),
      { url: link },
    )
  }
})

test('the link of a found passage shows the same passage', async () => {
  let link, title
  await withTab(
    async (page) => {
      await page.locator('.card .button.primary').first().click()
      await shown(page)
      link = await copied(page, 'Copy link')
      title = await texts(page, '.block .head')
    },
    { hash: '#/search?query=signal+USR1&max_passages=2&max_tokens=300' },
  )
  await withTab(async (page) => assert.deepEqual(await texts(page, '.block .head'), title), { url: link })
})
