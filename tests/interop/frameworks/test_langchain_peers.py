"""`ground/bench/peers` measures the retrievers of LangChain."""

import pytest
from frameworks import peers


@pytest.mark.parametrize("name", ["passage", "langchain"])
def test_every_method_returns_the_answer_as_ranges_of_its_document(database, tmp_path, name):
    peers.check(name, database, tmp_path)
