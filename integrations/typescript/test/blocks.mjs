// Writes the blocks of documentation as tests: those of the README as one module, as a reader runs them in one session,
// and the one of LangChain.js in docs/recipes/frameworks.md.
//
//   node blocks.mjs ROOT

import { readFileSync, writeFileSync } from 'node:fs'

const root = process.argv[2]

/** Returns the blocks of TypeScript in a text. */
const blocks = (text) => Array.from(text.matchAll(/```ts\n(.*?)```/gs), ([, block]) => block)

function write(name, imports, found, last) {
  if (found.length === 0) throw new Error(`${name} has no block`)
  writeFileSync(new URL(`${name}.test.ts`, import.meta.url), [imports, ...found, last, ''].join('\n'))
}

// pg reads DATABASE_URL, and postgres.js the variables of libpq.
const variables = `Object.assign(process.env, { PGHOST: connection.host, PGPORT: String(connection.port), PGUSER: connection.user, PGDATABASE: connection.database })
`
const given = `import { connection, embed as known } from './database.js'
${variables}const lines: string[] = []
console.log = (...values: unknown[]) => void lines.push(values.join(' '))
// In place of \`passage serve\`, whose model these tests do not need: the embeddings in the database are not of a model.
globalThis.fetch = async (_url, request) =>
  Response.json({ data: [{ embedding: known(JSON.parse(request!.body as string).input) }] })
`
const readme = blocks(readFileSync(`${root}/integrations/typescript/README.md`, 'utf8'))
// A comment after console.log shows what it prints.
const shown = Array.from(readme.join('').matchAll(/console\.log\(.*\) \/\/ (.*)/g), ([, comment]) => comment)
if (shown.length === 0) throw new Error('the README shows no output')
const checked = `
for (const line of ${JSON.stringify(shown)}) if (!lines.includes(line)) throw new Error('not printed: ' + line)
const results = [passages, reranked, byBoth, same, sources, prompt, learned, outline, found, words, documents]
if (results.some((rows) => rows.length === 0)) throw new Error('a block found nothing')
await sql.end()
await pool.end()`
write('readme', given, readme, checked)

const page = blocks(readFileSync(`${root}/docs/recipes/frameworks.md`, 'utf8'))
write(
  'frameworks',
  `import { connection } from './database.js'\n${variables}`,
  page,
  `if (documents.length === 0) throw new Error('the block found nothing')\nawait pool.end()`,
)
