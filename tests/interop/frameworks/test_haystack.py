"""Haystack reads a store with the retriever of docs/recipes/frameworks.md."""

import documents
import pytest
from frameworks import recipe
from haystack.utils import Secret
from haystack_integrations.document_stores.pgvector import PgvectorDocumentStore


def test_the_retriever_of_the_page_returns_passages(connection, database, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", database)
    session = {"embed": documents.embed}

    recipe.run(connection, session, "Haystack")

    assert session["documents"][0].meta["uri"].startswith("docs/")
    session["retriever"].close()


def test_pgvectordocumentstore_cannot_read_a_view(connection, database):
    connection.execute("CREATE VIEW haystack_documents AS SELECT id, content, embedding FROM rag.chunks_embedded")
    connection.commit()
    store = PgvectorDocumentStore(connection_string=Secret.from_token(database), embedding_dimension=documents.DIMENSIONS)

    with pytest.raises(Exception, match="already exists"):
        store.count_documents()
    store.close()
