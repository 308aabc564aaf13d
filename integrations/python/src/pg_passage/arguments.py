"""The named arguments of the SQL functions, with the types that PostgreSQL gives them."""

from typing import Annotated, Any, TypedDict

Boolean = Annotated[bool, "boolean"]
Double = Annotated[float, "double precision"]
Integer = Annotated[int, "integer"]
Text = Annotated[str, "pg_catalog.text"]
Json = Annotated[dict[str, Any], "pg_catalog.text::pg_catalog.jsonb"]  # as text first: the caller may have a codec


class Expansion(TypedDict, total=False):
    """Limits of a strategy, in chunks unless the name has another unit. None keeps the limit of the strategy."""

    strategy: Text | None
    parents: Integer | None
    preceding: Integer | None
    following: Integer | None
    children: Integer | None
    before: Integer | None
    after: Integer | None
    windows: Json | None  # overrides of before and after by kind, such as {"code": 4}
    siblings: Text | None  # parent or section
    within: Text | None  # document, parent or section
    threshold: Double | None  # 0 to 1
    count_by: Text | None  # chunks or tokens
    max_tokens: Integer | None  # budget of hits and context; 0 means no limit
    max_chunks: Integer | None
    limits: Json | None  # any of these by name, such as {"parents": 2}


class Form(TypedDict, total=False):
    """The form of passages."""

    max_distance: Integer | None  # chunks between hits that share a passage; None: any number
    score_by: Text  # max, mean, sum or rank
    order_by: Text  # score or document
    separator: Text | None  # between chunks that do not touch
    gaps: Text | None  # comment or none
    imports: Boolean
    mark_start: Text | None
    mark_end: Text | None


class Filters(TypedDict, total=False):
    """Conditions on documents and chunks. They apply before any limit, and None does not filter."""

    collection: Text | None
    version: Text | None
    include_orphaned: Boolean
    filter: Json | None  # filters by name, such as {"kind": ["code", "data"]}


class Outline(TypedDict, total=False):
    """Which of several documents with one uri."""

    collection: Text | None
    version: Text | None


class Ranking(Filters, total=False):
    """What search finds, and how it ranks."""

    mode: Text | None  # vector, text or hybrid
    candidates: Integer | None  # maximum number of hits of each leg
    uri_pattern: Text | None  # of LIKE
    media_type: Text | None  # such as text/markdown or text/*
    kind: Text | None  # prose, code, api-reference or data
    path: Text | None  # lquery of the section
    metadata: Json | None  # contained in the metadata of document and chunk, or conditions on them
    min_similarity: Double | None  # cosine similarity, -1 to 1
    vector_weight: Double
    text_weight: Double
    rrf_k: Integer | None


class Search(Ranking, Form, total=False):
    max_passages: Integer
    strategy: Text | None
    max_tokens: Integer | None  # budget of all passages; 0 means no limit
    max_chunks: Integer | None
    limits: Json | None


class SearchHits(Ranking, total=False):
    max_hits: Integer


class Reassemble(Expansion, Form, total=False):
    pass


class Fragments(Filters, total=False):
    uri: Text | None  # of one document
    document_id: Annotated[Any, "pg_catalog.uuid"]
    strategy: Text  # auto, adaptive, proximity, semantic or seed
    max_fragments: Integer
    max_tokens: Integer | None  # budget of all fragments
    fuzzy_threshold: Double  # 0 to 1
    return_full: Boolean | None
