"""pg_passage: `search` with its defaults, and the bare hits of the same search."""

import psycopg

SEARCH = """
SELECT uri, ARRAY(SELECT ARRAY[lower(span), upper(span)] FROM unnest(spans) AS span), content
FROM passage.search(%s, %s::real[], max_passages => 100, max_tokens => %s, store => %s) ORDER BY rank
"""

HITS = """
SELECT hit.uri, ARRAY[ARRAY[chunk.start_byte, chunk.end_byte]], hit.content
FROM passage.search_hits(%s, %s::real[], max_hits => 100, store => %s) AS hit
JOIN {store}.chunks AS chunk ON chunk.id = hit.chunk_id ORDER BY hit.rank
"""


class Passage:
    """A session with the store of a set."""

    def __init__(self, url, data, cache):
        self.connection = psycopg.connect(url, autocommit=True)
        self.data, self.cache = data, cache

    def search(self, question, budget):
        return self.rows(SEARCH, (question, self.cache.embed([question])[0], budget, self.data.store))

    def hits(self, question, budget):
        values = (question, self.cache.embed([question])[0], self.data.store)
        return self.rows(HITS.format(store=self.data.store), values)

    def rows(self, sql, values):
        rows = self.connection.execute(sql, values, prepare=True).fetchall()
        return [[uri.removeprefix("docs/"), spans] for uri, spans, _ in rows]
