"""Databases on the server of DATABASE_URL, which `ground/servers/with-server` starts."""

import itertools
import os
import pathlib
import sys
import urllib.parse

import psycopg
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import documents  # noqa: E402
import servers  # noqa: E402

_numbers = itertools.count(os.getpid() * 100)


def create_database():
    """Creates a database with pgvector and pg_passage that belongs to `owner`, and returns its URL for `owner`."""
    name = f"interop_{next(_numbers)}"
    with psycopg.connect(os.environ["SUPERUSER_URL"], autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} OWNER owner")
    with psycopg.connect(_with_database(os.environ["SUPERUSER_URL"], name)) as connection:
        connection.execute("CREATE EXTENSION vector")
        connection.execute("CREATE EXTENSION pg_passage CASCADE")
    return _with_database(os.environ["DATABASE_URL"], name)


def _with_database(url, name):
    return urllib.parse.urlsplit(url)._replace(path=f"/{name}").geturl().replace("postgresql:/" + name, f"postgresql:///{name}")


def pytest_configure(config):
    if "DATABASE_URL" not in os.environ:
        pytest.exit("the tests need a server: run ground/check/interop", returncode=1)


@pytest.fixture
def database():
    """Returns the URL of a new database with pgvector and pg_passage."""
    return create_database()


@pytest.fixture
def connection(database):
    """Opens a connection to a new database with the store `rag`, which a test may change."""
    with psycopg.connect(database) as connection:
        documents.load(connection)
        connection.commit()
        yield connection


@pytest.fixture(scope="session")
def store():
    """Returns the URL of a database with the store `rag`, which tests do not change."""
    url = create_database()
    with psycopg.connect(url) as connection:
        documents.load(connection)
    return url


@pytest.fixture(scope="session")
def library():
    """Returns the URL of a database whose store `rag` has the documentation of the project, with embeddings."""
    url = create_database()
    servers.run(url, "init")
    servers.run(url, "ingest", "--quiet", "--collection", "docs", "docs")
    return url


@pytest.fixture(scope="session")
def server(library):
    """Returns the address of `passage serve`."""
    with servers.serving(library, "serve", "--listen", "127.0.0.1:0") as address:
        yield address
