"""The named arguments of the SQL functions, with the types that PostgreSQL gives them."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypedDict
from uuid import UUID

Texts = str | list[str]  # a list means any of its values


class Filter(TypedDict, total=False):
    """Conditions on documents and chunks. They apply before any limit, and None does not filter."""

    collection: Texts | None
    version: Texts | None  # also latest, or a pattern such as 8.*
    uri: Texts | None
    uri_pattern: str | None  # of LIKE
    media_type: Texts | None  # such as text/markdown or text/*
    kind: Texts | None  # prose, code, api-reference or data
    path: str | None  # lquery of the section
    metadata: dict[str, Any] | None  # contained in the metadata of document and chunk, or conditions on them
    min_similarity: float | None  # cosine similarity, -1 to 1
    include_orphaned: bool | None


class Limits(TypedDict, total=False):
    """Limits of a strategy, in chunks unless the name has another unit. None keeps the limit of the strategy."""

    parents: int | None
    preceding: int | None
    following: int | None
    children: int | None
    before: int | None
    after: int | None
    windows: dict[str, int] | None  # overrides of before and after by kind, such as {"code": 4}
    siblings: str | None  # parent or section
    within: str | None  # document, parent or section
    threshold: float | None  # 0 to 1
    count_by: str | None  # chunks or tokens
    max_chunks: int | None
    max_passage_tokens: int | None  # context of each hit; 0 means no limit
    context_share: float | None  # part of the budget of search that is for context, 0 to 1


class Ranking(TypedDict, total=False):
    """How search ranks hits, and how the score of a passage comes from those of its hits."""

    mode: str | None  # vector, text or hybrid
    candidates: int | None  # maximum number of hits of each leg
    vector_weight: float | None
    text_weight: float | None
    rrf_k: int | None
    score_by: str | None  # max, mean, sum or rank


class Output(TypedDict, total=False):
    """The form of passages."""

    separator: str | None  # between chunks that do not touch
    gaps: str | None  # comment or none
    imports: bool | None
    marks: list[str] | None  # texts before and after each hit
    explain: bool | None  # fills Passage.explanation
    order_by: str | None  # score or document
    max_distance: int | Literal["document"] | None  # chunks between hits that share a passage


# Objects are sent as text first: the caller may have a codec.
_JSON = "pg_catalog.text::pg_catalog.jsonb"
Boolean = Annotated[bool, "boolean"]
Double = Annotated[float, "double precision"]
FilterGroup = Annotated[Filter, _JSON]
Ids = Annotated[Iterable[UUID | str], "pg_catalog.uuid[]"]
Integer = Annotated[int, "integer"]
LimitsGroup = Annotated[Limits, _JSON]
OutputGroup = Annotated[Output, _JSON]
RankingGroup = Annotated[Ranking, _JSON]
Text = Annotated[str, "pg_catalog.text"]


class Expansion(TypedDict, total=False):
    strategy: Text | None
    max_tokens: Integer | None  # budget of hits and context; 0 means no limit
    max_chunks: Integer | None
    limits: LimitsGroup | None


class Outline(TypedDict, total=False):
    """Which of several documents with one uri."""

    collection: Text | None
    version: Text | None


class Reassemble(TypedDict, total=False):
    strategy: Text | None
    max_passages: Integer | None
    max_tokens: Integer | None  # budget of hits and context; 0 means no limit
    limits: LimitsGroup | None
    ranking: RankingGroup | None
    output: OutputGroup | None
    skip: Ids | None  # chunks that were already shown


class Search(TypedDict, total=False):
    collection: Text | None
    max_passages: Integer
    max_tokens: Integer | None  # budget of all passages; 0 means no limit
    strategy: Text | None
    filter: FilterGroup | None
    limits: LimitsGroup | None
    ranking: RankingGroup | None
    output: OutputGroup | None
    skip: Ids | None  # chunks that were already shown


class SearchHits(TypedDict, total=False):
    collection: Text | None
    max_hits: Integer
    filter: FilterGroup | None
    ranking: RankingGroup | None
    skip: Ids | None  # chunks that were already shown


class Fragments(TypedDict, total=False):
    uri: Text | None  # of one document
    document_id: Annotated[Any, "pg_catalog.uuid"]
    strategy: Text  # auto, adaptive, proximity, semantic or seed
    collection: Text | None
    max_fragments: Integer
    max_tokens: Integer | None  # budget of all fragments
    fuzzy_threshold: Double  # 0 to 1
    return_full: Boolean | None
    filter: FilterGroup | None
