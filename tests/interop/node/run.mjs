// Runs a block of docs/recipes/drivers.md with a driver, and prints as JSON what arrived.
//
//   node run.mjs DRIVER <{"block": ..., "embedding": ..., "connection": {...}}

import { readFileSync } from 'node:fs'
import { drizzle } from 'drizzle-orm/node-postgres'
import { sql as drizzleSql } from 'drizzle-orm'
import pg from 'pg'
import postgres from 'postgres'

const { block, embedding, connection } = JSON.parse(readFileSync(0, 'utf8'))
const question = 'How do filters apply?'
const columns = 'section, chunk_ids, spans, citations, tokens'

// Each driver: the names that its block uses, a query with one array, and how it closes.
const drivers = {
  async 'node-postgres'() {
    const client = new pg.Client(connection)
    await client.connect()
    const query = async (text, values) => (await client.query(text, values)).rows
    return { names: { client }, query, close: () => client.end() }
  },
  async 'postgres.js'() {
    const { host, port, user, database } = connection
    const sql = postgres({ path: `${host}/.s.PGSQL.${port}`, user, database })
    return { names: { sql }, query: (text, values) => sql.unsafe(text, values), close: () => sql.end() }
  },
  async Drizzle() {
    const db = drizzle({ connection })
    // `$1` of the text becomes a parameter.
    const query = async (text, [value]) => {
      const [before, after] = text.split('$1')
      const { raw, param } = drizzleSql
      return (await db.execute(drizzleSql`${raw(before)}${param(value)}${raw(after)}`)).rows
    }
    return { names: { db, sql: drizzleSql }, query, close: () => db.$client.end() }
  },
}

function describe(value) {
  if (Array.isArray(value) && typeof value[0] !== 'object') return `Array of ${describe(value[0])}`
  return value.constructor.name
}

async function outcome(promise) {
  try {
    return (await promise)[0].n
  } catch (error) {
    return String(error.cause?.message ?? error.message)
  }
}

const { names, query, close } = await drivers[process.argv[2]]()
const AsyncFunction = (async () => {}).constructor
const run = new AsyncFunction(...Object.keys(names), 'embedding', `${block}\nreturn { rows, passages: passages.rows ?? passages }`)
const { rows, passages } = await run(...Object.values(names), embedding)

const [row] = await query(`SELECT ${columns} FROM passage.search($1::text, max_passages => 1)`, [question])
const count = (cast, value) => outcome(query(`SELECT count(*)::int AS n FROM passage.search_hits(embedding => $1${cast})`, [value]))
const nearest = await query('SELECT chunk_id FROM rag.embeddings ORDER BY embedding <=> $1::real[]::vector LIMIT 1', [embedding])
const scores = await query("SELECT count(*)::int AS n FROM passage.reassemble(ARRAY(SELECT chunk_id FROM passage.search_hits('filters', max_hits => 2)), $1::double precision[])", [[2, 1.5]])
console.log(
  JSON.stringify({
    rows: rows.length,
    passages: passages.length,
    types: Object.values(row).map(describe),
    nearest: nearest.length,
    scores: scores[0].n,
    array_as_real: await count('::real[]', embedding),
    array_as_vector: await count('::vector', embedding),
    text_as_real: await count('::real[]', JSON.stringify(embedding)),
    text_as_vector: await count('::vector', JSON.stringify(embedding)),
    text_as_both: await count('::vector::real[]', JSON.stringify(embedding)),
  }),
)
await close()
