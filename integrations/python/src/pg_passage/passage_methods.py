"""The methods of a store that make passages of hits, and that read a document."""

from collections.abc import Iterable
from typing import Unpack

from pg_passage import arguments, rows
from pg_passage.arguments import Id, Scores
from pg_passage.call import Methods


class PassageMethods(Methods):
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
        named = {"chunk_ids": chunk_ids, "scores": scores}
        return self._call("reassemble", list[rows.Passage], arguments.Reassemble, options, **named)

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
        return self._call("expand_context", list[rows.ContextChunk], arguments.Expansion, options, chunk_id=chunk_id)

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
        named = {"chunk_ids": chunk_ids, "scores": scores}
        return self._call("expand_contexts", list[rows.ContextChunk], arguments.Expansion, options, **named)

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
        return self._call("assemble", str, None, {}, document_id=document_id, chunk_ids=chunk_ids, separator=separator)

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
        return self._call("outline", list[rows.OutlineSection], arguments.Outline, options, uri=uri, hit_ids=hit_ids)

    def links(self, chunk_id: Id | None = None, document_id: Id | None = None, uri: str | None = None) -> list[rows.Link]:
        """Returns the links of a chunk or a document in their order, with the documents and chunks that they lead to.

        Args:
            chunk_id: the chunk with the links. None takes all of the document.
            document_id: the document with the links.
            uri: the same by its uri. One of the three is required.

        Raises:
            psycopg.Error: see `Store`. None of the three is an `InvalidParameterValue`.

        >>> "docs/guides/security.md" in [link.to_uri for link in store.links(uri="docs/faq.md")]
        True
        """
        return self._call("links", list[rows.Link], None, {}, chunk_id=chunk_id, document_id=document_id, uri=uri)

    def backlinks(
        self, chunk_id: Id | None = None, document_id: Id | None = None, uri: str | None = None
    ) -> list[rows.Link]:
        """Returns the links of other documents that lead to a chunk or a document, in the order of their documents.

        Args:
            chunk_id: the chunk that the links lead to. None takes all of the document.
            document_id: the document that the links lead to.
            uri: the same by its uri. One of the three is required.

        Raises:
            psycopg.Error: see `Store`. None of the three is an `InvalidParameterValue`.

        >>> "docs/faq.md" in [link.from_uri for link in store.backlinks(uri="docs/guides/security.md")]
        True
        """
        return self._call("backlinks", list[rows.Link], None, {}, chunk_id=chunk_id, document_id=document_id, uri=uri)
