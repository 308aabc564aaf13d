"""Typed calls of the PostgreSQL extension pg_passage.

`Store` calls the functions of the schema `passage` through psycopg 3, `AsyncStore` through psycopg 3 or asyncpg. Both
use a connection or a pool of the caller. They never commit or roll back, and only `rate` writes.

    >>> import psycopg
    >>> from pg_passage import Store
    >>> with psycopg.connect(DATABASE_URL) as connection:
    ...     for passage in Store(connection, "rag").search("how do filters apply", max_tokens=1000):
    ...         source, text = f"{passage.uri}:{passage.first_line}", passage.content

The modules `pg_passage.langchain`, `pg_passage.llamaindex` and `pg_passage.haystack` have a `PassageRetriever` each.
"""

from pg_passage.async_store import AsyncStore
from pg_passage.rows import (
    CheckedCitation,
    Citation,
    ContextChunk,
    Fragment,
    Hit,
    Link,
    OutlineSection,
    Passage,
    Prompt,
    PromptSource,
)
from pg_passage.store import Store

__all__ = [
    "AsyncStore",
    "CheckedCitation",
    "Citation",
    "ContextChunk",
    "Fragment",
    "Hit",
    "Link",
    "OutlineSection",
    "Passage",
    "Prompt",
    "PromptSource",
    "Store",
]
__version__ = "0.2.0"
