// The retriever in LangChain.js.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Embeddings } from '@langchain/core/embeddings'
import { RunnableLambda } from '@langchain/core/runnables'
import { Store } from 'pg-passage'
import { PassageRetriever } from 'pg-passage/langchain'
import { embed, pool, QUESTION } from './database.js'

class WordEmbeddings extends Embeddings {
  constructor() {
    super({})
  }
  override async embedQuery(text: string): Promise<number[]> {
    return embed(text)
  }
  override async embedDocuments(texts: string[]): Promise<number[][]> {
    return texts.map(embed)
  }
}

const store = new Store(pool)

test('documents have the text and the source of passages', async () => {
  const expected = await store.search(QUESTION, { embedding: embed(QUESTION), maxPassages: 4 })

  const found = await new PassageRetriever({ store, embeddings: new WordEmbeddings() }).invoke(QUESTION)

  assert.deepEqual(
    found.map((document) => document.pageContent),
    expected.map((passage) => passage.content),
  )
  const { content, metadata, ...properties } = expected[0]!
  assert.deepEqual(found[0]!.metadata, { ...metadata, source: properties.uri, ...properties })
  assert.equal(found[0]!.metadata.team, 'docs')
  assert.equal(found[0]!.id, expected[0]!.hitIds[0])
  assert.deepEqual(JSON.parse(JSON.stringify(found[0]!.metadata)), found[0]!.metadata)
})

test('options are those of search', async () => {
  const retriever = new PassageRetriever({ store, k: 2, options: { filter: { collection: 'recipes' }, maxTokens: 0 } })

  const found = await retriever.invoke('prompt')

  assert(found.length > 0 && found.length <= 2)
  assert(found.every((document) => document.metadata.collection === 'recipes'))
})

test('a chain, a batch and a stream get the documents', async () => {
  const retriever = new PassageRetriever({ store, k: 1 })
  const expected = await retriever.invoke(QUESTION)

  const chain = retriever.pipe(RunnableLambda.from((documents: typeof expected) => documents[0]!.pageContent))
  assert.equal(await chain.invoke(QUESTION), expected[0]!.pageContent)
  assert.deepEqual(await retriever.batch([QUESTION, QUESTION]), [expected, expected])
  for await (const documents of await retriever.stream(QUESTION)) assert.deepEqual(documents, expected)
})

test('the error of the driver keeps its hint', async () => {
  const retriever = new PassageRetriever({ store, options: { strategy: 'brod' } })

  await assert.rejects(retriever.invoke(QUESTION), { code: '22023', hint: /passage\.strategies\(\)/ })
})
