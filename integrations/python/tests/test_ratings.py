"""`rate` writes what SQL writes, with the rights and in the transaction of the caller."""

import asyncpg
import documents
import psycopg
import pytest
from test_calls import SOURCES, open_store

from pg_passage import AsyncStore, Store

QUESTION = "who may read embeddings"
REMOVE = "DELETE FROM rag.ratings WHERE rated_by = 'user 42' RETURNING query, chunk_id, rating, embedding IS NULL"


@pytest.mark.parametrize("source", SOURCES)
async def test_a_rating_is_stored_and_replaced(source, url, connection):
    chunk = Store(connection).search_hits(QUESTION)[0].chunk_id

    async with open_store(source, url) as store:
        for rating in [1, -0.5]:
            result = store.rate(QUESTION, str(chunk), rating, rated_by="user 42")
            assert (await result if isinstance(store, AsyncStore) else result) is None

    assert connection.execute(REMOVE).fetchall() == [(QUESTION, chunk, -0.5, True)]


def test_the_transaction_of_the_caller_has_the_rating_and_the_role_is_the_rater(connection):
    chunk = Store(connection).search_hits(QUESTION)[0].chunk_id

    Store(connection).rate(QUESTION, chunk, 0.25)

    assert connection.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS
    rated = "SELECT rating FROM rag.ratings WHERE rated_by = current_user AND query = %s"
    assert connection.execute(rated, (QUESTION,)).fetchall() == [(0.25,)]
    connection.rollback()
    assert connection.execute(rated, (QUESTION,)).fetchall() == []


async def test_the_embedding_is_given_or_made_by_the_store(url, connection):
    chunk = Store(connection).search_hits(QUESTION)[0].chunk_id
    vector = documents.embed(QUESTION)
    client = await asyncpg.connect(url)

    Store(connection).rate(QUESTION, chunk, 1, vector, "user 42")
    assert connection.execute(REMOVE).fetchall() == [(QUESTION, chunk, 1, False)]
    Store(connection, embed=documents.embed).rate(QUESTION, chunk, 1, rated_by="user 42")
    assert connection.execute(REMOVE).fetchall() == [(QUESTION, chunk, 1, False)]
    connection.commit()
    await AsyncStore(client, embed=documents.embed).rate(QUESTION, chunk, 1, rated_by="user 42")
    assert connection.execute(REMOVE).fetchall() == [(QUESTION, chunk, 1, False)]
    await client.close()


def test_a_search_with_feedback_counts_the_rating(connection):
    store = Store(connection)
    hits = store.search_hits(QUESTION, max_hits=2)
    assert store.search_hits(QUESTION, max_hits=2, ranking={"feedback": 1}) == hits

    store.rate(QUESTION, hits[1].chunk_id, 1)
    store.rate(QUESTION, hits[0].chunk_id, -1)

    assert store.search_hits(QUESTION, max_hits=1, ranking={"feedback": 1})[0].chunk_id == hits[1].chunk_id
    assert store.search_hits(QUESTION, max_hits=2) == hits
    connection.rollback()


def test_errors_are_those_of_the_driver_with_their_hint(connection):
    chunk = Store(connection).search_hits(QUESTION)[0].chunk_id
    connection.commit()

    for query, rating, rated_by in [(" ", 1, None), (QUESTION, 2, None), (QUESTION, float("nan"), None), (QUESTION, 1, "")]:
        with pytest.raises(psycopg.errors.InvalidParameterValue) as error:
            Store(connection).rate(query, chunk, rating, rated_by=rated_by)
        assert error.value.diag.message_hint
        connection.rollback()
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="was not found"):
        Store(connection).rate(QUESTION, "00000000-0000-8000-8000-000000000000", 1)
    connection.rollback()
    connection.execute("SET TRANSACTION READ ONLY")
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction) as error:
        Store(connection).rate(QUESTION, chunk, 1)
    assert error.value.diag.message_hint
    connection.rollback()
