"""The table of Haystack's PgvectorDocumentStore."""

import dataclasses

from haystack import Document
from haystack.components.preprocessors import DocumentSplitter
from haystack.document_stores.types import DuplicatePolicy
from haystack.utils import Secret
from haystack_integrations.document_stores.pgvector import PgvectorDocumentStore

import documents


class Haystack:
    """A table that a DocumentSplitter fills."""

    source = "haystack_documents"
    key = "id"
    content = "content"

    def __init__(self, url):
        self.url = url

    def create(self, overwrite=False):
        """Creates the table, or drops and creates it again."""
        self.store = PgvectorDocumentStore(
            connection_string=Secret.from_token(self.url),
            embedding_dimension=documents.DIMENSIONS,
            recreate_table=overwrite,
        )
        self.store._ensure_db_setup()

    def add(self, uri, text):
        """Adds a document and returns the ids of its chunks. A chunk with a known id is replaced."""
        splitter = DocumentSplitter(split_by="word", split_length=120, split_overlap=15)
        splitter.warm_up()
        pieces = splitter.run([Document(content=text, meta={"file_path": uri})])["documents"]
        pieces = [dataclasses.replace(piece, embedding=documents.embed(piece.content)) for piece in pieces]
        self.store.write_documents(pieces, DuplicatePolicy.OVERWRITE)
        return [piece.id for piece in pieces]

    def delete(self, ids):
        """Deletes chunks by the ids that `add` returned."""
        self.store.delete_documents(ids)

    def close(self):
        self.store.close()


LAYOUTS = {"PgvectorDocumentStore": Haystack}
