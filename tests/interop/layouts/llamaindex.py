"""The table of LlamaIndex' PGVectorStore."""

import functools

from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter
from llama_index.vector_stores.postgres import PGVectorStore

import documents


class WordEmbedding(BaseEmbedding):
    """`documents.embed` as LlamaIndex calls it."""

    def _get_text_embedding(self, text):
        return documents.embed(text)

    def _get_query_embedding(self, query):
        return documents.embed(query)

    async def _aget_query_embedding(self, query):
        return documents.embed(query)


class LlamaIndex:
    """A table that a VectorStoreIndex fills."""

    source = "data_pages"
    key = "node_id"
    content = "text"

    def __init__(self, url, jsonb=False, hybrid=False):
        self.url, self.jsonb, self.hybrid = url, jsonb, hybrid

    def create(self, overwrite=False):
        """Creates the table with its first insert, as LlamaIndex does. `overwrite` drops it before."""
        if overwrite:
            self.store._base.metadata.drop_all(self.store._engine)
        self.store = PGVectorStore(
            connection_string=self.url.replace("postgresql:", "postgresql+psycopg2:"),
            async_connection_string=self.url.replace("postgresql:", "postgresql+asyncpg:"),
            table_name="pages",
            schema_name="public",
            embed_dim=documents.DIMENSIONS,
            use_jsonb=self.jsonb,
            hybrid_search=self.hybrid,
            initialization_fail_on_error=True,
        )
        self.index = VectorStoreIndex(
            [],
            storage_context=StorageContext.from_defaults(vector_store=self.store),
            embed_model=WordEmbedding(model_name="words"),
            transformations=[MarkdownNodeParser(), SentenceSplitter(chunk_size=160, chunk_overlap=20)],
        )

    def add(self, uri, text):
        """Adds a document, in place of the one with this id, and returns that id."""
        document = Document(text=text, id_=uri, metadata={"file_path": uri})
        self.index.update_ref_doc(document)
        return [uri]

    def delete(self, ids):
        """Deletes documents by the ids that `add` returned."""
        for document in ids:
            self.index.delete_ref_doc(document)

    def close(self):
        if self.store._engine is not None:
            self.store._engine.dispose()


LAYOUTS = {
    "PGVectorStore with json": LlamaIndex,
    "PGVectorStore with jsonb and words": functools.partial(LlamaIndex, jsonb=True, hybrid=True),
}
