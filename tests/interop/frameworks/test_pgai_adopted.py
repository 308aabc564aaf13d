"""The destination table of a vectorizer of pgai, adopted by one call and changed by pgai's worker."""

import documents
import pytest
from frameworks import adopted, client
from layouts.pgai import Pgai


@pytest.fixture
def layout(database):
    return Pgai(database)


def test_functions_answer_on_the_adopted_table(layout, database):
    with adopted.adopted(layout, database) as connection:
        adopted.check_all(layout, connection, documents.texts(), content="chunk")


def test_commands_of_the_client_answer_on_the_adopted_table(layout, database):
    with adopted.adopted(layout, database) as connection:
        client.check(layout, connection, database)


def test_the_store_follows_changes(layout, database):
    with adopted.adopted(layout, database) as connection:
        adopted.check_changes(layout, connection, documents.texts(), content="chunk")


def test_unadopt_leaves_the_table_to_pgai(layout, database):
    with adopted.adopted(layout, database) as connection:
        adopted.check_unadopt(layout, connection)


def test_the_framework_drops_and_creates_its_table_again(layout, database):
    with adopted.adopted(layout, database) as connection:
        adopted.check_recreated(layout, connection)
