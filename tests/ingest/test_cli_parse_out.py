"""`h3-parse --out DIR`: a file for each PDF, nothing else touched, whatever happens to one."""

from __future__ import annotations

import hostile_files
import pytest
from in_process import InProcess

from h3cold.ingest.cli_parse import main


@pytest.fixture
def in_process(monkeypatch):
    """No worker processes, whose start takes a second each."""
    monkeypatch.setattr("h3cold.ingest.parse_watched.Pool", InProcess)


def test_many_files_and_folders_become_files_of_their_own_whatever_happens_to_one(
    examples, tmp_path, capsys, in_process
):
    given, out = tmp_path / "given", tmp_path / "read"
    (given / "deep").mkdir(parents=True)
    for place in ("regulation.pdf", "deep/REGULATION.PDF"):
        (given / place).write_bytes((examples.folder / "流量计量器具监督管理办法.pdf").read_bytes())
    (given / "broken.pdf").write_text("hello")
    (given / "notes.txt").write_text("no PDF")
    named = [
        str(given),
        str(given / "regulation.pdf"),
        str(examples.folder / "海岚股权转让协议.pdf"),
        str(given / "gone.pdf"),
    ]
    assert main([*named, "--layout", "fast", "--out", str(out)]) == 3
    shown = capsys.readouterr()
    wrote = {"deep/REGULATION.md", "regulation.md", "海岚股权转让协议.md"}
    assert {str(p.relative_to(out)) for p in out.rglob("*") if p.is_file()} == wrote
    assert set(shown.out.splitlines()) == {str(out / name) for name in wrote}
    assert "broken.pdf: not a PDF" in shown.err and "gone.pdf" in shown.err and shown.err.count("\n") == 2
    assert (out / "deep/REGULATION.md").read_text() == (out / "regulation.md").read_text()
    assert main([str(given / "regulation.pdf"), str(given / "deep/REGULATION.PDF"), "--format", "csv", "--pages", "1",
                 "--layout", "fast", "--out", str(out)]) == 0  # fmt: skip
    assert {p.name for p in out.glob("*.csv")} == {"regulation.csv", "REGULATION-2.csv"}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["a.pdf", "b.pdf"], "--out DIR"),
        (["a.pdf", "--out", "x", "-o", "y"], "no --output"),
        (["-", "--out", "x"], "no standard input"),
        ([".", "--out", "x"], "no PDF in it"),
        (["a.pdf", "--out", ""], "--out: is empty"),
        (["a.pdf", "--out", "-"], "goes to the screen without --out"),
    ],
)
def test_wrong_usage_of_many_files(options, says, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(options) == 2
    assert says in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("form", "name"), [("markdown", "scan.md"), ("json", "scan.json")])
@pytest.mark.parametrize("linked", [False, True])
def test_out_writes_over_no_pdf_that_is_read(tmp_path, capsys, in_process, form, name, linked):
    """Nor over one by its other name, nor over that of another file's turn; the rest is read."""
    pdf = hostile_files.good(1)
    folder = tmp_path / "s"
    folder.mkdir()
    scan, same, other = folder / name, tmp_path / "scan.pdf", tmp_path / "other.pdf"
    scan.write_bytes(pdf)
    other.write_bytes(pdf)
    if linked:
        same.symlink_to(scan)
    else:
        same.write_bytes(pdf)
    given = [str(same), str(scan), str(other)]
    assert main([*given, "--format", form, "--layout", "fast", "--out", str(folder)]) == 3
    shown = capsys.readouterr()
    assert scan.read_bytes() == pdf and not scan.is_symlink()
    assert shown.err.count("\n") == 1 and f"{same}: not read: {scan} is a PDF" in shown.err
    ending = scan.suffix
    wrote = {f"scan-2{ending}", f"other{ending}"}
    assert {p.name for p in folder.iterdir()} == wrote | {name}
    assert set(shown.out.splitlines()) == {str(folder / each) for each in wrote}
    assert main([str(scan), "--format", form, "--layout", "fast", "--out", str(folder)]) == 3
    assert scan.read_bytes() == pdf and str(scan) in capsys.readouterr().err


@pytest.mark.parametrize("good", [True, False])
def test_out_leaves_other_files_alone_and_nothing_half_written(tmp_path, capsys, in_process, good):
    folder, pdf = tmp_path / "s", tmp_path / "y.pdf"
    folder.mkdir()
    (folder / "y.md.part").write_text("mine")
    pdf.write_bytes(hostile_files.good(1) if good else b"hello")
    assert main([str(pdf), "--layout", "fast", "--out", str(folder)]) == (0 if good else 3)
    assert (folder / "y.md.part").read_text() == "mine"
    assert {p.name for p in folder.iterdir()} == {"y.md.part"} | ({"y.md"} if good else set())
    (tmp_path / "usual").touch()
    assert not good or (folder / "y.md").stat().st_mode == (tmp_path / "usual").stat().st_mode
