"""JDBC in docs/recipes/drivers.md: its block runs, and its row of the table is true.

JAVA names the program of a JDK, JDBC_JAR the driver, and TCP_URL the server: JDBC has no Unix sockets.
"""

import os
import pathlib
import subprocess
import urllib.parse

import documents
import pytest
from drivers import page

PROGRAM = pathlib.Path(__file__).parents[1] / "jdbc/Run.java"


@pytest.fixture(scope="module")
def outcome(store, tmp_path_factory):
    (block,) = page.blocks("JDBC")
    program = tmp_path_factory.mktemp("jdbc") / "Run.java"
    program.write_text(PROGRAM.read_text().replace("// BLOCK", block))
    server = urllib.parse.urlsplit(os.environ["TCP_URL"])
    database = urllib.parse.urlsplit(store).path
    url = f"jdbc:postgresql://{server.hostname}:{server.port}{database}?user={server.username}&password={server.password}"
    embedding = ",".join(map(str, documents.embed("How do filters apply?")))
    command = [os.environ["JAVA"], "-cp", os.environ["JDBC_JAR"], program, url, embedding]
    done = subprocess.run(command, text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


def test_the_block_and_the_row_of_the_page_are_true(outcome):
    assert outcome["block"] == "true" and outcome["nearest"] == "true"
    assert outcome["types"].split(" | ") == page.results()["JDBC"]
    assert outcome["array_as_real"] == "10"


def test_text_needs_a_cast_to_vector_and_an_array_accepts_both(outcome):
    assert outcome["array_as_vector"] == "10"
    assert "malformed array literal" in outcome["text_as_real"]
    assert outcome["text_as_vector"] == outcome["text_as_both"] == "10"
