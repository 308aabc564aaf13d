// Every kind of source, each opened for one function.

import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePostgres } from 'drizzle-orm/postgres-js'
import pg from 'pg'
import { fromDrizzle } from 'pg-passage/drizzle'
import { type Source } from 'pg-passage'
import postgres from 'postgres'
import { connection, pool } from './database.js'

type Use<Result> = (source: Source) => Promise<Result>

const sql = () => postgres({ ...connection, max: 2 })

/** Names each source, and passes it open to a function. */
export const SOURCES = {
  async 'pg Client'<Result>(use: Use<Result>) {
    const client = new pg.Client(connection)
    await client.connect()
    return use(client).finally(() => client.end())
  },
  'pg Pool': <Result>(use: Use<Result>) => use(pool),
  async 'pg PoolClient'<Result>(use: Use<Result>) {
    const client = await pool.connect()
    return use(client).finally(() => client.release())
  },
  async 'postgres.js'<Result>(use: Use<Result>) {
    const client = sql()
    return use(client).finally(() => client.end())
  },
  async 'postgres.js sql.begin'<Result>(use: Use<Result>) {
    const client = sql()
    return client.begin((transaction) => use(transaction)).finally(() => client.end()) as Promise<Result>
  },
  'Drizzle on pg': <Result>(use: Use<Result>) => use(fromDrizzle(drizzlePg({ client: pool }))),
  'Drizzle transaction on pg': <Result>(use: Use<Result>) =>
    drizzlePg({ client: pool }).transaction((transaction) => use(fromDrizzle(transaction))),
  async 'Drizzle on postgres.js'<Result>(use: Use<Result>) {
    const client = sql()
    return use(fromDrizzle(drizzlePostgres({ client }))).finally(() => client.end())
  },
  async 'Drizzle transaction on postgres.js'<Result>(use: Use<Result>) {
    const client = sql()
    const transaction = drizzlePostgres({ client }).transaction((transaction) => use(fromDrizzle(transaction)))
    return transaction.finally(() => client.end())
  },
  async 'a function'<Result>(use: Use<Result>) {
    return use(async (text, values) => (await pool.query({ text, values, rowMode: 'array' })).rows.map((row) => row[0]))
  },
}
