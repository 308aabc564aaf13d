"""The comparison of `ground/bench/peers`, with two documents and an embedding that needs no model."""

import json
import sys

import psycopg

import documents

sys.path.insert(0, str(documents.ROOT / "tests/quality/peers"))

import retrieve  # noqa: E402
import sets  # noqa: E402
import worker  # noqa: E402

FILES = ["docs/guides/security.md", "tests/interop/documents.py"]
# Each is a part of its answer, so words and the embedding find it.
QUESTIONS = ["owner of a trigger could use the rights of every role that writes", "Returns a normalized embedding of a text"]


class WordCache:
    """`documents.embed` in place of the model."""

    model = "words"

    def embed(self, texts):
        return [documents.embed(text) for text in texts]


def check(name, url, folder):
    """Every method returns ranges of the documents that fill a budget, and the answer is in them."""
    data, budget = write_set(folder), retrieve.BUDGETS[-1]
    load(url, data)
    for method, ask in retrieve.methods(name, url, data, WordCache(), None):
        for question in data.questions:
            results, seconds = ask(question, budget)
            spans = [(data.documents[document].encode(), *span) for document, spans in results for span in spans]
            text = " ".join(document[start:end].decode() for document, start, end in spans)
            assert question in text and seconds > 0, (method, question)
            # The budget of `search` is its argument. The others return at least one character for each token.
            assert method == "`search`" or len(text) >= budget, (method, question)


def check_calls(name, url, folder):
    """Every method that `calls.py` measures returns ranges of the documents with the answer."""
    data = write_set(folder)
    load(url, data)
    for method, call in worker.methods(name, url, data, WordCache()).items():
        for number, question in enumerate(data.questions):
            assert data.is_answered(number, worker.spans(name, data, call(question))), (method, question)


def write_set(folder):
    (folder / "docs").mkdir()
    for file in FILES:
        path = documents.ROOT / file
        (folder / "docs" / path.name).write_bytes(path.read_bytes())
    lines = []
    for file, question in zip(FILES, QUESTIONS):
        path = documents.ROOT / file
        start = path.read_text(encoding="utf-8").index(question)
        lines.append(json.dumps({"question": question, "doc": path.name, "spans": [[start, start + len(question)]]}))
    (folder / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return sets.Set("words", folder)


def load(url, data):
    with psycopg.connect(url) as connection:
        connection.execute("SELECT passage.create_store(%s, dimensions => %s)", (data.store, documents.DIMENSIONS))
        for name, text in data.documents.items():
            connection.execute("SELECT passage.ingest(%s, %s, store => %s)", (f"docs/{name}", text, data.store))
        documents.embed_chunks(connection, data.store)
