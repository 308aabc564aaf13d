// The report of an evaluation: figures, the worst questions, and the way from them to documents.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { accessibilityViolations } from './browser.mjs'
import { CLIENT, environment, run, startServer } from './environment.mjs'
import { show, shown, texts, withTab } from './tab.mjs'

const QUESTIONS = [
  {
    name: 'deleted',
    query: 'when are old log files deleted?',
    wanted: [{ text: 'They are deleted after a year, unless the legal team requests a longer period.' }],
  },
  {
    query: 'rotate the log <b onclick=executed=1>drill</b>',
    wanted: [{ uri: 'handbook/backup.md', lines: [18, 19] }],
    filter: { collection: 'tools' },
  },
  { query: 'rotate', wanted: [{ uri: 'handbook/nowhere.md' }] },
]

// Writes a report of the store, with a question that fails, and returns its path.
export async function writeEvaluation() {
  const { folder } = await environment()
  const questions = join(folder, 'questions.jsonl')
  writeFileSync(questions, QUESTIONS.map((question) => JSON.stringify(question)).join('\n'))
  const report = join(folder, 'report.json')
  const modes = ['--mode', 'text', '--mode', 'hybrid', '--strategy', 'none', '--budget', '100,1000']
  // The exit code is 1, because a question has no result.
  const command = `"$0" "$@" >'${report}' 2>/dev/null || [ $? = 1 ]`
  run('sh', ['-c', command, CLIENT, 'eval', questions, '--json', ...modes])
  return report
}

test('a report shows its figures, the worst questions and what came instead', async () => {
  const { url, stop } = await startServer({}, ['--eval', await writeEvaluation()])
  try {
    await withTab(
      async (page) => {
        assert.ok(await page.getByRole('link', { name: 'Evaluation' }).isVisible())
        assert.deepEqual(await texts(page, '.figures caption'), ['100 tokens', '1,000 tokens'])
        assert.deepEqual(await texts(page, '.figures tbody th'), [
          'text, none',
          'hybrid, none',
          'text, none',
          'hybrid, none',
        ])
        assert.match((await texts(page, '.figures tbody tr:nth-child(2) td:last-child'))[0], /^[+−]0\.\d{3} \(|^same$/)
        // The question that looks in another collection finds nothing that is wanted.
        const [worst] = await texts(page, '.card')
        assert.match(worst, /^0\.000rotate the log <b onclick=executed=1>drill<\/b>/)
        assert.match(worst, /Wantedhandbook\/backup\.md:18-19/)
        assert.match(worst, /Came.*tools\//)
        assert.match((await texts(page, '.errors')).join(), /rotate.*no document has the uri "handbook\/nowhere\.md"/)
        assert.equal(await page.evaluate(() => globalThis.executed), undefined)
        assert.deepEqual(await accessibilityViolations(page), [])

        await page.getByLabel('Configuration').selectOption('text, none')
        await page.waitForFunction(() => location.hash.includes('configuration=0'))
        await page.getByLabel('Token budget').selectOption('100')
        await page.waitForFunction(() => location.hash.includes('budget=100'))
        await page.waitForSelector('.card')
        assert.equal(await page.getByLabel('Configuration').inputValue(), '0')

        // The wanted document and the passage that came open in the views of documents and chunks.
        await page.getByRole('button', { name: 'handbook/backup.md:18-19' }).click()
        await shown(page)
        assert.match(await page.locator('.view-head').textContent(), /handbook\/backup\.md/)
        await show(page, '#/evaluation?configuration=1&budget=1000')
        await page.locator('.card .came a').first().click()
        await shown(page)
        assert.match(page.url(), /#\/context\?chunk=/)
      },
      { url, hash: '#/evaluation' },
    )
  } finally {
    stop()
  }
})

test('a report of another store has no links, and a server without a report does not show the view', async () => {
  await withTab(
    async (page) => {
      assert.equal(await page.locator('nav [data-view="evaluation"]').isVisible(), false)
      await show(page, '#/evaluation')
      assert.match(await page.locator('main').textContent(), /has no report of an evaluation/)
    },
    { expected: [/status of 404/] },
  )
  run(CLIENT, ['init', '--store', 'empty', '--no-embed'], { stdio: 'ignore' })
  const { url, stop } = await startServer({}, ['--store', 'empty', '--no-embed', '--eval', await writeEvaluation()])
  try {
    await withTab(
      async (page) => {
        assert.match(await page.locator('.message').textContent(), /reads the store empty/)
        assert.equal(await page.locator('.card a, .card button').count(), 0)
        assert.ok((await page.locator('.came li').count()) > 0)
      },
      { url, hash: '#/evaluation' },
    )
  } finally {
    stop()
  }
})
