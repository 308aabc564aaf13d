"""Real documents for the tests of frameworks, and an embedding that needs no model.

    documents.py QUESTION...

As a program it writes them into the store `rag` of DATABASE_URL, and prints the embeddings of questions as a JSON object,
for tests in another language.
"""

import hashlib
import json
import math
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Dimensions of `embed`.
DIMENSIONS = 384

# Pages of the project's own documentation, by uri, and the files of the handbook.
PAGES = ["docs/concepts.md", "docs/faq.md", "docs/guides/search.md", "docs/guides/security.md", "docs/recipes/rag-prompt.md"]
HANDBOOK = ["handbook/backup.md", "handbook/logging.md"]


def texts():
    """Returns the pages as a dict from uri to text."""
    return {uri: (ROOT / uri).read_text(encoding="utf-8") for uri in PAGES}


def handbook():
    """Returns the handbook that the README of the project loads, as a dict from uri to text."""
    return {uri: (ROOT / "tests/fixtures" / uri).read_text(encoding="utf-8") for uri in HANDBOOK}


def readme_blocks():
    """Returns the examples of the README of the package for Python."""
    return re.findall(r"```python\n(.*?)```", (ROOT / "integrations/python/README.md").read_text(encoding="utf-8"), re.S)


def embed(text):
    """Returns a normalized embedding of a text: the counts of its words, hashed into 384 dimensions.

    Texts that share words are near, so a test can predict which chunk is the nearest.
    """
    vector = [0.0] * DIMENSIONS
    for word in re.findall(r"\w+", text.lower()):
        digest = hashlib.sha256(word.encode()).digest()
        vector[int.from_bytes(digest[:4]) % DIMENSIONS] += 1.0 if digest[4] % 2 else -1.0
    length = math.sqrt(sum(value * value for value in vector))
    return [value / length for value in vector] if length else [1.0] + vector[1:]


def load(connection, store="rag"):
    """Creates a store, writes the pages as two collections and the handbook as the README does, and embeds the chunks."""
    connection.execute("SELECT passage.create_store(%s, dimensions => %s)", (store, DIMENSIONS))
    for uri, text in (texts() | handbook()).items():
        collection = "" if uri in HANDBOOK else "recipes" if "recipes" in uri else "docs"
        statement = "SELECT passage.ingest(%s, %s, collection => %s, metadata => %s, store => %s)"
        connection.execute(statement, (uri, text, collection, '{"team": "docs"}', store))
    embed_chunks(connection, store)


def embed_chunks(connection, store="rag"):
    """Adds the embeddings that chunks of a store lack, as an application does."""
    missing = f"SELECT id, document_id, content FROM {store}.chunks WHERE id NOT IN (SELECT chunk_id FROM {store}.embeddings)"
    insert = f"INSERT INTO {store}.embeddings (chunk_id, document_id, embedding) VALUES (%s, %s, %s::real[])"
    for chunk, document, content in connection.execute(missing).fetchall():
        connection.execute(insert, (chunk, document, embed(content)))


if __name__ == "__main__":
    import psycopg

    with psycopg.connect(os.environ["DATABASE_URL"]) as opened:
        load(opened)
    print(json.dumps({question: embed(question) for question in sys.argv[1:]}))
