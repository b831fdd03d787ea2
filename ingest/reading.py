"""One page's facts, by the route that triage chose: the text layer, OCR, or both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pymupdf

from h3cold.ingest.ligatures import mend_ligatures
from h3cold.ingest.lines import drop_duplicates, drop_hidden, drop_outside
from h3cold.ingest.lost_pages import kept_without_ocr
from h3cold.ingest.opening import LostContentError, is_cut_off, lost_streams
from h3cold.ingest.page_facts import MAX_STROKES, Line, PageFacts, read_page
from h3cold.ingest.progress import count
from h3cold.ingest.sampled import says_what_is_printed
from h3cold.ingest.script import count_letters
from h3cold.ingest.triage import ODD_LETTERS, OcrMode, Verdict, judge
from h3cold.ingest.turn import stack_vertical, writing
from h3cold.ingest.worker_tasks import OCR, Heartbeat
from h3cold.schemas.errors import ModelError
from h3cold.schemas.geometry import BBox, area, inside, overlap
from h3cold.schemas.page import Page

if TYPE_CHECKING:
    from h3cold.ingest.ocr import OcrResult

_TAKEN_FOR = re.compile(r"\(cid:\d+\)|[\ufffd\ue000-\uf8ff\x00-\x1f\x7f-\x9f]")
"""What stands where a letter is not known."""

LEAST = 12
"""Letters that OCR must find in a picture on a text page; what gives less stays a picture."""


FEWER = 0.1
"""Share of a doubted text layer's letters that OCR must find to take its place: tiny or covered print it cannot see."""

DRAWN = 0.1
"""Share of a picture that its words fill, below which it is a chart and not a scanned text or table."""


def read(
    doc: pymupdf.Document,
    number: int,
    *,
    ocr: OcrMode,
    language: str = "auto",
    tagged: bool | None = None,
    kept: str = "",
    heartbeat: Heartbeat | None = None,
) -> tuple[PageFacts, Page, str]:
    """The facts of page `number` (1-based), the page without its regions, and the language OCR found ("" if none).

    `tagged` says whether the file has a structure tree, where that is known. OCR is put on record in files whose paths
    begin with `kept` ("" = nowhere), and taken from there. `heartbeat` is told when OCR begins and ends. Where it
    fails, a page that has a text layer keeps it, and its `failure` says so.

    Raises:
        RuntimeError: the page's content cannot be interpreted.
        ModelError: it can only be read by OCR, and no engine loads.
    """
    page = doc[number - 1]
    lost, streams = lost_streams(page)
    if streams and lost == streams:
        raise LostContentError
    facts = read_page(page, tagged=tagged)
    reasons = [f"{lost} of {streams} content streams are not in the file"] if lost else []
    if is_cut_off(page):
        if not facts.lines and not facts.images:
            raise LostContentError
        reasons.append("the file ends within this page's content")
    if outside := drop_outside(facts):
        reasons.append(f"{count(outside, 'line')} outside the page dropped")
    if facts.cropped:
        reasons.append(f"{count(facts.cropped, 'letter')} outside the part of the page that is shown left out")
    if hidden := drop_hidden(facts):
        reasons.append(f"{count(hidden, 'line')} that nobody can see dropped")
    if doubled := drop_duplicates(facts):
        reasons.append(f"{count(doubled, 'line')} printed twice dropped")
    if mended := mend_ligatures(facts):
        reasons.append(f"{count(mended, 'word')} with lost ligatures mended")
    facts.lines = stack_vertical(facts.lines)
    reasons += writing(facts)
    if facts.strokes > MAX_STROKES:
        reasons.append(f"{facts.strokes} vector paths: drawings not read")
    verdict = judge(page, facts, ocr=ocr)
    out = Page(
        number, facts.width, facts.height, facts.rotation, "text", verdict.route, (),
        reasons=(*verdict.reasons, *reasons),
    )  # fmt: skip
    if not verdict.clips:
        return facts, out, ""
    heartbeat = heartbeat or (lambda page, doing="", /: None)
    heartbeat(number, OCR)
    try:
        if verdict.reasons[0] == ODD_LETTERS and says_what_is_printed(page, facts.lines, language=language):
            why = f"{ODD_LETTERS}, but OCR of a few lines reads the same; kept"
            return facts, replace(out, route="geometry", reasons=(why, *reasons)), ""
        return _with_ocr(page, facts, out, verdict, language, kept)
    except (ModelError, MemoryError) as e:
        if not facts.lines:
            raise
        why = str(e) or "it needs more memory than there is"
        return facts, kept_without_ocr(out, "OCR failed", f"OCR failed: {why}"), ""
    finally:
        heartbeat(number)


def _recognised(page: pymupdf.Page, clip: BBox | None, language: str, kept: str) -> OcrResult:
    from h3cold.ingest import ocr
    from h3cold.ingest.ocr.kept import KeptOcr

    if not kept:
        return ocr.read(page, clip=clip, language=language)
    record = KeptOcr(kept)
    result = record.find(page.number + 1, clip)
    if result is None:
        result = ocr.read(page, clip=clip, language=language)
        record.keep(page.number + 1, clip, result)
    return result


def _with_ocr(
    page: pymupdf.Page, facts: PageFacts, out: Page, verdict: Verdict, language: str, record: str
) -> tuple[PageFacts, Page, str]:
    kept = [] if None in verdict.clips else facts.lines
    results = [(clip, _recognised(page, clip, language, record)) for clip in verdict.clips]
    if kept:
        results = [(c, r) for c, r in results if sum(len(line.text) for line in r.lines) >= LEAST]
    if not results:
        return facts, replace(out, route="geometry", reasons=(*out.reasons, "OCR found no text in it")), ""
    said = _TAKEN_FOR.sub("", "".join(line.text for line in facts.lines)) if not kept else ""
    if sum(count_letters(line.text) for _, r in results for line in r.lines) < FEWER * count_letters(said):
        why = f"{out.reasons[0]}, but OCR found far fewer letters than the text layer has; kept"
        return facts, replace(out, route="geometry", reasons=(why, *out.reasons[1:])), ""
    # a stamp that lies over the scan was printed as text and seen by OCR
    found = [line for _, result in results for line in result.lines if not _known(line, kept)]
    boxes = [clip for clip, r in results if clip is not None and not _is_drawing(clip, r.lines, facts)]
    seen = [w for _, result in results for w in result.words if not kept or any(overlap(w.bbox, f.bbox) for f in found)]
    words = [*(facts.words() if kept else ()), *seen]
    facts = replace(
        facts,
        lines=[*kept, *found],
        rules=[*facts.rules, *(rule for _, result in results for rule in result.rules)],
        # what was read is text now, no picture; pictures on a scanned page are part of the scan
        images=[i for i in facts.images if kept and not any(inside(i, b) > 0.9 for b in boxes)],
        _words=lambda: words,
        _tags=facts._tags if kept else None,
    )
    letters = sum(len(line.text) for line in found)
    sure = sum((line.confidence or 0.0) * len(line.text) for line in found)
    notes = tuple(note for _, r in results for note in r.notes)
    out = replace(
        out,
        source="mixed" if kept else "ocr",
        reasons=(*out.reasons, *dict.fromkeys(notes)),
        ocr_engine=results[0][1].engine,
        ocr_confidence=sure / letters if letters else 0.0,
    )
    return facts, out, results[0][1].language if letters else ""


def _is_drawing(clip: BBox, lines: Sequence[Line], facts: PageFacts) -> bool:
    """Whether a picture stays one, with the words that OCR read inside it: a chart, of which few words fill little."""
    small = area(clip) < 0.5 * facts.width * facts.height
    return small and sum(area(line.bbox) for line in lines) < DRAWN * area(clip)


def _known(line: Line, kept: Sequence[Line]) -> bool:
    return sum(overlap(line.bbox, other.bbox) for other in kept) > 0.5 * area(line.bbox)
