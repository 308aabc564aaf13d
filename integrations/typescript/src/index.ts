/**
 * Typed calls of the PostgreSQL extension pg_passage.
 *
 * `Store` calls the functions of the schema `passage` through pg or postgres.js, and through Drizzle with `fromDrizzle` of
 * `pg-passage/drizzle`. `pg-passage/langchain` has a retriever.
 *
 * @module
 */

export type {
  AssembleOptions,
  Embedding,
  ExpandContextOptions,
  ExpandContextsOptions,
  FragmentsOptions,
  OutlineOptions,
  ReassembleOptions,
  Scores,
  SearchHitsOptions,
  SearchOptions,
  Strategy,
} from './arguments.js'
export type { Filter, Kind, Limits, OneOrMore, Output, Ranking } from './groups.js'
export type {
  Citation,
  ContextChunk,
  Explanation,
  Fragment,
  Hit,
  OutlineSection,
  Passage,
  Related,
  Role,
  Span,
} from './rows.js'
export type { Execute, PgSource, PostgresSource, Source } from './source.js'
export { Store, type StoreOptions } from './store.js'
