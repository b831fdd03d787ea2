"""Display formulas and their numbers; mathematics within sentences is none."""

from __future__ import annotations

import pymupdf

from h3cold.ingest.formulas import find_formulas, is_formula
from h3cold.ingest.fractions import find_fractions, formula_text
from h3cold.ingest.page_facts import Line, PageFacts, Rule, Span, read_page


def line(x: float, y: float, text: str, *, font: str = "CMR10", size: float = 10, block: int = 0) -> Line:
    box = (x, y, x + 0.5 * size * len(text), y + 1.2 * size)
    return Line(text, box, (Span(text, box, font, size, False, False, False, 0, y + size),), (1.0, 0.0), block)


def page(*lines: Line) -> PageFacts:
    return PageFacts(number=1, width=612, height=792, rotation=0, lines=list(lines))


SENTENCE = "The return on equity is the ratio of net income to the average equity of the year, which is"


def sentences(y: float) -> list[Line]:
    return [line(72, y + 14 * k, SENTENCE) for k in range(3)]


def found_texts(facts: PageFacts, taken=()) -> list[set[str]]:
    return [{facts.lines[i].text for i in f.lines} for f in find_formulas(facts, list(taken))]


def test_a_display_formula_with_its_number():
    facts = page(
        *sentences(100), line(200, 160, "E = mc2 + x", font="CMMI10"), line(510, 160, "(2.1)"), *sentences(190)
    )
    (found,) = find_formulas(facts, [])
    assert {facts.lines[i].text for i in found.lines} == {"E = mc2 + x", "(2.1)"}
    assert found.bbox[0] == 200
    assert found.bbox[2] == facts.lines[4].bbox[2]


def test_unicode_symbols_without_a_mathematical_font():
    facts = page(*sentences(100), line(220, 160, "∑ wᵢ xᵢ ≥ θ", font="Arial"), *sentences(190))
    assert found_texts(facts) == [{"∑ wᵢ xᵢ ≥ θ"}]


def test_lines_of_one_formula_are_one():
    facts = page(*sentences(100), line(220, 160, "a = b + c", font="CMMI10"), line(244, 174, "= d + e", font="CMMI10"),
                 *sentences(210))  # fmt: skip
    assert found_texts(facts) == [{"a = b + c", "= d + e"}]


def test_a_formula_in_words_when_it_is_centred():
    text = "Current ratio = current assets / current liabilities"
    facts = page(*sentences(100), line(172, 160, text, font="Times"), *sentences(190))
    assert found_texts(facts) == [{text}]


def test_mathematics_in_a_sentence_is_none():
    facts = page(*sentences(100), line(72, 142, "where x", font="CMR10"), line(112, 142, "= y + z", font="CMMI10"),
                 line(152, 142, "holds for every year"), *sentences(160))  # fmt: skip
    assert found_texts(facts) == []


def test_prose_and_taken_boxes_hold_none():
    assert found_texts(page(*sentences(100))) == []
    facts = page(*sentences(100), line(200, 160, "E = mc2 + x", font="CMMI10"), *sentences(190))
    assert found_texts(facts, taken=[(190, 150, 400, 180)]) == []


def test_a_fraction_is_one_formula_that_reads_numerator_over_denominator():
    doc = pymupdf.open()
    drawn = doc.new_page()
    for x, y, text in ((137, 150, "K ="), (167, 143, "P"), (159, 158, "P + R"), (188, 150, "+ x"), (500, 150, "(3)")):
        drawn.insert_text((x, y), text, fontname="tiit", fontsize=10)
    drawn.draw_line((156, 147), (186, 147), width=0.6)
    for k, y in enumerate((100, 112, 124, 200, 212, 224)):
        drawn.insert_text((56, y), f"{k} {SENTENCE}", fontname="tiro", fontsize=10)
    with pymupdf.open(stream=doc.tobytes()) as again:
        facts = read_page(again[0])
    (found,) = find_formulas(facts, [])
    assert formula_text(facts, found.lines) == "K = (P) / (P + R) + x (3)"


def test_a_sum_between_rules_is_no_fraction():
    doc = pymupdf.open()
    drawn = doc.new_page()
    for k, text in enumerate(("1,234", "987", "2,221")):
        drawn.insert_text((300, 100 + 14 * k), text, fontsize=10)
        drawn.insert_text((72, 100 + 14 * k), ("Loans", "Deposits", "Total = both")[k], fontsize=10)
    drawn.draw_line((296, 118), (330, 118))
    with pymupdf.open(stream=doc.tobytes()) as again:
        facts = read_page(again[0])
    assert find_fractions(facts, range(len(facts.lines))) == []


def test_cells_of_signs_with_a_number_at_the_end_are_a_formula():
    signs = [line(200, 160, "d[n] =", font="CMMI10"), line(250, 150, "1", font="CMR10"), line(250, 170, "N1N2",
             font="CMMI10"), line(280, 160, "∑", font="CMEX10"), line(310, 160, "∥di j∥", font="CMMI10")]  # fmt: skip
    number = line(500, 160, "(2)")
    facts = page(*signs, number)
    box = (200.0, 150.0, number.bbox[2], 182.0)
    assert is_formula(facts, box, range(6))
    assert not is_formula(facts, box, range(5))
    assert not is_formula(page(*signs[:-1], line(310, 160, "the distance"), number), box, range(6))
    facts.rules = [Rule(200, 165, 515, 165, 0.5)]
    assert not is_formula(facts, box, range(6))
