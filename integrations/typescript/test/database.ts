// The database of DATABASE_URL, where `tests/interop/documents.py` has written the store `rag`, and its embeddings of
// questions, which EMBEDDINGS names.

import { readFileSync } from 'node:fs'
import { after } from 'node:test'
import pg from 'pg'

const embeddings = JSON.parse(readFileSync(process.env.EMBEDDINGS!, 'utf8')) as Record<string, number[]>

export const QUESTION = 'how do filters and row-level security work together'

/** Returns the embedding of a question that the tests know. */
export function embed(question: string): number[] {
  const embedding = embeddings[question]
  if (!embedding) throw new Error(`EMBEDDINGS lacks "${question}"`)
  return embedding
}

const { searchParams: options, pathname } = new URL(process.env.DATABASE_URL!)

/** The connection as both drivers take it. */
export const connection = {
  host: options.get('host')!,
  port: Number(options.get('port')),
  user: options.get('user')!,
  database: pathname.slice(1),
}

/** A pool that a test file may use, and that is closed after its tests. */
export const pool = new pg.Pool(connection)
after(() => pool.end())

/** Calls a function with a connection in a transaction, which is rolled back. */
export async function rolledBack(use: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await use(client)
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}

/** Returns the first column of each row. */
export async function column<Value>(text: string, values: unknown[] = []): Promise<Value[]> {
  const { rows } = await pool.query({ text, values, rowMode: 'array' })
  return rows.map((row: unknown[]) => row[0] as Value)
}
