"""The page docs/recipes/frameworks.md: its blocks, which run in order in one session."""

import re

from documents import ROOT


def blocks(*headings):
    """Returns the blocks below headings of the page as pairs of language and text."""
    page = (ROOT / "docs/recipes/frameworks.md").read_text(encoding="utf-8")
    found = []
    for heading in headings:
        (section,) = re.findall(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", page, re.S | re.M)
        found += re.findall(r"```(sql|python)\n(.*?)```", section, re.S)
    return found


def run(connection, session, *headings):
    """Runs the blocks below headings: SQL on a connection, Python in a session."""
    for language, block in blocks(*headings):
        if language == "sql":
            connection.execute(block)
            connection.commit()
        else:
            exec(block, session)
