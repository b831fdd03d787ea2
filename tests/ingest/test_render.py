"""Parsed documents as Markdown, HTML and JSON."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from h3cold.ingest.render_html import render_html
from h3cold.ingest.render_json import document_json
from h3cold.ingest.render_markdown import render_markdown
from h3cold.ingest.render_tables import render_csv, table_csv, table_html, table_markdown
from h3cold.schemas.document import DocumentInfo, ParsedDocument
from h3cold.schemas.page import Cell, Page, Region, Table

BOX = (10.0, 20.0, 110.0, 40.0)
ATTACK = "<script>alert(1)</script>\"'&</style><img src=x onerror=alert(1)>"


def cell(row, col, text, **more):
    return Cell(row, col, text, BOX, **more)


PLAIN = Table(
    2,
    2,
    (cell(0, 0, "Year", header=True), cell(0, 1, "Sales|net", header=True), cell(1, 0, "2023"), cell(1, 1, "5\n12")),
)
SPANNED = Table(
    3, 3,
    (cell(0, 0, "Segment", header=True, rowspan=2), cell(0, 1, "Net sales", header=True, colspan=2),
     cell(1, 1, "2023", header=True), cell(1, 2, "2022", header=True), cell(2, 0, "Water"), cell(2, 2, "152.3")),
)  # fmt: skip


def one(*regions, **more):
    placed = tuple(Region(r.kind, r.bbox, r.text, i, r.level, r.table, r.confidence) for i, r in enumerate(regions))
    route = "failed" if "failure" in more and not placed else "geometry"
    page = Page(3, 595.0, 842.0, 0, "text", route, placed, **more)
    return ParsedDocument("d" * 32, "a.pdf", DocumentInfo(title="A report", company=ATTACK), (page,))


def region(kind, text="", **more):
    return Region(kind, BOX, text, 0, **more)


def markdown(*regions):
    return "".join(render_markdown(one(*regions)))


class Tree(HTMLParser):
    """Elements in order, and whether every one is closed by its own end."""

    VOID = ("meta", "img", "br")

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.data, self.attrs = [], [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attrs += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.data.append(data)


def test_markdown_of_each_kind():
    text = markdown(
        region("header", "Running"), region("title", "The\nTitle"), region("heading", "Part", level=1),
        region("heading", "Deep", level=3), region("text", "1. A line"), region("text", "$ ls\n  a.txt"),
        region("list", "• one\n2. two\nthree"), region("table", table=PLAIN), region("caption", "Table 1"),
        region("figure", "2022\n2023"), region("formula", "a * b"), region("footnote", "(1) Note"),
        region("footer", "9"),
    )  # fmt: skip
    assert text == (
        "<!-- page 3 -->\n\n# The Title\n\n## Part\n\n#### Deep\n\n1\\. A line\n\n```\n$ ls\n  a.txt\n```\n\n"
        "- one\n2. two\n- three\n\n| Year | Sales\\|net |\n| --- | --- |\n| 2023 | 5<br>12 |\n\n*Table 1*\n\n"
        "> **Figure**\n> 2022\n> 2023\n\n```\na * b\n```\n\n(1) Note\n\n"
    )


def test_markdown_joins_a_sentence_over_the_page_and_names_each_page():
    first = (region("text", "The loan that the"), region("footnote", "(1) Note"))
    second = (region("text", "Bank of Dongyu made.", continues=True), region("text", "More."))
    doc = one()
    pages = (replace(doc.pages[0], regions=first), replace(doc.pages[0], number=4, regions=second))
    assert "".join(render_markdown(replace(doc, pages=pages))) == (
        "<!-- page 3 -->\n\nThe loan that the <!-- page 4 --> Bank of Dongyu made.\n\n"
        "<!-- page 3 -->\n\n(1) Note\n\n<!-- page 4 -->\n\nMore.\n\n"
    )
    han = (region("text", "向东屿"), region("text", "银行借款。", continues=True))
    doc = replace(doc, pages=(replace(doc.pages[0], regions=han),))
    assert "".join(render_markdown(doc)) == "<!-- page 3 -->\n\n向东屿银行借款。\n\n"


def test_markdown_shows_text_as_it_is():
    assert markdown(region("text", "# not a heading")).endswith("\\# not a heading\n\n")
    assert markdown(region("text", "- no item")).endswith("\\- no item\n\n")
    assert "<script" not in markdown(region("text", ATTACK)).replace("\\<", "")


def test_markdown_tables_without_header_and_with_spans():
    assert table_markdown(Table(1, 2, (cell(0, 1, "x"),))) == "|  |  |\n| --- | --- |\n|  | x |"
    assert table_markdown(SPANNED) == table_html(SPANNED)


def test_html_table_keeps_spans_and_empty_cells():
    assert table_html(SPANNED) == (
        '<table>\n<thead>\n<tr><th rowspan="2">Segment</th><th colspan="2">Net sales</th></tr>\n'
        "<tr><th>2023</th><th>2022</th></tr>\n</thead>\n<tbody>\n"
        "<tr><td>Water</td><td></td><td>152.3</td></tr>\n</tbody>\n</table>"
    )


def test_a_failed_page_says_so():
    doc = one(failure="cannot --> be read")
    assert "".join(render_markdown(doc)) == "<!-- page 3: could not be read: cannot - - be read -->\n\n"
    assert document_json(doc)["pages"][0]["failure"] == "cannot --> be read"
    html = "".join(render_html(doc, lambda number: 1 / 0))  # a failed page has no picture
    assert "cannot --&gt; be read" in html


def test_a_page_that_was_read_without_ocr_says_so_and_shows_what_it_has():
    doc = one(region("text", "Body"), failure="OCR stopped: why")
    assert "".join(render_markdown(doc)) == "<!-- page 3: OCR stopped: why -->\n\nBody\n\n"
    html = "".join(render_html(doc, lambda number: b"jpeg"))
    assert "OCR stopped: why" in html and "Body" in html


def test_html_is_one_well_formed_file_with_a_box_for_every_region():
    doc = one(
        region("heading", "Part", level=2), region("table", table=SPANNED), region("text", "Body", confidence=0.9)
    )
    tree = Tree("".join(render_html(doc, lambda number: b"jpeg%d" % number)))
    assert tree.tags.count("rect") == 3
    assert ("src", "data:image/jpeg;base64,anBlZzM=") in tree.attrs
    assert ("viewbox", "0 0 595 842") in tree.attrs
    targets = {v[1:] for k, v in tree.attrs if k == "href"}
    assert targets == {v for k, v in tree.attrs if k == "id"} == {"p3", "p3r0", "p3r1", "p3r2"}
    assert not [v for k, v in tree.attrs if k in ("src", "href") and re.match(r"(https?:)?//", v)]


@settings(max_examples=40, deadline=None)
@given(st.one_of(st.just(ATTACK), st.text(st.characters(exclude_categories=("Cs", "Cc")))))
def test_html_escapes_whatever_a_file_says(text):
    table = Table(1, 1, (cell(0, 0, text),))
    tree = Tree("".join(render_html(one(region("text", text), region("table", table=table)), lambda number: b"")))
    assert set(tree.tags) <= {
        "html", "head", "meta", "title", "style", "body", "header", "strong", "br", "section", "h2", "small", "div",
        "img", "svg", "a", "rect", "text", "b", "table", "tbody", "tr", "td", "details", "summary", "p",
    }  # fmt: skip
    assert "".join(tree.data).count(text) >= 1


def test_json_has_the_promised_keys_and_no_others():
    doc = one(region("heading", "Part", level=2), region("table", table=PLAIN), region("text", "Body"))
    made = document_json(doc)
    assert list(made) == ["source", "pages"]
    (page,) = made["pages"]
    assert list(page) == ["page", "width", "height", "route", "regions"]
    assert page["page"] == 3
    heading, table, text = page["regions"]
    assert list(text) == ["kind", "bbox", "order", "text"]
    assert list(heading) == [*text, "level"]
    assert list(table) == [*text, "table"]
    assert table["table"]["rows"] == 2 and table["table"]["cols"] == 2
    assert list(table["table"]["cells"][0]) == ["row", "col", "text", "bbox", "rowspan", "colspan", "header"]
    assert text["bbox"] == list(BOX)


def test_csv_repeats_headings_over_their_columns_and_reads_back():
    rows = list(csv.reader(table_csv(SPANNED).splitlines()))
    assert rows == [["Segment", "Net sales", "Net sales"], ["", "2023", "2022"], ["Water", "", "152.3"]]
    assert list(csv.reader(table_csv(PLAIN).splitlines())) == [["Year", "Sales|net"], ["2023", "5 12"]]


def test_csv_of_a_document_joins_what_goes_on_and_parts_what_does_not():
    more = Table(2, 2, (*PLAIN.cells[:2], cell(1, 0, "2024"), cell(1, 1, 'say "6, 7"')))
    first, second = region("table", table=PLAIN), replace(region("table", table=more), continues=True)
    doc = one(first, region("text", "words"))
    pages = (*doc.pages, replace(doc.pages[0], number=4, regions=(second, region("table", table=SPANNED))))
    tables = "".join(render_csv(replace(doc, pages=pages))).split("\n\n")
    assert list(csv.reader(tables[0].splitlines())) == [
        ["Year", "Sales|net"], ["2023", "5 12"], ["2024", 'say "6, 7"'],
    ]  # fmt: skip
    assert len(tables) == 2
