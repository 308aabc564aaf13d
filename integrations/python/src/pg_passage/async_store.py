"""Calls through asyncpg, or through psycopg 3 without blocking."""

import asyncio
import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

from pg_passage.arguments import Vector
from pg_passage.call import Call
from pg_passage.rows import Passage
from pg_passage.store import Store

if TYPE_CHECKING:
    import asyncpg
    from psycopg import AsyncConnection
    from psycopg_pool import AsyncConnectionPool

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def _awaited(
    method: Callable[Concatenate[Store, Parameters], Result],
) -> Callable[Concatenate["AsyncStore", Parameters], Awaitable[Result]]:
    """Returns a method of `Store` whose last step, `_call`, is awaited."""

    @functools.wraps(method)
    async def call(self: Any, *arguments: Any, **options: Any) -> Any:
        return await method(self, *arguments, **options)  # type: ignore[misc]

    return cast(Any, call)


class AsyncStore:
    """A store as `Store`, with the same methods, which are awaited.

    Args:
        source: an `asyncpg.Connection`, an `asyncpg.Pool`, a `psycopg.AsyncConnection` or a
            `psycopg_pool.AsyncConnectionPool`. asyncpg prepares each statement: behind a transaction pooler, connect with
            `statement_cache_size=0`.
        name: the schema of the store. None means the setting `passage.store`, which is `rag` by default.
        embed: a function from a query to its embedding, which may be a coroutine function.

    Raises:
        asyncpg.PostgresError, psycopg.Error: PostgreSQL rejects the call. The HINT is `error.hint` in asyncpg, and
            `error.diag.message_hint` in psycopg.
        TypeError: the function does not have the argument.

    >>> async with asyncpg.create_pool(DATABASE_URL) as pool:
    ...     passages = await AsyncStore(pool, "rag", embed=embed).search("how do filters apply", max_tokens=1000)
    """

    def __init__(
        self,
        source: "asyncpg.Connection | asyncpg.Pool | AsyncConnection[Any] | AsyncConnectionPool[Any]",
        name: str | None = None,
        *,
        embed: Callable[[str], Vector | Awaitable[Vector]] | None = None,
    ) -> None:
        self.source, self.name, self.embed = source, name, embed

    search = _awaited(Store.search)
    search_hits = _awaited(Store.search_hits)
    fragments = _awaited(Store.fragments)
    similar = _awaited(Store.similar)
    reassemble = _awaited(Store.reassemble)
    expand_context = _awaited(Store.expand_context)
    expand_contexts = _awaited(Store.expand_contexts)
    assemble = _awaited(Store.assemble)
    outline = _awaited(Store.outline)
    links = _awaited(Store.links)
    backlinks = _awaited(Store.backlinks)
    prompt = _awaited(Store.prompt)
    check_citations = _awaited(Store.check_citations)
    rate = _awaited(Store.rate)

    async def _call(
        self, function: str, returns: Any, accepted: type | None, options: Mapping[str, Any], **named: Any
    ) -> Any:
        call = Call(function, returns, accepted, {"store": self.name, **named}, options)
        question = call.question()
        if self.embed and question is not None:
            embedding = self.embed(question)
            call.arguments["embedding"] = await embedding if inspect.isawaitable(embedding) else embedding
        source: Any = self.source
        if hasattr(source, "fetch"):
            return call.read(await source.fetch(call.sql(lambda number: f"${number}"), *call.values()))
        from psycopg import AsyncConnection

        if isinstance(source, AsyncConnection):
            return await _execute(source, call)
        async with source.connection() as connection:
            return await _execute(connection, call)


async def search(store: Store | AsyncStore, query: str, embedding: Vector | None, **options: Any) -> list[Passage]:
    """Returns the passages of either kind of store without blocking."""
    if isinstance(store, AsyncStore):
        return await store.search(query, embedding, **options)
    return await asyncio.to_thread(store.search, query, embedding, **options)


async def _execute(connection: "AsyncConnection[Any]", call: Call) -> Any:
    from psycopg import AsyncCursor
    from psycopg.rows import tuple_row

    # Not `connection.cursor()`: that has the placeholders and rows that the caller chose.
    async with AsyncCursor(connection, row_factory=tuple_row) as cursor:
        await cursor.execute(call.sql(lambda number: "%s").encode(), call.values(), prepare=False)
        return call.read(await cursor.fetchall())
