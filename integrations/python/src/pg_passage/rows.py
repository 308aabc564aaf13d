"""The rows that the SQL functions return, as dataclasses with the names of the columns."""

import dataclasses
import json
import math
from dataclasses import dataclass
from typing import Any, Literal, Required, TypedDict, TypeVar
from uuid import UUID

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Citation:
    """The place of one chunk in the text of a passage.

    >>> passage = store.search("how do filters apply", max_passages=1)[0]
    >>> citation = passage.citations[0]
    >>> quoted = passage.content.encode()[citation.start : citation.end].decode()
    """

    chunk_id: UUID
    ordinal: int  # position of the chunk in its document, from 0
    role: str  # hit, parent, ancestor, preceding, following, child, adjacent, section or linked
    start: int  # first byte of the chunk in `content` of the passage, in UTF-8
    end: int  # byte after the last one
    first_line: int | None  # in the source, from 1
    last_line: int | None
    page: int | None = None  # of a converted document, from 1
    last_page: int | None = None  # if the chunk ends on another one
    slide: int | None = None
    last_slide: int | None = None
    sheet: str | None = None
    last_sheet: str | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A row of `search` or `reassemble`: a readable text, and where it comes from.

    >>> passage = store.search("how do filters apply", max_passages=1)[0]
    >>> source = f"{passage.uri}, lines {passage.first_line} to {passage.last_line}"
    """

    rank: int  # from 1
    score: float | None  # higher is better; comparable only within one result
    document_id: UUID
    collection: str | None
    version: str | None
    uri: str | None
    title: str | None
    media_type: str | None
    section: list[str] | None  # titles from the root down, which all its chunks share
    content: str
    tokens: int
    chunk_ids: list[UUID]  # in the order of the document
    hit_ids: list[UUID]  # empty for a section that a link of a hit of the passage before it leads to
    first_line: int | None  # in the source, from 1
    last_line: int | None
    spans: list[range]  # bytes of the source, from 0
    citations: list[Citation]
    truncated: bool  # a limit removed context
    complete: bool
    metadata: dict[str, Any]  # of the document
    source_ids: list[str] | None  # ids of its chunks in an adopted table
    explanation: list[dict[str, Any]] | None  # the columns of explain_context, if `output` has `explain`

    def properties(self) -> dict[str, Any]:
        """Returns the metadata of the document and all columns but `content`, as values of JSON, for frameworks.

        `source` is the uri, and `spans` has pairs of numbers.

        >>> properties = store.search("filters", max_passages=1)[0].properties()
        >>> properties["source"] == properties["uri"]
        True
        """
        values = json.loads(json.dumps(self, default=as_json))
        del values["content"]
        return values.pop("metadata") | {"source": self.uri} | values


@dataclass(frozen=True, slots=True)
class Hit:
    """A row of `search_hits` or `similar`: a chunk that answers a query, or resembles another one.

    >>> found_by_words = [hit for hit in store.search_hits("filters", max_hits=50) if hit.text_rank is not None]
    """

    rank: int  # from 1
    chunk_id: UUID
    document_id: UUID
    uri: str | None
    title: str | None
    section: list[str] | None
    score: float  # higher is better; comparable only within one result
    vector_rank: int | None  # None if the embedding did not find the chunk
    vector_score: float | None
    text_rank: int | None  # None if the words did not find the chunk
    text_score: float | None
    tokens: int
    content: str
    source_id: str | None  # id of the chunk in an adopted table


@dataclass(frozen=True, slots=True)
class ContextChunk:
    """A row of `expand_context` or `expand_contexts`: a hit, or a chunk of its context.

    >>> hit = store.search_hits("filters", max_hits=1)[0]
    >>> context = [chunk.content for chunk in store.expand_context(hit.chunk_id) if chunk.role != "hit"]
    """

    chunk_id: UUID
    document_id: UUID
    ordinal: int  # position in the document, from 0
    role: str  # hit, parent, ancestor, preceding, following, child, adjacent, section or linked
    distance: int  # ordinal minus that of the hit
    hit_id: UUID
    score: float | None
    decayed_score: float | None
    level: int | None
    section: list[str] | None
    path: str | None  # the section as ltree
    tokens: int
    content: str
    source_id: str | None
    cut: int  # tokens of context that were left out for its hit


@dataclass(frozen=True, slots=True)
class Fragment:
    """A row of `fragments`: whole lines of a document.

    >>> fragment = store.fragments("who may read embeddings", max_fragments=1)[0]
    >>> fragment.last_line - fragment.first_line + 1 == fragment.signals["line_count"]
    True
    """

    fragment_id: str
    document_id: UUID
    uri: str | None
    title: str | None
    media_type: str | None
    score: float
    content: str
    first_line: int | None  # in the source, from 1
    last_line: int | None
    tokens: int
    strategy_used: str
    signals: dict[str, Any]  # reasons for the rank
    before: str | None  # nearest line before the fragment that is not blank
    after: str | None
    related: list[dict[str, Any]]  # relation, chunk_id, first_line, last_line, preview
    metadata: dict[str, Any]  # of the document
    source_ids: list[str] | None


@dataclass(frozen=True, slots=True)
class OutlineSection:
    """A row of `outline`: a section of a document.

    >>> titles = [section.section[-1] for section in store.outline("docs/guides/search.md") if section.section]
    """

    outline: str  # the title, indented by two spaces for each level
    section: list[str]
    level: int
    chunks: int
    hits: int
    tokens: int
    first_ordinal: int
    last_ordinal: int
    first_line: int | None
    last_line: int | None


@dataclass(frozen=True, slots=True)
class Link:
    """A row of `links` or `backlinks`: a link of a document, and where it leads.

    >>> links = store.links(uri="docs/faq.md")
    >>> dead = [link.to_uri for link in links if link.to_document is None]
    """

    kind: Literal["link", "wiki", "import", "include"]
    text: str
    from_chunk: UUID
    from_document: UUID
    from_uri: str | None
    from_title: str | None
    to_chunk: UUID | None  # None if the store lacks the document or the section
    to_document: UUID | None  # None if the store lacks it
    to_uri: str | None  # of that document, else the target
    to_title: str | None
    to_section: str  # anchor, heading or imported name, as written; empty without one


class PromptSource(TypedDict, total=False):
    """A source of a prompt. Its values are those of JSON, so that an application can store it until the answer arrives.

    >>> source: PromptSource = store.prompt(store.search("how do filters apply")).sources[0]
    >>> source["number"]
    1
    """

    number: Required[int]
    label: Required[str]  # uri with lines, or with pages, slides or sheets of a converted document
    document_id: str
    collection: str
    version: str
    uri: str
    title: str
    section: list[str]
    first_line: int
    last_line: int
    chunk_ids: list[str]
    source_ids: list[str]


@dataclass(frozen=True, slots=True)
class Prompt:
    """The row of `prompt`: numbered sources as a text for a language model, and the list of them.

    >>> prompt = store.prompt(store.search("how do filters apply", max_passages=1))
    >>> prompt.prompt.startswith("[1] docs/guides/search.md:")
    True
    """

    prompt: str
    sources: list[PromptSource]  # in the order of the passages


@dataclass(frozen=True, slots=True)
class CheckedCitation:
    """A row of `check_citations`: a source of an answer, or a number without a source.

    >>> [row.outcome for row in store.check_citations("No source says so [7].", [])]
    ['unknown']
    """

    number: int
    outcome: Literal["cited", "uncited", "unknown"]
    mentions: int  # citations in the answer
    source: PromptSource | None  # None for an unknown number


def columns(row_type: type) -> str:
    """Returns the select list of a row type. Types that drivers do not know are cast to text."""
    names = (field.name for field in dataclasses.fields(row_type))
    return ", ".join("path::pg_catalog.text" if name == "path" else name for name in names)


def read(row_type: type[Row], values: Any) -> Row:
    """Returns a row with the values of its columns, which may be as psycopg or as asyncpg returns them."""
    names = (field.name for field in dataclasses.fields(row_type))  # type: ignore[arg-type]
    return row_type(*map(_convert, names, values))


def as_json(value: Any) -> Any:
    """Returns what JSON has in place of a row, an id or a span: the argument `default` of `json.dumps`."""
    if dataclasses.is_dataclass(value):
        values = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        # JSON has no infinite numbers, such as scores may be.
        return {name: None if item in (math.inf, -math.inf) else item for name, item in values.items()}
    if isinstance(value, range):
        return [value.start, value.stop]
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"an object of type {type(value).__name__} is not a value of JSON")


# Columns of the type jsonb.
_JSON_COLUMNS = {"metadata", "signals", "related", "citations", "explanation", "sources", "source"}


def _convert(name: str, value: Any) -> Any:
    if name in _JSON_COLUMNS and isinstance(value, str):
        value = json.loads(value)  # asyncpg returns jsonb as text, unless the caller registered a codec
    if name == "citations":
        return [Citation(**{**citation, "chunk_id": UUID(citation["chunk_id"])}) for citation in value]
    return [range(span.lower, span.upper) for span in value] if name == "spans" else value
