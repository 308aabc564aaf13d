"""Pages about frameworks: their blocks, which run in order in one session."""

import re

import documents

RECIPE = "docs/recipes/frameworks.md"
COMING_FROM = "docs/coming-from.md"


def blocks(page, *headings):
    """Returns the blocks below headings of a page as pairs of language and text."""
    text = (documents.ROOT / page).read_text(encoding="utf-8")
    found = []
    for heading in headings:
        (section,) = re.findall(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", text, re.S | re.M)
        found += re.findall(r"```(sql|python)\n(.*?)```", section, re.S)
    return found


def run(connection, session, *headings, page=RECIPE):
    """Runs the blocks below headings: SQL on a connection, Python in a session."""
    for language, block in blocks(page, *headings):
        if language == "sql":
            connection.execute(block)
            connection.commit()
        else:
            exec(block, session)


def come_from(layout, session, heading):
    """Fills the table of a layout, and runs the blocks of a framework in the page COMING_FROM in a session."""
    layout.create()
    for uri, text in documents.texts().items():
        layout.add(uri, text)
    try:
        run(None, session, heading, page=COMING_FROM)
    finally:
        layout.close()
