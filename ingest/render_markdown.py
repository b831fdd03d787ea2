"""A parsed document as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from h3cold.ingest.render_tables import escape_markdown, table_markdown
from h3cold.schemas.document import ParsedDocument
from h3cold.schemas.page import FURNITURE, Page, Region

_BULLET = re.compile(r"^[•·▪●○◦‣–—\-*]\s+")
_MARKUP = re.compile(r"^(#{1,6}\s|[-+]\s|>|\d+[.)]\s|={3,}|-{3,}|~{3,}|\|)")


def render_markdown(doc: ParsedDocument) -> Iterator[str]:
    """The document page by page: headings by their level, lists, tables, figures' words as quotes.

    Headers and footers are left out. Every page begins with a comment that names it, so that an excerpt can be
    traced back; a page that could not be read says so there.
    """
    for page in doc.pages:
        yield "\n\n".join([_mark(page), *filter(None, (_region(r) for r in page.regions))]) + "\n\n"


def _mark(page: Page) -> str:
    failed = f": could not be read: {page.failure}" if page.failure is not None else ""
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
    if region.kind == "formula":
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
