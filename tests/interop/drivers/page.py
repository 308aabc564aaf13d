"""The page docs/recipes/drivers.md: its blocks and its table of results, by driver."""

import re

from documents import ROOT

TEXT = (ROOT / "docs/recipes/drivers.md").read_text(encoding="utf-8")

COLUMNS = ["section", "chunk_ids", "spans", "citations", "tokens"]


def blocks(driver):
    """Returns the blocks below the heading of a driver."""
    section = re.search(rf"^## {re.escape(driver)}\n(.*?)(?=^## |\Z)", TEXT, re.S | re.M)
    return re.findall(r"```\w+\n(.*?)```", section[1], re.S)


def results():
    """Returns the table of results: a dict from driver to the types of COLUMNS."""
    rows = [line.strip("| ").split(" | ") for line in TEXT.splitlines() if line.count("|") == 7]
    assert [name.split("`")[1] for name in rows[0][1:]] == COLUMNS
    return {row[0]: row[1:] for row in rows[2:]}
