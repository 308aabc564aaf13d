"""A call of an SQL function: its text and its parameters, for either driver."""

import json
from collections.abc import Callable, Iterable
from typing import Annotated, Any, get_args, get_origin, get_type_hints
from uuid import UUID

from pg_passage.rows import columns, read

# The arguments that methods of `Store` name themselves.
_NAMED = {
    "query": "pg_catalog.text",
    "embedding": "real[]",
    "chunk_id": "pg_catalog.uuid",
    "chunk_ids": "pg_catalog.uuid[]",
    "scores": "double precision[]",
    "document_id": "pg_catalog.uuid",
    "uri": "pg_catalog.text",
    "hit_ids": "pg_catalog.uuid[]",
    "separator": "pg_catalog.text",
    "store": "pg_catalog.name",
}


class Call:
    """A statement `SELECT columns FROM passage.function(name => value, ...)`, and its result.

    All values are parameters with a cast, so that neither a driver nor PostgreSQL guesses a type, and so that the call
    needs no prepared statement. Absent arguments keep their default in SQL. Without `row_type` it returns one value.
    """

    def __init__(self, function: str, row_type: type | None, options: type | None, values: dict[str, Any]) -> None:
        types = dict(_NAMED)
        for name, hint in get_type_hints(options, include_extras=True).items() if options else ():
            types[name] = _sql_type(hint)
        for name in values:
            if name not in types:
                raise TypeError(f"{function}() has no argument {name!r}; it has {', '.join(sorted(types))}")
        self.function, self.row_type = function, row_type
        self.types = {name: types[name] for name in values}
        self.values = [_encode(value) for value in values.values()]

    def sql(self, placeholder: Callable[[int], str]) -> str:
        """Returns the statement with the placeholders of a driver, which are numbered from 1."""
        types = enumerate(self.types.items(), 1)
        arguments = ", ".join(f"{name} => {placeholder(number)}::{kind}" for number, (name, kind) in types)
        selected = columns(self.row_type) if self.row_type else self.function
        return f"SELECT {selected} FROM passage.{self.function}({arguments})"

    def read(self, records: Iterable[Any]) -> Any:
        """Returns the rows, or the value, of the records of a driver."""
        if self.row_type is None:
            return next(iter(records))[0]
        return [read(self.row_type, record) for record in records]


def given(**arguments: Any) -> dict[str, Any]:
    """Returns the arguments that are not None."""
    return {name: value for name, value in arguments.items() if value is not None}


def _sql_type(hint: Any) -> str:
    if get_origin(hint) is Annotated:
        return str(get_args(hint)[1])
    return _sql_type(get_args(hint)[0])  # of `X | None`


def _encode(value: Any) -> Any:
    if isinstance(value, dict):
        return json.dumps(value)
    if isinstance(value, UUID):
        return str(value)
    if value is None or isinstance(value, (str, int, float)):
        return value
    # Ids, or numbers of any type, such as those of numpy.
    return [str(item) if isinstance(item, (UUID, str)) else item if item is None else float(item) for item in value]
