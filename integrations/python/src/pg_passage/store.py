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

    Args:
        source: a `psycopg.Connection` or a `psycopg_pool.ConnectionPool`. On a connection, a call is one statement of the
            transaction that the caller has, or begins one unless the connection is in autocommit mode. It never
            commits, and prepares nothing, so it works behind a transaction pooler. From a pool, each call takes a
            connection and returns it.
        name: the schema of the store. None means the setting `passage.store`, which is `rag` by default.
        embed: a function from a query to its embedding. `search`, `search_hits` and `fragments` call it if they get a
            query without an embedding.

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

    def search(
        self, query: str | None = None, embedding: Vector | None = None, **options: Unpack[arguments.Search]
    ) -> list[rows.Passage]:
        """Returns the passages that answer a query, best first.

        Args:
            query: words, "phrases" and -excluded words. None searches by the embedding alone.
            embedding: vector of the query. Without it, and without `embed` of the store, the search is by words.
            options: the keys of `arguments.Search`, such as `max_passages` (10 by default), `max_tokens` (4,096 tokens by
                default, 0 for no limit), `strategy`, and the groups `filter`, `limits`, `ranking` and `output`.

        Raises:
            psycopg.Error: see `Store`.

        >>> passages = store.search("row-level security", max_passages=3, limits={"parents": 2})
        >>> len(passages)
        3
        """
        return self._call("search", rows.Passage, arguments.Search, options, query=query, embedding=embedding)

    def search_hits(
        self, query: str | None = None, embedding: Vector | None = None, **options: Unpack[arguments.SearchHits]
    ) -> list[rows.Hit]:
        """Returns the chunks that answer a query, best first, for example to rank them again.

        Args:
            query: words, "phrases" and -excluded words. None searches by the embedding alone.
            embedding: vector of the query, as in `search`.
            options: the keys of `arguments.SearchHits`: `collection`, `max_hits` (10 by default), `filter`, `ranking` and
                `skip`.

        Raises:
            psycopg.Error: see `Store`.

        >>> hits = store.search_hits('filters "row-level security" -backup', max_hits=50)
        >>> hits[0].rank
        1
        """
        return self._call("search_hits", rows.Hit, arguments.SearchHits, options, query=query, embedding=embedding)

    def fragments(
        self, query: str | None = None, embedding: Vector | None = None, **options: Unpack[arguments.Fragments]
    ) -> list[rows.Fragment]:
        """Returns whole lines that answer a query, best first: of one document, or without one of the store.

        Args:
            query: words and "phrases".
            embedding: vector of the query, as in `search`.
            options: the keys of `arguments.Fragments`, such as `uri` or `document_id` of one document, `max_fragments` (5
                by default) and `max_tokens` (700 tokens by default).

        Raises:
            psycopg.Error: see `Store`. A `uri` in several collections is an `InvalidParameterValue`.

        >>> store.fragments("who may read embeddings", uri="docs/guides/security.md", max_tokens=90)[0].uri
        'docs/guides/security.md'
        """
        return self._call("fragments", rows.Fragment, arguments.Fragments, options, query=query, embedding=embedding)

    def reassemble(
        self, chunk_ids: Iterable[Id], scores: Scores | None = None, **options: Unpack[arguments.Reassemble]
    ) -> list[rows.Passage]:
        """Returns the passages that hits belong to, best first. Hits near each other in a document share a passage.

        Args:
            chunk_ids: ids of the hits. Unknown ids give no rows.
            scores: one for each id, higher is better. Without it the order of the ids ranks them.
            options: the keys of `arguments.Reassemble`, such as `max_tokens`, `strategy`, `limits` and `output`. Limits
                never drop a hit.

        Raises:
            psycopg.Error: see `Store`. Another number of scores is an `InvalidParameterValue`.

        >>> hits = store.search_hits("filters", max_hits=50)
        >>> passages = store.reassemble([hit.chunk_id for hit in hits], [hit.score for hit in hits], max_tokens=2000)
        >>> passages[0].rank
        1
        """
        return self._call("reassemble", rows.Passage, arguments.Reassemble, options, chunk_ids=chunk_ids, scores=scores)

    def expand_context(self, chunk_id: Id, **options: Unpack[arguments.Expansion]) -> list[rows.ContextChunk]:
        """Returns one hit with its context, in the order of the document.

        Args:
            chunk_id: id of the hit. An unknown id gives an empty list.
            options: the keys of `arguments.Expansion`: `strategy`, `max_tokens`, `max_chunks` and `limits`.

        Raises:
            psycopg.Error: see `Store`.

        >>> hit = store.search_hits("filters", max_hits=1)[0]
        >>> sum(chunk.role == "hit" for chunk in store.expand_context(hit.chunk_id, strategy="reassembly"))
        1
        """
        return self._call("expand_context", rows.ContextChunk, arguments.Expansion, options, chunk_id=chunk_id)

    def expand_contexts(
        self, chunk_ids: Iterable[Id], scores: Scores | None = None, **options: Unpack[arguments.Expansion]
    ) -> list[rows.ContextChunk]:
        """Returns hits with their context, each chunk once.

        The document with the best score is first; the chunks of a document have its order.

        Args:
            chunk_ids: ids of the hits. Unknown ids give no rows.
            scores: one for each id, as in `reassemble`.
            options: the keys of `arguments.Expansion`, as in `expand_context`.

        Raises:
            psycopg.Error: see `Store`.

        >>> hits = store.search_hits("filters", max_hits=5)
        >>> chunks = store.expand_contexts([hit.chunk_id for hit in hits], limits={"before": 1, "after": 1})
        >>> sum(chunk.role == "hit" for chunk in chunks)
        5
        """
        return self._call("expand_contexts", rows.ContextChunk, arguments.Expansion, options, chunk_ids=chunk_ids, scores=scores)

    def assemble(self, document_id: Id, chunk_ids: Iterable[Id], separator: str | None = None) -> str | None:
        """Returns the text of chunks of one document, or None for an unknown document.

        Args:
            document_id: the document.
            chunk_ids: its chunks, in any order. Ids that the document does not have are skipped.
            separator: text between chunks that do not touch. None takes that of the media type.

        Raises:
            psycopg.Error: see `Store`.

        >>> passage = store.search("filters", max_passages=1)[0]
        >>> passage.content.startswith(store.assemble(passage.document_id, passage.chunk_ids[:1]).strip()[:40])
        True
        """
        return self._call("assemble", None, None, {}, document_id=document_id, chunk_ids=chunk_ids, separator=separator)

    def outline(
        self, uri: Id, hit_ids: Iterable[Id] | None = None, **options: Unpack[arguments.Outline]
    ) -> list[rows.OutlineSection]:
        """Returns the sections of a document, in its order.

        Args:
            uri: uri of the document, or its id.
            hit_ids: chunks whose sections `outline` marks with an asterisk, and `hits` counts.
            options: the keys of `arguments.Outline`: `collection` and `version`, if several documents have the uri.

        Raises:
            psycopg.Error: see `Store`. A `uri` in several collections is an `InvalidParameterValue`.

        >>> print(store.outline("docs/guides/search.md")[0].outline)
        Search
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
        return call.read(cursor.execute(call.sql(lambda number: "%s").encode(), call.values, prepare=False).fetchall())
