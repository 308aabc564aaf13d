"""The methods of a store that search."""

from typing import Unpack

from pg_passage import arguments, rows
from pg_passage.arguments import Id, Vector
from pg_passage.call import Methods


class SearchMethods(Methods):
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
        return self._call("search", list[rows.Passage], arguments.Search, options, query=query, embedding=embedding)

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
        return self._call("search_hits", list[rows.Hit], arguments.SearchHits, options, query=query, embedding=embedding)

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
        return self._call("fragments", list[rows.Fragment], arguments.Fragments, options, query=query, embedding=embedding)

    def similar(
        self, chunk_id: Id | None = None, document_id: Id | None = None, **options: Unpack[arguments.Similar]
    ) -> list[rows.Hit]:
        """Returns chunks like a chunk, or documents like a document, each with its most similar chunk, best first.

        Args:
            chunk_id: the chunk that others are compared with. Either this or `document_id` is required.
            document_id: the document that others are compared with, by its first 1,000 chunks.
            options: the keys of `arguments.Similar`: `collection`, `max_hits` (10 by default), `filter`, `ranking` and `by`.

        Raises:
            psycopg.Error: see `Store`. Both ids, or neither, are an `InvalidParameterValue`.

        >>> hit = store.search_hits("row-level security", max_hits=1)[0]
        >>> hit.chunk_id in [other.chunk_id for other in store.similar(hit.chunk_id, max_hits=3)]
        False
        """
        named = {"chunk_id": chunk_id, "document_id": document_id}
        return self._call("similar", list[rows.Hit], arguments.Similar, options, **named)
