"""Sets of questions, as tests/benches/quality/set.rs reads them."""

import json
import pathlib

TESTS = pathlib.Path(__file__).resolve().parents[2]

# The sets that are not part of the project, and the project's own.
BESIDE = TESTS.parents[1] / "shared/data"
OWN = ["quality", "quality/facts"]


class Set:
    """Documents and questions. Offsets of the frameworks count characters, those of the measurement bytes."""

    def __init__(self, name, folder, maximum=None):
        self.name, self.folder = name, folder
        self.store = "".join(letter if letter.isalnum() else "_" for letter in name)
        self.documents = {path.name: path.read_bytes().decode() for path in sorted((folder / "docs").iterdir())}
        lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        lines = [json.loads(line) for line in lines][:maximum]
        self.questions = [line["question"] for line in lines]
        self.spans = [[self.span(line["doc"], *span) for span in line.get("spans", [])] for line in lines]

    def span(self, document, start, end):
        """Returns a range of characters as the document and a range of bytes."""
        text = self.documents[document]
        begin = len(text[:start].encode())
        return [document, [[begin, begin + len(text[start:end].encode())]]]

    def text(self, document, spans):
        """Returns the text of ranges of bytes."""
        text = self.documents[document].encode()
        return "\n".join(text[start:end].decode() for start, end in spans)

    def is_answered(self, number, results):
        """Returns whether results have a whole answer of a question, white space aside, which splitters drop."""
        returned = {(document, byte) for document, spans in results for span in spans for byte in range(*span)}

        def missing(document, start, end):
            text = self.documents[document].encode()
            return any((document, byte) not in returned and not text[byte : byte + 1].isspace() for byte in range(start, end))

        return any(not missing(document, *span) for document, [span] in self.spans[number])


def read(data=None, names=None, maximum=None):
    """Returns the sets of a folder, or else the available ones; with `names`, only those with these names."""
    folders = {path.parent.name: path.parent for path in sorted((data or BESIDE).glob("*/questions.jsonl"))}
    if not data:
        folders |= {f"tests/{inside}": TESTS / inside for inside in OWN}
    return [Set(name, folder, maximum) for name, folder in folders.items() if not names or name in names]
