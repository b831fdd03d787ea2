"""How each page is to be read, and why: by its text layer, by OCR, or both."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import pymupdf

from h3cold.ingest.page_facts import Line, PageFacts
from h3cold.ingest.parse_options import OCR_OFF
from h3cold.schemas.geometry import BBox, area, inside, overlap
from h3cold.schemas.page import Route

OcrMode = Literal["auto", "off", "force"]

OUTLINED = 300
"""Curved vector paths from which a page without text is taken for text that was drawn as outlines."""

SCAN_SHARE = 0.05
"""Share of a page from which a picture with little text on it is looked at: it may be a scanned table."""

COVERED = 0.25
"""Share of a picture that lines of text cover (their boxes) from which its words are taken to be all there."""

FEWEST_ROWS = 5
"""Rows of even height that a picture must show to be looked at by OCR."""

ODD_LETTERS = "letter frequencies of no language"
"""A reason that OCR of a few lines can tell wrong, see `sampled`."""

_CID = re.compile(r"\(cid:\d+\)")
_NOT_SMALL = bytes(c for c in range(256) if not 0x61 <= c <= 0x7A)


class Verdict(NamedTuple):
    """`route` of a page with the reasons; `clips` are the parts to OCR (None in it = the whole page)."""

    route: Route
    reasons: tuple[str, ...]
    clips: tuple[BBox | None, ...] = ()


def judge(page: pymupdf.Page, facts: PageFacts, *, ocr: OcrMode) -> Verdict:
    """Decide a page's route.

    Hidden text (an OCR layer under or over a scan) counts as a text layer. With `ocr="off"` a page that would need
    OCR keeps the geometric route and says so in its reasons.
    """
    pictures = [i for i in facts.images if area(i) > 0.01 * facts.width * facts.height]
    if not facts.lines:
        return _textless(facts, pictures, ocr)
    if ocr == "force":
        return Verdict("ocr", ("OCR was asked for on every page",), (None,))
    garbled = why_garbled(facts.lines)
    if garbled and _beyond_ocr(facts.lines):
        return Verdict("geometry", (f"{garbled}; kept, as no OCR engine here reads its script",))
    if garbled:
        if ocr == "off":
            return Verdict("geometry", (garbled + OCR_OFF,))
        return Verdict("ocr", (garbled,), (None,))
    scans = scanned_parts(page, facts)
    if all(line.hidden for line in facts.lines) and pictures:
        if scans:
            why = "hidden text layer that leaves out much of the scan"
            return Verdict("geometry", (why + OCR_OFF,)) if ocr == "off" else Verdict("ocr", (why,), (None,))
        return Verdict("geometry", ("hidden text layer over a scan, sane and kept",))
    if scans and ocr == "off":
        return Verdict("geometry", ("picture that looks like scanned text" + OCR_OFF,))
    if scans:
        return Verdict("mixed", ("picture that looks like scanned text",), tuple(scans))
    return Verdict("geometry", ("sane text layer",))


def _textless(facts: PageFacts, pictures: Sequence[BBox], ocr: OcrMode) -> Verdict:
    if not pictures and facts.curves < OUTLINED and facts.strokes < OUTLINED * 4:
        return Verdict("blank", ("no text, no picture",))
    why = "no text, only a picture" if pictures else "no text, only vector outlines"
    if ocr == "off":
        return Verdict("ocr", ("no text" + OCR_OFF,))
    return Verdict("ocr", (why,), (None,))


def why_garbled(lines: Sequence[Line]) -> str | None:
    """Why a page's text layer is not to be trusted; None if it looks like language."""
    text = " ".join([line.text for line in lines])
    n = len(text) - text.count(" ")
    if n < 12:
        return None
    kinds = set(text)
    if text.count("\ufffd") > 0.5 * n:
        return "most characters have no Unicode value"
    if n > 200 and len(kinds) < 7:
        return f"only {len(kinds)} different characters"
    controls = sum(text.count(c) for c in kinds if (c < " " and c not in "\t\n\r") or "\x7f" <= c < "\xa0")
    if controls > 0.1 * n:
        return f"{controls} of {n} characters are control codes"
    cids = sum(len(m) for m in _CID.findall(text)) if "(cid:" in text else 0
    if cids > 0.15 * n:
        return "glyph numbers such as (cid:12) in place of characters"
    return _strange_letters(text, n, kinds) or _strange_frequencies(text, n)


def _strange_letters(text: str, n: int, kinds: set[str]) -> str | None:
    high = {c for c in kinds if c >= "\xa0"}
    if not high:
        return None
    broken = text.count("\ufffd")
    # a run of unknown signs may lead to a page number: it is one word, and the words around it are sound
    if broken > max(4, 0.12 * n) and _share_of_words(text, "\ufffd") > 0.15:
        return f"{broken} of {n} characters have no Unicode value"
    private = sum(text.count(c) for c in high if "\ue000" <= c <= "\uf8ff" or c >= "\U000f0000")
    if private > 0.25 * n:
        return f"{private} of {n} characters are private-use"
    unassigned = sum(text.count(c) for c in high if unicodedata.category(c) in ("Cn", "Cs"))
    if unassigned > 0.1 * n:
        return f"{unassigned} of {n} characters are unassigned"
    if sum(text.count(c) for c in high if "\xa1" <= c <= "\xff") > 0.4 * n:
        return "text reads like bytes of another encoding"
    if len({_script(c) for c in high if c.isalpha()} | {"latin"}) > 1 and _script_changes(text) > 0.12 * n:
        return "letters of different scripts mixed within words"
    return None


def _share_of_words(text: str, sign: str) -> float:
    words = text.split()
    return sum(sign in word for word in words) / len(words)


def _strange_frequencies(text: str, n: int) -> str | None:
    """The eight commonest letters of English make up two thirds of any text in Latin letters; a font whose codes
    were shuffled shows them as other letters.
    """
    small = text.encode(errors="replace").translate(None, _NOT_SMALL)
    letters = len(small)
    if letters > 300 and letters > 0.4 * n and len(small.translate(None, b"etaoinsr")) > 0.65 * letters:
        return ODD_LETTERS
    # in Arabic and Persian alef is twice as frequent as waw, or more
    if n > 300 and (waw := text.count("\u0648")) > 0.15 * n and waw > text.count("\u0627"):
        return ODD_LETTERS
    return None


def _beyond_ocr(lines: Sequence[Line]) -> bool:
    """Whether most letters are of scripts that the engines do not know: what is left of them beats what OCR makes up.

    Letters that came out as bytes of another encoding are Latin ones, so a page of them is read by OCR.
    """
    letters = [c for line in lines for c in line.text if c.isalpha()]
    return sum("\u0400" <= c < "\u1d00" or "\ufb1d" <= c <= "\ufeff" for c in letters) > max(20, 0.6 * len(letters))


def _script_changes(text: str) -> int:
    changes, last = 0, ""
    for c in text:
        script = "" if not c.isalpha() else _script(c)
        if script and last and script != last:
            changes += 1
        last = script
    return changes


def _script(c: str) -> str:
    """Scripts that never share a word; Greek letters stand in formulas anywhere, and CJK goes with all."""
    if c < "\u0250":
        return "latin"
    if c < "\u0370":
        return "ipa"
    if c < "\u0400":
        return ""
    if c < "\u0530":
        return "cyrillic"
    if c < "\u0900":
        return "semitic"
    if c < "\u1100":
        return "indic"
    return "other" if "\u1200" <= c < "\u1d00" else ""


def scanned_parts(page: pymupdf.Page, facts: PageFacts) -> list[BBox]:
    """Pictures that fill some part of the page, have little text on them and show what looks like more of it."""
    whole = facts.width * facts.height
    out: list[BBox] = []
    for box in facts.images:
        seen = (max(box[0], 0.0), max(box[1], 0.0), min(box[2], facts.width), min(box[3], facts.height))
        if area(seen) < SCAN_SHARE * whole or any(inside(seen, other) > 0.9 for other in out):
            continue
        over = [line.bbox for line in facts.lines if overlap(line.bbox, seen) > 0]
        if sum(overlap(line, seen) for line in over) < COVERED * area(seen) and _shows_text(page, seen, over):
            out.append(seen)
    return out


def _shows_text(page: pymupdf.Page, box: BBox, known: Sequence[BBox]) -> bool:
    """Dark rows of even height on a light ground, as a text page has at 72 dpi; photographs and charts do not.

    What lies in the boxes `known` is text that the page has already.
    """
    pix = page.get_pixmap(clip=pymupdf.Rect(box), colorspace=pymupdf.csGRAY, alpha=False)
    grey = np.frombuffer(pix.samples, dtype=np.uint8).reshape(pix.height, pix.stride)[:, : pix.width].copy()
    light = float((grey > 190).mean())
    if light < 0.6:
        return False
    for x0, y0, x1, y1 in known:
        left, top = max(0, int(x0 - pix.x) - 1), max(0, int(y0 - pix.y) - 1)
        grey[top : max(0, int(y1 - pix.y) + 2), left : max(0, int(x1 - pix.x) + 2)] = 255
    inked = (grey < 140).mean(axis=1) > 0.01
    edges = np.flatnonzero(np.diff(np.concatenate(([0], inked.astype(np.int8), [0]))))
    heights = edges[1::2] - edges[::2]
    rows = heights[(heights >= 3) & (heights <= 22)]
    return len(rows) >= FEWEST_ROWS and rows.sum() > 0.6 * heights.sum()
