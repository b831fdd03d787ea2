"""The folder scan: told apart by content, looked into only where size or time changed."""

import os
import socket
import time

import pytest

from h3cold.ingest import scan as scanning
from h3cold.ingest.scan import Known, scan
from h3cold.schemas.errors import UsageError


def settle(*paths):
    """Date files back, as if written a while ago."""
    for path in paths:
        when = time.time_ns() - 10**10
        os.utime(path, ns=(when, when))


def put(folder, name, data=b"%PDF-1.4 one"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    settle(path)
    return path


def known(files):
    return {f.path: Known(f.size, f.mtime_ns, f.document) for f in files}


def test_only_visible_pdf_files_in_any_case(tmp_path):
    for name in ("b.PDF", "a.pdf", "note.txt", ".hidden.pdf", ".git/x.pdf", "sub/c.Pdf", "pdf"):
        put(tmp_path, name)
    assert [f.source for f in scan(tmp_path, {})] == ["a.pdf", "b.PDF", "sub/c.Pdf"]


def test_copies_share_a_document_and_others_do_not(tmp_path):
    put(tmp_path, "a.pdf"), put(tmp_path, "copy/a.pdf"), put(tmp_path, "b.pdf", b"%PDF-1.4 two")
    a, b, copy = scan(tmp_path, {})
    assert a.document == copy.document != b.document
    assert len(a.document) == 32


def test_unchanged_files_are_not_opened(tmp_path, monkeypatch):
    put(tmp_path, "a.pdf")
    before = scan(tmp_path, {})
    monkeypatch.setattr(scanning, "file_digest", lambda path: pytest.fail(f"{path} was opened"))
    assert scan(tmp_path, known(before)) == before


def test_a_touched_file_is_the_same_document_and_an_edited_one_is_not(tmp_path):
    path = put(tmp_path, "a.pdf")
    before = scan(tmp_path, {})
    path.touch()
    touched = scan(tmp_path, known(before))
    assert touched[0].document == before[0].document
    assert touched[0].mtime_ns != before[0].mtime_ns
    path.write_bytes(b"%PDF-1.4 two")  # same size
    assert scan(tmp_path, known(touched))[0].document != before[0].document


def test_an_edit_right_after_the_scan_is_seen(tmp_path):
    path = tmp_path / "a.pdf"
    for content in (b"%PDF-1.4 000", b"%PDF-1.4 111", b"%PDF-1.4 222"):
        path.write_bytes(content)
        first = scan(tmp_path, {})
        path.write_bytes(content[::-1])
        assert scan(tmp_path, known(first))[0].document != first[0].document


def test_odd_names_are_kept_byte_for_byte(tmp_path):
    names = [
        "报告.pdf".encode(),
        "🎉.pdf".encode(),
        b"new\nline.pdf",
        b"bad\xff.pdf",
        b"quote'\".pdf",
        b"n" * 251 + b".pdf",
    ]
    for name in names:
        (tmp_path / os.fsdecode(name)).write_bytes(name)
    found = scan(tmp_path, {})
    assert sorted(f.path for f in found) == sorted(names)
    assert next(f.source for f in found if b"\xff" in f.path) == "bad\\xff.pdf"
    assert all(f.source.encode() and f.document for f in found)


def test_link_loops_end_and_a_linked_folder_is_read_once(tmp_path):
    put(tmp_path, "real/a.pdf")
    (tmp_path / "real" / "loop").symlink_to(tmp_path)
    (tmp_path / "again").symlink_to(tmp_path / "real")
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "dead.pdf").symlink_to("nowhere")
    found = scan(tmp_path, {})
    assert [f.source for f in found] == ["dead.pdf", "real/a.pdf"]
    assert found[0].reason == "a link that leads nowhere"


def test_a_linked_folder_outside_is_followed(tmp_path):
    put(tmp_path / "elsewhere", "a.pdf")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "in").symlink_to(tmp_path / "elsewhere")
    assert [f.source for f in scan(tmp_path / "root", {})] == ["in/a.pdf"]


def test_what_is_no_plain_file_is_a_failure_and_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.pdf")  # opening it would hang
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(str(tmp_path / "socket.pdf"))
        assert [f.reason for f in scan(tmp_path, {})] == ["not a plain file", "not a plain file"]


def test_a_file_that_cannot_be_read_is_a_failure(tmp_path, monkeypatch):
    put(tmp_path, "a.pdf"), put(tmp_path, "b.pdf", b"%PDF-1.4 two")
    real = scanning.file_digest

    def refuse(path):
        if path.endswith(b"a.pdf"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(scanning, "file_digest", refuse)  # root may read everything, so the kernel cannot play this
    a, b = scan(tmp_path, {})
    assert (a.document, a.reason) == ("", "cannot be read: Permission denied")
    assert b.document


def test_a_file_that_vanishes_while_it_is_read_is_a_failure(tmp_path, monkeypatch):
    path = put(tmp_path, "a.pdf")
    real = scanning.file_digest
    monkeypatch.setattr(scanning, "file_digest", lambda p: (real(p), path.unlink())[0])
    assert scan(tmp_path, {})[0].reason == "cannot be read: No such file or directory"


def test_a_file_that_never_keeps_still_is_a_failure(tmp_path, monkeypatch):
    path = put(tmp_path, "a.pdf")
    real = scanning.file_digest
    monkeypatch.setattr(scanning, "file_digest", lambda p: (real(p), path.write_bytes(path.read_bytes() + b"x"))[0])
    found = scan(tmp_path, {})[0]
    assert found.document == ""
    assert "changes while it is read" in found.reason


def test_a_missing_path_or_a_file_is_wrong_usage(tmp_path):
    with pytest.raises(UsageError, match="no such folder"):
        scan(tmp_path / "none", {})
    with pytest.raises(UsageError, match="is no folder"):
        scan(put(tmp_path, "a.pdf"), {})
