"""The examples of the README run, in one session from top to bottom."""

import contextlib
import io
import re

import documents


def test_the_examples_of_the_readme_run(url):
    session = {}
    printed = io.StringIO()

    with contextlib.redirect_stdout(printed):
        for block in documents.readme_blocks():
            exec(block, session)
            # The tests of the servers run this one, because it calls `passage serve`.
            if "embed" in session:
                session["embed"] = documents.embed

    session["connection"].close()
    assert "1 handbook/logging.md ['Logging'] 1 30" in printed.getvalue()
    assert 'no document has uri "handbook/loging.md" Perhaps you mean "handbook/logging.md".' in printed.getvalue()
    assert session["passages"] and session["unknown"] == [7]
