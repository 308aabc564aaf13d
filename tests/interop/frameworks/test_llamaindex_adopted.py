"""The table of LlamaIndex, adopted by one call and changed by LlamaIndex' own code."""

import documents
import pytest
from frameworks import adopted, client
from layouts.llamaindex import LlamaIndex

LAYOUTS = {"json": lambda url: LlamaIndex(url), "jsonb and hybrid": lambda url: LlamaIndex(url, jsonb=True, hybrid=True)}


@pytest.fixture(params=LAYOUTS)
def layout(request, database):
    return LAYOUTS[request.param](database)


def test_functions_answer_on_the_adopted_table(layout, database):
    with adopted.adopted(layout, database) as connection:
        adopted.check_all(layout, connection, documents.texts(), content="text")


def test_commands_of_the_client_answer_on_the_adopted_table(layout, database):
    with adopted.adopted(layout, database) as connection:
        client.check(layout, connection, database)


def test_the_store_follows_changes(layout, database):
    with adopted.adopted(layout, database) as connection:
        adopted.check_changes(layout, connection, documents.texts(), content="text")


def test_unadopt_leaves_the_table_to_llamaindex(layout, database):
    with adopted.adopted(layout, database) as connection:
        adopted.check_unadopt(layout, connection)


def test_the_framework_drops_and_creates_its_table_again(layout, database):
    with adopted.adopted(layout, database) as connection:
        adopted.check_recreated(layout, connection)


def test_ids_are_those_of_nodes(layout, database):
    with adopted.adopted(layout, database) as connection:
        nodes = {node for (node,) in connection.execute("SELECT node_id FROM data_pages")}
        assert {row[3] for row in adopted.chunks(connection)} == nodes
