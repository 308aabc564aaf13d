"""`ground/bench/peers` measures the retrievers of LlamaIndex."""

import pytest
from frameworks import peers


@pytest.mark.parametrize("name", ["passage", "llamaindex"])
def test_every_method_returns_the_answer_as_ranges_of_its_document(database, tmp_path, name):
    peers.check(name, database, tmp_path)


@pytest.mark.parametrize("name", ["passage", "llamaindex"])
def test_ten_results_of_every_method_have_the_answer(database, tmp_path, name):
    peers.check_calls(name, database, tmp_path)
