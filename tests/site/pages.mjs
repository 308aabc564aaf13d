// Each page as a whole: its links, its pictures and its width.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAGES, readPages } from './site.mjs'

// Returns why an address outside of the site cannot be right, if so.
function misshapen(address) {
  const { protocol, hostname, pathname, username } = new URL(address)
  if (protocol !== 'https:') return 'it is not https'
  if (!/^([a-z0-9-]+\.)+[a-z]{2,}$/.test(hostname) || username) return 'it has no host'
  if (/[.,;:)\]>`'"]$|%20/.test(pathname)) return 'it ends with a mark of the sentence'
  return null
}

test('every link leads to a page and an anchor of the site, and every picture is shown', async () => {
  const pages = await readPages()
  const [[first]] = pages
  const base = first.slice(0, -PAGES[0].length)
  const problems = []
  let internal = 0
  for (const { name, links, pictures } of pages.values()) {
    for (const link of links) {
      const [address, anchor] = link.split('#')
      if (!address.startsWith(base)) {
        const problem = misshapen(link)
        if (problem) problems.push(`${name}: ${link}: ${problem}`)
        continue
      }
      internal++
      const target = pages.get(address)
      if (!target) problems.push(`${name}: ${link}: there is no such page`)
      else if (anchor && !target.ids.includes(decodeURIComponent(anchor)))
        problems.push(`${name}: ${link}: the page has no such anchor`)
    }
    for (const [source, isShown] of pictures) if (!isShown) problems.push(`${name}: ${source} is not shown`)
  }
  assert.ok(pages.size > 40 && internal > 3000, `${pages.size} pages, ${internal} links`)
  assert.deepEqual(problems, [])
})

test('no page is wider than a phone', async () => {
  const wide = [...(await readPages()).values()].filter(({ overflow }) => overflow > 0)
  assert.deepEqual(
    wide.map(({ name, overflow }) => `${name}: ${overflow} pixels`),
    [],
  )
})
