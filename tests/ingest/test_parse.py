from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pdf_pages import LOREM, put, save, two_columns, wrapped

from h3cold.ingest import parse, parse_options, reading
from h3cold.ingest.opening import document_id, open_document
from h3cold.ingest.parse import ParseOptions, finish, outline_of, parse_document, parse_window
from h3cold.schemas.config import Config
from h3cold.schemas.errors import DocumentError, EncryptedError

FAST = ParseOptions(ocr="off", layout="fast")


def short(path: Path, pages: int = 3) -> Path:
    doc = pymupdf.open()
    for n in range(pages):
        page = doc.new_page()
        put(page, 60, 40, "Northwind Annual Report")
        put(page, 60, 100, wrapped(f"Page number {n}. {LOREM}", 80))
    return save(doc, path)


def test_a_document_end_to_end(tmp_path: Path) -> None:
    doc = parse_document(short(tmp_path / "a.pdf"), options=FAST)
    assert doc.id == document_id((tmp_path / "a.pdf").read_bytes()) and len(doc.id) == 32
    assert [p.number for p in doc.pages] == [1, 2, 3]
    assert not doc.failures
    for n, page in enumerate(doc.pages):
        assert [(r.kind, r.order) for r in page.regions] == [("header", 0), ("text", 1)]
        assert page.regions[1].text == f"Page number {n}. {LOREM}"
        assert page.route == "geometry" and page.reasons


def test_files_that_are_no_pdf(tmp_path: Path) -> None:
    for name, data, words in (
        ("none.pdf", None, "no such file"),
        ("empty.pdf", b"", "0 bytes"),
        ("text.pdf", b"just text " * 200, "not a PDF"),
        ("late.pdf", b" " * 2000 + b"%PDF-1.4", "not a PDF"),
        ("head.pdf", b"%PDF-1.7\n%%EOF", "has no pages|damaged"),
    ):
        path = tmp_path / name
        if data is not None:
            path.write_bytes(data)
        with pytest.raises(DocumentError, match=words) as raised:
            parse_document(path, options=FAST)
        assert raised.value.source == str(path)
    picture = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 9, 9)).tobytes("png")
    (tmp_path / "png.pdf").write_bytes(picture)
    with pytest.raises(DocumentError, match="not a PDF"):
        parse_document(tmp_path / "png.pdf", options=FAST)


def test_passwords(tmp_path: Path) -> None:
    doc = pymupdf.open(short(tmp_path / "plain.pdf"))
    locked = tmp_path / "locked.pdf"
    doc.save(locked, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="sesame", owner_pw="owner")
    with pytest.raises(EncryptedError, match="password"):
        parse_document(locked, options=FAST)
    opened = parse_document(locked, options=ParseOptions(ocr="off", passwords=("wrong", "sesame")))
    assert "Page number 0" in opened.pages[0].regions[1].text


def test_a_truncated_file_gives_the_pages_that_are_left(tmp_path: Path) -> None:
    data = short(tmp_path / "a.pdf").read_bytes()
    (tmp_path / "cut.pdf").write_bytes(data[: int(len(data) * 0.8)])
    try:
        doc = parse_document(tmp_path / "cut.pdf", options=FAST)
    except DocumentError as e:
        assert "damaged" in e.reason or "no pages" in e.reason
    else:
        assert any(r.text.endswith(LOREM[-20:]) for p in doc.pages for r in p.regions)


def test_a_page_that_fails_is_kept_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = short(tmp_path / "a.pdf")
    real = reading.read_page

    def broken(page: pymupdf.Page, *, tagged: bool | None = None) -> object:
        if page.number == 1:
            raise RuntimeError("cannot interpret the stream")
        return real(page, tagged=tagged)

    monkeypatch.setattr(reading, "read_page", broken)
    doc = parse_document(path, options=FAST)
    assert [p.route for p in doc.pages] == ["geometry", "failed", "geometry"]
    assert doc.failures == ((2, "its content cannot be interpreted: cannot interpret the stream"),)


def test_windows_put_together_are_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = short(tmp_path / "a.pdf", pages=7)
    monkeypatch.setattr(parse, "TOGETHER", 4)
    with open_document(path) as doc:
        heard: list[int] = []
        pages = [
            *parse_window(doc, "a", 5, 7, FAST, heartbeat=lambda page, doing="": heard.append(page)),
            *parse_window(doc, "a", 1, 4, FAST),
        ]
        whole = finish("0" * 32, "a", pages, doc.metadata, outline_of(doc))
    assert set(heard) == {5, 6, 7}
    assert whole.pages == parse_document(path, options=FAST).pages


def test_text_and_tables_that_go_on_are_marked(tmp_path: Path) -> None:
    doc = pymupdf.open()
    put(doc.new_page(), 60, 100, wrapped(LOREM + " Then the board decided to", 80))
    put(doc.new_page(), 60, 100, wrapped("raise the dividend because " + LOREM, 80))
    pages = parse_document(save(doc, tmp_path / "a.pdf"), options=FAST).pages
    assert [r.continues for p in pages for r in p.regions] == [False, True]


def test_scans_are_read_by_ocr_unless_it_is_off(tmp_path: Path) -> None:
    source = pymupdf.open().new_page(width=400, height=300)
    put(source, 30, 50, ["The guarantee ends", "on July 31, 2026"], size=20)
    doc = pymupdf.open()
    page = doc.new_page(width=400, height=300)
    page.insert_image(page.rect, pixmap=source.get_pixmap(dpi=150))
    path = save(doc, tmp_path / "scan.pdf")
    off = parse_document(path, options=FAST).pages[0]
    assert off.regions == () and off.reasons == ("no text; OCR is off",)
    read = parse_document(path, options=ParseOptions()).pages[0]
    assert read.source == "ocr" and read.route == "ocr" and read.ocr_engine
    text = " ".join(r.text for r in read.regions)
    assert "guarantee" in text and "2026" in text
    assert (read.ocr_confidence or 0) > 0.7


def test_a_layout_model_labels_the_regions(tmp_path: Path) -> None:
    doc = pymupdf.open()
    two_columns(doc)
    page = parse_document(save(doc, tmp_path / "a.pdf"), options=ParseOptions(ocr="off", layout="model")).pages[0]
    assert page.route == "layout"
    assert [r.text[:2] for r in page.regions if r.kind == "text"] == ["L1", "L2", "L3", "R1", "R2", "R3"]


def test_options_of_a_configuration() -> None:
    config = Config()
    assert parse_options.options_from(config.ingest) == ParseOptions()
    assert parse_options.options_from(config.ingest, ocr_enabled=False).ocr == "off"


words = st.text(st.characters(codec="latin-1", categories=["L", "N"]), min_size=1, max_size=10)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(30, 430), st.integers(40, 800), st.sampled_from([8, 10, 14]), words), max_size=25)
)
def test_every_character_on_the_page_is_in_a_region(tmp_path: Path, scattered: list[tuple[int, int, int, str]]) -> None:
    doc = pymupdf.open()
    page = doc.new_page(width=595, height=842)
    expected: list[str] = []
    for n, (x, y, size, word) in enumerate(scattered):
        text = f"{word}{n}x"
        if x + pymupdf.get_text_length(text, fontsize=size) < 590:
            page.insert_text((x, y), text, fontsize=size)
            expected.append(text)
    parsed = parse_window(doc, "x", 1, 1, FAST)[0]
    assert parsed.failure is None
    got = "".join("".join(r.text.split()) for r in parsed.regions)
    assert sorted(c for c in got if c.isalnum()) == sorted(c for text in expected for c in text)
