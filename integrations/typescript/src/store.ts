import {
  ARGUMENTS,
  type AssembleOptions,
  type Embedding,
  type ExpandContextOptions,
  type ExpandContextsOptions,
  type FragmentsOptions,
  type FunctionName,
  type LinksOptions,
  type OutlineOptions,
  type PromptOptions,
  type RateOptions,
  type ReassembleOptions,
  type SearchHitsOptions,
  type SearchOptions,
  type SimilarOptions,
} from './arguments.js'
import { read, statement } from './call.js'
import type {
  CheckedCitation,
  ContextChunk,
  Fragment,
  Hit,
  Link,
  OutlineSection,
  Passage,
  Prompt,
  PromptSource,
} from './rows.js'
import { type Execute, executor, type Source } from './source.js'

export interface StoreOptions {
  /** The schema of the store. Default: the setting `passage.store`, which is `rag` by default. */
  name?: string
  /** Returns the embedding of a query. A call with a query and without an embedding uses it. */
  embed?: (query: string) => Embedding | PromiseLike<Embedding>
}

/**
 * A store, through a connection, a pool or a transaction of the caller.
 *
 * Each call executes one statement. It never commits or rolls back, and only `rate` writes. It prepares nothing, so it works
 * behind a transaction pooler. Errors are those of the driver, with SQLSTATE and HINT of PostgreSQL; a call with an unknown
 * argument throws a `TypeError`.
 *
 * @example
 * const store = new Store(pool, { name: 'rag', embed })
 * const passages = await store.search('how do filters apply', { maxTokens: 1000, filter: { kind: 'prose' } })
 */
export class Store {
  readonly #execute: Execute
  readonly #options: StoreOptions

  constructor(source: Source, options: StoreOptions = {}) {
    this.#execute = executor(source)
    this.#options = options
  }

  /**
   * Returns the passages that answer a query, best first.
   *
   * @param query words, "phrases" and -excluded words. null searches by the embedding alone.
   * @example
   * const passages = await store.search('row-level security', { maxPassages: 3, limits: { parents: 2 } })
   */
  async search(query: string | null, options: SearchOptions = {}): Promise<Passage[]> {
    return this.#rows('search', await this.#ask(query, options))
  }

  /**
   * Returns the chunks that answer a query, best first, for example to rank them again.
   *
   * @param query words, "phrases" and -excluded words. null searches by the embedding alone.
   * @example
   * const hits = await store.searchHits('filters "row-level security" -backup', { maxHits: 50 })
   */
  async searchHits(query: string | null, options: SearchHitsOptions = {}): Promise<Hit[]> {
    return this.#rows('searchHits', await this.#ask(query, options))
  }

  /**
   * Returns whole lines that answer a query, best first: of one document, or without one of the store.
   *
   * @param query words and "phrases". null searches by the embedding alone.
   * @example
   * const lines = await store.fragments('who may read embeddings', { uri: 'docs/guides/security.md', maxTokens: 90 })
   */
  async fragments(query: string | null, options: FragmentsOptions = {}): Promise<Fragment[]> {
    return this.#rows('fragments', await this.#ask(query, options))
  }

  /**
   * Returns the passages that hits belong to, best first. Hits near each other in a document share a passage.
   *
   * @param chunkIds ids of the hits. Unknown ids give no rows.
   * @example
   * const passages = await store.reassemble(hits.map((hit) => hit.chunkId), { maxTokens: 2000 })
   */
  async reassemble(chunkIds: readonly string[], options: ReassembleOptions = {}): Promise<Passage[]> {
    return this.#rows('reassemble', { chunkIds, ...options })
  }

  /**
   * Returns one hit with its context, in the order of the document.
   *
   * @param chunkId id of the hit. An unknown id gives an empty array.
   * @example
   * const chunks = await store.expandContext(hits[0]!.chunkId, { strategy: 'reassembly' })
   */
  async expandContext(chunkId: string, options: ExpandContextOptions = {}): Promise<ContextChunk[]> {
    return this.#rows('expandContext', { chunkId, ...options })
  }

  /**
   * Returns hits with their context, each chunk once. The document with the best score is first; the chunks of a document
   * have its order.
   *
   * @param chunkIds ids of the hits. Unknown ids give no rows.
   * @example
   * const chunks = await store.expandContexts(hits.map((hit) => hit.chunkId), { limits: { before: 1, after: 1 } })
   */
  async expandContexts(chunkIds: readonly string[], options: ExpandContextsOptions = {}): Promise<ContextChunk[]> {
    return this.#rows('expandContexts', { chunkIds, ...options })
  }

  /**
   * Returns the text of chunks of one document, or null for an unknown document.
   *
   * @param chunkIds its chunks, in any order. Ids that the document does not have are skipped.
   * @example
   * const text = await store.assemble(passage.documentId, passage.hitIds)
   */
  async assemble(documentId: string, chunkIds: readonly string[], options: AssembleOptions = {}): Promise<string | null> {
    const [text = null] = await this.#call('assemble', { documentId, chunkIds, ...options })
    return text === null ? null : (JSON.parse(text) as string)
  }

  /**
   * Returns the sections of a document, in its order.
   *
   * @param uri uri of the document, or its id.
   * @example
   * const titles = (await store.outline('docs/guides/search.md')).map((section) => section.outline)
   */
  async outline(uri: string, options: OutlineOptions = {}): Promise<OutlineSection[]> {
    return this.#rows('outline', { uri, ...options })
  }

  /**
   * Returns chunks like a chunk, or documents like a document, each with its most similar chunk, best first.
   *
   * @param options either `chunkId` or `documentId`, and how others are compared.
   * @example
   * const others = await store.similar({ chunkId: hits[0]!.chunkId, maxHits: 5 })
   */
  async similar(options: SimilarOptions): Promise<Hit[]> {
    return this.#rows('similar', options)
  }

  /**
   * Returns the links of a chunk or a document in their order, with the documents and chunks that they lead to.
   *
   * @param options the chunk or the document with the links.
   * @example
   * const dead = (await store.links({ uri: 'docs/faq.md' })).filter((link) => link.toDocument === null)
   */
  async links(options: LinksOptions): Promise<Link[]> {
    return this.#rows('links', options)
  }

  /**
   * Returns the links of other documents that lead to a chunk or a document, in the order of their documents.
   *
   * @param options the chunk or the document that the links lead to.
   * @example
   * const uris = (await store.backlinks({ uri: 'docs/guides/security.md' })).map((link) => link.fromUri)
   */
  async backlinks(options: LinksOptions): Promise<Link[]> {
    return this.#rows('backlinks', options)
  }

  /**
   * Returns passages as one text with numbered sources for a language model, and the list of the sources. Each source is
   * between two fences, which no text of a source ends. The call reads no table.
   *
   * @param passages rows of `search`, `reassemble` or `fragments`, best first, or objects that have at least `content`.
   * @example
   * const { prompt, sources } = await store.prompt(await store.search('row-level security', { maxPassages: 2 }))
   */
  async prompt(
    passages: readonly (Pick<Passage, 'content'> & Partial<Passage>)[],
    options: PromptOptions = {},
  ): Promise<Prompt> {
    const [prompt] = await this.#rows<Prompt>('prompt', { passages, ...options })
    return prompt!
  }

  /**
   * Returns the sources of an answer, each cited or uncited, and the unknown numbers that it cites, by number. The call reads
   * no table.
   *
   * @param answer Markdown with citations such as [2], [1, 3] or [1-3]. Those in code and links do not count.
   * @param sources `sources` of a prompt, or of several prompts of a conversation.
   * @example
   * const unknown = (await store.checkCitations(answer, sources)).filter((row) => row.outcome === 'unknown')
   */
  async checkCitations(answer: string, sources: readonly PromptSource[]): Promise<CheckedCitation[]> {
    return this.#rows('checkCitations', { answer, sources })
  }

  /**
   * Stores how well a chunk answers a question, for searches with `ranking: { feedback: 0.5 }`. This is the only method that
   * writes. The role needs INSERT on the table `ratings`, and UPDATE and SELECT to replace a rating of the same user,
   * question and chunk.
   *
   * @param query question that the chunk was found for.
   * @param chunkId the chunk: for a passage, the first of its `hitIds`.
   * @param rating from -1, the chunk does not answer the question, to 1, it does. 0 withdraws an earlier rating.
   * @example
   * await store.rate('who may read embeddings', passage.hitIds[0]!, 1, { ratedBy: 'user 17' })
   */
  async rate(query: string, chunkId: string, rating: number, options: RateOptions = {}): Promise<void> {
    await this.#call('rate', { chunkId, rating, ...(await this.#ask(query, options)) })
  }

  async #ask(query: string | null, options: Pick<SearchOptions, 'embedding' | 'ranking'>): Promise<object> {
    const { embed } = this.#options
    const byWords = options.ranking?.mode === 'text'
    const embedding = options.embedding ?? (embed && query !== null && !byWords ? await embed(query) : undefined)
    return { query: query ?? undefined, ...options, embedding }
  }

  async #rows<Row>(name: FunctionName, values: object): Promise<Row[]> {
    const rows = await this.#call(name, values)
    return rows.map((row) => read(row!) as Row)
  }

  #call(name: FunctionName, values: object): PromiseLike<readonly (string | null)[]> {
    const store = 'store' in ARGUMENTS[name] ? { store: this.#options.name } : {}
    const { text, values: parameters } = statement(name, { ...values, ...store })
    return this.#execute(text, parameters)
  }
}
