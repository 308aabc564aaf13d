"""Word: all runs of the body and of its notes. Headings are paragraphs with the style of a heading or an outline level."""

import re

from reference import Package, Reference, attribute, child, local


def read(path):
    package = Package(path)
    main = next((target for kind, target in package.relations("").values() if kind == "officeDocument"), "word/document.xml")
    relations = package.relations(main)
    parts = {kind: package.xml(target) for kind, target in relations.values() if kind in ("styles", "footnotes", "endnotes")}
    levels = heading_levels(parts.get("styles"))
    reference = Reference("")
    texts, left_out = [], []
    body = child(package.xml(main), "body")
    for root in (body, parts.get("footnotes"), parts.get("endnotes")):
        for paragraph, is_contents in paragraphs(root, False) if root is not None else ():
            text = "".join(runs(paragraph))
            texts.append(text)
            style = attribute(child(paragraph, "pPr", "pStyle"), "val")
            outline = attribute(child(paragraph, "pPr", "outlineLvl"), "val")
            level = int(outline) + 1 if outline and int(outline) < 9 else None if outline else levels.get(style)
            if is_contents or level == "contents":
                left_out.append(text)
            elif level and text.strip() and root is body:
                reference.headings.append((level, text))
    reference.text, reference.left_out = "\n".join(texts), "\n".join(left_out)
    return reference


def heading_levels(styles):
    """Returns the levels of headings by the ids of their styles; "contents" for lines of the table of contents."""
    own, bases = {}, {}
    for style in styles if styles is not None else []:
        name = (attribute(child(style, "name"), "val") or "").lower()
        key = attribute(style, "styleId")
        bases[key] = attribute(child(style, "basedOn"), "val")
        outline = attribute(child(style, "pPr", "outlineLvl"), "val")
        numbered = re.fullmatch(r"heading (\d)", name)
        if numbered or name == "title":
            own[key] = int(numbered[1]) if numbered else 1
        elif name.startswith("toc ") or name == "table of figures":
            own[key] = "contents"
        elif outline is not None:
            own[key] = int(outline) + 1 if int(outline) < 9 else None
    found = {}
    for key in bases:
        at, steps = key, 0
        while at not in own and bases.get(at) and steps < 20:
            at, steps = bases[at], steps + 1
        found[key] = own.get(at)
    return found


def paragraphs(element, is_contents):
    """Yields the paragraphs below an element, without the fallbacks that repeat a text."""
    for other in element:
        name = local(other)
        gallery = attribute(child(other, "sdtPr", "docPartObj", "docPartGallery"), "val")
        inner = is_contents or gallery == "Table of Contents"
        if name == "p":
            yield other, inner
        if name != "Fallback":
            yield from paragraphs(other, inner)


def runs(element):
    """Yields the texts of a paragraph itself, not of those in its text boxes."""
    for other in element:
        name = local(other)
        if name == "t":
            yield other.text or ""
        elif name in ("tab", "br", "cr"):
            yield " "
        elif name == "r" and child(other, "rPr", "vanish") is not None:
            continue
        elif name not in ("p", "Fallback", "pPr", "del", "moveFrom"):
            yield from runs(other)
