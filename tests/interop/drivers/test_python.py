"""The Python drivers of docs/recipes/drivers.md: each block runs, and each row of its table is true."""

import ast
import asyncio
import inspect
import json
import os
import urllib.parse
import uuid

import asyncpg
import django
import documents
import psycopg
import psycopg2.extras
import pytest
import sqlalchemy
from django.conf import settings
from drivers import page
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

QUESTION = "How do filters apply?"
DRIVERS = ["psycopg 3", "psycopg 2", "asyncpg", "SQLAlchemy", "Django"]


def run_block(block, session):
    """Runs a block in a session, also one with `await` outside of a function."""
    code = compile(block, "drivers.md", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    result = eval(code, session)
    return result if inspect.isawaitable(result) else asyncio.sleep(0)


class Base(DeclarativeBase):
    pass


class Driver:
    """An open connection of a driver, and a statement in its form."""

    def __init__(self, name, url):
        self.name, self.url = name, url
        self.session = {"json": json, "embedding": documents.embed(QUESTION), "connection": None}

    async def open(self):
        if self.name == "psycopg 3":
            self.session["connection"] = psycopg.connect(self.url)
        elif self.name == "psycopg 2":
            self.session["connection"] = psycopg2.connect(self.url)
        elif self.name == "asyncpg":
            self.session["connection"] = await asyncpg.connect(self.url)
        elif self.name == "SQLAlchemy":
            engine = sqlalchemy.create_engine(self.url.replace("postgresql:", "postgresql+psycopg:"))
            self.session |= {"connection": engine.connect(), "session": Session(engine)}
            self.session |= {"sqlalchemy": sqlalchemy, "postgresql": postgresql, "uuid": uuid}
            self.session |= {"DeclarativeBase": Base, "Mapped": Mapped, "mapped_column": mapped_column}
        else:
            self.session["connection"] = self.django()
        return self

    def django(self):
        options = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.url).query))
        database = {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": urllib.parse.urlsplit(self.url).path.strip("/"),
            "USER": options["user"],
            "HOST": options["host"],
            "PORT": options.get("port", ""),
        }
        # The tests of the other drivers are asynchronous.
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
        if not settings.configured:
            settings.configure(DATABASES={"default": database})
            django.setup()
        return django.db.connection

    async def row(self, statement, **values):
        """Runs a statement with placeholders `{name}` and returns its first row."""
        connection = self.session["connection"]
        if self.name == "SQLAlchemy":
            text = statement.format_map({name: f":{name}" for name in values})
            return list(connection.execute(sqlalchemy.text(text), values).all()[0])
        if self.name == "asyncpg":
            text = statement.format_map({name: f"${number}" for number, name in enumerate(values, 1)})
            return list(await connection.fetchrow(text, *values.values()))
        with connection.cursor() as cursor:
            cursor.execute(statement.format_map({name: f"%({name})s" for name in values}), values)
            return list(cursor.fetchone())

    async def close(self):
        closed = self.session["connection"].close()
        if inspect.isawaitable(closed):
            await closed


@pytest.fixture(params=DRIVERS)
async def driver(request, store):
    driver = await Driver(request.param, store).open()
    yield driver
    await driver.close()


def test_the_page_has_a_row_and_blocks_for_each_driver():
    assert set(DRIVERS) < set(page.results())
    assert all(page.blocks(name) for name in page.results())


async def test_each_block_of_the_page_runs(driver):
    for block in page.blocks(driver.name):
        driver.session["rows"] = []
        await run_block(block, driver.session)
        assert len(driver.session["rows"]) > 0
        if "reassemble" in block:
            assert len(driver.session["passages"]) > 0


def describe(value):
    """Returns a type in the words of the page."""
    if isinstance(value, list) and value and not isinstance(value[0], dict):
        return f"list of {describe(value[0])}"
    kind = next(kind for kind in type(value).__mro__ if kind.__module__ != "asyncpg.pgproto.pgproto")
    return kind.__name__


async def test_each_row_of_the_table_of_results_is_true(driver):
    statement = "SELECT section, chunk_ids, spans, citations, tokens FROM passage.search({query}, max_passages => 1)"

    row = await driver.row(statement.replace("{query}", "CAST({query} AS text)"), query=QUESTION)

    assert [describe(value) for value in row] == page.results()[driver.name]


async def test_the_casts_of_the_page_work(driver):
    embedding = documents.embed(QUESTION)
    row = await driver.row(
        "SELECT array_agg(CAST(chunk_id AS text)), array_agg(score) FROM passage.search_hits("
        "CAST({query} AS text), CAST({embedding} AS real[]), filter => CAST(CAST({filter} AS text) AS jsonb))",
        query=QUESTION,
        embedding=embedding,
        filter='{"kind": "prose"}',
    )
    ids, scores = row
    assert len(ids) == 10
    passages = await driver.row(
        "SELECT count(*) FROM passage.reassemble(CAST({ids} AS uuid[]), CAST({scores} AS double precision[]))",
        ids=ids,
        scores=scores,
    )
    assert passages[0] > 1
    nearest = "SELECT chunk_id FROM rag.embeddings ORDER BY embedding <=> CAST(CAST({embedding} AS real[]) AS vector) LIMIT 1"
    assert (await driver.row(nearest, embedding=embedding))[0]


async def test_ids_may_be_uuids_as_well_as_text(driver):
    with psycopg.connect(driver.url) as connection:
        ids = [hit[0] for hit in connection.execute("SELECT chunk_id FROM passage.search_hits('filters')")]
    if driver.name == "psycopg 2":
        psycopg2.extras.register_uuid(conn_or_curs=driver.session["connection"])
    statement = "SELECT count(*) FROM passage.reassemble(CAST({ids} AS uuid[]))"

    assert await driver.row(statement, ids=ids) == await driver.row(statement, ids=[str(chunk) for chunk in ids])


async def test_text_of_an_embedding_needs_a_cast_to_vector(driver):
    """An array needs `::real[]`: with `::vector` it fails in asyncpg, and works in the other Python drivers."""
    statement = "SELECT count(*) FROM passage.search_hits(embedding => CAST({embedding} AS vector))"
    embedding = documents.embed(QUESTION)

    assert await driver.row(statement, embedding=str(embedding)) == [10]
    if driver.name == "asyncpg":
        with pytest.raises(asyncpg.DataError):
            await driver.row(statement, embedding=embedding)
    else:
        assert await driver.row(statement, embedding=embedding) == [10]


async def test_text_of_an_embedding_fails_with_a_cast_to_real(driver):
    statement = "SELECT count(*) FROM passage.search_hits(embedding => CAST({embedding} AS real[]))"
    with pytest.raises(Exception, match="malformed array literal|sized iterable container expected"):
        await driver.row(statement, embedding=str(documents.embed(QUESTION)))


def test_psycopg_2_returns_uuids_after_register_uuid(store):
    connection = psycopg2.connect(store)
    psycopg2.extras.register_uuid(conn_or_curs=connection)
    with connection.cursor() as cursor:
        cursor.execute("SELECT chunk_ids FROM passage.search('filters')")
        assert describe(cursor.fetchone()[0]) == "list of UUID"
    connection.close()


async def test_sqlalchemy_with_asyncpg_needs_the_same_casts(store):
    engine = create_async_engine(store.replace("postgresql:", "postgresql+asyncpg:"))
    async with engine.connect() as connection:
        session = {"sqlalchemy": sqlalchemy, "embedding": documents.embed(QUESTION), "connection": connection}
        block = page.blocks("SQLAlchemy")[0]
        await run_block(block.replace("connection.execute", "(await connection.execute").replace("\n).all()", "\n)).all()"), session)
        assert session["rows"]
    await engine.dispose()
