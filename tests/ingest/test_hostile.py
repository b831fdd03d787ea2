"""Hostile files through the parser in watched workers: one clear failure or a result, nothing lost, nothing hangs."""

import hostile_files as make
import pymupdf
import pytest
import worker_behaviour as behaviour

from h3cold.ingest import benchmark_hostile
from h3cold.ingest.parse import ParseOptions, parse_document
from h3cold.ingest.workers import Failure, Task, run
from h3cold.schemas.errors import DocumentError, EncryptedError

BOOK = make.good(12)


@pytest.fixture
def file(tmp_path):
    def write(data):
        path = tmp_path / "hostile.pdf"
        path.write_bytes(data)
        return path

    return write


def watched(*paths, pages, workers=1, page_seconds=60.0, memory_mb=1500):
    """By path: text by page, and failures by page (None = the file), from worker processes."""
    outcomes = {str(path): ({}, {}) for path in paths}
    limits = {"workers": workers, "page_seconds": page_seconds, "memory_mb": memory_mb}
    for task, read, failure in run([Task(path, 1, pages) for path in outcomes], behaviour.parse, **limits):
        texts, failures = outcomes[task.source]
        if failure is not None:
            failures[failure.page] = failure.reason
            assert failure.kind == "document" or task.first == task.last
        for page in read or ():
            if page.failure is None:
                texts[page.number] = " ".join(r.text for r in page.regions)
            else:
                failures[page.number] = page.failure
    return outcomes


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"Dear Sir,\nplease find attached the PDF.\n" * 50, "not a PDF"),
        (b"PK\3\4" + bytes(4000), "not a PDF"),
        (b"%PDF-1.7\n" + bytes(range(256)) * 20, "no pages|damaged"),
        (make.pdf([], count=0), "no pages"),
        (make.pdf([], count=7), "no pages|damaged"),
        (BOOK[:200], "no pages|damaged"),
    ],
    ids=["0 bytes", "letter", "zip", "noise", "no pages", "pages that are not there", "cut off at once"],
)
def test_what_is_no_readable_pdf_is_one_failure_that_says_why(file, data, reason):
    path = file(data)
    with pytest.raises(DocumentError, match=reason) as caught:
        parse_document(path)
    assert str(path) in str(caught.value)


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(DocumentError, match="no such file"):
        parse_document(tmp_path / "none.pdf")
    with pytest.raises(DocumentError, match="folder"):
        parse_document(tmp_path)


def test_an_encrypted_file_needs_its_password(file):
    path = file(make.encrypted("secret"))
    with pytest.raises(EncryptedError, match="password"):
        parse_document(path)
    with pytest.raises(EncryptedError):
        parse_document(path, options=ParseOptions(passwords=("wrong",)))
    parsed = parse_document(path, options=ParseOptions(passwords=("wrong", "secret")))
    assert "page number 2" in parsed.pages[1].regions[0].text


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_a_truncated_file_loses_no_page_silently(file, share):
    path = file(BOOK[: int(len(BOOK) * share)])
    try:
        parsed = parse_document(path)
    except DocumentError as e:
        assert share < 0.4 and ("no pages" in e.reason or "damaged" in e.reason)
        return
    for page in parsed.pages:
        text = " ".join(r.text for r in page.regions)
        assert page.failure or f"page number {page.number} of" in text
    assert len(parsed.pages) == 12
    assert sum(p.failure is None for p in parsed.pages) >= int(12 * share) - 2


STROKES = b"".join(b"%d %d m %d %d l S\n" % (i % 389, i % 283, i % 397, i % 293) for i in range(100_000))
WHOLE = [f"This is page number {n} of the book." for n in range(1, 13)]
READ = {
    "300,000 packed strokes": (
        make.pdf([make.deflated(b"0 0 m 9 9 l S\n" * 300_000 + make.text("After the strokes."))]),
        ["After the strokes."],
    ),
    "100,000 strokes": (make.pdf([STROKES + make.text("After the strokes.")]), ["After the strokes."]),
    "form that draws itself": (make.self_drawing_form(), ["Before the form."]),
    "page 500 levels down": (make.deep_page_tree(500), ["At the end of the tree."]),
    "outline in a circle": (make.outline_cycle(), ["A book with a strange outline."]),
    "picture of 10 GB": (make.huge_picture(), [""]),
    "broken numbers": (
        make.pdf([make.text("Half a page.") + b"BT /F 1e30 Tf (x) Tj nan inf cm (((("]),
        ["Half a page."],
    ),
    "no such font": (make.pdf([make.text("No such font.").replace(b"/F ", b"/G ")]), ["No such font."]),
    "pages without size": (BOOK.replace(b"[0 0 400 300]", b"[0 0 0 0]    "), WHOLE),
    "pages of 2,000 miles": (BOOK.replace(b"[0 0 400 300]", b"[0 0 9e9 9e9]"), WHOLE),
    "pages from top to bottom": (BOOK.replace(b"[0 0 400 300]", b"[400 300 0 0]"), WHOLE),
    "no cross-reference table": (BOOK.replace(b"xref", b"fixr"), WHOLE),
}
FAIL = {
    "100,000 saved states": make.pdf([b"q " * 100_000 + make.text("Deep inside.")]),
    "page tree in a circle": BOOK.replace(b"/Kids[4 0 R", b"/Kids[2 0 R"),
    "100,000 open arrays": make.pdf([b"[" * 100_000, make.text(WHOLE[1])]),
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """All hostile files in one go, as in a folder, with a good one at the end."""
    folder = tmp_path_factory.mktemp("hostile")
    files = {name: data for name, (data, _) in READ.items()} | FAIL | {"good": BOOK}
    for name, data in files.items():
        (folder / f"{name}.pdf").write_bytes(data)
    found = watched(*(folder / f"{name}.pdf" for name in files), pages=12, workers=2)
    return {name: found[str(folder / f"{name}.pdf")] for name in files}


@pytest.mark.parametrize("name", READ)
def test_a_hostile_page_is_read(name, outcomes):
    texts, failures = outcomes[name]
    assert not failures
    assert [" ".join(texts[number].split()) for number in sorted(texts)] == READ[name][1]


@pytest.mark.parametrize("name", FAIL)
def test_what_cannot_be_read_fails_and_says_so(name, outcomes):
    texts, failures = outcomes[name]
    assert failures
    assert all(failures.values())
    pages = [*texts, *failures]
    assert None in failures or sorted(pages) == list(range(1, len(pages) + 1))
    for number, text in texts.items():
        assert f"page number {number} of" in text


def test_the_good_file_among_them_is_read_in_full(outcomes):
    texts, failures = outcomes["good"]
    assert (list(texts.values()), failures) == (WHOLE, {})


def test_a_bomb_costs_its_page_and_no_other(file):
    path = file(make.pdf([make.text("The first page."), make.bomb(1000), make.text("The last page.")]))
    texts, failures = watched(path, pages=3, page_seconds=8.0)[str(path)]
    assert "first page" in texts[1]
    assert "last page" in texts[3]
    assert list(failures) == [2]
    assert "longer than 8 s" in failures[2]


def test_text_that_no_file_of_utf8_can_hold(file):
    with pymupdf.open(stream=make.good(1), filetype="pdf") as doc:
        doc.set_metadata({"title": "broken \x00 title"})
        path = file(doc.tobytes(no_new_id=True))
    parsed = parse_document(path)
    assert "page number 1" in parsed.pages[0].regions[0].text


def test_the_benchmark_of_hostile_files_counts_what_becomes_of_them(tmp_path):
    for name, data in (("good", make.good(2)), ("letter", b"Dear Sir,"), ("cut", make.good(12)[:200])):
        (tmp_path / f"{name}.pdf").write_bytes(data)
    figures = benchmark_hostile.measured(sorted(tmp_path.glob("*.pdf")), ParseOptions(ocr="off", layout="fast"))
    assert figures.pop("slowest_seconds") > 0
    assert {k: v for k, v in figures.items() if v} == {"files": 3, "parsed": 1, "refused": 2, "pages": 2}
    file = benchmark_hostile._File(4, pages={}, stopped={2: Failure("timeout", "took longer", 2)})
    assert benchmark_hostile._figures([file])["silent_losses"] == 3
    assert benchmark_hostile._figures([file])["hangs"] == 1
