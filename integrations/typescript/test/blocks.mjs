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
const given = `import { connection, embed } from './database.js'
Object.assign(process.env, { PGHOST: connection.host, PGPORT: String(connection.port), PGUSER: connection.user, PGDATABASE: connection.database })
`
const found = '[passages, reranked, byBoth, same, outline, found, words, documents]'
write(
    'readme',
    given,
    blocks(readFileSync(`${root}/integrations/typescript/README.md`, 'utf8')),
    `if (${found}.some((rows) => rows.length === 0)) throw new Error('a block found nothing')\nawait sql.end()\nawait pool.end()`,
)
const page = readFileSync(`${root}/docs/recipes/frameworks.md`, 'utf8')
write(
    'frameworks',
    `import { pool } from './database.js'\n`,
    blocks(page),
    `if (documents.length === 0) throw new Error('the block found nothing')`,
)
