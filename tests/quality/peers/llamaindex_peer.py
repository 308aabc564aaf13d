"""The retrievers of LlamaIndex over its PGVectorStore, with the values of its documentation."""

import functools
import pathlib

from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import (
    CodeSplitter,
    HierarchicalNodeParser,
    SentenceSplitter,
    SentenceWindowNodeParser,
    get_leaf_nodes,
)
from llama_index.core.postprocessor import MetadataReplacementPostProcessor
from llama_index.core.retrievers import AutoMergingRetriever, QueryFusionRetriever
from llama_index.core.schema import MetadataMode, NodeRelationship
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.storage.docstore.postgres import PostgresDocumentStore
from llama_index.storage.kvstore.postgres import PostgresKVStore
from llama_index.vector_stores.postgres import PGVectorStore

DIMENSIONS = 384
LANGUAGES = {".py": "python", ".rs": "rust", ".ts": "typescript"}


class CachedEmbedding(BaseEmbedding):
    cache: object

    def _get_text_embedding(self, text):
        return self.cache.embed([text])[0]

    def _get_text_embeddings(self, texts):
        return self.cache.embed(texts)

    def _get_query_embedding(self, query):
        return self.cache.embed([query])[0]

    async def _aget_query_embedding(self, query):
        return self._get_query_embedding(query)


class Places:
    """Where the nodes of a set are in its documents, by their ids."""

    def __init__(self, data):
        self.data, self.places = data, {}

    def add(self, nodes):
        """Adds nodes, parents before their children, in the order of their document."""
        ends = {}
        for node in nodes:
            text = node.get_content(MetadataMode.NONE)
            parent = node.relationships.get(NodeRelationship.PARENT)
            source = node.relationships[NodeRelationship.SOURCE].node_id
            outer = self.places[parent.node_id] if parent else (source, 0, len(self.data.documents[source]))
            key = parent.node_id if parent else source
            start = self.data.documents[outer[0]].find(text, ends.get(key, outer[1]), outer[2])
            assert start >= 0, f"{outer[0]}: a node is not in its document"
            # The next node can overlap this one, but it begins later.
            ends[key] = start + 1
            self.places[node.node_id] = (outer[0], start, start + len(text))

    def of_results(self, results):
        return (self.places[result.node.node_id] for result in results)


def split_code(documents):
    """Splits source code by CodeSplitter, and other text into chunks of 256 tokens."""
    nodes, prose = [], SentenceSplitter(chunk_size=256, chunk_overlap=20)
    splitters = {suffix: CodeSplitter(language) for suffix, language in LANGUAGES.items()}
    for document in documents:
        nodes += splitters.get(pathlib.Path(document.id_).suffix, prose).get_nodes_from_documents([document])
    return nodes


class LlamaIndex:
    """The retrievers over the documents of a set. Each method loads its table and returns a function that searches."""

    def __init__(self, url, data, cache):
        self.data, self.places = data, Places(data)
        drivers = {"connection_string": "postgresql+psycopg2:", "async_connection_string": "postgresql+asyncpg:"}
        self.urls = {name: url.replace("postgresql:", driver) for name, driver in drivers.items()}
        self.model = CachedEmbedding(model_name=cache.model, cache=cache, embed_batch_size=2048)
        self.documents = [Document(text=text, id_=name) for name, text in data.documents.items()]

    def index(self, table, nodes, hybrid=False, docstore=None):
        store = PGVectorStore(
            **self.urls,
            table_name=f"llamaindex_{self.data.store}_{table}",
            embed_dim=DIMENSIONS,
            hybrid_search=hybrid,
            initialization_fail_on_error=True,
        )
        context = StorageContext.from_defaults(vector_store=store, docstore=docstore)
        return VectorStoreIndex(nodes, storage_context=context, embed_model=self.model)

    def by_default(self):
        nodes = SentenceSplitter().get_nodes_from_documents(self.documents)
        self.places.add(nodes)
        return self.by_vector(self.index("default", nodes))

    def by_vector(self, index):
        return lambda question, k: self.places.of_results(index.as_retriever(similarity_top_k=k).retrieve(question))

    @functools.cached_property
    def small(self):
        nodes = split_code(self.documents)
        self.places.add(nodes)
        return self.index("small", nodes, hybrid=True)

    def by_small_chunks(self):
        return self.by_vector(self.small)

    def hybrid(self):
        def search(question, k):
            modes = ["default", "sparse"]
            parts = [self.small.as_retriever(similarity_top_k=k, sparse_top_k=k, vector_store_query_mode=mode) for mode in modes]
            retriever = QueryFusionRetriever(
                parts, similarity_top_k=k, num_queries=1, mode="relative_score", use_async=False, llm=MockLLM()
            )
            return self.places.of_results(retriever.retrieve(question))

        return search

    def merging(self):
        return self.merge("leaves", SimpleDocumentStore())

    def merging_in_postgres(self):
        # PostgresDocumentStore.from_uri has an argument that the version of PostgresKVStore which it needs rejects.
        parents = PostgresKVStore(f"llamaindex_{self.data.store}_parents", **self.urls)
        return self.merge("stored_leaves", PostgresDocumentStore(parents))

    def merge(self, table, docstore):
        nodes = HierarchicalNodeParser.from_defaults().get_nodes_from_documents(self.documents)
        self.places.add(nodes)
        docstore.add_documents(nodes)
        index = self.index(table, get_leaf_nodes(nodes), docstore=docstore)

        def search(question, k):
            base = index.as_retriever(similarity_top_k=k)
            return self.places.of_results(AutoMergingRetriever(base, index.storage_context).retrieve(question))

        return search

    def windows(self):
        nodes = SentenceWindowNodeParser.from_defaults().get_nodes_from_documents(self.documents)
        self.places.add(nodes)
        index = self.index("sentences", nodes)
        windows = windows_of(nodes, self.places)
        replace = MetadataReplacementPostProcessor(target_metadata_key="window")

        def search(question, k):
            results = replace.postprocess_nodes(index.as_retriever(similarity_top_k=k).retrieve(question))
            return (windows[result.node.node_id] for result in results)

        return search


def windows_of(nodes, places):
    """Returns the place of the window of each sentence: three sentences on each side."""
    windows = {}
    for number, node in enumerate(nodes):
        document = places.places[node.node_id][0]
        near = [places.places[other.node_id] for other in nodes[max(0, number - 3) : number + 4]]
        near = [place for place in near if place[0] == document]
        windows[node.node_id] = (document, near[0][1], near[-1][2])
    return windows


# Each with the number of results of its documentation.
METHODS = {
    "LlamaIndex, `SentenceSplitter`": (2, LlamaIndex.by_default),
    "LlamaIndex, small chunks": (2, LlamaIndex.by_small_chunks),
    "LlamaIndex, small chunks, hybrid": (5, LlamaIndex.hybrid),
    "LlamaIndex, `AutoMergingRetriever`": (6, LlamaIndex.merging),
    "LlamaIndex, `AutoMergingRetriever`, `PostgresDocumentStore`": (6, LlamaIndex.merging_in_postgres),
    "LlamaIndex, `SentenceWindowNodeParser`": (2, LlamaIndex.windows),
}
PEER = LlamaIndex
