"""Every public class and method has an example, and each example runs."""

import inspect

import asyncpg
import docstrings
import documents
import pytest

import pg_passage
from pg_passage import Store, arguments, async_store, rows, store

# Functions of the modules that other modules of the package use.
INTERNAL = {"search", "columns", "read", "as_json"}

METHODS = {name: method for name, method in inspect.getmembers(Store, inspect.isfunction) if not name.startswith("_")}

DESCRIBED = {"pg_passage": pg_passage} | METHODS | {
    f"{module.__name__}.{name}": described
    for module in (arguments, async_store, rows, store)
    for name, described in docstrings.public(module).items()
    if name not in INTERNAL
}


@pytest.mark.parametrize("name", DESCRIBED)
async def test_the_example_of_a_docstring_runs(name, url, connection):
    session = vars(arguments) | vars(pg_passage) | {"asyncpg": asyncpg, "connection": connection, "DATABASE_URL": url}
    session |= {"embed": documents.embed, "store": Store(connection, "rag")}

    assert await docstrings.run(DESCRIBED[name], session) > 0
    connection.rollback()


@pytest.mark.parametrize("name", METHODS)
def test_a_method_documents_its_result_its_arguments_and_errors(name):
    method = METHODS[name]
    *accepted, result = method.__annotations__
    verb = "Returns " if method.__annotations__[result] else "Stores "
    for word in [verb, "Args:", "Raises:", *(f"{argument}: " for argument in accepted)]:
        assert word in method.__doc__, word
