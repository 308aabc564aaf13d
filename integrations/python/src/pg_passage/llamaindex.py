"""A retriever for LlamaIndex."""

from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode

from pg_passage.async_store import AsyncStore, search
from pg_passage.rows import Passage
from pg_passage.store import Store


class PassageRetriever(BaseRetriever):
    """Returns the passages that answer a query as nodes with scores.

    Args:
        store: `retrieve` needs a `Store`. `aretrieve` also accepts an `AsyncStore`; it calls a `Store` in a thread.
        embed_model: embeds the query, unless the query has an embedding. Without both the search is by words, or by `embed`
            of the store.
        similarity_top_k: maximum number of passages.
        options: other arguments of `search`.
        base: arguments of `BaseRetriever`.

    A language model sees only uri, title and lines of the metadata.

    Raises:
        psycopg.Error, asyncpg.PostgresError: see `Store` and `AsyncStore`.
        TypeError: `retrieve` was called with an `AsyncStore`.

    >>> retriever = PassageRetriever(Store(pool), embed_model, similarity_top_k=4)
    >>> nodes = retriever.retrieve("how do filters apply")
    >>> len(nodes) <= 4
    True
    """

    def __init__(
        self,
        store: Store | AsyncStore,
        embed_model: BaseEmbedding | None = None,
        similarity_top_k: int = 4,
        options: dict[str, Any] | None = None,
        **base: Any,
    ) -> None:
        super().__init__(**base)
        self.store, self.embed_model = store, embed_model
        self.options = {"max_passages": similarity_top_k, **(options or {})}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        if isinstance(self.store, AsyncStore):
            raise TypeError("retrieve() needs a Store; with an AsyncStore call aretrieve()")
        embedding = query_bundle.embedding
        if embedding is None and self.embed_model is not None:
            embedding = self.embed_model.get_agg_embedding_from_queries(query_bundle.embedding_strs)
        return [_node(passage) for passage in self.store.search(query_bundle.query_str, embedding, **self.options)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        embedding = query_bundle.embedding
        if embedding is None and self.embed_model is not None:
            embedding = await self.embed_model.aget_agg_embedding_from_queries(query_bundle.embedding_strs)
        passages = await search(self.store, query_bundle.query_str, embedding, **self.options)
        return [_node(passage) for passage in passages]


def _node(passage: Passage) -> NodeWithScore:
    metadata = passage.properties()
    hidden = [key for key in metadata if key not in ("uri", "title", "first_line", "last_line")]
    node = TextNode(
        id_=str((passage.hit_ids or passage.chunk_ids)[0]),
        text=passage.content,
        metadata=metadata,
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=str(passage.document_id))},
    )
    return NodeWithScore(node=node, score=passage.score)
