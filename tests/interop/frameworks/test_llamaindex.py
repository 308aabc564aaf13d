"""LlamaIndex reads a store with its own PGVectorStore, as docs/recipes/frameworks.md says."""

import documents
import pytest
from frameworks import recipe
from layouts.llamaindex import LlamaIndex, WordEmbedding


@pytest.fixture
def session(database, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", database)
    session = {"embed_model": WordEmbedding(model_name="words")}
    yield session
    if "pool" in session:
        session["pool"].close()


def test_the_retriever_of_the_page_returns_passages(connection, session):
    recipe.run(connection, session, "LlamaIndex")

    assert session["nodes"][0].metadata["uri"] == "handbook/logging.md"


def test_pgvectorstore_reads_the_chunks_of_a_store(connection, session):
    recipe.run(connection, session, "Read a store with LlamaIndex's PGVectorStore")

    nodes = session["nodes"]
    nearest = connection.execute(
        "SELECT chunk_id::text FROM passage.search_hits(embedding => %s::real[], filter => passage.filter(kind => 'prose'), max_hits => 4)",
        (documents.embed("how do I rotate a log by hand"),),
    ).fetchall()
    assert [node.node_id for node in nodes] == [chunk for (chunk,) in nearest]
    assert nodes[0].metadata["section"] and nodes[0].text
    assert connection.execute("SELECT content FROM passage.reassemble(%s::uuid[])", ([nodes[0].node_id],)).fetchone()
    session["store"]._engine.dispose()


async def test_pgvectorstore_reads_a_store_asynchronously(connection, session):
    recipe.run(connection, session, "Read a store with LlamaIndex's PGVectorStore")

    found = await session["retriever"].aretrieve("how do I rotate a log by hand")

    assert [node.node_id for node in found] == [node.node_id for node in session["nodes"]]
    await session["store"].close()


def test_who_comes_from_llamaindex_gets_passages_of_the_same_nodes(database, session):
    recipe.come_from(LlamaIndex(database), session, "LlamaIndex")

    ids = [chunk for passage in session["passages"] for chunk in passage.metadata["source_ids"]]
    every_node = session["index"].as_retriever(similarity_top_k=1000).retrieve("how do filters apply")
    assert ids and set(ids) <= {node.node_id for node in every_node}
    session["vector_store"]._engine.dispose()
