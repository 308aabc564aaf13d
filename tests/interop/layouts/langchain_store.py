"""The tables of LangChain's PGVectorStore: `langchain-postgres`, the current interface."""

import functools
import uuid

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_postgres import Column, PGEngine, PGVectorStore
from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

import documents


class WordEmbeddings(Embeddings):
    """`documents.embed` as LangChain calls it."""

    def embed_documents(self, texts):
        return [documents.embed(text) for text in texts]

    def embed_query(self, text):
        return documents.embed(text)


def split(uri, text, headers=False):
    """Splits a page in one of the two ways of LangChain's documentation, with overlap.

    `start_index` counts characters of the text that was split. With `headers` that is a section, so it begins at 0
    in each of them.
    """
    pages = [Document(page_content=text)]
    if headers:
        levels = [("#", "Header 1"), ("##", "Header 2"), ("###", "Header 3")]
        pages = MarkdownHeaderTextSplitter(levels, strip_headers=False).split_text(text)
    splitter = RecursiveCharacterTextSplitter(chunk_size=600, chunk_overlap=80, add_start_index=True)
    pieces = splitter.split_documents(pages)
    for number, piece in enumerate(pieces):
        piece.metadata["source"] = uri
        piece.id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{uri}#{number}"))
    return pieces


class LangChainStore:
    """A table of PGVectorStore: metadata as JSON or in columns, ids of a type, split with headers or without."""

    source = "lc_chunks"
    key = "langchain_id"
    content = "content"

    def __init__(self, url, columns=False, headers=False, id_type="UUID"):
        self.columns, self.headers = columns, headers
        self.id_type = id_type
        self.engine = PGEngine.from_connection_string(url.replace("postgresql:", "postgresql+psycopg:"))

    def create(self, overwrite=False):
        """Creates the table, or drops and creates it again."""
        columns = [Column("source", "TEXT"), Column("start_index", "INTEGER")] if self.columns else None
        self.engine.init_vectorstore_table(
            "lc_chunks",
            documents.DIMENSIONS,
            metadata_columns=columns,
            id_column=Column("langchain_id", self.id_type, nullable=False),
            overwrite_existing=overwrite,
        )
        self.store = PGVectorStore.create_sync(
            self.engine,
            WordEmbeddings(),
            "lc_chunks",
            metadata_columns=["source", "start_index"] if self.columns else None,
        )

    def add(self, uri, text):
        """Adds a document and returns the ids of its chunks. A chunk with a known id is replaced."""
        pieces = split(uri, text, self.headers)
        return self.store.add_documents(pieces, ids=[piece.id for piece in pieces])

    def delete(self, ids):
        """Deletes chunks by the ids that `add` returned."""
        self.store.delete(ids)

    def close(self):
        self.engine._run_as_sync(self.engine.close())


LAYOUTS = {
    "PGVectorStore": LangChainStore,
    "PGVectorStore with columns": functools.partial(LangChainStore, columns=True, id_type="VARCHAR"),
    "PGVectorStore split by headers": functools.partial(LangChainStore, headers=True),
}
