"""Calls are guests on the caller's connection: its transaction, its settings and its errors stay as they are."""

import asyncio
import concurrent.futures

import asyncpg
import documents
import psycopg
import psycopg_pool
import pytest
from psycopg.rows import dict_row

from pg_passage import AsyncStore, Store


def test_a_call_sees_and_keeps_the_transaction_of_the_caller(url, connection):
    connection.execute("SELECT passage.ingest('draft.md', 'A zebra in a draft.')")

    assert [hit.uri for hit in Store(connection).search_hits("zebra")] == ["draft.md"]

    assert connection.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS
    with psycopg.connect(url) as other:
        assert Store(other).search_hits("zebra") == []
    connection.rollback()
    assert Store(connection).search_hits("zebra") == []


def test_a_call_in_autocommit_mode_leaves_no_transaction(url):
    with psycopg.connect(url, autocommit=True) as connection:
        assert Store(connection).search("filters")
        assert connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


def test_a_pool_gets_its_connection_back_without_a_transaction(url):
    with psycopg_pool.ConnectionPool(url, min_size=1, max_size=1) as pool:
        store = Store(pool)
        for _ in range(3):
            assert store.search("filters")
        with pytest.raises(psycopg.Error):
            store.search("filters", strategy="missing")
        with pool.connection() as connection:
            assert connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


async def test_a_call_in_a_transaction_of_asyncpg_stays_in_it(url):
    connection = await asyncpg.connect(url)
    transaction = connection.transaction()
    await transaction.start()
    await connection.execute("SELECT passage.ingest('draft.md', 'A zebra in a draft.')")
    assert [hit.uri for hit in await AsyncStore(connection).search_hits("zebra")] == ["draft.md"]
    await transaction.rollback()
    assert await AsyncStore(connection).search_hits("zebra") == []
    await connection.close()


async def test_errors_are_those_of_the_driver_with_their_hint(url, connection):
    with pytest.raises(psycopg.errors.InvalidParameterValue) as psycopg_error:
        Store(connection).search("filters", strategy="brod")
    assert "passage.strategies()" in psycopg_error.value.diag.message_hint
    assert psycopg_error.value.diag.message_hint in str(psycopg_error.value)
    # The caller decides what happens to the transaction.
    assert connection.info.transaction_status == psycopg.pq.TransactionStatus.INERROR
    connection.rollback()

    with pytest.raises(psycopg.errors.InvalidSchemaName) as missing:
        Store(connection, "rga").search("filters")
    assert missing.value.diag.message_hint
    connection.rollback()

    client = await asyncpg.connect(url)
    with pytest.raises(asyncpg.InvalidParameterValueError) as asyncpg_error:
        await AsyncStore(client).search("filters", strategy="brod")
    assert asyncpg_error.value.hint == psycopg_error.value.diag.message_hint
    with pytest.raises(asyncpg.InvalidParameterValueError, match="384 dimensions"):
        await AsyncStore(client).search(embedding=[1.0, 2.0])
    await client.close()


@pytest.mark.parametrize("cursor_factory", [psycopg.Cursor, psycopg.ClientCursor, psycopg.RawCursor])
def test_row_and_cursor_factories_of_the_caller_are_not_used(cursor_factory, url):
    with psycopg.connect(url, row_factory=dict_row, cursor_factory=cursor_factory, prepare_threshold=0) as connection:
        assert Store(connection).search("filters", documents.embed("filters"))[0].rank == 1


async def test_no_prepared_statement_stays_on_the_server(url):
    prepared = "SELECT count(*) FROM pg_catalog.pg_prepared_statements WHERE statement ~ 'FROM passage.search'"
    with psycopg.connect(url, prepare_threshold=0) as connection:
        for _ in range(8):
            Store(connection).search("filters")
        assert connection.execute(prepared, prepare=False).fetchone()[0] == 0

    client = await asyncpg.connect(url, statement_cache_size=0)
    for _ in range(8):
        await AsyncStore(client).search("filters")
    assert await client.fetchval(prepared) == 0
    await client.close()


def test_the_setting_names_the_store_if_the_call_names_none(connection):
    connection.execute("SET LOCAL passage.store = 'nowhere'")
    with pytest.raises(psycopg.errors.InvalidSchemaName, match="nowhere"):
        Store(connection).search("filters")
    connection.rollback()


async def test_the_function_embed_gives_the_embedding_of_a_query(url, connection):
    asked = []

    def embed(query):
        asked.append(query)
        return documents.embed(query)

    async def embed_later(query):
        return embed(query)

    query = "who may read embeddings"
    expected = Store(connection).search(query, documents.embed(query))
    store = Store(connection, embed=embed)
    client = await asyncpg.connect(url)

    assert store.search(query) == expected
    assert await AsyncStore(client, embed=embed).search(query) == expected
    assert await AsyncStore(client, embed=embed_later).search(query) == expected
    assert asked == [query] * 3
    store.search(query, ranking={"mode": "text"})
    store.search(query, documents.embed("other"))
    store.search(embedding=documents.embed("other"))
    store.outline("docs/faq.md")
    assert asked == [query] * 3
    assert store.fragments(query) == Store(connection).fragments(query, documents.embed(query))
    await client.close()


async def test_a_pipeline_of_psycopg_returns_the_same(connection):
    expected = Store(connection).search("filters")
    with connection.pipeline():
        assert Store(connection).search("filters") == expected


async def test_calls_of_several_tasks_share_a_pool(url):
    async with asyncpg.create_pool(url, min_size=2, max_size=3) as pool:
        store = AsyncStore(pool)
        expected = await store.search("filters")
        assert await asyncio.gather(*(store.search("filters") for _ in range(10))) == [expected] * 10


def test_calls_of_several_threads_share_a_pool(url):
    with psycopg_pool.ConnectionPool(url, min_size=2, max_size=3) as pool:
        store = Store(pool)
        expected = store.search("filters")
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            assert list(threads.map(store.search, ["filters"] * 10)) == [expected] * 10
