"""What an engine read, as lines of a page: parted at wide gaps, of even sizes, in points as displayed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from h3cold.ingest.ocr.engines import OcrLine
from h3cold.ingest.page_facts import Line, Rule, Span, Word
from h3cold.schemas.geometry import BBox, union

WIDE_GAP = 1.5
"""A gap of this many font sizes parts a line in two, as it does in a born-digital page."""
SAME_SIZE = 0.18
"""Lines whose sizes differ less than this share are of one size: the estimate varies with the letters in a line."""
FEW_LETTERS = 3
SAME_SIZE_OF_FEW = 0.3
"""The same for lines of so few letters: by the height of "25." or "年" nobody can tell."""
LINE_GAP = 0.9
"""Lines of one paragraph are at most this many font sizes apart."""

_HAN = r"[\u2e80-\u303f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef]"
_HAN_GAP = re.compile(rf"(?<={_HAN})[ \u3000]+(?={_HAN})")

DIRECTIONS = {0: (1.0, 0.0), 90: (0.0, -1.0), 180: (-1.0, 0.0), 270: (0.0, 1.0)}
"""Writing direction as displayed of text that stands upright after a clockwise turn by so many degrees."""


class Place(NamedTuple):
    """Where a picture that was turned clockwise by `turn` (0, 90, 180 or 270 degrees) lies on its page.

    `size` is (height, width) of the turned picture in pixels, `origin` the top left of it on the page in points,
    `scale` pixels a point.
    """

    turn: int
    size: tuple[int, int]
    origin: tuple[float, float]
    scale: float

    def box(self, box: BBox) -> BBox:
        """A box in points of the page as displayed, from pixels of the turned picture."""
        (x0, y0, x1, y1), (height, width) = box, self.size
        if self.turn == 90:
            x0, y0, x1, y1 = y0, width - x1, y1, width - x0
        elif self.turn == 180:
            x0, y0, x1, y1 = width - x1, height - y1, width - x0, height - y0
        elif self.turn == 270:
            x0, y0, x1, y1 = height - y1, x0, height - y0, x1
        (left, top), scale = self.origin, self.scale
        return (left + x0 / scale, top + y0 / scale, left + x1 / scale, top + y1 / scale)


def page_lines(found: Iterable[OcrLine], place: Place) -> tuple[list[Line], list[Word]]:
    """Lines and words in points of the page as displayed."""
    pieces = [piece for line in found for piece in part(line)]
    sizes = even_sizes([p.size for p in pieces], [len(p.text) for p in pieces])
    blocks = paragraphs([p.bbox for p in pieces], sizes)
    lines, words = [], []
    for piece, em, block in zip(pieces, sizes, blocks, strict=True):
        box = place.box(piece.bbox)
        text = join_han(piece.text)
        span = Span(
            text, box, "", em / place.scale, False, False, False, 0, _baseline(box, em / place.scale, place.turn)
        )
        lines.append(Line(text, box, (span,), DIRECTIONS[place.turn], block, piece.confidence))
        for word in piece.words or (Word(piece.text, piece.bbox),):
            words.append(Word(word.text, place.box(word.bbox)))
    return lines, words


def _baseline(box: BBox, size: float, turn: int) -> float:
    """Text stands about a fifth of its size above the foot of its box; given as `page_facts.Span` wants it."""
    foot = {0: box[3], 90: box[2], 180: box[1], 270: -box[0]}[turn]
    return foot + 0.2 * size if turn == 180 else foot - 0.2 * size


def join_han(text: str) -> str:
    """`text` without blanks between Chinese characters or their punctuation; full-width forms stay as printed."""
    return _HAN_GAP.sub("", text)


def part(line: OcrLine) -> list[OcrLine]:
    """Part a line where a gap between words is as wide as one between columns."""
    runs: list[list[Word]] = []
    for word in line.words:
        if runs and word.bbox[0] - runs[-1][-1].bbox[2] <= WIDE_GAP * line.size:
            runs[-1].append(word)
        else:
            runs.append([word])
    if len(runs) < 2:
        return [line]
    return [
        line._replace(text=" ".join(w.text for w in run), bbox=union(w.bbox for w in run), words=tuple(run))
        for run in runs
    ]


def even_sizes(sizes: list[float], weights: list[int]) -> list[float]:
    """Replace sizes that differ by less than `SAME_SIZE` by the usual one among them.

    The size in the middle of all letters left leads the next group: one line that was measured badly must not. What is
    near it but not near the middle of its group is left for the next one.
    """

    def near(usual: float) -> list[int]:
        return [
            i
            for i in rest
            if abs(sizes[i] - usual) <= (SAME_SIZE if weights[i] > FEW_LETTERS else SAME_SIZE_OF_FEW) * usual
        ]

    def middle(of: list[int]) -> float:
        return _weighted_median([(sizes[i], weights[i]) for i in of])

    out = list(sizes)
    rest = list(range(len(sizes)))
    while rest:
        usual = middle(near(middle(rest)))
        gone = set(near(usual))
        for i in gone:
            out[i] = usual
        rest = [i for i in rest if i not in gone]
    return out


def _weighted_median(pairs: list[tuple[float, int]]) -> float:
    left = sum(weight for _, weight in pairs) / 2
    for value, weight in sorted(pairs):
        left -= weight
        if left <= 0:
            return value
    return max(pairs)[0]


def paragraphs(boxes: list[BBox], sizes: list[float]) -> list[int]:
    """Number lines by paragraph-like groups: same size, one below the other, little space between."""
    order = sorted(range(len(boxes)), key=lambda i: (boxes[i][1], boxes[i][0]))
    numbers = [-1] * len(boxes)
    count = 0
    for n, i in enumerate(order):
        x0, y0, x1, _ = boxes[i]
        for j in reversed(order[:n]):
            above = boxes[j]
            beside = min(x1, above[2]) - max(x0, above[0]) > 0
            if beside and above[3] <= (y0 + boxes[i][3]) / 2:
                if sizes[i] == sizes[j] and y0 - above[3] <= LINE_GAP * sizes[i]:
                    numbers[i] = numbers[j]
                break
        if numbers[i] < 0:
            numbers[i], count = count, count + 1
    return numbers


def page_rules(
    found: Iterable[tuple[float, float, float, float, float]], lines: Sequence[OcrLine], place: Place
) -> list[Rule]:
    """Ruling lines in points of the page as displayed, from `image.rules_of`; strokes of letters are none."""
    out = []
    for x0, y0, x1, y1, width in found:
        if not any(_is_stroke((x0, y0, x1, y1), line.bbox) for line in lines):
            out.append(Rule(*place.box((x0, y0, x1, y1)), width / place.scale))
    return out


def _is_stroke(rule: BBox, line: BBox) -> bool:
    """Whether a rule runs through a line of text and not under it or past it."""
    x0, y0, x1, y1 = line
    edge = 0.15 * (y1 - y0)
    across = rule[1] == rule[3] and y0 + edge < rule[1] < y1 - edge
    down = rule[0] == rule[2] and rule[3] - rule[1] < 1.5 * (y1 - y0) and min(rule[3], y1) > max(rule[1], y0)
    slack = y1 - y0
    return (across or down) and rule[0] > x0 - slack and rule[2] < x1 + slack
