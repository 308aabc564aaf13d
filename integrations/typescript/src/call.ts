// A call of an SQL function: its statement with parameters, and its result.

import { ARGUMENTS, type FunctionName } from './arguments.js'
import { fromSql, mapKeys, toSql } from './names.js'

export interface Statement {
  text: string
  values: (string | null)[]
}

/**
 * Returns the statement that calls a function. Absent arguments keep their default in SQL; null is NULL.
 *
 * Each driver has its own types for arrays, ranges, JSON and ids, and its users can replace them. So every parameter and
 * the only column are text, which all drivers pass through. PostgreSQL converts them: `'{0.5,2}'::text::real[]`.
 */
export function statement(name: FunctionName, values: object): Statement {
  const types: Record<string, string> = ARGUMENTS[name]
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  for (const [argument] of given) {
    if (!Object.hasOwn(types, argument)) {
      throw new TypeError(`${name} has no argument "${argument}"; it has ${Object.keys(types).sort().join(', ')}`)
    }
  }
  const list = given.map(([argument], index) => `${toSql(argument)} => $${index + 1}::pg_catalog.text::${types[argument]}`)
  return {
    text: `SELECT pg_catalog.to_jsonb(p)::pg_catalog.text FROM passage.${toSql(name)}(${list.join(', ')}) AS p`,
    values: given.map(([argument, value]) => encode(value, types[argument]!)),
  }
}

function encode(value: unknown, type: string): string | null {
  if (value === null) return null
  if (type.endsWith('[]')) return `{${Array.from(value as ArrayLike<unknown>, element).join(',')}}`
  if (type !== 'pg_catalog.jsonb') return String(value)
  return JSON.stringify(Array.isArray(value) ? value.map(row) : mapKeys(value as object, toSql))
}

/** Returns a row, or an object in its place, with the names of SQL. */
function row(value: object): object {
  const columns = mapKeys(value, toSql)
  const { citations } = columns
  return Array.isArray(citations)
    ? { ...columns, citations: citations.map((citation) => mapKeys(citation, toSql)) }
    : columns
}

function element(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  return typeof value === 'number' ? String(value) : `"${String(value).replace(/["\\]/g, '\\$&')}"`
}

// JSON has no infinite numbers: PostgreSQL writes them as text.
const number = (value: unknown) => (typeof value === 'string' ? Number(value) : value)
const span = (text: string) => {
  const [start, end] = text.slice(1, -1).split(',').map(Number) // '[0,82)'
  return { start, end }
}
const object = (value: object) => mapKeys(value, fromSql)

/** The columns whose value is not that of JSON. The keys of `metadata` are those of the user. */
const READ: Record<string, (value: never) => unknown> = {
  score: number,
  decayedScore: number,
  vectorScore: number,
  textScore: number,
  signals: object,
  spans: (spans: string[]) => spans.map(span),
  citations: (citations: object[]) => citations.map(object),
  explanation: (chunks: object[]) => chunks.map(object),
  related: (chunks: object[]) => chunks.map(object),
  sources: (sources: object[]) => sources.map(object),
  source: object,
}

/** Returns a row of its JSON. */
export function read(text: string): unknown {
  const columns = object(JSON.parse(text) as object)
  for (const [name, convert] of Object.entries(READ)) {
    const value = columns[name]
    if (value !== null && value !== undefined) columns[name] = convert(value as never)
  }
  return columns
}
