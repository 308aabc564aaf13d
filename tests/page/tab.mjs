// A tab of the browser that records what a page must not do: errors, dialogs, violations of its policy, and requests
// to other servers.

import assert from 'node:assert/strict'
import { environment } from './environment.mjs'

// Opens a tab with a new profile, runs a test with it, and checks the records.
export async function withTab(
  test,
  { hash = '', url = null, width = 1280, height = 900, colorScheme = 'light', expected = [] } = {},
) {
  const { browser, url: own } = await environment()
  const base = url ?? own
  const context = await browser.newContext({ viewport: { width, height }, colorScheme })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  const problems = []
  const note = (problem) => {
    if (!expected.some((pattern) => pattern.test(problem))) problems.push(problem)
  }
  page.on('dialog', async (dialog) => {
    note(`dialog: ${dialog.message()}`)
    await dialog.dismiss()
  })
  page.on('pageerror', (error) => note(`error: ${error.message}`))
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && note(`console: ${message.text()}`))
  page.on('popup', () => note('popup'))
  page.on('request', (request) => {
    const address = request.url()
    if (!address.startsWith(new URL(base).origin) && !address.startsWith('data:') && !address.startsWith(base))
      note(`request: ${address}`)
  })
  await page.addInitScript(() => {
    window.violations = []
    document.addEventListener('securitypolicyviolation', (event) =>
      window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
    )
  })
  try {
    await page.goto(base + hash)
    await ready(page)
    await test(page, context)
    const { violations, executed } = await page.evaluate(() => ({
      violations: window.violations,
      executed: window.executed,
    }))
    assert.deepEqual(violations, [], 'violations of the policy')
    assert.equal(executed, undefined, 'text of a document was executed')
    assert.deepEqual(problems, [])
  } finally {
    await context.close()
  }
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
export async function copied(page, name, index = 0) {
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await page.getByRole('button', { name, exact: true }).nth(index).click()
  for (let attempts = 0; attempts < 200; attempts++) {
    const text = await page.evaluate(() => navigator.clipboard.readText())
    if (text !== '') return text
    await page.waitForTimeout(25)
  }
  throw new Error(`nothing was copied: ${name}`)
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
