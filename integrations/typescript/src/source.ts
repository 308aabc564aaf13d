// The connections that a store can use, described by what it calls: no driver is imported.

/** Executes a statement with parameters `$1`, `$2`, which are text, and returns the first column of each row. */
export type Execute = (text: string, values: (string | null)[]) => PromiseLike<readonly (string | null)[]>

interface PgQuery {
  text: string
  values: (string | null)[]
  rowMode: 'array'
  types: { getTypeParser(): (value: string) => string }
}

/** A `Client`, `PoolClient` or `Pool` of pg. */
export interface PgSource {
  query(query: PgQuery): Promise<{ rows: unknown[][] }>
}

/** `sql` of postgres.js, or the `sql` that `sql.begin` passes to its function. */
export interface PostgresSource {
  unsafe(text: string, values: (string | null)[]): { values(): PromiseLike<unknown[][]> }
}

/** A connection of pg or postgres.js, `fromDrizzle(db)`, or a function that executes statements with another driver. */
export type Source = PgSource | PostgresSource | Execute

// A parser that the caller registered for text would change a row.
const types = { getTypeParser: () => (value: string) => value }

/** Returns the function that executes statements of a source. */
export function executor(source: Source): Execute {
  // `sql` of postgres.js is also a function.
  if ('unsafe' in source) {
    return async (text, values) => column(await source.unsafe(text, values).values())
  }
  if (typeof source === 'function') return source
  // The object `query` of Drizzle is not a function.
  if (typeof source.query === 'function') {
    return async (text, values) => column((await source.query({ text, values, rowMode: 'array', types })).rows)
  }
  throw new TypeError('a store needs a Client or Pool of pg, sql of postgres.js, fromDrizzle(db) or a function')
}

function column(rows: unknown[][]): (string | null)[] {
  return rows.map((row) => row[0] as string | null)
}
