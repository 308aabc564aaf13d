// Arguments, columns and words are those of the extension. A new one in SQL fails here.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Store } from 'pg-passage'
import { column, pool, QUESTION } from './database.js'
import { properties, required, words } from './declarations.js'

const dist = (file: string) => import(new URL(`../node_modules/pg-passage/dist/${file}.js`, import.meta.url).href)
const { ARGUMENTS } = (await dist('arguments')) as { ARGUMENTS: Record<string, Record<string, string>> }
const { fromSql, toSql } = (await dist('names')) as Record<'fromSql' | 'toSql', (name: string) => string>

const ROWS: Record<string, string> = {
  search: 'Passage',
  search_hits: 'Hit',
  fragments: 'Fragment',
  reassemble: 'Passage',
  expand_context: 'ContextChunk',
  expand_contexts: 'ContextChunk',
  explain_context: 'Explanation',
  outline: 'OutlineSection',
  similar: 'Hit',
  links: 'Link',
  backlinks: 'Link',
  prompt: 'Prompt',
  check_citations: 'CheckedCitation',
}

// Functions of SQL that the packages leave out, by the reason.
const LEFT_OUT: Record<string, string[]> = JSON.parse(
  readFileSync(`${process.env.ROOT}/tests/interop/left_out.json`, 'utf8'),
)

test('every function of the extension is known, or left out for a reason', async () => {
  const functions = await column<string>(
    "SELECT DISTINCT proname::text FROM pg_proc WHERE pronamespace = 'passage'::regnamespace",
  )

  assert.deepEqual([...Object.keys(ARGUMENTS).map(toSql), ...Object.values(LEFT_OUT).flat()].sort(), functions.sort())
})

test('every function that is known is a method and in the README', () => {
  const methods = Object.getOwnPropertyNames(Store.prototype).filter((name) => name !== 'constructor')
  const readme = readFileSync(new URL('../node_modules/pg-passage/README.md', import.meta.url), 'utf8')
  const first = Array.from(readme.matchAll(/^\| (`.*?) \|/gm), ([, cell]) => cell!).join()
  const listed = Array.from(first.matchAll(/`(\w+)`/g), ([, name]) => name!)

  assert.deepEqual(methods.sort(), Object.keys(ARGUMENTS).sort())
  for (const method of methods) assert(listed.includes(method), method)
})

// A function without a table of results has no proallargtypes. The package calls the first overload of `outline`.
async function declared(name: string, mode: 'i' | 't'): Promise<[name: string, type: string][]> {
  const text = `
    SELECT json_agg(json_build_array(name, format_type(type, NULL)) ORDER BY position)
    FROM pg_proc,
      unnest(proargnames, coalesce(proallargtypes, proargtypes::oid[]), proargmodes) WITH ORDINALITY AS a (name, type, mode, position)
    WHERE pronamespace = 'passage'::regnamespace AND proname = $1 AND coalesce(mode, 'i') = $2
    GROUP BY pg_proc.oid ORDER BY pg_proc.oid LIMIT 1`
  const [found] = await column<[string, string][]>(text, [name, mode])
  assert(found, name)
  return found
}

for (const [name, types] of Object.entries(ARGUMENTS)) {
  test(`every argument of ${name} has the type of the extension`, async () => {
    const ours = Object.entries(types).map(([argument, type]) => [toSql(argument), type.replace('pg_catalog.', '')])

    assert.deepEqual(new Map(ours as [string, string][]), new Map(await declared(toSql(name), 'i')))
  })
}

for (const [name, row] of Object.entries(ROWS)) {
  test(`every column of ${name} is a property of ${row}`, async () => {
    const columns = (await declared(name, 't')).map(([column]) => fromSql(column))

    assert.deepEqual([...properties('rows', row).keys()], columns)
  })
}

for (const group of ['Filter', 'Limits', 'Ranking', 'Output']) {
  test(`every key of ${group} is known`, async () => {
    const keys = (await declared(group.toLowerCase(), 'i')).map(([key]) => fromSql(key))

    assert.deepEqual([...properties('groups', group).keys()], keys)
  })
}

/** Arguments and the words that their lines of a COMMENT list at the end, such as `x: what it is; one, two or three`. */
async function listed(name: string): Promise<Record<string, string[]>> {
  const [comment] = await column<string>(
    "SELECT obj_description(oid) FROM pg_proc WHERE proname = $1 AND pronamespace = 'passage'::regnamespace",
    [name],
  )
  const line = /^(\w+): (?:.*?[;:] |)((?:[\w-]+, )*[\w-]+ or [\w-]+)(?:, \w+ by default)?(?:; in JSON also a list)?$/gm
  return Object.fromEntries(
    Array.from(comment!.matchAll(line), ([, key, list]) => [fromSql(key!), list!.split(/, | or /).sort()]),
  )
}

for (const [name, file] of [
  ['Filter', 'groups'],
  ['Limits', 'groups'],
  ['Ranking', 'groups'],
  ['Output', 'groups'],
  ['FragmentsOptions', 'arguments'],
] as const) {
  test(`every word that a property of ${name} accepts is known`, async () => {
    const ours = Object.fromEntries([...properties(file, name)].map(([key, type]) => [key, words(file, type)]))
    // Names of kinds as keys, and the one number that may also be a word.
    delete ours.windows
    if (name === 'Output') assert.deepEqual(ours.maxDistance, ['document'])
    delete ours.maxDistance

    const some = Object.fromEntries(Object.entries(ours).filter(([, list]) => list.length > 0))
    assert.deepEqual(some, await listed(name.replace('Options', '').toLowerCase()))
  })
}

test('every word that the hint of an error lists is known', async () => {
  const store = new Store(pool)
  const [chunkId] = await column<string>('SELECT id FROM rag.chunks LIMIT 1')
  for (const [options, property, call] of [
    ['PromptOptions', 'bestAt', () => store.prompt([], { bestAt: 'end' as 'start' })],
    ['SimilarOptions', 'by', () => store.similar({ chunkId: chunkId!, by: 'words' as 'links' })],
  ] as const) {
    await assert.rejects(call(), ({ hint }: { hint: string }) => {
      const listed = Array.from(hint.matchAll(/"(.*?)"/g), ([, word]) => word!)
      assert.deepEqual(words('arguments', properties('arguments', options).get(property)!), listed.sort())
      return true
    })
  }
})

test('every preset of the extension is known', async () => {
  const presets = await column<string>('SELECT name FROM passage.strategies() WHERE base IS NULL')

  assert.deepEqual(words('arguments', 'Strategy'), presets.sort())
})

test('the objects in jsonb have the properties of their types', async () => {
  const store = new Store(pool)
  const [passage] = await store.search(QUESTION, { output: { explain: true } })
  const fragments = await store.fragments(QUESTION, { maxFragments: 20 })
  const related = fragments.flatMap((fragment) => fragment.related)

  for (const [row, objects] of Object.entries({
    Citation: passage!.citations,
    Explanation: passage!.explanation!,
    Related: related,
  })) {
    assert(objects.length > 0, row)
    // The documents of these tests are not converted, so their chunks have no place.
    const names = required('rows', row)
    for (const object of objects) assert.deepEqual(Object.keys(object).sort(), names)
  }
  const [source] = (await store.prompt([passage!])).sources
  const known = [...properties('rows', 'PromptSource').keys()]
  for (const name of Object.keys(source!)) assert(known.includes(name), name)
  for (const name of required('rows', 'PromptSource')) assert(Object.hasOwn(source!, name), name)
  const relations = new Set(related.map((chunk) => chunk.relation))
  for (const relation of relations) assert(words('rows', properties('rows', 'Related').get('relation')!).includes(relation))
})
