"""LlamaIndex has no suite for retrievers, so these tests use the retriever as its engines and pipelines do."""

import asyncpg
import docstrings
import documents
import psycopg
import psycopg_pool
import pytest
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever, QueryFusionRetriever
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode

import pg_passage.llamaindex
from pg_passage import AsyncStore, Store
from pg_passage.llamaindex import PassageRetriever

QUESTION = "how do filters and row-level security work together"


class WordEmbedding(BaseEmbedding):
    def _get_text_embedding(self, text):
        return documents.embed(text)

    def _get_query_embedding(self, query):
        return documents.embed(query)

    async def _aget_query_embedding(self, query):
        return documents.embed(query)


@pytest.fixture
def retriever(connection):
    return PassageRetriever(Store(connection), WordEmbedding(), similarity_top_k=3)


async def test_the_example_of_the_docstring_runs(url):
    with psycopg_pool.ConnectionPool(url, min_size=1) as pool:
        session = vars(pg_passage.llamaindex) | {"pool": pool, "embed_model": WordEmbedding()}
        assert await docstrings.run(PassageRetriever, session) > 0


def test_nodes_have_the_text_the_score_and_the_source_of_passages(retriever, connection):
    expected = Store(connection).search(QUESTION, documents.embed(QUESTION), max_passages=3)

    found = retriever.retrieve(QUESTION)

    assert isinstance(retriever, BaseRetriever) and all(isinstance(node, NodeWithScore) for node in found)
    assert [node.text for node in found] == [passage.content for passage in expected]
    assert [node.score for node in found] == [passage.score for passage in expected]
    assert found[0].node.ref_doc_id == str(expected[0].document_id)
    assert found[0].metadata["uri"] == expected[0].uri


def test_a_node_survives_serialization(retriever):
    node = retriever.retrieve(QUESTION)[0].node

    assert TextNode.from_json(node.to_json()) == node


def test_a_language_model_sees_only_the_source(retriever):
    text = retriever.retrieve(QUESTION)[0].node.get_content(MetadataMode.LLM)

    assert "uri: docs/" in text and "chunk_ids" not in text


async def test_aretrieve_takes_either_store(retriever, url):
    expected = retriever.retrieve(QUESTION)
    client = await asyncpg.connect(url)

    found = await PassageRetriever(AsyncStore(client), WordEmbedding(), similarity_top_k=3).aretrieve(QUESTION)

    assert found == expected == await retriever.aretrieve(QUESTION)
    await client.close()


def test_the_embedding_of_the_query_comes_first(retriever, connection):
    other = documents.embed("the budget of tokens")
    expected = Store(connection).search(QUESTION, other, max_passages=3)

    found = retriever.retrieve(QueryBundle(QUESTION, embedding=other))

    assert [node.score for node in found] == [passage.score for passage in expected]


def test_without_an_embedding_the_search_is_by_words(connection):
    found = PassageRetriever(Store(connection), options={"max_passages": 2, "filter": {"collection": "recipes"}}).retrieve("prompt")

    assert {node.metadata["collection"] for node in found} == {"recipes"}


def test_query_engines_postprocessors_and_fusion_use_the_retriever(retriever):
    answer = RetrieverQueryEngine.from_args(
        retriever, llm=MockLLM(), node_postprocessors=[SimilarityPostprocessor(similarity_cutoff=0.0)]
    ).query(QUESTION)
    assert len(answer.source_nodes) == 3 and answer.source_nodes[0].text in str(answer)

    fusion = QueryFusionRetriever([retriever, retriever], llm=MockLLM(), num_queries=1, use_async=False)
    assert fusion.retrieve(QUESTION)[0].text == retriever.retrieve(QUESTION)[0].text


def test_the_error_of_the_driver_keeps_its_hint(connection):
    with pytest.raises(psycopg.errors.InvalidParameterValue) as error:
        PassageRetriever(Store(connection), options={"strategy": "brod"}).retrieve(QUESTION)

    assert error.value.diag.message_hint
    connection.rollback()
