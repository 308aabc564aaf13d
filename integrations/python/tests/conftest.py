"""A store of real documents on the server of DATABASE_URL, which `ground/servers/with-server` starts."""

import os
import pathlib
import sys

import psycopg
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests/interop"))

import documents  # noqa: E402


@pytest.fixture(scope="session")
def url():
    """Returns the URL of a database with the store `rag`: pages of the documentation, with embeddings."""
    url = os.environ.get("DATABASE_URL")
    if not url:
        pytest.exit("the tests need a server: run ground/check/interop", returncode=1)
    with psycopg.connect(url) as connection:
        connection.execute("DROP SCHEMA IF EXISTS rag CASCADE")
        documents.load(connection)
    return url


@pytest.fixture
def connection(url):
    with psycopg.connect(url) as connection:
        yield connection
