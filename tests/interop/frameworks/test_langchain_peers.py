"""`ground/bench/peers` measures the retrievers of LangChain."""

import documents
import pytest
from frameworks import peers

import langchain_peer


@pytest.mark.parametrize("name", ["passage", "langchain"])
def test_every_method_returns_the_answer_as_ranges_of_its_document(database, tmp_path, name):
    peers.check(name, database, tmp_path)


@pytest.mark.parametrize("name", ["passage", "langchain"])
def test_ten_results_of_every_method_have_the_answer(database, tmp_path, name):
    peers.check_calls(name, database, tmp_path)


class EqualVectors:
    """A cache without any knowledge, so only words find an answer."""

    def embed(self, texts):
        return [[1.0] * documents.DIMENSIONS for _ in texts]


def test_the_hybrid_store_searches_the_words_of_each_question(database, tmp_path):
    data = peers.write_set(tmp_path)
    search = langchain_peer.LangChain(database, data, EqualVectors()).hybrid()

    # The vectors find the first chunks, which answer only the last question.
    for question in reversed(data.questions):
        assert any(question in data.documents[name][start:end] for name, start, end in search(question, 2)), question
