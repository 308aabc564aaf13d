"""The tables of a framework, adopted by one call and changed by the framework's own code.

Each test runs with all layouts of the group in INTEROP_GROUP: the modules of `layouts` whose names begin with it.
"""

import importlib
import os
import pathlib

import documents
import psycopg
import pytest
from frameworks import adopted, client

FOLDER = pathlib.Path(__file__).parent.parent / "layouts"


def group_layouts():
    """Returns the layouts of the group: functions from the URL of a database to a layout, by name."""
    found = {}
    for path in sorted(FOLDER.glob(os.environ["INTEROP_GROUP"] + "*.py")):
        found |= importlib.import_module(f"layouts.{path.stem}").LAYOUTS
    return found


LAYOUTS = group_layouts()


@pytest.fixture(params=LAYOUTS)
def layout(request, database):
    return LAYOUTS[request.param](database)


@pytest.fixture
def connection(layout, database):
    with adopted.adopted(layout, database) as connection:
        yield connection


def test_functions_answer_on_the_adopted_table(layout, connection):
    adopted.check_all(layout, connection, documents.texts())


def test_commands_of_the_client_answer_on_the_adopted_table(layout, connection, database):
    client.check(layout, connection, database)


def test_the_store_follows_what_the_framework_adds_changes_and_deletes(layout, connection):
    texts = documents.texts()
    added = "docs/guides/operations.md"
    texts[added] = (documents.ROOT / added).read_text()
    layout.add(added, texts[added])
    adopted.check_all(layout, connection, texts)
    adopted.check_in_step(layout, connection)

    texts["docs/faq.md"] = texts["docs/faq.md"].replace("chunk", "piece") + "\n## Appended\n\nA zebra crosses the street.\n"
    new = layout.add("docs/faq.md", texts["docs/faq.md"])
    # Most frameworks keep the rows that the new text no longer has, so the application deletes them.
    stale = [chunk for chunk in layout.ids["docs/faq.md"] if chunk not in new]
    if stale:
        layout.delete(stale)
    adopted.check_all(layout, connection, texts)
    adopted.check_in_step(layout, connection)
    hits = connection.execute("SELECT content FROM passage.search_hits('zebra', store => 'app')").fetchall()
    assert len(hits) == 1 and "zebra" in hits[0][0]

    layout.delete(layout.ids["docs/concepts.md"])
    del texts["docs/concepts.md"]
    adopted.check_all(layout, connection, texts)
    adopted.check_in_step(layout, connection)


def test_ids_stay_when_the_framework_drops_and_creates_its_table_again(layout, connection):
    ids = {row[3]: row[2] for row in adopted.chunks(connection)}
    layout.create(overwrite=True)
    # LlamaIndex creates its table with the first rows.
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="no trigger of store|does not exist"):
        adopted.chunks(connection)
    for uri, text in documents.texts().items():
        layout.add(uri, text)

    connection.execute("SELECT passage.adopt(%s::regclass, 'app')", (layout.source,))

    adopted.check_rows(layout, connection)
    adopted.check_text(connection, documents.texts())
    assert all(ids.get(row[3], row[2]) == row[2] for row in adopted.chunks(connection))


def test_unadopt_leaves_the_table_to_the_framework(layout, connection):
    connection.execute("SELECT passage.unadopt('app')")

    assert connection.execute("SELECT to_regnamespace('app')").fetchone()[0] is None
    triggers = "SELECT count(*) FROM pg_trigger WHERE tgrelid = %s::regclass AND NOT tgisinternal AND tgname NOT LIKE '%%vectorizer%%'"
    assert connection.execute(triggers, (layout.source,)).fetchone()[0] == 0
    layout.add("docs/guides/context.md", (documents.ROOT / "docs/guides/context.md").read_text())
