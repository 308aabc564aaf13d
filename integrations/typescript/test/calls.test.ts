// Each function, through each driver, returns what SQL returns.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Passage, Store } from 'pg-passage'
import { column, embed, pool, QUESTION, rolledBack } from './database.js'
import { SOURCES } from './sources.js'

let ids: string[]
let documentId: string

before(async () => {
  const { rows } = await pool.query(
    `SELECT c.document_id, c.id FROM rag.chunks c JOIN rag.documents d ON d.id = c.document_id
     WHERE uri = 'docs/faq.md' AND ordinal IN (1, 2, 5) ORDER BY ordinal`,
  )
  ids = rows.map((row) => row.id)
  documentId = rows[0].document_id
})

/** A call of each method, and the same call in SQL with its parameters. */
const CALLS: Record<string, [call: (store: Store) => Promise<unknown>, sql: string, values: () => unknown[]]> = {
  search: [
    (store) =>
      store.search(QUESTION, {
        embedding: embed(QUESTION),
        maxPassages: 3,
        limits: { parents: 1 },
        filter: { collection: 'docs' },
      }),
    `search($1, $2::real[], max_passages => 3, limits => '{"parents": 1}', filter => '{"collection": "docs"}')`,
    () => [QUESTION, embed(QUESTION)],
  ],
  searchHits: [
    (store) =>
      store.searchHits(QUESTION, {
        embedding: Float32Array.from(embed(QUESTION)),
        maxHits: 7,
        filter: { kind: ['prose', 'code'], mediaType: 'text/*', metadata: { team: 'docs' } },
        ranking: { vectorWeight: 2, rrfK: 60 },
      }),
    `search_hits($1, $2::real[], max_hits => 7, ranking => '{"vector_weight": 2, "rrf_k": 60}',
      filter => '{"kind": ["prose", "code"], "media_type": "text/*", "metadata": {"team": "docs"}}')`,
    () => [QUESTION, embed(QUESTION)],
  ],
  fragments: [
    (store) =>
      store.fragments(QUESTION, { uri: 'docs/guides/security.md', maxFragments: 3, returnFull: false, fuzzyThreshold: 0.9 }),
    `fragments($1, uri => 'docs/guides/security.md', max_fragments => 3, return_full => false, fuzzy_threshold => 0.9)`,
    () => [QUESTION],
  ],
  reassemble: [
    (store) =>
      store.reassemble(ids, {
        scores: [3, null, 1.5],
        maxTokens: 900,
        output: { maxDistance: 'document' },
        ranking: { scoreBy: 'sum' },
      }),
    `reassemble($1, '{3,NULL,1.5}', max_tokens => 900, output => '{"max_distance": "document"}', ranking => '{"score_by": "sum"}')`,
    () => [ids],
  ],
  'reassemble with reasons': [
    (store) => store.reassemble(ids, { skip: [ids[1]!], output: { explain: true, marks: ['>"\\', '<'] } }),
    `reassemble($1, skip => $2, output => '{"explain": true, "marks": [">\\"\\\\", "<"]}')`,
    () => [ids, [ids[1]]],
  ],
  expandContext: [
    (store) =>
      store.expandContext(ids[0]!, { strategy: 'reassembly', limits: { windows: { prose: 1, 'api-reference': 2 } } }),
    `expand_context($1, 'reassembly', limits => '{"windows": {"prose": 1, "api-reference": 2}}')`,
    () => [ids[0]],
  ],
  expandContexts: [
    (store) =>
      store.expandContexts(ids, { scores: [Infinity, -Infinity, null], limits: { parents: 1, after: 1, threshold: 0.25 } }),
    `expand_contexts($1, '{Infinity,-Infinity,NULL}', limits => '{"parents": 1, "after": 1, "threshold": 0.25}')`,
    () => [ids],
  ],
  assemble: [
    (store) => store.assemble(documentId, ids, { separator: '\n[...]\n' }),
    `assemble($1, $2, E'\\n[...]\\n')`,
    () => [documentId, ids],
  ],
  outline: [
    (store) => store.outline('docs/faq.md', { collection: 'docs', hitIds: ids }),
    `outline('docs/faq.md', 'docs', hit_ids => $1)`,
    () => [ids],
  ],
  similar: [
    (store) => store.similar({ chunkId: ids[0]!, maxHits: 4, filter: { collection: 'docs' }, ranking: { mode: 'text' } }),
    `similar($1, max_hits => 4, filter => '{"collection": "docs"}', ranking => '{"mode": "text"}')`,
    () => [ids[0]],
  ],
  'similar documents': [
    (store) => store.similar({ documentId, maxHits: 2 }),
    `similar(document_id => $1, max_hits => 2)`,
    () => [documentId],
  ],
  'similar by links': [
    (store) => store.similar({ documentId, by: 'links' }),
    `similar(document_id => $1, by => 'links')`,
    () => [documentId],
  ],
  links: [(store) => store.links({ documentId }), `links(document_id => $1)`, () => [documentId]],
  backlinks: [
    (store) => store.backlinks({ uri: 'docs/guides/security.md' }),
    `backlinks(uri => 'docs/guides/security.md')`,
    () => [],
  ],
  prompt: [
    async (store) => store.prompt(await store.search(QUESTION, { maxPassages: 3 }), { bestAt: 'both_ends', firstNumber: 2 }),
    `prompt((SELECT jsonb_agg(p ORDER BY rank) FROM passage.search($1, max_passages => 3) AS p), 'both_ends', 2)`,
    () => [QUESTION],
  ],
  checkCitations: [
    async (store) => store.checkCitations(ANSWER, (await store.prompt(await store.search(QUESTION))).sources),
    `check_citations($1, (SELECT sources FROM passage.prompt((
      SELECT jsonb_agg(p ORDER BY rank) FROM passage.search($2) AS p))))`,
    () => [ANSWER, QUESTION],
  ],
}

// An answer that cites two sources, and one that does not exist.
const ANSWER = 'Policies hide rows [1, 2]. So do roles [99], see `list[3]`.'

/** Returns rows as `to_jsonb` does: this inverts what the package does, apart from it. */
function asJson(value: unknown, verbatim = false): unknown {
  if (Array.isArray(value)) return value.map((item) => asJson(item, verbatim))
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (value === null || typeof value !== 'object' || verbatim) return value
  if (Object.keys(value).join() === 'start,end') return `[${Object.values(value).join()})`
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      asJson(item, name === 'metadata'),
    ]),
  )
}

for (const [source, open] of Object.entries(SOURCES)) {
  for (const [name, [call, sql, values]] of Object.entries(CALLS)) {
    test(`${name} through ${source} returns the rows of SQL`, async () => {
      const expected = await column(`SELECT to_jsonb(p) FROM passage.${sql} AS p`, values())
      assert(expected.length > 0)

      const found = await open((source) => call(new Store(source, { name: 'rag' })))

      assert.deepEqual(asJson(Array.isArray(found) ? found : [found]), expected)
    })
  }
}

test('values have the types that the package declares', async () => {
  const [passage] = await new Store(pool).search(QUESTION, { embedding: embed(QUESTION), output: { explain: true } })
  const { score, chunkIds, spans, citations, metadata, truncated, section, explanation } = passage as Passage

  assert.equal(typeof score, 'number')
  assert.match(chunkIds[0]!, /^[0-9a-f-]{36}$/)
  assert(Number.isInteger(spans![0]!.start) && spans![0]!.end > spans![0]!.start)
  assert.equal(citations[0]!.chunkId, chunkIds[0])
  assert.deepEqual(metadata, { team: 'docs' })
  assert.equal(typeof truncated, 'boolean')
  assert.equal(typeof section![0], 'string')
  assert.equal(typeof explanation![0]!.tokensSoFar, 'number')
})

test('infinite scores are numbers', async () => {
  const chunks = await new Store(pool).expandContexts(ids, { scores: [Infinity, -Infinity, 1] })

  const scores = new Map(chunks.filter((chunk) => chunk.role === 'hit').map((chunk) => [chunk.chunkId, chunk.score]))
  assert.deepEqual(
    scores,
    new Map([
      [ids[0]!, Infinity],
      [ids[1]!, -Infinity],
      [ids[2]!, 1],
    ]),
  )
})

test('unknown ids give nothing, and an empty list is a list', async () => {
  const store = new Store(pool)
  const unknown = '00000000-0000-8000-8000-000000000000'

  assert.deepEqual(await store.expandContext(unknown), [])
  assert.deepEqual(await store.reassemble([]), [])
  assert.deepEqual(await store.reassemble([...ids, unknown]), await store.reassemble(ids))
  assert.equal(await store.assemble(unknown, ids), null)
})

test('a prompt takes rows, stored rows and texts', async () => {
  const store = new Store(pool)
  const passages = await store.search(QUESTION, { maxPassages: 2 })
  const stored = await column<{ content: string }>('SELECT to_jsonb(p) FROM passage.search($1, max_passages => 2) AS p', [
    QUESTION,
  ])
  const expected = await store.prompt(passages)
  const [fragment] = await store.fragments(QUESTION)

  assert.deepEqual(await store.prompt(JSON.parse(JSON.stringify(passages))), expected)
  assert.deepEqual(await store.prompt(stored), expected)
  assert.equal((await store.prompt([fragment!])).sources[0]!.uri, fragment!.uri)
  assert.equal((await store.prompt([{ content: 'A text of my own.' }])).prompt, '[1] (no uri)\n```\nA text of my own.\n```')
  assert.deepEqual(await store.prompt([]), { prompt: '', sources: [] })
  assert.deepEqual(await store.checkCitations('Nothing is cited.', []), [])
  const kept = JSON.parse(JSON.stringify(expected.sources))
  assert.deepEqual((await store.checkCitations('', kept))[0]!.source, expected.sources[0])
})

test('a source of a prompt has the pages of its citations', async () => {
  const store = new Store(pool)
  const [passage] = await store.search(QUESTION, { maxPassages: 1 })
  const citations = passage!.citations.map((citation) => ({ ...citation, page: 3, lastPage: 4 }))

  const { sources } = await store.prompt([{ ...passage!, score: Infinity, citations }])

  assert.equal(sources[0]!.label, `${passage!.uri}, pages 3-4`)
})

test('metadata keeps the names of its keys', async () => {
  const metadata = { snake_case: { inner_key: 1 }, camelCase: null, _private: [1.5] }
  await rolledBack(async (client) => {
    await client.query("SELECT passage.ingest('draft.md', 'A zebra in a draft.', metadata => $1)", [metadata])

    const [passage] = await new Store(client).search('zebra', { filter: { metadata: { snake_case: { inner_key: 1 } } } })

    assert.deepEqual(passage!.metadata, metadata)
  })
})

test('a group may also have the names of SQL', async () => {
  const stored = JSON.parse('{"media_type": "text/markdown", "min_similarity": -1}')
  const embedding = embed(QUESTION)

  assert.deepEqual(
    await new Store(pool).searchHits(null, { embedding, filter: stored }),
    await new Store(pool).searchHits(null, { embedding, filter: { mediaType: 'text/markdown', minSimilarity: -1 } }),
  )
})

test('an unknown argument is a TypeError that lists the known ones, and never SQL', async () => {
  for (const name of ['maxPassages', '"; DROP SCHEMA rag; --', 'a => 1', 'store) --', 'constructor']) {
    await assert.rejects(new Store(pool).searchHits('filters', { [name]: 1 }), {
      name: 'TypeError',
      message: /^searchHits has no argument ".*"; it has .*maxHits/,
    })
  }
})

test('text in ids never becomes another array', async () => {
  for (const id of [`${ids[0]}","${ids[1]}`, `${ids[0]},${ids[1]}`, '{', 'NULL', '\\', '"']) {
    await assert.rejects(new Store(pool).reassemble([id]), { code: '22P02' })
  }
})
