"""pg_passage: `search` with its defaults, and the bare hits of the same search."""

import psycopg

SEARCH = """
SELECT uri, ARRAY(SELECT ARRAY[lower(span), upper(span)] FROM unnest(spans) AS span), content
FROM passage.search(%s, %s::real[], max_passages => %s, max_tokens => %s, store => %s) ORDER BY rank
"""

HITS = """
SELECT hit.uri, ARRAY[ARRAY[chunk.start_byte, chunk.end_byte]], hit.content
FROM passage.search_hits(%s, %s::real[], max_hits => %s, store => %s) AS hit
JOIN {store}.chunks AS chunk ON chunk.id = hit.chunk_id ORDER BY hit.rank
"""


class Passage:
    """A session with the store of a set."""

    def __init__(self, url, data, cache):
        self.connection = psycopg.connect(url, autocommit=True)
        self.data, self.cache = data, cache

    def search(self, question, budget=None, passages=100):
        return self.rows(SEARCH, (question, self.embed(question), passages, budget, self.data.store))

    def by_embedding(self, question, passages):
        return self.rows(SEARCH, (None, self.embed(question), passages, None, self.data.store))

    def hits(self, question, _=None, hits=100):
        return self.rows(HITS.format(store=self.data.store), (question, self.embed(question), hits, self.data.store))

    def calls(self, results):
        """Returns methods with a fixed number of results, without a budget but for one."""
        return {
            "`search`": lambda question: self.search(question, passages=results),
            "`search`, `max_tokens => 1024`": lambda question: self.search(question, 1024, results),
            "`search` by embedding alone": lambda question: self.by_embedding(question, results),
            "`search_hits`": lambda question: self.hits(question, hits=results),
        }

    def embed(self, question):
        return self.cache.embed([question])[0]

    def rows(self, sql, values):
        rows = self.connection.execute(sql, values, prepare=True).fetchall()
        return [[uri.removeprefix("docs/"), spans] for uri, spans, _ in rows]
