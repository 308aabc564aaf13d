"""A retriever for LangChain."""

from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from pg_passage.async_store import AsyncStore, search
from pg_passage.rows import Passage
from pg_passage.store import Store


class PassageRetriever(BaseRetriever):
    """Returns the passages that answer a query as documents.

    Args:
        store: `invoke` needs a `Store`. `ainvoke` also accepts an `AsyncStore`; it calls a `Store` in a thread.
        embeddings: embeds the query. Without it the search is by words, or by `embed` of the store.
        k: maximum number of passages.
        options: other arguments of `search`. Keyword arguments of `invoke` override them.

    Raises:
        psycopg.Error, asyncpg.PostgresError: see `Store` and `AsyncStore`.
        TypeError: `invoke` was called with an `AsyncStore`.

    >>> retriever = PassageRetriever(store=Store(pool), embeddings=embeddings, k=4)
    >>> documents = retriever.invoke("how do filters apply", filter={"kind": "prose"})
    >>> documents[0].metadata["source"] == documents[0].metadata["uri"]
    True
    """

    store: Store | AsyncStore
    embeddings: Embeddings | None = None
    k: int = 4
    options: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        if isinstance(self.store, AsyncStore):
            raise TypeError("invoke() needs a Store; with an AsyncStore call ainvoke()")
        embedding = self.embeddings.embed_query(query) if self.embeddings else None
        return _documents(self.store.search(query, embedding, **self._options(**options)))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        embedding = await self.embeddings.aembed_query(query) if self.embeddings else None
        return _documents(await search(self.store, query, embedding, **self._options(**options)))

    def _options(self, k: int | None = None, **options: Any) -> dict[str, Any]:
        return {"max_passages": self.k if k is None else k, **self.options, **options}


def _documents(passages: list[Passage]) -> list[Document]:
    return [
        Document(id=str((passage.hit_ids or passage.chunk_ids)[0]), page_content=passage.content, metadata=passage.properties())
        for passage in passages
    ]
