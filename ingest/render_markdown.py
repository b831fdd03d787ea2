"""A parsed document as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from h3cold.ingest.flow import BETWEEN
from h3cold.ingest.render_tables import escape_markdown, table_markdown
from h3cold.ingest.script import han_count
from h3cold.schemas.document import ParsedDocument
from h3cold.schemas.page import FURNITURE, Page, Region

_BULLET = re.compile(r"^[•·◦‣–—\-*]\s+")
_MARKUP = re.compile(r"^(#{1,6}\s|[-+]\s|>|\d+[.)]\s|={3,}|-{3,}|~{3,}|\|)")


@dataclass(slots=True)
class _Chunk:
    """A region in Markdown, with the page it begins on and the number of the last; without text a page's beginning."""

    kind: str
    page: Page
    last: int
    text: str


def render_markdown(doc: ParsedDocument) -> Iterator[str]:
    """The document page by page: headings by their level, lists, tables, code as it is set, figures' words as quotes.

    Headers and footers are left out. A comment names the page wherever another one begins, so that an excerpt can be
    traced back; a page that could not be read says so there. A paragraph that goes on over the page is one, with the
    comment in its midst, and the notes that stand between its halves come after it.
    """
    held: list[_Chunk] = []
    shown = 0
    for page in doc.pages:
        fresh = [_Chunk("", page, page.number, "")]
        for region in page.regions:
            text = _region(region)
            half = _half([*held, *fresh]) if text and region.continues and region.kind == "text" else None
            if half is not None:
                joint = "" if han_count(half.text[-1] + text[0]) == 2 else " "
                turn = joint + _mark(page) if half.last != page.number else ""
                half.text, half.last = half.text + turn + joint + text, page.number
            elif text:
                fresh.append(_Chunk(region.kind, page, page.number, text))
        for chunk in held:
            yield from _written(chunk, shown)
            shown = chunk.last
        held = fresh
    for chunk in held:
        yield from _written(chunk, shown)
        shown = chunk.last


def _half(chunks: Sequence[_Chunk]) -> _Chunk | None:
    """The text that goes on after these: the last one but for what may stand in the midst of a paragraph."""
    body = next((c for c in reversed(chunks) if c.text and c.kind not in BETWEEN), None)
    return body if body is not None and body.kind in ("text", "list") else None


def _written(chunk: _Chunk, shown: int) -> Iterator[str]:
    """A chunk after its page's name, if another page was `shown` last."""
    if chunk.page.number != shown:
        yield _mark(chunk.page) + "\n\n"
    if chunk.text:
        yield chunk.text + "\n\n"


def _mark(page: Page) -> str:
    failed = f": {page.failure}" if page.failure is not None else ""
    if page.route == "failed":
        failed = f": could not be read{failed}"
    return f"<!-- page {page.number}{failed.replace('--', '- -').replace('>', '')} -->"


def _region(region: Region) -> str:
    text = region.text.strip()
    if region.kind in FURNITURE:
        return ""
    if region.table is not None:
        return table_markdown(region.table)
    if region.kind == "title":
        return "# " + _line(text)
    if region.kind == "heading":
        return "#" * min(6, (region.level or 1) + 1) + " " + _line(text)
    if region.kind == "list":
        return "\n".join(_item(line) for line in text.splitlines() if line.strip())
    if region.kind == "formula" or (region.kind == "text" and "\n" in text):  # text in lines is code
        fence = "`" * (3 + max((len(run) for run in re.findall(r"`+", text)), default=0))
        return f"{fence}\n{text}\n{fence}"
    if region.kind == "figure":
        return "> " + "\n> ".join(["**Figure**", *(escape_markdown(line) for line in text.splitlines())])
    if region.kind == "caption":
        return f"*{_line(text)}*" if text else ""
    return "\n".join(_plain(line) for line in text.splitlines())


def _line(text: str) -> str:
    return escape_markdown(" ".join(text.split()))


def _plain(line: str) -> str:
    """A line of running text that starts like Markdown's own signs must not be taken for one."""
    line = escape_markdown(line.strip())
    if match := _MARKUP.match(line):
        sign = match.group().rstrip()
        at = len(sign) - 1 if sign[0].isdigit() else 0
        line = line[:at] + "\\" + line[at:]
    return line


def _item(line: str) -> str:
    line = line.strip()
    if match := _BULLET.match(line):
        return "- " + escape_markdown(line[match.end() :])
    if re.match(r"\d+[.)]\s", line):
        return escape_markdown(line)
    return "- " + escape_markdown(line)
