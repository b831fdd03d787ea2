"""A parsed document as one HTML file: each page's picture with its regions outlined and numbered, the text beside."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from h3cold.ingest.outline import Part, outline
from h3cold.ingest.progress import count
from h3cold.ingest.render_tables import table_html
from h3cold.schemas.document import ParsedDocument
from h3cold.schemas.page import Page, Region

if TYPE_CHECKING:
    import pymupdf

DPI = 96
COLORS = {
    "title": "#7b1fa2", "heading": "#c2185b", "text": "#1976d2", "list": "#0097a7", "table": "#388e3c",
    "figure": "#f57c00", "caption": "#afb42b", "formula": "#5d4037", "footnote": "#607d8b", "header": "#9e9e9e",
    "footer": "#9e9e9e",
}  # fmt: skip

_STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 0; background: #eee; color: #222 }
header, .page { background: #fff; margin: 12px; padding: 12px; border-radius: 4px }
.page { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 16px }
.page h2 { grid-column: 1 / 3; margin: 0; font-size: 15px }
.sheet { position: relative; align-self: start; border: 1px solid #ccc }
.sheet img, .sheet svg { display: block; width: 100% }
.sheet svg { position: absolute; inset: 0; height: 100% }
rect { fill: transparent; stroke-width: 1.2 }
a:hover rect { fill: #ffeb3b44 }
.regions { overflow: auto; max-height: 130vh }
.region { border-left: 4px solid; padding: 2px 8px; margin: 0 0 8px; white-space: pre-wrap; overflow-wrap: anywhere }
.region:target { background: #fffde7 }
.region b { font-size: 11px; display: block }
table { border-collapse: collapse; font-size: 12px; white-space: normal }
td, th { border: 1px solid #bbb; padding: 1px 5px; text-align: left; vertical-align: top }
.failed { color: #b71c1c }
"""


_NOTHING = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
"""A transparent dot: the outlines of a page's regions are shown all the same."""


def page_picture(doc: pymupdf.Document, number: int) -> bytes:
    """JPEG of the 1-based page, at `DPI`."""
    return doc[number - 1].get_pixmap(dpi=DPI, alpha=False).tobytes("jpeg", jpg_quality=70)


def render_html(doc: ParsedDocument, picture: Callable[[int], bytes | None]) -> Iterator[str]:
    """The file in pieces, a page at a time, so that a long document is never held whole.

    Args:
        picture: JPEG of a 1-based page, None where it cannot be drawn.
    """
    title = escape(doc.info.title or doc.source)
    colors = "".join(f".{kind} {{ border-color: {c} }} .{kind} rect {{ stroke: {c} }}" for kind, c in COLORS.items())
    facts = (doc.source, doc.info.company, doc.info.period, doc.info.doctype, doc.info.language)
    yield (
        f'<!DOCTYPE html>\n<html lang="{escape(doc.info.language)}"><head><meta charset="utf-8">'
        f"<title>{title}</title><style>{_STYLE}{colors}</style></head><body>\n"
        f"<header><strong>{title}</strong><br>{escape(' · '.join(filter(None, facts)))}</header>\n"
    )
    yield _tree(outline(doc))
    for page in doc.pages:
        yield _page(page, picture)
    yield "</body></html>\n"


def _tree(parts: Sequence[Part]) -> str:
    """The document's parts, each with its summary and a link to its page, but for what says nothing that the part it is
    in does not: of a short document no part does.
    """
    rows: list[str] = []
    around: dict[int, Part] = {}
    for part in parts:
        above = around.get(part.level - 1)
        around[part.level] = part
        again = above is not None and part.summary.removesuffix("…").rstrip() in above.summary
        if above is not None and again and part.title in ("", above.title):
            continue
        said = f"p. {part.page}" + (f" · {escape(part.summary)}" if part.summary and not again else "")
        title = escape(part.title or f"from page {part.page}")
        rows.append(
            f'<p style="margin:2px 0 2px {1.5 * part.level:g}em"><a href="#p{part.page}">{title}</a>'
            f" <small>{said}</small></p>"
        )
    if not rows:
        return ""
    return (
        f"<header><details><summary>Outline: {count(len(rows), 'part')}</summary>{''.join(rows)}</details></header>\n"
    )


def _page(page: Page, picture: Callable[[int], bytes | None]) -> str:
    about = [page.route, *page.reasons]
    if page.ocr_engine:
        about.append(f"read by {page.ocr_engine}")
    head = f'<h2 id="p{page.number}">Page {page.number} <small>{escape(" · ".join(about))}</small></h2>'
    if page.failure is not None:
        head += f'<p class="failed">{escape(page.failure)}</p>'
    if page.route == "failed":
        return f'<section class="page">{head}</section>\n'
    drawn = picture(page.number)
    if drawn is None:
        head += '<p class="failed">no picture of this page can be made</p>'
    data = base64.b64encode(drawn or _NOTHING).decode()
    shapes = "".join(_outline(page.number, region) for region in page.regions)
    return (
        f'<section class="page">{head}<div class="sheet"><img alt="page {page.number}" '
        f'src="data:image/jpeg;base64,{data}"><svg viewBox="0 0 {page.width:g} {page.height:g}" '
        f'preserveAspectRatio="none">{shapes}</svg></div>\n'
        f'<div class="regions">{"".join(_text(page.number, region) for region in page.regions)}</div></section>\n'
    )


def _outline(number: int, region: Region) -> str:
    x0, y0, x1, y1 = region.bbox
    color = COLORS[region.kind]
    return (
        f'<a class="{region.kind}" href="#p{number}r{region.order}"><title>{region.kind}</title>'
        f'<rect x="{x0:.1f}" y="{y0:.1f}" width="{x1 - x0:.1f}" height="{y1 - y0:.1f}"/>'
        f'<text x="{max(0.0, x0 - 12):.1f}" y="{y0 + 8:.1f}" font-size="9" fill="{color}">{region.order + 1}</text></a>'
    )


def _text(number: int, region: Region) -> str:
    body = table_html(region.table) if region.table is not None else escape(region.text)
    level = f" {region.level}" if region.level is not None else ""
    doubt = f" · confidence {region.confidence:.2f}" if region.confidence is not None else ""
    more = " · goes on from before" if region.continues else ""
    return (
        f'<div class="region {region.kind}" id="p{number}r{region.order}">'
        f"<b>{region.order + 1} {region.kind}{level}{doubt}{more}</b>{body}</div>"
    )
