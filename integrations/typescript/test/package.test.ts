// The archive for npm: publint and attw accept it, its links lead to the release, and its types reject wrong calls.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'

const HERE = new URL('../', import.meta.url)
const PACKAGE = new URL('node_modules/pg-passage/', HERE)
const { ARCHIVE, ROOT } = process.env as { ARCHIVE: string; ROOT: string }
const manifest = JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8'))

const run = promisify(execFile)
const node = (script: string, ...values: string[]) =>
  run(process.execPath, [new URL(script, HERE).pathname, ...values], { cwd: HERE })

test('publint has nothing to report', async () => {
  const { stdout } = await node('node_modules/publint/src/cli.js', 'run', ARCHIVE, '--strict')

  assert.match(stdout, /All good!/)
})

test('each entry resolves to its types in every resolution of modules that ESM has', async () => {
  const { stdout } = await node(
    'node_modules/@arethetypeswrong/cli/dist/index.js',
    ARCHIVE,
    '--profile',
    'esm-only',
    '--format',
    'json',
  )

  assert.deepEqual(Object.keys(manifest.exports), ['.', './drizzle', './langchain', './package.json'])
  const { analysis, problems } = JSON.parse(stdout)
  assert.equal(Object.keys(analysis.entrypoints).length, 4)
  // Resolutions of CommonJS, which the profile accepts.
  const resolutions = new Set(
    Object.values(problems as object)
      .flat()
      .map((problem) => problem.resolutionKind),
  )
  assert.deepEqual([...resolutions].sort(), ['node10', 'node16-cjs'])
})

test('the archive has its license and every file of an entry', () => {
  assert.equal(readFileSync(new URL('LICENSE', PACKAGE), 'utf8'), readFileSync(`${ROOT}/LICENSE`, 'utf8'))
  for (const entry of Object.values(manifest.exports).flatMap((paths) => Object.values(paths as object))) {
    if (entry.length > 1) assert(existsSync(new URL(entry, PACKAGE)), entry)
  }
  assert(!existsSync(new URL('test', PACKAGE)) && !existsSync(new URL('node_modules', PACKAGE)))
})

test('each link of the README is an address of a file of the release', () => {
  const release = `${manifest.homepage}/blob/v${manifest.version}/`
  const links = Array.from(readFileSync(new URL('README.md', PACKAGE), 'utf8').matchAll(/\]\((.*?)\)/g), ([, link]) => link!)

  assert(links.length > 0)
  for (const link of links) {
    assert(link.startsWith(release) && existsSync(`${ROOT}/${link.slice(release.length).split('#')[0]}`), link)
  }
})

test('the compiler rejects wrong arguments', async () => {
  const call = (text: string) => `import { Store } from 'pg-passage'\nexport const f = (store: Store) => store.${text}\n`
  const wrong = {
    "search('x', { maxFragments: 3 })": /'maxFragments' does not exist/,
    "search('x', { filter: { kind: 'poem' } })": /"poem"/,
    "search('x', { embedding: '[1,2]' })": /'string' is not assignable/,
    "reassemble('one id')": /'string' is not assignable/,
    "prompt([{ uri: 'a.md' }])": /'content' is missing/,
    "rate('x', 'id')": /Expected 3-4 arguments/,
    "searchHits('x').then((hits) => hits[0]!.chunk_id)": /'chunk_id' does not exist/,
  }
  for (const [text, message] of Object.entries(wrong)) {
    writeFileSync(new URL('wrong.mts', HERE), call(text))
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--skipLibCheck',
      '--ignoreConfig',
    ]
    const failed = node('node_modules/typescript/bin/tsc', ...options, 'wrong.mts')
    await assert.rejects(failed, (error: { stdout: string }) => (assert.match(error.stdout, message), true), text)
  }
})
