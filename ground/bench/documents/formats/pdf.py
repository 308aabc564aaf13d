"""PDF: the text of pdftotext in its reading order, and the bookmarks that pypdf reads."""

import logging
import re
import subprocess

import pypdf

from reference import Reference

logging.disable(logging.ERROR)

# The lines at the top and at the bottom of a page that may be its header and its footer.
EDGE = 3
# The pages before and after one that may have the same.
AROUND = 4


def read(path):
    done = subprocess.run(["pdftotext", path, "-"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    text = done.stdout.decode(errors="replace")
    return Reference(text, "\n".join(furniture(text.split("\f"))), bookmarks(path))


def furniture(pages):
    """Returns the lines at the edges of pages that are equal, except for numbers, on two of those around, and their numbers."""
    edges = []
    for page in pages:
        lines = [line.strip() for line in page.splitlines() if line.strip()]
        edges.append(lines[:EDGE] + lines[EDGE:][-EDGE:])
    patterns = [{pattern(line) for line in lines} for lines in edges]

    def is_repeated(number, line):
        around = patterns[max(0, number - AROUND) : number] + patterns[number + 1 : number + 1 + AROUND]
        return sum(pattern(line) in other for other in around) > 1

    return [line for number, lines in enumerate(edges) for line in lines if is_repeated(number, line) or is_number(line)]


def pattern(line):
    return re.sub(r"\d+", "#", line)


def is_number(line):
    return re.fullmatch(r"[-–— ]*(\d+|[ivxlcdm]+|\[\d+\])[-–— ]*", line) is not None


def bookmarks(path):
    """Returns the titles of the outline with their levels; none for a document that pypdf cannot read."""
    try:
        outline = pypdf.PdfReader(path).outline
    except Exception:
        return []
    found = []

    def collect(items, level):
        for item in items:
            if isinstance(item, list):
                collect(item, level + 1)
            elif item.title:
                found.append((level, item.title))

    collect(outline, 1)
    return found
