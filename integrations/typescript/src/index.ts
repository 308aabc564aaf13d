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
  LinksOptions,
  OutlineOptions,
  PromptOptions,
  RateOptions,
  ReassembleOptions,
  Scores,
  SearchHitsOptions,
  SearchOptions,
  SimilarOptions,
  Strategy,
} from './arguments.js'
export type { Filter, Kind, Limits, OneOrMore, Output, Ranking } from './groups.js'
export type {
  CheckedCitation,
  Citation,
  ContextChunk,
  Explanation,
  Fragment,
  Hit,
  Link,
  OutlineSection,
  Passage,
  Prompt,
  PromptSource,
  Related,
  Role,
  Span,
} from './rows.js'
export type { Execute, PgSource, PostgresSource, Source } from './source.js'
export { Store, type StoreOptions } from './store.js'
