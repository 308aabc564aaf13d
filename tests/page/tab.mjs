// A tab with the page of the server, and what the tests do in it.

import { copiedBy, withTabAt } from './browser.mjs'
import { environment } from './environment.mjs'

// Opens a tab, waits for its view, and runs a test with it. Without `url` it shows the page of the shared server.
export async function withTab(test, { url = null, ...options } = {}) {
  const { browser, url: own } = await environment()
  await withTabAt(
    browser,
    url ?? own,
    async (page, context) => {
      await ready(page)
      await test(page, context)
    },
    options,
  )
}

// Waits until the page has drawn its view. A picture is drawn after the browser has reported the width of its box.
export async function ready(page) {
  await page.waitForFunction(() => !document.querySelector('main[aria-busy], .picture:empty'))
}

// Waits until a click has led to the view of a passage or a document.
export async function shown(page) {
  await page.waitForSelector('.passage-view')
  await ready(page)
}

// Changes the view as a link does, and waits for it.
export async function show(page, hash) {
  await page.evaluate((hash) => {
    location.hash = hash
  }, hash)
  // The event that draws the view comes after the change.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
  await ready(page)
}

// Clicks a button that copies, and returns what it copied.
export function copied(page, name, index = 0) {
  return copiedBy(page, () => page.getByRole('button', { name, exact: true }).nth(index).click())
}

// Opens all details, and waits until they are filled.
export async function unfold(page) {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true
    return new Promise((resolve) => setTimeout(resolve))
  })
}

// Returns the texts of elements.
export function texts(page, selector) {
  return page.locator(selector).allTextContents()
}
