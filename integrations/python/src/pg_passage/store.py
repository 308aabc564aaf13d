"""Calls through psycopg 3."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pg_passage.answer_methods import AnswerMethods
from pg_passage.arguments import Embed
from pg_passage.call import Call
from pg_passage.passage_methods import PassageMethods
from pg_passage.search_methods import SearchMethods

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg_pool import ConnectionPool


class Store(SearchMethods, PassageMethods, AnswerMethods):
    """A store, through a psycopg connection or pool of the caller.

    Args:
        source: a `psycopg.Connection` or a `psycopg_pool.ConnectionPool`. On a connection, a call is one statement of the
            transaction that the caller has, or begins one unless the connection is in autocommit mode. It never
            commits, and prepares nothing, so it works behind a transaction pooler. From a pool, each call takes a
            connection and returns it.
        name: the schema of the store. None means the setting `passage.store`, which is `rag` by default.
        embed: a function from a query to its embedding. `search`, `search_hits`, `fragments` and `rate` call it if they
            get a query without an embedding.

    An embedding is a sequence of numbers or a numpy array of one dimension, as long as the embeddings of the store. Only
    queries need one. Ids are `uuid.UUID` or their text. The keyword arguments are those of the SQL function, which
    `pg_passage.arguments` lists with their units and ranges; the groups `filter`, `limits`, `ranking` and `output` are
    dicts.

    Raises:
        psycopg.Error: PostgreSQL rejects the call. psycopg has a class for each SQLSTATE: `InvalidParameterValue` for a
            value out of range, `InvalidSchemaName` for a missing store. The HINT is `error.diag.message_hint`.
        TypeError: the function does not have the argument.

    >>> store = Store(connection, "rag", embed=embed)
    >>> store.search("how do filters apply", max_tokens=1000, filter={"uri": "docs/guides/search.md"})[0].uri
    'docs/guides/search.md'
    """

    def __init__(
        self, source: "Connection[Any] | ConnectionPool[Any]", name: str | None = None, *, embed: Embed | None = None
    ) -> None:
        self.source, self.name, self.embed = source, name, embed

    def _call(self, function: str, returns: Any, accepted: type | None, options: Mapping[str, Any], **named: Any) -> Any:
        from psycopg import Connection

        call = Call(function, returns, accepted, {"store": self.name, **named}, options)
        question = call.question()
        if self.embed and question is not None:
            call.arguments["embedding"] = self.embed(question)
        if isinstance(self.source, Connection):
            return _execute(self.source, call)
        with self.source.connection() as connection:
            return _execute(connection, call)


def _execute(connection: "Connection[Any]", call: Call) -> Any:
    from psycopg import Cursor
    from psycopg.rows import tuple_row

    # Not `connection.cursor()`: that has the placeholders and rows that the caller chose.
    with Cursor(connection, row_factory=tuple_row) as cursor:
        return call.read(cursor.execute(call.sql(lambda number: "%s").encode(), call.values(), prepare=False).fetchall())
