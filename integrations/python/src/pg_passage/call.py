"""A call of an SQL function: its text and its parameters, for either driver."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints
from uuid import UUID

from pg_passage.arguments import JSON
from pg_passage.rows import as_json, columns, read

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
    "rating": "real",
    "rated_by": "pg_catalog.text",
    "passages": JSON,
    "best_at": "pg_catalog.text",
    "first_number": "integer",
    "answer": "pg_catalog.text",
    "sources": JSON,
    "store": "pg_catalog.name",
}


class Call:
    """A statement `SELECT columns FROM passage.function(name => value, ...)`, and its result.

    All values are parameters with a cast, so that neither a driver nor PostgreSQL guesses a type, and so that the call
    needs no prepared statement. Absent arguments keep their default in SQL.

    Args:
        function: name of the SQL function.
        returns: `list[Row]` for its rows, `Row` for its only row, None for nothing, or the type of its value.
        accepted: the `TypedDict` of the options.
        named: arguments that the method names itself; those that are None are absent.
        options: other arguments, by name.
    """

    def __init__(
        self, function: str, returns: Any, accepted: type | None, named: Mapping[str, Any], options: Mapping[str, Any]
    ) -> None:
        types = {name: _NAMED[name] for name in named}
        for name, hint in get_type_hints(accepted, include_extras=True).items() if accepted else ():
            types[name] = _sql_type(hint)
        for name in options:
            if name not in types:
                raise TypeError(f"{function}() has no argument {name!r}; it has {', '.join(sorted(types))}")
        self.function, self.returns, self.types = function, returns, types
        self.arguments = {**{name: value for name, value in named.items() if value is not None}, **options}
        row_type = get_args(returns)[0] if get_origin(returns) is list else returns
        self.row_type = row_type if isinstance(row_type, type) and is_dataclass(row_type) else None

    def question(self) -> str | None:
        """Returns the query, if the call has one that needs an embedding."""
        by_words = (self.arguments.get("ranking") or {}).get("mode") == "text"
        return None if by_words or "embedding" in self.arguments else self.arguments.get("query")

    def sql(self, placeholder: Callable[[int], str]) -> str:
        """Returns the statement with the placeholders of a driver, which are numbered from 1."""
        numbered = enumerate(self.arguments, 1)
        arguments = ", ".join(f"{name} => {placeholder(number)}::{self.types[name]}" for number, name in numbered)
        selected = columns(self.row_type) if self.row_type else self.function
        return f"SELECT {selected} FROM passage.{self.function}({arguments})"

    def values(self) -> list[Any]:
        """Returns the parameters of the statement."""
        return [_encode(value, self.types[name]) for name, value in self.arguments.items()]

    def read(self, records: Iterable[Any]) -> Any:
        """Returns the result, from the records of a driver."""
        if self.row_type:
            rows = [read(self.row_type, record) for record in records]
            return rows[0] if self.row_type is self.returns else rows
        # A driver has its own value for `void`.
        return next(iter(records))[0] if self.returns else None


class Methods:
    """What the methods of `Store` call."""

    def _call(self, function: str, returns: Any, accepted: type | None, options: Mapping[str, Any], **named: Any) -> Any:
        """Returns the result of an SQL function, or an awaitable. The arguments are those of `Call`.

        `store=None` is for functions that read no store.
        """
        raise NotImplementedError


def _sql_type(hint: Any) -> str:
    if get_origin(hint) is Annotated:
        return str(get_args(hint)[1])
    return _sql_type(get_args(hint)[0])  # of `X | None`


def _encode(value: Any, kind: str) -> Any:
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, UUID):
        return str(value)
    if kind == JSON:
        return json.dumps(value if isinstance(value, dict) else list(value), default=as_json)
    # Ids, or numbers of any type, such as those of numpy.
    return [str(item) if isinstance(item, (UUID, str)) else item if item is None else float(item) for item in value]
