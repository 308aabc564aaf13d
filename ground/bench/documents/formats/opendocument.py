"""OpenDocument: the text of all paragraphs. Headings are those of texts, titles of slides and names of sheets."""

from reference import Package, Reference, attribute, child, local

# Notes about the text, and tables that repeat it.
LEFT_OUT = ("annotation", "tracked-changes", "table-of-content", "alphabetical-index", "illustration-index", "forms")


def read(path):
    body = child(Package(path).xml("content.xml"), "body")
    texts, left_out, headings = [], [], []

    def collect(element, is_left_out):
        for other in element:
            name = local(other)
            inner = is_left_out or name in LEFT_OUT or attribute(other, "class") in ("footer", "header", "date-time", "page-number")
            if name == "frame" and attribute(other, "class") == "title" and "".join(other.itertext()).strip():
                headings.append((1, " ".join(other.itertext())))
            if name == "table" and local(element) == "spreadsheet" and "".join(other.itertext()).strip():
                headings.append((1, attribute(other, "name")))
                texts.append(attribute(other, "name"))
            if name in ("p", "h"):
                text = "".join(own_text(other))
                texts.append(text)
                if inner:
                    left_out.append(text)
                elif name == "h" and text.strip():
                    headings.append((int(attribute(other, "outline-level") or 1), text))
            collect(other, inner)

    collect(body, False)
    return Reference("\n".join(texts), "\n".join(left_out), headings)


def own_text(element):
    """Yields the texts of a paragraph itself, not of those in its notes and text boxes."""
    yield element.text or ""
    for other in element:
        name = local(other)
        if name in ("s", "tab", "line-break"):
            yield " "
        elif name not in ("p", "h", *LEFT_OUT):
            yield from own_text(other)
        yield other.tail or ""
