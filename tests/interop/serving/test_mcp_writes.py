"""The limits of the tools of the MCP server that write."""

import asyncio
import os
import subprocess

import psycopg

from servers import CLIENT, TOKEN, serving
from sessions import text, with_session
from statements import count, until_async, waiting

WRITES = ["--no-embed", "--allow-ingest"]


def note(name, content="A zebra.\n"):
    return {"uri": f"{name}.md", "content": content}


def test_a_text_of_more_than_1_mib_is_refused(handbook):
    async def test(session):
        limit = 1 << 20
        stored = await session.call_tool("ingest", note("long", "word " * (limit // 5)))
        assert stored.structured_content["outcome"] == "added", text(stored)
        for call, cause, remedy in [
            (note("longer", "x" * (limit + 1)), "content is too long", "Send at most 1048576 bytes."),
            (note("longer", "ä" * (limit // 2 + 1)), "content is too long", "Send at most 1048576 bytes."),
            ({"uri": " ", "content": "x"}, "uri is empty", "Give a uri"),
        ]:
            refused = await session.call_tool("ingest", call)
            assert refused.is_error and cause in text(refused) and remedy in text(refused)
        for uris in [[], ["a"] * 101]:
            refused = await session.call_tool("remove", {"uris": uris})
            assert refused.is_error and f"uris has {len(uris)} uris" in text(refused) and "Give 1 to 100 uris." in text(refused)
        assert count(handbook, "TRUE") <= 1

    with_session(handbook, test, *WRITES)


def test_one_call_writes_at_a_time(handbook):
    async def test(session):
        with psycopg.connect(handbook) as lock:
            lock.execute("LOCK TABLE rag.documents IN SHARE ROW EXCLUSIVE MODE")
            calls = [asyncio.create_task(session.call_tool("ingest", note(name))) for name in "abc"]
            calls.append(asyncio.create_task(session.call_tool("remove", {"uris": ["a.md"]})))
            await until_async(lambda: waiting(handbook) == 1)
            # A read that the server answers after it has received the writes.
            assert not (await session.call_tool("list_collections", {})).is_error
            await asyncio.sleep(0.5)
            assert waiting(handbook) == 1
        assert not any(result.is_error for result in await asyncio.gather(*calls))

    with_session(handbook, test, *WRITES)


def test_a_write_that_reaches_the_time_limit_may_have_written(handbook):
    async def test(session):
        with psycopg.connect(handbook) as lock:
            lock.execute("LOCK TABLE rag.documents IN SHARE ROW EXCLUSIVE MODE")
            for tool, arguments in [("ingest", note("late")), ("remove", {"uris": ["late.md"]})]:
                late = await session.call_tool(tool, arguments)
                assert late.is_error and "took longer than 1 s, and may have written" in text(late)
                assert "Search for the document before you call again." in text(late)
        stored = await session.call_tool("ingest", note("next"))
        assert stored.structured_content["outcome"] == "added", text(stored)

    with_session(handbook, test, *WRITES, "--timeout", "1")


def test_a_cancelled_write_ends_with_a_known_result(handbook):
    async def test(session):
        with psycopg.connect(handbook) as lock:
            lock.execute("LOCK TABLE rag.documents IN SHARE ROW EXCLUSIVE MODE")
            call = asyncio.create_task(session.call_tool("ingest", note("cancelled")))
            await until_async(lambda: waiting(handbook) == 1)
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
            assert not (await session.call_tool("list_collections", {})).is_error
            assert waiting(handbook) == 1
        await until_async(lambda: documents(handbook, "cancelled.md") == 1)

    with_session(handbook, test, *WRITES)


def documents(url, uri):
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT count(*) FROM rag.documents WHERE uri = %s", [uri]).fetchone()[0]


def test_writes_over_http_need_a_token(handbook):
    command = [CLIENT, "mcp", "--http", "127.0.0.1:0", *WRITES]
    environment = {**os.environ, "DATABASE_URL": handbook}
    refused = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert refused.returncode == 2 and "--allow-ingest with --http needs a token" in refused.stderr
    assert "PASSAGE_TOKEN" in refused.stderr
    with serving(handbook, "mcp", "--http", "127.0.0.1:0", *WRITES, PASSAGE_TOKEN=TOKEN) as address:
        assert address.endswith("/mcp")
