"""The methods of a store for answers: the prompt, the check of citations, and ratings."""

from collections.abc import Iterable, Mapping
from typing import Any

from pg_passage import rows
from pg_passage.arguments import BestAt, Id, Vector
from pg_passage.call import Methods


class AnswerMethods(Methods):
    def prompt(
        self,
        passages: Iterable[rows.Passage | rows.Fragment | Mapping[str, Any]],
        best_at: BestAt = "start",
        first_number: int = 1,
    ) -> rows.Prompt:
        """Returns passages as one text with numbered sources for a language model, and the list of the sources.

        Each source is between two fences, which no text of a source ends. The call reads no table.

        Args:
            passages: rows of `search`, `reassemble` or `fragments`, best first, or dicts that have at least `content`.
            best_at: the place of the best sources in the text: `start`, or `both_ends` with the worst ones in the middle.
            first_number: number of the first source, 1 to 1,000,000. A later call of a conversation continues the numbers.

        Raises:
            psycopg.Error: see `Store`.

        >>> prompt = store.prompt(store.search("row-level security", max_passages=2))
        >>> [source["number"] for source in prompt.sources]
        [1, 2]
        """
        named = {"passages": passages, "best_at": best_at, "first_number": first_number}
        return self._call("prompt", rows.Prompt, None, {}, store=None, **named)

    def check_citations(self, answer: str, sources: Iterable[rows.PromptSource]) -> list[rows.CheckedCitation]:
        """Returns the sources of an answer, each cited or uncited, and the unknown numbers that it cites, by number.

        The call reads no table.

        Args:
            answer: Markdown with citations such as [2], [1, 3] or [1-3]. Those in code and links do not count.
            sources: `sources` of a prompt, or of several prompts of a conversation.

        Raises:
            psycopg.Error: see `Store`. A number that occurs twice is an `InvalidParameterValue`.

        >>> prompt = store.prompt(store.search("row-level security", max_passages=2))
        >>> checked = store.check_citations("Policies hide rows [1], and nothing else does [3].", prompt.sources)
        >>> [(row.number, row.outcome) for row in checked]
        [(1, 'cited'), (2, 'uncited'), (3, 'unknown')]
        """
        named = {"answer": answer, "sources": sources}
        return self._call("check_citations", list[rows.CheckedCitation], None, {}, store=None, **named)

    def rate(
        self, query: str, chunk_id: Id, rating: float, embedding: Vector | None = None, rated_by: str | None = None
    ) -> None:
        """Stores how well a chunk answers a question, for searches with `ranking={"feedback": 0.5}`.

        This is the only method that writes. On a connection it writes in the transaction of the caller, who commits it. The
        role needs INSERT on the table `ratings`, and UPDATE and SELECT to replace a rating of the same user, question and
        chunk.

        Args:
            query: the question that the chunk was found for.
            chunk_id: the chunk: for a passage, the first of its `hit_ids`.
            rating: from -1, the chunk does not answer the question, to 1, it does. 0 withdraws an earlier rating.
            embedding: vector of the query. Without it, and without `embed` of the store, questions are compared by words.
            rated_by: the user of the application whose rating it is, at most 200 characters. None takes the role.

        Raises:
            psycopg.Error: see `Store`. An unknown chunk is an `InvalidParameterValue`, a standby a
                `ReadOnlySqlTransaction`, and a store without ratings an `ObjectNotInPrerequisiteState`.

        >>> passage = store.search("who may read embeddings", max_passages=1)[0]
        >>> store.rate("who may read embeddings", passage.hit_ids[0], 1, rated_by="user 17")
        >>> again = store.search("who may read the embeddings", ranking={"feedback": 0.5})
        """
        named = {"query": query, "chunk_id": chunk_id, "rating": rating, "embedding": embedding, "rated_by": rated_by}
        return self._call("rate", None, None, {}, **named)
