"""Sessions of the official client of MCP with a new server."""

import asyncio
import contextlib
import os

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from servers import CLIENT, serving


@contextlib.asynccontextmanager
async def connected(url, transport, *options):
    """Connects a client to a new server, and yields its session."""
    async with contextlib.AsyncExitStack() as stack:
        if transport == "stdio":
            environment = {**os.environ, "DATABASE_URL": url}
            server = StdioServerParameters(command=CLIENT, args=["mcp", *options], env=environment)
            streams = await stack.enter_async_context(stdio_client(server))
        else:
            address = stack.enter_context(serving(url, "mcp", "--http", "127.0.0.1:0", *options))
            streams = await stack.enter_async_context(streamable_http_client(address))
        session = await stack.enter_async_context(ClientSession(*streams[:2]))
        await session.initialize()
        yield session


def with_session(url, test, *options, transport="stdio"):
    """Runs a test with a session."""

    async def main():
        async with connected(url, transport, *options) as session:
            return await test(session)

    return asyncio.run(main())


def text(result):
    return "".join(content.text for content in result.content)
