// Every view against the rules of WCAG 2.1, levels A and AA, with axe: light and dark, on a phone and on a desk.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { accessibilityViolations } from './browser.mjs'
import { rows } from './environment.mjs'
import { writeReport } from './report.mjs'
import { show, unfold, withTab } from './tab.mjs'

async function violations(page) {
  await unfold(page)
  return accessibilityViolations(page)
}

for (const colorScheme of ['light', 'dark']) {
  for (const width of [360, 1280]) {
    test(`axe finds no violation in the ${colorScheme} page of ${width} pixels`, async () => {
      const [chunk] = rows("SELECT id FROM rag.chunks WHERE section = '{Rotator,rotate}'")
      const [document] = rows("SELECT id FROM rag.documents WHERE uri LIKE '%logging.md'")
      const [hit] = rows(
        "SELECT hit_ids[1] AS id FROM passage.search('signal USR1', ranking => passage.ranking(mode => 'text'), max_tokens => 300) LIMIT 1",
      )
      const views = [
        '#/search',
        '#/search?query=signal+USR1&mode=text&max_tokens=300',
        `#/passage?query=signal+USR1&mode=text&max_tokens=300&hit=${hit.id}`,
        `#/context?chunk=${chunk.id}&strategy=hierarchical&max_tokens=250`,
        '#/compare?query=collector&mode=text&max_hits=2&a.strategy=broad&a.max_tokens=280&b.strategy=document&b.max_tokens=250',
        '#/documents',
        `#/document?id=${document.id}`,
      ]
      await withTab(
        async (page) => {
          for (const view of views) {
            await show(page, view)
            assert.deepEqual(await violations(page), [], view)
          }
          await show(page, '#/search?query=a&strategy=wide')
          assert.deepEqual(await violations(page), [], 'an error')
        },
        { width, colorScheme, expected: [/status of 4/] },
      )
      const file = await writeReport(chunk.id, ['--strategy', 'hierarchical', '--max-tokens', '250'])
      await withTab(
        async (page) => {
          assert.deepEqual(await violations(page), [], 'the file')
        },
        { width, colorScheme, url: pathToFileURL(file).href },
      )
    })
  }
}
