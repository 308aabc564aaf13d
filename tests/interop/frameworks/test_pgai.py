"""The tables of pgai are what passage.adopt expects of them: a change of pgai's layout fails here."""

import documents
import psycopg
from layouts.pgai import Pgai


def test_a_vectorizer_of_pgai_fills_its_destination_table(database):
    layout = Pgai(database)
    layout.create()
    layout.add("docs/faq.md", documents.texts()["docs/faq.md"])
    with psycopg.connect(database) as connection:
        row = connection.execute("SELECT to_jsonb(t) FROM pages_embedding_store t WHERE chunk_seq = 0").fetchone()[0]
    assert set(row) == {"embedding_uuid", "id", "chunk_seq", "chunk", "embedding"}
    assert documents.texts()["docs/faq.md"].startswith(row["chunk"][:100])
    layout.close()
