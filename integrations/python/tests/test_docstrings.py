"""Every public class and method has an example, and each example runs."""

import asyncpg
import docstrings
import documents
import pytest

import pg_passage
from pg_passage import arguments, async_store, rows, store

# Functions of the modules that other modules of the package use.
INTERNAL = {"embeds", "search", "columns", "read"}

DESCRIBED = {"pg_passage": pg_passage} | {
    f"{module.__name__}.{name}": described
    for module in (arguments, async_store, rows, store)
    for name, described in docstrings.public(module).items()
    if name not in INTERNAL
}


@pytest.mark.parametrize("name", DESCRIBED)
async def test_the_example_of_a_docstring_runs(name, url, connection):
    session = vars(arguments) | vars(pg_passage) | {"asyncpg": asyncpg, "connection": connection, "DATABASE_URL": url}
    session |= {"embed": documents.embed, "store": pg_passage.Store(connection, "rag")}

    assert await docstrings.run(DESCRIBED[name], session) > 0


def test_a_method_documents_its_arguments_and_errors():
    for name, method in docstrings.public(store).items():
        if "." in name:
            for word in ["Returns ", "Args:", "Raises:", *list(method.__annotations__)[:-2]]:
                assert word in method.__doc__, (name, word)
