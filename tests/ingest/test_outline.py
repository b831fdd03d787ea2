"""The outline that `h3-parse --format html` draws: by headings, or by words where there are none."""

import numpy as np

from h3cold.ingest.outline import outline, word_vectors
from h3cold.ingest.render_html import render_html
from h3cold.schemas.document import DocumentInfo, ParsedDocument
from h3cold.schemas.page import Page, Region

TOPICS = (
    "harbour ships anchor cargo sailor",
    "violin orchestra concert melody tune",
    "vaccine dose patient clinic trial",
)


def paragraph(topic, number):
    words = TOPICS[topic].split()
    return " ".join(words[(number + i) % 5] for i in range(200)).capitalize() + "."


def document(kinds):
    pages = []
    for number, kind in enumerate(kinds, 1):
        regions = tuple(
            Region("heading" if isinstance(k, str) else "text", (50.0, 60.0 + 90 * i, 550.0, 140.0 + 90 * i),
                   k.lstrip() if isinstance(k, str) else paragraph(k, i), i,
                   level=1 + k.count("  ") if isinstance(k, str) else None)
            for i, k in enumerate(kind)
        )  # fmt: skip
        pages.append(Page(number, 595.0, 842.0, 0, "text", "geometry", regions))
    return ParsedDocument("d" * 32, "a.pdf", DocumentInfo(title="Of many things"), tuple(pages))


def test_headings_make_the_outline():
    parts = outline(document([("Ports", *[0] * 7), ("Music", *[1] * 7)]))
    assert parts[0][:3] == (0, 1, "Of many things")
    assert {(p.page, p.title) for p in parts if p.level == 1} == {(1, "Ports"), (2, "Music")}
    assert all(p.summary for p in parts)


def test_words_make_it_where_there_are_no_headings():
    parts = outline(document([[0] * 8, [1] * 8, [2] * 8]))
    assert {1, 2, 3} <= {p.page for p in parts if p.level == 2}


def test_a_document_without_text_has_none():
    empty = ParsedDocument("d" * 32, "a.pdf", DocumentInfo(), (Page(1, 9.0, 9.0, 0, "text", "geometry", ()),))
    assert outline(empty) == []
    assert "Outline" not in "".join(render_html(empty, lambda number: None))


def test_texts_of_one_topic_are_nearer_than_others():
    vectors = word_vectors([paragraph(t, i) for t in range(3) for i in range(4)] + [""])
    near = vectors @ vectors.T
    assert np.allclose(np.linalg.norm(vectors[:-1], axis=1), 1, atol=1e-5) and not vectors[-1].any()
    assert near[:4, :4].min() > near[:4, 4:].max()


def test_a_short_document_says_its_summary_once():
    text = "The harbour of the old town was closed for a year because its piers had to be made anew from the ground up."
    text = f"{text[:-1]}, as surveyors had found."
    region = Region("text", (50.0, 60.0, 550.0, 140.0), text, 0)
    info = DocumentInfo(title="Of a harbour")
    page = ParsedDocument("d" * 32, "a.pdf", info, (Page(1, 595.0, 842.0, 0, "text", "geometry", (region,)),))
    assert [p.summary[:90] for p in outline(page)] == [text[:90]] * 3 and outline(page)[1].summary.endswith("…")
    drawn = "".join(render_html(page, lambda number: None)).partition("</header>")[2].partition("</details>")[0]
    assert drawn.count(text[:90]) == 1 and "…" not in drawn and "Outline: 1 part<" in drawn


def test_a_heading_that_names_the_document_is_no_chapter_and_no_name_stands_twice():
    kinds = [("Of many things", 0), ("  Contents", 0), ("  Ports", 0, "    Ships", 0, "    Cargo", 0),
             ("  Ports", 0, "  Music", 1, "    Ships", 1, "    Ships", 1)]  # fmt: skip
    parts = outline(document(kinds))
    assert [(p.level, p.page, p.title) for p in parts[1:]] == [
        (1, 3, "Ports"), (2, 3, "Ships"), (2, 3, "Cargo"), (1, 4, "Music"), (2, 4, "Ships"),
    ]  # fmt: skip
