"""EPUB: the text of the chapters in their order, with the headings of HTML."""

import html.parser
import urllib.parse

from reference import Package, Reference, absolute, attribute, child

BLOCKS = ("p", "div", "li", "td", "th", "tr", "br", "dt", "dd", "pre", "blockquote", "section", "h1", "h2", "h3", "h4", "h5", "h6")
VOID = ("br", "hr", "img", "input", "link", "meta", "col", "wbr")


class Page(html.parser.HTMLParser):
    """Collects the text of a page and its headings."""

    def __init__(self, source):
        super().__init__()
        self.texts, self.headings, self.hidden, self.heading = [], [], 0, None
        # The elements that are open in a table of contents, which is left out on purpose.
        self.contents = []
        self.feed(source)

    def handle_startendtag(self, tag, attrs):
        if tag in BLOCKS:
            self.texts.append("\n")

    def handle_starttag(self, tag, attrs):
        if tag not in VOID and (self.contents or "toc" in (dict(attrs).get("class") or "").split()):
            self.contents.append(tag)
        if tag in ("script", "style", "title", "head"):
            self.hidden += 1
        if tag in BLOCKS:
            self.texts.append("\n")
        if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            self.heading = []

    def handle_endtag(self, tag):
        if tag in self.contents:
            del self.contents[len(self.contents) - 1 - self.contents[::-1].index(tag) :]
        if tag in ("script", "style", "title", "head"):
            self.hidden = max(0, self.hidden - 1)
        if self.heading is not None and len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            text = "".join(self.heading)
            if text.strip():
                self.headings.append((int(tag[1]), text))
            self.heading = None

    def handle_data(self, data):
        if not self.hidden and not self.contents:
            self.texts.append(data)
            if self.heading is not None:
                self.heading.append(data)


def read(path):
    package = Package(path)
    container = package.xml("META-INF/container.xml")
    root = attribute(child(container, "rootfiles", "rootfile"), "full-path")
    book = package.xml(root)
    items = {attribute(item, "id"): item for item in child(book, "manifest")}
    guide = child(book, "guide")
    contents = [attribute(entry, "href") for entry in guide if attribute(entry, "type") == "toc"] if guide is not None else []
    texts, headings = [], []
    for entry in child(book, "spine"):
        item = items.get(attribute(entry, "idref"))
        if item is None or "nav" in (attribute(item, "properties") or "") or attribute(item, "href") in contents:
            continue
        name = absolute(root.rpartition("/")[0], urllib.parse.unquote(attribute(item, "href")))
        if name in package.names:
            page = Page(package.archive.read(name).decode("utf-8", "replace"))
            texts.append("".join(page.texts))
            headings += page.headings
    return Reference("\n".join(texts), headings=headings)
