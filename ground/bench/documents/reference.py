"""The text of a document in its order, and its headings, as another program or the format itself gives them."""

import dataclasses
import zipfile
from xml.etree import ElementTree


@dataclasses.dataclass
class Reference:
    """The text that the Markdown must have, and the headings that must be sections."""

    text: str
    # Text that the client leaves out on purpose, such as headers of pages. It is a part of `text`.
    left_out: str = ""
    # Each heading with its level, from 1.
    headings: list = dataclasses.field(default_factory=list)


class Package:
    """The parts of a document that is a zip archive."""

    def __init__(self, path):
        self.archive = zipfile.ZipFile(path)
        self.names = self.archive.namelist()

    def xml(self, name):
        """Returns the root element of a part, or None if there is none with this name."""
        if name not in self.names:
            return None
        return ElementTree.fromstring(self.archive.read(name))

    def relations(self, part):
        """Returns the targets of a part's relations in Office Open XML, by id, each with its kind."""
        folder, _, name = part.rpartition("/")
        root = self.xml(f"{folder}/_rels/{name}.rels" if folder else f"_rels/{name}.rels")
        targets = {}
        for relation in root if root is not None else []:
            target = relation.get("Target")
            path = target[1:] if target.startswith("/") else absolute(folder, target)
            targets[relation.get("Id")] = (relation.get("Type").rsplit("/")[-1], path)
        return targets


def absolute(folder, target):
    """Returns the path in a package of a target relative to a folder."""
    names = folder.split("/") if folder else []
    for name in target.split("/"):
        if name == "..":
            names = names[:-1]
        elif name != ".":
            names.append(name)
    return "/".join(names)


def local(element):
    """Returns the name of an element without its namespace."""
    return element.tag.rsplit("}")[-1] if isinstance(element.tag, str) else ""


def attribute(element, name):
    """Returns an attribute whatever its namespace."""
    if element is None:
        return None
    return next((value for key, value in element.attrib.items() if key.rsplit("}")[-1] == name), None)


def child(element, *path):
    """Returns the first element at a path of local names."""
    for name in path:
        element = next((other for other in element if local(other) == name), None) if element is not None else None
    return element
