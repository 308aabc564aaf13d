"""Haystack reads a store with the retriever of docs/recipes/frameworks.md."""

import documents
import pytest
from frameworks import recipe
from haystack.utils import Secret
from haystack_integrations.document_stores.pgvector import PgvectorDocumentStore
from layouts.haystack import Haystack


def test_the_retriever_of_the_page_returns_passages(connection, database, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", database)
    session = {"embed": documents.embed}

    recipe.run(connection, session, "Haystack")

    assert session["documents"][0].meta["uri"] == "handbook/logging.md"
    session["retriever"].close()


def test_pgvectordocumentstore_cannot_read_a_view(connection, database):
    connection.execute("CREATE VIEW haystack_documents AS SELECT id, content, embedding FROM rag.chunks_embedded")
    connection.commit()
    store = PgvectorDocumentStore(connection_string=Secret.from_token(database), embedding_dimension=documents.DIMENSIONS)

    with pytest.raises(Exception, match="already exists"):
        store.count_documents()
    store.close()


def test_who_comes_from_haystack_gets_passages_of_the_same_documents(database, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", database)
    session = {"embed": documents.embed}
    recipe.come_from(Haystack(database), session, "Haystack")

    ids = [chunk for passage in session["passages"] for chunk in passage.meta["source_ids"]]
    assert {hit.id for hit in session["hits"]} & set(ids)
    assert session["hits"][0].content.strip() in session["windows"][0]
    session["retriever"].close()
    session["document_store"].close()
