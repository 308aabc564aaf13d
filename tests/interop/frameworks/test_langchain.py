"""LangChain reads and writes a store with its own PGVectorStore, as docs/recipes/frameworks.md says."""

import documents
import pytest
from frameworks import recipe
from layouts.langchain_store import WordEmbeddings


@pytest.fixture
def session(database, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", database)
    session = {"embeddings": WordEmbeddings()}
    yield session
    if "pool" in session:
        session["pool"].close()
    if "engine" in session:
        session["engine"]._run_as_sync(session["engine"]._pool.dispose())


def test_the_retriever_of_the_page_returns_passages(connection, session):
    recipe.run(connection, session, "LangChain")

    assert session["documents"][0].metadata["uri"] == "handbook/logging.md"


def test_pgvectorstore_reads_the_chunks_of_a_store(connection, session):
    recipe.run(connection, session, "Read a store with LangChain's PGVectorStore")

    found = session["documents"]
    assert len(found) == 4 and {document.metadata["kind"] for document in found} == {"prose"}
    nearest = connection.execute(
        "SELECT chunk_id::text FROM passage.search_hits(embedding => %s::real[], filter => passage.filter(kind => 'prose'), max_hits => 4)",
        (documents.embed("how do I rotate a log by hand"),),
    ).fetchall()
    assert [document.id for document in found] == [chunk for (chunk,) in nearest]
    passages = connection.execute(
        "SELECT content FROM passage.reassemble(%s::uuid[])", ([document.id for document in found],)
    ).fetchall()
    assert passages
    store = session["store"]
    assert store.similarity_search("filters", k=3, filter={"ordinal": {"$lt": 1}})[0].metadata["ordinal"] == 0
    assert store.max_marginal_relevance_search("filters", k=2)
    assert store.get_by_ids([found[0].id])[0].page_content == found[0].page_content


def test_the_view_of_a_store_rejects_writes(connection, session):
    recipe.run(connection, session, "Read a store with LangChain's PGVectorStore")

    with pytest.raises(Exception, match="cannot insert into view"):
        session["store"].add_texts(["new"])
    with pytest.raises(Exception, match="cannot delete from view"):
        session["store"].delete([session["documents"][0].id])


def test_pgvectorstore_writes_the_chunks_of_a_store(connection, session):
    recipe.run(connection, session, "Write a store with LangChain's PGVectorStore")

    ids = session["ids"]
    assert [document.id for document in session["found"]] == [ids[2]]
    rows = connection.execute("SELECT id::text, ordinal, content, section FROM app.chunks ORDER BY ordinal").fetchall()
    assert rows == [
        (ids[0], 0, "Tea needs hot water.", ["Tea"]),
        (ids[2], 2, "Use boiling water for four minutes.", ["Tea", "Black"]),
    ]
    embedding = documents.embed("boiling")
    for function, argument in [("search", "'boiling', "), ("search_hits", "'boiling', "), ("fragments", "'boiling', ")]:
        statement = f"SELECT content FROM passage.{function}({argument}%s::real[], store => 'app')"
        assert "four minutes" in connection.execute(statement, (embedding,)).fetchone()[0]
    context = connection.execute(
        "SELECT role, content FROM passage.expand_context(%s::uuid, store => 'app') ORDER BY ordinal", (ids[2],)
    ).fetchall()
    assert context == [("parent", "Tea needs hot water."), ("hit", "Use boiling water for four minutes.")]
    assert connection.execute("SELECT outline FROM passage.outline(uri => 'tea.md', store => 'app')").fetchall()


def test_check_store_accepts_a_store_that_pgvectorstore_writes(connection, session):
    recipe.run(connection, session, "Write a store with LangChain's PGVectorStore")

    assert connection.execute("SELECT problem FROM passage.check_store('app')").fetchall() == []
    problems = connection.execute("SELECT problem FROM passage.check_store('app', data => true)").fetchall()
    assert [problem.split(":")[0] for (problem,) in problems] == ["ordinals are not dense from 0"]
