"""Asks the questions of all sets with one of `passage`, `langchain` and `llamaindex`.

    retrieve.py NAME OUTPUT [OPTION...]      the options of measure.py

Each line of the output is a JSON object: the results of a method for one question and budget, best first, each with its
document and its ranges of bytes. tests/benches/quality/peers.rs cuts them to the budget and scores them.
"""

import importlib
import json
import os
import sys
import time

import embeddings
import options
import passage_peer
import sets

BUDGETS = [512, 1024, 2048]
# The budget whose retrieval is timed.
TIMED = 1024


def enough(places, budget):
    """Returns whether the results surely fill the budget. A wordpiece of these sets has three to five characters."""
    return sum(end - start for _, start, end in places) >= 5 * budget


def growing(data, function, least):
    """Asks a framework for twice as many results until they fill the budget. Returns them and the time of the last call."""

    def ask(question, budget):
        k, count = least, -1
        while True:
            began = time.perf_counter()
            places = list(function(question, k))
            seconds = time.perf_counter() - began
            # No more results means that the index has no more, or that its search ended.
            if enough(places, budget) or k > 1000:
                return [data.span(*place) for place in places], seconds
            k *= 2

    return ask


def timed(function):
    def ask(question, budget):
        began = time.perf_counter()
        results = function(question, budget)
        return results, time.perf_counter() - began

    return ask


def methods(name, url, data, cache, requested):
    """Yields the requested methods of a framework as pairs of a name and a function."""
    if name == "passage":
        passage = passage_peer.Passage(url, data, cache)
        yield "`search`", timed(passage.search)
        yield "`search_hits`", timed(passage.hits)
        return
    module = importlib.import_module(f"{name}_peer")
    peer = module.PEER(url, data, cache)
    for method, (least, build) in module.METHODS.items():
        if not requested or method in requested:
            yield method, growing(data, build(peer), least)


def main(name, output, *arguments):
    given = options.parse(arguments)
    cache = embeddings.Cache(os.environ["EMBEDDINGS_URL"], given.cache)
    url = os.environ["DATABASE_URL"]
    with open(output, "w", encoding="utf-8") as lines:
        for data in sets.read(given.data, given.set, given.questions):
            cache.embed(data.questions)
            passage = passage_peer.Passage(url, data, cache)
            for method, ask in methods(name, url, data, cache, given.method):
                for number, question in enumerate(data.questions):
                    for budget in BUDGETS:
                        results, seconds = ask(question, budget)
                        line = {"set": data.name, "method": method, "question": number, "budget": budget, "results": results}
                        if budget == TIMED:
                            # Both alternate, so other load on the machine affects both.
                            line["seconds"] = [seconds, timed(passage.search)(question, budget)[1]]
                        lines.write(json.dumps(line) + "\n")
                print(f"peers: {data.name}: {method} is measured", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
