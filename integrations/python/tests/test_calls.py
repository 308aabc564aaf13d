"""Each function, through each driver, returns what SQL returns."""

import contextlib
import dataclasses
import json
import math
import uuid

import asyncpg
import documents
import psycopg
import psycopg_pool
import pytest

from pg_passage import AsyncStore, Citation, Prompt, Store

QUESTION = "how do filters and row-level security work together"

PLACES = [prefix + place for place in ("page", "slide", "sheet") for prefix in ("", "last_")]

SOURCES = ["psycopg", "psycopg pool", "async psycopg", "async psycopg pool", "asyncpg", "asyncpg pool"]

CALLS = {
    "search": (lambda: (QUESTION, documents.embed(QUESTION)), {"max_passages": 3, "limits": {"parents": 1}, "filter": {"collection": "docs"}}),
    "search_hits": (lambda: (QUESTION, documents.embed(QUESTION)), {"max_hits": 7, "filter": {"kind": "prose", "metadata": {"team": "docs"}}, "ranking": {"vector_weight": 2}}),
    "reassemble": (lambda: (ids(), [3, None, 1.5]), {"max_tokens": 900, "output": {"max_distance": "document"}, "ranking": {"score_by": "sum"}}),
    "expand_context": (lambda: (ids()[0],), {"strategy": "reassembly", "limits": {"windows": {"prose": 1}}}),
    "expand_contexts": (lambda: (ids(), None), {"limits": {"parents": 1, "after": 1, "threshold": 0.25}}),
    "fragments": (lambda: (QUESTION,), {"max_fragments": 3, "uri": "docs/guides/security.md", "return_full": False}),
    "outline": (lambda: ("docs/faq.md",), {"collection": "docs", "hit_ids": "ids"}),
    "assemble": (lambda: (document(), ids()), {"separator": "\n[...]\n"}),
    "similar": (lambda: (ids()[0],), {"max_hits": 4, "filter": {"collection": "docs"}, "ranking": {"mode": "text"}}),
    "similar documents": (lambda: (), {"document_id": "document", "max_hits": 2}),
    "similar by links": (lambda: (), {"document_id": "document", "by": "links"}),
    "links": (lambda: (None, document()), {}),
    "links by uri": (lambda: (), {"uri": "docs/concepts.md"}),
    "backlinks": (lambda: (), {"uri": "docs/guides/security.md"}),
}

# An answer that cites the first and the second source, and one that does not exist.
ANSWER = "Policies hide rows [1, 2]. So do roles [9], see `list[4]`."

_known = {}


@pytest.fixture(autouse=True)
def known(connection):
    """Three chunks of a document."""
    rows = connection.execute(
        "SELECT c.document_id, c.id FROM rag.chunks c JOIN rag.documents d ON d.id = c.document_id"
        " WHERE uri = 'docs/faq.md' AND ordinal IN (1, 2, 5) ORDER BY ordinal"
    ).fetchall()
    _known.update(document=rows[0][0], ids=[row[1] for row in rows])


def ids():
    return _known["ids"]


def document():
    return _known["document"]


@contextlib.asynccontextmanager
async def open_store(source, url):
    """Opens a store through one of SOURCES."""
    if source == "psycopg":
        with psycopg.connect(url) as connection:
            yield Store(connection, "rag")
    elif source == "psycopg pool":
        with psycopg_pool.ConnectionPool(url, min_size=1) as pool:
            yield Store(pool, "rag")
    elif source == "async psycopg":
        async with await psycopg.AsyncConnection.connect(url) as connection:
            yield AsyncStore(connection, "rag")
    elif source == "async psycopg pool":
        async with psycopg_pool.AsyncConnectionPool(url, min_size=1, open=False) as pool:
            yield AsyncStore(pool, "rag")
    elif source == "asyncpg":
        connection = await asyncpg.connect(url)
        yield AsyncStore(connection, "rag")
        await connection.close()
    else:
        async with asyncpg.create_pool(url, min_size=1) as pool:
            yield AsyncStore(pool, "rag")


def as_json(value):
    """Returns rows as PostgreSQL's to_jsonb does."""
    if isinstance(value, list):
        return [as_json(item) for item in value]
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, range):
        return f"[{value.start},{value.stop})"
    if hasattr(value, "__dataclass_fields__"):
        # SQL leaves out the places of chunks whose document was not converted.
        optional = PLACES if isinstance(value, Citation) else ()
        names = [name for name in value.__dataclass_fields__ if name not in optional or getattr(value, name) is not None]
        return {name: as_json(getattr(value, name)) for name in names}
    return str(value) if isinstance(value, uuid.UUID) else value


def in_sql(connection, function, positional, options):
    """Calls a function as SQL text with literals, and returns its rows as JSON."""

    def literal(value):
        if isinstance(value, dict):
            return psycopg.sql.Literal(json.dumps(value)).as_string(connection)
        if isinstance(value, list):
            members = ", ".join(literal(item) for item in value)
            kind = "uuid[]" if isinstance(value[0], uuid.UUID) else "float8[]::real[]" if len(value) > 9 else "float8[]"
            return f"ARRAY[{members}]::{kind}"
        if isinstance(value, uuid.UUID):
            return f"'{value}'"
        return psycopg.sql.Literal(value).as_string(connection)

    arguments = [literal(value) for value in positional]
    arguments += [f"{name} => {literal(value)}" for name, value in options.items()]
    statement = f"SELECT to_jsonb(p) FROM passage.{function}({', '.join(arguments)}, store => 'rag') AS p"
    return [row[0] for row in connection.execute(statement.replace("%", "%%"))]


@pytest.mark.parametrize("function", CALLS)
@pytest.mark.parametrize("source", SOURCES)
async def test_a_call_returns_the_rows_of_sql(source, function, url, connection):
    positional, options = CALLS[function]
    positional = positional()
    options = {name: _known.get(value, value) if isinstance(value, str) else value for name, value in options.items()}
    function = function.split()[0]
    expected = in_sql(connection, function, positional, options)
    assert expected and expected[0]

    async with open_store(source, url) as store:
        found = getattr(store, function)(*positional, **options)
        found = await found if isinstance(store, AsyncStore) else found

    assert as_json(found if isinstance(found, list) else [found]) == expected


@pytest.mark.parametrize("source", SOURCES)
async def test_a_prompt_and_its_citations_are_those_of_sql(source, url, connection):
    passages = "(SELECT jsonb_agg(p ORDER BY rank) FROM passage.search(%s, max_passages => 3) AS p)"
    statement = f"SELECT prompt, sources FROM passage.prompt({passages}, 'both_ends', first_number => 2)"
    prompt, sources = connection.execute(statement, (QUESTION,)).fetchone()
    statement = "SELECT number, outcome, mentions, source FROM passage.check_citations(%s, %s)"
    checked = connection.execute(statement, (ANSWER, json.dumps(sources))).fetchall()
    assert [row[:3] for row in checked] == [(1, "unknown", 1), (2, "cited", 1), (3, "uncited", 0), (4, "uncited", 0), (9, "unknown", 1)]

    async with open_store(source, url) as store:
        awaited = (lambda call: call) if isinstance(store, AsyncStore) else _soon
        found = await awaited(store.search(QUESTION, max_passages=3))
        ours = await awaited(store.prompt(found, "both_ends", first_number=2))
        rows = await awaited(store.check_citations(ANSWER, ours.sources))

    assert (ours.prompt, ours.sources) == (prompt, sources)
    assert [(row.number, row.outcome, row.mentions, row.source) for row in rows] == checked


async def _soon(value):
    return value


def test_a_prompt_takes_rows_dicts_and_json(connection):
    store = Store(connection)
    passages = store.search(QUESTION, max_passages=2)
    expected = store.prompt(passages)
    fragments = store.fragments(QUESTION, max_fragments=2)

    assert store.prompt(iter(passages)) == expected
    assert store.prompt([dataclasses.asdict(passage) for passage in passages]) == expected
    assert store.prompt(json.loads(json.dumps(as_json(passages)))) == expected
    assert [source["uri"] for source in store.prompt(fragments).sources] == [fragment.uri for fragment in fragments]
    assert store.prompt([{"content": "A text of my own."}]).prompt == "[1] (no uri)\n```\nA text of my own.\n```"
    assert store.prompt([]) == Prompt("", [])
    assert store.check_citations("Nothing is cited.", []) == []
    assert store.check_citations("", json.loads(json.dumps(expected.sources)))[0].source == expected.sources[0]


def test_a_source_of_a_prompt_has_the_pages_of_its_citations(connection):
    passage = Store(connection).search(QUESTION, max_passages=1)[0]
    placed = [dataclasses.replace(citation, page=3, last_page=4) for citation in passage.citations]

    (source,) = Store(connection).prompt([dataclasses.replace(passage, citations=placed)]).sources

    assert source["label"] == f"{passage.uri}, pages 3-4"


def test_passages_with_infinite_scores_are_values_of_json(connection):
    store = Store(connection)
    passages = store.reassemble(ids(), [math.inf, 1, -math.inf], output={"max_distance": 0}, strategy="none")
    assert [passage.score for passage in passages] == [math.inf, -math.inf]

    assert len(store.prompt(passages).sources) == len(passages)
    assert [passage.properties()["score"] for passage in passages] == [None, None]


def test_links_lead_to_documents_and_chunks_or_to_none(connection):
    store = Store(connection)
    by_uri = {link.to_uri: link for link in store.links(uri="docs/faq.md")}

    found, missing = by_uri["docs/guides/security.md"], by_uri["docs/guides/models.md"]

    assert found.from_document == document() and found.kind == "link" and found.from_uri == "docs/faq.md"
    assert isinstance(found.to_document, uuid.UUID) and isinstance(found.to_chunk, uuid.UUID)
    assert (missing.to_document, missing.to_chunk, missing.to_title) == (None, None, None)
    assert found in store.backlinks(found.to_chunk)
    assert store.links(uuid.uuid4()) == []


async def test_both_drivers_return_the_same_types(url):
    results = []
    for source in ["psycopg", "asyncpg"]:
        async with open_store(source, url) as store:
            passages = store.search(QUESTION, documents.embed(QUESTION))
            results.append(await passages if source == "asyncpg" else passages)

    for passages in results:
        passage = passages[0]
        assert isinstance(passage.document_id, uuid.UUID) and isinstance(passage.chunk_ids[0], uuid.UUID)
        assert isinstance(passage.tokens, int) and isinstance(passage.score, float)
        assert isinstance(passage.spans[0], range) and isinstance(passage.metadata, dict)
        assert isinstance(passage.citations[0].chunk_id, uuid.UUID)
    assert results[0] == results[1]


def test_spans_and_citations_are_bytes_of_source_and_content(connection):
    sources = documents.texts() | documents.handbook()
    for passage in Store(connection).search(QUESTION, documents.embed(QUESTION)):
        source = sources[passage.uri].encode()
        for citation, chunk in zip(passage.citations, passage.chunk_ids, strict=True):
            assert citation.chunk_id == chunk
            text = passage.content.encode()[citation.start : citation.end]
            assert text in source
        # A passage may begin with the head of a table or a fence, which its spans do not have.
        content = passage.content.encode()[passage.citations[0].start :]
        assert b"".join(source[span.start : span.stop] for span in passage.spans).split()[:5] == content.split()[:5]


def test_properties_are_values_of_json(connection):
    passage = Store(connection).search(QUESTION, max_passages=1)[0]

    properties = passage.properties()

    assert json.loads(json.dumps(properties)) == properties
    assert properties["team"] == "docs" and properties["source"] == properties["uri"] == passage.uri
    assert properties["spans"][0] == [passage.spans[0].start, passage.spans[0].stop]
    assert "content" not in properties
