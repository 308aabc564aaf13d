"""PowerPoint: all runs of the slides in their order, and of their notes. Headings are the titles of slides."""

from reference import Package, Reference, attribute, child, local

TITLES = ("title", "ctrTitle")
LEFT_OUT = ("ftr", "hdr", "dt", "sldNum")


def read(path):
    package = Package(path)
    relations = package.relations("ppt/presentation.xml")
    slides = child(package.xml("ppt/presentation.xml"), "sldIdLst")
    texts, left_out, headings = [], [], []
    for slide in slides if slides is not None else []:
        # `r:id` is beside an attribute `id` without a namespace.
        key = next(value for name, value in slide.attrib.items() if name.endswith("}id"))
        part = relations[key][1]
        for kind, text in shapes(package.xml(part)):
            texts.append(text)
            if kind in LEFT_OUT:
                left_out.append(text)
            elif kind in TITLES and text.strip() and not any(part == other for _, _, other in headings):
                headings.append((1, text, part))
        notes = [target for kind, target in package.relations(part).values() if kind == "notesSlide"]
        for notes_part in notes:
            texts += [text for kind, text in shapes(package.xml(notes_part)) if kind == "body"]
    return Reference("\n".join(texts), "\n".join(left_out), [heading[:2] for heading in headings])


def shapes(root):
    """Yields the text of each shape with the type of its placeholder."""
    for element in root.iter():
        if local(element) not in ("sp", "graphicFrame"):
            continue
        paragraphs = (other for other in element.iter() if local(other) == "p")
        lines = ("".join(other.text or "" if local(other) == "t" else " " for other in paragraph.iter() if local(other) in ("t", "br")) for paragraph in paragraphs)
        yield attribute(child(element, "nvSpPr", "nvPr", "ph"), "type"), "\n".join(lines)
