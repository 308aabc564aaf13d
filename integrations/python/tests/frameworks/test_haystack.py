"""Haystack's rules for custom components: serialization, pipelines, asynchronous pipelines."""

import asyncio

import docstrings
import documents
import psycopg
import pytest
from haystack import Document, Pipeline, component
from haystack.utils import Secret

import pg_passage.haystack
from pg_passage import Store
from pg_passage.haystack import PassageRetriever

QUESTION = "how do filters and row-level security work together"


@component
class WordEmbedder:
    """An embedder of queries."""

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, list[float]]:
        return {"embedding": documents.embed(text)}


@pytest.fixture
def retriever(url, monkeypatch):
    monkeypatch.setenv("PASSAGE_URL", url)
    retriever = PassageRetriever(Secret.from_env_var("PASSAGE_URL"), "rag", top_k=3, options={"max_tokens": 2000})
    yield retriever
    retriever.close()


async def test_the_example_of_the_docstring_runs(url, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", url)
    session = vars(pg_passage.haystack).copy() | {"Secret": Secret}

    assert await docstrings.run(PassageRetriever, session) > 0
    session["retriever"].close()


def test_documents_have_the_text_the_score_and_the_source_of_passages(retriever, connection):
    embedding = documents.embed(QUESTION)
    expected = Store(connection).search(QUESTION, embedding, max_passages=3, max_tokens=2000)

    found = retriever.run(QUESTION, embedding)["documents"]

    assert all(isinstance(document, Document) for document in found)
    assert [document.content for document in found] == [passage.content for passage in expected]
    assert [document.score for document in found] == [passage.score for passage in expected]
    assert found[0].meta["uri"] == expected[0].uri
    assert Document.from_dict(found[0].to_dict()) == found[0]


def test_arguments_of_run_override_those_of_the_component(retriever):
    found = retriever.run("prompt", top_k=1, options={"filter": {"collection": "recipes"}})["documents"]

    assert [document.meta["collection"] for document in found] == ["recipes"]


def test_to_dict_and_from_dict_keep_the_component_and_no_secret(retriever, url):
    data = retriever.to_dict()

    assert data["type"] == "pg_passage.haystack.PassageRetriever"
    assert url not in str(data)
    again = PassageRetriever.from_dict(data)
    assert again.to_dict() == retriever.to_dict()
    assert again.run(QUESTION) == retriever.run(QUESTION)
    again.close()


def test_a_token_is_never_saved(url):
    with pytest.raises(ValueError, match="token"):
        PassageRetriever(Secret.from_token(url)).to_dict()


def pipeline_of(retriever):
    pipeline = Pipeline()
    pipeline.add_component("embedder", WordEmbedder())
    pipeline.add_component("retriever", retriever)
    pipeline.connect("embedder.embedding", "retriever.query_embedding")
    return pipeline


INPUT = {"embedder": {"text": QUESTION}, "retriever": {"query": QUESTION}}


def test_a_pipeline_runs_and_survives_yaml(retriever):
    expected = retriever.run(QUESTION, documents.embed(QUESTION))
    pipeline = pipeline_of(retriever)

    assert pipeline.run(INPUT)["retriever"] == expected
    saved = pipeline.dumps()
    pipeline.remove_component("retriever")
    assert Pipeline.loads(saved, allowed_modules=["pg_passage.haystack", __name__]).run(INPUT)["retriever"] == expected


async def test_an_asynchronous_pipeline_runs(retriever):
    expected = retriever.run(QUESTION, documents.embed(QUESTION))

    assert (await pipeline_of(retriever).run_async(INPUT))["retriever"] == expected
    several = await asyncio.gather(*(retriever.run_async(QUESTION) for _ in range(4)))
    assert several == [retriever.run(QUESTION)] * 4


def test_a_closed_connection_is_opened_again(retriever, connection):
    expected = retriever.run(QUESTION)
    retriever.close()
    assert retriever.run(QUESTION) == expected


def test_the_error_of_the_driver_keeps_its_hint(retriever):
    with pytest.raises(psycopg.errors.InvalidParameterValue) as error:
        retriever.run(QUESTION, options={"strategy": "brod"})

    assert error.value.diag.message_hint
    assert retriever.run(QUESTION)["documents"]
