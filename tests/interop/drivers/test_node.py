"""The Node drivers of docs/recipes/drivers.md: each block runs, and each row of its table is true.

NODE names the program, and NODE_FOLDER a folder with the packages of `node/package.json`.
"""

import json
import os
import pathlib
import subprocess
import urllib.parse

import documents
import pytest
from drivers import page

DRIVERS = ["node-postgres", "postgres.js", "Drizzle"]
PROGRAM = pathlib.Path(__file__).parents[1] / "node/run.mjs"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Returns a folder with the program and the packages, because Node looks for packages next to the program."""
    folder = tmp_path_factory.mktemp("node")
    (folder / "run.mjs").write_text(PROGRAM.read_text())
    (folder / "node_modules").symlink_to(pathlib.Path(os.environ["NODE_FOLDER"]) / "node_modules")
    return folder


@pytest.fixture(params=DRIVERS)
def driver(request):
    return request.param


@pytest.fixture
def outcome(driver, folder, store):
    """Returns what the program prints about a driver."""
    options = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(store).query))
    connection = options | {"port": int(options["port"]), "database": urllib.parse.urlsplit(store).path.strip("/")}
    (block,) = page.blocks(driver)
    given = {"block": block, "embedding": documents.embed("How do filters apply?"), "connection": connection}
    program = [os.environ["NODE"], folder / "run.mjs", driver]
    done = subprocess.run(program, input=json.dumps(given), text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_block_and_the_row_of_the_page_are_true(driver, outcome):
    assert outcome["rows"] > 0 and outcome["passages"] > 0
    assert outcome["types"] == page.results()[driver]
    assert outcome["nearest"] == 1 and outcome["scores"] > 0
    assert outcome["array_as_real"] == 10


def test_a_cast_to_vector_needs_text(outcome):
    assert "invalid input syntax for type vector" in outcome["array_as_vector"]
    assert "malformed array literal" in outcome["text_as_real"]
    assert outcome["text_as_vector"] == outcome["text_as_both"] == 10
