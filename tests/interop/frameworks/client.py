"""Runs the client on an adopted store. `ground/check/interop` names the program in PASSAGE_CLIENT if it is built."""

import json
import os
import subprocess

import pytest

import documents

STORE = ["--store", "app"]


def run(url, *arguments):
    """Runs a command that needs no model, and returns its exit code, its output and its messages."""
    environment = os.environ | {"DATABASE_URL": url, "PASSAGE_MODEL": "/nowhere", "HOME": "/nowhere"}
    environment.pop("XDG_CACHE_HOME", None)
    done = subprocess.run([os.environ["PASSAGE_CLIENT"], *arguments, *STORE], env=environment, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def answer(url, *arguments):
    """Runs a command that must succeed, and returns its lines of JSON."""
    code, output, messages = run(url, *arguments, "--json")
    assert code == 0, (arguments, output, messages)
    return [json.loads(line) for line in output.splitlines()]


def check(layout, connection, url):
    """Every command that reads answers with rows of the source, and every command that writes refuses."""
    if not os.access(os.environ.get("PASSAGE_CLIENT", ""), os.X_OK):
        pytest.skip("the client is not built")
    (count,) = connection.execute(f"SELECT count(*) FROM {layout.source}").fetchone()
    (status,) = answer(url, "status")
    assert status["chunks"] == status["embeddings"] == count
    assert status["adopted"].split(".")[-1].strip('"') == layout.source.split(".")[-1].strip('"')
    assert sum(row["chunks"] for row in answer(url, "status", "--list")) == count

    (found,) = answer(url, "search", "restore a backup", "--mode", "text", "--chunks")
    assert found["passages"] and all("restor" in chunk["content"].lower() or "backup" in chunk["content"].lower() for chunk in found["chunks"])
    ids = {row[0] for row in connection.execute("SELECT source_id FROM app.chunks")}
    assert {chunk["source_id"] for chunk in found["chunks"]} <= ids
    assert all(set(passage["source_ids"]) <= ids for passage in found["passages"])
    assert answer(url, "fragments", "restore", "--no-embed")

    hit = found["chunks"][0]
    for name in hit["chunk_id"], hit["source_id"]:
        rows = answer(url, "context", name, "--before", "1")
        assert hit["chunk_id"] in [row["chunk_id"] for row in rows]
    for (document,) in connection.execute("SELECT coalesce(uri, id::text) FROM app.documents"):
        assert sum(row["chunks"] for row in answer(url, "outline", document)) > 0
    findings = answer(url, "doctor", "--no-embed")
    assert not [finding for finding in findings if finding["severity"] == "bad"], findings

    # The framework's vectors get no name by chance, and nothing writes them.
    code, _, messages = run(url, "search", "restore", "--mode", "vector")
    assert code == 1, messages
    for command in ["embed"], ["ingest", "--no-embed", str(documents.ROOT / "README.md")], ["reindex", "--no-embed"]:
        code, _, messages = run(url, *command)
        assert code == 1 and layout.source.split(".")[-1].strip('"') in messages, messages
    assert connection.execute("SELECT count(*) FROM app.settings WHERE key = 'model'").fetchone() == (0,)
    code, output, messages = run(url, "export", "--model-name", "words")
    lines = [json.loads(line) for line in output.splitlines()]
    assert (code, len(lines)) == (0, count), messages
    assert all(line["model"] == "words" and len(line["embedding"]) == documents.DIMENSIONS for line in lines)
