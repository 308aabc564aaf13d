"""A retriever for Haystack."""

import asyncio
from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.utils import Secret
from psycopg import Connection

from pg_passage.rows import Passage
from pg_passage.store import Store


@component
class PassageRetriever:
    """Returns the passages that answer a query as documents.

    A pipeline is saved as YAML, so the component has a connection string and not a connection. It connects at the
    first run, in autocommit mode, and again if the connection was closed. Haystack 3 loads a saved pipeline with
    `Pipeline.loads(text, allowed_modules=["pg_passage.haystack"])`. Connect `query_embedding` to an embedder;
    without it the search is by words.

    Args:
        connection_string: of the database, as psycopg accepts it.
        store: the schema of the store. None means the setting `passage.store`, which is `rag` by default.
        top_k: maximum number of passages.
        options: other arguments of `search`, such as `{"max_tokens": 2000, "filter": {"kind": "prose"}}`.

    Raises:
        psycopg.Error: see `Store`.

    >>> retriever = PassageRetriever(Secret.from_env_var("DATABASE_URL"), "rag", top_k=4)
    >>> documents = retriever.run("how do filters apply", options={"max_tokens": 2000})["documents"]
    >>> len(documents) <= 4
    True
    """

    def __init__(
        self,
        connection_string: Secret = Secret.from_env_var("DATABASE_URL"),
        store: str | None = None,
        top_k: int = 10,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.connection_string, self.store, self.top_k, self.options = connection_string, store, top_k, options or {}
        self._connection: Connection[Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns the component as a dict, without the connection."""
        secret = self.connection_string.to_dict()
        return default_to_dict(
            self, connection_string=secret, store=self.store, top_k=self.top_k, options=self.options
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "PassageRetriever":
        """Returns the component that `to_dict` described."""
        parameters = data["init_parameters"]
        parameters["connection_string"] = Secret.from_dict(parameters["connection_string"])
        return default_from_dict(cls, data)

    @component.output_types(documents=list[Document])
    def run(
        self,
        query: str,
        query_embedding: list[float] | None = None,
        top_k: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> dict[str, list[Document]]:
        """Returns `{"documents": [...]}`, best first. `top_k` and `options` override those of the component."""
        if self._connection is None or self._connection.closed:
            self._connection = Connection.connect(self.connection_string.resolve_value() or "", autocommit=True)
        merged = {"max_passages": self.top_k if top_k is None else top_k, **self.options, **(options or {})}
        passages = Store(self._connection, self.store).search(query, query_embedding, **merged)
        return {"documents": [_document(passage) for passage in passages]}

    @component.output_types(documents=list[Document])
    async def run_async(
        self,
        query: str,
        query_embedding: list[float] | None = None,
        top_k: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> dict[str, list[Document]]:
        """Returns what `run` returns, which it calls in a thread."""
        return await asyncio.to_thread(self.run, query, query_embedding, top_k, options)

    def close(self) -> None:
        """Closes the connection."""
        if self._connection is not None:
            self._connection.close()


def _document(passage: Passage) -> Document:
    meta = passage.properties()
    return Document(id=str((passage.hit_ids or passage.chunk_ids)[0]), content=passage.content, meta=meta, score=passage.score)
