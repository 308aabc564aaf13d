"""Arguments and columns are those of the extension, and every form of a value arrives."""

import dataclasses
import inspect
import json
import pathlib
import re
import typing
import uuid

import asyncpg
import documents
import numpy
import psycopg
import pytest

from pg_passage import AsyncStore, CheckedCitation, ContextChunk, Fragment, Hit, Link, OutlineSection, Passage, Prompt, Store, arguments
from pg_passage.call import Call

FUNCTIONS = {
    "search": (Passage, arguments.Search, {"query", "embedding", "store"}),
    "search_hits": (Hit, arguments.SearchHits, {"query", "embedding", "store"}),
    "fragments": (Fragment, arguments.Fragments, {"query", "embedding", "store"}),
    "similar": (Hit, arguments.Similar, {"chunk_id", "document_id", "store"}),
    "reassemble": (Passage, arguments.Reassemble, {"chunk_ids", "scores", "store"}),
    "expand_context": (ContextChunk, arguments.Expansion, {"chunk_id", "store"}),
    "expand_contexts": (ContextChunk, arguments.Expansion, {"chunk_ids", "scores", "store"}),
    "outline": (OutlineSection, arguments.Outline, {"uri", "hit_ids", "store"}),
    "assemble": (None, None, {"document_id", "chunk_ids", "separator", "store"}),
    "links": (Link, None, {"chunk_id", "document_id", "uri", "store"}),
    "backlinks": (Link, None, {"chunk_id", "document_id", "uri", "store"}),
    "prompt": (Prompt, None, {"passages", "best_at", "first_number"}),
    "check_citations": (CheckedCitation, None, {"answer", "sources"}),
    "rate": (None, None, {"query", "chunk_id", "rating", "embedding", "rated_by", "store"}),
}

# Functions of SQL that the packages leave out, by the reason.
LEFT_OUT = json.loads((documents.ROOT / "tests/interop/left_out.json").read_text())
README = pathlib.Path(__file__).resolve().parents[1] / "README.md"

# A function without a table of results has no proallargtypes. The package calls the first overload of `outline`.
DECLARED = """
    SELECT array_agg(name ORDER BY position), array_agg(pg_catalog.format_type(type, NULL) ORDER BY position)
    FROM pg_catalog.pg_proc,
        unnest(proargnames, coalesce(proallargtypes, proargtypes::oid[]), proargmodes) WITH ORDINALITY AS a (name, type, mode, position)
    WHERE pronamespace = 'passage'::regnamespace AND proname = %s AND coalesce(mode, 'i') = %s
    GROUP BY pg_proc.oid ORDER BY pg_proc.oid LIMIT 1
"""


def test_every_function_of_the_extension_is_a_method_or_left_out_for_a_reason(connection):
    declared = connection.execute("SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'passage'::regnamespace").fetchall()
    left_out = [name for names in LEFT_OUT.values() for name in names]

    assert sorted([*FUNCTIONS, *left_out]) == sorted(name for (name,) in declared)


@pytest.mark.parametrize("kind", [Store, AsyncStore])
def test_every_method_is_a_function_and_in_the_readme(kind):
    methods = {name for name, _ in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")}
    listed = {name for row in re.findall(r"^\| (`.*?) \|", README.read_text(), re.M) for name in re.findall(r"`(\w+)`", row)}

    assert methods == set(FUNCTIONS)
    assert methods <= listed


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_argument_of_the_extension_has_its_type(function, connection):
    _, accepted, own = FUNCTIONS[function]
    names, types = connection.execute(DECLARED, (function, "i")).fetchone()

    options = list(accepted.__annotations__) if accepted else []
    call = Call(function, None, accepted, dict.fromkeys(own), dict.fromkeys(options))

    assert set(call.types) == set(names)
    ours = {name: kind.split("::")[-1].removeprefix("pg_catalog.") for name, kind in call.types.items()}
    assert ours == dict(zip(names, types, strict=True))


@pytest.mark.parametrize("group", ["filter", "limits", "ranking", "output"])
def test_every_key_of_a_group_is_known(group, connection):
    names, _ = connection.execute(DECLARED, (group, "i")).fetchone()

    assert list(getattr(arguments, group.capitalize()).__annotations__) == names


def values(hint):
    """Returns the values of the `Literal` in a type, or an empty set."""
    if typing.get_origin(hint) is typing.Literal:
        return set(typing.get_args(hint))
    return set().union(*(values(part) for part in typing.get_args(hint)))


# An argument and the values that its line of the COMMENT lists at its end, such as `x: what it is; one, two or three`.
LISTED = re.compile(r"^(\w+): (?:.*?[;:] |)((?:[\w-]+, )*[\w-]+ or [\w-]+)(?:, \w+ by default)?(?:; in JSON also a list)?$", re.M)


@pytest.mark.parametrize("function", ["filter", "limits", "ranking", "output", "fragments"])
def test_every_value_of_a_word_is_known(function, connection):
    comment = connection.execute(
        "SELECT obj_description(oid) FROM pg_proc WHERE proname = %s AND pronamespace = 'passage'::regnamespace", (function,)
    ).fetchone()[0]
    listed = {name: set(re.split(", | or ", words)) for name, words in LISTED.findall(comment)}

    hints = typing.get_type_hints(getattr(arguments, function.capitalize())).items()
    ours = {name: values(hint) for name, hint in hints if values(hint)}

    # The one number that may also be a word.
    if function == "output":
        assert ours.pop("max_distance") == {"document"}
    assert ours == listed


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda store: store.prompt([], best_at="end"), arguments.BestAt),
        (lambda store: store.similar(uuid.uuid4(), by="words"), arguments.SimilarBy),
    ],
)
def test_every_word_that_the_hint_of_an_error_lists_is_known(call, words, connection):
    with pytest.raises(psycopg.errors.InvalidParameterValue) as error:
        call(Store(connection))

    assert re.findall('"(.*?)"', error.value.diag.message_hint) == list(typing.get_args(words))


@pytest.mark.parametrize("function", [name for name in FUNCTIONS if FUNCTIONS[name][0]])
def test_every_column_of_the_extension_is_a_field(function, connection):
    names, _ = connection.execute(DECLARED, (function, "t")).fetchone()

    assert [field.name for field in dataclasses.fields(FUNCTIONS[function][0])] == names


@pytest.mark.parametrize("form", [list, tuple, numpy.array, lambda v: numpy.array(v, dtype=numpy.float32), iter])
async def test_an_embedding_may_be_any_sequence_of_numbers(form, url, connection):
    embedding = documents.embed("row-level security")
    expected = Store(connection).search_hits(embedding=embedding)
    assert len(expected) == 10

    assert Store(connection).search_hits(embedding=form(embedding)) == expected
    client = await asyncpg.connect(url)
    assert await AsyncStore(client).search_hits(embedding=form(embedding)) == expected
    await client.close()


def test_an_embedding_may_have_whole_numbers(connection):
    assert len(Store(connection).search_hits(embedding=[1, 0, 2.5] + [0] * (documents.DIMENSIONS - 3))) == 10


def test_ids_may_be_text_and_scores_may_be_none(connection):
    store = Store(connection)
    hits = store.search_hits("filters", max_hits=3)
    ids = [hit.chunk_id for hit in hits]

    expected = store.reassemble(ids, [3.0, None, 1.0])

    assert store.reassemble([str(ids[0]), ids[1], str(ids[2])], [3, None, numpy.float32(1)]) == expected
    assert store.reassemble((chunk for chunk in ids), (score for score in [3, None, 1])) == expected
    assert store.reassemble([*ids, None, uuid.uuid4()], None) == store.reassemble(ids)
    assert store.expand_context(str(ids[0])) == store.expand_context(ids[0])
    assert store.reassemble([]) == []
    assert store.expand_context(uuid.uuid4()) == []
    assert store.assemble(uuid.uuid4(), ids) is None


def test_hits_of_a_document_share_one_passage_at_any_distance(connection):
    store = Store(connection)
    ids = [hit.chunk_id for hit in store.search_hits("filters, ranking and cost", max_hits=8, filter={"uri": "docs/guides/search.md"})]

    apart = store.reassemble(ids, strategy="none", output={"max_distance": 0})
    together = store.reassemble(ids, strategy="none", output={"max_distance": "document"})

    assert len(together) == 1 < len(apart)


def test_an_unknown_argument_is_a_type_error_with_the_known_ones(connection):
    known = "collection, embedding, filter, max_hits, query, ranking, skip, store"
    with pytest.raises(TypeError, match=rf"^search_hits\(\) has no argument 'max_passages'; it has {known}$"):
        Store(connection).search_hits("filters", max_passages=3)


@pytest.mark.parametrize("name", ['"; DROP SCHEMA rag; --', "a => 1", "store) --"])
def test_the_name_of_an_argument_never_becomes_sql(name, connection):
    with pytest.raises(TypeError, match="has no argument"):
        Store(connection).search("filters", **{name: 1})


async def test_a_json_codec_of_the_caller_changes_nothing(url, connection):
    client = await asyncpg.connect(url)
    await client.set_type_codec("jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog")

    options = {"max_passages": 2, "filter": {"collection": "docs"}}
    expected = Store(connection).search("filters", **options)

    assert expected and await AsyncStore(client).search("filters", **options) == expected
    await client.close()


def test_objects_of_another_role_in_the_search_path_are_not_used(connection):
    connection.execute("CREATE SCHEMA trap; CREATE DOMAIN trap.text AS integer; CREATE DOMAIN trap.uuid AS integer")
    connection.execute("CREATE DOMAIN trap.jsonb AS integer; CREATE DOMAIN trap.name AS integer")
    connection.execute("SET LOCAL search_path = trap, pg_catalog, public")

    store = Store(connection, "rag")

    assert store.reassemble([hit.chunk_id for hit in store.search_hits("filters", filter={"kind": "prose"})])
    assert store.expand_context(store.search_hits("filters")[0].chunk_id, limits={"parents": 1})[0].path is not None
    connection.rollback()
