"""The named arguments of the SQL functions, with the types that PostgreSQL gives them.

A `TypedDict` is an ordinary dict, whose keys a type checker knows. A test compares the keys, the types and the values of
a `Literal` with the extension.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Literal, TypedDict
from uuid import UUID

Id = UUID | str
Scores = Iterable[float | None]
Vector = Sequence[float]
Embed = Callable[[str], Vector]
Texts = str | list[str]  # a list means any of its values
Kind = Literal["prose", "code", "api-reference", "data"]
Mode = Literal["vector", "text", "hybrid"]
ScoreBy = Literal["max", "mean", "sum", "rank"]
FragmentStrategy = Literal["auto", "adaptive", "proximity", "semantic", "seed"]
SimilarBy = Literal["content", "links"]
BestAt = Literal["start", "both_ends"]


class Filter(TypedDict, total=False):
    """Conditions on documents and chunks. They apply before any limit, and None does not filter.

    >>> code: Filter = {"kind": ["code", "api-reference"], "uri_pattern": "src/%", "metadata": {"year": {"$gte": 2020}}}
    """

    collection: Texts | None  # "" is the one without a name
    version: Texts | None  # also "latest", or a pattern such as "8.*"
    uri: Texts | None
    uri_pattern: str | None  # of LIKE
    media_type: Texts | None  # such as "text/markdown" or "text/*"
    kind: Kind | list[Kind] | None
    path: str | None  # lquery of the section, such as "Guide.*"
    metadata: dict[str, Any] | None  # contained in the metadata of document and chunk, or conditions on them
    min_similarity: float | None  # cosine similarity to the embedding, -1 to 1
    include_orphaned: bool | None  # also documents whose source is missing; False by default


class Limits(TypedDict, total=False):
    """Limits that replace those of the strategy: numbers of chunks, 0 to 1,000,000, unless a comment names another unit.

    None keeps the limit of the strategy.

    >>> whole_section: Limits = {"siblings": "section", "before": 2, "windows": {"code": 4}, "max_chunks": 20}
    """

    parents: int | None
    preceding: int | None  # siblings before a hit
    following: int | None  # siblings after a hit
    children: int | None
    before: int | None  # directly before a hit, in any section
    after: int | None
    windows: dict[str, int] | None  # overrides of before and after by kind, such as {"code": 4}
    siblings: Literal["parent", "section"] | None  # whether siblings share their parent or their section
    within: Literal["document", "parent", "section"] | None  # bound of before and after
    threshold: float | None  # share of a section that hits must exceed for the strategy merge, 0 to 1
    count_by: Literal["chunks", "tokens"] | None  # unit of the threshold
    max_chunks: int | None  # hits and context together
    max_passage_tokens: int | None  # tokens of context of each hit, 0 to 1,000,000; 0 means no limit
    context_share: float | None  # part of the budget of search that is for context, 0 to 1
    min_score: float | None  # share of the best hit's score below which a hit brings no context, 0 to 1
    links: int | None  # sections to which links of a hit lead and that come as context, 0 to 1,000,000


class Ranking(TypedDict, total=False):
    """How search ranks hits, and how the score of a passage comes from those of its hits.

    `search_hits` makes no passages, so it has no `score_by`. `reassemble` gets its hits, so it has only `score_by`.

    >>> by_words: Ranking = {"mode": "text", "candidates": 100, "score_by": "sum"}
    """

    mode: Mode | None  # by default what query and embedding allow
    candidates: int | None  # maximum number of hits of each leg, 0 to 1,000,000
    vector_weight: float | None  # 0 to 1,000,000, 1 by default
    text_weight: float | None  # 0 to 1,000,000, 1 by default
    rrf_k: int | None  # constant of reciprocal rank fusion, 0 to 1,000,000; None fuses by scores
    score_by: ScoreBy | None  # "max" by default
    feedback: float | None  # weight of the ratings of chunks for similar questions, 0 to 1; 0 by default


class Output(TypedDict, total=False):
    """The form of passages.

    >>> with_reasons: Output = {"explain": True, "marks": [">>", "<<"], "max_distance": "document"}
    """

    separator: str | None  # between chunks that do not touch; by default that of the media type
    gaps: Literal["comment", "none"] | None  # whether text that is left out has a mark
    imports: bool | None  # whether to add the imports that code uses; False by default
    marks: list[str] | None  # two texts, before and after each hit
    explain: bool | None  # fills Passage.explanation
    order_by: Literal["score", "document"] | None  # "score" by default
    max_distance: int | Literal["document"] | None  # chunks between hits that share a passage, 0 to 1,000,000, 3 by default


# Objects are sent as text first: the caller may have a codec.
JSON = "pg_catalog.text::pg_catalog.jsonb"
Boolean = Annotated[bool, "boolean"]
Double = Annotated[float, "double precision"]
FilterGroup = Annotated[Filter, JSON]
Ids = Annotated[Iterable[Id], "pg_catalog.uuid[]"]
Integer = Annotated[int, "integer"]
LimitsGroup = Annotated[Limits, JSON]
OutputGroup = Annotated[Output, JSON]
RankingGroup = Annotated[Ranking, JSON]
Text = Annotated[str, "pg_catalog.text"]


class Expansion(TypedDict, total=False):
    """The options of `expand_context` and `expand_contexts`.

    >>> options: Expansion = {"strategy": "reassembly", "max_chunks": 10}
    """

    strategy: Text | None  # a name that passage.strategies() lists
    max_tokens: Integer | None  # of hits and context, 0 to 1,000,000; 0 means no limit
    max_chunks: Integer | None  # hits and context, 0 to 1,000,000
    limits: LimitsGroup | None


class Outline(TypedDict, total=False):
    """The options of `outline`: which of several documents with one uri.

    >>> options: Outline = {"collection": "docs", "version": "latest"}
    """

    collection: Text | None
    version: Text | None  # also "latest"


class Reassemble(TypedDict, total=False):
    """The options of `reassemble`.

    >>> options: Reassemble = {"max_tokens": 2000, "ranking": {"score_by": "sum"}}
    """

    strategy: Text | None  # a name that passage.strategies() lists
    max_passages: Integer | None  # 0 to 1,000,000; None takes all hits
    max_tokens: Integer | None  # of hits and context, 0 to 1,000,000; 0 means no limit
    limits: LimitsGroup | None
    ranking: RankingGroup | None
    output: OutputGroup | None
    skip: Ids | None  # chunks that were already shown


class Search(TypedDict, total=False):
    """The options of `search`.

    >>> options: Search = {"max_passages": 3, "max_tokens": 1000, "filter": {"kind": "prose"}}
    """

    collection: Text | None  # None searches all
    max_passages: Integer  # 0 to 1,000,000, 10 by default
    max_tokens: Integer | None  # of all passages, 0 to 1,000,000, 4,096 by default; 0 means no limit
    strategy: Text | None  # a name that passage.strategies() lists
    filter: FilterGroup | None
    limits: LimitsGroup | None
    ranking: RankingGroup | None
    output: OutputGroup | None
    skip: Ids | None  # chunks that were already shown


class SearchHits(TypedDict, total=False):
    """The options of `search_hits`.

    >>> options: SearchHits = {"max_hits": 50, "ranking": {"mode": "text"}}
    """

    collection: Text | None  # None searches all
    max_hits: Integer  # 0 to 1,000,000, 10 by default
    filter: FilterGroup | None
    ranking: RankingGroup | None
    skip: Ids | None  # chunks that were already shown


class Fragments(TypedDict, total=False):
    """The options of `fragments`.

    >>> options: Fragments = {"uri": "handbook/logging.md", "max_tokens": 90}
    """

    uri: Text | None  # of one document
    document_id: Annotated[Id, "pg_catalog.uuid"] | None
    strategy: Annotated[FragmentStrategy, "pg_catalog.text"]  # "auto" by default
    collection: Text | None  # None looks in all
    max_fragments: Integer  # 5 by default
    max_tokens: Integer | None  # of all fragments, 700 by default
    fuzzy_threshold: Double  # least similarity of a misspelled word, 0 to 1, 0.8 by default
    return_full: Boolean | None  # whether to return the whole document; None does if it fits into max_tokens
    filter: FilterGroup | None


class Similar(TypedDict, total=False):
    """The options of `similar`.

    >>> options: Similar = {"max_hits": 5, "filter": {"min_similarity": 0.9}}
    """

    collection: Text | None  # None searches all
    max_hits: Integer  # 0 to 1,000,000, 10 by default
    filter: FilterGroup | None
    ranking: RankingGroup | None  # None compares by words and by embedding
    by: Annotated[SimilarBy, "pg_catalog.text"]  # "content" by default
