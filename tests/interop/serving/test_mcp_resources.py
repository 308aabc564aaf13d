"""Documents as resources of the MCP server."""

import asyncio
import contextlib

import psycopg
import pytest
from mcp import MCPError
from mcp.types import PaginatedRequestParams

from servers import ROOT, run
from sessions import with_session
from statements import active, until_async, waiting


def test_documents_are_resources(library):
    async def test(session):
        listed = (await session.list_resources()).resources
        uris = {resource.name: resource.uri for resource in listed}
        content = (await session.read_resource(uris["docs/faq.md"])).contents[0]
        assert content.text == (ROOT / "docs/faq.md").read_text()
        assert content.mime_type == "text/markdown"
        template = (await session.list_resource_templates()).resource_templates[0]
        assert uris["docs/faq.md"].startswith(template.uri_template.split("{")[0])
        for uri in ["passage://document/x", "file:///etc/passwd", f"{uris['docs/faq.md']}/../x"]:
            with pytest.raises(MCPError, match="no such document"):
                await session.read_resource(uri)

    with_session(library, test)


def test_the_list_of_resources_has_each_document_once(database):
    run(database, "init", "--no-embed")
    with psycopg.connect(database) as connection:
        connection.execute("INSERT INTO rag.documents (uri, collection) SELECT 'a' || n % 130, 'c' || n / 130 FROM generate_series(0, 259) AS n")
        expected = {f"passage://document/{id}" for (id,) in connection.execute("SELECT id FROM rag.documents")}

    async def test(session):
        listed, cursor = [], None
        while True:
            page = await session.list_resources(params=PaginatedRequestParams(cursor=cursor))
            listed += [resource.uri for resource in page.resources]
            cursor = page.next_cursor
            if cursor is None:
                break
            assert len(page.resources) == 100
        assert len(listed) == 260 and set(listed) == expected
        with pytest.raises(MCPError, match="the cursor is not one of this server"):
            await session.list_resources(params=PaginatedRequestParams(cursor="next"))

    with_session(database, test, "--no-embed")


def test_a_document_of_more_than_1_mib_is_read_in_parts(database):
    run(database, "init", "--no-embed")
    whole, long = "word " * 200_000, "word " * 220_000
    with psycopg.connect(database) as connection:
        for name, content in [("whole.txt", whole), ("long.txt", long)]:
            connection.execute("SELECT passage.ingest(uri => %s, text => %s)", [name, content])

    async def test(session):
        uris = {resource.name: resource.uri for resource in (await session.list_resources()).resources}
        assert (await session.read_resource(uris["whole.txt"])).contents[0].text == whole
        with pytest.raises(MCPError, match="more than 1048576 bytes; read parts of it with the tools outline and read_passage"):
            await session.read_resource(uris["long.txt"])

    with_session(database, test, "--no-embed")


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_cancelled_request_for_resources_ends_its_statement(handbook, transport):
    async def test(session):
        uri = (await session.list_resources()).resources[0].uri
        for request in [session.list_resources, lambda: session.read_resource(uri)]:
            with psycopg.connect(handbook) as lock:
                lock.execute("LOCK TABLE rag.documents")
                call = asyncio.create_task(request())
                await until_async(lambda: waiting(handbook) == 1)
                call.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await call
                await until_async(lambda: active(handbook) == 0)
        assert (await session.read_resource(uri)).contents

    with_session(handbook, test, "--no-embed", transport=transport)
