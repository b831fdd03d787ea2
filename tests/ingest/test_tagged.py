"""The structure tree of tagged PDFs: what it says of lines, and when its order is believed."""

from __future__ import annotations

from pathlib import Path

import pymupdf

from h3cold.ingest.page_facts import read_page
from h3cold.ingest.parse import ParseOptions, parse_document
from h3cold.ingest.tagged import Placed, Tag, is_tagged, tag_order

Element = tuple[str, float, float, tuple[str, ...]]
"""Role, x and y of the first baseline, lines."""

LEFT = ("The committee met in the", "spring and looked at what", "the year before had left", "open on its long agenda.")
RIGHT = ("It then turned to a plan", "for the coming season and", "the money that it needed", "to carry the plan out.")


def tagged_file(path: Path, elements: list[Element], order: list[int]) -> Path:
    """A one-page PDF that draws `elements` line by line from the top; its tree lists them in `order`."""
    with pymupdf.open() as doc:
        page = doc.new_page(width=400, height=500)
        page.insert_font(fontname="helv")
        lines = [
            (y + 14 * n, x, text, k) for k, (_, x, y, texts) in enumerate(elements) for n, text in enumerate(texts)
        ]
        marks: dict[int, list[int]] = {}
        drawn = []
        for mark, (y, x, text, k) in enumerate(sorted(lines)):
            marks.setdefault(k, []).append(mark)
            role = elements[k][0]
            drawn.append(f"/{role}<</MCID {mark}>>BDC BT /helv 11 Tf {x} {500 - y} Td ({text}) Tj ET EMC")
        content = doc.get_new_xref()
        doc.update_object(content, "<<>>")
        doc.update_stream(content, "\n".join(drawn).encode())
        doc.xref_set_key(page.xref, "Contents", f"{content} 0 R")
        root, body = doc.get_new_xref(), doc.get_new_xref()
        kids, owner = [], {}
        for k in order:
            xref = doc.get_new_xref()
            inside = " ".join(map(str, marks[k]))
            doc.update_object(
                xref, f"<</Type/StructElem/S/{elements[k][0]}/P {body} 0 R/Pg {page.xref} 0 R/K[{inside}]>>"
            )
            kids.append(f"{xref} 0 R")
            owner.update(dict.fromkeys(marks[k], xref))
        doc.update_object(body, f"<</Type/StructElem/S/Document/P {root} 0 R/K[{' '.join(kids)}]>>")
        parents = " ".join(f"{owner[m]} 0 R" for m in sorted(owner))
        doc.update_object(
            root, f"<</Type/StructTreeRoot/K {body} 0 R/ParentTree<</Nums[0[{parents}]]>>/ParentTreeNextKey 1>>"
        )
        doc.xref_set_key(page.xref, "StructParents", "0")
        doc.xref_set_key(doc.pdf_catalog(), "StructTreeRoot", f"{root} 0 R")
        doc.xref_set_key(doc.pdf_catalog(), "MarkInfo", "<</Marked true>>")
        doc.save(path, no_new_id=True)
    return path


def words(path: Path) -> str:
    doc = parse_document(path, options=ParseOptions(ocr="off", layout="fast"))
    return " ".join(r.text for r in doc.pages[0].regions)


def columns_close_together(path: Path, order: list[int]) -> Path:
    """Two columns under a heading, every other line of the left one reaching into the right one."""
    left = tuple(f"{line} in all its length" if n % 2 else line for n, line in enumerate(LEFT))
    return tagged_file(path, [("H2", 40, 60, ("Minutes",)), ("P", 40, 90, left), ("P", 200, 97, RIGHT)], order)


def test_lines_carry_what_the_tree_says(tmp_path: Path) -> None:
    with pymupdf.open(columns_close_together(tmp_path / "a.pdf", [0, 1, 2])) as doc:
        assert is_tagged(doc)
        facts = read_page(doc[0])
        first = (facts.tags([facts.lines[0].bbox]) or [None])[0]
        assert first is not None
        assert (first.role, first.level, first.heading) == ("H2", 2, True)


def test_columns_that_geometry_cannot_part_are_read_by_their_tags(tmp_path: Path) -> None:
    text = words(columns_close_together(tmp_path / "a.pdf", [0, 1, 2]))
    assert text.index("open on its long agenda") < text.index(" ".join(RIGHT))


def test_a_tree_that_reads_upwards_is_not_believed(tmp_path: Path) -> None:
    elements: list[Element] = [("P", 40, 60, LEFT), ("P", 40, 160, RIGHT), ("P", 40, 260, ("The end of the page.",))]
    text = words(tagged_file(tmp_path / "a.pdf", elements, [1, 2, 0]))
    assert text == " ".join((*LEFT, *RIGHT, "The end of the page."))


def test_files_without_a_tree_have_no_tags() -> None:
    with pymupdf.open() as doc:
        page = doc.new_page()
        page.insert_text((72, 72), "Plain text")
        assert not is_tagged(doc)
        facts = read_page(page)
        assert facts.tags([facts.lines[0].bbox]) is None


def at(x: float, y: float, element: int | None) -> Placed:
    return Placed((x, y, x + 100, y + 10), 20, None if element is None else Tag("P", element))


def test_what_has_no_tag_goes_with_its_neighbour() -> None:
    items = [at(0, 0, 1), at(0, 20, 1), *(at(0, 40 + 20 * n, 2 + n) for n in range(30)), at(0, 645, None)]
    assert tag_order(items) == [list(range(33))]


def test_tags_that_leave_text_out_are_not_believed() -> None:
    assert tag_order([at(0, 0, 1), at(0, 20, 2), at(0, 40, None)]) is None


def test_right_to_left_pages_are_read_from_the_right() -> None:
    items = [at(200, 0, 1), at(200, 20, 1), at(0, 0, 2), at(0, 20, 2)]
    assert tag_order(items) is None
    assert tag_order(items, rtl=True) == [[0, 1], [2, 3]]


def test_a_page_that_the_tree_does_not_know_is_not_read_for_tags(tmp_path):
    path = tmp_path / "half.pdf"
    with pymupdf.open() as doc:
        for number in range(2):
            doc.new_page().insert_text((72, 100), f"The words of page {number}")
        tree = doc.get_new_xref()
        doc.update_object(tree, "<</Type/StructTreeRoot>>")
        doc.xref_set_key(doc.pdf_catalog(), "StructTreeRoot", f"{tree} 0 R")
        doc.xref_set_key(doc[1].xref, "StructParents", "0")
        doc.save(path, no_new_id=True)
    with pymupdf.open(path) as doc:
        pages = [doc[0], doc[1]]
        assert read_page(pages[0]).tags([]) is None
        assert read_page(pages[1]).tags([]) == []
