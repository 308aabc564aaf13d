"""The tables of LangChain's PGVector: `langchain_pg_collection` and `langchain_pg_embedding`."""

from langchain_postgres import PGVector

import documents
from layouts.langchain_store import WordEmbeddings, split


class LangChainPGVector:
    """A collection of PGVector."""

    source = "langchain_pg_embedding"
    key = "id"
    content = "document"

    def __init__(self, url):
        self.url = url.replace("postgresql:", "postgresql+psycopg:")

    def create(self, overwrite=False):
        """Creates the tables and a collection, or drops the tables and creates them again."""
        if overwrite:
            self.store.drop_tables()
        self.store = PGVector(
            WordEmbeddings(),
            connection=self.url,
            embedding_length=documents.DIMENSIONS,
            collection_name="pages",
            create_extension=False,
        )

    def add(self, uri, text):
        """Adds a document and returns the ids of its chunks. A chunk with a known id is replaced."""
        pieces = split(uri, text)
        return self.store.add_documents(pieces, ids=[piece.id for piece in pieces])

    def delete(self, ids):
        """Deletes chunks by the ids that `add` returned."""
        self.store.delete(ids)

    def close(self):
        self.store._engine.dispose()


LAYOUTS = {"PGVector": LangChainPGVector}
