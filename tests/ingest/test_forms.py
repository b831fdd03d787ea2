"""Questions with their answers beside them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pymupdf
from pdf_pages import save

from h3cold.ingest.parse import ParseOptions, parse_document

FAST = ParseOptions(ocr="off", layout="fast")
PITCH = 11.0


def form(
    entries: Sequence[tuple[Sequence[str], Sequence[str]]], *, gap: float = 7.0, at: str = "top"
) -> pymupdf.Document:
    """A page of questions (lines) with answers (lines), `gap` points between entries, level at their top or middle."""
    doc = pymupdf.open()
    page = doc.new_page()
    chinese = any(c > "\u2e80" for question, _ in entries for line in question for c in line)
    font = "china-s" if chinese else "helv"
    y = 90.0
    for question, answer in entries:
        tall = max(len(question), len(answer))
        for x, lines in ((60, question), (310, answer)):
            shift = (tall - len(lines)) * PITCH / 2 if at == "middle" else 0.0
            for n, line in enumerate(lines):
                page.insert_text((x, y + shift + n * PITCH), line, fontsize=9, fontname=font)
        y += tall * PITCH + gap
    return doc


def items(doc: pymupdf.Document, tmp_path: Path) -> list[str]:
    page = parse_document(save(doc, tmp_path / "form.pdf"), options=FAST).pages[0]
    return [line for region in page.regions for line in region.text.split("\n")]


QUESTIONS = [
    (["1. Date of submission:"], ["9/10/2007"]),
    (["9. Did the committee that decides on investments of", "the agency approve this request?"], ["Yes"]),
    (["a. If it did, when?"], []),
    (
        ["17. What qualifications does the manager of the", "project have? (as the council's guidance", "asks for)"],
        ["The manager has been validated as qualified for", "this investment"],
    ),
    (["18. Is it at risk?"], ["No"]),
]


def asked(entries: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[str]:
    return [" ".join([*question, *answer]) for question, answer in entries]


def test_a_question_of_two_lines_is_read_before_its_answer(tmp_path: Path) -> None:
    assert items(form(QUESTIONS), tmp_path) == asked(QUESTIONS)


def test_answers_at_the_middle_of_their_questions(tmp_path: Path) -> None:
    assert items(form(QUESTIONS, at="middle"), tmp_path) == asked(QUESTIONS)


def test_questions_that_follow_each_other_without_a_gap(tmp_path: Path) -> None:
    assert items(form(QUESTIONS, gap=0.0), tmp_path) == asked(QUESTIONS)


def test_questions_without_numbers_and_choices_as_answers(tmp_path: Path) -> None:
    entries = [
        (
            ["Has the applicant, or anyone who acts for the", "applicant, been refused a licence before?"],
            ["Yes [ ]  No [x]"],
        ),
        (["Does the applicant hold shares?"], ["Yes [x]  No [ ]"]),
        (["Has any claim been made against the applicant", "in the last five years?"], ["Yes [ ]  No [x]"]),
    ]
    assert items(form(entries), tmp_path) == [t.replace("]  N", "] N") for t in asked(entries)]


def test_choices_below_each_other_are_answers_of_their_own(tmp_path: Path) -> None:
    entries = [
        (["If so, check all that apply:"], ["Human Capital", "Budget and Performance", "Expanded Services"]),
        (["Who is responsible for the programme and for all", "that follows from it?"], ["The Department"]),
        (["Since when?"], ["2005"]),
    ]
    assert items(form(entries), tmp_path) == [
        "If so, check all that apply: Human Capital",
        "Budget and Performance",
        "Expanded Services",
        "Who is responsible for the programme and for all that follows from it? The Department",
        "Since when? 2005",
    ]


def test_a_chinese_form(tmp_path: Path) -> None:
    entries = [
        (["一、申请人姓名："], ["王小明"]),
        (["二、申请人在过去五年内是否受到过主管机关的行政", "处罚或者刑事处罚？"], ["否"]),
        (["三、申请人的住所和主要经营场所所在的省、自治区", "和直辖市："], ["上海市"]),
    ]
    assert items(form(entries), tmp_path) == ["".join([*q, *a]) for q, a in entries]


def test_a_heading_between_questions_stays_one(tmp_path: Path) -> None:
    doc = form([*QUESTIONS, (["Section B of the form"], []), *QUESTIONS])
    page = parse_document(save(doc, tmp_path / "form.pdf"), options=FAST).pages[0]
    found = [(r.kind, r.text) for r in page.regions]
    assert [text.split("\n") for kind, text in found if kind == "list"] == [asked(QUESTIONS)] * 2
    assert "Section B of the form" in [text for kind, text in found if kind != "list"]


def test_values_with_their_names_side_by_side_are_read_line_by_line(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    rows = [("Name: John Smith", "Sex: male", "Age: 50"), ("Ward: 12", "Taken: 2021-06-04 09:00"), ("Diagnosis: none",)]
    rows += [("Sample: blood", "State: normal")]
    for k, row in enumerate(rows):
        for x, text in zip((60, 220, 400), row, strict=False):
            page.insert_text((x, 90 + 14 * k), text, fontsize=9)
    assert items(doc, tmp_path) == [" ".join(row) for row in rows]


def test_an_answer_in_groups_is_all_of_the_question_beside_its_first_line(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    page.insert_text(
        (60, 80), "A line of the text above, which is as wide as what stands below it on this page.", fontsize=9
    )
    left = [(110, "Years active"), (126, "Spouses"), (214, "Children")]
    right = [(110, "1939 to 1974"), (126, "Robert Walker"), (137, "(1939 to 1945)"), (152, "David Selznick")]
    right += [(163, "(1949 to 1965)"), (178, "Norton Simon"), (189, "(1971 to 1993)"), (214, "3, as is said")]
    for x, lines in ((60, left), (160, right)):
        for y, text in lines:
            page.insert_text((x, y), text, fontsize=9)
    assert " ".join(items(doc, tmp_path)[1:]) == (
        "Years active 1939 to 1974 Spouses Robert Walker (1939 to 1945) David Selznick (1949 to 1965) "
        "Norton Simon (1971 to 1993) Children 3, as is said"
    )


def test_a_question_at_the_middle_of_a_long_answer(tmp_path: Path) -> None:
    long = ["It was validated in two thousand and five by all", "that had a say in it, and again", "by the council"]
    entries = [(["1. Since when?"], ["2005"]), (["2. By whom was it validated?"], long), (["3. At risk?"], ["No"])]
    assert items(form(entries, at="middle"), tmp_path) == asked(entries)


def test_names_and_what_they_stand_for_below_a_heading_in_the_middle(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    page.insert_text((230, 80), "符号和缩略语说明", fontsize=16, fontname="china-s")
    names = {"PI": "聚酰亚胺", "As-PPT": "聚苯基不对称三嗪", "MAsPPT": "聚苯基不对称三嗪单模型化合物",
             "DMAsPPT": "聚苯基不对称三嗪双模型化合物水解实验模型化合物", "PDT": "热分解温度",
             "HPLC": "高效液相色谱法的仪器和它的实验室方法的说明一览表以及所有这些方法的用途和", "": "结"}  # fmt: skip
    for k, (name, said) in enumerate(names.items()):
        page.insert_text((85, 120 + 19 * k), name, fontsize=12)
        page.insert_text((185, 120 + 19 * k), said, fontsize=11, fontname="china-s")
    found = parse_document(save(doc, tmp_path / "names.pdf"), options=FAST).pages[0].regions
    told = "\n".join(r.text for r in found)
    assert "符号和缩略语说明" in [r.text for r in found]
    assert "PI 聚酰亚胺\nAs-PPT 聚苯基不对称三嗪\nMAsPPT 聚苯基不对称三嗪单模型化合物\nDMAsPPT 聚" in told
