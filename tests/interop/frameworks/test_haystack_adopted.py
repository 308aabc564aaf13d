"""The table of Haystack, adopted by one call and changed by Haystack's own code."""

import documents
import pytest
from frameworks import adopted, client
from layouts.haystack import Haystack


@pytest.fixture
def layout(database):
    return Haystack(database)


def test_functions_answer_on_the_adopted_table(layout, database):
    with adopted.adopted(layout, database) as connection:
        adopted.check_all(layout, connection, documents.texts())


def test_commands_of_the_client_answer_on_the_adopted_table(layout, database):
    with adopted.adopted(layout, database) as connection:
        client.check(layout, connection, database)


def test_the_store_follows_changes(layout, database):
    with adopted.adopted(layout, database) as connection:
        adopted.check_changes(layout, connection, documents.texts())


def test_unadopt_leaves_the_table_to_haystack(layout, database):
    with adopted.adopted(layout, database) as connection:
        adopted.check_unadopt(layout, connection)


def test_the_framework_drops_and_creates_its_table_again(layout, database):
    with adopted.adopted(layout, database) as connection:
        adopted.check_recreated(layout, connection)
