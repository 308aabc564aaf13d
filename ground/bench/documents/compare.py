"""How much of a reference the Markdown of a document keeps: its words, their order, and its headings."""

import bisect
import collections
import dataclasses
import itertools
import re
import unicodedata

# Scripts without spaces are compared letter by letter.
WORD = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|[^\\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+")
# Code, also in the items of a list. Its comments may look like headings.
FENCE = re.compile(r"^(?:[ >]|[-*] |\d+[.)] )*(`{3,}|~{3,})[^`\n]*\n.*?^[ >]*\1 *$", re.MULTILINE | re.DOTALL)
# The number before the title of a section, which a table of contents often lacks.
NUMBER = re.compile(r"^\s*((chapter|appendix|part|section)\s+)?([\divxlc]+|[a-z])?([.\d]*)[.:)]?\s+(?=\S)", re.IGNORECASE)


@dataclasses.dataclass
class Comparison:
    """The counts of a document."""

    size: int
    # Characters that are missing, and characters in words that are missing as such.
    missing: int
    in_words: int
    # The missing words with their counts.
    words: collections.Counter
    ordered: int
    matched: int
    headings: int
    found: int
    levels: int
    level_pairs: int
    # The headings of the Markdown that are none in the reference.
    others: list
    lost: list


def compare(reference, markdown):
    # While escapes are there, so that no text looks like a fence.
    without_code = plain(FENCE.sub("", markdown))
    markdown = plain(markdown)
    expected, found = words(reference.text), words(markdown)
    ordered, matched = order(expected, found)
    size, missing, lost_words = 0, 0, collections.Counter()
    for page, left_out, ours in pages(reference.text, reference.left_out, markdown):
        wanted = page - left_out
        lost, surplus = wanted - ours, ours - page
        size += length(wanted)
        # Programs divide formulas into different words: letters that are in words of ours alone are not missing.
        missing += (letters(lost) - letters(surplus)).total()
        lost_words += lost
    return Comparison(
        size, missing, length(lost_words), lost_words, ordered, matched, *compare_headings(reference.headings, without_code)
    )


def pages(*texts):
    """Returns the words of each page of texts, whose pages form feeds separate."""
    divided = itertools.zip_longest(*(text.split("\f") for text in texts), fillvalue="")
    return [[collections.Counter(words(page)) for page in row] for row in divided]


def letters(counts):
    """Returns the letters of words with their counts."""
    found = collections.Counter()
    for word, count in counts.items():
        for letter in word:
            found[letter] += count
    return found


def plain(markdown):
    """Returns Markdown without the addresses of links and without escapes."""
    return re.sub(r"\\([\\<>#|*_\-+~`=])", r"\1", re.sub(r"\]\([^()\s]*\)", "]", markdown))


def words(text):
    """Returns the words of a text. Hyphens at ends of lines, ligatures and case do not count."""
    text = re.sub(r"(?<=\w)[-\u2010\u00ad]\s*\n\s*(?=\w)", "", text).replace("\u00ad", "")
    # An accent over a letter without a point.
    text = text.replace("\u0131\u0301", "\u00ed")
    return WORD.findall(unicodedata.normalize("NFKC", text).lower())


def length(counts):
    return sum(len(word) * count for word, count in counts.items())


def order(expected, found):
    """Returns how many of three words in a row keep their order, and of how many: those that occur once in both texts."""

    def places(text):
        triples = list(zip(text, text[1:], text[2:]))
        counts = collections.Counter(triples)
        return {triple: place for place, triple in enumerate(triples) if counts[triple] == 1}

    ours = places(found)
    sequence = [ours[triple] for triple in places(expected) if triple in ours]
    # The ends of increasing subsequences, by their lengths.
    ends = []
    for place in sequence:
        at = bisect.bisect_left(ends, place)
        ends[at : at + 1] = [place]
    return len(ends), len(sequence)


def key(title):
    return "".join(words(NUMBER.sub("", title.replace("\n", " ")))) or "".join(words(title))


def compare_headings(expected, markdown):
    """Matches headings in their order, by their text without numbers, or by its first words: "plot" is "plot  Draw a line"."""
    ours = [(len(marks), title) for marks, title in re.findall(r"^(#{1,6}) (.*)$", markdown, re.MULTILINE)]
    places, beginnings = collections.defaultdict(list), collections.defaultdict(list)
    for place, (_, title) in enumerate(ours):
        for form in {key(title), "".join(words(title))}:
            places[form].append(place)
        for count in range(1, len(words(title))):
            beginnings["".join(words(title)[:count])].append(place)
    used, pairs, lost = set(), [], []
    for level, title in expected:
        forms = (key(title), "".join(words(title)))
        free = [place for form in forms for place in places[form] + beginnings[form] if place not in used]
        if free:
            used.add(free[0])
            pairs.append((level, ours[free[0]][0]))
        else:
            lost.append(title)
    steps = list(zip(pairs, pairs[1:]))
    equal = sum(sign(b[0] - a[0]) == sign(b[1] - a[1]) for a, b in steps)
    others = [title for place, (_, title) in enumerate(ours) if place not in used]
    return len(expected), len(pairs), equal, len(steps), others, lost


def sign(number):
    return (number > 0) - (number < 0)
