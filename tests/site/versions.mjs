// The list of versions, on a server and in files.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { withTabAt } from '../page/browser.mjs'
import { EARLIER, NEW_PAGE, PAGES, ROOT, site, VERSION, withPage } from './site.mjs'

const PAGE = 'docs/guides/search.html'

// Chooses a version from the list.
async function choose(page, version) {
  await page.locator('.versions summary').click()
  await page.locator('.versions').getByRole('link', { name: version }).click()
}

for (const asFile of [false, true]) {
  const where = asFile ? 'in files' : 'on a server'

  test(`the list of versions leads to the same page of another version, ${where}`, async () => {
    await withPage(
      PAGE,
      async (page) => {
        assert.match(await page.title(), new RegExp(`Search - pg_passage ${VERSION}$`))
        assert.deepEqual(await page.locator('.versions a').allTextContents(), [VERSION, EARLIER])
        assert.equal(await page.locator('.versions [aria-current]').textContent(), VERSION)
        assert.equal(await page.locator('.version-note').count(), 0)

        await choose(page, EARLIER)
        await page.waitForURL(`**/${EARLIER}/${PAGE}`)
        const note = page.locator('.version-note')
        assert.equal(
          await note.textContent(),
          `This page describes version ${EARLIER}. Version ${VERSION} is the current one.`,
        )
        await note.getByRole('link').click()
        await page.waitForURL(`**/${VERSION}/${PAGE}`)
      },
      { asFile },
    )
  })

  test(`a page that another version lacks leads to its first page, ${where}`, async () => {
    assert.ok(PAGES.includes(NEW_PAGE))
    await withPage(
      NEW_PAGE,
      async (page) => {
        await choose(page, EARLIER)
        await page.waitForURL(`**/${EARLIER}/index.html`)
      },
      { asFile },
    )
  })

  test(`the first address leads to the highest version, ${where}`, async () => {
    const { browser, url, fileUrl } = await site()
    await withTabAt(
      browser,
      asFile ? fileUrl : url,
      async (page) => {
        await page.waitForURL(`**/${VERSION}/index.html`)
        await page.locator('.versions').waitFor()
      },
      { hash: 'index.html' },
    )
  })
}

for (const [name, target] of [
  ['', 'index.html'],
  ['CHANGELOG.html', 'CHANGELOG.html'],
]) {
  test(`the list leads from "${name}" in the first folder to ${target}`, async () => {
    await withPage(name, async (page) => {
      await choose(page, EARLIER)
      await page.waitForURL(`**/${EARLIER}/${target}`)
    })
  })
}

test('versions are ordered by their numbers, and the first address leads to the highest released one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'passage-versions-'))
  const write = (...version) => execFileSync(join(ROOT, 'ground/docs/versions'), [folder, ...version])
  const first = () => /url=([^/]*)/.exec(readFileSync(join(folder, 'index.html'), 'utf8'))[1]
  const versions = ['0.10.0', '1.0.0', '0.9.0', '1.0.0-rc.10', '0.2.0', '1.0.0-rc.9']
  for (const version of versions) mkdirSync(join(folder, version))
  for (const version of versions) write(version)
  const written = JSON.parse(readFileSync(join(folder, 'versions.js'), 'utf8').replace('window.versions = ', ''))
  assert.deepEqual(
    written.map(({ version }) => version),
    ['1.0.0', '1.0.0-rc.10', '1.0.0-rc.9', '0.10.0', '0.9.0', '0.2.0'],
  )
  assert.equal(first(), '1.0.0')
  write('0.9.0', '--released')
  write('0.10.0', '--released')
  assert.equal(first(), '0.10.0')
  rmSync(join(folder, '0.10.0'), { recursive: true })
  write()
  assert.equal(first(), '0.9.0')
  rmSync(folder, { recursive: true })
})

test('the keyboard opens the list, follows a version, and closes the list', async () => {
  await withPage(PAGE, async (page) => {
    const summary = page.locator('.versions summary')
    const link = page.locator('.versions').getByRole('link', { name: EARLIER })
    await summary.press('Enter')
    await link.focus()
    await page.keyboard.press('Escape')
    await link.waitFor({ state: 'hidden' })
    assert.equal(await page.evaluate(() => document.activeElement.tagName), 'SUMMARY')
    await page.keyboard.press(' ')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/${EARLIER}/${PAGE}`)
  })
})
