"""The lines of a hit that a terminal shows."""

from h3cold.recall.snippet import ROWS, SNIPPET, snippet
from h3cold.schemas.hit import Answer, Hit
from h3cold.schemas.page import Cell, Table

FILLER = "Passenger numbers recovered in the year as limits were lifted and the route was busy again. " * 5
TABLE = Table(1, 1, (Cell(0, 0, "x", (0, 0, 1, 1)),))


def hit(text, table=None, answer=None):
    return Hit(
        rank=1, score=1.0, intent="text", block="b", kind="passage", document="d", source="a.pdf", title="", page=1,
        pages=(1,), bbox=(0, 0, 1, 1), headings=(), text=text, table=table, reason="", answer=answer,
    )  # fmt: skip


def test_a_passage_is_shown_from_the_sentence_that_answers():
    lines = snippet(hit(FILLER + "We sold Galley & Co to Brightwater. " + FILLER), "Who bought Galley & Co?")
    assert lines[0].startswith("… We sold Galley & Co to Brightwater.") and lines[-1].endswith(" …")
    last = snippet(hit(FILLER + "We sold Galley & Co to Brightwater."), "Who bought Galley & Co?")
    assert " ".join(last).endswith("We sold Galley & Co to Brightwater.") and len(" ".join(last)) <= SNIPPET + 4
    assert snippet(hit("罚款。" * 200 + "财务总监为林白。" + "罚款。" * 200), "财务总监是谁")[0].startswith(
        "… 财务总监为林白"
    )


def test_a_passage_that_answers_at_its_start_or_nowhere_is_shown_from_there():
    for text in ("We sold Galley & Co to Brightwater. " + FILLER, FILLER, "short"):
        assert text.startswith(snippet(hit(text), "Who bought Galley & Co?")[0].removesuffix(" …"))
    assert snippet(hit(""), "who") == ["(no text; see the picture)"]


def test_a_table_is_shown_with_the_row_that_answers():
    rows = ["Name | Number", *(f"Person {n} | {n}00" for n in range(1, 30))]
    answer = Answer("Person 20", ("Number",), ("2000",))
    lines = snippet(hit("\n".join(rows), TABLE, answer), "person 20")
    assert "Person 20 | 2000" in lines and lines[0] == "Name | Number" and len(lines) <= ROWS + 1
    shown = sum(" | " in line for line in lines)
    told = [int(line.split("(")[1].split()[0]) for line in lines if line.startswith("…")]
    assert shown + sum(told) == len(rows)
    assert snippet(hit("\n".join(rows), TABLE), "person 2")[:ROWS] == rows[:ROWS]
    assert snippet(hit("\n".join(rows[:ROWS]), TABLE, answer), "person 20") == rows[:ROWS]
