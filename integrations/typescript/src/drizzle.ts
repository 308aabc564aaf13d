/**
 * Lets a store use a database of Drizzle.
 *
 * @module
 */

import { type SQL, sql } from 'drizzle-orm'
import type { Execute } from './source.js'

/** A database of Drizzle for PostgreSQL, or the transaction that `db.transaction` passes to its function. */
export interface DrizzleSource {
  execute(query: SQL): PromiseLike<unknown>
}

/**
 * Returns a source for `Store` that executes in a database or a transaction of Drizzle.
 *
 * @example
 * const passages = await db.transaction((tx) => new Store(fromDrizzle(tx)).search('how do filters apply'))
 */
export function fromDrizzle(database: DrizzleSource): Execute {
  return async (text, values) => {
    const parts = text.split(/\$\d+/).map((part) => sql.raw(part))
    const query = sql.join(parts.flatMap((part, index) => (index ? [sql.param(values[index - 1]), part] : [part])))
    const result = (await database.execute(query)) as object[] | { rows: object[] }
    return (Array.isArray(result) ? result : result.rows).map((row: object) => Object.values(row)[0] as string | null)
  }
}
