/**
 * A retriever for LangChain.js.
 *
 * @module
 */

import type { CallbackManagerForRetrieverRun } from '@langchain/core/callbacks/manager'
import { Document } from '@langchain/core/documents'
import type { EmbeddingsInterface } from '@langchain/core/embeddings'
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers'
import type { SearchOptions } from './arguments.js'
import type { Passage } from './rows.js'
import type { Store } from './store.js'

/** The metadata of the document, and all properties of the passage except `content`. `source` is the uri. */
export type PassageMetadata = Omit<Passage, 'content' | 'metadata'> & { source: string | null; [key: string]: unknown }

export interface PassageRetrieverInput extends BaseRetrieverInput {
  store: Store
  /** Embeds the query. Without it the search is by words, or by `embed` of the store. */
  embeddings?: EmbeddingsInterface
  /** Maximum number of passages. Default: 4. */
  k?: number
  /** Other options of `search`. */
  options?: Omit<SearchOptions, 'embedding' | 'maxPassages'>
}

/**
 * Returns the passages that answer a query as documents. Errors are those of the store.
 *
 * @example
 * const retriever = new PassageRetriever({ store, embeddings, k: 4, options: { maxTokens: 2000 } })
 * const documents = await retriever.invoke('how do filters apply')
 */
export class PassageRetriever extends BaseRetriever<PassageMetadata> {
  static override lc_name(): string {
    return 'PassageRetriever'
  }

  override lc_namespace = ['pg_passage', 'retrievers']

  readonly #input: PassageRetrieverInput

  constructor(input: PassageRetrieverInput) {
    super(input)
    this.#input = input
  }

  override async _getRelevantDocuments(
    query: string,
    _runManager?: CallbackManagerForRetrieverRun,
  ): Promise<Document<PassageMetadata>[]> {
    const { store, embeddings, k = 4, options } = this.#input
    const embedding = await embeddings?.embedQuery(query)
    const passages = await store.search(query, { maxPassages: k, ...options, ...(embedding && { embedding }) })
    return passages.map(document)
  }
}

function document({ content, metadata, ...properties }: Passage): Document<PassageMetadata> {
  const all = { ...metadata, source: properties.uri, ...properties }
  // A linked section has no hit.
  const id = properties.hitIds[0] ?? properties.chunkIds[0]
  return new Document({ pageContent: content, metadata: all, ...(id && { id }) })
}
