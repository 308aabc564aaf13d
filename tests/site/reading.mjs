// A reader of a page: searches, copies, changes the theme, and uses the keyboard.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { accessibilityViolations, copiedBy } from '../page/browser.mjs'
import { ROOT, withPage } from './site.mjs'

const theme = (page) =>
  page.evaluate(() => document.documentElement.className.split(' ').filter((name) => /light|navy/.test(name)))

for (const asFile of [false, true]) {
  test(`a search finds a word and opens its page, ${asFile ? 'in files' : 'on a server'}`, async () => {
    await withPage(
      'index.html',
      async (page) => {
        await page.keyboard.press('/')
        await page.locator('#mdbook-searchbar').pressSequentially('pgbouncer')
        await page.locator('#mdbook-searchresults').getByRole('link', { name: 'Operations » Poolers' }).click()
        await page.waitForURL(/operations\.html.*#poolers/)
        await page.locator('main mark', { hasText: 'PgBouncer' }).first().waitFor()
      },
      { asFile },
    )
  })
}

test('the theme is that of the system until the reader chooses another, which lasts', async () => {
  for (const [colorScheme, own, choice, chosen] of [
    ['light', 'light', 'Dark', 'navy'],
    ['dark', 'navy', 'Light', 'light'],
  ]) {
    await withPage(
      'docs/concepts.html',
      async (page) => {
        assert.deepEqual(await theme(page), [own])
        await page.getByRole('button', { name: 'Change theme' }).press('Enter')
        assert.deepEqual(await page.locator('.theme').allTextContents(), ['Auto', 'Light', 'Dark'])
        await page.getByRole('menuitem', { name: choice }).press('Enter')
        assert.deepEqual(await theme(page), [chosen])
        await page.reload()
        assert.deepEqual(await theme(page), [chosen])
        await page.getByRole('link', { name: 'Agents (MCP)' }).click()
        await page.waitForURL('**/agents.html')
        assert.deepEqual(await theme(page), [chosen])
      },
      { colorScheme },
    )
  }
})

test('pictures have the colors of the theme', async () => {
  const pixel = async (page) => {
    const picture = page.locator('img[src$="sections.svg"]').first()
    await picture.scrollIntoViewIfNeeded()
    const image = (await picture.screenshot()).toString('base64')
    return page.evaluate(async (image) => {
      const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${image}`)).blob())
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
      context.drawImage(bitmap, 0, 0)
      return [...context.getImageData(bitmap.width - 20, bitmap.height - 20, 1, 1).data].slice(0, 3)
    }, image)
  }
  await withPage('docs/concepts.html', async (page) => {
    assert.deepEqual(await pixel(page), [255, 255, 255])
    await page.getByRole('button', { name: 'Change theme' }).click()
    await page.getByRole('menuitem', { name: 'Dark' }).click()
    assert.deepEqual(await pixel(page), [13, 17, 23])
  })
})

// Returns the blocks of a page of the project, each with its language.
function blocksOf(name) {
  const text = readFileSync(join(ROOT, name), 'utf8')
  return [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(([, language, text]) => ({ language, text }))
}

test('a block is copied as printed, and a session of a shell without prompts and output', async () => {
  for (const [page, language, expected] of [
    ['docs/guides/search', 'sql', (text) => text],
    ['docs/reference/client', 'console', (text) => text.split('\n')[0].replace(/^\$ /, '')],
  ]) {
    const blocks = blocksOf(`${page}.md`)
    const index = blocks.findIndex((block) => block.language === language)
    await withPage(`${page}.html`, async (page) => {
      const block = page.locator('main pre').nth(index)
      await block.hover()
      const button = block.getByRole('button', { name: 'Copy to clipboard' })
      assert.equal(await copiedBy(page, () => button.click()), expected(blocks[index].text))
    })
  }
})

test('a session keeps the lines of a command that goes on, and its other commands', async () => {
  await withPage('docs/guides/client.html', async (page) => {
    const copy = (text) =>
      page.evaluate((text) => {
        const block = document.createElement('pre')
        block.append(Object.assign(document.createElement('code'), { textContent: text }))
        return window.playground_text(block)
      }, text)
    const session = '$ passage ingest a \\\n    --collection b\nloaded $ 2\n\n$ passage status\n'
    assert.equal(await copy(session), 'passage ingest a \\\n    --collection b\npassage status')
    assert.equal(await copy('price\n$ 2\n'), 'price\n$ 2\n')
  })
})

test('the keyboard reaches the contents, blocks that scroll, and their buttons', async () => {
  await withPage(
    'docs/guides/operations.html',
    async (page) => {
      const sidebar = page.locator('#mdbook-sidebar')
      await page.getByRole('button', { name: 'Toggle Table of Contents' }).press('Enter')
      await sidebar.getByRole('link', { name: 'Concepts' }).waitFor()
      await page.getByRole('button', { name: 'Toggle Table of Contents' }).press(' ')
      await sidebar.getByRole('link', { name: 'Concepts' }).waitFor({ state: 'hidden' })

      const block = page.locator('main pre').first()
      await block.locator('.clip-button').focus()
      await page.waitForFunction(
        (buttons) => getComputedStyle(buttons).opacity === '1',
        await block.locator('.buttons').elementHandle(),
      )
      assert.match(await copiedBy(page, () => page.keyboard.press('Enter')), /^sha256sum/)
      await page.keyboard.press('Tab')
      assert.equal(await page.evaluate(() => document.activeElement.tagName), 'CODE')
      await page.keyboard.press('ArrowRight')
      await page.waitForFunction(() => document.activeElement.scrollLeft > 0)
    },
    { width: 375, height: 812 },
  )
})

for (const [colorScheme, width] of [
  ['light', 1280],
  ['dark', 375],
]) {
  test(`axe finds no violation in ${colorScheme} pages of ${width} pixels`, async () => {
    await withPage(
      'index.html',
      async (page) => {
        const [base] = page.url().split('index.html')
        for (const name of ['index', 'docs/concepts', 'docs/guides/client', 'docs/recipes/drivers']) {
          await page.goto(`${base}${name}.html`)
          await page.keyboard.press('/')
          await page.locator('#mdbook-searchbar').pressSequentially('budget')
          await page.locator('#mdbook-searchresults a').first().waitFor()
          assert.deepEqual(await accessibilityViolations(page), [], name)
        }
      },
      { colorScheme, width },
    )
  })
}
