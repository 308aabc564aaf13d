// A server with a token: the page asks for it, and keeps it for its tab.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from './environment.mjs'
import { ready, withTab } from './tab.mjs'

const TOKEN = 'a-token-of-the-tests'

test('the page asks for the token until it is right, and keeps it in the tab', async () => {
  const server = await startServer({ PASSAGE_TOKEN: TOKEN }, ['--no-embed'])
  try {
    // The page waits in the dialog, so it is not ready at the beginning.
    await withTab(
      async (page) => {
        await page.goto(server.url)
        const field = page.locator('#token')
        await field.fill('wrong')
        await page.keyboard.press('Enter')
        await page.getByText('The server rejected the token.').waitFor()
        await field.fill(TOKEN)
        await page.keyboard.press('Enter')
        await ready(page)
        await page.getByLabel('Question or words').fill('signal')
        await page.keyboard.press('Enter')
        await page.waitForSelector('.card')
        await page.reload()
        await ready(page)
        await page.waitForSelector('.card')
        assert.equal(await page.evaluate(() => localStorage.length), 0)
      },
      { expected: [/status of 401/, new RegExp(`^request: ${server.url}`)] },
    )
  } finally {
    server.stop()
  }
})
