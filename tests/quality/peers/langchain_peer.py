"""The retrievers of LangChain over its PGVectorStore, with the values of its documentation."""

import pathlib

from langchain_classic.retrievers import ParentDocumentRetriever
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.stores import InMemoryStore
from langchain_postgres import PGEngine, PGVectorStore
from langchain_postgres.v2.hybrid_search_config import HybridSearchConfig, reciprocal_rank_fusion
from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

DIMENSIONS = 384
LANGUAGES = {".py": Language.PYTHON, ".rs": Language.RUST, ".ts": Language.TS}


class CachedEmbeddings(Embeddings):
    def __init__(self, cache):
        self.cache = cache

    def embed_documents(self, texts):
        return self.cache.embed(texts)

    def embed_query(self, text):
        return self.cache.embed([text])[0]


class Splitter(RecursiveCharacterTextSplitter):
    """Splits source code with the separators of its language, and other text with the default ones."""

    def split_documents(self, documents):
        pieces = []
        for document in documents:
            language = LANGUAGES.get(pathlib.Path(document.metadata["source"]).suffix)
            self._separators = self.get_separators_for_language(language) if language else ["\n\n", "\n", " ", ""]
            self._is_separator_regex = bool(language)
            pieces += super().split_documents([document])
        return pieces


def splitter(size):
    """Returns a splitter with the default overlap of 200 characters."""
    return Splitter(chunk_size=size, chunk_overlap=200, add_start_index=True)


class LangChain:
    """The retrievers over the documents of a set. Each method loads its table and returns a function that searches."""

    def __init__(self, url, data, cache):
        self.data, self.embeddings = data, CachedEmbeddings(cache)
        self.engine = PGEngine.from_connection_string(url.replace("postgresql:", "postgresql+psycopg:"))
        self.documents = [Document(text, metadata={"source": name}) for name, text in data.documents.items()]

    def store(self, table, hybrid=None):
        table = f"langchain_{self.data.store}_{table}"
        self.engine.init_vectorstore_table(table, DIMENSIONS, hybrid_search_config=hybrid, overwrite_existing=True)
        return PGVectorStore.create_sync(self.engine, self.embeddings, table, hybrid_search_config=hybrid)

    def places(self, results):
        for result in results:
            start, text = result.metadata["start_index"], result.page_content
            source = result.metadata["source"]
            assert self.data.documents[source][start : start + len(text)] == text, f"{source}: a result is not in its document"
            yield source, start, start + len(text)

    def by_vector(self):
        store = self.store("plain")
        store.add_documents(splitter(1000).split_documents(self.documents))
        return lambda question, k: self.places(store.similarity_search(question, k=k))

    def hybrid(self):
        config = HybridSearchConfig(tsv_column="content_tsv", fusion_function=reciprocal_rank_fusion)
        store = self.store("hybrid", config)
        store.add_documents(splitter(1000).split_documents(self.documents))

        def search(question, k):
            config.primary_top_k = config.secondary_top_k = k
            # Without it the store keeps the words of its first question for all others.
            config.fts_query = question
            return self.places(store.similarity_search(question, k=k))

        return search

    def parents(self):
        retriever = ParentDocumentRetriever(
            vectorstore=self.store("children"),
            docstore=InMemoryStore(),
            child_splitter=splitter(400),
            parent_splitter=splitter(2000),
        )
        retriever.add_documents(self.documents)

        def search(question, k):
            retriever.search_kwargs = {"k": k}
            return self.places(retriever.invoke(question))

        return search


# Each with the number of results of its documentation.
METHODS = {
    "LangChain, `PGVectorStore`": (4, LangChain.by_vector),
    "LangChain, `PGVectorStore`, hybrid": (4, LangChain.hybrid),
    "LangChain, `ParentDocumentRetriever`": (4, LangChain.parents),
}
PEER = LangChain
