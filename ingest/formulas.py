"""Display formulas: lines of mathematics that stand by themselves, with their number."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from h3cold.ingest.fractions import find_fractions
from h3cold.ingest.page_facts import Line, PageFacts
from h3cold.ingest.script import beyond_ascii, count_letters
from h3cold.schemas.geometry import BBox, overlap, union

_FONT = re.compile(
    r"(?:^|\+)(?:CM(?:MI|SY|EX|BSY|MIB)|MS[AB]M|EU[FSR]|RSFS|LASY|ESINT|STMARY|WASY|[A-Z]*Math|STIX|XITS|MTSY|MTMI|MT-?Extra"
    r"|MathematicalPi|Symbol|Euclid|Cambria ?Math|LatinModernMath|LMMath|rsfs|txsy|txmi|txex|pxsy|pxmi|NewTXMI|esint)",
    re.IGNORECASE,
)
_SYMBOL = re.compile(r"[∀-⋿⟀-⟯⨀-⫿←-⇿±×÷√∞∂∑∏∫Α-ωϐ-϶⊂-⋿𝐀-𝟿′″ℝℕℤℚℂ]")
_RELATION = re.compile(r"[=≈≠≤≥<>≡∼≅∝→⇒⇔↦∈∉⊂⊆:∑∏∫≪≫←⇐|∩∪⊕⊗]|\+|lim|min|max")
_NUMBER = re.compile(r"^\(\s*(?:[A-Z]\.?)?\d{1,3}(?:[.\-–]\d{1,3})*[a-z]?\s*\)$")
_WORD = re.compile(r"[^\W\d_]{3,}")
_NAMES = frozenset({"sin", "cos", "tan", "log", "exp", "lim", "max", "min", "sup", "inf", "det", "dim", "ker", "deg",
                    "arg", "mod", "gcd", "argmax", "argmin", "softmax", "sgn", "for", "and", "where", "if", "otherwise",
                    "with", "var", "cov", "tanh", "sinh", "cosh", "rank", "diag"})  # fmt: skip


class FoundFormula(NamedTuple):
    """A display formula with its box; `lines` are indices into `PageFacts.lines`, its number's line included."""

    bbox: BBox
    lines: frozenset[int]


class _Part(NamedTuple):
    line: int
    box: BBox
    size: float
    math: int
    text: str


class _Words(dict[int, int]):
    """Letters of words by the index of their line, counted where they are asked for: few lines of a page are."""

    def __init__(self, lines: Sequence[Line]) -> None:
        super().__init__()
        self._lines = lines

    def __missing__(self, index: int) -> int:
        texts = [s.text for s in self._lines[index].spans if not _is_math_font(s.font)]
        self[index] = sum([len(w) for text in texts for w in _WORD.findall(text) if w.lower() not in _NAMES])
        return self[index]


def find_formulas(facts: PageFacts, taken: Sequence[BBox]) -> list[FoundFormula]:
    """The page's display formulas outside the boxes in `taken`, top to bottom."""
    if not _mathematical(facts.lines):
        return []
    parts = [_part(i, ln) for i, ln in enumerate(facts.lines)
             if round(ln.dir[0]) == 1 and not any(overlap(ln.bbox, t) > 0 for t in taken)]  # fmt: skip
    rows = _rows(parts)
    held = {p.line for row in rows if any(p.math for p in row) for p in row}
    if not held:
        return []
    fractions = [f.lines for f in find_fractions(facts, [p.line for p in parts], about=held)]
    rows = _with_fractions(rows, fractions)
    words = _Words(facts.lines)
    groups = _joined([row for row in rows if _is_formula(row, parts, words)], parts, words)
    out = []
    for group in groups:
        number = _number_of(group, parts)
        whole = [*group, number] if number else group
        text = "".join(p.text for p in group)
        held = {p.line for p in group}
        sure = sum(p.math for p in group) >= 3 or any(words[p.line] for p in group) or any(f <= held for f in fractions)
        if sure and _RELATION.search(text):
            out.append(FoundFormula(union(p.box for p in whole), frozenset(p.line for p in whole)))
    return sorted(out, key=lambda f: (f.bbox[1], f.bbox[0]))


def is_formula(facts: PageFacts, box: BBox, lines: Collection[int]) -> bool:
    """Whether what looks like cells is one formula with its number: signs without words, no rule from edge to edge."""
    numbers = [i for i in lines if _NUMBER.match(facts.lines[i].text.strip())]
    if len(numbers) != 1 or facts.lines[numbers[0]].bbox[2] < box[2] - 2:
        return False
    wide = 0.5 * (box[2] - box[0])
    if any(r.horizontal and abs(r.x1 - r.x0) > wide and box[1] - 2 < r.y0 < box[3] + 2 for r in facts.rules):
        return False
    parts = [_part(i, facts.lines[i]) for i in lines]
    words = _Words(facts.lines)
    math = sum(p.math for p in parts)
    text = "".join(p.text for p in parts)
    return math >= 3 and _RELATION.search(text) is not None and not any(words[i] for i in lines)


def _mathematical(lines: Sequence[Line]) -> bool:
    """Whether anything on a page may be mathematics."""
    text = "\n".join([line.text for line in lines])
    if "=" in text or _SYMBOL.search(beyond_ascii(text)):
        return True
    return any(map(_is_math_font, {s.font for line in lines for s in line.spans}))


@lru_cache(maxsize=1024)
def _is_math_font(font: str) -> bool:
    return _FONT.search(font) is not None


def _part(index: int, line: Line) -> _Part:
    math = 0
    for s in line.spans:
        text = s.text
        if _is_math_font(s.font):
            math += count_letters(text)
        else:
            math += sum([text.count(sign) for sign in "=+<>^"])
            math += 0 if text.isascii() else len(_SYMBOL.findall(text))
    return _Part(index, line.bbox, line.size, math, line.text)


def _rows(parts: Sequence[_Part]) -> list[list[_Part]]:
    """Parts that stand on one line of one text column."""
    rows: list[list[_Part]] = []
    boxes: list[BBox] = []
    for p in sorted(parts, key=lambda p: ((p.box[1] + p.box[3]) / 2, p.box[0])):
        _, top, _, foot = p.box
        for k in range(max(0, len(rows) - 6), len(rows)):
            box = boxes[k]
            if box[3] <= top or foot <= box[1]:
                continue  # as most rows above are
            shared = min(box[3], foot) - max(box[1], top)
            if shared > 0.4 * min(box[3] - box[1], foot - top):
                apart = max(p.box[0] - box[2], box[0] - p.box[2])
                if apart < 2.5 * max(p.size, rows[k][0].size):
                    rows[k].append(p)
                    boxes[k] = union((box, p.box))
                    break
        else:
            rows.append([p])
            boxes.append(p.box)
    return rows


def _with_fractions(rows: list[list[_Part]], fractions: Sequence[set[int]]) -> list[list[_Part]]:
    """The rows with those made one that hold pieces of one fraction."""
    for lines in fractions:
        touched = [row for row in rows if any(p.line in lines for p in row)]
        if len(touched) > 1:
            rows = [row for row in rows if row not in touched]
            rows.append([p for row in touched for p in row])
    return rows


def _is_formula(row: Sequence[_Part], parts: Sequence[_Part], words: Mapping[int, int]) -> bool:
    math = sum([p.math for p in row])
    if math == 0:
        return False
    length = sum(len("".join(p.text.split())) for p in row)
    text = " ".join(p.text for p in row)
    if length < 3 or not _RELATION.search(text):
        return False
    in_words = sum(words[p.line] for p in row) > 0.25 * length
    if in_words:  # "Current ratio = current assets / current liabilities", centred by itself
        said = text.count("=") == 1 and len(text.split()) <= 14 and not text.rstrip().endswith((".", ";"))
    else:
        said = math >= 0.3 * length or "=" in text
    if not said or _beside_words(row, parts, words):
        return False
    indent, centred = _placed(union(p.box for p in row), parts, words, max(p.size for p in row))
    return centred if in_words else indent


def _beside_words(row: Sequence[_Part], parts: Sequence[_Part], words: Mapping[int, int]) -> bool:
    """Whether text stands on the same line close by: the mathematics is part of a sentence."""
    box = union(p.box for p in row)
    size = max(p.size for p in row)
    held = {p.line for p in row}
    left, right = box[0] - 1.5 * size, box[2] + 1.5 * size
    for line, (x0, y0, x1, y1), _, _, _ in parts:
        if x0 < right and x1 > left and line not in held:
            shared = min(box[3], y1) - max(box[1], y0)
            if shared > 0.5 * (y1 - y0) and words[line] > 2:
                return True
    return False


def _placed(box: BBox, parts: Sequence[_Part], words: Mapping[int, int], size: float) -> tuple[bool, bool]:
    """Whether a row is set in from the text around it, and whether it is centred in it."""
    column = [p.box for p in parts if p.box[0] < box[2] and p.box[2] > box[0] and abs(p.box[1] - box[1]) < 250
              and words[p.line] >= 20]  # fmt: skip
    if len(column) < 2:
        return True, False
    x0, x1 = min(b[0] for b in column), max(b[2] for b in column)
    level = sum(abs(p.box[0] - box[0]) < 2 and words[p.line] >= 12 for p in parts)
    indent = box[0] - x0 > 1.5 * size and level < 2
    centred = abs((box[0] + box[2]) - (x0 + x1)) < 0.1 * (x1 - x0) and box[0] - x0 > 3 * size
    return indent, centred


def _joined(rows: Sequence[Sequence[_Part]], parts: Sequence[_Part], words: Mapping[int, int]) -> list[list[_Part]]:
    """Formula rows that follow each other closely, with the small pieces (limits, braces) between and around them."""
    used = {p.line for row in rows for p in row}
    small = [p for p in parts if p.line not in used and p.math and len(p.text.strip()) <= 12]
    loose = [p for p in small if words[p.line] == 0]
    groups: list[list[_Part]] = []
    for row in sorted(rows, key=lambda r: min(p.box[1] for p in r)):
        box = union(p.box for p in row)
        for group in groups:
            other = union(p.box for p in group)
            size = max(p.size for p in row)
            if _near(box, other, size):
                group.extend(row)
                break
        else:
            groups.append(list(row))
    for p in loose:
        for group in groups:
            if _near(p.box, union(q.box for q in group), 0.3 * max(q.size for q in group)):
                group.append(p)
                break
    return groups


def _near(a: BBox, b: BBox, gap: float) -> bool:
    aside = a[0] <= b[2] and b[0] <= a[2]
    return aside and a[1] - b[3] < gap and b[1] - a[3] < gap


def _number_of(group: Sequence[_Part], parts: Sequence[_Part]) -> _Part | None:
    box = union(p.box for p in group)
    held = {p.line for p in group}
    for p in parts:
        middle = (p.box[1] + p.box[3]) / 2
        if p.line not in held and box[1] <= middle <= box[3] and _NUMBER.match(p.text.strip()) and p.box[0] > box[2]:
            return p
    return None
