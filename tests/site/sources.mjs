// The pages that ground/docs/pages writes for mdBook, of a project with a few files.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from './site.mjs'

const FILES = {
  'README.md':
    '# Project\n\n[Docs](docs/README.md), [license](LICENSE), [packages](packages), [Python](integrations/python)\n',
  'CHANGELOG.md': '# Changes\n',
  LICENSE: 'Free.\n',
  'packages/compose.yaml': 'a: 1\n',
  'packages/notes.md': '```sh\nls\n```\n',
  'integrations/python/README.md': '# The package\n\n[Home](../../README.md#project)\n',
  'docs/SUMMARY.md': '# Summary\n\n[Documentation](README.md)\n\n- [Guide](guides/guide.md)\n',
  'docs/README.md': '# Documentation\n\n[Home](../README.md)\n',
  'docs/guides/guide.md':
    '# Guide\n\n![A picture](../pictures/a.svg) [Home](../../README.md) [here](#guide) [away](https://example.com/README.md)\n' +
    '`[code](nowhere.md)` [`code`](../README.md)\n\n```pgsql\nSELECT array[1](nowhere.md);\n```\n',
  'docs/pictures/a.svg': '<svg/>\n',
}

// Writes a project with changed files, and returns what the script makes of it.
function pagesOf(changes = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'passage-pages-'))
  for (const [name, text] of Object.entries({ ...FILES, ...changes })) {
    mkdirSync(join(folder, 'project', dirname(name)), { recursive: true })
    writeFileSync(join(folder, 'project', name), text)
  }
  const { status, stderr } = spawnSync(join(ROOT, 'ground/docs/pages'), ['project', 'pages'], {
    cwd: folder,
    encoding: 'utf8',
  })
  const written = status === 0 ? readdirSync(join(folder, 'pages'), { recursive: true }) : []
  const files = written.filter((name) => /\.\w+$/.test(name)).sort()
  const texts = Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, 'pages', name), 'utf8')]))
  rmSync(folder, { recursive: true })
  return { status, stderr, texts }
}

test('the site has the pages and the files to which they link, at the places of the project', () => {
  const { texts, stderr } = pagesOf()
  assert.equal(stderr, '')
  assert.deepEqual(Object.keys(texts), [
    'CHANGELOG.md',
    'SUMMARY.md',
    'docs/guides/guide.md',
    'docs/index.md',
    'docs/pictures/a.svg',
    'index.md',
    'integrations/python/index.md',
    'source/LICENSE.md',
    'source/packages.md',
  ])
  assert.equal(
    texts['SUMMARY.md'],
    '[pg_passage](index.md)\n\n[Documentation](docs/index.md)\n\n- [Guide](docs/guides/guide.md)\n' +
      '\n# Integrations\n\n- [The package](integrations/python/index.md)\n' +
      '\n# Project\n\n- [Changes](CHANGELOG.md)\n' +
      '\n# Files\n\n- [LICENSE](source/LICENSE.md)\n- [packages](source/packages.md)\n',
  )
})

test('links lead to pages of the site, and code stays unchanged', () => {
  const { texts } = pagesOf()
  assert.match(
    texts['index.md'],
    /\(docs\/index\.md\).*\(source\/LICENSE\.md\).*\(source\/packages\.md\).*\(integrations\/python\/index\.md\)/,
  )
  assert.match(texts['integrations/python/index.md'], /\(\.\.\/\.\.\/index\.md#project\)/)
  assert.equal(
    texts['docs/guides/guide.md'],
    '# Guide\n\n![A picture](../pictures/a.svg) [Home](../../index.md) [here](#guide) [away](https://example.com/README.md)\n' +
      '`[code](nowhere.md)` [`code`](../index.md)\n\n```sql\nSELECT array[1](nowhere.md);\n```\n',
  )
  assert.equal(
    texts['source/packages.md'],
    '# packages\n\n## compose.yaml\n\n```yaml\na: 1\n```\n\n## notes.md\n\n`````markdown\n```sh\nls\n```\n`````\n',
  )
})

test('a link to a missing file, and a page that the contents lack, stop the build', () => {
  for (const [changes, message] of [
    [
      { 'docs/guides/guide.md': '# Guide\n\n[x](old.md)\n' },
      'docs/guides/guide.md:3: the link to old.md leads to no file\n',
    ],
    [{ 'README.md': '# P\n<img src="docs/b.svg">\n' }, 'README.md:2: the link to docs/b.svg leads to no file\n'],
    [{ 'docs/new.md': '# New\n' }, 'docs/SUMMARY.md lacks docs/new.md\n'],
  ]) {
    const { status, stderr } = pagesOf(changes)
    assert.equal(stderr, message)
    assert.equal(status, 1)
  }
})
