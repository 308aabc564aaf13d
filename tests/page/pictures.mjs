// Takes the pictures of the page for the documentation.
//
//   node pictures.mjs FOLDER

import { join } from 'node:path'
import { environment, rows, stopAll } from './environment.mjs'
import { ready } from './tab.mjs'

const QUESTION = 'How does the collector rotate files?'

const { url, browser } = await environment()
const [method] = rows("SELECT id FROM rag.chunks WHERE section = '{Rotator,rotate}'")
const [code] = rows("SELECT id FROM rag.documents WHERE uri LIKE '%rotator.py'")

// Each picture: its name, the view, its height, and the element at its top.
const PICTURES = [
  ['page-search', `search?${new URLSearchParams({ query: QUESTION, max_tokens: 300, max_passages: 2 })}`, 800],
  ['page-passage', `context?chunk=${method.id}&strategy=hierarchical&max_tokens=250`, 1000, '.view-head'],
  [
    'page-compare',
    `compare?${new URLSearchParams({ query: QUESTION, collection: 'handbook', max_hits: 2, 'a.strategy': 'broad', 'a.max_tokens': 280, 'b.strategy': 'section', 'b.max_tokens': 280 })}`,
    900,
    '.results',
  ],
  ['page-document', `document?id=${code.id}`, 800],
]

for (const [name, view, height, top] of PICTURES) {
  const context = await browser.newContext({ viewport: { width: 1100, height }, colorScheme: 'light' })
  const tab = await context.newPage()
  await tab.goto(`${url}#/${view}`)
  await ready(tab)
  if (top)
    await tab
      .locator(top)
      .first()
      .evaluate((element) => scrollTo(0, element.getBoundingClientRect().top - 16))
  await tab.screenshot({ path: join(process.argv[2], `${name}.png`) })
  await context.close()
}
await stopAll()
