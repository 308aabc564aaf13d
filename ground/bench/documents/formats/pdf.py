"""PDF: the text of pdftotext in its reading order, and the bookmarks that pypdf reads."""

import collections
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
    return Reference(text, "\f".join(furniture(text.split("\f"))), bookmarks(path))


def furniture(pages):
    """Returns for each page the lines that are not its own, and the numbers at its edges.

    These are lines at the edges that are equal, except for numbers, on two of the pages around, and lines anywhere, such as a
    list of sections in the margin, that are on half of all pages.
    """
    lines = [[line.strip() for line in page.splitlines() if line.strip()] for page in pages]
    edges = [page[:EDGE] + page[EDGE:][-EDGE:] for page in lines]
    patterns = [{pattern(line) for line in page} for page in edges]
    counts = collections.Counter(found for page in lines for found in {pattern(line) for line in page})
    everywhere = {found for found, count in counts.items() if count > max(len(pages) / 2, AROUND)}

    def is_repeated(number, line):
        around = patterns[max(0, number - AROUND) : number] + patterns[number + 1 : number + 1 + AROUND]
        return sum(pattern(line) in other for other in around) > 1

    def of_page(number):
        at_edges = [line for line in edges[number] if is_repeated(number, line) or is_number(line)]
        inside = collections.Counter(lines[number]) - collections.Counter(at_edges)
        return at_edges + [line for line in inside.elements() if pattern(line) in everywhere]

    return ["\n".join(of_page(number)) for number in range(len(pages))]


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
