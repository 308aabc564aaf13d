"""Checks of an adopted store. A layout is an object of a class in `layouts`."""

import contextlib
import difflib

import documents
import psycopg

# Problems that check_store may report: what the framework does not record.
ALLOWED = ["no vector index", "no chunk has a section", "sections are unknown", "offsets are unknown", "no line numbers"]

# The end of a chunk that begins the next one counts as equal by chance if it is shorter, in characters.
LEAST_SHARED = 12

QUESTION = "who may read rows under row-level security"


@contextlib.contextmanager
def adopted(layout, url):
    """Creates and fills the tables of a layout, adopts them as the store `app`, and yields a connection."""
    with psycopg.connect(url, autocommit=True) as connection:
        layout.create()
        layout.ids = {uri: layout.add(uri, text) for uri, text in documents.texts().items()}
        connection.execute("SELECT passage.adopt(%s::regclass, 'app')", (layout.source,))
        try:
            yield connection
        finally:
            layout.close()


def chunks(connection, store="app"):
    """Returns the chunks of a store in the order of their documents."""
    return connection.execute(
        f"SELECT coalesce(uri, document_id::text), ordinal, id, source_id, content, section, start_byte, end_byte"
        f" FROM {store}.chunks JOIN (SELECT id AS document_id, uri FROM {store}.documents) AS d USING (document_id) ORDER BY 1, 2"
    ).fetchall()


def without_space(text):
    return "".join(text.split())


def check_rows(layout, connection):
    """Each row of the source is one chunk, with its own id, and documents have their chunks without gaps."""
    found = chunks(connection)
    (count,) = connection.execute(f"SELECT count(*) FROM {layout.source}").fetchone()
    assert len(found) == count > 0
    keys = connection.execute(f"SELECT {layout.key}::text FROM {layout.source}").fetchall()
    assert {row[3] for row in found} == {key for (key,) in keys}
    for _, _, chunk, source_id, *_ in found:
        assert connection.execute("SELECT passage.chunk_id('app', %s)", (source_id,)).fetchone() == (chunk,)
    by_document = {}
    for document, ordinal, *_ in found:
        by_document.setdefault(document, []).append(ordinal)
    assert all(ordinals == list(range(len(ordinals))) for ordinals in by_document.values())
    problems = connection.execute("SELECT object || ': ' || problem FROM passage.check_store('app', data => true)").fetchall()
    others = [problem for (problem,) in problems if not any(words in problem for words in ALLOWED)]
    assert not others, others


def check_text(connection, texts):
    """The chunks of a document, assembled, are its text: in order, and each byte once."""
    statement = """
        SELECT min(coalesce(uri, content)), passage.assemble(document_id, array_agg(chunks.id), '', 'app')
        FROM app.chunks JOIN app.documents ON documents.id = document_id GROUP BY document_id
    """
    found = {without_space(text): uri for uri, text in connection.execute(statement)}
    expected = {without_space(text): uri for uri, text in texts.items()}
    for wrong, missing in zip(sorted(found.keys() - expected.keys()), sorted(expected.keys() - found.keys())):
        changes = difflib.SequenceMatcher(None, missing, wrong, autojunk=False).get_opcodes()
        shown = [(kind, missing[a:b][:60], wrong[c:d][:60]) for kind, a, b, c, d in changes if kind != "equal"]
        if not all(kind == "insert" and len(twice) < LEAST_SHARED for kind, _, twice in shown):
            raise AssertionError(f"the text of {expected[missing]} differs: {shown}")
    assert len(found) == len(expected)


def check_search(layout, connection):
    """Search by words, by embedding and by both finds rows of the source, and gives their ids."""
    vector = documents.embed(QUESTION)
    nearest = connection.execute(
        f"SELECT {layout.content} FROM {layout.source} ORDER BY embedding <=> %s::real[]::vector LIMIT 5", (vector,)
    ).fetchall()
    statement = "SELECT content, source_id, vector_rank FROM passage.search_hits(%s, %s::real[], store => 'app', max_hits => %s)"
    found = connection.execute(statement, (None, vector, 5)).fetchall()
    assert [row[:1] for row in found] == nearest
    assert all(source_id for _, source_id, _ in found)
    hybrid = connection.execute(statement, (QUESTION, vector, 5)).fetchall()
    assert "row-level" in hybrid[0][0].lower()
    words = connection.execute(statement, ("restore", None, 5)).fetchall()
    assert all("restor" in text.lower() for text, *_ in words)
    passages = connection.execute(
        "SELECT content, source_ids, chunk_ids, citations FROM passage.search(%s, %s::real[], store => 'app', max_passages => 3)",
        (QUESTION, vector),
    ).fetchall()
    assert "row-level" in passages[0][0].lower()
    for _, source_ids, chunk_ids, citations in passages:
        assert len(source_ids) == len(chunk_ids) == len(citations)
    fragments = connection.execute("SELECT content FROM passage.fragments(%s, store => 'app')", (QUESTION,)).fetchall()
    assert fragments


def check_context(connection):
    """Expansion adds neighbors of the same document, next to the hit."""
    (hit, document, ordinal) = connection.execute(
        "SELECT id, document_id, ordinal FROM app.chunks WHERE ordinal = 2 ORDER BY id LIMIT 1"
    ).fetchone()
    rows = connection.execute(
        "SELECT document_id, ordinal, source_id FROM passage.expand_context(%s, 'adjacent', limits => passage.limits(before => 1, after => 1), store => 'app')",
        (hit,),
    ).fetchall()
    assert {row[0] for row in rows} == {document}
    assert {ordinal - 1, ordinal, ordinal + 1} <= {row[1] for row in rows}
    assert all(row[2] for row in rows)
    assert connection.execute("SELECT count(*) FROM passage.outline(%s, store => 'app')", (document,)).fetchone()[0] > 0


def check_in_step(layout, connection):
    """The store equals a new adoption of the same table."""
    connection.execute("SELECT passage.adopt(%s::regclass, 'fresh')", (layout.source,))
    try:
        kept, fresh = chunks(connection), chunks(connection, "fresh")
        assert [row[:2] + row[3:] for row in kept] == [row[:2] + row[3:] for row in fresh]
        count = "SELECT count(*) FROM {}.embeddings"
        assert connection.execute(count.format("app")).fetchone() == connection.execute(count.format("fresh")).fetchone()
        columns = "SELECT count(*), count(DISTINCT uri) FROM {}.documents"
        assert connection.execute(columns.format("app")).fetchone() == connection.execute(columns.format("fresh")).fetchone()
    finally:
        connection.execute("SELECT passage.unadopt('fresh')")


def check_all(layout, connection, texts):
    check_rows(layout, connection)
    check_text(connection, texts)
    check_search(layout, connection)
    check_context(connection)
