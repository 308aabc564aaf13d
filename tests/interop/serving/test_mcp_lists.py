"""Lists, budgets and choices of the tools of the MCP server."""

import psycopg

from servers import run
from sessions import text, with_session


def test_the_list_of_collections_has_pages(database):
    run(database, "init", "--no-embed")
    with psycopg.connect(database) as connection:
        connection.execute("INSERT INTO rag.documents (uri, collection) SELECT 'a', 'collection ' || lpad(n::text, 3, '0') FROM generate_series(1, 100) AS n")

    async def test(session):
        names, offset, pages = [], 0, 0
        while offset is not None:
            page = await session.call_tool("list_collections", {"max_tokens": 300, "offset": offset})
            assert len(text(page)) <= 300 * 4
            offset = page.structured_content["next_offset"]
            assert (f"call again with offset {offset}" in text(page)) == (offset is not None)
            names += [each["collection"] for each in page.structured_content["collections"]]
            pages += 1
        assert names == [f"collection {number:03}" for number in range(1, 101)] and pages > 3

    with_session(database, test, "--no-embed")


def test_a_uri_of_several_collections_needs_the_collection(database):
    run(database, "init", "--no-embed")
    with psycopg.connect(database) as connection:
        for collection, version in [("", ""), ("notes", "1"), ("notes", "2")]:
            content = f"# Zebra of {collection or 'none'} {version}\n\nA zebra.\n"
            ingest = "SELECT passage.ingest(uri => 'zebra.md', text => %s, collection => %s, version => %s)"
            connection.execute(ingest, [content, collection, version])

    async def test(session):
        for tool in ["outline", "read_passage"]:
            several = await session.call_tool(tool, {"uri": "zebra.md"})
            assert several.is_error and "several documents have this uri" in text(several)
            assert 'collection "notes" version "2"' in text(several) and 'collection "" version ""' in text(several)
            several = await session.call_tool(tool, {"uri": "zebra.md", "collection": "notes"})
            assert several.is_error and 'collection ""' not in text(several)
            chosen = await session.call_tool(tool, {"uri": "zebra.md", "collection": "notes", "version": "2"})
            assert "Zebra of notes 2" in text(chosen)
            unnamed = await session.call_tool(tool, {"uri": "zebra.md", "collection": "", "version": ""})
            assert "Zebra of none" in text(unnamed)

    with_session(database, test, "--no-embed")


def test_context_that_a_budget_cuts_is_reported_and_can_be_read(database):
    run(database, "init", "--no-embed")
    parts = "".join(f"## Part {number}\n\n{'A sentence about bees. ' * 20}\n\n" for number in range(8))
    with psycopg.connect(database) as connection:
        connection.execute("SELECT passage.ingest(uri => 'bees.md', text => %s)", [f"# Bees\n\n{parts}## Zebra\n\nA zebra.\n"])

    async def test(session):
        query = {"query": "zebra", "strategy": "document"}
        cut = await session.call_tool("search", {**query, "max_tokens": 300})
        passage = cut.structured_content["passages"][0]
        assert passage["truncated"] and passage["tokens"] <= 300
        note = "context was left out (truncated); for more, call read_passage with a chunk_id"
        assert note in cut.structured_content["notes"][0] and note in text(cut)

        whole = await session.call_tool("search", {**query, "max_tokens": 5000})
        assert not whole.structured_content["passages"][0]["truncated"] and not whole.structured_content["notes"]

        chunk = {"chunk_id": passage["hit_ids"][0], "strategy": "document"}
        read = await session.call_tool("read_passage", {**chunk, "max_tokens": 300})
        assert sum(each["tokens"] for each in read.structured_content["passages"]) <= 300
        assert read.structured_content["passages"][0]["truncated"] and note in text(read)
        read = await session.call_tool("read_passage", {**chunk, "max_tokens": 5000})
        assert "Part 0" in text(read) and "A zebra." in text(read) and note not in text(read)
        read = await session.call_tool("read_passage", {**chunk, "max_tokens": 1})
        assert "because a hit is never cut" in text(read)

    with_session(database, test, "--no-embed")
