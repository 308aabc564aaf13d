"""Rich Text: the text that striprtf reads. Headings are paragraphs with an outline level or the style of a heading."""

import re

from striprtf.striprtf import rtf_to_text

from reference import Reference


def read(path):
    with open(path, "rb") as file:
        source = file.read().decode("latin-1")
    text = rtf_to_text(source, errors="replace")
    return Reference(text, headings=headings(source))


def headings(source):
    styles = {number: int(level) for number, level in re.findall(r"\{\\s(\d+)\b[^{}]*?heading (\d);", source, re.IGNORECASE)}
    found = []
    body = re.sub(r"\{\\(stylesheet|listtable|\*\\listtable)\b.*?\}\s*\}", "", source, flags=re.DOTALL)
    for paragraph in re.split(r"\\par\b(?!d)", body):
        # The properties of a paragraph are those after its last reset.
        own = paragraph.rpartition("\\pard")[2]
        outline = re.search(r"\\outlinelevel(\d)\b", own)
        style = re.search(r"\\s(\d+)\b", own)
        level = int(outline[1]) + 1 if outline else styles.get(style[1]) if style else None
        text = rtf_to_text("{\\rtf1 " + own.replace("{", "").replace("}", "") + "}", errors="replace") if level else ""
        if text.strip():
            found.append((level, text))
    return found
