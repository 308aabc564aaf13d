"""Calls through psycopg 3."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack
from uuid import UUID

from pg_passage import arguments, rows
from pg_passage.call import Call, given

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg_pool import ConnectionPool

Id = UUID | str
Scores = Iterable[float | None]
Vector = Sequence[float]
Embed = Callable[[str], Vector]


class Store:
    """A store, through a psycopg connection or pool of the caller.

    `source` is a `psycopg.Connection` or a `psycopg_pool.ConnectionPool`. On a connection, a call is one statement of
    the transaction that the caller has, or begins one unless the connection is in autocommit mode. It never commits,
    and prepares nothing, so it works behind a transaction pooler. From a pool, each call takes a connection and gives
    it back.

    `name` is the schema of the store; None means the setting `passage.store`. `embed` is an optional function from a
    query to its embedding. `search`, `search_hits` and `fragments` call it if they get a query without an embedding.

    An embedding is a sequence of floats or a numpy array of one dimension, as long as the embeddings of the store.
    Only queries need one. Ids are `uuid.UUID` or their text. The keyword arguments are those of the SQL function; the
    groups `filter`, `limits`, `ranking` and `output` are dicts, whose keys `pg_passage.arguments` lists.

    Errors of PostgreSQL arrive as psycopg raises them, with their HINT: `error.diag.message_hint`. An argument that
    the function does not have is a `TypeError`.

        >>> store = Store(connection, "rag", embed=model.encode)
        >>> store.search("how to rotate a log", max_tokens=1000, filter={"kind": "prose"})[0].uri
        'handbook/logging.md'
    """

    def __init__(
        self, source: "Connection[Any] | ConnectionPool[Any]", name: str | None = None, *, embed: Embed | None = None
    ) -> None:
        self.source, self.name, self.embed = source, name, embed

    def search(
        self, query: str | None = None, embedding: Vector | None = None, **options: Unpack[arguments.Search]
    ) -> list[rows.Passage]:
        """Returns the passages that answer a query, best first.

        >>> store.search("signal USR1", max_passages=3, limits={"parents": 2})
        """
        return self._call("search", rows.Passage, arguments.Search, options, query=query, embedding=embedding)

    def search_hits(
        self, query: str | None = None, embedding: Vector | None = None, **options: Unpack[arguments.SearchHits]
    ) -> list[rows.Hit]:
        """Returns the chunks that answer a query, best first, for example to rank them again.

        >>> store.search_hits('rotation "disk space" -backup', max_hits=50)
        """
        return self._call("search_hits", rows.Hit, arguments.SearchHits, options, query=query, embedding=embedding)

    def fragments(
        self, query: str | None = None, embedding: Vector | None = None, **options: Unpack[arguments.Fragments]
    ) -> list[rows.Fragment]:
        """Returns whole lines that answer a query, best first: of one document, or without one of the store.

        >>> store.fragments("who reviews warnings", uri="handbook/logging.md", max_tokens=90)
        """
        return self._call("fragments", rows.Fragment, arguments.Fragments, options, query=query, embedding=embedding)

    def reassemble(
        self, chunk_ids: Iterable[Id], scores: Scores | None = None, **options: Unpack[arguments.Reassemble]
    ) -> list[rows.Passage]:
        """Returns the passages that hits belong to, best first.

        `scores` has one number for each id, higher is better. Without it the order of the ids ranks them.

        >>> hits = store.search_hits("full disk", max_hits=50)
        >>> store.reassemble([hit.chunk_id for hit in hits], rank_again(hits), max_tokens=2000)
        """
        return self._call("reassemble", rows.Passage, arguments.Reassemble, options, chunk_ids=chunk_ids, scores=scores)

    def expand_context(self, chunk_id: Id, **options: Unpack[arguments.Expansion]) -> list[rows.ContextChunk]:
        """Returns one hit with its context, in the order of the document. An unknown id gives an empty list.

        >>> [chunk.role for chunk in store.expand_context(hit.chunk_id, strategy="reassembly")]
        """
        return self._call("expand_context", rows.ContextChunk, arguments.Expansion, options, chunk_id=chunk_id)

    def expand_contexts(
        self, chunk_ids: Iterable[Id], scores: Scores | None = None, **options: Unpack[arguments.Expansion]
    ) -> list[rows.ContextChunk]:
        """Returns hits with their context, each chunk once. `scores` is as in `reassemble`.

        >>> store.expand_contexts([hit.chunk_id for hit in hits], limits={"before": 1, "after": 1})
        """
        return self._call("expand_contexts", rows.ContextChunk, arguments.Expansion, options, chunk_ids=chunk_ids, scores=scores)

    def assemble(self, document_id: Id, chunk_ids: Iterable[Id], separator: str | None = None) -> str | None:
        """Returns the text of chunks of one document, or None for an unknown document.

        >>> store.assemble(passage.document_id, passage.chunk_ids)
        """
        return self._call("assemble", None, None, {}, document_id=document_id, chunk_ids=chunk_ids, separator=separator)

    def outline(
        self, uri: Id, hit_ids: Iterable[Id] | None = None, **options: Unpack[arguments.Outline]
    ) -> list[rows.OutlineSection]:
        """Returns the sections of a document, by its uri or its id, in the order of the document.

        >>> [section.outline for section in store.outline("handbook/logging.md")]
        """
        return self._call("outline", rows.OutlineSection, arguments.Outline, options, uri=uri, hit_ids=hit_ids)

    def _call(
        self, function: str, row_type: type | None, accepted: type | None, options: Mapping[str, Any], **named: Any
    ) -> Any:
        from psycopg import Connection

        values = {**given(**named, store=self.name), **options}
        if self.embed and embeds(values):
            values["embedding"] = self.embed(values["query"])
        call = Call(function, row_type, accepted, values)
        if isinstance(self.source, Connection):
            return _execute(self.source, call)
        with self.source.connection() as connection:
            return _execute(connection, call)


def embeds(values: Mapping[str, Any]) -> bool:
    """Returns whether a call has a query that needs an embedding."""
    by_words = (values.get("ranking") or {}).get("mode") == "text"
    return "query" in values and "embedding" not in values and not by_words


def _execute(connection: "Connection[Any]", call: Call) -> Any:
    from psycopg import Cursor
    from psycopg.rows import tuple_row

    # Not `connection.cursor()`: that has the placeholders and rows that the caller chose.
    with Cursor(connection, row_factory=tuple_row) as cursor:
        return call.read(cursor.execute(call.sql(lambda number: "%s"), call.values, prepare=False).fetchall())
