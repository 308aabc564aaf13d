// The named arguments of the SQL functions, and the types that PostgreSQL gives them.

import type { Filter, Limits, Output, Ranking } from './groups.js'

/** An embedding, as long as those of the store: an array of numbers, or a typed array. */
export type Embedding = ArrayLike<number>

/** One number for each id, higher is better. null is a hit without a score. */
export type Scores = readonly (number | null)[]

/** A preset, or a strategy of the store: a name that `passage.strategies()` lists. */
export type Strategy =
  'auto' | 'adjacent' | 'broad' | 'document' | 'hierarchical' | 'merge' | 'none' | 'reassembly' | 'section' | (string & {})

/** The common options of `search`, `searchHits` and `fragments`. */
interface Question {
  /** Vector of the query. Without it, and without `embed` of the store, the search is by words. */
  embedding?: Embedding | null
  /** The collection to search. null searches all. */
  collection?: string | null
  filter?: Filter | null
}

/** The options of `search`. */
export interface SearchOptions extends Question {
  /** Maximum number of passages, 0 to 1,000,000. Default: 10. */
  maxPassages?: number
  /** Maximum number of tokens of all passages, 0 to 1,000,000. 0 means no limit. Default: 4,096. */
  maxTokens?: number | null
  strategy?: Strategy | null
  limits?: Limits | null
  ranking?: Ranking | null
  output?: Output | null
  /** Ids of chunks that were already shown. */
  skip?: readonly string[] | null
}

/** The options of `searchHits`. */
export interface SearchHitsOptions extends Question {
  /** Maximum number of hits, 0 to 1,000,000. Default: 10. */
  maxHits?: number
  ranking?: Ranking | null
  /** Ids of chunks that were already shown. */
  skip?: readonly string[] | null
}

/** The options of `fragments`. */
export interface FragmentsOptions extends Question {
  /** Uri of one document. Without it and without `documentId` the store is searched. */
  uri?: string | null
  /** Id of one document. */
  documentId?: string | null
  /** Default: `auto`. */
  strategy?: 'auto' | 'adaptive' | 'proximity' | 'semantic' | 'seed'
  /** Maximum number of fragments. Default: 5. */
  maxFragments?: number
  /** Maximum number of tokens of all fragments. Default: 700. */
  maxTokens?: number | null
  /** Minimum similarity of a misspelled word, 0 to 1. Default: 0.8. */
  fuzzyThreshold?: number
  /** Whether to return the whole of the named document. null returns it if it fits into `maxTokens`. */
  returnFull?: boolean | null
}

/** The options of `expandContext`. */
export interface ExpandContextOptions {
  strategy?: Strategy | null
  /** Maximum number of tokens of hits and context, 0 to 1,000,000. 0 means no limit. Hits are never dropped. */
  maxTokens?: number | null
  /** Maximum number of hits and context, 0 to 1,000,000 chunks. Hits are never dropped. */
  maxChunks?: number | null
  limits?: Limits | null
}

/** The options of `expandContexts`. */
export interface ExpandContextsOptions extends ExpandContextOptions {
  /** Without scores the order of the ids ranks them. */
  scores?: Scores | null
}

/** The options of `reassemble`. */
export interface ReassembleOptions {
  /** Without scores the order of the ids ranks them. */
  scores?: Scores | null
  strategy?: Strategy | null
  /** Maximum number of passages, 0 to 1,000,000. null takes all hits. */
  maxPassages?: number | null
  /** Maximum number of tokens of hits and context, 0 to 1,000,000. 0 means no limit. Hits are never dropped. */
  maxTokens?: number | null
  limits?: Limits | null
  ranking?: Pick<Ranking, 'scoreBy'> | null
  output?: Output | null
  /** Ids of chunks that were already shown. */
  skip?: readonly string[] | null
}

/** The options of `assemble`. */
export interface AssembleOptions {
  /** Text between chunks that do not touch. null takes that of the media type. */
  separator?: string | null
}

/** The options of `outline`. */
export interface OutlineOptions {
  /** The collection of the document, if several have the uri. */
  collection?: string | null
  /** The version of the document, also `latest`. */
  version?: string | null
  /** Ids of chunks that count as hits. */
  hitIds?: readonly string[] | null
}

/** The options of `similar`. Either `chunkId` or `documentId` is required. */
export interface SimilarOptions {
  /** Id of the chunk that others are compared with. */
  chunkId?: string | null
  /** Id of the document that others are compared with, by its first 1,000 chunks. */
  documentId?: string | null
  /** The collection to search. null searches all. */
  collection?: string | null
  /** Maximum number of hits, 0 to 1,000,000. Default: 10. */
  maxHits?: number
  filter?: Filter | null
  /** Default: words and embedding. */
  ranking?: Omit<Ranking, 'scoreBy'> | null
  /** Whether to compare the content, or the links. Default: `content`. */
  by?: 'content' | 'links'
}

/** The options of `links` and `backlinks`: a chunk or a document. One of them is required. */
export interface LinksOptions {
  /** Id of the chunk. Without it the links are those of the document. */
  chunkId?: string | null
  /** Id of the document. */
  documentId?: string | null
  /** Uri of the document. */
  uri?: string | null
}

/** The options of `prompt`. */
export interface PromptOptions {
  /** Place of the best sources in the text: at its start, or also at its end. Default: `start`. */
  bestAt?: 'start' | 'both_ends'
  /** Number of the first source, 1 to 1,000,000. Default: 1. A later call of a conversation continues the numbers. */
  firstNumber?: number
}

/** The options of `rate`. */
export interface RateOptions {
  /** Vector of the query. Without it, and without `embed` of the store, questions are compared by their words. */
  embedding?: Embedding | null
  /** User of the application whose rating it is, at most 200 characters. null takes the role. */
  ratedBy?: string | null
}

/** The options and the other arguments of each function. */
interface Arguments {
  search: SearchOptions & { query: string }
  searchHits: SearchHitsOptions & { query: string }
  fragments: FragmentsOptions & { query: string }
  reassemble: ReassembleOptions & { chunkIds: string[] }
  expandContext: ExpandContextOptions & { chunkId: string }
  expandContexts: ExpandContextsOptions & { chunkIds: string[] }
  assemble: AssembleOptions & { documentId: string; chunkIds: string[] }
  outline: OutlineOptions & { uri: string }
  similar: SimilarOptions
  links: LinksOptions
  backlinks: LinksOptions
  prompt: PromptOptions & { passages: unknown[] }
  checkCitations: { answer: string; sources: unknown[] }
  rate: RateOptions & { query: string; chunkId: string; rating: number }
}

/** Functions that read no store. */
type WithoutStore = 'prompt' | 'checkCitations'

const text = 'pg_catalog.text'
const uuid = 'pg_catalog.uuid'
const uuids = 'pg_catalog.uuid[]'
const jsonb = 'pg_catalog.jsonb'
const store = 'pg_catalog.name'
const integer = 'integer'
const question = { query: text, embedding: 'real[]', collection: text, filter: jsonb, store }
const expansion = { strategy: text, maxTokens: integer, maxChunks: integer, limits: jsonb, store }
const hits = { chunkIds: uuids, scores: 'double precision[]' }
const linked = { chunkId: uuid, documentId: uuid, uri: text, store }
const passages = {
  maxPassages: integer,
  maxTokens: integer,
  strategy: text,
  limits: jsonb,
  ranking: jsonb,
  output: jsonb,
  skip: uuids,
}

/** The type of each argument. The compiler compares the names with the options, a test also the types with the extension. */
export const ARGUMENTS = {
  search: { ...question, ...passages },
  searchHits: { ...question, maxHits: integer, ranking: jsonb, skip: uuids },
  fragments: {
    ...question,
    uri: text,
    documentId: uuid,
    strategy: text,
    maxFragments: integer,
    maxTokens: integer,
    fuzzyThreshold: 'double precision',
    returnFull: 'boolean',
  },
  reassemble: { ...hits, ...passages, store },
  expandContext: { chunkId: uuid, ...expansion },
  expandContexts: { ...hits, ...expansion },
  assemble: { documentId: uuid, chunkIds: uuids, separator: text, store },
  outline: { uri: text, collection: text, version: text, hitIds: uuids, store },
  similar: {
    chunkId: uuid,
    documentId: uuid,
    collection: text,
    maxHits: integer,
    filter: jsonb,
    ranking: jsonb,
    by: text,
    store,
  },
  links: linked,
  backlinks: linked,
  prompt: { passages: jsonb, bestAt: text, firstNumber: integer },
  checkCitations: { answer: text, sources: jsonb },
  rate: { query: text, chunkId: uuid, rating: 'real', embedding: 'real[]', ratedBy: text, store },
} satisfies {
  [Name in keyof Arguments]: Record<keyof Arguments[Name] | (Name extends WithoutStore ? never : 'store'), string>
}

export type FunctionName = keyof Arguments
