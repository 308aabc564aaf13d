"""The examples of the README run, in one session from top to bottom."""

import contextlib
import io
import pathlib
import re

import documents

README = pathlib.Path(__file__).resolve().parents[1] / "README.md"


def test_the_examples_of_the_readme_run(url):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.S)
    session = {"DATABASE_URL": url, "embed": documents.embed}
    printed = io.StringIO()

    with contextlib.redirect_stdout(printed):
        for block in blocks:
            exec(block, session)

    session["connection"].close()
    assert len(blocks) == 4
    assert "docs/" in printed.getvalue()
    assert session["passages"]
