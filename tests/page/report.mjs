// The file of `passage context --html`: the same view, without a server.

import assert from 'node:assert/strict'
import { closeSync, lstatSync, openSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { CLIENT, environment, rows, run } from './environment.mjs'
import { copied, texts, withTab } from './tab.mjs'

// Writes the file of a chunk, and returns its path.
export async function writeReport(chunk, options = []) {
  const { folder } = await environment()
  const file = join(folder, `${chunk}.html`)
  assert.equal(run(CLIENT, ['context', chunk, '--html', file, ...options]), `wrote ${file}\n`)
  return file
}

test('the file shows what the page shows', async () => {
  const [chunk] = rows("SELECT id FROM rag.chunks WHERE section = '{Logging,Rotation}'")
  const selectors = ['h1', '.budget', '.tree', '.block pre', '.block .role', '.legend']
  let seen
  await withTab(
    async (page) => {
      seen = await Promise.all(selectors.map((selector) => texts(page, selector)))
    },
    { hash: `#/context?chunk=${chunk.id}&max_tokens=280` },
  )
  const file = await writeReport(chunk.id, ['--max-tokens', '280'])
  assert.doesNotMatch(readFileSync(file, 'utf8'), /(src|href)=/)
  await withTab(
    async (page) => {
      assert.deepEqual(await Promise.all(selectors.map((selector) => texts(page, selector))), seen)
      const statement = await copied(page, 'Copy as SQL')
      assert.equal(rows(statement)[0].content, await copied(page, 'Copy text'))
      await page.locator('.tree button').first().click()
      assert.match(await page.evaluate(() => document.activeElement.id), /^chunk-/)
    },
    { url: pathToFileURL(file).href },
  )
})

test('a file is replaced as a whole', async () => {
  const [chunk] = rows('SELECT id FROM rag.chunks LIMIT 1')
  const { folder } = await environment()
  const [file, link] = [join(folder, 'former.html'), join(folder, 'link.html')]
  writeFileSync(file, 'former', { mode: 0o640 })
  symlinkSync(file, link)
  const reader = openSync(file)
  run(CLIENT, ['context', chunk.id, '--html', link])
  // A reader of the former file sees no part of the new one.
  assert.equal(readFileSync(reader, 'utf8'), 'former')
  closeSync(reader)
  assert.match(readFileSync(file, 'utf8'), /^<!doctype html>[^]*<\/html>\n$/)
  assert.equal(statSync(file).mode & 0o777, 0o640)
  assert.ok(lstatSync(link).isSymbolicLink())
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('.')),
    [],
  )
  // A pipe stays one.
  const pipe = join(folder, 'pipe')
  const script = 'mkfifo "$1" && { cat "$1" > "$1.html" & "$2" context "$3" --html "$1"; wait; }'
  run('sh', ['-c', script, 'sh', pipe, CLIENT, chunk.id])
  assert.match(readFileSync(`${pipe}.html`, 'utf8'), /^<!doctype html>/)
})

test('a file that cannot be written is an error with a remedy', async () => {
  const [chunk] = rows('SELECT id FROM rag.chunks LIMIT 1')
  const { folder } = await environment()
  const file = join(folder, 'missing', 'context.html')
  assert.throws(
    () => run(CLIENT, ['context', chunk.id, '--html', file], { stdio: 'pipe' }),
    (error) =>
      error.stderr.includes(`cannot write to ${file}`) && error.stderr.includes('Name a file in a folder that exists'),
  )
})
