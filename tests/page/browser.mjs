// Chromium, and a tab that records what a page must not do: errors, dialogs, violations of its policy, and requests to
// other servers.
//
// ground/check/browser sets CHROMIUM and NODE_PACKAGES.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(join(process.env.NODE_PACKAGES, 'packages.js'))
const { chromium } = require('playwright-core')
const AXE = require.resolve('axe-core/axe.min.js')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']

const BROWSER_ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export function startBrowser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM, args: BROWSER_ARGUMENTS })
}

// Opens a tab with a new profile, runs a test with it, and checks the records.
export async function withTabAt(
  browser,
  url,
  test,
  { hash = '', width = 1280, height = 900, colorScheme = 'light', expected = [] } = {},
) {
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
    if (!address.startsWith(new URL(url).origin) && !address.startsWith('data:') && !address.startsWith(url))
      note(`request: ${address}`)
  })
  await page.addInitScript(() => {
    window.violations = []
    document.addEventListener('securitypolicyviolation', (event) =>
      window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
    )
  })
  try {
    await page.goto(url + hash)
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

// Returns the violations of WCAG 2.1, levels A and AA, that axe finds.
export async function accessibilityViolations(page) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(readFileSync(AXE, 'utf8'))
  const { violations } = await page.evaluate((tags) => window.axe.run({ runOnly: { type: 'tag', values: tags } }), TAGS)
  return violations.map(
    (violation) =>
      `${violation.id}: ${violation.nodes
        .map((node) => `${node.html} ${node.failureSummary}`)
        .slice(0, 3)
        .join('; ')}`,
  )
}

// Returns what a click copies.
export async function copiedBy(page, click) {
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await click()
  for (let attempts = 0; attempts < 200; attempts++) {
    const text = await page.evaluate(() => navigator.clipboard.readText())
    if (text !== '') return text
    await page.waitForTimeout(25)
  }
  throw new Error('nothing was copied')
}
