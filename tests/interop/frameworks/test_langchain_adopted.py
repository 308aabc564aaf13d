"""The tables of LangChain, adopted by one call and changed by LangChain's own code."""

import documents
import pytest
from frameworks import adopted, client
from layouts.langchain_pgvector import LangChainPGVector
from layouts.langchain_store import LangChainStore

LAYOUTS = {
    "PGVectorStore": lambda url: LangChainStore(url),
    "PGVectorStore with columns": lambda url: LangChainStore(url, columns=True, id_type="VARCHAR"),
    "PGVector": LangChainPGVector,
}


@pytest.fixture(params=LAYOUTS)
def layout(request, database):
    return LAYOUTS[request.param](database)


def columns(layout):
    return {"content": "document"} if isinstance(layout, LangChainPGVector) else {}


def test_functions_answer_on_the_adopted_table(layout, database):
    with adopted.adopted(layout, database) as connection:
        adopted.check_all(layout, connection, documents.texts(), **columns(layout))


def test_commands_of_the_client_answer_on_the_adopted_table(layout, database):
    with adopted.adopted(layout, database) as connection:
        client.check(layout, connection, database)


def test_the_store_follows_changes(layout, database):
    with adopted.adopted(layout, database) as connection:
        adopted.check_changes(layout, connection, documents.texts(), **columns(layout))


def test_unadopt_leaves_the_table_to_langchain(layout, database):
    with adopted.adopted(layout, database) as connection:
        adopted.check_unadopt(layout, connection)


def test_the_framework_drops_and_creates_its_table_again(layout, database):
    with adopted.adopted(layout, database) as connection:
        adopted.check_recreated(layout, connection)


def test_the_order_of_rows_that_are_split_by_headers_is_that_of_the_document(database):
    layout = LangChainStore(database, headers=True)
    with adopted.adopted(layout, database) as connection:
        adopted.check_all(layout, connection, documents.texts())
        adopted.check_changes(layout, connection, documents.texts())


def test_sections_are_the_headings_of_the_splitter(database):
    with adopted.adopted(LangChainStore(database, headers=True), database) as connection:
        sections = {tuple(row[5]) for row in adopted.chunks(connection) if row[0] == "docs/guides/search.md"}
        assert ("Search", "Ranking") in sections and ("Search", "Filters") in sections


def test_collections_of_pgvector_are_collections_of_the_store(database):
    with adopted.adopted(LangChainPGVector(database), database) as connection:
        assert connection.execute("SELECT DISTINCT collection FROM app.documents").fetchall() == [("pages",)]
