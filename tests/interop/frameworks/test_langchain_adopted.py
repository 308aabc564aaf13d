"""Sections and collections of LangChain in an adopted store."""

import uuid

import psycopg
from frameworks import adopted, recipe
from layouts.langchain_pgvector import LangChainPGVector
from langchain_core.documents import Document
from layouts.langchain_store import LangChainStore, WordEmbeddings


def test_sections_are_the_headings_of_the_splitter(database):
    with adopted.adopted(LangChainStore(database, headers=True), database) as connection:
        sections = {tuple(row[5]) for row in adopted.chunks(connection) if row[0] == "docs/guides/search.md"}
        assert ("Search", "Ranking") in sections and ("Search", "Filters") in sections


def test_collections_of_pgvector_are_collections_of_the_store(database):
    with adopted.adopted(LangChainPGVector(database), database) as connection:
        assert connection.execute("SELECT DISTINCT collection FROM app.documents").fetchall() == [("pages",)]


def test_a_deleted_collection_of_pgvector_leaves_no_chunks(database):
    layout = LangChainPGVector(database)
    with adopted.adopted(layout, database) as connection:
        layout.store.delete_collection()

        assert adopted.chunks(connection) == []
        assert connection.execute("SELECT count(*) FROM app.documents").fetchone() == (0,)


def test_who_comes_from_langchain_gets_passages_of_the_same_chunks(database, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", database)
    session = {"embeddings": WordEmbeddings()}
    recipe.come_from(LangChainStore(database), session, "LangChain")
    session["engine"]._run_as_sync(session["engine"].close())
    session["pool"].close()

    ids = {chunk for passage in session["passages"] for chunk in passage.metadata["source_ids"]}
    with psycopg.connect(database) as connection:
        known = connection.execute("SELECT langchain_id::text FROM lc_chunks WHERE langchain_id::text = ANY (%s)", [list(ids)])
        assert {id for (id,) in known} == ids
    assert session["passages"][0].metadata["score"] > 0


def test_citations_count_the_pages_of_a_loader_from_one(database):
    layout = LangChainStore(database)
    with adopted.adopted(layout, database) as connection:
        # As PyPDFLoader writes them: from 0, with the label that is printed on the page.
        pages = [
            Document(
                id=str(uuid.uuid5(uuid.NAMESPACE_URL, str(number))),
                page_content=f"The witness of a quorum is on sheet {number}.",
                metadata={"source": "guide.pdf", "total_pages": 2, "page": number, "page_label": str(number + 1)},
            )
            for number in range(2)
        ]
        layout.store.add_documents(pages, ids=[page.id for page in pages])
        (citations,) = connection.execute(
            "SELECT citations FROM passage.search('witness of a quorum', store => 'app') WHERE uri = 'guide.pdf'"
        ).fetchone()
        assert [citation["page"] for citation in citations] == [1, 2]
