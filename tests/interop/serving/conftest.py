"""Stores for the tests of the servers."""

import pytest

from servers import run


@pytest.fixture
def handbook(database):
    """Returns the URL of a new database whose store `rag` has a few documents without embeddings."""
    run(database, "init", "--no-embed")
    run(database, "ingest", "--quiet", "--no-embed", "tests/fixtures/handbook")
    return database
