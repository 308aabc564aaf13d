"""Asks the questions of a set by one of `passage`, `langchain` and `llamaindex`, a round at a time.

    worker.py NAME [OPTION...]      the options of measure.py

It prints the names of its methods, and then reads one in each line of its input. For each it asks all questions, and prints
their seconds, its own processor time, and the results: objects of JSON, one a line.
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

# The results of each call: hits, which the methods then replace by their parents, windows or passages.
RESULTS = 10


def methods(name, url, data, cache):
    """Returns the methods of a framework as functions that get a question and return the places of its results."""
    if name == "passage":
        return passage_peer.Passage(url, data, cache).calls(RESULTS)
    module = importlib.import_module(f"{name}_peer")
    peer = module.PEER(url, data, cache)
    built = {method: build(peer) for method, (_, build) in module.METHODS.items()}
    return {method: lambda question, call=call: list(call(question, RESULTS)) for method, call in built.items()}


def spans(name, data, places):
    """Returns places as documents with ranges of bytes."""
    return places if name == "passage" else [data.span(*place) for place in places]


def main(name, *arguments):
    # Libraries may print, too.
    answers, sys.stdout = sys.stdout, sys.stderr
    given = options.parse(arguments)
    cache = embeddings.Cache(os.environ["EMBEDDINGS_URL"], given.cache)
    (data,) = sets.read(given.data, given.set, given.questions)
    cache.embed(data.questions)
    calls = methods(name, os.environ["DATABASE_URL"], data, cache)

    def answer(value):
        print(json.dumps(value), file=answers, flush=True)

    answer(list(calls))
    for method in sys.stdin:
        call, seconds, results = calls[method.rstrip("\n")], [], []
        processor = time.process_time()
        for question in data.questions:
            began = time.perf_counter()
            results.append(call(question))
            seconds.append(time.perf_counter() - began)
        processor = time.process_time() - processor
        results = [spans(name, data, result) for result in results]
        answer({"seconds": seconds, "processor": processor, "results": results})


if __name__ == "__main__":
    main(*sys.argv[1:])
