"""A store that is dropped and created again while servers run."""

import asyncio

import psycopg

from http_calls import request
from servers import run, serving
from sessions import text, with_session


def drop(url):
    with psycopg.connect(url) as connection:
        connection.execute("DROP SCHEMA rag CASCADE")


def create(url, *options):
    """Creates the store with another document."""
    run(url, "init", *options)
    run(url, "ingest", "--quiet", *options, "tests/fixtures/tools")


def test_http_answers_for_the_new_store(handbook):
    with serving(handbook, "serve", "--listen", "127.0.0.1:0") as address:

        def search():
            return request(f"{address}/search", {"query": "rotate a log", "max_passages": 1})

        status, found = search()
        assert status == 200 and "handbook" in found["results"][0]["uri"]
        drop(handbook)
        status, missing = search()
        assert status == 500 and '"rag"' in missing["error"]["message"] and missing["error"]["hint"]
        assert request(f"{address}/documents")[0] == 500
        # The new store has embeddings, so the server begins to embed.
        create(handbook)
        status, found = search()
        assert status == 200 and "tools" in found["results"][0]["uri"] and not found["notes"]
        assert request(f"{address}/v1/embeddings", {"input": "x"})[0] == 200
        assert [row["uri"] for row in request(f"{address}/documents")[1]["results"]] == [found["results"][0]["uri"]]


def test_tools_answer_for_the_new_store(handbook):
    async def test(session):
        query = {"query": "rotate a log", "limit": 1}
        assert "handbook" in text(await session.call_tool("search", query))
        await asyncio.to_thread(drop, handbook)
        missing = await session.call_tool("search", query)
        assert missing.is_error and '"rag"' in text(missing)
        await asyncio.to_thread(create, handbook, "--no-embed")
        assert "rotator.py" in text(await session.call_tool("search", query))
        stored = await session.call_tool("ingest", {"uri": "note.md", "content": "A zebra.\n"})
        assert stored.structured_content["outcome"] == "added", text(stored)

    with_session(handbook, test, "--no-embed", "--allow-ingest")
