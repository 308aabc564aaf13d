"""LangChain's own suite for retrievers, and what it does not test."""

import json

import docstrings
import documents
import psycopg
import psycopg_pool
import pytest
from langchain_core.embeddings import Embeddings
from langchain_core.runnables import RunnablePassthrough
from langchain_tests.integration_tests import RetrieversIntegrationTests

import pg_passage.langchain
from pg_passage import AsyncStore, Store
from pg_passage.langchain import PassageRetriever

QUESTION = "how do filters and row-level security work together"


class WordEmbeddings(Embeddings):
    def embed_documents(self, texts):
        return [documents.embed(text) for text in texts]

    def embed_query(self, text):
        return documents.embed(text)


class TestPassageRetriever(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def pool(self, url):
        with psycopg_pool.ConnectionPool(url, min_size=1) as self.opened:
            yield

    @property
    def retriever_constructor(self):
        return PassageRetriever

    @property
    def retriever_constructor_params(self):
        return {"store": Store(self.opened), "embeddings": WordEmbeddings(), "options": {"max_tokens": 0}}

    @property
    def retriever_query_example(self):
        return QUESTION


async def test_the_example_of_the_docstring_runs(url):
    with psycopg_pool.ConnectionPool(url, min_size=1) as pool:
        session = vars(pg_passage.langchain) | {"pool": pool, "embeddings": WordEmbeddings()}
        assert await docstrings.run(PassageRetriever, session) > 0


def test_documents_have_the_text_and_the_source_of_passages(connection):
    store = Store(connection)
    expected = store.search(QUESTION, documents.embed(QUESTION), max_passages=4)

    found = PassageRetriever(store=store, embeddings=WordEmbeddings()).invoke(QUESTION)

    assert [document.page_content for document in found] == [passage.content for passage in expected]
    assert found[0].metadata["source"] == expected[0].uri
    assert found[0].metadata["citations"][0]["chunk_id"] == str(expected[0].citations[0].chunk_id)
    assert found[0].id == str(expected[0].hit_ids[0])
    assert json.loads(found[0].model_dump_json())["metadata"] == found[0].metadata


def test_arguments_of_invoke_override_options(connection):
    retriever = PassageRetriever(store=Store(connection), k=2, options={"filter": {"collection": "docs"}})

    assert {document.metadata["collection"] for document in retriever.invoke("passages")} == {"docs"}
    recipes = retriever.invoke("passages", filter={"collection": "recipes"}, k=1)
    assert [document.metadata["collection"] for document in recipes] == ["recipes"]


async def test_ainvoke_takes_either_store(url, connection):
    expected = PassageRetriever(store=Store(connection)).invoke(QUESTION, k=2)

    async with await psycopg.AsyncConnection.connect(url) as client:
        retriever = PassageRetriever(store=AsyncStore(client))
        assert await retriever.ainvoke(QUESTION, k=2) == expected
        assert await retriever.abatch([QUESTION, QUESTION]) == [await retriever.ainvoke(QUESTION)] * 2
        with pytest.raises(TypeError, match="Store"):
            retriever.invoke(QUESTION)


def test_a_chain_gets_the_documents(connection):
    retriever = PassageRetriever(store=Store(connection), k=1)
    chain = {"context": retriever | (lambda found: found[0].page_content), "question": RunnablePassthrough()}

    answer = (RunnablePassthrough() | chain | (lambda given: given)).invoke(QUESTION)

    assert answer["question"] == QUESTION and "security" in answer["context"]


def test_the_error_of_the_driver_keeps_its_hint(connection):
    retriever = PassageRetriever(store=Store(connection), options={"strategy": "brod"})

    with pytest.raises(psycopg.errors.InvalidParameterValue) as error:
        retriever.invoke(QUESTION)

    assert error.value.diag.message_hint
    connection.rollback()
