"""Loads the sets into a server, and asks their questions with pg_passage, LangChain and LlamaIndex.

    measure.py OUTPUT [OPTION...]

`ground/bench/peers` calls it with the variables DATABASE_URL and PASSAGE_CLIENT, and a variable with the Python packages
of each framework. The output is a folder.
"""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "interop"))

import servers  # noqa: E402

import options  # noqa: E402
import sets  # noqa: E402

# pg_passage needs only a driver, which the packages of both frameworks have.
PACKAGES = {"passage": "LANGCHAIN_PACKAGES", "langchain": "LANGCHAIN_PACKAGES", "llamaindex": "LLAMAINDEX_PACKAGES"}


def load(url, data):
    """Loads the documents of a set into its store, as a user does."""
    servers.run(url, "init", "--store", data.store)
    servers.run(url, "ingest", "--quiet", "--store", data.store, "docs", folder=data.folder)


def main(output, *arguments):
    given = options.parse(arguments)
    url = os.environ["DATABASE_URL"]
    data = sets.read(given.data, given.set, given.questions)
    for one in data:
        print(f"peers: loading {one.name}", file=sys.stderr, flush=True)
        load(url, one)
    with servers.serving(url, "serve", "--listen", "127.0.0.1:0", "--store", data[0].store, "--timeout", "600") as address:
        for name, packages in PACKAGES.items():
            environment = {**os.environ, "PYTHONPATH": os.environ[packages], "EMBEDDINGS_URL": address}
            command = [sys.executable, HERE / "retrieve.py", name, pathlib.Path(output, f"{name}.jsonl"), *arguments]
            subprocess.run(command, env=environment, check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
